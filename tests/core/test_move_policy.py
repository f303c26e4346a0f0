"""Levels and scores of all moves in one pass against the functions for each kind of feature."""

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.moves.trees import grow
from tengen.views.move_features import LEVELS
from tengen.views.move_patterns import move_pattern_keys, response_keys
from tests.naive import move_policy as naive

EXAMPLES = Path(__file__).parents[2] / "examples"
TACTICAL = sum(LEVELS.values())


def played(path, every):
    """Positions of a game, and the moves played in them."""
    game = tengen.read(path)
    turns = range(0, len(game.moves), every)
    positions = Positions.of([game.board(turn) for turn in turns])
    after = Positions.of([game.board(turn + 1) for turn in turns])
    return positions, after.last_moves[:, 0].astype(np.int32)


GAMES = [played(EXAMPLES / f"finished-{size}x{size}.sgf", every) for size, every in ((9, 3), (13, 7), (19, 23))]
KEYS = np.unique(np.concatenate([move_pattern_keys(*game).ravel() for game in GAMES]))[1:]
RESPONSES = np.unique(np.concatenate([response_keys(*game).ravel() for game in GAMES]))[1:]
FOREST = grow(GAMES, trees=3, split_after=100, sample=0.9, seed=1)


def kinds():
    patterns = _core.MovePatterns(KEYS)
    yield pytest.param({}, id="tactical")
    yield pytest.param({"oakfoam": True}, id="oakfoam")
    yield pytest.param({"patterns": patterns}, id="largest")
    yield pytest.param({"patterns": patterns, "nested": True}, id="nested")
    yield pytest.param({"forest": FOREST.native}, id="forest")
    yield pytest.param({"responses": RESPONSES}, id="responses")
    everything = {"patterns": patterns, "nested": True, "forest": FOREST.native, "responses": RESPONSES}
    yield pytest.param(everything, id="all")


def rows_of(positions):
    return positions.stones, positions.to_play, positions.ko, positions.last_moves, positions.passes


def random_rows(tables, factors, seed=0):
    random = np.random.default_rng(seed)
    rows = np.zeros((1 + sum(levels for levels, _ in tables), 8), np.float32)
    rows[:, : 1 + factors] = random.normal(size=(len(rows), 1 + factors))
    return rows


@pytest.mark.parametrize("kind", list(kinds()))
def test_levels_and_scores_equal_the_twin(kind):
    tables = naive.tables(**{key: value for key, value in kind.items() if key != "oakfoam"})
    given = kind | ({"responses": _core.MovePatterns(RESPONSES)} if "responses" in kind else {})
    for positions in [game[0] for game in GAMES] + [uneven(7, 5), uneven(3, 11)]:
        for factors in (0, 3):
            rows = random_rows(tables, factors)
            policy = _core.MovePolicy(rows, **given)
            expected, allowed = naive.levels(positions, **kind)
            levels = policy.levels(*rows_of(positions))
            assert policy.columns == expected.shape[2]
            assert np.array_equal(levels, expected)
            scores = policy.scores(*rows_of(positions))
            assert np.allclose(scores, naive.scores(levels, allowed, tables, rows), atol=1e-3)


def uneven(width, height):
    board, random = Board(width, height), np.random.default_rng(width)
    boards = []
    for _ in range(25):
        board.play(random.choice(board.legal_moves() or ["pass"]))
        boards.append(board.copy())
    return Positions.of(boards)


def test_the_upper_halves_of_keys_find_the_same_patterns():
    short = np.unique(KEYS >> np.uint64(32)) << np.uint64(32)
    table, halves = _core.MovePatterns(KEYS), _core.MovePatterns(short, 32)
    for positions, _ in GAMES:
        for kind in ("largest", "nested"):
            whole = getattr(table, kind)(positions.stones, positions.to_play)
            half = getattr(halves, kind)(positions.stones, positions.to_play)
            assert np.array_equal(whole > 0, half > 0)
            found = whole > 0
            assert np.array_equal(KEYS[whole[found] - 1] >> np.uint64(32), short[half[found] - 1] >> np.uint64(32))
    with pytest.raises(ValueError, match="not compared are 0"):
        _core.MovePatterns(KEYS, 32)
    with pytest.raises(ValueError, match="32 to 64"):
        _core.MovePatterns(short, 31)


def test_the_parts_of_a_policy_live_as_long_as_it_does():
    positions = GAMES[0][0]
    rows = random_rows(naive.tables(_core.MovePatterns(KEYS), True, FOREST), 2)
    scores = [
        _core.MovePolicy(rows, _core.MovePatterns(KEYS), True, _core.Forest(FOREST.queries)).scores(*rows_of(positions))
        for _ in range(3)
    ]
    assert np.array_equal(scores[0], scores[2])


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (np.zeros((TACTICAL, 8), np.float32), "are needed"),
        (np.zeros((TACTICAL + 1, 7), np.float32), "8 numbers"),
        (np.full((TACTICAL + 1, 8), np.nan, np.float32), "finite"),
        (np.zeros((TACTICAL + 1, 8)), "float32"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows, why):
    with pytest.raises((ValueError, TypeError), match=why):
        _core.MovePolicy(rows)


def test_positions_that_make_no_sense_are_refused():
    policy = _core.MovePolicy(np.zeros((TACTICAL + 1, 8), np.float32))
    stones, to_play, ko, last, passes = rows_of(GAMES[0][0].take(slice(0, 2)))
    for bad in (
        (stones, np.zeros_like(to_play), ko, last, passes),
        (stones, to_play, np.full_like(ko, 81), last, passes),
        (stones, to_play, ko, np.full_like(last, 82), passes),
        (np.ones_like(stones), to_play, ko, last, passes),
        (stones, to_play[:1], ko, last, passes),
    ):
        with pytest.raises(ValueError):
            policy.scores(*bad)
