"""Shares of test positions whose move is ranked high, with intervals over test games and training draws.

Start at `share` and `gap`. A resample draws test games and training draws, both with replacement, so that an interval
says what other test games and other training games would give. Only draws that all configurations have are used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import FloatArray, numbered, summed
from tengen.measure.intervals import Interval, quantiles, resampled_sums
from tengen.papers.vanniekerk.study import Trained

RESAMPLES = 4000

GameNumbers = npt.NDArray[np.int64]


def share(
    found: Sequence[Trained], games: GameNumbers, k: int = 1, *, rows: npt.NDArray[np.bool_] | None = None
) -> Interval:
    """Return the percentage of positions with the played move among the first k, the mean of the draws."""
    return spread([100 * each.scores.within(k) for each in found], games, rows=rows)


def gap(first: Sequence[Trained], second: Sequence[Trained], games: GameNumbers, k: int = 1) -> Interval:
    """Return the difference of two shares in percentage points, from the same games and draws."""
    pairs = zip(first, second, strict=False)
    return spread([100 * (one.scores.within(k) - other.scores.within(k)) for one, other in pairs], games)


def evidence(found: Sequence[Trained], games: GameNumbers) -> Interval:
    """Return the mean logarithm of the probability of the played move."""
    return spread([each.scores.log_evidence for each in found], games)


def spread(values: Sequence[FloatArray], games: GameNumbers, *, rows: npt.NDArray[np.bool_] | None = None) -> Interval:
    """Return the mean of values [draw, position] with its interval."""
    table = np.stack(values)
    if rows is not None:
        table, games = table[:, rows], games[rows]
    game, count = numbered(games)
    sums = np.column_stack([*(summed(game, line, count) for line in table), np.bincount(game, minlength=count)])
    drawn = resampled_sums(sums, RESAMPLES)
    draws = len(table)
    chosen = np.random.default_rng(0).integers(0, draws, (RESAMPLES, draws))
    means = np.take_along_axis(drawn[:, :draws], chosen, axis=1).mean(1) / drawn[:, draws]
    low, high = quantiles(means)
    return Interval(float(table.mean()), float(low), float(high))
