"""Calibration: of what was given a probability of 70 %, did 70 % happen?

Start at `reliability`. Predictions are sorted into bins of equal width; a bin that is right has equal means of what was
predicted and what happened. The expected calibration error is their distance, averaged over predictions. The bounds of
a bin are Wilson's and take predictions for independent; points of one board are not, so for ownership they are
narrower than they should be, and the error itself goes through a bootstrap over games (`tengen.measure.compare`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, IntArray, floats, same_shape, summed
from tengen.measure.intervals import ratios, wilson_bounds
from tengen.measure.phases import TENTHS, Phases

BINS = 20


@dataclass(frozen=True)
class Reliability:
    """A reliability table, one entry a bin; the means of an empty bin are NaN and its bounds 0 and 1."""

    edges: FloatArray
    """Where the bins begin, and where the last one ends."""
    count: IntArray
    """Predictions in the bin."""
    predicted: FloatArray
    """Mean probability that was predicted."""
    happened: FloatArray
    """Share of cases in which it happened."""
    low: FloatArray
    """Lower bound of that share, at 95 %."""
    high: FloatArray
    """Upper bound of that share, at 95 %."""

    @property
    def error(self) -> float:
        """The expected calibration error: |happened − predicted| averaged over all predictions."""
        total = self.count.sum()
        gaps = np.where(self.count > 0, np.abs(self.happened - self.predicted), 0.0)
        return float((self.count * gaps).sum() / total) if total else float("nan")

    @property
    def bias(self) -> float:
        """How much more was predicted than happened, averaged over all predictions."""
        total = self.count.sum()
        gaps = np.where(self.count > 0, self.predicted - self.happened, 0.0)
        return float((self.count * gaps).sum() / total) if total else float("nan")


def reliability(predicted: npt.ArrayLike, happened: npt.ArrayLike, *, bins: int = BINS) -> Reliability:
    """Return the table for probabilities and what happened: 0 or 1, or a share in between."""
    p, q = floats(predicted, "probabilities", 0, 1), floats(happened, "what happened", 0, 1)
    same_shape(predicted=p, happened=q)
    if bins < 1:
        raise TengenError(f"a reliability table has one bin at least, not {bins}")
    p, q = p.ravel(), q.ravel()
    index = np.clip((p * bins).astype(np.int64), 0, bins - 1)
    count, yes = np.bincount(index, minlength=bins), summed(index, q, bins)
    low, high = wilson_bounds(yes, count)
    return Reliability(
        edges=np.linspace(0, 1, bins + 1),
        count=count,
        predicted=ratios(summed(index, p, bins), count.astype(float)),
        happened=ratios(yes, count.astype(float)),
        low=low,
        high=high,
    )


def ownership_reliability(
    ownership: npt.ArrayLike, target: npt.ArrayLike, *, bins: int = BINS, soft: bool = False
) -> Reliability:
    """Return the table for (1 + ownership) / 2, the probability that Black owns a point.

    A target of 0 is unlabelled and left out, unless soft=True makes it a value like any other.
    """
    p, q = _black(ownership, target)
    chosen = np.ones(q.shape, bool) if soft else q != 0.5
    return reliability(p[chosen], q[chosen], bins=bins)


def by_phase(
    predicted: npt.ArrayLike,
    happened: npt.ArrayLike,
    phase: npt.ArrayLike,
    *,
    phases: Phases = TENTHS,
    bins: int = BINS,
) -> dict[str, Reliability]:
    """Return one table for each phase; `phase` holds the number of every prediction's phase."""
    p, q, number = np.asarray(predicted, float), np.asarray(happened, float), np.asarray(phase)
    same_shape(predicted=p, happened=q, phase=number)
    return {name: reliability(p[number == i], q[number == i], bins=bins) for i, name in enumerate(phases.names)}


def ownership_by_phase(
    ownership: npt.ArrayLike,
    target: npt.ArrayLike,
    phase: npt.ArrayLike,
    *,
    phases: Phases = TENTHS,
    bins: int = BINS,
    soft: bool = False,
) -> dict[str, Reliability]:
    """Return one table of ownership for each phase; `phase` holds one number a position."""
    owner, truth, number = np.asarray(ownership, float), np.asarray(target, float), np.asarray(phase)
    same_shape(ownership=owner, target=truth)
    if owner.ndim < 2 or number.shape != owner.shape[:-2]:
        raise TengenError(f"one phase a position: {number.shape} does not fit ownership of shape {owner.shape}")
    return {
        name: ownership_reliability(owner[number == i], truth[number == i], bins=bins, soft=soft)
        for i, name in enumerate(phases.names)
    }


def _black(ownership: npt.ArrayLike, target: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    owner, truth = floats(ownership, "ownership", -1, 1), floats(target, "targets", -1, 1)
    same_shape(ownership=owner, target=truth)
    return (1 + owner) / 2, (1 + truth) / 2
