"""Templates and drawings of patterns."""

import numpy as np
import pytest

import tengen
from tengen.errors import TengenError
from tengen.views.patterns import gradual_distance, pattern_keys, pattern_text, template_offsets

BOARD = tengen.Board.from_text("""
    . X . . .
    X O . . .
    . . . X .
    . . . . .
    O . . . .
""")


def test_a_template_is_drawn_with_the_edge():
    assert pattern_text(BOARD.stones, 0, 0, 4).splitlines() == ["    #", "  # # #", "# # . X .", "  # X O", "    ."]
    assert pattern_text(BOARD.stones, 1, 1, 2).splitlines() == ["  X", "X O .", "  ."]


def test_near_is_counted_along_lines_and_diagonals():
    assert [gradual_distance(0, 0), gradual_distance(0, 1), gradual_distance(1, 1), gradual_distance(0, 2)] == [
        0,
        2,
        3,
        4,
    ]
    assert template_offsets(1) == ((0, 0),)
    assert set(template_offsets(3)) == {(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)}


def test_keys_of_one_board_are_those_of_the_stack():
    keys, signs = pattern_keys(BOARD.stones, 6)
    assert keys.shape == signs.shape == (5, 5, 6)
    stacked, _ = pattern_keys(np.stack([BOARD.stones, BOARD.stones]), 6)
    assert np.array_equal(stacked[1], keys)


def test_the_mirrored_corner_has_the_same_pattern_the_other_way_round():
    # A1's corner holds a white stone where a black one at the mirror image would be the same shape reversed.
    keys, signs = pattern_keys(np.stack([BOARD.stones, -BOARD.stones.T[::-1]]), 8)
    assert keys[0, 0, 0, 7] == keys[1, 4, 0, 7]
    assert signs[0, 0, 0, 7] == -signs[1, 4, 0, 7] != 0


def test_there_are_fourteen_templates():
    with pytest.raises(TengenError, match="1 to 14"):
        pattern_keys(BOARD.stones, 15)
