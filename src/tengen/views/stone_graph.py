"""A board as seen from a candidate move: the augmented stone graph (van Niekerk & Kroon §3.2).

Start at `stone_graph`. Node 0 is the candidate point; the others are the stones row by row and then the four sides.
Every two nodes have a Manhattan distance; a side is 0 away from its first line, so a point on the fourth line is 3
away. Colours are seen from the player to move. With `nodes="chains"` each chain is one node, as in the
common fate graph, and distances are those of the nearest stones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import read_only
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name

Nodes: TypeAlias = Literal["stones", "chains"]
"""What the nodes are, besides the candidate point and the sides."""

Status: TypeAlias = Literal["move", "own", "opponent", "side"]
"""What a node is; colours are seen from the player to move."""

SIDES = ("top", "left", "right", "bottom")
"""The sides in the order of their nodes."""

_STATUSES: dict[int, Status] = {-1: "move", **{int(_core.Status[name]): name for name in ("own", "opponent", "side")}}


@dataclass(frozen=True)
class Node:
    """A node of the graph."""

    status: Status
    place: str
    """The point, the first stone of the chain, or the side: "Q16", "left"."""
    size: int
    """Stones of its chain, counted up to 100; 0 for the move and the sides."""
    liberties: int
    """Pairs of a stone of the chain and an empty neighbour (pseudo-liberties) up to 100, but 1 for a chain in atari."""


@dataclass(frozen=True, eq=False)
class StoneGraph:
    """The nodes and the distance of each pair."""

    nodes: tuple[Node, ...]
    distances: npt.NDArray[np.int32]
    """[node, node]."""


def stone_graph(board: Board, move: PointLike, *, nodes: Nodes = "stones") -> StoneGraph:
    """Return the graph of a board for a move of the player to move."""
    row, column = as_point(move, board.width, board.height)
    if board.stones[row, column] != 0:
        raise TengenError(f"there is a stone at {point_name(row, column, board.height)}")
    attributes, distances = _core.stone_graph(
        board.stones[None], mover(board), row * board.width + column, graph_nodes(nodes)
    )
    return StoneGraph(
        tuple(_node(board, index, len(attributes), *values) for index, values in enumerate(attributes.tolist())),
        read_only(distances),
    )


def mover(board: Board) -> npt.NDArray[np.int8]:
    """Return the player to move as the core takes it: an array of 1 or −1."""
    return np.array([1 if board.to_play == "black" else -1], np.int8)


def graph_nodes(nodes: Nodes) -> int:
    """Return the core's number for a kind of nodes."""
    if nodes not in _core.GraphNodes.__members__:
        raise TengenError(f"nodes are {' or '.join(_core.GraphNodes.__members__)}, not {nodes!r}")
    return int(_core.GraphNodes[nodes])


def _node(board: Board, index: int, count: int, status: int, point: int, size: int, liberties: int) -> Node:
    side = index - (count - len(SIDES))
    place = SIDES[side] if side >= 0 else point_name(*divmod(point, board.width), board.height)
    return Node(_STATUSES[status], place, size, liberties)
