"""Means over test positions with intervals over test games and training draws.

A resample draws test games and training draws, both with replacement, so that an interval says what other test games
and other training games would give.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import FloatArray, numbered, summed
from tengen.measure.intervals import Interval, quantiles, resampled_sums

RESAMPLES = 4000

GameNumbers = npt.NDArray[np.int64]


def spread(
    values: Sequence[FloatArray], games: GameNumbers, weights: FloatArray | None = None, *, confidence: float = 0.95
) -> Interval:
    """Return the (weighted) mean of values [draw, position] with its interval; `games` is the game of each position."""
    table = np.stack(values)
    weight = np.ones(len(games)) if weights is None else weights
    game, count = numbered(games)
    sums = np.column_stack([*(summed(game, line * weight, count) for line in table), summed(game, weight, count)])
    drawn = resampled_sums(sums, RESAMPLES)
    draws = len(table)
    chosen = np.random.default_rng(0).integers(0, draws, (RESAMPLES, draws))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.take_along_axis(drawn[:, :draws], chosen, axis=1).mean(1) / drawn[:, draws]
    low, high = quantiles(means[np.isfinite(means)], confidence)
    return Interval(float((table * weight).sum() / (draws * weight.sum())), float(low), float(high))
