"""Boards of the paper: the bamboo joint of Figures 1 and 2, and hand-made positions like those of §3.2.

The bamboo joint is rebuilt from the text. The hand-made positions of the paper are pictures without text, so these are
ours, of the same kind: a quiet one, one with a centre group, and the second without this group. In all of them the
border between Black and White is closed, so that every point has an owner once the dead stones are removed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board
from tengen.go.counting import find_territory

BAMBOO = Board.from_text("""
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . X . . . . . O .
    . X . . . . . O .
    . X . X . . . O .
    . X . X . . . O .
    . . . . . . . . .
    . . . . . . . . .
""")
"""Figure 1: two black chains joined by a bamboo joint, and one white chain."""


@dataclass(frozen=True)
class HandMade:
    """A position with the owner of every point, as we judge it."""

    name: str
    board: Board
    dead: tuple[str, ...] = ()
    """Stones that are dead."""

    @property
    def owners(self) -> npt.NDArray[np.int8]:
        """The owner of every point: 1 Black, −1 White."""
        alive = self.board.stones.copy()
        for move in self.dead:
            row, column = divmod(self.board.index(move), self.board.width)
            alive[row, column] = 0
        return np.asarray(alive + find_territory(alive)[0], np.int8)

    def without_dead(self, name: str) -> HandMade:
        """Return the position without its dead stones."""
        stones = np.where(self.board.stones == self.owners, self.board.stones, 0).astype(np.int8)
        return HandMade(name, Board.from_stones(stones))


QUIET = HandMade(
    "position 1",
    Board.from_text("""
    . . . . X O . . .
    . . X . X O . O .
    . . . X O O . . .
    . . . X O . . . .
    . . X . X O . . .
    . . . X X O . . .
    . . X . X O . O .
    . . . X O O . . .
    . . . X O . . . .
"""),
)
CENTRE = HandMade(
    "position 2",
    Board.from_text("""
    . . . O X . . . .
    . O . O X . . . .
    . . O O X . X . .
    . O O X . X . . .
    O . O X O O X . .
    . O O X . O X . .
    . . O X X X . X .
    . . O O O X . . .
    . . . . O X . . .
"""),
    ("E5", "F5", "F4"),
)
POSITIONS = (QUIET, CENTRE, CENTRE.without_dead("position 2 without its white centre"))
