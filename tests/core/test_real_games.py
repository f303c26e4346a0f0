"""Real games against an independent board: sgfmill's. Positions and ko after every move, captures at the end."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest

from tengen._core import Position
from tests.naive.board import BLACK, WHITE, opponent
from tests.naive.playout import MASK, scatter

from .game_lines import SETUP, Line, files, games

sgfmill_boards = pytest.importorskip("sgfmill.boards", reason="sgfmill, the independent board, is not installed")

SGFMILL_COLOUR = {BLACK: "b", WHITE: "w"}
COLOUR = {"b": BLACK, "w": WHITE}


def zobrist(row: int, column: int, colour: int) -> int:
    return scatter(0x9E3779B97F4A7C15 * ((row * 32 + column) * 4 + colour + 1) & MASK)


KEYS = {
    (row, column, letter): zobrist(row, column, colour)
    for row in range(19)
    for column in range(19)
    for letter, colour in COLOUR.items()
}


class Oracle:
    """sgfmill's board, watched: what changed since the last look, hashed as the core hashes, and stones counted off."""

    def __init__(self, size: int) -> None:
        self.board = sgfmill_boards.Board(size)
        self.seen: list[list[str | None]] = [[None] * size for _ in range(size)]
        self.hash = 0
        self.taken = {BLACK: 0, WHITE: 0}
        self.ko: int | None = None

    def play(self, index: int, colour: int) -> None:
        size = self.board.side
        ko = None if index == size * size else self.board.play(*divmod(index, size), SGFMILL_COLOUR[colour])
        self.ko = size * size if ko is None else ko[0] * size + ko[1]
        self.look()

    def set_up(self, codes: list[int]) -> None:
        size = self.board.side
        black = [divmod(code >> 4, size) for code in codes if code >> 2 & 3 == BLACK]
        white = [divmod(code >> 4, size) for code in codes if code >> 2 & 3 == WHITE]
        assert self.board.apply_setup(black, white, [])
        self.look()

    def look(self) -> None:
        """Compares every row with what it was; only rows that differ are read point by point."""
        for row, (now, before) in enumerate(zip(self.board.board, self.seen, strict=True)):
            if now != before:
                for column, (new, old) in enumerate(zip(now, before, strict=True)):
                    if new is not old:
                        self.change(row, column, old, new)
                self.seen[row] = now[:]

    def change(self, row: int, column: int, old: str | None, new: str | None) -> None:
        if old is not None:
            self.hash ^= KEYS[row, column, old]
            self.taken[opponent(COLOUR[old])] += 1
        if new is not None:
            self.hash ^= KEYS[row, column, new]

    def stones(self) -> list[list[int]]:
        return [[{"b": 1, "w": -1, None: 0}[stone] for stone in row] for row in self.board.board]


def compare(game: Line) -> int:
    """Plays a game on both boards; returns how many moves were compared."""
    oracle, position = Oracle(game.size), Position(game.size, game.size)
    if game.setup:
        assert all(code & 3 == SETUP for code in game.setup)
        oracle.set_up(game.setup)
        assert position.replay(game.events, 0) == []
    for number, code in enumerate(game.moves, start=1):
        colour, index = code >> 2 & 3, code >> 4
        assert position.objection(index, colour) == 0, (game.name, number)
        position.play(index, colour)
        oracle.play(index, colour)
        if position.hash != oracle.hash or position.ko != oracle.ko:
            pytest.fail(f"{game.name}: the boards differ after move {number}")
    assert position.stones().tolist() == oracle.stones(), game.name
    assert [position.captures(by) for by in (BLACK, WHITE)] == [oracle.taken[by] for by in (BLACK, WHITE)], game.name
    return len(game.moves)


def test_four_hundred_games() -> None:
    paths = files()
    each = -(-400 // len(paths))
    sizes = Counter(game.size for path in paths for game in games(path, limit=each, step=7) if compare(game))
    assert sizes.total() >= 400
    assert {9, 13, 19} <= set(sizes)


@pytest.mark.slow
def test_twenty_thousand_games() -> None:
    paths = files()
    sizes = Counter(game.size for path in paths for game in games(path, limit=1900, step=2) if compare(game))
    assert sizes.total() >= 20_000
    assert {9, 13, 19} <= set(sizes)


@pytest.mark.slow
def test_every_game_replays_without_an_irregular_move() -> None:
    irregular, repeated, count = [], 0, 0
    for path in files():
        for game in games(path):
            position = Position(game.size, game.size)
            if moves := position.replay(game.events, -1):
                irregular.append((path.name, game.name, moves))
            repeated += bool(Position(game.size, game.size, 1).replay(game.events, -1))
            count += 1
    assert irregular == []
    warnings.warn(f"{count:,} games replayed; {repeated} of them repeat a position", stacklevel=1)
