"""A core position and its naive twin, kept side by side; boards drawn as in a Go book."""

from __future__ import annotations

import random
from collections.abc import Iterator
from textwrap import dedent

import numpy as np

from tengen._core import Position
from tests.naive.board import BLACK, WHITE, NaiveBoard, Point

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
LETTERS = {".": 0, "X": 1, "O": -1}


class Pair:
    """The same moves on both boards."""

    def __init__(self, width: int, height: int, ko: int = 0, suicide: bool = False) -> None:
        self.core = Position(width, height, ko, suicide)
        self.naive = NaiveBoard(width, height, ko, suicide)

    @classmethod
    def of(cls, drawing: str, to_play: int = BLACK, ko: int = 0, suicide: bool = False) -> Pair:
        """A position drawn with X, O and . (a new start: nothing to undo or repeat)."""
        stones = array_of(drawing)
        height, width = stones.shape
        pair = cls(width, height, ko, suicide)
        assert pair.core.set_up(stones, to_play) == -1
        pair.naive = NaiveBoard(width, height, ko, suicide, stones_of(stones), to_play)
        return pair

    def index(self, point: Point | None) -> int:
        width, height = self.naive.width, self.naive.height
        return width * height if point is None else point[0] * width + point[1]

    def play(self, point: Point | None, colour: int) -> None:
        self.core.play(self.index(point), colour)
        self.naive.play(point, colour)

    def undo(self) -> None:
        self.core.undo()
        self.naive.undo()

    def moves(self, text: str) -> None:
        """Plays GTP names in turn, each of which must be legal."""
        for name in text.split():
            point, colour = self.point(name), self.naive.to_play
            assert self.core.objection(self.index(point), colour) == 0, name
            self.play(point, colour)
            assert_equal(self)

    def point(self, name: str) -> Point | None:
        return None if name == "pass" else (self.naive.height - int(name[1:]), COLUMNS.index(name[0]))

    def objection(self, name: str, colour: int | None = None) -> int:
        return int(self.core.objection(self.index(self.point(name)), colour or self.core.to_play))

    def text(self) -> str:
        return "\n".join(" ".join(".XO"[stone] for stone in row) for row in self.core.stones())


def lines(drawing: str) -> str:
    return dedent(drawing).strip()


def array_of(drawing: str) -> np.ndarray:
    rows = [[LETTERS[letter] for letter in row.split()] for row in lines(drawing).splitlines()]
    return np.array(rows, dtype=np.int8)


def stones_of(stones: np.ndarray) -> dict[Point, int]:
    return {(int(r), int(c)): BLACK if stones[r, c] == 1 else WHITE for r, c in np.argwhere(stones)}


def stones_array(board: NaiveBoard) -> np.ndarray:
    stones = np.zeros((board.height, board.width), dtype=np.int8)
    for point, colour in board.stones.items():
        stones[point] = 1 if colour == BLACK else -1
    return stones


def assert_equal(pair: Pair) -> None:
    """Everything the core says of its position equals what the twin says."""
    core, naive = pair.core, pair.naive
    assert (core.stones() == stones_array(naive)).all()
    assert core.to_play == naive.to_play
    assert core.ko == pair.index(naive.ko[0] if naive.ko else None)
    assert [core.captures(BLACK), core.captures(WHITE)] == [naive.captures[BLACK], naive.captures[WHITE]]
    assert (core.passes, core.undoable, core.move_count) == (naive.passes, len(naive.snapshots), len(naive.moves))
    assert_chains_equal(pair)


def assert_chains_equal(pair: Pair) -> None:
    core, naive = pair.core, pair.naive
    heads, counts = core.chain_heads(), core.liberty_counts()
    for chain in naive.chains():
        some = next(iter(chain))
        liberties = sorted(map(pair.index, naive.liberties(some)))
        assert core.chain_points(pair.index(some)) == sorted(map(pair.index, chain))
        assert core.chain_liberties(pair.index(some)) == liberties
        assert {int(counts[p]) for p in chain} == {len(liberties)}
        assert len({int(heads[p]) for p in chain}) == 1
        assert int(heads[some]) in map(pair.index, chain)
    empty = core.stones() == 0
    assert (heads[empty] == -1).all()
    assert (counts[empty] == 0).all()


def assert_same_moves_allowed(pair: Pair) -> None:
    """Legal moves of both colours are the same, and so are the reasons against the others."""
    for colour in (BLACK, WHITE):
        mask = pair.core.legal_mask(colour)
        for point in pair.naive.points():
            objection = pair.naive.objection(point, colour)
            assert pair.core.objection(pair.index(point), colour) == objection
            assert mask[point] == (objection == 0)


def random_game(pair: Pair, moves: int, rng: random.Random) -> Iterator[Pair]:
    """Plays at random and yields after every move: now and then a pass, or a move out of turn or against the rules."""
    for _ in range(moves):
        colour = pair.naive.to_play if rng.random() < 0.9 else rng.choice((BLACK, WHITE))
        point = random_point(pair, colour, rng)
        pair.play(point, colour)
        yield pair


def random_point(pair: Pair, colour: int, rng: random.Random) -> Point | None:
    if rng.random() < 0.03:
        return None
    rules = rng.random() < 0.97
    empty = [p for p in pair.naive.points() if p not in pair.naive.stones]
    rng.shuffle(empty)
    for point in empty:
        if not rules or pair.core.objection(pair.index(point), colour) == 0:
            return point
    return None


def random_pair(rng: random.Random, largest: int = 9) -> Pair:
    """An empty board of any shape under any rules."""
    width, height = rng.randint(2, largest), rng.randint(2, largest)
    return Pair(width, height, rng.randrange(3), rng.random() < 0.5)
