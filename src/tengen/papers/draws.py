"""Means over test positions with intervals over test games and training draws.

A resample draws test games and training draws, both with replacement, so that an interval says what other test games
and other training games would give.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import FloatArray, numbered, summed
from tengen.measure.intervals import Interval, quantiles, ratios, resampled_sums

RESAMPLES = 4000

GameNumbers = npt.NDArray[np.int64]


def spread(
    values: Sequence[FloatArray], games: GameNumbers, weights: FloatArray | None = None, *, confidence: float = 0.95
) -> Interval:
    """Return the (weighted) mean of values [draw, position] with its interval; `games` is the game of each position.

    NaN stands for a position that was not measured with a draw.
    """
    table = np.stack(values)
    weight = np.isfinite(table) * (np.ones(len(games)) if weights is None else weights)
    weighed = np.where(weight > 0, table, 0.0) * weight
    game, count = numbered(games)
    sums = np.column_stack([summed(game, line, count) for line in (*weighed, *weight)])
    drawn = resampled_sums(sums, RESAMPLES)
    draws = len(table)
    chosen = np.random.default_rng(0).integers(0, draws, (RESAMPLES, draws))
    tops, bottoms = (np.take_along_axis(part, chosen, axis=1).sum(1) for part in (drawn[:, :draws], drawn[:, draws:]))
    means = ratios(tops, bottoms)
    low, high = quantiles(means[np.isfinite(means)], confidence)
    return Interval(float(weighed.sum() / weight.sum()), float(low), float(high))
