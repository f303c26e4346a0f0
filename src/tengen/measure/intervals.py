"""Intervals for what was measured on a sample of games."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Interval(NamedTuple):
    """A value and the bounds it lies between with the stated confidence."""

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int, z: float = 1.96) -> Interval:
    """Return a share with its Wilson score interval (95 % unless another z is given)."""
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))


def bootstrap_share(
    counts: npt.ArrayLike, totals: npt.ArrayLike, *, resamples: int = 2_000, confidence: float = 0.95, seed: int = 0
) -> Interval:
    """Return sum(counts) / sum(totals) with an interval by resampling games, one entry a game."""
    counts, totals = np.asarray(counts, float), np.asarray(totals, float)
    if totals.sum() == 0:
        return Interval(math.nan, math.nan, math.nan)
    random = np.random.default_rng(seed)
    shares = np.empty(resamples)
    for i in range(resamples):
        chosen = random.integers(0, len(totals), len(totals))
        shares[i] = counts[chosen].sum() / max(totals[chosen].sum(), 1e-300)
    tail = (1 - confidence) / 2
    low, high = np.quantile(shares, [tail, 1 - tail])
    return Interval(float(counts.sum() / totals.sum()), float(low), float(high))
