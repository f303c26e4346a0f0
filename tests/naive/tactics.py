"""Ladders and the facts of moves on copies of the naive board: every line is played out, nothing is cut short.

Readings of more than a budget of moves, and lines that run in a circle (a double ko), are given up with `TooLong`.
"""

from __future__ import annotations

from .board import LEGAL, NaiveBoard, Point, opponent

ESCAPES, CAPTURED, UNKNOWN = range(3)
BUDGET = 2_000


class TooLong(Exception):
    """The twin has lost patience."""


class NaiveReader:
    def __init__(self, budget: int = BUDGET) -> None:
        self.played, self.budget = 0, budget

    def after(self, board: NaiveBoard, point: Point, colour: int) -> NaiveBoard:
        self.played += 1
        copy = simple(board)
        copy.past = [*board.past]
        copy.play(point, colour)
        if self.played > self.budget or copy.past[-1] in copy.past[:-1]:
            raise TooLong
        return copy

    def attacked(self, board: NaiveBoard, stone: Point) -> bool:
        """Whether the enemy of a chain, moving first, captures it."""
        return bool(self.captures(board, stone))

    def captures(self, board: NaiveBoard, stone: Point) -> set[Point]:
        """The first moves with which the enemy captures."""
        liberties, enemy = board.liberties(stone), opponent(board.stones[stone])
        if len(liberties) > 2:
            return set()
        moves = {point for point in liberties if simple(board).objection(point, enemy) == LEGAL}
        return {p for p in moves if len(liberties) == 1 or not self.defended(self.after(board, p, enemy), stone)}

    def defended(self, board: NaiveBoard, stone: Point) -> bool:
        """Whether the owner of a chain, moving first, escapes."""
        needs_no_move = len(board.liberties(stone)) > 1 and not self.attacked(board, stone)
        return needs_no_move or bool(self.escapes(board, stone))

    def escapes(self, board: NaiveBoard, stone: Point) -> set[Point]:
        """The first moves with which the owner escapes: extensions and captures of chains that touch his."""
        colour = board.stones[stone]
        around = {n for own in board.chain(stone) for n in board.neighbours(own)}
        prey = [n for n in around if board.stones.get(n) == opponent(colour) and len(board.liberties(n)) == 1]
        moves = board.liberties(stone).union(*(board.liberties(n) for n in prey))
        moves = {point for point in moves if simple(board).objection(point, colour) == LEGAL}
        return {p for p in moves if not self.attacked(self.after(board, p, colour), stone)}


def simple(board: NaiveBoard) -> NaiveBoard:
    """A copy under simple ko without suicide."""
    return NaiveBoard(board.width, board.height, stones=dict(board.stones), ko=board.ko)


def facts(board: NaiveBoard, point: Point, colour: int) -> tuple[set[str], int, int, int]:
    """What a move does, then liberties and stones of its chain and the stones it takes."""
    board = simple(board)
    if board.objection(point, colour) != LEGAL:
        return set(), 0, 0, 0
    copy, reader = simple(board), NaiveReader()
    copy.play(point, colour)
    own = {chain for chain in board.chains() if board.stones[min(chain)] == colour}
    enemy = board.chains() - own
    touching = {chain for chain in own if any(n in chain for n in board.neighbours(point))}
    taken = {stone for stone in board.stones if stone not in copy.stones}
    put_in_atari = [c for c in enemy if len(board.liberties(min(c))) == 2 and point in board.liberties(min(c))]
    freed = [c for c in own if len(board.liberties(min(c))) == 1 and len(copy.liberties(min(c))) > 1]
    eye = all(board.stones.get(n) == colour for n in board.neighbours(point))
    diagonals = board.diagonals(point)
    bad = sum(board.stones.get(d) == opponent(colour) for d in diagonals) > (1 if len(diagonals) == 4 else 0)
    found = {
        "legal": True,
        "captures": bool(taken),
        "self-atari": len(copy.liberties(point)) == 1,
        "atari": bool(put_in_atari),
        "ladder": any(not reader.defended(copy, min(chain)) for chain in put_in_atari),
        "extends": bool(freed),
        "saves": any(not reader.attacked(copy, min(chain)) for chain in freed),
        "connects": len(touching) > 1,
        "fills eye": eye and not bad,
        "false eye": eye and bad,
        "sacrifice": is_sacrifice(board, point, colour),
    }
    words = {word for word, holds in found.items() if holds}
    return words, len(copy.liberties(point)), len(copy.chain(point)), len(taken)


def is_sacrifice(board: NaiveBoard, point: Point, colour: int) -> bool:
    """A self-atari that takes nothing: three to six stones in a killing shape, or one or two inside an eye.

    Inside: an enemy chain next to the point has the same last liberty.
    """
    after = simple(board)
    taken, _ = after.place(point, colour)
    last = after.liberties(point)
    if taken or len(last) != 1:
        return False
    if len(after.chain(point)) > 2:
        return is_killing_shape(after.chain(point))
    enemies = [n for n in board.neighbours(point) if board.stones.get(n) == opponent(colour)]
    return any(after.liberties(n) == last for n in enemies)


def is_killing_shape(stones: set[Point]) -> bool:
    """Three in any shape, a square or T of four, a bulky or crossed five, a rabbity six."""
    drawn = normal(stones)
    return any(drawn == normal(turned(shape, s)) for shape in KILLING for s in range(8))


def cells(*rows: str) -> set[Point]:
    return {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "X"}


KILLING = [
    cells("XXX"),
    cells("XX", "X."),
    cells("XX", "XX"),
    cells("XXX", ".X."),
    cells("XXX", ".XX"),
    cells(".X.", "XXX", ".X."),
    cells(".X.", "XXX", ".XX"),
]


def turned(stones: set[Point], symmetry: int) -> set[Point]:
    for _ in range(symmetry % 4):
        stones = {(c, -r) for r, c in stones}
    return {(r, -c) for r, c in stones} if symmetry >= 4 else stones


def normal(stones: set[Point]) -> set[Point]:
    top, left = min(r for r, _ in stones), min(c for _, c in stones)
    return {(r - top, c - left) for r, c in stones}
