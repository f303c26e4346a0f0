"""Patch features and TD(λ) in the core: equal to their twins on random games, deterministic, and able to learn."""

import math
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import Board
from tengen._core import LinearValue, PatchFeatures
from tests.naive.board import BLACK, WHITE, NaiveBoard
from tests.naive.linear_td import NaiveTd, codes, features
from tests.naive.playout import PlayoutBoard

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "finished-9x9.sgf"
RANDOM_TABLE = np.random.default_rng(7).normal(size=(81, 5)).astype(np.float32)
KINDS = [
    {"sizes": [2]},
    {"sizes": [1, 2, 3]},
    {"sizes": [1, 3], "shared": True},
    {"sizes": [2], "table": RANDOM_TABLE},
    {"sizes": [2], "table": RANDOM_TABLE, "shared": True},
]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=["2", "1-3", "shared", "table", "shared table"])
each_view = pytest.mark.parametrize("black_view", [False, True], ids=["mover", "black"])


def make(shape, *, sizes, shared=False, table=None):
    return PatchFeatures(*shape, sizes, shared, table)


def value(shape, kind, *, black_view=False, seed=0, scale=0.3):
    made = make(shape, **kind)
    return LinearValue(made, scale * np.random.default_rng(seed).normal(size=len(made) + 1), black_view)


def zero(shape, sizes=(2,), table=None):
    made = make(shape, sizes=list(sizes), table=table)
    return LinearValue(made, np.zeros(len(made) + 1), False)


def stones_of(board):
    stones = np.zeros((board.height, board.width), np.int8)
    for point, colour in board.stones.items():
        stones[point] = 1 if colour == BLACK else -1
    return stones


def played(value, games=1, **given):
    settings = {
        "opponent": None,
        "games": games,
        "first": 0,
        "seed": 0,
        "epsilon": 0.1,
        "last_epsilon": 0.1,
        "opponent_epsilon": 0.1,
        "komi": 0.5,
        "max_moves": 0,
        "forbid_own_eye": True,
        "alpha": 0.0,
        "decay": 0.0,
        "logistic": False,
    }
    return value.play(**settings | given)


def learned(value, moves, result=1.0, komi=0.5, *, alpha=0.1, decay=0.0, logistic=False):
    offsets = np.array([0, len(moves)])
    return value.learn(moves, offsets, np.array([result]), np.array([komi]), alpha, decay, logistic)


def random_game(shape, seed, **given):
    return played(zero(shape, [1]), seed=seed, epsilon=1.0, last_epsilon=1.0, **given)[1]


def positions(shape, moves):
    """The twin's board after each move, and who moved."""
    board = NaiveBoard(*shape)
    for number, move in enumerate(moves.tolist()):
        mover = BLACK if number % 2 == 0 else WHITE
        board.play(None if move == shape[0] * shape[1] else divmod(move, shape[0]), mover)
        yield board, mover


def test_a_patch_is_coded_row_by_row():
    stones = np.array([[1, -1], [0, 1]], np.int8)
    found = make((2, 2), sizes=[2]).codes(np.stack([stones, stones]), np.array([1, -1], np.int8))
    assert found.tolist() == [[1 + 2 * 3 + 27], [2 + 1 * 3 + 2 * 27]]


@each_kind
def test_codes_and_features_equal_the_twin(kind):
    shape = (5, 4)
    made, boards = make(shape, **kind), [b for b, _ in positions(shape, random_game(shape, 1)[:30])][-1:]
    for board in boards:
        for colour, own in ((1, BLACK), (-1, WHITE)):
            given = stones_of(board)[None], np.array([colour], np.int8)
            assert made.codes(*given)[0].tolist() == [code for _, code in codes(board, kind["sizes"], own)]
            assert np.allclose(made.matrix(*given)[0], features(board, own, **kind), atol=1e-5)
    assert made.matrix(*given).shape[1] == len(made)
    assert made.windows == len(codes(boards[0], kind["sizes"], BLACK))


@each_kind
@each_view
@pytest.mark.parametrize("shape", [(4, 4), (5, 3)])
def test_all_moves_are_valued_as_if_computed_anew(kind, black_view, shape):
    """Through whole random games, with captures, kos and eyes."""
    given = value(shape, kind, black_view=black_view)
    twin = NaiveTd(given.weights(), black_view=black_view, **kind)
    moves = random_game(shape, 3)
    native, seen = Board(*shape, komi=0.5), 0
    points = shape[0] * shape[1]
    for board, mover in positions(shape, moves):
        native.play(native.move_name(int(moves[seen])))
        seen += 1
        movers = np.array([1 if mover == BLACK else -1], np.int8)
        logit = given.logits(native.stones[None], movers, np.array([0.5]))[0]
        assert logit == pytest.approx(twin.logit(board, mover, 0.5), abs=1e-9)
        if seen % 3:
            continue
        for forbid in (False, True):
            found = given.after_moves(native.native, 0.5, forbid)
            right = twin.after_moves(board, board.to_play, 0.5, forbid)
            expected = np.full(points + 1, np.nan)
            for point, logit in right.items():
                expected[points if point is None else point[0] * shape[0] + point[1]] = logit
            assert np.allclose(found, expected, atol=1e-9, equal_nan=True)
    assert seen > points


