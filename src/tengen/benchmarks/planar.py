"""Exact inference without fields on planar graphs, p(s) ∝ exp(Σ J_ij s_i s_j) (Schraudolph & Kamenetsky 2008).

Start at `kac_ward` for ln Z and E[s_i s_j] by one determinant, and at `best_spins` for the likeliest state by perfect
matching. J is half of the paper's cost of a cut edge. Both serve only as references for `tengen bench graphs`: fields
and graphs that are not planar need the elimination in tengen._core.IsingGraph, which is also the fastest way to
marginals on the graphs of boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.extras import need
from tengen.models.protocol import FloatArray

MOST_COUPLING = 15.0
"""Above this tanh J rounds to 1 and the determinant loses all precision."""

IntArray = npt.NDArray[np.int32]
Dart = tuple[int, int]


@dataclass(frozen=True)
class ZeroField:
    """Results for a model without fields: the means of nodes are all 0."""

    log_z: float
    edge_means: FloatArray


@dataclass(frozen=True, eq=False)
class PlanarGraph:
    """A planar graph: edges [edge, 2], each pair of nodes at most once."""

    nodes: int
    edges: IntArray

    @cached_property
    def embedding(self) -> Any:
        """A planar embedding: the neighbours of each node in cyclic order, as networkx represents it."""
        return _embedding(self.nodes, [(int(u), int(v)) for u, v in self.edges])

    @cached_property
    def turns(self) -> npt.NDArray[np.complex128]:
        """Kac and Ward's matrix over the arcs 0…m−1 along the edges and m…2m−1 back: e^{iφ/2}, φ the turn."""
        places = need("networkx").combinatorial_embedding_to_pos(self.embedding)
        tails, heads = np.concatenate([self.edges, self.edges[:, ::-1]]).T
        where = np.array([places[node] for node in range(self.nodes)], float) @ [1, 1j]
        steps = where[heads] - where[tails]
        follows = (heads[:, None] == tails) & (tails[:, None] != heads)
        turned = np.sqrt(steps / steps[:, None] + 0j)  # the principal root halves the angle in (−π, π]
        return np.where(follows, turned / np.abs(turned), 0)


@dataclass(frozen=True, eq=False)
class Faces:
    """The dual of a planar graph: the two faces beside every piece of an edge."""

    nodes: int
    edges: IntArray
    edge_of: npt.NDArray[np.int64]
    """The edge of each piece; the pieces of one edge share its coupling evenly."""
    sides: npt.NDArray[np.int64]
    """The faces on both sides of each piece; the same face twice for a bridge."""


def board_faces(node_of: IntArray, edges: IntArray) -> Faces:
    """Return the faces of a graph that is a board with connected points merged.

    They are the squares between four points and the outside, merged across lines within a node: a line between two
    nodes is a piece of their edge. This needs no planar embedding.
    """
    height, width = node_of.shape
    square = np.full((height + 1, width + 1), (height - 1) * (width - 1))
    square[1:-1, 1:-1] = np.arange((height - 1) * (width - 1)).reshape(height - 1, width - 1)
    right = (node_of[:, :-1], node_of[:, 1:], square[:-1, 1:-1], square[1:, 1:-1])
    down = (node_of[:-1], node_of[1:], square[1:-1, :-1], square[1:-1, 1:])
    one, other, side, far = (np.concatenate([a.ravel(), b.ravel()]) for a, b in zip(right, down, strict=True))
    nodes = int(node_of.max()) + 1
    crossing = one != other
    keys = np.minimum(one, other)[crossing].astype(np.int64) * nodes + np.maximum(one, other)[crossing]
    order = np.searchsorted(edges[:, 0].astype(np.int64) * nodes + edges[:, 1], keys)
    return Faces(nodes, edges, order, np.stack([side[crossing], far[crossing]], 1))


