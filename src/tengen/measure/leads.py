"""Leads: what a sum of ownership is worth in points.

Start at `fit_lead`. Ownership is the mean over all ways a game may end, and a model that errs by whole groups sums to a
lead that is too large; the player to move also gains something that stones alone do not show. So the board's part of
the lead is fitted as

    truth ≈ slope · area + tempo · turn

where area is the sum of the ownership and turn is 1 with Black to move, −1 with White, 0 if it is not known. There is
no constant, because reversing the colours reverses the lead. `cross_fitted` predicts each game by a fit to others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, line, numbered, same_shape


class LeadFit(NamedTuple):
    """The factor of the summed ownership, and the points that the turn is worth."""

    slope: float
    tempo: float

    def lead(self, area: npt.ArrayLike, turn: npt.ArrayLike) -> FloatArray:
        """Return the fitted leads."""
        return self.slope * np.asarray(area, float) + self.tempo * np.asarray(turn, float)


def fit_lead(area: npt.ArrayLike, turn: npt.ArrayLike, truth: npt.ArrayLike) -> LeadFit:
    """Fit slope and tempo by least squares to the positions whose truth is known, not NaN."""
    x = np.column_stack([line(area, "areas"), line(turn, "turns")])
    y = line(truth, "true leads")
    same_shape(area=x[:, 0], truth=y)
    known = ~np.isnan(y)
    if not known.any():
        raise TengenError("no position has a lead to fit")
    slope, tempo = np.linalg.lstsq(x[known], y[known], rcond=1e-9)[0].tolist()
    return LeadFit(slope, tempo)


def cross_fitted(
    area: npt.ArrayLike, turn: npt.ArrayLike, truth: npt.ArrayLike, games: npt.ArrayLike, *, folds: int = 2
) -> FloatArray:
    """Return each position's fitted lead by a fit to the games of the other folds; NaN if those have no truth."""
    x, turns, y = line(area, "areas"), line(turn, "turns"), line(truth, "true leads")
    fold = numbered(games)[0] % folds
    same_shape(area=x, turn=turns, truth=y, games=fold)
    fitted = np.full(len(x), np.nan)
    for i in range(folds):
        here, others = fold == i, fold != i
        if (~np.isnan(y[others])).any():
            fitted[here] = fit_lead(x[others], turns[others], y[others]).lead(x[here], turns[here])
    return fitted
