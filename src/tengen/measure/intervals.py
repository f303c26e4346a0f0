"""Confidence intervals for measures on a sample of games.

Shares of independent trials use Wilson's formula, differences of two such shares Newcombe's. Measures with several
values per game use a bootstrap over games: positions of one game are correlated, so games are resampled, never
positions. A resample of n games is a vector of n counts; `resampled_sums` draws these counts in batches of bounded size
and multiplies them by the sums of each game, so that memory does not grow with the number of resamples.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, line, same_shape

RESAMPLES = 10_000
_BATCH = 1 << 19  # counts held at a time: 4 MB


class Interval(NamedTuple):
    """A value and the bounds it lies between with the stated confidence."""

    value: float
    low: float
    high: float

    def is_above(self, limit: float = 0.0) -> bool | None:
        """Whether the value is above a limit; None if the bounds do not decide it."""
        return True if self.low > limit else False if self.high < limit else None

    def is_below(self, limit: float = 0.0) -> bool | None:
        """Whether the value is below a limit; None if the bounds do not decide it."""
        return None if (above := self.is_above(limit)) is None else not above


def wilson(successes: float, trials: float, z: float = 1.96) -> Interval:
    """Return a share with its Wilson score interval (95 % unless another z is given)."""
    low, high = wilson_bounds(successes, trials, z)
    return Interval(successes / trials if trials else math.nan, float(low), float(high))


def wilson_bounds(successes: npt.ArrayLike, trials: npt.ArrayLike, z: float = 1.96) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of Wilson's interval for many shares at once; without trials they are 0 and 1."""
    n = np.asarray(trials, float)
    some = np.where(n > 0, n, 1.0)
    share = np.asarray(successes, float) / some
    centre = (share + z * z / (2 * some)) / (1 + z * z / some)
    spread = np.maximum(share * (1 - share), 0) / some + (z / (2 * some)) ** 2
    reach = z / (1 + z * z / some) * np.sqrt(spread)
    low, high = np.maximum(centre - reach, 0), np.minimum(centre + reach, 1)
    return np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)


def newcombe(first: Interval, second: Interval) -> Interval:
    """Return the difference of two independent shares with Newcombe's interval, from Wilson's intervals of both."""
    gap = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(gap, gap - below, gap + above)


def bootstrap_share(
    counts: npt.ArrayLike,
    totals: npt.ArrayLike,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return sum(counts) / sum(totals) with an interval by resampling games, one entry per game."""
    counts, totals = line(counts, "counts"), line(totals, "totals")
    same_shape(counts=counts, totals=totals)
    if totals.sum() == 0:
        return Interval(math.nan, math.nan, math.nan)
    share = float(counts.sum() / totals.sum())
    if len(totals) == 1:  # one game gives no information about the variation between games
        return Interval(share, 0.0, 1.0)
    sums = resampled_sums(np.column_stack([counts, totals]), resamples, seed)
    low, high = quantiles(ratios(sums[:, 0], sums[:, 1]), confidence)
    return Interval(share, float(low), float(high))


def resampled_sums(per_game: FloatArray, resamples: int = RESAMPLES, seed: int = 0) -> FloatArray:
    """Return, for every resample of the games, the sums of the columns over the games drawn: [resample, column]."""
    games = len(per_game)
    if games == 0 or resamples < 1:
        raise TengenError("resampling needs at least one game and one resample")
    random = np.random.default_rng(seed)
    sums = np.empty((resamples, per_game.shape[1]))
    batch = max(1, _BATCH // games)
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        sums[start : start + rows] = _draw(random, rows, games) @ per_game
    return sums


def ratios(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Return numerators / denominators, NaN where the denominator is 0."""
    empty = denominators == 0
    return np.where(empty, np.nan, numerators / np.where(empty, 1.0, denominators))


def quantiles(samples: FloatArray, confidence: float = 0.95) -> FloatArray:
    """Return the bounds of the central share of the samples, along the first axis: [2, …]."""
    if not 0 < confidence < 1:
        raise TengenError(f"confidence is a share between 0 and 1, not {confidence!r}")
    tail = (1 - confidence) / 2
    if not np.isnan(samples).any():
        return np.quantile(samples, [tail, 1 - tail], axis=0)
    known = np.where(np.isnan(samples).all(axis=0), 0.0, samples)
    bounds = np.nanquantile(known, [tail, 1 - tail], axis=0)
    return np.where(np.isnan(samples).all(axis=0), np.nan, bounds)


def _draw(random: np.random.Generator, rows: int, games: int) -> FloatArray:
    """Draw `games` games with replacement, `rows` times, and count how often each was drawn."""
    drawn = random.integers(0, games, (rows, games), dtype=np.int32)
    drawn += (np.arange(rows, dtype=np.int32) * games)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * games).reshape(rows, games).astype(float)
