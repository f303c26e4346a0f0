"""Moves that a search is told to leave out, or to keep to, near the root of its tree."""

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
"""For Black's and White's moves (every point and the pass) how many moves from the root they are left out for."""

DEEPEST = 2**31 - 1


@dataclass(frozen=True)
class Restriction:
    """What one colour does not play in the first moves of every line."""

    kind: Literal["avoid", "allow"]
    moves: frozenset[str]
    """Points and "pass": those that are left out, or the only ones that are not."""
    colour: Colour | None = None
    """Whose moves; None for the player to move."""
    depth: int = 1
    """How many moves of a line it holds for, those of both players counted: 1 is the first move alone."""

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise TengenError("moves are avoided or allowed until a depth of 1 or more")


def avoid(moves: Iterable[str], colour: Colour | None = None, depth: int = 1) -> Restriction:
    """Leave these moves out."""
    return Restriction("avoid", frozenset(moves), colour, depth)


def allow(moves: Iterable[str], colour: Colour | None = None, depth: int = 1) -> Restriction:
    """Leave all moves out but these; what several restrictions allow is allowed by all."""
    return Restriction("allow", frozenset(moves), colour, depth)


def depths(restrictions: Collection[Restriction], board: Board) -> Depths:
    """Return how deep each move is left out; 0 for those that may be played at the root."""
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
