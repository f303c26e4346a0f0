"""`tengen evaluate moves/… --on CORPUS`: how well models predict the moves played in games.

Start at `evaluate_plays`. All models are given the same positions, drawn by the content of the games. Ranks are among
the legal moves; moves of equal probability share the mean of their ranks. Intervals are at 95 % by resampling games,
comparisons are paired by position.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.plays import PlayBatch, Plays
from tengen.errors import TengenError
from tengen.go.positions import Positions
from tengen.measure.compare import compare, mean, mean_by_phase
from tengen.measure.moves import MoveScores, move_scores
from tengen.measure.phases import STAGES
from tengen.measure.plots import top_k_plot
from tengen.measure.tables import Column, Table
from tengen.models.evaluator import Evaluator, ask, require

CHUNK = 64
"""Positions evaluated in one call."""
MOST = 50
"""The curves end with this rank."""


@dataclass(frozen=True)
class Predictions:
    """Ranks and probabilities that one model gave to the moves played."""

    name: str
    scores: MoveScores
    ms: float
    """Milliseconds per position, in batches, on one core."""


@dataclass(frozen=True)
class PlayEvaluation:
    """Several models on the same played moves."""

    sample: PlayBatch
    predictions: tuple[Predictions, ...]

    def tables(self) -> list[Table]:
        """Return the accuracy of each model, by stage of the game, and compared with the first model."""
        found = [self.table(), self.by_stage()]
        return [*found, self.comparisons()] if len(self.predictions) > 1 else found

    def table(self) -> Table:
        """Return one row per model: how often the move played is among the first, its rank and probability."""
        columns: list[Column | str] = [
            "model",
            Column("positions", digits=0),
            Column("top-1", percent=True),
            Column("top-5", percent=True),
            Column("top-20", percent=True),
            Column("mean rank", digits=2),
            Column("log-evidence", digits=4),
            Column("perplexity", digits=2),
            Column("ms", digits=2),
        ]
        games = self.sample.games
        rows: list[list[Any]] = []
        for each in self.predictions:
            scores = each.scores
            shares = [mean(scores.within(k), games) for k in (1, 5, 20)]
            means = [mean(scores.rank, games), mean(scores.log_evidence, games)]
            rows.append([each.name, len(self.sample), *shares, *means, scores.perplexity, each.ms])
        return Table(columns, rows)

    def by_stage(self) -> Table:
        """Return top-1 and log-evidence of each model in the opening, the middle game and the endgame."""
        columns: list[Column | str] = [
            "model",
            "stage",
            Column("top-1", percent=True),
            Column("log-evidence", digits=4),
        ]
        stage = STAGES.index(self.sample.turns, np.maximum(self.sample.lengths, 1))
        rows: list[list[Any]] = []
        for each in self.predictions:
            measured = [each.scores.within(1), each.scores.log_evidence]
            first, evidence = (mean_by_phase(values, self.sample.games, stage, phases=STAGES) for values in measured)
            rows += [[each.name, name, first[name], evidence[name]] for name in first]
        return Table(columns, rows)

    def comparisons(self) -> Table:
        """Return the other models against the first, in top-1 and log-evidence."""
        columns: list[Column | str] = [
            "model",
            "against",
            Column("top-1 difference", percent=True),
            Column("p (top-1)", digits=4),
            Column("log-evidence difference", digits=4),
            Column("p (log-evidence)", digits=4),
        ]
        first, *others = self.predictions
        rows: list[list[Any]] = []
        for other in others:
            hits = compare(other.scores.within(1), first.scores.within(1), self.sample.games)
            likely = compare(other.scores.log_evidence, first.scores.log_evidence, self.sample.games)
            rows.append([other.name, first.name, hits.difference, hits.p, likely.difference, likely.p])
        return Table(columns, rows)

    def plot(self, folder: Path) -> list[Path]:
        """Plot the share of positions whose move is among the first k, for each model."""
        folder.mkdir(parents=True, exist_ok=True)
        curves = {each.name: each.scores.curve(MOST) for each in self.predictions}
        return [top_k_plot(folder / "top-k.svg", curves)]


def evaluate_plays(
    models: Sequence[Evaluator],
    plays: Plays,
    *,
    sample: int = 500,
    progress: Callable[[int, int], None] | None = None,
) -> PlayEvaluation:
    """Let every model predict the same moves; `progress` is called with the number of answers and the total."""
    for model in models:
        require(model, "policy")
    chosen = _first(plays, sample)
    total, predictions = len(models) * len(chosen), list[Predictions]()
    for number, model in enumerate(models):
        policies = []
        start = time.perf_counter()
        for first in range(0, len(chosen), CHUNK):
            policies.append(ask(model, chosen.positions.take(slice(first, first + CHUNK)), "policy").policy)
            if progress is not None:
                progress(number * len(chosen) + min(first + CHUNK, len(chosen)), total)
        seconds = time.perf_counter() - start
        scores = move_scores(np.concatenate([part for part in policies if part is not None]), chosen.moves)
        predictions.append(Predictions(model.name, scores, seconds / len(chosen) * 1000))
    return PlayEvaluation(chosen, tuple(predictions))


def _first(plays: Plays, count: int) -> PlayBatch:
    """Return the first `count` drawn positions whose move is legal."""
    found: list[PlayBatch] = []
    for batch in plays:
        fair = np.flatnonzero(batch.positions.legal[np.arange(len(batch)), batch.moves])
        found.append(batch.take(fair[: count - sum(map(len, found))]))
        if sum(map(len, found)) >= count:
            break
    if not sum(map(len, found)):
        raise TengenError(f"{plays.store.path} has no game of size {plays.size} in split {plays.split!r}")
    arrays = (
        np.concatenate([getattr(part, name) for part in found]) for name in ("moves", "games", "turns", "lengths")
    )
    return PlayBatch(Positions.join([part.positions for part in found]), *arrays)
