"""Restrictions of a search: moves to avoid, or the only moves to consider, near the root of the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.colour import Colour

Depths: TypeAlias = npt.NDArray[np.int64]
"""For Black and White and each move (points, then pass): number of plies from the root in which it is left out."""

DEEPEST = 2**31 - 1


@dataclass(frozen=True)
class Restriction:
    """Moves that one colour does not play in the first plies of every line."""

    kind: Literal["avoid", "allow"]
    moves: frozenset[str]
    """Points and "pass": the moves to avoid, or the only ones allowed."""
    colour: Colour | None = None
    """The colour concerned; None for the player to move."""
    depth: int = 1
    """Number of plies in which it applies, moves of both players counted: 1 for the first move alone."""

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise TengenError("a restriction needs a depth of 1 or more")


def avoid(moves: Iterable[str], colour: Colour | None = None, depth: int = 1) -> Restriction:
    """Leave out these moves."""
    return Restriction("avoid", frozenset(moves), colour, depth)


def allow(moves: Iterable[str], colour: Colour | None = None, depth: int = 1) -> Restriction:
    """Leave out all moves but these; of several such restrictions the union is allowed."""
    return Restriction("allow", frozenset(moves), colour, depth)


def depths(restrictions: Collection[Restriction], board: Board) -> Depths:
    """Return the depth to which each move is left out; 0 for moves allowed at the root."""
    found = np.zeros((2, board.width * board.height + 1), np.int64)
    for colour, row in zip(get_args(Colour), found, strict=True):
        own = [each for each in restrictions if (each.colour or board.to_play) == colour]
        allowed, avoided = ([each for each in own if each.kind == kind] for kind in ("allow", "avoid"))
        row[:] = max((min(each.depth, DEEPEST) for each in allowed), default=0)
        for each in allowed:
            row[_indices(each, board)] = 0
        for each in avoided:
            indices = _indices(each, board)
            row[indices] = np.maximum(row[indices], min(each.depth, DEEPEST))
    return found


def _indices(restriction: Restriction, board: Board) -> npt.NDArray[np.int64]:
    return np.array([board.index(move) for move in restriction.moves], np.int64)
