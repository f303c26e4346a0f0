"""The augmented common fate graph: chains, regions of influence, and shapes that connect chains (Low 2008, §2.1).

Start at `augmented_graph` for one board or `augmented_graphs` for many. Every chain is a node; connected empty points
on which Bouzy's influence (5 dilations, 21 erosions) has one sign are a node; every other empty point is a node by
itself. Edges join adjacent nodes, and two chains of one colour that form a connecting shape such as a bamboo joint. A
node's label is its type, eyes, size and liberties as one number, which tells a model which of its weights to use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.points import Point
from tengen.go.svg import Drawing, draw_svg
from tengen.views.merged_board import MergedBoard

IntArray: TypeAlias = npt.NDArray[np.int32]

RELATIONS = ("adjacent", "bamboo joint", "kosumi", "hanging connection", "one-space jump", "keima", "edge")
"""Names of the relations; two chains have the first that holds. All but the first join chains of one colour."""

LABELS, SIDED_LABELS = _core.NODE_LABELS, _core.SIDED_NODE_LABELS
"""Number of labels, without and with the sides of influence."""

_EYES, _SIZES, _LIBERTIES = 6, 5, 7
_TYPES = ("black", "white", "empty", "Black's", "White's")
_REVERSED = np.array([1, 0, 2, 4, 3], np.int32)


@dataclass(frozen=True, eq=False)
class AugmentedGraph(MergedBoard):
    """The augmented common fate graph of one board."""

    types: IntArray
    """1 for Black's chains, −1 for White's, 0 for empty nodes."""
    sides: IntArray
    """The colour of chains; for empty nodes the sign of the influence on them."""
    sizes: IntArray
    """Points of each node."""
    liberties: IntArray
    """Empty points outside each node that touch it."""
    eyes: IntArray
    """Points all of whose neighbours are stones of one colour: those a chain touches, or that are in an empty node."""
    edges: IntArray
    """The two nodes of each edge [edge, 2], the smaller number first."""
    relations: IntArray
    """The relation of each edge, an index into RELATIONS."""
    pairs: IntArray
    """Pairs of adjacent points along each edge; 0 for chains joined by a shape."""

    def labels(self, sides: bool = False) -> IntArray:
        """Return the label of each node; with `sides` regions of influence have labels of their own."""
        nodes = np.stack([self.types, self.sides, self.sizes, self.liberties, self.eyes], 1)
        return _core.node_labels(nodes, sides)

    def svg(self, stones: npt.NDArray[np.int8], **options: Any) -> Drawing:
        """Draw the graph over its board: squares for influence, borders of nodes, a style of link for each relation.

        Chains joined by a shape are linked at their nearest stones. Options are those of `draw_svg`.
        """
        owner = np.where(stones == 0, self.sides[self.node_of], stones)
        return draw_svg(stones, owner=owner, regions=self.node_of, links=self._links(), **options)

    def _links(self) -> dict[str, list[tuple[Point, Point]]]:
        places = self.places
        links: dict[str, list[tuple[Point, Point]]] = {name: [] for name in RELATIONS}
        for (one, other), relation in zip(self.edges.tolist(), self.relations.tolist(), strict=True):
            ends = _nearest(self.points(one), self.points(other)) if relation else (places[one], places[other])
            links[RELATIONS[relation]].append(ends)
        return links


@dataclass(frozen=True, eq=False)
class AugmentedGraphs:
    """The graphs of many boards of one size; nodes are numbered through all boards."""

    node_of: IntArray
    """The node of each point [board, row, column]."""
    first_node: npt.NDArray[np.int64]
    """The first node of each board, and the number of all nodes [board + 1]."""
    nodes: IntArray
    """Type, side, size, liberties and eyes of each node [node, 5], as in AugmentedGraph."""
    first_edge: npt.NDArray[np.int64]
    """The first edge of each board, and the number of all edges [board + 1]."""
    edges: IntArray
    """First node, second node, relation and pairs of each edge [edge, 4]."""

    def __len__(self) -> int:
        return len(self.node_of)

    def __getitem__(self, board: int) -> AugmentedGraph:
        """Return the graph of one board, its nodes numbered from 0."""
        board = range(len(self))[board]
        start, end = self.first_node[board : board + 2].tolist()
        first, last = self.first_edge[board : board + 2].tolist()
        types, sides, sizes, liberties, eyes = self.nodes[start:end].T
        node_of, edges = self.node_of[board] - np.int32(start), self.edges[first:last]
        ends = edges[:, :2] - np.int32(start)
        return AugmentedGraph(node_of, types, sides, sizes, liberties, eyes, ends, edges[:, 2], edges[:, 3])

    def labels(self, sides: bool = False) -> IntArray:
        """Return the label of each node; with `sides` regions of influence have labels of their own."""
        return _core.node_labels(self.nodes, sides)


def augmented_graph(board: Board | npt.NDArray[np.int8]) -> AugmentedGraph:
    """Return the augmented common fate graph of a board."""
    stones = board.stones if isinstance(board, Board) else as_stones(board)
    return augmented_graphs(stones[None])[0]


def augmented_graphs(stones: npt.NDArray[np.int8]) -> AugmentedGraphs:
    """Return the graphs of boards [board, row, column]."""
    boards = as_stones(stones)
    if boards.ndim != 3 or not all(2 <= side <= 25 for side in boards.shape[1:]):
        raise TengenError(f"boards [board, row, column] of 2 to 25 lines are needed, not {boards.shape}")
    return AugmentedGraphs(*_core.augmented_graphs(boards))


def reversed_labels(labels: npt.ArrayLike) -> IntArray:
    """Return the labels of the same nodes after swapping the colours."""
    codes, facts = np.divmod(np.asarray(labels, np.int32), np.int32(_EYES * _SIZES * _LIBERTIES))
    return (_REVERSED[codes] * np.int32(_EYES * _SIZES * _LIBERTIES) + facts).astype(np.int32)


def label_words(label: int) -> str:
    """Return a label in words: "black chain of 3 stones, 4 liberties, no eye"."""
    if not 0 <= label < SIDED_LABELS:
        raise TengenError(f"a label is a number from 0 to {SIDED_LABELS - 1}, not {label}")
    rest, liberties = divmod(label, _LIBERTIES)
    rest, size = divmod(rest, _SIZES)
    code, eyes = divmod(rest, _EYES)
    kind, unit, free = ("chain", "stone", "liberty") if code < 2 else ("region", "point", "free neighbour")
    whole = f"{kind} of {_counted(size + 1, unit, _SIZES)}" if size else unit
    return f"{_TYPES[code]} {whole}, {_counted(liberties, free, 6)}, {_counted(eyes, 'eye', 5)}"


def _counted(count: int, unit: str, most: int) -> str:
    """Return a number of things in words; `most` stands for all larger numbers too."""
    if count < 2:
        return f"{'1' if count else 'no'} {unit}"
    plural = "liberties" if unit == "liberty" else f"{unit}s"
    return f"{count} or more {plural}" if count == most else f"{count} {plural}"


def _nearest(some: list[Point], others: list[Point]) -> tuple[Point, Point]:
    return min(((p, q) for p in some for q in others), key=lambda ends: _squared_distance(*ends))


def _squared_distance(one: Point, other: Point) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
