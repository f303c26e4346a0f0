"""Predictions of the models for the test positions, their errors, and the time per board.

Start at `ask` and `Answers`. All measures are one value per position, NaN where a model was not evaluated; means have
intervals by resampling games, and models are compared on the positions where both were evaluated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch
from tengen.go.board import Board
from tengen.measure.compare import Comparison, Resampling, compare, mean
from tengen.measure.intervals import Interval
from tengen.measure.ownership import ownership_errors

RESAMPLING = Resampling(resamples=4000)
STRICT = replace(RESAMPLING, confidence=0.99)
"""The paper's confidence level for differences."""
CHUNK = 64
FAR = 3
"""Points at least this many steps from every stone lie in sparse areas."""

Floats = npt.NDArray[np.float64]

MEASURES = {
    "vertex": "vertex error (%)",
    "net": "net error (%)",
    "surprise": "−log-likelihood per point (nats)",
}


@dataclass(frozen=True)
class Answers:
    """The measures of one model, one value per position."""

    name: str
    games: npt.NDArray[np.int64]
    ownership: Floats
    vertex: Floats
    net: Floats
    """Vertex and net error in percent."""
    surprise: Floats
    """−log-likelihood per labelled point."""
    overconfidence: Floats
    """Overconfidence in sparse areas: claimed minus actual accuracy, in percent."""

    @property
    def positions(self) -> int:
        """Number of positions evaluated."""
        return int((~np.isnan(self.ownership[:, 0, 0])).sum())

    def mean(self, measure: str) -> Interval:
        """Return the mean of a measure with its interval."""
        return mean(getattr(self, measure), self.games, resampling=RESAMPLING)

    def against(self, other: Answers, measure: str) -> Comparison:
        """Compare a measure with another model's, position by position, at 99 %."""
        return compare(getattr(self, measure), getattr(other, measure), self.games, resampling=STRICT)

    def beyond(self, measure: str) -> Comparison:
        """Compare a measure with 0, at 99 %."""
        values = getattr(self, measure)
        return compare(values, np.zeros_like(values), self.games, resampling=STRICT)


@dataclass(frozen=True)
class Test:
    """The test positions."""

    sample: Batch

    @cached_property
    def sparse(self) -> npt.NDArray[np.bool_]:
        """The labelled points far from every stone."""
        return np.isfinite(self.sample.targets) & far_from_stones(self.sample.boards, FAR)

    def ask(self, name: str, model: Any, positions: int | None = None) -> Answers:
        """Evaluate a model on all positions, or on a number of them, evenly spaced."""
        count = len(self.sample)
        rows = np.unique(np.linspace(0, count - 1, min(positions or count, count)).astype(np.intp))
        boards = self.sample.boards[rows]
        said = np.concatenate([model.ownership_many(boards[i : i + CHUNK]) for i in range(0, len(rows), CHUNK)])
        targets = self.sample.targets[rows].astype(float)
        labelled = np.isfinite(targets)
        truth = np.where(labelled, targets, 0.0)
        errors = ownership_errors(said, truth, labelled.astype(float), soft=True)
        sure = overconfidence(said, truth, self.sparse[rows])
        values = (said, 100 * errors.vertex, 100 * errors.net, -errors.log_likelihood, 100 * sure)
        whole = [_spread(value, rows, count) for value in values]
        return Answers(name, self.sample.games, *whole)


def overconfidence(said: Floats, truth: Floats, among: npt.NDArray[np.bool_]) -> Floats:
    """Return the mean of (1 + |E|)/2 − [sign E = sign s] over some points of each position; NaN without points."""
    right = 1 - np.abs(np.sign(said) - np.sign(truth)) / 2
    excess = np.where(among, (1 + np.abs(said)) / 2 - right, 0.0).sum((1, 2))
    count = among.sum((1, 2))
    return np.where(count > 0, excess / np.maximum(count, 1), np.nan)


def far_from_stones(boards: npt.NDArray[np.int8], steps: int) -> npt.NDArray[np.bool_]:
    """Return the points at least `steps` steps along the lines from every stone."""
    near: npt.NDArray[np.bool_] = boards != 0
    for _ in range(steps - 1):
        grown = near.copy()
        grown[:, 1:] |= near[:, :-1]
        grown[:, :-1] |= near[:, 1:]
        grown[:, :, 1:] |= near[:, :, :-1]
        grown[:, :, :-1] |= near[:, :, 1:]
        near = grown
    return ~near


def milliseconds(model: Any, boards: npt.NDArray[np.int8]) -> float:
    """Return the median CPU milliseconds per board, each evaluated separately."""
    positions = [Board.from_stones(stones) for stones in boards]
    model.ownership(positions[0])
    times = []
    for board in positions:
        start = time.process_time()
        model.ownership(board)
        times.append(time.process_time() - start)
    return 1000 * median(times)


def _spread(values: Floats, rows: npt.NDArray[np.intp], count: int) -> Floats:
    whole = np.full((count, *values.shape[1:]), np.nan)
    whole[rows] = values
    return whole
