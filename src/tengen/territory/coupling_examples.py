"""Training boards for fields on the grid, and the features of their edges and points.

θ holds the K couplings and the fields of a tying, by default the 8 numbers of coupling_classes, and the unary scale.
Couplings and fields are linear in θ: J_e = θ[kind of e], h_i = Σ_k θ[K + k] features[i, k] + θ[−1] logit_i / 2. Start
at `Examples`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.errors import TengenError
from tengen.go.arrays import as_stones
from tengen.models.protocol import Data, FloatArray
from tengen.territory.ising import ends, grid_edges, grid_graph, sum_at_points
from tengen.territory.tying import PLAIN, Tying

Logits = Callable[[npt.NDArray[np.int8]], FloatArray]
"""The unary model as a function: boards [n, row, column] → log-odds [n, points]."""


@dataclass(frozen=True)
class Examples:
    """Labelled boards of one size."""

    stones: npt.NDArray[np.int8]
    """[n, row, column]"""
    targets: FloatArray
    """The owner of each point [n, points] in [−1, 1]; arbitrary where the weight is 0."""
    weights: FloatArray
    """The weight of each point [n, points]; 0 where unlabelled."""
    logits: FloatArray
    """The unary model's log-odds [n, points]; zeros without a unary model."""
    tying: Tying = field(default=PLAIN, kw_only=True)

    @property
    def graph(self) -> IsingGraph:
        """The grid."""
        return grid_graph(*self.stones.shape[1:])

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """The two ends of every edge."""
        return grid_edges(*self.stones.shape[1:])

    @cached_property
    def spins(self) -> FloatArray:
        """The likelier owner of each point, ±1; 0 if it is unlabelled or neutral."""
        return np.where(self.weights > 0, np.sign(self.targets), 0.0)

    @cached_property
    def colours(self) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """The states at both ends of every edge; by default their colours, as indices of coupling_classes."""
        return ends(self.tying.states(self.stones))

    @cached_property
    def kinds(self) -> npt.NDArray[np.intp]:
        """The kind of every edge [n, edges]."""
        return self.tying.kinds[self.colours]

    @cached_property
    def labelled_edges(self) -> npt.NDArray[np.bool_]:
        """Whether both ends of an edge have an owner [n, edges]."""
        known = self.spins != 0
        both: npt.NDArray[np.bool_] = known[:, self.edges[:, 0]] & known[:, self.edges[:, 1]]
        return both

    def end_features(self) -> tuple[FloatArray, FloatArray]:
        """Return the share of each field parameter in the first and second end of an edge [field, n, edges]."""
        return self.tying.first[:, *self.colours], self.tying.second[:, *self.colours]

    def summed_features(self, among: npt.NDArray[np.bool_] | None = None) -> FloatArray:
        """Return the features of every point [n, points, field], summed over its edges, or over some of them."""
        first, second = self.end_features()
        if among is not None:
            first, second = first * among, second * among
        shape = self.stones.shape[1:]
        return np.stack([sum_at_points(a, b, *shape) for a, b in zip(first, second, strict=True)], -1)

    @cached_property
    def features(self) -> FloatArray:
        """The features of every point [n, points, field]."""
        return self.summed_features()

    def ising(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return fields [n, points] and couplings [n, edges]."""
        return self.features @ theta[self.tying.couplings : -1] + theta[-1] / 2 * self.logits, theta[self.kinds]

    def gradient(self, by_fields: FloatArray, by_couplings: FloatArray) -> FloatArray:
        """Return the derivative with respect to θ from those with respect to fields and couplings."""
        couplings = np.bincount(self.kinds.ravel(), by_couplings.ravel(), self.tying.couplings)
        fields = np.einsum("npk,np->k", self.features, by_fields)
        return np.concatenate([couplings, fields, [(by_fields * self.logits).sum() / 2]])


def coupling_examples(data: Data, positions: int, logits: Logits | None = None, tying: Tying = PLAIN) -> list[Examples]:
    """Read at most `positions` labelled boards; return one `Examples` per board size."""
    found: dict[tuple[int, ...], list[Examples]] = {}
    for batch in data:
        stones = as_stones(batch.boards)[:positions]
        targets = np.asarray(batch.targets, float)[:positions].reshape(len(stones), -1)
        weights = np.asarray(batch.weights, float)[:positions].reshape(len(stones), -1) * ~np.isnan(targets)
        known = np.zeros_like(targets) if logits is None else logits(stones)
        found.setdefault(stones.shape[1:], []).append(
            Examples(stones, np.nan_to_num(targets), weights, known, tying=tying)
        )
        positions -= len(stones)
        if positions <= 0:
            break
    if not any(part.weights.any() for parts in found.values() for part in parts):
        raise TengenError("there is no labelled position to learn from")
    return [_joined(parts) for parts in found.values()]


def _joined(parts: list[Examples]) -> Examples:
    names = ("stones", "targets", "weights", "logits")
    arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Examples(*arrays, tying=parts[0].tying)