@each_kind
@each_view
@pytest.mark.parametrize("decay", [0.0, 0.8])
@pytest.mark.parametrize("logistic", [False, True], ids=["squared", "logistic"])
def test_a_game_is_learned_as_the_equations_say(kind, black_view, decay, logistic):
    shape, alpha = (4, 3), 0.05
    given = value(shape, kind, black_view=black_view)
    twin = NaiveTd(given.weights(), black_view=black_view, **kind)
    moves = random_game(shape, 5)
    assert len(moves) > 10
    for result in (1.0, 0.0):
        given = learned(given, moves, result, 1.5, alpha=alpha, decay=decay, logistic=logistic)
        twin.learn(shape, moves.tolist(), result, 1.5, alpha, decay, logistic)
    assert np.allclose(given.weights(), twin.weights, atol=1e-9)
    assert np.abs(twin.weights - value(shape, kind).weights()).max() > 1e-3


def test_a_real_game_is_learned_and_valued_as_the_twin_does():
    game = tengen.read(EXAMPLE).board()
    moves = np.array([game.index(move.point) for move in game.moves], np.int16)
    given = value((9, 9), {"sizes": [2]})
    twin = NaiveTd(given.weights(), black_view=False, sizes=[2])
    given = learned(given, moves, 0.0, 7.0, alpha=0.01, decay=0.8, logistic=True)
    twin.learn((9, 9), moves.tolist(), 0.0, 7.0, 0.01, 0.8, True)
    assert np.allclose(given.weights(), twin.weights, atol=1e-9)
    board = [each for each, _ in positions((9, 9), moves)][-1]
    right = twin.after_moves(board, board.to_play, 7.0, True)
    found = given.after_moves(game.native, 7.0, True)
    assert np.isfinite(found).sum() == len(right)
    for point, logit in right.items():
        assert found[81 if point is None else point[0] * 9 + point[1]] == pytest.approx(logit, abs=1e-9)


@pytest.mark.parametrize("decay", [0.0, 0.8])
def test_self_play_learns_its_own_games(decay):
    given = value((4, 4), {"sizes": [1, 2]}, scale=0.1)
    made, moves, offsets, leads = played(given, 3, alpha=0.02, decay=decay, logistic=True)
    assert offsets.tolist()[0] == 0
    assert offsets[-1] == len(moves)
    results = (leads > 0).astype(float)
    again = given.learn(moves, offsets, results, np.full(3, 0.5), 0.02, decay, True)
    assert np.array_equal(made.weights(), again.weights())


def test_a_suicide_in_a_record_takes_its_stones_off():
    given = value((2, 2), {"sizes": [1]})
    twin = NaiveTd(given.weights(), black_view=False, sizes=[1])
    moves = np.array([4, 1, 4, 2, 0], np.int16)  # Black passes twice and then plays between two white stones
    twin.learn((2, 2), moves.tolist(), 0.0, 0.5, 0.1, 0.5, False)
    assert np.allclose(learned(given, moves, 0.0, decay=0.5).weights(), twin.weights)


def test_the_same_seed_plays_the_same_games_in_parts():
    given = zero((5, 5))
    whole = played(given, 6, alpha=0.01)
    first = played(given, 4, alpha=0.01)
    rest = played(first[0], 2, first=4, alpha=0.01)
    assert np.array_equal(whole[1], np.concatenate([first[1], rest[1]]))
    assert np.array_equal(whole[0].weights(), rest[0].weights())
    assert not np.array_equal(whole[1], played(given, 6, alpha=0.01, seed=1)[1])


def test_greedy_players_choose_the_best_move():
    given = value((4, 4), {"sizes": [2]})
    _, moves, _, _ = played(given, epsilon=0.0, last_epsilon=0.0)
    board = Board(4, komi=0.5)
    for move in moves.tolist():
        after = given.after_moves(board.native, 0.5, True) * (1 if board.to_play == "black" else -1)
        if np.isfinite(after[:-1]).any():
            assert after[move] == pytest.approx(np.nanmax(after[:-1]), abs=1e-9)
        else:
            assert move == 16
        board.play(board.move_name(move))


def test_a_capped_game_has_no_winner_and_learns_from_no_result():
    given = value((5, 5), {"sizes": [2]})
    made, moves, _, leads = played(given, max_moves=10, alpha=0.1, logistic=True)
    assert len(moves) == 10
    assert math.isnan(leads[0])
    assert not np.array_equal(made.weights(), given.weights())


