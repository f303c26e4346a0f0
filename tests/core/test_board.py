"""Captures, chains, liberties and simple ko: cases from a Go book, then random games against the naive twin."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen._core import Position
from tests.naive.board import BLACK, KO, LEGAL, OCCUPIED, SUICIDE, WHITE

from .pairs import Pair, assert_equal, assert_same_moves_allowed, lines, random_game, random_pair


def after(drawing: str, moves: str, to_play: int = BLACK, **rules: int) -> Pair:
    pair = Pair.of(drawing, to_play, **rules)
    pair.moves(moves)
    return pair


def test_a_corner_stone_is_taken() -> None:
    pair = after(
        """
        O . .
        X . .
        . . .
        """,
        "B3",
    )
    assert pair.text() == lines(
        """
        . X .
        X . .
        . . .
        """
    )
    assert pair.core.captures(BLACK) == 1


def test_a_chain_on_the_edge_is_taken_whole() -> None:
    pair = after(
        """
        X O O O .
        . X X X .
        . . . . .
        """,
        "E3",
    )
    assert pair.text() == lines(
        """
        X . . . X
        . X X X .
        . . . . .
        """
    )
    assert pair.core.captures(BLACK) == 3


def test_one_move_takes_three_chains() -> None:
    pair = after(
        """
        . X . X .
        X O . O X
        . X O X .
        . . X . .
        """,
        "C3",
    )
    assert pair.text() == lines(
        """
        . X . X .
        X . X . X
        . X . X .
        . . X . .
        """
    )
    assert pair.core.captures(BLACK) == 3
    assert pair.core.ko == 20


def test_a_ko_may_not_be_retaken_at_once() -> None:
    pair = after(
        """
        . X O .
        X O . O
        . X O .
        . . . .
        """,
        "C3",
    )
    assert pair.text() == lines(
        """
        . X O .
        X . X O
        . X O .
        . . . .
        """
    )
    assert pair.core.ko == pair.index((1, 1))
    assert pair.objection("B3") == KO
    assert pair.objection("B3", BLACK) == LEGAL
    pair.moves("D1 A1")
    assert pair.core.ko == 16
    assert pair.objection("B3", WHITE) == LEGAL


def test_a_pass_lifts_the_ko() -> None:
    pair = after(
        """
        . X O .
        X O . O
        . X O .
        . . . .
        """,
        "C3 pass pass",
    )
    assert pair.objection("B3", WHITE) == LEGAL


def test_taking_two_stones_is_no_ko() -> None:
    pair = after(
        """
        X O O .
        . X X O
        . . . .
        """,
        "D3",
    )
    assert pair.text() == lines(
        """
        X . . X
        . X X O
        . . . .
        """
    )
    assert pair.core.ko == 12
    pair.moves("C3")
    assert pair.text() == lines(
        """
        X . O .
        . X X O
        . . . .
        """
    )
    assert pair.core.ko == 12


def test_taking_one_stone_with_a_chain_is_no_ko() -> None:
    pair = after(
        """
        O . X O
        X X X O
        O O O O
        . . . .
        """,
        "B4",
    )
    assert pair.core.captures(BLACK) == 1
    assert pair.core.ko == 16


def test_taking_one_stone_with_a_liberty_to_spare_is_no_ko() -> None:
    pair = after(
        """
        . X . .
        X O . .
        . X O .
        . . . .
        """,
        "C3",
    )
    assert pair.core.captures(BLACK) == 1
    assert pair.core.ko == 16


def test_a_snapback_gives_one_stone_and_takes_seven() -> None:
    pair = after(
        """
        X O . . O X
        X O O O O X
        X X X X X X
        . . . . . .
        """,
        "C4 D4",
    )
    assert pair.text() == lines(
        """
        X O . O O X
        X O O O O X
        X X X X X X
        . . . . . .
        """
    )
    assert pair.core.ko == 24
    pair.moves("C4")
    assert pair.text() == lines(
        """
        X . X . . X
        X . . . . X
        X X X X X X
        . . . . . .
        """
    )
    assert (pair.core.captures(BLACK), pair.core.captures(WHITE)) == (7, 1)


def test_a_throw_in_that_cannot_breathe_is_suicide() -> None:
    pair = Pair.of(
        """
        . X O . O
        . X O O O
        . X X . X
        """
    )
    assert pair.objection("D3", BLACK) == SUICIDE
    assert pair.objection("D3", WHITE) == LEGAL


def test_no_single_suicide_even_where_suicide_is_allowed() -> None:
    for suicide in (False, True):
        pair = Pair.of(
            """
            . O .
            O . .
            . . .
            """,
            suicide=suicide,
        )
        assert pair.objection("A3", BLACK) == SUICIDE
        assert pair.objection("A3", WHITE) == LEGAL


def test_suicide_of_a_chain_by_rule() -> None:
    drawing = """
        X . O .
        O O O .
        . . . .
    """
    assert Pair.of(drawing).objection("B3") == SUICIDE
    pair = after(drawing, "B3", suicide=True)
    assert pair.text() == lines(
        """
        . . O .
        O O O .
        . . . .
        """
    )
    assert (pair.core.captures(BLACK), pair.core.captures(WHITE)) == (0, 2)
    assert pair.core.ko == 12


def test_a_capture_rescues_from_suicide() -> None:
    pair = after(
        """
        O . O .
        X O . .
        . . . .
        """,
        "B3",
    )
    assert pair.text() == lines(
        """
        . X O .
        X O . .
        . . . .
        """
    )
    assert pair.objection("A3") == KO


def test_an_occupied_point_is_refused() -> None:
    pair = after("X .\n. .", "")
    assert pair.objection("A2", WHITE) == OCCUPIED
    with pytest.raises(ValueError, match="occupied"):
        pair.core.play(0, WHITE)


def test_the_smallest_board() -> None:
    pair = Pair(2, 2)
    pair.moves("A1 A2 B2")
    assert pair.text() == ". X\nX ."
    assert pair.core.captures(BLACK) == 1
    assert pair.objection("A2") == SUICIDE


def test_a_board_two_wide() -> None:
    pair = after(
        """
        . O
        O X
        O .
        X X
        """,
        "A4",
    )
    assert pair.text() == lines(
        """
        X .
        O X
        O .
        X X
        """
    )
    assert pair.core.ko == pair.index((0, 1))
    assert pair.objection("B4") == KO


def test_a_long_chain_on_the_largest_board() -> None:
    pair = Pair(25, 25)
    for column in range(25):
        for row in range(25) if column % 2 == 0 else [24 if column % 4 == 1 else 0]:
            pair.core.play(row * 25 + column, BLACK)
    assert pair.core.chain_points(0) == sorted(np.flatnonzero(pair.core.stones()).tolist())
    assert len(pair.core.chain_liberties(0)) == int((pair.core.stones() == 0).sum())


@pytest.mark.parametrize("seed", range(300))
def test_random_games_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    pair = random_pair(rng, largest=rng.choice((3, 5, 7)))
    for _ in random_game(pair, 40, rng):
        assert_equal(pair)
        assert_same_moves_allowed(pair)


@pytest.mark.parametrize(("width", "height"), [(25, 25), (19, 19), (13, 13), (9, 9), (25, 2), (2, 25), (11, 17)])
def test_random_games_on_large_boards_equal_the_twin(width: int, height: int) -> None:
    rng = random.Random(width * 32 + height)
    pair = Pair(width, height, rng.randrange(3), suicide=True)
    for number, _ in enumerate(random_game(pair, width * height, rng)):
        assert_equal(pair)
        if number % 64 == 63:
            assert_same_moves_allowed(pair)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 3000, 50))
def test_many_random_games_equal_the_twin(first: int) -> None:
    for seed in range(first, first + 50):
        rng = random.Random(10_000 + seed)
        pair = random_pair(rng, largest=rng.choice((3, 4, 5, 6, 9)) if seed % 100 else 25)
        for _ in random_game(pair, 60, rng):
            assert_equal(pair)
            assert_same_moves_allowed(pair)


def count_sequences(pair: Pair, depth: int) -> tuple[int, int]:
    """How many legal sequences of this many moves and passes there are, by the core and by the twin."""
    if depth == 0:
        return 1, 1
    colour, total = pair.naive.to_play, np.zeros(2, dtype=np.int64)
    for point in [*pair.naive.points(), None]:
        allowed = [pair.core.objection(pair.index(point), colour) == 0, pair.naive.objection(point, colour) == 0]
        assert allowed[0] == allowed[1]
        if allowed[0]:
            pair.play(point, colour)
            total += count_sequences(pair, depth - 1)
            pair.undo()
    return int(total[0]), int(total[1])


def core_sequences(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    colour, total = position.to_play, 0
    for index in [*np.flatnonzero(position.legal_mask(colour)).tolist(), position.width * position.height]:
        position.play(index, colour)
        total += core_sequences(position, depth - 1)
        position.undo()
    return total


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("ko", [0, 1, 2])
@pytest.mark.parametrize(("side", "depth"), [(2, 5), (3, 3)])
def test_perft(side: int, depth: int, ko: int, suicide: bool) -> None:
    core, naive = count_sequences(Pair(side, side, ko, suicide), depth)
    assert core == naive == core_sequences(Position(side, side, ko, suicide), depth)
