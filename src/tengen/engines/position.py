"""A position in the form that other programs accept: a board, stones set up on it, then moves.

The handicap bonus of the rules is included in the komi, because programs differ in whether they add it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.errors import TengenError
from tengen.go.board import Board, Move
from tengen.go.colour import Colour
from tengen.go.points import point_name
from tengen.go.rules import Rules


@dataclass(frozen=True)
class Line:
    """Stones that are set up, the first player to move, and the moves that follow."""

    width: int
    height: int
    rules: Rules
    komi: float
    """White's compensation: komi plus the handicap bonus of the rules."""
    handicap: int
    stones: tuple[Move, ...]
    first: Colour
    moves: tuple[Move, ...]
    earlier: int
    """Number of moves played before the stones were set up."""


def line_of(board: Board) -> Line:
    """Return the setup and the moves that led to a board, as far back as its moves can be undone."""
    start = board.copy()
    try:
        while True:
            start.undo()
    except TengenError:
        return _line(board, start, tuple(board.moves[start.move_number :]))


def stones_of(board: Board) -> Line:
    """Return a board as a setup of its stones without moves."""
    return _line(board, board, ())


def _line(board: Board, start: Board, moves: tuple[Move, ...]) -> Line:
    komi = board.komi + board.rules.bonus(board.handicap)
    sides = board.width, board.height
    return Line(
        *sides, board.rules, komi, board.handicap, _stones(start), start.to_play, moves, board.move_number - len(moves)
    )


def _stones(board: Board) -> tuple[Move, ...]:
    """Return the stones of a board, Black's first."""
    stones = board.stones
    colours: tuple[tuple[Colour, int], ...] = (("black", 1), ("white", -1))
    return tuple(
        Move(colour, point_name(row, column, board.height))
        for colour, sign in colours
        for row, column in np.argwhere(stones == sign).tolist()
    )
