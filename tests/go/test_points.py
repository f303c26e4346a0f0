import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import TengenError
from tengen.go.counting import names_of
from tengen.go.points import LETTERS, as_point, mask_of, point, point_name, point_names, star_points


@pytest.mark.parametrize(
    ("name", "size", "where"),
    [
        ("A19", 19, (0, 0)),
        ("T1", 19, (18, 18)),
        ("Q16", 19, (3, 15)),
        ("H8", 19, (11, 7)),
        ("J8", 19, (11, 8)),  # the letter after H
        ("E5", 9, (4, 4)),
        ("N9", (13, 9), (0, 12)),
        ("A9", (13, 9), (0, 0)),
        ("Z25", 25, (0, 24)),
        ("B1", 2, (1, 1)),
    ],
)
def test_names_and_points_are_the_same_thing(name, size, where):
    height = size if isinstance(size, int) else size[1]
    assert point(name, size) == where
    assert point_name(*where, height) == name


def test_names_are_read_in_any_case():
    assert point("q16", 19) == point(" Q16 ", 19) == (3, 15)


@given(st.integers(2, 25), st.integers(2, 25), st.data())
def test_every_point_comes_back_from_its_name(width, height, data):
    where = data.draw(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)))
    assert point(point_name(*where, height), (width, height)) == where


@pytest.mark.parametrize("name", ["", "Q", "16", "Q0", "Q016", "Q100", "QQ16", "pass", "Q16x", "Ä3", "Q١"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(TengenError, match="is not the name of a point: write a letter and a number, such as D4"):
        point(name, 19)


def test_the_letter_i_is_explained():
    with pytest.raises(TengenError, match=r"'I9' is not the name of a point: columns skip the letter I"):
        point("I9", 19)
    assert "I" not in LETTERS


@pytest.mark.parametrize(("name", "size", "board"), [("K1", 9, "9×9"), ("A10", 9, "9×9"), ("A10", (13, 9), "13×9")])
def test_a_point_off_the_board_is_told_which_board(name, size, board):
    with pytest.raises(TengenError) as error:
        point(name, size)
    assert str(error.value) == f"{name} is off the {board} board"


def test_pairs_pass_through():
    assert as_point((8, 12), 13, 9) == (8, 12)
    assert as_point("N1", 13, 9) == (8, 12)
    row, column = as_point((np.int64(2), np.int8(3)), 9, 9)
    assert (row, column) == (2, 3)
    assert type(row) is int


@pytest.mark.parametrize("pair", [(9, 0), (0, 13), (-1, 0), (0, -1)])
def test_pairs_off_the_board_are_refused(pair):
    with pytest.raises(TengenError) as error:
        as_point(pair, 13, 9)
    assert str(error.value) == f"{pair} is off the 13×9 board"


@pytest.mark.parametrize("value", [3, None, (1,), (1, 2, 3), (1.5, 2), ("D", "4")])
def test_what_is_no_pair_is_refused(value):
    with pytest.raises(TengenError, match="is not a point: give a name such as D4 or a"):
        as_point(value, 9, 9)


def test_a_point_without_a_name():
    with pytest.raises(TengenError, match=r"\(9, 0\) has no name on a board of height 9"):
        point_name(9, 0, 9)


@pytest.mark.parametrize(
    ("width", "height", "names"),
    [
        (19, 19, "D16 K16 Q16 D10 K10 Q10 D4 K4 Q4"),
        (13, 13, "D10 K10 G7 D4 K4"),
        (9, 9, "C7 G7 E5 C3 G3"),
        (13, 9, "D7 K7 G5 D3 K3"),
        (8, 8, "C6 F6 C3 F3"),
        (7, 7, "D4"),
        (5, 5, "C3"),
        (6, 6, ""),
        (3, 3, ""),
    ],
)
def test_star_points(width, height, names):
    assert " ".join(point_name(*star, height) for star in star_points(width, height)) == names


def test_names_become_a_mask_and_a_mask_becomes_names():
    mask = mask_of(["A3", "D1", (1, 2)], 4, 3)
    assert mask.astype(int).tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert names_of(mask) == ("A3", "C2", "D1")
    assert [point_names(4, 3)[i] for i in np.flatnonzero(mask)] == ["A3", "C2", "D1"]
    assert not mask_of("", 4, 3).any()
    with pytest.raises(TengenError, match="off the 4×3 board"):
        mask_of(["E1"], 4, 3)
