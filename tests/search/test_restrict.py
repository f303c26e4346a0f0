"""Which moves are left out of a tree, and how deep."""

from __future__ import annotations

import pytest

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.search.restrict import allow, avoid, depths

A2, B2, A1, B1, PASS = range(5)


def test_without_restrictions_nothing_is_left_out() -> None:
    assert depths([], Board(2)).tolist() == [[0] * 5, [0] * 5]


def test_moves_are_those_of_the_player_to_move_unless_a_colour_is_named() -> None:
    board = Board(2)
    board.play("A1")
    found = depths([avoid(["B2"], depth=3), avoid(["B1", "pass"], "black")], board)
    assert found.tolist() == [[0, 0, 0, 1, 1], [0, 3, 0, 0, 0]]


def test_what_several_allow_is_allowed_by_all_and_the_deepest_bars_the_rest() -> None:
    found = depths([allow(["A1"], depth=4), allow(["B1"])], Board(2))[0]
    assert found.tolist() == [4, 4, 0, 0, 4]


def test_what_is_avoided_is_left_out_though_it_is_allowed() -> None:
    found = depths([avoid(["A1", "A2"], depth=2), allow(["A1", "B1"], depth=5), avoid(["A1"])], Board(2))[0]
    assert (found[A1], found[A2], found[B2], found[B1], found[PASS]) == (2, 5, 5, 0, 5)


def test_nothing_allowed_bars_everything_and_no_depth_is_too_deep() -> None:
    assert set(depths([allow([], depth=10**30)], Board(2))[0].tolist()) == {2**31 - 1}


def test_points_off_the_board_are_refused() -> None:
    with pytest.raises(TengenError, match="off the 2×2 board"):
        depths([avoid(["C3"])], Board(2))
