"""Shares of test positions whose move is ranked high, with intervals over test games and training draws.

Start at `share` and `gap`; intervals are those of papers/draws.py. Only draws that all configurations have are used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import FloatArray
from tengen.measure.intervals import Interval
from tengen.papers import draws
from tengen.papers.draws import GameNumbers
from tengen.papers.vanniekerk.study import Trained


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
    """Return the mean of values [draw, position] with its interval, of some rows or of all."""
    if rows is None:
        return draws.spread(values, games)
    return draws.spread([each[rows] for each in values], games[rows])
