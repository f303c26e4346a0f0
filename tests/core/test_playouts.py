"""Playouts: owner counts, leads and lengths equal the naive twin's bit for bit, for any number of threads."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen._core import Position
from tests.naive.board import BLACK
from tests.naive.playout import PlayoutBoard, owner_counts

from .pairs import Pair, random_game

SIMPLE, DIAGONAL = 0, 1


def assert_playouts_equal(pair: Pair, n: int, seed: int, eye: int, first: int) -> None:
    black, white, moves, leads = pair.core.owner_counts(n, seed, 1, eye, first)
    twin = owner_counts(pair.naive, n, seed, diagonal=eye == DIAGONAL, first=first)
    for counts, expected in ((black, twin.black), (white, twin.white)):
        assert {(int(r), int(c)): int(counts[r, c]) for r, c in np.argwhere(counts)} == expected
    assert moves == twin.moves
    assert leads.tolist() == twin.leads


@pytest.mark.parametrize("first", [1, 2, 3])
@pytest.mark.parametrize("eye", [SIMPLE, DIAGONAL])
@pytest.mark.parametrize(
    ("width", "height", "n"),
    [
        (2, 2, 20),
        (3, 3, 20),
        (2, 9, 10),
        (7, 5, 10),
        (5, 7, 10),
        (9, 9, 6),
        (10, 10, 3),
        pytest.param(13, 13, 2, marks=pytest.mark.slow),
    ],
)
def test_empty_boards_equal_the_twin(width: int, height: int, n: int, eye: int, first: int) -> None:
    assert_playouts_equal(Pair(width, height), n, 7 * width + height, eye, first)


@pytest.mark.parametrize("side", [19, pytest.param(25, marks=pytest.mark.slow)])
def test_the_largest_boards_equal_the_twin(side: int) -> None:
    assert_playouts_equal(Pair(side, side), 1, side, DIAGONAL, BLACK)


@pytest.mark.slow
@pytest.mark.parametrize("side", [19, 25])
def test_the_largest_boards_with_simple_eyes_equal_the_twin(side: int) -> None:
    assert_playouts_equal(Pair(side, side), 1, side, SIMPLE, BLACK)


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed == 2)) for seed in range(24)])
def test_boards_in_mid_game_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(3, 3), (5, 5), (6, 4), (7, 7), (9, 9), (9, 9), (13, 13)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(1, width * height), rng):
        pass
    assert_playouts_equal(pair, 4, seed, seed % 2, 1 + seed % 3)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_a_ko_in_force_is_respected(first: int) -> None:
    pair = Pair.of(
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        """
    )
    pair.moves("C3")
    assert pair.core.ko == 6
    assert_playouts_equal(pair, 40, 3, DIAGONAL, first)


def test_a_false_eye_is_filled_under_one_rule_only() -> None:
    drawing = """
        . X . X .
        X O X X .
        O O . . .
    """
    pair = Pair.of(drawing)
    board = PlayoutBoard.of(pair.naive)
    assert board.is_eye((0, 0), BLACK, diagonal=False)
    assert not board.is_eye((0, 0), BLACK, diagonal=True)
    for eye in (SIMPLE, DIAGONAL):
        assert_playouts_equal(pair, 30, 5, eye, 3)


@pytest.mark.parametrize("side", [5, 9, 19])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 333])
def test_threads_change_nothing(side: int, n: int) -> None:
    position = Position(side, side)
    alone = position.owner_counts(n, 11, 1, DIAGONAL, 3)
    for threads in (2, 3, 5):
        together = position.owner_counts(n, 11, threads, DIAGONAL, 3)
        assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    position = Position(9, 9)
    leads = position.owner_counts(200, 2, 2, DIAGONAL, 1)[3]
    assert (position.owner_counts(50, 2, 1, DIAGONAL, 1)[3] == leads[:50]).all()
    assert (position.owner_counts(200, 3, 1, DIAGONAL, 1)[3] != leads).any()


def test_playouts_leave_the_position_alone() -> None:
    pair = Pair(9, 9)
    pair.moves("E5 C3")
    before = pair.core.hash, pair.core.stones().tolist()
    pair.core.owner_counts(100, 1, 2, DIAGONAL, 1)
    assert (pair.core.hash, pair.core.stones().tolist()) == before


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 2), (9, 9), (25, 25)])
def test_no_playout_is_longer_than_three_boards(width: int, height: int) -> None:
    position = Position(width, height)
    lengths = [position.owner_counts(1, seed, 1, DIAGONAL, 1)[2] for seed in range(100)]
    assert max(lengths) <= 3 * width * height
    if width == 2:
        assert max(lengths) == 3 * width * height


def test_counts_and_leads_belong_together() -> None:
    black, white, _, leads = Position(9, 9).owner_counts(500, 4, 1, DIAGONAL, 3)
    assert int(black.sum()) - int(white.sum()) == int(leads.sum())
    assert (black + white <= 500).all()
    assert abs(leads).max() <= 81


def test_a_crowded_board_equals_the_twin() -> None:
    pair = Pair.of(". X . X\nX X X X\nX X X X\nO . O O")
    assert_playouts_equal(pair, 20, 1, DIAGONAL, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_many_boards_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed + 1000)
    width, height = rng.choice([(rng.randint(2, 12), rng.randint(2, 12)), (9, 9), (13, 13)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(0, 2 * width * height), rng):
        pass
    assert_playouts_equal(pair, 4, seed, seed % 2, 1 + seed % 3)
