"""Training piece by piece: pseudolikelihood, piecewise and shared-unary piecewise (Sanner et al. §3.3).

Each piece is two spins whose energy is linear in θ, given the fixed spins around them:
E(s, t) = θ·(s A + t B + s t C) + s a + t b. Their likelihood is concave: Newton's method finds its maximum.
Only edges with both ends labelled make pieces; factors that touch an unlabelled point are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias
from warnings import warn

import numpy as np
import numpy.typing as npt

from tengen.errors import ConvergenceWarning, ModelError
from tengen.models.protocol import FloatArray
from tengen.territory.coupling_classes import CLASS_COUNT, CLASSES, parameters_of
from tengen.territory.coupling_examples import Examples
from tengen.territory.ising import sum_at_points
from tengen.territory.tying import PLAIN

STEPS, TOLERANCE = 50, 1e-10
EARLY = 1e-6
"""A larger gradient at the end is more than rounding: the fit has stopped early."""

Indices: TypeAlias = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Pieces:
    """Pairs of spins, one row each."""

    first: FloatArray
    """A [m, parameters]: coefficients of θ for the first spin."""
    second: FloatArray
    """B [m, parameters]"""
    both: FloatArray
    """C [m, parameters]: for the product of the spins."""
    first_field: FloatArray
    """a [m]: a fixed field."""
    second_field: FloatArray
    spins: FloatArray
    """The observed spins [m, 2]."""

    def loss(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the mean of −ln p of the pieces with its gradient and Hessian by θ."""
        seen = np.stack([self.spins[:, 0], self.spins[:, 1], self.spins.prod(1)], 1)
        parts = np.stack([self.first, self.second, self.both], 1)
        strengths = parts @ theta + np.stack([self.first_field, self.second_field, np.zeros(len(seen))], 1)
        energies = strengths @ STATISTICS.T
        top = energies.max(1, keepdims=True)
        weights = np.exp(energies - top)
        total = weights.sum(1, keepdims=True)
        chances = weights / total
        log_z = (top + np.log(total))[:, 0]
        expected = chances @ STATISTICS
        spread = np.einsum("ms,sa,sb->mab", chances, STATISTICS, STATISTICS) - expected[:, :, None] * expected[:, None]
        gradient = np.einsum("ma,mak->k", expected - seen, parts)
        hessian = np.einsum("mak,mal->kl", parts, spread @ parts)
        return float((log_z - (seen * strengths).sum(1)).mean()), gradient / len(seen), hessian / len(seen)


STATISTICS = np.array([[s, t, s * t] for s in (1.0, -1.0) for t in (1.0, -1.0)])
"""s, t and s t for the four states of a piece."""


def edge_pieces(examples: Examples) -> Pieces:
    """Return the pieces of edge pseudolikelihood: each edge given the owners of all neighbours of its ends."""
    board, edge = np.nonzero(examples.labelled_edges)
    i, j = examples.edges[edge].T
    around, both = _around(examples), _kind_columns(examples, board, edge)
    s, t = examples.spins[board, i], examples.spins[board, j]
    zeros = np.zeros(len(board))
    # The coupling with the other end of this edge is not a fixed field: it is the product of the two spins.
    first, second = around[board, i] - both * t[:, None], around[board, j] - both * s[:, None]
    return Pieces(first, second, both, zeros, zeros, np.stack([s, t], 1))


def vertex_pieces(examples: Examples) -> Pieces:
    """Return the pieces of vertex pseudolikelihood: each point given its neighbours."""
    board, point = np.nonzero(examples.spins)
    around = _around(examples)[board, point]
    none, zeros = np.zeros_like(around), np.zeros(len(board))
    spins = np.stack([examples.spins[board, point], np.ones(len(board))], 1)
    return Pieces(around, none, none, zeros, zeros, spins)


def pseudolikelihood(examples: Examples, theta: FloatArray) -> tuple[float, FloatArray, FloatArray, int]:
    """Return the loss of all edges and points given their neighbours, and its gradients by θ and by logits [n, points].

    Loss and gradients are sums over the pieces of `edge_pieces` and `vertex_pieces`, whose number is the last value.
    """
    around, spins = _around(examples), examples.spins
    pulls = around @ theta
    known = spins != 0
    by_pulls = np.where(known, np.tanh(pulls) - spins, 0.0)
    loss = float(np.logaddexp(0, -2 * spins * pulls)[known].sum())
    board, edge = np.nonzero(examples.labelled_edges)
    i, j = examples.edges[edge].T
    kinds = examples.kinds[board, edge]
    s, t, coupling = spins[board, i], spins[board, j], theta[kinds]
    fields = np.stack([pulls[board, i] - coupling * t, pulls[board, j] - coupling * s, coupling], 1)
    energies = fields @ STATISTICS.T
    log_z = np.logaddexp.reduce(energies, axis=1)
    seen = np.stack([s, t, s * t], 1)
    first, second, both = (np.exp(energies - log_z[:, None]) @ STATISTICS - seen).T
    loss += float((log_z - (fields * seen).sum(1)).sum())
    np.add.at(by_pulls, (board, i), first)
    np.add.at(by_pulls, (board, j), second)
    by_theta = np.einsum("np,npk->k", by_pulls, around)
    count = examples.tying.couplings
    by_theta[:count] += np.bincount(kinds, both - first * t - second * s, count)
    return loss, by_theta, by_pulls * theta[-1] / 2, len(board) + int(known.sum())


