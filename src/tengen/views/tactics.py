"""Tactics: ladders, atari and self-atari, read by playing them out.

Start at `read_ladder` for one chain, `read_ladders` for every chain in danger, `move_facts` for every move of a colour.
The attacker must leave the chain one liberty with each move, the defender extends or takes a chain next to his that is
in atari, and three liberties are an escape (core/include/tengen/tactics.hpp). Ko is the simple one; superko and suicide
are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import read_only
from tengen.go.board import Board, Chain
from tengen.go.colour import CODES, Colour, as_colour
from tengen.go.points import PointLike, as_point, point_name

Fate: TypeAlias = Literal["escapes", "captured", "unknown"]
"""What becomes of a chain; "unknown" if the reading became too long."""

Fact: TypeAlias = Literal[
    "legal",
    "captures",
    "self-atari",
    "atari",
    "ladder",
    "extends",
    "saves",
    "connects",
    "fills eye",
    "false eye",
    "sacrifice",
]
"""What a move does: takes stones; leaves its own chain in atari; puts a chain of two liberties into atari, which then
cannot escape (ladder); gives a chain in atari two liberties or more (extends), which a ladder does not take (saves);
joins chains; fills a real or a false eye of its own colour; is a self-atari in a killing shape or inside an eye."""

_FATES: dict[int, Fate] = {int(_core.Fate[fate]): fate for fate in get_args(Fate)}
_BITS: dict[Fact, int] = {fact: int(_core.Fact[fact.replace(" ", "_").replace("-", "_")]) for fact in get_args(Fact)}
FACTS: tuple[Fact, ...] = tuple(sorted(_BITS, key=lambda fact: _BITS[fact]))
"""The facts in the order of their bits."""


@dataclass(frozen=True)
class Ladder:
    """What becomes of a chain that is attacked by one atari after the other."""

    chain: Chain
    attack: Fate
    """If the enemy moves first."""
    capture: str | None
    """The move with which the enemy, moving first, captures."""
    defence: Fate
    """If its owner moves first."""
    escape: str | None
    """The move with which its owner escapes; None if there is none, or no need of one."""

    @property
    def in_atari(self) -> bool:
        """Whether the chain has one liberty left."""
        return len(self.chain.liberties) == 1


@dataclass(frozen=True, eq=False)
class MoveFacts:
    """What a move of one colour would do at each point, as arrays [row, column]; all 0 where it may not be played."""

    colour: Colour
    bits: npt.NDArray[np.uint16]
    """Bit i is set where `FACTS[i]` holds."""
    liberties: npt.NDArray[np.int16]
    """The liberties of the chain that the move makes."""
    stones: npt.NDArray[np.int16]
    """The stones of that chain."""
    taken: npt.NDArray[np.int16]
    """The stones that the move takes."""

    def mask(self, fact: Fact) -> npt.NDArray[np.bool_]:
        """Return where a fact holds."""
        if fact not in FACTS:
            raise TengenError(f"there is no fact {fact!r}: choose {', '.join(FACTS)}")
        holds: npt.NDArray[np.bool_] = self.bits & _BITS[fact] != 0
        return holds

    def at(self, point: PointLike) -> tuple[Fact, ...]:
        """Return the facts of the move at a point."""
        height, width = self.bits.shape
        bits = int(self.bits[as_point(point, width, height)])
        return tuple(fact for fact in FACTS if bits & _BITS[fact])


def read_ladder(board: Board, point: PointLike) -> Ladder:
    """Read the chain at a point."""
    chain = board.chain(point)
    if chain is None:
        raise TengenError(f"there is no stone at {point}")
    return _ladder(board, chain, _core.ladders(board.native))


def read_ladders(board: Board) -> list[Ladder]:
    """Read every chain of one or two liberties."""
    arrays = _core.ladders(board.native)
    return [_ladder(board, chain, arrays) for chain in board.chains() if len(chain.liberties) <= 2]


def move_facts(board: Board, colour: str | None = None) -> MoveFacts:
    """Return what each move of the player to move, or the colour given, would do."""
    mover = board.to_play if colour is None else as_colour(colour)
    bits, liberties, stones, taken = _core.move_facts(board.native, CODES[mover])
    return MoveFacts(mover, read_only(bits), read_only(liberties), read_only(stones), read_only(taken))


def _ladder(board: Board, chain: Chain, arrays: tuple[npt.NDArray[np.generic], ...]) -> Ladder:
    point = as_point(chain.points[0], board.width, board.height)
    attack, capture, defence, escape = (int(array[point]) for array in arrays)
    return Ladder(chain, _FATES[attack], _name(board, capture), _FATES[defence], _name(board, escape))


def _name(board: Board, index: int) -> str | None:
    return None if index < 0 else point_name(*divmod(index, board.width), board.height)
