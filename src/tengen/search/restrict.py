"""Moves that a search is told to leave out, or to keep to, near the root of its tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

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


def depths(restrictions: Iterable[Restriction], board: Board) -> Depths:
    """Return how deep each move is left out; 0 for those that may be played at the root."""
    found = np.zeros((2, board.width * board.height + 1), np.int64)
    allowed: dict[int, tuple[set[int], int]] = {}
    for restriction in restrictions:
        side = 0 if (restriction.colour or board.to_play) == "black" else 1
        moves, depth = {board._index(move) for move in restriction.moves}, min(restriction.depth, DEEPEST)
        if restriction.kind == "allow":
            before, deepest = allowed.get(side, (set(), 0))
            allowed[side] = before | moves, max(deepest, depth)
        else:
            for move in moves:
                found[side, move] = max(found[side, move], depth)
    for side, (moves, depth) in allowed.items():
        others = [move for move in range(found.shape[1]) if move not in moves]
        found[side, others] = np.maximum(found[side, others], depth)
    return found
