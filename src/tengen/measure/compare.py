"""Means over positions, and differences between two models, with intervals by resampling games.

Start at `mean` and `compare`. A sample consists of games with several positions each; the mean over positions is a
ratio of two sums over games, Σ w·x / Σ w, so a resample needs only those two sums for every game
(`tengen.measure.intervals`). Two models are compared on the same positions: each resample draws the same games for
both, so variation between games cancels. Positions with NaN were not measured and are left out.

The interval covers the middle of the resampled values. The p-value of a difference is two-sided and consistent with
the interval: 2 · min(share of resamples ≤ 0, share ≥ 0), with one added to both counts so that it is never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, IntArray, floats, line, numbered, same_shape, summed
from tengen.measure.intervals import RESAMPLES, Interval, quantiles, ratios, resampled_sums
from tengen.measure.phases import TENTHS, Phases


@dataclass(frozen=True)
class Comparison:
    """Two models on the same positions: their means, the difference first − second, and its p-value."""

    first: Interval
    second: Interval
    difference: Interval
    p: float
    games: int
    positions: int

    @property
    def clear(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True)
class Resampling:
    """Settings of resampling: number of resamples, confidence and seed."""

    resamples: int = RESAMPLES
    confidence: float = 0.95
    seed: int = 0


USUAL = Resampling()


def mean(
    values: npt.ArrayLike,
    games: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    resampling: Resampling = USUAL,
) -> Interval:
    """Return the (weighted) mean over positions with its interval; `games` is the game id of each position."""
    x = line(values, "values")[:, None]
    return _intervals(*_sums(x, games, weights, np.zeros(len(x), np.int64), 1), resampling)[0]


def mean_by_phase(
    values: npt.ArrayLike,
    games: npt.ArrayLike,
    phase: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    phases: Phases = TENTHS,
    resampling: Resampling = USUAL,
) -> dict[str, Interval]:
    """Return the mean of each phase; `phase` is the phase number of each position."""
    x = line(values, "values")[:, None]
    intervals = _intervals(*_sums(x, games, weights, _numbers(phase, phases), len(phases)), resampling)
    return dict(zip(phases.names, intervals, strict=True))


def compare(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    games: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    resampling: Resampling = USUAL,
) -> Comparison:
    """Compare a measure of two models, one value per position each, on the positions where both have one."""
    x = _paired(first, second)
    return _comparisons(x, games, weights, np.zeros(len(x), np.int64), 1, resampling)[0]


def compare_by_phase(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    games: npt.ArrayLike,
    phase: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    phases: Phases = TENTHS,
    resampling: Resampling = USUAL,
) -> dict[str, Comparison]:
    """Compare two models within each phase."""
    found = _comparisons(_paired(first, second), games, weights, _numbers(phase, phases), len(phases), resampling)
    return dict(zip(phases.names, found, strict=True))


def p_value(differences: npt.ArrayLike) -> float:
    """Return the two-sided p-value of resampled differences."""
    drawn = line(differences, "differences")
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return math.nan
    fewer = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    return min(1.0, 2 * (fewer + 1) / (len(drawn) + 1))


def _paired(first: npt.ArrayLike, second: npt.ArrayLike) -> FloatArray:
    """Return both models and their difference side by side, NaN where one of them has no value."""
    a, b = line(first, "values of the first"), line(second, "values of the second")
    same_shape(first=a, second=b)
    gap = a - b
    return np.column_stack([np.where(np.isnan(gap), np.nan, a), np.where(np.isnan(gap), np.nan, b), gap])


def _numbers(phase: npt.ArrayLike, phases: Phases) -> IntArray:
    number = np.asarray(phase, np.int64)
    if number.size and not (number.min() >= 0 and number.max() < len(phases)):
        raise TengenError(f"phases are numbered from 0 to {len(phases) - 1}")
    return number


def _sums(
    values: FloatArray, games: npt.ArrayLike, weights: npt.ArrayLike | None, phase: IntArray, phases: int
) -> tuple[FloatArray, FloatArray]:
    """Return Σ w·x as [game, phase, measure] and Σ w as [game, phase]."""
    known = np.asarray(~np.isnan(values).any(axis=1))
    weight = np.ones(len(values)) if weights is None else floats(weights, "weights", 0)
    ids = np.asarray(games)
    same_shape(values=known, games=ids, weights=weight, phase=phase)
    if not known.any():
        raise TengenError("no position has a value to average")
    game, count = numbered(ids[known])
    slot, w = game * phases + phase[known], weight[known]
    columns = [summed(slot, w * x, count * phases) for x in values[known].T]
    tops = np.stack(columns, axis=-1).reshape(count, phases, values.shape[1])
    return tops, summed(slot, w, count * phases).reshape(count, phases)


def _resample(tops: FloatArray, bottoms: FloatArray, resampling: Resampling) -> FloatArray:
    """Return the means of every resample: [resample, phase, measure]."""
    games, phases, measures = tops.shape
    sums = resampled_sums(
        np.concatenate([tops.reshape(games, -1), bottoms], axis=1), resampling.resamples, resampling.seed
    )
    split = phases * measures
    return ratios(sums[:, :split].reshape(-1, phases, measures), sums[:, split:][:, :, None])


def _intervals(tops: FloatArray, bottoms: FloatArray, resampling: Resampling) -> list[Interval]:
    return [found[0] for found in _bounds(tops, bottoms, _resample(tops, bottoms, resampling), resampling.confidence)]


def _bounds(tops: FloatArray, bottoms: FloatArray, drawn: FloatArray, confidence: float) -> list[list[Interval]]:
    """Return the intervals as [phase][measure]; the bounds are NaN where fewer than two games have positions."""
    values = ratios(tops.sum(0), bottoms.sum(0)[:, None])
    low, high = quantiles(drawn, confidence)
    alone = ((bottoms > 0).sum(0) < 2)[:, None]
    table = np.stack([values, np.where(alone, np.nan, low), np.where(alone, np.nan, high)], axis=-1)
    return [[Interval(*map(float, cell)) for cell in row] for row in table]


def _comparisons(
    values: FloatArray,
    games: npt.ArrayLike,
    weights: npt.ArrayLike | None,
    phase: IntArray,
    phases: int,
    resampling: Resampling,
) -> list[Comparison]:
    tops, bottoms = _sums(values, games, weights, phase, phases)
    drawn = _resample(tops, bottoms, resampling)
    played = (bottoms > 0).sum(0)
    positions = np.bincount(phase[~np.isnan(values[:, 2])], minlength=phases)
    found = _bounds(tops, bottoms, drawn, resampling.confidence)
    chance = [p_value(drawn[:, i, 2]) if played[i] > 1 else math.nan for i in range(phases)]
    return [
        Comparison(first, second, gap, chance[i], int(played[i]), int(positions[i]))
        for i, (first, second, gap) in enumerate(found)
    ]
