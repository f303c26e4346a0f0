"""Players of one and two plies at full width: every position by itself, played on a board of its own."""

from __future__ import annotations

from collections.abc import Callable

from tengen.go.board import Board
from tengen.go.points import as_point

Value = Callable[[Board], float]
"""Black's value of a position."""


def moves_of(board: Board) -> list[str]:
    """Return the legal moves that neither fill a real eye nor repeat a position, row by row, then the pass."""
    legal = [board.move_name(i) for i in range(board.width * board.height)]
    legal = [move for move in legal if board.is_legal(move) and not fills_eye(board, move)]
    return [*(move for move in legal if survives(board, move) and not repeats(board, move)), "pass"]


def survives(board: Board, move: str) -> bool:
    after = played(board, move)
    return bool(after.stones[as_point(move, board.width, board.height)])


def repeats(board: Board, move: str) -> bool:
    after, past = played(board, move), board.copy()
    while True:
        same_turn = board.rules.ko != "SITUATIONAL" or past.to_play == after.to_play
        if same_turn and (past.stones == after.stones).all():
            return True
        if not past.moves:
            return False
        past.undo()


def fills_eye(board: Board, move: str) -> bool:
    own, stones = 1 if board.to_play == "black" else -1, board.stones
    row, column = as_point(move, board.width, board.height)

    def around(*steps: tuple[int, int]) -> list[int | None]:
        spots = [(row + r, column + c) for r, c in steps]
        on = [0 <= r < board.height and 0 <= c < board.width for r, c in spots]
        return [int(stones[spot]) if there else None for spot, there in zip(spots, on, strict=True)]

    if any(stone not in (own, None) for stone in around((-1, 0), (1, 0), (0, -1), (0, 1))):
        return False
    corners = around((-1, -1), (-1, 1), (1, -1), (1, 1))
    return corners.count(-own) + (None in corners) < 2


def played(board: Board, move: str) -> Board:
    after = board.copy()
    after.play(move)
    return after


def values_of(board: Board, value: Value, plies: int) -> dict[str, float]:
    """Return the value of each move for the player to move."""
    sign = 1 if board.to_play == "black" else -1
    found = {}
    for move in moves_of(board):
        after = played(board, move)
        if plies == 1 or after.is_over:
            found[move] = sign * value(after)
        else:
            found[move] = -max(values_of(after, value, plies - 1).values())
    return found
