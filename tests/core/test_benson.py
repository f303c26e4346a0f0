"""Unconditional life: cases from a Go book, then random boards against the naive twin."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.naive.benson import benson
from tests.naive.board import BLACK, WHITE

from .pairs import Pair, lines, random_game, random_pair


def drawn(pair: Pair) -> tuple[str, str]:
    """Stones alive and safe territory, X for Black's and O for White's."""
    return tuple("\n".join(" ".join(".XO"[v] for v in row) for row in area) for area in pair.core.benson())  # type: ignore


def assert_benson(drawing: str, alive: str, territory: str) -> None:
    assert drawn(Pair.of(drawing)) == (lines(alive), lines(territory))


def test_two_single_point_eyes_live() -> None:
    assert_benson(
        """
        . X . X O
        X X X X O
        O O O O O
        . . . . .
        """,
        """
        . X . X .
        X X X X .
        . . . . .
        . . . . .
        """,
        """
        X . X . .
        . . . . .
        . . . . .
        . . . . .
        """,
    )


def test_one_eye_does_not_live() -> None:
    nothing = "\n".join([". . . ."] * 3)
    assert_benson(". X O .\nX X O .\nO O O .", nothing, nothing)


def test_a_big_eye_counts_only_if_every_empty_point_touches_the_chain() -> None:
    assert_benson(
        """
        . . X . X O
        X X X X X O
        O O O O O O
        . . . . . .
        """,
        """
        . . X . X .
        X X X X X .
        . . . . . .
        . . . . . .
        """,
        """
        X X . X . .
        . . . . . .
        . . . . . .
        . . . . . .
        """,
    )
    nothing = "\n".join([". . . . . . ."] * 5)
    assert_benson(
        """
        . . . X . X O
        . . . X X X O
        X X X X O O O
        O O O O O . .
        . . . . . . .
        """,
        nothing,
        nothing,
    )


def test_an_enemy_stone_inside_an_eye_is_dead() -> None:
    assert_benson(
        """
        . O X . X
        X X X X X
        O O O O O
        . . . . .
        """,
        """
        . . X . X
        X X X X X
        . . . . .
        . . . . .
        """,
        """
        X X . X .
        . . . . .
        . . . . .
        . . . . .
        """,
    )


def test_two_chains_share_two_eyes() -> None:
    assert_benson(
        """
        . X . . .
        X . X . .
        X X X . .
        . . . . .
        """,
        """
        . X . . .
        X . X . .
        X X X . .
        . . . . .
        """,
        """
        X . . . .
        . X . . .
        . . . . .
        . . . . .
        """,
    )


def test_seki_is_not_unconditional() -> None:
    nothing = "\n".join([". . . . ."] * 3)
    assert_benson("X X . O O\nX X . O O\nX X . O O", nothing, nothing)


@pytest.mark.parametrize("drawing", ["X .\n. .", ". .\n. .", "X X\nX ."])
def test_nothing_lives_on_a_tiny_board(drawing: str) -> None:
    alive, territory = Pair.of(drawing).core.benson()
    assert not alive.any()
    assert not territory.any()


def assert_equals_twin(pair: Pair) -> None:
    alive, territory = pair.core.benson()
    for sign, colour in ((1, BLACK), (-1, WHITE)):
        stones, safe = benson(pair.naive, colour)
        assert set(map(tuple, np.argwhere(alive == sign).tolist())) == stones
        assert set(map(tuple, np.argwhere(territory == sign).tolist())) == safe


@pytest.mark.parametrize("seed", range(40))
def test_random_games_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    pair = random_pair(rng, largest=rng.choice((3, 5, 8)))
    for number, _ in enumerate(random_game(pair, 50, rng)):
        if number % 3 == 0:
            assert_equals_twin(pair)


def dense_pair(rng: random.Random, fill: float) -> Pair:
    """Stones thrown on the board, one colour mostly; whatever cannot breathe is taken off."""
    pair = random_pair(rng, largest=9)
    stones = pair.core.stones()
    for point in pair.naive.points():
        if rng.random() < fill:
            stones[point] = 1 if rng.random() < 0.85 else -1
    while (lifeless := pair.core.set_up(stones, BLACK)) >= 0:
        stones[divmod(lifeless, pair.naive.width)] = 0
    text = "\n".join(" ".join(".XO"[stone] for stone in row) for row in stones)
    return Pair.of(text)


def test_dense_boards_equal_the_twin() -> None:
    rng = random.Random(1)
    lives = 0
    for _ in range(150):
        pair = dense_pair(rng, rng.uniform(0.5, 0.95))
        assert_equals_twin(pair)
        lives += bool(pair.core.benson()[0].any())
    assert lives > 30


@pytest.mark.slow
def test_many_dense_boards_equal_the_twin() -> None:
    rng = random.Random(2)
    for _ in range(2000):
        assert_equals_twin(dense_pair(rng, rng.uniform(0.4, 0.97)))
