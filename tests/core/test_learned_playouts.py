"""Playouts by learned weights: move by move the naive twin's, with exactly the probabilities of their weights."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen._core import PLAYOUT_LEVELS, PLAYOUT_UNIT, PlayoutWeights, Position, Search, playout_class
from tests.naive.board import BLACK, LEGAL, WHITE, NaiveBoard, opponent
from tests.naive.learned_playout import CLASSES, NaiveLearned, code_of, learned_moves, pattern_class, self_atari
from tests.naive.playout import NaiveRandom, PlayoutBoard

from .pairs import Pair, random_game

DIAGONAL = 1
LEVELS = sum(PLAYOUT_LEVELS)


def random_weights(seed: int) -> np.ndarray:
    """Weights from 1/1024 to 64, some of them 0; those of self-atari at most 1."""
    rng = np.random.default_rng(seed)
    weights = np.exp2(rng.uniform(0, 16, LEVELS)).astype(np.int32)
    weights[rng.random(LEVELS) < 0.02] = 0
    weights[-3:] = rng.integers(0, PLAYOUT_UNIT + 1, 3)
    return weights


def tables(weights: np.ndarray) -> list[list[int]]:
    return [part.tolist() for part in np.split(weights, np.cumsum(PLAYOUT_LEVELS)[:-1])]


def assert_moves_equal(pair: Pair, colour: int, seed: int, index: int, weights: np.ndarray) -> None:
    found = pair.core.playout_moves(colour, seed, index, DIAGONAL, PlayoutWeights(weights))
    expected = learned_moves(pair.naive, colour, seed, index, tables(weights))
    assert found == [pair.index(point) for point in expected]


def grown(seed: int, sizes: list[tuple[int, int]]) -> Pair:
    rng = random.Random(seed)
    width, height = rng.choice(sizes)
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(1, width * height), rng):
        pass
    return pair


@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 3), (2, 9), (7, 5), (9, 9)])
def test_empty_boards_equal_the_twin(width: int, height: int) -> None:
    for index in range(2 if width < 9 else 1):
        assert_moves_equal(Pair(width, height), 1 + index % 2, 5, index, random_weights(index))


@pytest.mark.parametrize("seed", range(16))
def test_boards_in_mid_game_equal_the_twin(seed: int) -> None:
    pair = grown(seed, [(3, 3), (5, 5), (6, 4), (4, 7), (6, 6)])
    assert_moves_equal(pair, 1 + seed % 2, seed, 7, random_weights(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_boards_equal_the_twin(seed: int) -> None:
    pair = grown(seed + 1000, [(4, 11), (9, 9), (13, 13), (19, 19)])
    assert_moves_equal(pair, 1 + seed % 2, seed, seed, random_weights(seed))


def test_the_classes_of_neighbourhoods_are_those_under_symmetry() -> None:
    assert pattern_class("." * 9) == 1
    assert max(CLASSES.values()) == PLAYOUT_LEVELS[0] == 1107
    assert all(playout_class(code_of(drawing)) == number for drawing, number in list(CLASSES.items())[::17])
    assert playout_class(code_of("X.....#.O")) == 0  # no board has such an edge


@pytest.mark.parametrize("seed", range(8))
def test_levels_of_a_position_equal_the_twin(seed: int) -> None:
    pair = grown(seed, [(5, 5), (7, 7), (9, 9)])
    stones = sorted(pair.naive.stones)
    last, before = random.Random(seed).sample(stones, 2) if len(stones) > 1 else (None, None)
    board, player = PlayoutBoard.of(pair.naive), NaiveLearned(tables(random_weights(0)), NaiveRandom(0, 0))
    player.last, player.before = last, before
    places = [-1 if point is None else pair.index(point) for point in (last, before)]
    for colour in (BLACK, WHITE):
        found = pair.core.playout_levels(colour, *places, PlayoutWeights(np.full(LEVELS, PLAYOUT_UNIT, np.int32)))
        for point in board.points():
            expected = [0] * 7
            if point in board.empties and board.playable(point, colour, True):
                expected = [*player.levels(board, point, colour)[:-1], self_atari(board, point, colour)]
            assert found[pair.index(point)].tolist() == expected


def test_draws_have_the_probabilities_of_the_weights() -> None:
    """First moves of 20,000 playouts on a small board with self-ataris, suicide and an eye."""
    pair = Pair.of(
        """
        . X O . .
        X X O O .
        O O . . .
        . . X . X
        . X . X .
        """
    )
    weights = random_weights(3)
    weights[: PLAYOUT_LEVELS[0]] = np.random.default_rng(0).integers(200, 2000, PLAYOUT_LEVELS[0])
    weights[-3:] = 300, 200, 100
    native, parts = PlayoutWeights(weights), tables(weights)
    levels = pair.core.playout_levels(BLACK, -1, -1, native)
    expected = np.array([parts[0][p - 1] * (parts[6][s - 1] / 1024 if s else 1) if p else 0 for p, *_, s in levels])
    n = 20_000
    drawn = np.bincount([pair.core.playout_moves(BLACK, 1, i, DIAGONAL, native)[0] for i in range(n)], minlength=25)
    shares = expected / expected.sum()
    assert (levels[:, 6] > 0).any()
    assert (np.abs(drawn / n - shares) <= 4.5 * np.sqrt(shares / n) + 1 / n).all()


def test_every_move_is_legal() -> None:
    board, colour = NaiveBoard(9, 9), BLACK
    for index in Position(9, 9).playout_moves(BLACK, 2, 0, DIAGONAL, PlayoutWeights(random_weights(1))):
        point = None if index == 81 else divmod(index, 9)
        assert board.objection(point, colour) == LEGAL
        board.play(point, colour)
        colour = opponent(colour)


def test_a_search_plays_by_the_weights() -> None:
    weights = PlayoutWeights(random_weights(1))
    leads = []
    for knowledge in (weights, weights, None):
        search = Search(Position(9, 9), True, 0, 10_000, 7.5, False, knowledge)
        search.run(100, 60.0, 1, [])
        leads.append(search.report().lead)
    assert leads[0] == leads[1] != leads[2]


def test_the_gradient_is_of_the_same_playouts() -> None:
    """The playouts are those of owner_counts, and Σ ψ is around 0."""
    pair = Pair.of(". X\nO .", BLACK)
    weights = PlayoutWeights(np.full(LEVELS, PLAYOUT_UNIT, np.int32))
    won, every, while_won = pair.core.playout_gradient(2000, 0, BLACK, 0.5, weights)
    leads = pair.core.owner_counts(2000, 0, 1, DIAGONAL, 1, weights)[3]
    assert won == (leads > 0.5).sum()
    assert np.abs(np.array(every)).max() < 5 * np.sqrt(2000 * 12)
    assert len(every) == len(while_won) == LEVELS


@pytest.mark.parametrize(
    "weights",
    [np.zeros(3, np.int32), np.full(LEVELS, -1, np.int32), np.full(LEVELS, 2**23, np.int32), np.zeros(LEVELS)],
)
def test_wrong_weights_are_refused(weights: np.ndarray) -> None:
    with pytest.raises((ValueError, TypeError), match="weight"):
        PlayoutWeights(weights)
    too_high = np.full(LEVELS, PLAYOUT_UNIT, np.int32)
    too_high[-1] += 1
    with pytest.raises(ValueError, match="self-atari"):
        PlayoutWeights(too_high)


def test_wrong_questions_are_refused() -> None:
    position, weights = Position(9, 9), PlayoutWeights(random_weights(0))
    for colour, last, before in ((0, -1, -1), (1, 82, -1), (1, -1, -2)):
        with pytest.raises(ValueError, match=r"colour|last move"):
            position.playout_levels(colour, last, before, weights)
    for n, colour, komi in ((1, 3, 0.5), (1, 1, float("nan")), (-1, 1, 0.5)):
        with pytest.raises(ValueError, match=r"colour|komi|playouts"):
            position.playout_gradient(n, 0, colour, komi, weights)
