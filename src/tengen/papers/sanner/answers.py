"""Predictions of the models for the test positions, their errors, and the time per board.

Start at `ask` and `Answers`. All measures are one value per position, NaN where a model was not evaluated; means have
intervals by resampling games, and models are compared on the positions where both were evaluated. A model that was
trained on several draws of boards has the answers of each, and its intervals resample draws too. Where only some
positions are evaluated, because inference is slow, they are dealt out among the draws: that costs no more than one
draw, and the mean depends on as many boards and on all draws.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch
from tengen.go.board import Board
from tengen.measure.compare import Comparison, Resampling, compare, mean
from tengen.measure.intervals import Interval
from tengen.measure.ownership import ownership_errors
from tengen.papers.draws import spread
from tengen.papers.sanner.kept import kept
from tengen.papers.sanner.models import EXACT, MONTE_CARLO, SAMPLED
from tengen.papers.sanner.threads import in_threads

RESAMPLING = Resampling(resamples=4000)
STRICT = replace(RESAMPLING, confidence=0.99)
"""The paper's confidence level for differences."""
CHUNK = 16
"""Boards evaluated at a time, by one thread."""
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
    joint: Floats | None = field(default=None, kw_only=True)
    """−log-likelihood of whole boards per labelled point, where it was computed."""
    others: tuple[Answers, ...] = field(default=(), kw_only=True)
    """The answers of the same model trained on other draws of boards."""

    @property
    def positions(self) -> int:
        """Number of positions evaluated."""
        return int(np.isfinite([draw[:, 0, 0] for draw in self.draws("ownership")]).any(axis=0).sum())

    def mean(self, measure: str, among: npt.NDArray[np.bool_] | None = None) -> Interval:
        """Return the mean of a measure with its interval, over all positions or some of them."""
        rows = slice(None) if among is None else among
        return _mean([values[rows] for values in self.draws(measure)], self.games[rows], RESAMPLING)

    def draws(self, measure: str) -> list[Floats]:
        """Return a measure for every draw of training boards."""
        return [getattr(each, measure) for each in (self, *self.others)]

    def said(self, among: npt.NDArray[np.bool_]) -> bool:
        """Whether the model was evaluated on one of these positions."""
        return bool(np.isfinite(self.vertex[among]).any())

    def against(self, other: Answers, measure: str) -> Comparison:
        """Compare a measure with another model's, position by position and draw by draw, at 99 %."""
        return self._compared(self.draws(measure), other.draws(measure))

    def beyond(self, measure: str) -> Comparison:
        """Compare a measure with 0, at 99 %."""
        values = self.draws(measure)
        return self._compared(values, [np.zeros_like(values[0])])

    def _compared(self, ours: list[Floats], theirs: list[Floats]) -> Comparison:
        if len(ours) == len(theirs) == 1:
            return compare(ours[0], theirs[0], self.games, resampling=STRICT)
        count = max(len(ours), len(theirs))
        pairs = [(ours[i % len(ours)], theirs[i % len(theirs)]) for i in range(count)]  # the same draw of both, or all
        gaps = [a - b for a, b in pairs]
        both = [np.where(np.isfinite(gap), pair, np.nan) for gap, pair in zip(gaps, pairs, strict=True)]
        columns = [each[0] for each in both], [each[1] for each in both], gaps
        first, second, gap = (_mean(each, self.games, STRICT) for each in columns)
        known = np.isfinite(gaps).any(0)
        return Comparison(first, second, gap, np.nan, len(np.unique(self.games[known])), int(known.sum()))


def _mean(draws: list[Floats], games: npt.NDArray[np.int64], how: Resampling) -> Interval:
    if len(draws) == 1:
        return mean(draws[0], games, resampling=how)
    known = np.isfinite(draws).any(0)
    return spread([values[known] for values in draws], games[known], confidence=how.confidence)


@dataclass(frozen=True)
class Test:
    """The test positions."""

    sample: Batch
    folder: Path | None = None
    """Where the answers of slow models are kept, if anywhere."""

    @cached_property
    def sparse(self) -> npt.NDArray[np.bool_]:
        """The labelled points far from every stone."""
        return np.isfinite(self.sample.targets) & far_from_stones(self.sample.boards, FAR)

    @cached_property
    def kinds(self) -> dict[str, npt.NDArray[np.bool_]]:
        """The positions of even games and of handicap games, if there are both."""
        handicap = self.sample.positions.handicap >= 2
        return {"even games": ~handicap, "handicap games": handicap} if 0 < handicap.sum() < len(handicap) else {}

    def rows(self, positions: int | None) -> npt.NDArray[np.intp]:
        """Return all positions, or a number of them, evenly spaced."""
        count = len(self.sample)
        return np.unique(np.linspace(0, count - 1, min(positions or count, count)).astype(np.intp))

    def dealt_out(self, positions: int | None, draws: int) -> list[npt.NDArray[np.intp]]:
        """Return the positions of each draw: all of them, or each one part of a number of them."""
        rows = self.rows(positions)
        return [rows] * draws if positions is None else [rows[i::draws] for i in range(draws)]

    def ask_all(self, name: str, models: Sequence[Any], positions: int | None = None) -> Answers:
        """Evaluate a model trained on one or several draws of boards."""
        parts = zip(models, self.dealt_out(positions, len(models)), strict=True)
        first, *others = (self._ask(name, model, rows) for model, rows in parts if len(rows))
        return replace(first, others=tuple(others))

    def ask(self, name: str, model: Any, positions: int | None = None) -> Answers:
        """Evaluate a model on all positions, or on a number of them, evenly spaced."""
        return self._ask(name, model, self.rows(positions))

    def _ask(self, name: str, model: Any, rows: npt.NDArray[np.intp]) -> Answers:
        count = len(self.sample)
        boards = self.sample.boards[rows]
        slow = self.folder if name in (MONTE_CARLO, *EXACT, *SAMPLED) else None
        chunks = [boards[i : i + CHUNK] for i in range(0, len(rows), CHUNK)]
        said = np.concatenate(in_threads(lambda part: self._owners(slow, model, part), chunks))
        targets = self.sample.targets[rows].astype(float)
        labelled = np.isfinite(targets)
        truth = np.where(labelled, targets, 0.0)
        errors = ownership_errors(said, truth, labelled.astype(float), soft=True)
        sure = overconfidence(said, truth, self.sparse[rows])
        values = (said, 100 * errors.vertex, 100 * errors.net, -errors.log_likelihood, 100 * sure)
        whole = [spread_out(value, rows, count) for value in values]
        return Answers(name, self.sample.games, *whole)

    @staticmethod
    def _owners(folder: Path | None, model: Any, boards: npt.NDArray[np.int8]) -> Floats:
        return kept(folder, model, boards, "ownership", partial(model.ownership_many, boards))


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


def milliseconds(model: Any, boards: npt.NDArray[np.int8]) -> Floats:
    """Return the CPU milliseconds of each board, evaluated separately."""
    positions = [Board.from_stones(stones) for stones in boards]
    model.ownership(positions[0])
    times = []
    for board in positions:
        start = time.process_time()
        model.ownership(board)
        times.append(time.process_time() - start)
    return 1000 * np.array(times)


def spread_out(values: Floats, rows: npt.NDArray[np.intp], count: int) -> Floats:
    """Return an array of all positions with the values of some of them, and NaN elsewhere."""
    whole = np.full((count, *values.shape[1:]), np.nan)
    whole[rows] = values
    return whole
