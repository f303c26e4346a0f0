"""Bouzy's influence, against its twin and the figures of GNU Go's manual."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.views.influence import influence
from tests.naive.influence import influence as naive_influence

BOARDS = st.tuples(st.integers(2, 8), st.integers(2, 8)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0, 0, 0, 1, -1]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(BOARDS, st.integers(0, 6), st.integers(0, 22), st.sampled_from([1, 7, 100, 128]))
def test_it_equals_its_twin(stones, dilations, erosions, stone):
    found = influence(np.array(stones, np.int8), dilations=dilations, erosions=erosions, stone=stone)
    assert found.tolist() == naive_influence(stones, dilations, erosions, stone)


def one_space_jump():
    stones = np.zeros((11, 13), np.int8)
    stones[5, 5] = stones[5, 7] = 1
    return stones


def test_the_one_space_jump_of_the_manual():
    once = influence(one_space_jump(), dilations=1, erosions=0)
    assert once[5, 3:10].tolist() == [0, 1, 128, 2, 128, 1, 0]
    assert once[4, 4:9].tolist() == [0, 1, 0, 1, 0]
    twice = influence(one_space_jump(), dilations=2, erosions=0)
    assert twice[5, 3:10].tolist() == [1, 2, 132, 4, 132, 2, 1]
    assert twice[4, 4:9].tolist() == [2, 2, 3, 2, 2]
    assert twice[3, 4:9].tolist() == [0, 1, 0, 1, 0]


def test_a_stone_alone_keeps_no_territory():
    stones = np.zeros((19, 19), np.int8)
    stones[9, 9] = 1
    assert np.argwhere(influence(stones)).tolist() == [[9, 9]]


def test_it_is_the_same_for_both_colours():
    stones = np.random.default_rng(0).integers(-1, 2, (40, 6, 9)).astype(np.int8)
    for steps in ({"erosions": 0}, {}):
        assert (influence(-stones, **steps) == -influence(stones, **steps)).all()


@pytest.mark.parametrize("size", [2, 9, 19])
def test_the_value_of_a_stone_does_not_change_whose_influence_it_is(size):
    stones = np.random.default_rng(size).choice(np.array([1, -1, 0], np.int8), (60, size, size), p=[0.1, 0.1, 0.8])
    assert (np.sign(influence(stones, stone=100)) == np.sign(influence(stones, stone=128))).all()


@pytest.mark.parametrize("wrong", [{"stone": 0}, {"stone": 2_000_000}, {"dilations": -1}, {"erosions": 1001}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="to 100"):
        influence(np.zeros((9, 9), np.int8), **wrong)


def test_a_stack_of_boards_is_the_boards_one_by_one():
    stones = np.random.default_rng(1).integers(-1, 2, (30, 7, 5)).astype(np.int8)
    assert (influence(stones) == np.stack([influence(board) for board in stones])).all()


@pytest.mark.parametrize("shape", [(0, 9, 9), (0, 0, 0), (3, 0, 9, 9)])
def test_no_boards_have_no_influence(shape):
    assert influence(np.zeros(shape, np.int8)).shape == shape


def test_what_is_no_board_is_refused():
    with pytest.raises(ValueError, match="a side has 2 to 25 points"):
        influence(np.zeros((1, 26, 9), np.int8))
