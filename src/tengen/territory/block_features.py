"""Features of the planar field: numbers for every edge and node of the block graph (Kamenetsky et al. §3).

Start at `describe`. An edge's coupling is linear in the shapes of its two nodes, their contacts in both directions
and, optionally, those of adjacent edges; parameters depend on the kinds of the nodes, never on colour. A node's field
is linear in its own shape and in its `chain_features`, signed by its colour. Counts enter as ln(1 + count), with a
constant 1 at the end of every vector, and adjacent edges by their mean. `strict` is the paper's form: the counts
themselves, of points with 1 to 4 neighbours inside and 1 to 3 across, no constant, and the sum of adjacent edges; the
other entries of the same vectors are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import summed
from tengen.models.protocol import FloatArray
from tengen.views.graphs import (
    CHAIN_FEATURES,
    NEUTRAL,
    STONE,
    SURROUND,
    BoardGraph,
    Division,
    block_graph,
    chain_features,
    group_graph,
)

SHAPE, CONTACT = 6, 5
"""Numbers of a shape (points with 0 to 4 neighbours inside) and of a contact (1 to 4 across), each with its 1."""

CONTACT_KINDS = 10
"""Kinds of directed edges: three times three, and a surround beside another of its colour, which occurs in the block
graph only if empty regions are divided further."""

OWN_FEATURES = 3 * SHAPE + CONTACT_KINDS * CONTACT
"""Number of features of an edge without its neighbours."""

SIDED = (STONE, SURROUND)
"""The kinds of nodes that have a colour, and so a field."""

Gauge: TypeAlias = Literal["field", "face", "majority"]
"""How to tell Black from White: fields of all nodes; fields only of the chains at the edge of the board, which all lie
on one face of the graph; or no fields, choosing of two mirrored states the one that keeps more stones alive."""


@dataclass(frozen=True, eq=False)
class Described:
    """A board's block graph with the features of its edges and nodes."""

    block: BoardGraph
    group: BoardGraph
    edge_features: FloatArray
    """[edge, parameter]; a coupling is half of features · parameters, as the cost of a cut is the whole."""
    node_features: FloatArray
    """[node, parameter], signed by colour; neutral nodes have none."""

    @property
    def group_of(self) -> npt.NDArray[np.int32]:
        """The group of each block."""
        group = np.zeros(len(self.block), np.int32)
        group[self.block.node_of.ravel()] = self.group.node_of.ravel()
        return group

    def grouped(self, fields: FloatArray, couplings: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sum fields and couplings of the blocks over the group graph; couplings inside a group are dropped."""
        group, count = self.group_of, len(self.group)
        ends = np.sort(group[self.block.edges], 1).astype(np.int64)
        across = ends[:, 0] != ends[:, 1]
        edges = self.group.edges.astype(np.int64)
        place = np.searchsorted(edges[:, 0] * count + edges[:, 1], ends[across, 0] * count + ends[across, 1])
        return summed(group.astype(np.int64), fields, count), summed(place, couplings[across], len(edges))


def describe(
    stones: npt.NDArray[np.int8],
    *,
    gauge: Gauge = "field",
    neighbours: bool = True,
    rich: bool = True,
    division: Division = "nearest",
    strict: bool = False,
) -> Described:
    """Return the block and the group graph of a board with the features of their edges and nodes."""
    block, group = block_graph(stones, division), group_graph(stones, division)
    shapes = _plain(block.shapes, range(1, 5)) if strict else _with_one(block.shapes)
    contacts = _plain(block.contacts, range(3)) if strict else _with_one(block.contacts)
    own = _edge_features(block, shapes, contacts)
    edges = np.concatenate([own, _neighbour_features(block, shapes, own, strict)], 1) if neighbours else own
    if gauge == "field":
        known = np.concatenate([shapes, np.log1p(chain_features(block, group))], 1) if rich else shapes
        return Described(block, group, edges, _by_kind(block, known))
    outer = _on_outer_face(block) if gauge == "face" else np.zeros((len(block), 0))
    return Described(block, group, edges, outer)


def parameter_counts(gauge: Gauge, neighbours: bool, rich: bool) -> tuple[int, int]:
    """Return the numbers of parameters of couplings and fields."""
    fields = {"majority": 0, "face": 1, "field": len(SIDED) * (SHAPE + rich * len(CHAIN_FEATURES))}
    return OWN_FEATURES * (1 + neighbours), fields[gauge]


def _on_outer_face(block: BoardGraph) -> FloatArray:
    """Return the colour of each chain that touches the edge of the board, as the node's only feature."""
    touches = np.zeros(len(block), np.bool_)
    for line in (block.node_of[0], block.node_of[-1], block.node_of[:, 0], block.node_of[:, -1]):
        touches[line] = True
    return np.where(touches & (block.kinds == STONE), block.colours, 0).astype(float)[:, None]


def _with_one(counts: npt.NDArray[np.int32]) -> FloatArray:
    return np.concatenate([np.log1p(counts), np.ones((*counts.shape[:-1], 1))], -1)


def _plain(counts: npt.NDArray[np.int32], kept: range) -> FloatArray:
    """Return some of the counts as they are, and 0 for the others and the constant."""
    chosen = np.isin(np.arange(counts.shape[-1]), kept)
    return np.concatenate([counts * chosen, np.zeros((*counts.shape[:-1], 1))], -1).astype(float)


def _contact_kind(
    block: BoardGraph, first: npt.NDArray[np.int32], second: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    kinds = block.kinds[first] * 3 + block.kinds[second]
    alike = (kinds == SURROUND * 3 + SURROUND) & (block.colours[first] == block.colours[second])
    return np.where(alike, CONTACT_KINDS - 1, kinds)


def _edge_features(block: BoardGraph, shapes: FloatArray, across: FloatArray) -> FloatArray:
    count = len(block.edges)
    at = np.arange(count)
    nodes, contacts = np.zeros((count, 3, SHAPE)), np.zeros((count, CONTACT_KINDS, CONTACT))
    for one, other in ((0, 1), (1, 0)):
        first, second = block.edges[:, one], block.edges[:, other]
        nodes[at, block.kinds[first]] += shapes[first]
        contacts[at, _contact_kind(block, first, second)] += across[:, one]
    return np.concatenate([nodes.reshape(count, 3 * SHAPE), contacts.reshape(count, CONTACT_KINDS * CONTACT)], 1)


def _neighbour_features(block: BoardGraph, shapes: FloatArray, own: FloatArray, add: bool) -> FloatArray:
    """Return the mean, or the sum, over the edges next to an edge of their contacts, and of their further nodes."""
    count, ends = len(block), block.edges
    degree = np.bincount(ends.ravel(), minlength=count)
    far = np.stack([_by_node_kind(block, shapes, ends[:, 1]), _by_node_kind(block, shapes, ends[:, 0])], 1)
    seen = np.concatenate([far, np.repeat(own[:, None, 3 * SHAPE :], 2, 1)], 2)  # from the first, from the second end
    around = np.zeros((count, OWN_FEATURES))
    np.add.at(around, ends, seen)
    total: FloatArray = around[ends].sum(1) - seen.sum(1)
    if add:
        return total
    mean: FloatArray = total / np.maximum(degree[ends].sum(1) - 2, 1)[:, None]
    return mean


def _by_node_kind(block: BoardGraph, shapes: FloatArray, nodes: npt.NDArray[np.int32]) -> FloatArray:
    placed = np.zeros((len(nodes), 3, SHAPE))
    placed[np.arange(len(nodes)), block.kinds[nodes]] = shapes[nodes]
    return placed.reshape(len(nodes), 3 * SHAPE)


def _by_kind(block: BoardGraph, known: FloatArray) -> FloatArray:
    placed = np.zeros((len(block), len(SIDED), known.shape[1]))
    sided = np.flatnonzero(block.kinds != NEUTRAL)
    placed[sided, block.kinds[sided]] = known[sided] * block.colours[sided, None]
    return placed.reshape(len(block), -1)
