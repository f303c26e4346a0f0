"""Boards as graphs of chains and empty regions (Kamenetsky et al. §2–§3).

Start at `block_graph`. In the common fate graph every chain is a node and so is every empty point. The block graph
also draws empty points together: to Black's surround where the nearest black stone is nearer than the nearest white
one, to White's surround, and to neutral regions where both are as near. The group graph draws every chain together
with the surrounds of its colour that it touches. All three are the grid with connected points drawn together, and
therefore planar. `chain_features` says what else is known of the chains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen._core import NodeKind
from tengen.errors import TengenError
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.svg import Drawing, draw_svg
from tengen.views.augmented_graph import AugmentedGraph, augmented_graph
from tengen.views.merged_board import MergedBoard

Division: TypeAlias = Literal["nearest", "liberties", "points"]
"""How the block graph divides empty regions: by the nearest stone; the same, with the points next to a stone apart
from those further away; or every empty point by itself."""

GRAPHS = ("fate", "block", "group", "augmented")
"""The graphs by name."""

STONE, SURROUND, NEUTRAL = int(NodeKind.stone), int(NodeKind.surround), int(NodeKind.neutral)
"""Kinds of nodes."""

IntArray: TypeAlias = npt.NDArray[np.int32]
Flat: TypeAlias = npt.NDArray[Any]

_DIVISIONS = {name: int(division) for name, division in _core.Division.__members__.items()}


@dataclass(frozen=True, eq=False)
class BoardGraph(MergedBoard):
    """A board as a graph; nodes are numbered by their first points, row by row."""

    kinds: IntArray
    """STONE, SURROUND or NEUTRAL for each node; a group is a stone node."""
    colours: IntArray
    """1 for Black's nodes, −1 for White's, 0 for neutral ones."""
    sizes: IntArray
    """Points of each node."""
    liberties: IntArray
    """Empty points outside each node that touch it."""
    eyes: IntArray
    """Points all of whose neighbours are stones of one colour: those a chain touches, or that are in an empty node."""
    shapes: IntArray
    """How many points of each node have 0 to 4 neighbours in it [node, 5]."""
    edges: IntArray
    """The two nodes of each edge [edge, 2], the smaller number first."""
    pairs: IntArray
    """Pairs of neighbouring points along each edge."""
    contacts: IntArray
    """How many points of the first node have 1 to 4 neighbours in the second, and the other way [edge, 2, 4]."""

    def svg(self, stones: npt.NDArray[np.int8], **options: Any) -> Drawing:
        """Draw the graph over its board: squares for surrounds, borders of nodes, links; options as for `draw_svg`."""
        places = self.places
        links = [(places[one], places[other]) for one, other in self.edges.tolist()]
        return draw_svg(stones, owner=self._surrounds(stones), regions=self.node_of, links=links, **options)

    def _surrounds(self, stones: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
        return np.where(stones == 0, self.colours[self.node_of], stones)


def fate_graph(board: Board | npt.NDArray[np.int8]) -> BoardGraph:
    """Return the common fate graph: chains, and every empty point by itself as a neutral node."""
    return _made(board, "single", False)


def block_graph(board: Board | npt.NDArray[np.int8], division: Division = "nearest") -> BoardGraph:
    """Return the block graph: chains, surrounds and neutral regions."""
    return _made(board, division, False)


def group_graph(board: Board | npt.NDArray[np.int8], division: Division = "nearest") -> BoardGraph:
    """Return the group graph: chains with their own surrounds, and neutral regions."""
    return _made(board, division, True)


def graph_of(board: Board | npt.NDArray[np.int8], name: str) -> BoardGraph | AugmentedGraph:
    """Return a graph by its name."""
    made: dict[str, Callable[[Board | npt.NDArray[np.int8]], BoardGraph | AugmentedGraph]] = {
        "fate": fate_graph,
        "block": block_graph,
        "group": group_graph,
        "augmented": augmented_graph,
    }
    return made[checked_graph(name)](board)


def checked_graph(name: str) -> str:
    """Return the name of a graph, or refuse it."""
    if name not in GRAPHS:
        raise TengenError(f"a graph is one of {', '.join(GRAPHS)}, not {name!r}")
    return name


def _made(board: Board | npt.NDArray[np.int8], division: str, grouped: bool) -> BoardGraph:
    if division not in _DIVISIONS:
        raise TengenError(f"a division is one of nearest, liberties, points, not {division!r}")
    stones = board.stones if isinstance(board, Board) else as_stones(board)
    node_of, nodes, edges, facts = _core.board_graph(stones, _DIVISIONS[division], grouped)
    kinds, colours, sizes, liberties, eyes = nodes.T[:5]
    pairs, contacts = facts[:, 0], facts[:, 1:].reshape(-1, 2, 4)
    return BoardGraph(node_of, kinds, colours, sizes, liberties, eyes, nodes[:, 5:], edges, pairs, contacts)


CHAIN_FEATURES = (
    "size",
    "liberties",
    "eyes",
    "perimeter",
    "room",
    "eyes of the room",
    "enemies",
    "liberties of the weakest enemy",
    "liberties of the strongest enemy",
    "size of the strongest enemy",
    "size of the group",
    "eyes of the group",
    "liberties of the group",
    "chains of the group",
)
"""What `chain_features` says of each chain, in its order."""


def chain_features(block: BoardGraph, group: BoardGraph) -> npt.NDArray[np.float64]:
    """Return what is known of each node of a block graph [node, feature], as CHAIN_FEATURES names them.

    Numbers are counts; ln(1 + count) is a good scale for them. The room of a chain is its own surrounds, enemies are
    chains of the other colour that touch it, or nothing (0) where there is none. Groups are those of the group graph.
    Nodes that are no chains have the features of their kind: their size, the chains of a surround's group, and so on.
    """
    first, second = np.concatenate([block.edges, block.edges[:, ::-1]]).T
    kinds, colours, count = block.kinds, block.colours, len(block)
    own_room = (kinds[second] == SURROUND) & (colours[second] == colours[first])
    enemy = (kinds[second] == STONE) & (colours[second] == -colours[first]) & (colours[first] != 0)
    group_of = np.zeros(count, np.int32)
    group_of[block.node_of.ravel()] = group.node_of.ravel()
    chains = np.bincount(group_of[kinds == STONE], minlength=len(group))
    columns: list[Flat] = [
        block.sizes,
        block.liberties,
        block.eyes,
        np.bincount(block.edges.ravel(), np.repeat(block.pairs, 2), count),
        _total(first, own_room, block.sizes[second], count),
        _total(first, own_room, block.eyes[second], count),
        np.bincount(first[enemy], minlength=count),
        _least(first, enemy, block.liberties[second], count),
        _most(first, enemy, block.liberties[second], count),
        _most(first, enemy, block.sizes[second], count),
        group.sizes[group_of],
        group.eyes[group_of],
        group.liberties[group_of],
        chains[group_of],
    ]
    return np.stack(columns, 1).astype(np.float64)


def _total(node: Flat, chosen: Flat, values: Flat, count: int) -> Flat:
    return np.bincount(node[chosen], values[chosen], count)


def _most(node: Flat, chosen: Flat, values: Flat, count: int) -> Flat:
    found = np.zeros(count, values.dtype)
    np.maximum.at(found, node[chosen], values[chosen])
    return found


def _least(node: Flat, chosen: Flat, values: Flat, count: int) -> Flat:
    none = np.iinfo(values.dtype).max
    found = np.full(count, none)
    np.minimum.at(found, node[chosen], values[chosen])
    return np.where(found == none, 0, found)
