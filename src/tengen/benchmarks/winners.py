"""`tengen evaluate MODEL… --on CORPUS --winners`: how often models name the winner of a game from one of its positions.

Start at `evaluate_winners`. All models are given the same games, each after fixed shares of its moves. A model says
that Black wins if its winrate is above one half; the winrate follows from the lead or the ownership where it gives
none. The first row of each stage looks at no board: it always names the colour that has won more of these games.
Intervals are at 95 % by resampling games, comparisons are paired by game.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from tengen.benchmarks.evaluators import row_names
from tengen.corpus.plays import Plays, WonGames
from tengen.errors import ModelError, TengenError
from tengen.measure.arrays import FloatArray
from tengen.measure.calibration import reliability
from tengen.measure.compare import compare, mean
from tengen.measure.plots import phase_plot, reliability_diagram
from tengen.measure.tables import Column, Table
from tengen.measure.winners import winner_measures
from tengen.models.evaluator import Evaluator, ask
from tengen.models.leads import winrates_of

CHUNK = 64
"""Positions evaluated in one call."""
SHARES = (0.25, 0.5, 0.75, 1.0)
STAGES = ("25 % of the moves", "50 %", "75 %", "the end")
NULL = "the colour that wins more often"


@dataclass(frozen=True)
class WinnerAnswers:
    """What one model says about the games at every stage."""

    name: str
    winrates: FloatArray
    """Black's winrate [stage, game]."""
    ms: float | None
    """Milliseconds per position, in batches, on one core."""


@dataclass(frozen=True)
class WinnerEvaluation:
    """Several models on the same games."""

    games: WonGames
    answers: tuple[WinnerAnswers, ...]

    def tables(self) -> list[Table]:
        """Return accuracy and calibration of each model by stage, and comparisons with the first model."""
        return [self.table(), self.comparisons()] if len(self.answers) > 1 else [self.table()]

    def table(self) -> Table:
        """Return one row for each stage and model."""
        columns: list[Column | str] = [
            "after",
            "model",
            Column("games", digits=0),
            Column("winner right", percent=True),
            Column("log-likelihood", digits=4),
            Column("Brier", digits=4),
            Column("calibration error", digits=3),
            Column("ms", digits=2),
        ]
        rows: list[list[Any]] = []
        for stage, name in enumerate(STAGES):
            for each in (self._null(), *self.answers):
                said = each.winrates[stage]
                means = [mean(values, self.games.games) for values in winner_measures(said, self._won).values()]
                error = reliability(said, self._won, bins=10).error
                rows.append([name, each.name, len(self.games), *means, error, each.ms])
        return Table(columns, rows)

    def comparisons(self) -> Table:
        """Return the other models against the first: how much more often they name the winner."""
        columns: list[Column | str] = [
            "after",
            "model",
            "against",
            Column("right, difference", percent=True),
            Column("p (right)", digits=4),
            Column("Brier, difference", digits=4),
            Column("p (Brier)", digits=4),
        ]
        first, *others = self.answers
        rows: list[list[Any]] = []
        for stage, name in enumerate(STAGES):
            known = winner_measures(first.winrates[stage], self._won)
            for other in others:
                found = winner_measures(other.winrates[stage], self._won)
                right, brier = (compare(found[key], known[key], self.games.games) for key in ("accuracy", "brier"))
                rows.append([name, other.name, first.name, right.difference, right.p, brier.difference, brier.p])
        return Table(columns, rows)

    def plot(self, folder: Path) -> list[Path]:
        """Plot how often each model is right by stage, and its calibration over all stages."""
        folder.mkdir(parents=True, exist_ok=True)
        games, won = np.tile(self.games.games, len(STAGES)), np.tile(self._won, len(STAGES))
        right = {
            each.name: {
                name: mean(winner_measures(each.winrates[stage], self._won)["accuracy"], self.games.games)
                for stage, name in enumerate(STAGES)
            }
            for each in self.answers
        }
        tables = {each.name: reliability(each.winrates.ravel(), won, bins=10, games=games) for each in self.answers}
        return [
            phase_plot(folder / "winner.svg", right, measure="winner right", percent=True),
            reliability_diagram(folder / "winner-calibration.svg", tables, event="Black won"),
        ]

    @property
    def _won(self) -> FloatArray:
        return self.games.won.astype(float)

    def _null(self) -> WinnerAnswers:
        share = float(self._won.mean())
        return WinnerAnswers(NULL, np.full((len(STAGES), len(self.games)), share), None)


def evaluate_winners(
    models: Sequence[Evaluator],
    plays: Plays,
    *,
    sample: int = 500,
    given: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> WinnerEvaluation:
    """Let every model name the winners of the same `sample` games; `progress` gets the number of answers and the total.

    Models of one name are told apart by what the user has `given`, such as their files.
    """
    for model in models:
        if not model.gives & {"winrate", "lead", "ownership"}:
            raise ModelError(f"{model.name} gives no winrate, lead or ownership, so it does not say who wins")
    report = progress or (lambda done, total: None)
    stages = [chosen_winners(plays, share, sample) for share in SHARES]
    total, done, answers = len(models) * len(SHARES) * len(stages[0]), 0, []
    for model, name in zip(models, row_names(models, given), strict=True):
        winrates, start = np.zeros((len(SHARES), len(stages[0]))), time.perf_counter()
        for stage, games in enumerate(stages):
            for first in range(0, len(games), CHUNK):
                positions = games.positions.take(slice(first, first + CHUNK))
                winrates[stage, first : first + CHUNK] = winrates_of(ask(model, positions), positions)
                done += len(positions)
                report(done, total)
        answers.append(WinnerAnswers(name, winrates, (time.perf_counter() - start) / winrates.size * 1000))
    return WinnerEvaluation(stages[0], tuple(answers))


def chosen_winners(plays: Plays, share: float, count: int) -> WonGames:
    """Return the games whose numbers have the smallest hashes, the same ones for every share of the moves."""
    parts = [plays.with_winners(shard, share) for shard in plays.shards]
    if not any(map(len, parts)):
        kind = {True: " without handicap", False: " with handicap", None: ""}[plays.even]
        raise TengenError(
            f"{plays.store.path} has no {plays.size}×{plays.size} game{kind} with a winner in split "
            f"{plays.split or 'all'!r}"
        )
    games = WonGames.join(parts)
    hashes = [blake2b(number.tobytes(), digest_size=8).digest() for number in games.games]
    return games.take(np.array(sorted(sorted(range(len(games)), key=hashes.__getitem__)[:count])))
