"""Response patterns spelled out: the least of eight sorted tuples of what is seen at each offset, no numbers drawn."""

from __future__ import annotations

from .board import NaiveBoard, Point
from .move_pattern import around
from .pattern import turned

SIZES = range(4, 10)


def responses(board: NaiveBoard, move: Point) -> list[object]:
    """What each of the eight columns sees around a move of the player to move; None where one does not apply."""
    last = board.moves[-1][0] if board.moves else None
    offset = None if last is None else (last[0] - move[0], last[1] - move[1])
    contacts = [*seen(board, move, 3), *liberties(board, move)]
    found: list[object] = []
    for size in SIZES:
        near = offset is not None and offset in [(0, 0), *around(size)]
        found.append(least([*seen(board, move, size), (offset, "last")]) if near else None)
    near = offset is not None and offset in [(0, 0), *around(9)]
    return [*found, least(contacts), least([*contacts, (offset, "last")]) if near else None]


def least(things):
    """The same for all rotations and reflections."""
    return min(tuple(sorted((turned(place, g), what) for place, what in things)) for g in range(8))


def seen(board: NaiveBoard, move: Point, size: int):
    """Stones, own or enemy, and points off the board; empty points are left out."""
    for offset in around(size):
        point = move[0] + offset[0], move[1] + offset[1]
        if not (0 <= point[0] < board.height and 0 <= point[1] < board.width):
            yield offset, "off"
        elif point in board.stones:
            yield offset, "own" if board.stones[point] == board.to_play else "enemy"


def liberties(board: NaiveBoard, move: Point):
    """The liberties of the chains next to the move, three standing for more."""
    for offset in ((-1, 0), (0, -1), (0, 1), (1, 0)):
        point = move[0] + offset[0], move[1] + offset[1]
        if point in board.stones:
            yield offset, str(min(3, len(board.liberties(point))))
