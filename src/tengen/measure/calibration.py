"""Calibration: whether events with a predicted probability of 70 % happen in 70 % of cases.

Start at `reliability`. Predictions are sorted into bins of equal width; in a well-calibrated bin the mean prediction
equals the share that happened. The expected calibration error is the mean distance of the two over all predictions.
The bounds of a bin are Wilson's, which assumes independent predictions. Points of one game are not independent: with
`games`, the id of each prediction's game (or each position's), the bound is the wider of Wilson's and a bootstrap's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, IntArray, floats, numbered, same_shape, summed
from tengen.measure.intervals import quantiles, ratios, resampled_sums, wilson_bounds
from tengen.measure.phases import TENTHS, Phases

BINS = 20


@dataclass(frozen=True)
class Reliability:
    """A reliability table, one entry per bin; the means of an empty bin are NaN and its bounds 0 and 1."""

    edges: FloatArray
    """The lower ends of the bins, and the upper end of the last one."""
    count: IntArray
    predicted: FloatArray
    happened: FloatArray
    """Share of cases in which it happened."""
    low: FloatArray
    high: FloatArray
    """Bounds of that share, at 95 %."""

    @property
    def error(self) -> float:
        """The expected calibration error: |happened − predicted| averaged over all predictions."""
        total = self.count.sum()
        gaps = np.where(self.count > 0, np.abs(self.happened - self.predicted), 0.0)
        return float((self.count * gaps).sum() / total) if total else float("nan")

    @property
    def bias(self) -> float:
        """Mean of predicted − happened over all predictions."""
        total = self.count.sum()
        gaps = np.where(self.count > 0, self.predicted - self.happened, 0.0)
        return float((self.count * gaps).sum() / total) if total else float("nan")


def reliability(
    predicted: npt.ArrayLike, happened: npt.ArrayLike, *, bins: int = BINS, games: npt.ArrayLike | None = None
) -> Reliability:
    """Return the table for predicted probabilities and outcomes: 0, 1, or a share in between."""
    p, q = floats(predicted, "probabilities", 0, 1).ravel(), floats(happened, "what happened", 0, 1).ravel()
    same_shape(predicted=p, happened=q)
    if bins < 1:
        raise TengenError(f"a reliability table needs at least one bin, not {bins}")
    edges = np.arange(bins + 1) / bins
    index = np.searchsorted(edges[1:-1], p, side="right").astype(np.int64)
    count, yes = np.bincount(index, minlength=bins), summed(index, q, bins)
    low, high = wilson_bounds(yes, count)
    if games is not None and len(p):
        low, high = _widened(low, high, index, q, np.asarray(games).ravel())
    predictions = count.astype(float)
    return Reliability(edges, count, ratios(summed(index, p, bins), predictions), ratios(yes, predictions), low, high)


def ownership_reliability(
    ownership: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    bins: int = BINS,
    games: npt.ArrayLike | None = None,
    soft: bool = False,
) -> Reliability:
    """Return the table for (1 + ownership) / 2; targets of 0 are left out as unlabelled unless soft=True."""
    owner, truth = floats(ownership, "ownership", -1, 1), floats(target, "targets", -1, 1)
    same_shape(ownership=owner, target=truth)
    chosen = np.ones(truth.shape, bool) if soft else truth != 0
    game = None if games is None else _per_point(games, truth)[chosen]
    return reliability((1 + owner[chosen]) / 2, (1 + truth[chosen]) / 2, bins=bins, games=game)


def by_phase(
    predicted: npt.ArrayLike,
    happened: npt.ArrayLike,
    phase: npt.ArrayLike,
    *,
    phases: Phases = TENTHS,
    bins: int = BINS,
    games: npt.ArrayLike | None = None,
) -> dict[str, Reliability]:
    """Return one table for each phase; `phase` is the phase number of every prediction."""
    p, q, number = np.asarray(predicted, float), np.asarray(happened, float), np.asarray(phase)
    same_shape(predicted=p, happened=q, phase=number)
    game = None if games is None else np.asarray(games)
    tables = {}
    for i, name in enumerate(phases.names):
        here = number == i
        tables[name] = reliability(p[here], q[here], bins=bins, games=None if game is None else game[here])
    return tables


def ownership_by_phase(
    ownership: npt.ArrayLike,
    target: npt.ArrayLike,
    phase: npt.ArrayLike,
    *,
    phases: Phases = TENTHS,
    bins: int = BINS,
    games: npt.ArrayLike | None = None,
    soft: bool = False,
) -> dict[str, Reliability]:
    """Return one table of ownership for each phase; `phase` is the phase number of every position."""
    owner, truth, number = np.asarray(ownership, float), np.asarray(target, float), np.asarray(phase)
    same_shape(ownership=owner, target=truth)
    if owner.ndim < 2 or number.shape != owner.shape[:-2]:
        raise TengenError(f"one phase per position: {number.shape} does not fit ownership of shape {owner.shape}")
    game = None if games is None else np.asarray(games)
    tables = {}
    for i, name in enumerate(phases.names):
        here = number == i
        ids = None if game is None else game[here]
        tables[name] = ownership_reliability(owner[here], truth[here], bins=bins, games=ids, soft=soft)
    return tables


def _per_point(games: npt.ArrayLike, truth: FloatArray) -> IntArray:
    ids = np.asarray(games)
    if ids.shape != truth.shape[:-2]:
        raise TengenError(f"one game per position: {ids.shape} does not fit ownership of shape {truth.shape}")
    number = numbered(ids)[0].reshape(ids.shape)
    return np.broadcast_to(number[..., None, None], truth.shape)


def _widened(
    low: FloatArray, high: FloatArray, index: IntArray, happened: FloatArray, games: npt.NDArray[np.generic]
) -> tuple[FloatArray, FloatArray]:
    """Widen the bounds of each bin to those of a bootstrap over games, if there are at least two games."""
    same_shape(happened=happened, games=games)
    game, many = numbered(games)
    bins = len(low)
    slot = game * bins + index
    yes = summed(slot, happened, many * bins).reshape(many, bins)
    count = summed(slot, np.ones(len(slot)), many * bins).reshape(many, bins)
    sums = resampled_sums(np.concatenate([yes, count], axis=1))
    below, above = quantiles(ratios(sums[:, :bins], sums[:, bins:]))
    alone = (count > 0).sum(0) < 2
    return np.where(alone, 0.0, np.fmin(low, below)), np.where(alone, 1.0, np.fmax(high, above))