def test_games_end_when_no_move_is_left_and_are_counted_as_they_stand():
    _, moves, offsets, leads = played(zero((5, 5)), 20)
    for game, lead in enumerate(leads.tolist()):
        here = moves[offsets[game] : offsets[game + 1]]
        board = [each for each, _ in positions((5, 5), here)][-1]
        assert board.passes == 2 or len(here) == 75
        owners = [*PlayoutBoard.of(board).owners().values()]
        assert lead == owners.count(BLACK) - owners.count(WHITE) - 0.5


def test_without_learning_the_opponent_may_have_other_features():
    templates, filters = zero((5, 5)), zero((5, 5), [2], RANDOM_TABLE)
    made, _, offsets, leads = played(templates, 4, opponent=filters)
    assert len(leads) == 4
    assert len(offsets) == 5
    assert np.array_equal(made.weights(), templates.weights())


@pytest.mark.parametrize("black_view", [False, True], ids=["mover", "black"])
def test_self_play_beats_random_play_on_a_tiny_board(black_view):
    made = make((3, 3), sizes=[1, 2])
    start = LinearValue(made, np.zeros(len(made) + 1), black_view)
    teach = {"epsilon": 0.3, "last_epsilon": 0.02, "alpha": 0.1 / made.windows, "logistic": True, "decay": 0.8}
    taught = played(start, 1500, **teach)[0]

    def wins(player):
        leads = played(player, 400, opponent=start, epsilon=0.0, last_epsilon=0.0, opponent_epsilon=1.0, seed=9)[3]
        return (np.where(np.arange(400) % 2 == 0, leads, -leads) > 0).mean()

    assert wins(start) < 0.6
    assert wins(taught) > 0.8


STONES, OWN = np.zeros((1, 4, 4), np.int8), np.ones(1, np.int8)
BAD = [
    lambda: PatchFeatures(1, 9, [2], False, None),
    lambda: PatchFeatures(9, 9, [], False, None),
    lambda: PatchFeatures(9, 9, [4], False, None),
    lambda: PatchFeatures(9, 9, [2, 2], False, None),
    lambda: PatchFeatures(2, 2, [3], False, None),
    lambda: PatchFeatures(9, 9, [1, 2], False, RANDOM_TABLE),
    lambda: PatchFeatures(9, 9, [2], False, RANDOM_TABLE[:80]),
    lambda: PatchFeatures(9, 9, [2], False, RANDOM_TABLE * np.float32(np.nan)),
    lambda: PatchFeatures(9, 9, [2], False, RANDOM_TABLE.astype(np.float64)),
    lambda: make((4, 4), sizes=[2]).codes(STONES[:, :3], OWN),
    lambda: make((4, 4), sizes=[2]).codes(STONES + np.int8(2), OWN),
    lambda: make((4, 4), sizes=[2]).matrix(STONES, 0 * OWN),
    lambda: make((4, 4), sizes=[2]).matrix(STONES, np.ones(2, np.int8)),
    lambda: LinearValue(make((4, 4), sizes=[2]), np.zeros(5), False),
    lambda: LinearValue(None, np.zeros(5), False),
    lambda: LinearValue(make((4, 4), sizes=[1]), np.full(49, np.nan), False),
    lambda: zero((4, 4)).logits(STONES, OWN, np.array([np.inf])),
    lambda: zero((4, 4)).logits(STONES, OWN, np.zeros(2)),
    lambda: zero((4, 4)).after_moves(Board(5).native, 0.5, False),
    lambda: zero((4, 4)).after_moves(Board(4).native, np.nan, False),
    lambda: learned(zero((4, 4)), np.array([17], np.int16)),
    lambda: learned(zero((4, 4)), np.array([-1], np.int16)),
    lambda: learned(zero((4, 4)), np.array([3, 3], np.int16)),
    lambda: learned(zero((4, 4)), np.array([3]).astype(np.int64)),
    lambda: learned(zero((4, 4)), np.array([3], np.int16), 2.0),
    lambda: learned(zero((4, 4)), np.array([3], np.int16), decay=1.5),
    lambda: learned(zero((4, 4)), np.array([3], np.int16), alpha=-1.0),
    lambda: zero((4, 4)).learn(np.zeros(2, np.int16), np.array([0, 3]), np.ones(1), np.ones(1), 0.1, 0.0, False),
    lambda: zero((4, 4)).learn(np.zeros(2, np.int16), np.array([0, 2]), np.ones(2), np.ones(1), 0.1, 0.0, False),
    lambda: played(zero((4, 4)), -1),
    lambda: played(zero((4, 4)), epsilon=1.5),
    lambda: played(zero((4, 4)), komi=np.nan),
    lambda: played(zero((4, 4)), max_moves=-1),
    lambda: played(zero((4, 4)), opponent=zero((5, 5))),
    lambda: played(zero((4, 4)), opponent=3),
]


@pytest.mark.parametrize("call", BAD, ids=range(len(BAD)))
def test_bad_input_is_refused(call):
    with pytest.raises((ValueError, TypeError)):
        call()
