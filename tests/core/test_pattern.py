"""Pattern keys against patterns spelled out, on boards of every shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import pattern as naive
from tengen import _core
from tengen.go.symmetry import transform

SHAPES = [(2, 2), (3, 5), (5, 3), (7, 7), (9, 9)]


def random_stones(seed, width, height, share=0.5):
    random = np.random.default_rng(seed)
    chances = [share / 2, 1 - share, share / 2]
    return random.choice(np.array([-1, 0, 1], np.int8), size=(height, width), p=chances)


def keys_of(stones, templates=14):
    keys, signs = _core.pattern_keys(np.ascontiguousarray(stones)[None], templates)
    return keys[0], signs[0]


boards = st.builds(
    random_stones, st.integers(0, 2**32), st.integers(2, 9), st.integers(2, 9), st.sampled_from([0.05, 0.3, 0.7])
)


@pytest.mark.parametrize(
    ("level", "size"),
    list(enumerate([1, 5, 9, 13, 21, 29, 37, 49, 61, 73, 89, 105, 121], start=1)),
)
def test_templates_have_the_sizes_of_the_gradual_distance(level, size):
    assert len(naive.offsets(level)) == size


@pytest.mark.parametrize("level", [1, 2, 3, 4, 6, 8, 13, pytest.param(14, marks=pytest.mark.slow)])
def test_points_share_a_key_exactly_if_their_patterns_are_the_same_up_to_symmetry_and_colour(level):
    shapes = SHAPES[:4] if level == 14 else SHAPES
    seen, named = {}, {}
    for number, (width, height) in enumerate(shapes):
        for share in (0, 0.2, 0.8) if level < 14 else (0, 0.2):
            stones = random_stones(number, width, height, share)
            keys, signs = keys_of(stones)
            for row, column in np.ndindex(height, width):
                straight, reverse = naive.classes(stones, row, column, level)
                name, key = min(straight, reverse), int(keys[row, column, level - 1])
                assert seen.setdefault(key, name) == name
                assert named.setdefault(name, key) == key
                assert (signs[row, column, level - 1] == 0) == (straight == reverse)
    assert len(seen) == len(named)


@given(boards, st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_keys_turn_with_the_board_and_signs_stay(stones, k):
    keys, signs = keys_of(stones)
    turned_keys, turned_signs = keys_of(transform(stones, k))
    assert np.array_equal(transform(np.moveaxis(keys, -1, 0), k), np.moveaxis(turned_keys, -1, 0))
    assert np.array_equal(transform(np.moveaxis(signs, -1, 0), k), np.moveaxis(turned_signs, -1, 0))


@given(boards)
@settings(max_examples=60, deadline=None)
def test_reversing_the_colours_keeps_keys_and_negates_signs(stones):
    keys, signs = keys_of(stones)
    reversed_keys, reversed_signs = keys_of(-stones)
    assert np.array_equal(keys, reversed_keys)
    assert np.array_equal(signs, -reversed_signs)


@given(boards, st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_stone_by_stone_gives_the_same_keys(stones, seed):
    random = np.random.default_rng(seed)
    for templates in (1, 8, 13, 14):
        live, now = _core.PatternKeys(stones, templates), stones.copy()
        for _ in range(12):
            row, column, sign = random.integers(now.shape[0]), random.integers(now.shape[1]), random.integers(-1, 2)
            live.set(int(row), int(column), int(sign))
            now[row, column] = sign
        for mine, fresh in zip(live.keys(), keys_of(now, templates), strict=True):
            assert np.array_equal(mine, fresh)


def test_a_position_with_captures_is_reached_by_what_changed():
    one, other = random_stones(1, 19, 19), random_stones(2, 19, 19)
    live = _core.PatternKeys(one, 8)
    live.update(other)
    assert np.array_equal(live.keys()[0], keys_of(other, 8)[0])


def test_a_class_of_a_larger_template_has_one_parent():
    parents = {}
    for seed in range(40):
        keys, signs = keys_of(random_stones(seed, 9, 9, 0.15))
        for level in range(1, 14):
            for key, above, sign, sign_above in zip(
                keys[..., level].flat, keys[..., level - 1].flat, signs[..., level].flat, signs[..., level - 1].flat,
                strict=True,
            ):  # fmt: skip
                assert parents.setdefault(int(key), (int(above), sign * sign_above)) == (int(above), sign * sign_above)
                assert sign != 0 or sign_above == 0


def test_keys_of_a_game_are_counted_as_they_change():
    # Black B2 and White A1 on 3×3; with the one-point template each point changes its key once, when the stone comes.
    code = lambda colour, index: colour << 2 | index << 4  # noqa: E731
    events = np.array([code(1, 4), code(2, 6)], np.uint16)
    changes = _core.replay_keys(3, 3, events, np.array([0, 2]), 2)
    assert changes[0, 0] == 9 + 2
    before, after = np.zeros((3, 3), np.int8), np.zeros((3, 3), np.int8)
    after[1, 1] = 1
    last = after.copy()
    last[2, 0] = -1
    steps = zip((before, after), (after, last), strict=True)
    assert changes[0, 1] == 9 + sum((keys_of(a, 2)[0] != keys_of(b, 2)[0])[..., 1].sum() for a, b in steps)


@pytest.mark.parametrize("templates", [0, 15, -1])
def test_a_template_that_is_not_there_is_refused(templates):
    with pytest.raises(ValueError):
        _core.pattern_keys(np.zeros((1, 9, 9), np.int8), templates)
    with pytest.raises(ValueError):
        _core.PatternKeys(np.zeros((9, 9), np.int8), templates)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError):
        _core.pattern_keys(np.zeros((1, 26, 9), np.int8), 8)
    with pytest.raises(ValueError):
        _core.PatternKeys(np.zeros((9, 9), np.int8), 8).set(9, 0, 1)
    with pytest.raises(ValueError):
        _core.PatternKeys(np.zeros((9, 9), np.int8), 8).update(np.zeros((9, 8), np.int8))
    with pytest.raises(ValueError):
        _core.replay_keys(9, 9, np.zeros(2, np.uint16), np.array([0, 3]), 8)
    with pytest.raises(ValueError):
        _core.PatternTable(np.array([2, 1], np.uint64), np.zeros(2, np.float32))
    with pytest.raises(ValueError):
        _core.PatternTable(np.array([1, 2], np.uint64), np.zeros(3, np.float32))


@pytest.mark.parametrize("count", [0, 1, 7, 1000])
def test_a_table_finds_its_keys_and_no_others(count):
    keys = np.unique(np.random.default_rng(count).integers(0, 2**64, count, np.uint64))
    table = _core.PatternTable(keys, np.zeros(len(keys), np.float32))
    assert len(table) == len(keys)
    assert table.find(keys).tolist() == list(range(len(keys)))
    assert (table.find(keys[~np.isin(keys + 1, keys)] + 1) == -1).all()
    assert (table.find(np.array([0, 2**64 - 1], np.uint64)) == -1).all()


def test_a_table_says_the_value_of_the_largest_class_it_knows():
    stones = random_stones(5, 9, 7, 0.4)
    keys, signs = keys_of(stones, 6)
    known = np.random.default_rng(0).integers(1, 7, stones.shape)  # how many templates are known at each point
    held = np.unique(np.concatenate([keys[r, c, : known[r, c]] for r, c in np.ndindex(stones.shape)]))
    values = np.random.default_rng(1).uniform(-1, 1, len(held)).astype(np.float32)
    expected = np.zeros(stones.shape)
    for r, c in np.ndindex(stones.shape):
        inside = np.isin(keys[r, c], held)
        depth = 6 if inside.all() else int(np.argmin(inside))
        expected[r, c] = signs[r, c, depth - 1] * values[np.searchsorted(held, keys[r, c, depth - 1])]
    assert np.array_equal(_core.PatternTable(held, values).ownership(stones[None], 6)[0], expected)
