"""Playouts that know a little Go: move by move the naive twin's, legal, and better judges of dead stones."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen._core import Knowledge, Position
from tengen.go.board import Board
from tests.naive.board import BLACK, LEGAL, WHITE, NaiveBoard, opponent
from tests.naive.knowing_playout import NaiveKnowledge, fits_any, knowing_moves
from tests.naive.playout import PlayoutBoard

from .dev import local_patterns
from .pairs import Pair, random_game

DIAGONAL = 1
DRAWINGS, CODES = local_patterns()


def twin_of(knowledge: Knowledge) -> NaiveKnowledge:
    return NaiveKnowledge(**{name: getattr(knowledge, name) for name in NaiveKnowledge.__dataclass_fields__})


def assert_moves_equal(pair: Pair, colour: int, seed: int, index: int, knowledge: Knowledge) -> None:
    found = pair.core.playout_moves(colour, seed, index, DIAGONAL, knowledge)
    expected = knowing_moves(pair.naive, colour, seed, index, twin_of(knowledge), DRAWINGS)
    assert found == [pair.index(point) for point in expected]


@pytest.mark.parametrize(
    ("width", "height"),
    [(2, 2), (3, 3), (2, 9), (7, 5), *(pytest.param(side, side, marks=pytest.mark.slow) for side in (9, 13))],
)
def test_empty_boards_equal_the_twin(width: int, height: int) -> None:
    for index in range(3):
        assert_moves_equal(Pair(width, height), 1 + index % 2, 5, index, Knowledge(ladder=30 * index))


@pytest.mark.parametrize("seed", range(24))
def test_boards_in_mid_game_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(3, 3), (5, 5), (6, 4), (7, 7), (9, 9)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(1, width * height), rng):
        pass
    knowledge = rng.choice(
        [
            Knowledge(),
            Knowledge(50, 50, 50, 50, 50),
            Knowledge(100, 0, 100, 0, 100),
            Knowledge(0, 100, 0, 100),
        ]
    )
    assert_moves_equal(pair, 1 + seed % 2, seed, 7, knowledge)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_many_boards_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed + 1000)
    width, height = rng.choice([(rng.randint(2, 12), rng.randint(2, 12)), (9, 9), (19, 19), (25, 25)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(0, width * height), rng):
        pass
    assert_moves_equal(pair, 1 + seed % 2, seed, seed, Knowledge(ladder=95 if max(width, height) < 13 else 0))


def test_without_knowledge_they_are_uniform_in_all_but_the_stream() -> None:
    """No move is refused but what a uniform playout refuses: the lengths have the same mean."""
    know_nothing = Position(9, 9).owner_counts(2000, 1, 1, DIAGONAL, 1, Knowledge(0, 0, 0, 0))[2] / 2000
    uniform = Position(9, 9).owner_counts(2000, 1, 1, DIAGONAL, 1)[2] / 2000
    assert know_nothing == pytest.approx(uniform, abs=1.5)


@pytest.mark.parametrize("seed", range(6))
def test_every_move_is_legal_and_the_owners_are_those_of_the_last_board(seed: int) -> None:
    position, board, colour = Position(9, 9), NaiveBoard(9, 9), BLACK
    for index in position.playout_moves(BLACK, seed, 0, DIAGONAL, Knowledge()):
        point = None if index == 81 else divmod(index, 9)
        assert board.objection(point, colour) == LEGAL
        board.play(point, colour)
        colour = opponent(colour)
    black, white, _, _ = position.owner_counts(1, seed, 1, DIAGONAL, 1, Knowledge())
    owners = PlayoutBoard.of(board).owners()
    for counts, owner in ((black, BLACK), (white, WHITE)):
        assert {(int(r), int(c)) for r, c in np.argwhere(counts)} == {p for p, who in owners.items() if who == owner}


def test_the_same_seed_gives_the_same_counts_for_any_number_of_threads() -> None:
    board = Board(9)
    one, three = (board.playouts(200, seed=3, threads=threads, policy="knowing") for threads in (1, 3))
    assert (one.black == three.black).all()
    assert (one.leads == three.leads).all()
    assert one.mean_length == three.mean_length
    assert (board.playouts(200, seed=4, policy="knowing").leads != one.leads).any()


def test_uniform_moves_are_reported_too() -> None:
    position = Position(9, 9)
    moves = position.playout_moves(BLACK, 2, 5, DIAGONAL)
    assert len(moves) <= 243
    assert moves[-2:] == [81, 81]
    assert len(moves) == position.owner_counts(6, 2, 1, DIAGONAL, 1)[2] - position.owner_counts(5, 2, 1, DIAGONAL, 1)[2]


def test_the_table_of_patterns_equals_a_naive_matcher() -> None:
    rng = random.Random(0)
    for code in [*np.flatnonzero(CODES)[::37].tolist(), *(rng.randrange(65536) for _ in range(1500))]:
        around = [".XO#"[code >> 2 * i & 3] for i in range(8)]
        assert CODES[code] == fits_any(DRAWINGS, "".join([*around[:4], ".", *around[4:]]))


@pytest.mark.slow
def test_the_whole_table_of_patterns_equals_a_naive_matcher() -> None:
    for code in range(65536):
        around = [".XO#"[code >> 2 * i & 3] for i in range(8)]
        assert CODES[code] == fits_any(DRAWINGS, "".join([*around[:4], ".", *around[4:]]))


DEAD = {
    "one eye in the corner": (
        """
        . X O . . . .
        X X O . O . .
        O O O . . . .
        . . . . O . .
        . O . . . . .
        . . . X X X X
        . . . X . X .
        """,
        "B7",
    ),
    "behind in a race": (
        """
        . . O X . O O
        . . O X . X O
        O O O X X X O
        . O X X O O O
        . O O O O . .
        . . . . . . .
        . . . . . . .
        """,
        "D7",
    ),
    "caught in a net": (
        """
        . . . . . . .
        . . X X . . .
        . X O O X . .
        . . X . X . .
        . . . X . . .
        . . . . . . .
        . . . . . . .
        """,
        "C5",
    ),
}


@pytest.mark.parametrize("name", DEAD)
def test_dead_stones_are_seen_far_more_often_than_by_uniform_playouts(name: str) -> None:
    drawing, point = DEAD[name]
    board = Board.from_text(drawing)
    row, column = 7 - int(point[1:]), "ABCDEFG".index(point[0])
    sign = -int(board.stones[row, column])
    wrong = {}
    for policy in ("uniform", "knowing"):
        owner = board.playouts(1000, policy=policy, seed=1).ownership[row, column]
        wrong[policy] = (1 - sign * owner) / 2
    assert wrong["knowing"] < 0.4 * wrong["uniform"]


@pytest.mark.parametrize("arguments", [(101,), (-1,), (0, 101), (0, 0, -1), (0, 0, 0, 2**40)])
def test_knowledge_is_in_percent(arguments: tuple[int, ...]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Knowledge(*arguments)
