import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.go.symmetry import compose, inverse, symmetries, transform, transform_point

ALL = range(8)
BOARD = np.arange(12).reshape(3, 4)  # three rows, four columns


def test_a_square_has_eight_and_a_rectangle_four():
    assert symmetries(19, 19) == range(8)
    assert symmetries(13, 9) == range(4)


@pytest.mark.parametrize(
    ("k", "rows"),
    [
        (0, ["ab", "cd"]),
        (1, ["cd", "ab"]),
        (2, ["ba", "dc"]),
        (3, ["dc", "ba"]),
        (4, ["ac", "bd"]),
        (5, ["ca", "db"]),
        (6, ["bd", "ac"]),
        (7, ["db", "ca"]),
    ],
)
def test_what_each_symmetry_does(k, rows):
    square = np.array([["a", "b"], ["c", "d"]])
    assert ["".join(row) for row in transform(square, k)] == rows


def test_the_eight_pictures_of_a_board_differ():
    assert len({transform(np.arange(9).reshape(3, 3), k).tobytes() for k in ALL}) == 8


@pytest.mark.parametrize("k", ALL)
def test_a_point_goes_where_its_stone_goes(k):
    moved = transform(BOARD, k)
    for row, column in np.ndindex(3, 4):
        assert moved[transform_point((row, column), k, width=4, height=3)] == BOARD[row, column]


@pytest.mark.parametrize("a", ALL)
@pytest.mark.parametrize("b", ALL)
def test_compose_is_one_after_the_other(a, b):
    assert np.array_equal(transform(transform(BOARD, a), b), transform(BOARD, compose(a, b)))


def test_they_form_a_group():
    for a in ALL:
        assert compose(a, 0) == compose(0, a) == a
        assert compose(a, inverse(a)) == compose(inverse(a), a) == 0
        assert sorted(compose(a, b) for b in ALL) == list(ALL)
        for b in ALL:
            assert inverse(compose(a, b)) == compose(inverse(b), inverse(a))
            for c in ALL:
                assert compose(compose(a, b), c) == compose(a, compose(b, c))


def test_the_four_of_a_rectangle_keep_its_shape_and_stay_among_themselves():
    four = symmetries(4, 3)
    assert all(transform(BOARD, k).shape == BOARD.shape for k in four)
    assert all(compose(a, b) in four and inverse(a) in four for a in four for b in four)


def test_leading_axes_are_left_alone():
    stack = np.arange(24).reshape(2, 3, 4)
    for k in ALL:
        assert np.array_equal(transform(stack, k), np.stack([transform(plane, k) for plane in stack]))


@pytest.mark.parametrize("k", [-1, 8])
def test_there_is_no_ninth(k):
    for act in (inverse, lambda k: transform(BOARD, k), lambda k: compose(0, k)):
        with pytest.raises(TengenError, match=f"there is no symmetry {k}: they are numbered 0 to 7"):
            act(k)