def best_spins(faces: Faces, couplings: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Return the likeliest state, node 0 (and the first node of every other part) being +1.

    Cuts are the even edge sets of the dual. The edges with J < 0 form a set that is odd around some faces; the cheapest
    change that makes it even is a perfect matching of the odd faces along shortest paths with step costs |J|.
    """
    strength = _checked(couplings, len(faces.edges))
    pieces = np.bincount(faces.edge_of, minlength=len(strength))
    weights = (np.abs(strength) / np.maximum(pieces, 1))[faces.edge_of]
    unwilling = strength[faces.edge_of] < 0
    odd = np.bincount(faces.sides[unwilling].ravel(), minlength=int(faces.sides.max(initial=-1)) + 1) % 2
    pieces_cut = unwilling.copy()
    if odd.any():
        pieces_cut[_matched(faces.sides, weights, odd)] ^= True
    cut = np.zeros(len(strength), np.bool_)
    cut[faces.edge_of[pieces_cut]] = True  # a cut edge is cut in all its pieces
    return _spins(faces.nodes, faces.edges, cut)


def kac_ward(graph: PlanarGraph, couplings: npt.ArrayLike) -> ZeroField:
    """Return ln Z and E[s_i s_j] by Kac and Ward's determinant over arcs.

    ln Z = n ln 2 + Σ ln cosh J + ½ ln det(I − A t), t = tanh J; E[s_i s_j] = t − ½ (1 − t²)(U_aa + U_bb) with
    U = (I − A t)⁻¹ A and a, b the arcs of the edge.
    """
    strength = _checked(couplings, len(graph.edges), MOST_COUPLING)
    half, t = len(strength), np.tanh(strength)
    matrix = np.eye(2 * half) - graph.turns * np.tile(t, 2)
    _, log_det = np.linalg.slogdet(matrix)
    log_z = graph.nodes * np.log(2) + np.log(np.cosh(strength)).sum() + log_det / 2
    back = np.einsum("ij,ji->i", np.linalg.inv(matrix), graph.turns).real
    return ZeroField(float(log_z), t - (1 - t**2) * (back[:half] + back[half:]) / 2)


def _checked(couplings: npt.ArrayLike, edges: int, most: float = np.inf) -> FloatArray:
    values = np.asarray(couplings, float)
    if values.shape != (edges,) or not np.isfinite(values).all():
        raise TengenError(f"couplings are one finite number for each of the {edges} edges")
    if (np.abs(values) > most).any():
        raise TengenError(f"couplings beyond ±{most:g} are too strong for a determinant: use elimination")
    return values


def _embedding(nodes: int, edges: list[Dart]) -> Any:
    networkx = need("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    if graph.number_of_edges() != len(edges) or any(u == v for u, v in edges) or len(graph) != nodes:
        raise TengenError("a planar graph has each edge once, between two of its own nodes")
    planar, embedding = networkx.check_planarity(graph)
    if not planar:
        raise TengenError("this graph is not planar: use elimination")
    return embedding


def _matched(sides: npt.NDArray[np.int64], weights: FloatArray, odd: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return the pieces on the paths that join odd faces in pairs at the least cost."""
    steps = np.flatnonzero(sides[:, 0] != sides[:, 1])
    ends, ones = np.sort(sides[steps], 1).ravel(), np.ones(2 * len(steps), np.uint8)
    columns = np.arange(0, len(ends) + 1, 2)
    dual = need("scipy.sparse").csc_matrix((ones, ends, columns), (len(odd), len(steps)))
    matching = need("pymatching").Matching(dual, weights=weights[steps], merge_strategy="smallest-weight")
    return steps[np.flatnonzero(matching.decode(odd.astype(np.uint8)))]


def _spins(nodes: int, edges: IntArray, cut: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """Assign a side to each node from the cut edges on a path to it."""
    links: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for (u, v), sign in zip(edges.tolist(), (1 - 2 * cut.astype(int)).tolist(), strict=True):
        links[u].append((v, sign))
        links[v].append((u, sign))
    spins = [0] * nodes
    for start in range(nodes):
        if spins[start]:
            continue
        spins[start], todo = 1, [start]
        while todo:
            node = todo.pop()
            for other, sign in links[node]:
                if not spins[other]:
                    spins[other] = sign * spins[node]
                    todo.append(other)
    return np.array(spins, np.int8)
