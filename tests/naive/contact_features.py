"""Contact features of moves, spelled out on the naive board."""

from __future__ import annotations

from tengen.views.contact_features import CONTACT_LEVELS

from .board import NaiveBoard, Point, opponent


def contact_levels(board: NaiveBoard, colour: int, move: Point | None) -> list[int]:
    """The levels of a legal move; None is the pass."""
    full = next(i for i in range(12, 0, -1) if 12 * len(board.stones) >= (i - 1) * len(board.points()))
    if move is None:
        return [0] * 7 + [full]
    before = [point for point, _ in board.moves[::-1]]
    last, second_last = [*before, None, None][:2]
    return [
        min(6, liberties_after(board, colour, move)),
        weakest(board, opponent(colour), move),
        weakest(board, colour, move),
        5 * len(touched(board, colour, move)) + len(touched(board, opponent(colour), move)),
        offset(move, last),
        offset(move, second_last),
        lines(board, move),
        full,
    ]


def liberties_after(board: NaiveBoard, colour: int, move: Point) -> int:
    stones, _ = board.after(move, colour)
    later = NaiveBoard(board.width, board.height)
    later.stones = dict(stones)
    return len(later.liberties(move))


def touched(board: NaiveBoard, colour: int, move: Point) -> set[frozenset[Point]]:
    return {frozenset(board.chain(n)) for n in board.neighbours(move) if board.stones.get(n) == colour}


def weakest(board: NaiveBoard, colour: int, move: Point) -> int:
    chains = [(min(4, len(board.liberties(min(c)))), -len(c)) for c in touched(board, colour, move)]
    if not chains:
        return 0
    liberties, size = min(chains)
    return 1 + 4 * (liberties - 1) + {1: 0, 2: 1, 3: 2, 4: 2}.get(-size, 3)


def pairs(most: int) -> list[tuple[int, int]]:
    """(0, 0), (0, 1), (1, 1), (0, 2) and so on."""
    return [(less, more) for more in range(most + 1) for less in range(more + 1)]


def offset(move: Point, other: Point | None) -> int:
    if other is None:
        return 0
    pair = tuple(sorted(abs(a - b) for a, b in zip(move, other, strict=True)))
    return pairs(7).index(pair) + 1 if pair in pairs(7) else 0


def lines(board: NaiveBoard, move: Point) -> int:
    (row, column) = move
    sides = (min(row, board.height - 1 - row), min(column, board.width - 1 - column))
    level = pairs(9).index(tuple(sorted(min(9, side) for side in sides))) + 1
    assert level <= CONTACT_LEVELS["lines"]
    return level
