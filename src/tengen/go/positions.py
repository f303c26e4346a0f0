"""Positions of one board size as arrays: what corpora, searches and evaluators exchange.

Start at `Positions.of`, which takes boards. Points are numbered row by row, row·width + column; a pass is
width·height; −1 stands for none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import as_stones, taken
from tengen.go.board import Board
from tengen.go.rules import Rules

LAST_MOVES: int = _core.LAST_MOVES
"""Number of moves kept before each position."""

Ints: TypeAlias = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of one size, one row each. They are not to be changed."""

    stones: npt.NDArray[np.int8]
    """[n, row, column]: 1 Black, −1 White, 0 empty."""
    to_play: npt.NDArray[np.int8]
    """[n]: 1 Black, −1 White, 0 where it is not known: then an evaluator answers with the mean over both."""
    ko: npt.NDArray[np.int16]
    """[n]: the point that the simple ko rule forbids to the player to move."""
    last_moves: npt.NDArray[np.int16]
    """[n, LAST_MOVES]: the moves before the position, newest first."""
    captures: npt.NDArray[np.int32]
    """[n, 2]: stones taken by Black and by White."""
    passes: npt.NDArray[np.int8]
    """[n]: passes in a row at the end of the moves."""
    komi: npt.NDArray[np.float64]
    """[n]."""
    handicap: npt.NDArray[np.int16]
    """[n]: handicap stones, as far as the count is concerned."""
    rules: tuple[Rules, ...]
    """The rules of each position."""
    _boards: tuple[Board, ...] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, boards: Sequence[Board]) -> Positions:
        """Return boards of one size as arrays. The boards are kept, not copied: do not change them meanwhile."""
        boards = tuple(boards)
        if not boards:
            return cls.of_stones(np.zeros((0, 0, 0), np.int8))
        if len({(board.width, board.height) for board in boards}) > 1:
            raise TengenError("many boards at once must have one size: sort them by size first")
        rows = _core.position_rows([board._position for board in boards])
        komi = np.array([board.komi for board in boards])
        handicap = np.array([board.handicap for board in boards], np.int16)
        return cls(*rows, komi, handicap, tuple(board.rules for board in boards), boards)

    @classmethod
    def of_stones(cls, stones: npt.NDArray[np.int8], to_play: Ints | None = None) -> Positions:
        """Return positions of which only the stones [n, row, column] are known, and perhaps the turns."""
        stones = as_stones(stones)
        n, rules = len(stones), Rules.parse("chinese")
        turns = np.zeros(n, np.int8) if to_play is None else np.asarray(to_play, np.int8)
        nothing = np.full((n, LAST_MOVES), -1, np.int16)
        captures, komi = np.zeros((n, 2), np.int32), np.full(n, rules.default_komi)
        zeros = np.zeros(n, np.int16)
        return cls(stones, turns, nothing[:, 0], nothing, captures, zeros.astype(np.int8), komi, zeros, (rules,) * n)

    def __len__(self) -> int:
        return len(self.stones)

    @property
    def height(self) -> int:
        """Points from top to bottom."""
        return int(self.stones.shape[1])

    @property
    def width(self) -> int:
        """Points from left to right."""
        return int(self.stones.shape[2])

    @property
    def points(self) -> int:
        """Points of the board, which is also the number of the pass."""
        return self.height * self.width

    @property
    def bonus(self) -> npt.NDArray[np.float64]:
        """[n]: what the rules give White for handicap stones."""
        return np.array([rules.bonus(n) for rules, n in zip(self.rules, self.handicap.tolist(), strict=True)], float)

    @cached_property
    def legal(self) -> npt.NDArray[np.bool_]:
        """[n, points + 1]: where the player to move may play, and the pass; for either colour if the turn is unknown.

        Superko is kept where the positions came from boards; others have no history, and the simple ko holds.
        """
        legal: npt.NDArray[np.bool_] = np.zeros((0, self.points + 1), bool)
        if len(self):
            boards = [self.board(i) for i in range(len(self))]
            legal = _core.legal_rows([board._position for board in boards])
        if (unknown := np.flatnonzero(self.to_play == 0)).size:
            for i in unknown.tolist():
                legal[i, :-1] |= boards[i].legal_mask("white").ravel()
        return legal

    def board(self, i: int) -> Board:
        """Return a position as a board: the one it came from, or one with the same stones, turn, ko and last moves."""
        if self._boards is not None:
            return self._boards[i]
        return Board._restored(
            self.stones[i],
            int(self.to_play[i]),
            ko=int(self.ko[i]),
            last_moves=self.last_moves[i].tolist(),
            captures=tuple(self.captures[i].tolist()),
            rules=self.rules[i],
            komi=float(self.komi[i]),
            handicap=int(self.handicap[i]),
        )

    def boards(self) -> Iterator[Board]:
        """Yield every position as a board."""
        return (self.board(i) for i in range(len(self)))

    def with_turns(self, to_play: Ints) -> Positions:
        """Return the same positions with other players to move; a ko holds only for the player it was for."""
        turns = np.asarray(to_play, np.int8)
        ko = np.where(turns == self.to_play, self.ko, -1).astype(np.int16)
        return replace(self, to_play=turns, ko=ko, _boards=None)

    def take(self, rows: npt.NDArray[np.intp] | slice) -> Positions:
        """Return some of the positions."""
        arrays: Any = {name: taken(getattr(self, name), rows) for name in _ARRAYS}
        chosen = range(len(self))[rows] if isinstance(rows, slice) else np.arange(len(self))[rows].tolist()
        boards = self._boards and tuple(map(self._boards.__getitem__, chosen))
        return Positions(**arrays, rules=tuple(map(self.rules.__getitem__, chosen)), _boards=boards)

    @classmethod
    def join(cls, parts: Sequence[Positions]) -> Positions:
        """Put positions of one size one behind the other; the boards they came from are not kept."""
        arrays: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(**arrays, rules=tuple(chain.from_iterable(part.rules for part in parts)))


_ARRAYS = [each.name for each in fields(Positions) if each.name not in ("rules", "_boards")]

PositionsLike: TypeAlias = Positions | Sequence[Board] | npt.NDArray[np.int8]
"""Positions, boards of one size, or stones [n, row, column]."""


def as_positions(given: PositionsLike) -> Positions:
    """Return positions for boards or arrays of stones."""
    if isinstance(given, Positions):
        return given
    return Positions.of_stones(given) if isinstance(given, np.ndarray) else Positions.of(given)
