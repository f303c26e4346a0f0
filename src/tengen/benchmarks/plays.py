"""`tengen evaluate moves/… --on CORPUS`: how well models predict the moves played in games.

Start at `evaluate_plays`. All models are given the same positions, drawn from all games by their content. Ranks are
among the legal moves; moves of equal probability share the mean of their ranks. Intervals are at 95 % by resampling
games, comparisons are paired by position.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.plays import PlayBatch, Plays
from tengen.errors import TengenError
from tengen.go.positions import Positions
from tengen.measure.compare import compare, mean, mean_by_phase
from tengen.measure.moves import MoveScores, move_scores
from tengen.measure.phases import STAGES
from tengen.measure.plots import top_k_plot
from tengen.measure.tables import Column, Table
from tengen.models.evaluator import Evaluator, ask, require
from tengen.models.state import identity

CHUNK = 64
"""Positions evaluated in one call."""
MOST = 50
"""The curves end with this rank."""
MEASURES = (
    *(Column(f"top-{k}", percent=True) for k in (1, 5, 20)),
    Column("mean rank", digits=2),
    Column("log-evidence", digits=4),
)


@dataclass(frozen=True)
class Predictions:
    """Ranks and probabilities that one model gave to the moves played."""

    name: str
    scores: MoveScores
    ms: float
    """Milliseconds per position, in batches, on one core."""


def _measured(scores: MoveScores) -> list[npt.NDArray[np.float64]]:
    """Return the values of `MEASURES`, one for each position."""
    return [*(scores.within(k) for k in (1, 5, 20)), scores.rank, scores.log_evidence]


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
        columns: list[Column | str] = ["model", "positions", *MEASURES, Column("perplexity"), Column("ms")]
        rows: list[list[Any]] = []
        for each in self.predictions:
            means = [mean(values, self.sample.games) for values in _measured(each.scores)]
            rows.append([each.name, len(self.sample), *means, each.scores.perplexity, each.ms])
        return Table(columns, rows)

    def by_stage(self) -> Table:
        """Return the same measures of each model in the opening, the middle game and the endgame."""
        stage = STAGES.index(self.sample.turns, np.maximum(self.sample.lengths, 1))
        counts = np.bincount(stage, minlength=len(STAGES)).tolist()
        rows: list[list[Any]] = []
        for each in self.predictions:
            means = [
                mean_by_phase(values, self.sample.games, stage, phases=STAGES) for values in _measured(each.scores)
            ]
            for name, count in zip(STAGES.names, counts, strict=True):
                rows.append([each.name, name, count, *(mean[name] for mean in means)])
        return Table(["model", "stage", "positions", *MEASURES], rows)

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
    """Let every model predict the same `sample` moves; `progress` is called with the number of answers and the total.

    The moves are drawn from all of the games, whatever the share that `plays` draws.
    """
    for model in models:
        require(model, "policy")
    chosen, report = fixed_plays(plays, sample), progress or (lambda done, total: None)
    total, predictions = len(models) * len(chosen), list[Predictions]()
    names = [model.name for model in models]
    for model in models:
        name = model.name if names.count(model.name) == 1 else identity(model)  # files of the same kind of model
        told = partial(_report, report, len(predictions) * len(chosen), total)
        predictions.append(_predictions(name, model, chosen, told))
    return PlayEvaluation(chosen, tuple(predictions))


def fixed_plays(plays: Plays, count: int) -> PlayBatch:
    """Return `count` moves spread over all games, or all moves if there are fewer; the same ones at every call."""
    slack = count + 5 * math.sqrt(count) + 10  # as many as almost certainly suffice
    drawn = replace(plays, sample=min(1.0, slack / max(plays.total, 1)))
    found = [batch.take(_legal_rows(batch)) for batch in drawn]
    if not any(map(len, found)):
        games = {True: " without handicap", False: " with handicap", None: ""}[plays.even]
        raise TengenError(
            f"{plays.store.path} has no {plays.size}×{plays.size} game{games} in split {plays.split or 'all'!r}"
        )
    joined = PlayBatch(
        Positions.join([part.positions for part in found]),
        *(np.concatenate([getattr(part, name) for part in found]) for name in ("moves", "games", "turns", "lengths")),
    )
    kept = min(count, len(joined))
    return joined.take(np.arange(kept) * len(joined) // kept)


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _legal_rows(batch: PlayBatch) -> npt.NDArray[np.intp]:
    return np.flatnonzero(batch.positions.legal[np.arange(len(batch)), batch.moves])


def _predictions(name: str, model: Evaluator, sample: PlayBatch, report: Callable[[int], None]) -> Predictions:
    policies = np.zeros((len(sample), sample.positions.points + 1))
    start = time.perf_counter()
    for first in range(0, len(sample), CHUNK):
        some = slice(first, first + CHUNK)
        policies[some] = ask(model, sample.positions.take(some), "policy").policy
        report(min(first + CHUNK, len(sample)))
    seconds = time.perf_counter() - start
    scores = move_scores(policies, sample.moves, sample.positions.legal)
    return Predictions(name, scores, seconds / len(sample) * 1000)
