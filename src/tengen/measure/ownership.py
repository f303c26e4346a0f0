"""Errors of ownership: the difference between expected owners and true owners.

Start at `ownership_errors`. For one position with predictions E and truths s in [−1, 1], Black positive, let L be its
labelled points, m their number (the sum of their weights where weights are given) and P = (1 + E) / 2:

    vertex         (1/m) Σ_L [sign E ≠ sign s], a 0 counts ½; divided by all points of the board in `vertex_all`, and
                   only where the truth is sure, |s| ≥ ½, in `vertex_sure`
    net            |Σ_L E − Σ_L s| / 2m, the error that remains after errors for Black and for White cancel
    log-likelihood Σ_L q ln P + (1 − q) ln(1 − P) with q = (1 + s) / 2, P kept within [1e−6, 1 − 1e−6]
    brier          (1/m) Σ_L (P − q)²
    absolute       (1/m) Σ_L |E − s|, on the scale of ownership, so at most 2

Every measure is one value per position, NaN without labelled points; `tengen.measure.compare` averages and compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import LEAST, FloatArray, floats, same_shape
from tengen.measure.intervals import ratios

_BOARD = (-2, -1)

SURE = 0.5
"""The owner of a point is sure if its true ownership is at least this, for either side."""


@dataclass(frozen=True)
class OwnershipErrors:
    """One array per measure, one value per position."""

    vertex: FloatArray
    """Share of the labelled points whose sign is wrong; 0 counts ½."""
    vertex_all: FloatArray
    """The same wrong points as a share of all points of the board."""
    vertex_sure: FloatArray
    """Share of the points with a sure owner whose sign is wrong."""
    net: FloatArray
    """Half the distance between the sums, per labelled point."""
    log_likelihood: FloatArray
    """Mean logarithm of the probability of the truth, per labelled point."""
    log_likelihood_board: FloatArray
    """Its sum over the board."""
    brier: FloatArray
    """Mean squared error of the probability that Black owns a point."""
    absolute: FloatArray
    """Mean distance between ownership and truth, at most 2."""
    labelled: FloatArray
    """Number of labelled points: the sum of their weights."""
    points: FloatArray

    def __len__(self) -> int:
        return len(self.labelled)

    @classmethod
    def joined(cls, parts: Sequence[OwnershipErrors]) -> OwnershipErrors:
        """Return the errors of several batches as one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def ownership_errors(
    ownership: npt.ArrayLike, target: npt.ArrayLike, weights: npt.ArrayLike | None = None, *, soft: bool = False
) -> OwnershipErrors:
    """Compare predictions [..., row, column] with targets of the same shape, position by position.

    A target of 0 is unlabelled; with soft=True it is a normal value, and only a weight of 0 leaves a point out.
    """
    expected, truth = floats(ownership, "ownership", -1, 1), floats(target, "targets", -1, 1)
    same_shape(ownership=expected, target=truth)
    if expected.ndim < 2:
        raise TengenError(f"ownership has rows and columns; this array has shape {expected.shape}")
    weight = _weights(truth, weights, soft)
    labelled = weight.sum(_BOARD)
    wrongs, sure = weight * wrong_signs(expected, truth), np.abs(truth) >= SURE
    wrong = wrongs.sum(_BOARD)
    likelihood = (weight * log_likelihoods((1 + expected) / 2, (1 + truth) / 2)).sum(_BOARD)
    distance = expected - truth
    points = np.full(labelled.shape, float(expected.shape[-1] * expected.shape[-2]))
    return OwnershipErrors(
        vertex=ratios(wrong, labelled),
        vertex_all=np.where(labelled > 0, wrong / points, np.nan),
        vertex_sure=ratios((wrongs * sure).sum(_BOARD), (weight * sure).sum(_BOARD)),
        net=ratios(np.abs((weight * distance).sum(_BOARD)) / 2, labelled),
        log_likelihood=ratios(likelihood, labelled),
        log_likelihood_board=np.where(labelled > 0, likelihood, np.nan),
        brier=ratios((weight * distance**2).sum(_BOARD) / 4, labelled),
        absolute=ratios((weight * np.abs(distance)).sum(_BOARD), labelled),
        labelled=np.asarray(labelled),
        points=points,
    )


def wrong_signs(expected: npt.ArrayLike, truth: npt.ArrayLike) -> FloatArray:
    """Return 1 where the signs are opposite, ½ where exactly one of the two is 0, and 0 where they agree."""
    said, true = np.sign(np.asarray(expected, float)), np.sign(np.asarray(truth, float))
    return np.asarray(np.abs(said - true) / 2)


def log_likelihoods(probability: npt.ArrayLike, happened: npt.ArrayLike) -> FloatArray:
    """Return q ln P + (1 − q) ln(1 − P) for predicted probabilities P and true shares q."""
    p = np.clip(np.asarray(probability, float), LEAST, 1 - LEAST)
    q = np.asarray(happened, float)
    return np.asarray(q * np.log(p) + (1 - q) * np.log1p(-p))


def _weights(truth: FloatArray, weights: npt.ArrayLike | None, soft: bool) -> FloatArray:
    labelled = np.ones_like(truth) if soft else (truth != 0).astype(float)
    if weights is None:
        return labelled
    given = floats(weights, "weights", 0)
    if given.shape == truth.shape[:-2]:
        given = given[..., None, None]
    elif given.shape != truth.shape:
        raise TengenError(f"weights must be per point or per position, not of shape {given.shape} for {truth.shape}")
    return labelled * given
