"""Virtual visits and wins of moves in pure Python, from the facts of the naive reader; weights as in prior.hpp."""

from __future__ import annotations

from .board import NaiveBoard, Point, opponent
from .knowing_playout import fits_any
from .tactics import facts

EVEN, SELF_ATARI, ONE, MORE, PATTERN, NEAR, PASS = 10, 10, 15, 30, 10, (10, 8, 4), 10
Prior = tuple[float, float]  # visits, wins


def prior(board: NaiveBoard, point: Point, colour: int, last: Point | None, drawings: list[str]) -> Prior:
    words, _, stones, taken = facts(board, point, colour)
    good = 0
    if "captures" in words:
        good += by_size(taken)
    if "ladder" in words:
        enemies = [n for n in board.neighbours(point) if board.stones.get(n) == opponent(colour)]
        good += by_size(max(len(board.chain(n)) for n in enemies if len(board.liberties(n)) == 2))
    if "saves" in words:
        good += by_size(stones - 1)
    if fits_any(drawings, around(board, point)):
        good += PATTERN
    distance = fate_distance(board, last, point)
    if distance is not None and 0 < distance < 4:
        good += NEAR[distance - 1]
    bad = SELF_ATARI if "self-atari" in words and not words & {"captures", "sacrifice"} else 0
    opening = open_prior(board, point)
    good, bad = good + max(opening, 0), bad + max(-opening, 0)
    return EVEN + good + bad, EVEN / 2 + good


def open_prior(board: NaiveBoard, point: Point) -> int:
    """For the usual points of an empty corner and lines 3 and 4 far from stones, against the edge and the centre."""
    row, column = point
    lines = sorted((min(row, board.height - 1 - row), min(column, board.width - 1 - column)))
    large = min(board.width, board.height) >= 13
    usual = {(3, 3): 20, (2, 3): 20, (2, 2): 10, (2, 4): 10}
    if large and tuple(lines) in usual and not any(is_same_corner(board, point, stone) for stone in board.stones):
        return usual[lines[0], lines[1]]
    if any(abs(r - row) + abs(c - column) <= 3 for r, c in board.stones):
        return 0
    return (-10, -10, 10, 8 * large, -5 * large)[min(lines[0], 4)]


def is_same_corner(board: NaiveBoard, point: Point, stone: Point) -> bool:
    """Whether a stone is within seven lines of the corner that a point lies in."""
    return all(
        other < 7 if 2 * here < size else other >= size - 7
        for here, other, size in zip(point, stone, (board.height, board.width), strict=True)
    )


def pass_prior() -> Prior:
    return EVEN + PASS, EVEN / 2


def by_size(stones: int) -> int:
    return MORE if stones > 1 else ONE


def around(board: NaiveBoard, point: Point) -> str:
    """The nine letters round a point."""
    on_board = set(board.points())
    cells = [(point[0] + dr, point[1] + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)]
    return "".join(".XO"[board.stones.get(cell, 0)] if cell in on_board else "#" for cell in cells)


def fate_distance(board: NaiveBoard, start: Point | None, goal: Point) -> int | None:
    """Steps between two points when the stones of a chain count as one."""
    if start is None:
        return None
    level, seen, steps = whole(board, start), set(), 0
    while goal not in level:
        seen |= level
        level = {q for p in level for n in board.neighbours(p) for q in whole(board, n)} - seen
        steps += 1
        if not level:
            return None
    return steps


def whole(board: NaiveBoard, point: Point) -> set[Point]:
    return board.chain(point) if point in board.stones else {point}
