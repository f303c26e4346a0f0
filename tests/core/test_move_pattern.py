"""Patterns around moves against patterns spelled out, and tables of them, on boards of every shape."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import _core
from tengen.go.symmetry import transform
from tests.naive.move_pattern import SIZES, around, spelled

from .pairs import array_of

SHAPES = [(2, 2), (3, 5), (5, 3), (7, 7), (19, 19)]


def random_stones(seed, width, height, share=0.5):
    chances = [share / 2, 1 - share, share / 2]
    return np.random.default_rng(seed).choice(np.array([-1, 0, 1], np.int8), size=(height, width), p=chances)


def keys_of(stones, mover):
    """The keys [row, column, size] of all points."""
    stones = np.ascontiguousarray(stones)
    return _core.move_pattern_keys(stones[None], np.array([mover], np.int8)).reshape(*stones.shape, len(SIZES))


boards = st.builds(
    random_stones, st.integers(0, 2**32), st.integers(2, 9), st.integers(2, 9), st.sampled_from([0.05, 0.3, 0.7])
)
movers = st.sampled_from([1, -1])


def test_sizes_hold_the_points_within_the_circular_distance():
    counts = [8, 12, 20, 28, 36, 48, 60, 72, 88, 104, 120, 140, 160]
    assert [len(around(size)) for size in SIZES] == counts


def test_moves_share_a_key_exactly_if_their_patterns_are_the_same_up_to_symmetry():
    seen, named = {}, {}
    for number, (width, height) in enumerate(SHAPES):
        for share in (0, 0.2, 0.7):
            stones = random_stones(number, width, height, share)
            for mover in (1, -1):
                keys = keys_of(stones, mover)
                assert (keys[stones != 0] == 0).all()
                for row, column in np.argwhere(stones == 0)[:: 1 if width < 7 else width].tolist():
                    for size, key in zip(SIZES, keys[row, column].tolist(), strict=True):
                        name = size, spelled(stones, mover, row, column, size)
                        assert seen.setdefault(key, name) == name
                        assert named.setdefault(name, key) == key
    assert len(seen) == len(named) > 1000


@given(boards, movers, st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_keys_turn_with_the_board(stones, mover, k):
    keys, turned = keys_of(stones, mover), keys_of(transform(stones, k), mover)
    assert np.array_equal(transform(np.moveaxis(keys, -1, 0), k), np.moveaxis(turned, -1, 0))


@given(boards, movers)
@settings(max_examples=60, deadline=None)
def test_both_players_see_the_same_in_each_others_place(stones, mover):
    assert np.array_equal(keys_of(stones, mover), keys_of(-stones, -mover))


def test_own_and_enemy_stones_are_told_apart():
    hane = array_of("""
        . . . . . .
        . . . . . .
        . . X O . .
        . . . . . .
        . . . . . .
    """)
    black, white = keys_of(hane, 1)[1], keys_of(hane, -1)[1]
    assert (black[3] != white[3]).all()  # above the white stone, a hane of Black and a stretch of White
    assert black[2].tolist() == white[3].tolist()  # above the own stone, for either player
    assert black[3].tolist() == white[2].tolist()


def test_the_edge_is_seen_from_the_distance_that_reaches_it():
    keys = keys_of(np.zeros((19, 19), np.int8), 1)
    line = [
        int(np.argmax(keys[row, 9] != keys[9, 9])) if (keys[row, 9] != keys[9, 9]).any() else None for row in range(9)
    ]
    # The first line is off the board at distance 2 and so differs from size 3 on, the second at 4, the third at 6 …
    assert line == [0, 1, 3, 5, 7, 9, 11, None, None]


def test_the_moves_given_have_the_keys_of_their_points():
    stones = np.stack([random_stones(seed, 9, 7, 0.4) for seed in range(30)])
    players = np.where(np.arange(30) % 2, 1, -1).astype(np.int8)
    moves = np.array([int(np.flatnonzero(board == 0)[seed % 7]) for seed, board in enumerate(stones)], np.int32)
    everywhere = _core.move_pattern_keys(stones, players)
    assert everywhere.shape == (30, 63, 13)
    assert np.array_equal(_core.move_pattern_keys(stones, players, moves), everywhere[np.arange(30), moves])
    moves[3] = 63
    assert (_core.move_pattern_keys(stones, players, moves)[3] == 0).all()


@pytest.mark.parametrize(("width", "height"), [(9, 9), (19, 19), (6, 11)])
def test_a_table_finds_the_known_patterns_up_to_the_first_unknown_one(width, height):
    stones = np.stack([random_stones(seed, width, height, 0.3) for seed in range(8)])
    players = np.array([1, -1] * 4, np.int8)
    keys = _core.move_pattern_keys(stones, players)
    random = np.random.default_rng(1)
    depths = random.integers(0, 14, keys.shape[:2])
    known = np.unique(keys[(np.arange(13) < depths[..., None]) & (keys > 0)])
    table = _core.MovePatterns(known)
    place = np.searchsorted(known, keys).clip(max=len(known) - 1)
    expected = np.where((known[place] == keys) & (keys > 0), place + 1, 0)
    expected[np.cumsum(expected == 0, axis=2) > 0] = 0
    assert np.array_equal(table.nested(stones, players), expected)
    assert np.array_equal(
        table.largest(stones, players), expected.max(axis=2, where=expected == last(expected), initial=0)
    )
    assert len(table) == len(known)
    assert 8 <= table.bytes / len(known) < 12


def last(nested):
    """The last number of each row that is not 0, or 0."""
    depth = (nested > 0).sum(axis=2, keepdims=True)
    return np.where(depth > 0, np.take_along_axis(nested, np.maximum(depth - 1, 0), axis=2), -1)


def test_an_empty_table_knows_nothing():
    stones, players = np.zeros((2, 5, 5), np.int8), np.ones(2, np.int8)
    table = _core.MovePatterns(np.zeros(0, np.uint64))
    assert len(table) == 0
    assert not table.largest(stones, players).any()
    assert table.nested(stones[:0], players[:0]).shape == (0, 25, 13)


def test_bad_arguments_are_refused():
    stones, players = np.zeros((2, 9, 9), np.int8), np.ones(2, np.int8)
    stones[0, 0, 0] = 1
    table = _core.MovePatterns(np.array([1, 2], np.uint64))
    for ask in (_core.move_pattern_keys, table.largest, table.nested):
        with pytest.raises(ValueError, match="1 or -1"):
            ask(stones, np.zeros(2, np.int8))
        with pytest.raises(ValueError, match="one player"):
            ask(stones, np.ones(3, np.int8))
        with pytest.raises(ValueError, match="2 to 25"):
            ask(np.zeros((1, 26, 9), np.int8), np.ones(1, np.int8))
        with pytest.raises(ValueError, match="1, -1 or 0"):
            ask(stones * 2, players)
        with pytest.raises(TypeError, match="int8"):
            ask(stones.astype(float), players)
    for move, problem in ((82, "not on the board"), (-1, "not on the board"), (0, "occupied")):
        with pytest.raises(ValueError, match=problem):
            _core.move_pattern_keys(stones, players, np.array([move, 1], np.int32))
    with pytest.raises(ValueError, match="one move"):
        _core.move_pattern_keys(stones, players, np.zeros(3, np.int32))
    for keys in ([2, 1], [1, 1]):
        with pytest.raises(ValueError, match="rise"):
            _core.MovePatterns(np.array(keys, np.uint64))


def test_keys_of_territory_patterns_stay_as_shipped_weights_have_them():
    digest = hashlib.sha256()
    for width, height in ((19, 19), (9, 9), (5, 7)):
        rows, columns = np.indices((height, width))
        mixed = (rows * 7 + columns**2 * 5 + rows * columns * 3) % 11
        stones = np.select([mixed < 3, mixed < 6], [1, -1], 0).astype(np.int8)
        keys, signs = _core.pattern_keys(stones[None], 14)
        digest.update(keys.astype("<u8").tobytes() + signs.tobytes())
    assert digest.hexdigest()[:32] == "622ec9d123d4b50ea385ae84fcb14ff3"