def shared_unary_pieces(examples: Examples, scale: float) -> Pieces:
    """Return the pieces of single edges with the fixed unaries of both ends."""
    board, edge = np.nonzero(examples.labelled_edges)
    i, j = examples.edges[edge].T
    features = [part[:, board, edge].T for part in examples.end_features()]
    first, second = (np.pad(part, ((0, 0), (examples.tying.couplings, 1))) for part in features)
    unary = scale * examples.logits / 2
    spins = np.stack([examples.spins[board, i], examples.spins[board, j]], 1)
    return Pieces(first, second, _kind_columns(examples, board, edge), unary[board, i], unary[board, j], spins)


def piecewise(examples: list[Examples], smoothing: float = 0.5) -> FloatArray:
    """Return the 8 parameters that maximise the likelihood of single edges, in closed form from class frequencies."""
    if any(part.tying != PLAIN for part in examples):
        raise ModelError("piecewise training knows the colours of neighbours only")
    counts = np.full(CLASS_COUNT, smoothing)
    for part in examples:
        counts += np.bincount(_observed_classes(part), minlength=CLASS_COUNT)
    return parameters_of(np.log(counts / CELLS))


CELLS = np.array([max((CLASSES[pair] == k).sum() for pair in np.ndindex(3, 3)) for k in range(CLASS_COUNT)])
"""Number of the four pairs of owners that a class covers, for one pair of colours."""


def newton(pieces: list[Pieces], start: FloatArray, free: FloatArray, l2: float) -> FloatArray:
    """Minimise the pieces' loss + ½ l2 |θ|² over the free parameters."""
    theta: FloatArray = start.copy()
    chosen = np.flatnonzero(free)
    sizes = np.array([len(part.spins) for part in pieces], float)

    def objective(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        found = [part.loss(at) for part in pieces]
        value, gradient, hessian = (
            sum(size * one[k] for size, one in zip(sizes, found, strict=True)) / sizes.sum() for k in range(3)
        )
        ridge = l2 * free
        whole = float(value) + float(ridge @ at**2) / 2
        return whole, np.asarray(gradient) + ridge * at, np.asarray(hessian) + np.diag(ridge)

    value, gradient, hessian = objective(theta)
    for _ in range(STEPS):
        step = np.zeros_like(theta)
        step[chosen] = np.linalg.lstsq(hessian[np.ix_(chosen, chosen)], -gradient[chosen], rcond=1e-12)[0]
        size = 1.0
        while (moved := objective(theta + size * step))[0] > value and size > 1e-6:
            size /= 2
        theta, (value, gradient, hessian) = theta + size * step, moved
        if np.abs(gradient[chosen]).max() < TOLERANCE or size <= 1e-6:
            break
    if (slope := np.abs(gradient[chosen]).max()) > EARLY:
        warn(f"the fit stopped early at a gradient of {slope:.1g}", ConvergenceWarning, stacklevel=2)
    return theta


def _observed_classes(examples: Examples) -> Indices:
    board, edge = np.nonzero(examples.labelled_edges)
    owners = [(examples.spins[board, examples.edges[edge, side]] < 0).astype(int) for side in (0, 1)]
    colours = [side[board, edge] for side in examples.colours]
    classes: Indices = CLASSES[colours[0], colours[1], owners[0], owners[1]]
    return classes


def _around(examples: Examples) -> FloatArray:
    """Return the coefficients of θ for every point's spin, given its neighbours' owners [n, points, parameters]."""
    among = examples.labelled_edges
    count, height, width = examples.stones.shape
    first, second = (examples.spins[:, examples.edges[:, side]] * among for side in (0, 1))
    tied = examples.tying
    columns = np.zeros((count, height * width, tied.couplings + tied.fields + 1))
    for kind in range(tied.couplings):
        of_kind = examples.kinds == kind
        heard = second * of_kind, first * of_kind
        columns[:, :, kind] = sum_at_points(*heard, height, width)
    columns[:, :, tied.couplings : -1] = examples.summed_features(among)
    columns[:, :, -1] = examples.logits / 2
    return columns


def _kind_columns(examples: Examples, board: Indices, edge: Indices) -> FloatArray:
    columns = np.zeros((len(board), examples.tying.couplings + examples.tying.fields + 1))
    columns[np.arange(len(board)), examples.kinds[board, edge]] = 1
    return columns
