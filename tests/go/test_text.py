import re
import textwrap

import numpy as np
import pytest
from drawing_boards import FINISHED, FINISHED_OWNER, board
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tengen.errors import TengenError
from tengen.go.text import draw_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def drawing(text):
    """Return a drawing as it stands in a test: indented, between two line breaks."""
    return textwrap.dedent(text).strip("\n")


def rows_of(text):
    """Return the rows of a drawing without its coordinates."""
    return "\n".join(re.sub(r"^ *\d+ | \d+$", "", row) for row in text.splitlines()[1:-1])


def test_an_empty_board_shows_its_star_points():
    assert draw_text(np.zeros((9, 9))) == drawing("""
          A B C D E F G H J
        9 . . . . . . . . . 9
        8 . . . . . . . . . 8
        7 . . + . . . + . . 7
        6 . . . . . . . . . 6
        5 . . . . + . . . . 5
        4 . . . . . . . . . 4
        3 . . + . . . + . . 3
        2 . . . . . . . . . 2
        1 . . . . . . . . . 1
          A B C D E F G H J
    """)


def test_rows_of_two_digits_keep_the_board_straight():
    stones = np.zeros((11, 3), int)
    stones[0, 0], stones[10, 2] = 1, -1
    lines = draw_text(stones).splitlines()
    assert lines[:4] == ["   A B C", "11 X . . 11", "10 . . . 10", " 9 . . . 9"]
    assert lines[-2:] == [" 1 . . O 1", "   A B C"]


def test_the_smallest_and_the_widest_board():
    assert draw_text(board("X .\n. O")) == "  A B\n2 X . 2\n1 . O 1\n  A B"
    assert draw_text(np.zeros((2, 25))).splitlines()[0] == "  A B C D E F G H J K L M N O P Q R S T U V W X Y Z"


def test_the_last_move_stands_in_parentheses():
    stones = board("X . O\n. X .")
    assert draw_text(stones, last_move="A2") == "  A B C\n2(X). O 2\n1 . X . 1\n  A B C"
    assert draw_text(stones, last_move=(0, 2)) == "  A B C\n2 X .(O)2\n1 . X . 1\n  A B C"
    assert draw_text(stones, last_move="pass") == draw_text(stones)


def test_without_coordinates_only_the_rows_remain():
    stones = board("X . O\n. X .")
    assert draw_text(stones, coordinates=False) == "X . O\n. X ."
    assert draw_text(stones, coordinates=False, last_move="B1") == "X . O\n.(X)."
    assert draw_text(stones, coordinates=False, last_move="A1") == " X . O\n(.)X ."


def test_a_counted_board_shows_territory_dead_stones_and_dame():
    assert draw_text(board(FINISHED), owner=board(FINISHED_OWNER), last_move="E4") == drawing("""
          A B C D E F G H J
        9 * * X O = = = = = 9
        8 * X X O = x = = = 8
        7 * X O O O = O = = 7
        6 X X X X O = O O = 6
        5 * o * X X O O = O 5
        4 * * * X(X). O O = 4
        3 * X X X X X X O O 3
        2 * * * X o * X X O 2
        1 * * * X * * * X X 1
          A B C D E F G H J
    """)


def test_an_estimate_is_marked_by_its_certainty():
    ownership = [[1.0, 0.75, 0.74, 0.25, 0.24, 0.0, -0.24, -0.25, -0.74, -0.75, -1.0]]
    assert draw_text(np.zeros((1, 11)), ownership=ownership, coordinates=False) == "* * : : . . . - - = ="


def test_stones_die_when_the_opponent_probably_owns_their_point():
    ownership = [[-1.0, -0.5, -0.49, 0.0, 1.0, 0.49, 0.5, 1.0]]
    assert draw_text([[1, 1, 1, 1, -1, -1, -1, 1]], ownership=ownership, coordinates=False) == "x x X X o O o X"


def test_marks_of_a_person_overrule_the_estimate():
    stones, ownership = board("X O .\n. . ."), np.full((2, 3), 0.9)
    assert draw_text(stones, ownership=ownership, coordinates=False) == "X o *\n* * *"
    assert draw_text(stones, ownership=ownership, dead=[], coordinates=False) == "X O *\n* * *"
    assert draw_text(stones, ownership=ownership, dead=["A2"], coordinates=False) == "x O *\n* * *"


def test_dead_stones_are_given_by_name_pair_or_array():
    stones = board("X O\n. .")
    mask = np.array([[False, True], [True, False]])
    for dead in (["B2"], {(0, 1)}, mask):
        assert draw_text(stones, dead=dead, coordinates=False) == "X o\n. ."


@given(
    st.tuples(st.integers(2, 25), st.integers(2, 25)).flatmap(
        lambda shape: arrays(np.int8, shape, elements=st.integers(-1, 1))
    )
)
def test_a_plain_drawing_reads_back(stones):
    text = draw_text(stones)
    assert text.isascii()
    assert np.array_equal(board(rows_of(text)), stones)
    assert np.array_equal(board(draw_text(stones, coordinates=False)), stones)


def test_colour_keeps_the_layout():
    stones, owner = board(FINISHED), board(FINISHED_OWNER)
    coloured = draw_text(stones, owner=owner, last_move="E4", colour=True)
    seen = ANSI.sub("", coloured).splitlines()
    assert seen[:3] == ["  A B C D E F G H J", "9 * * ● ○ = = = = = 9", "8 * ● ● ○ = x = = = 8"]
    assert seen[6] == "4 * * * ●(●). ○ ○ = 4"
    assert [len(line) for line in seen] == [len(line) for line in draw_text(stones, owner=owner).splitlines()]
    assert all(line.count("\x1b[0m") == 1 for line in coloured.splitlines()[1:-1])


def test_colour_tells_black_from_white_and_shades_territory():
    row = draw_text([[1, -1, 0, 0, -1]], owner=[[1, -1, 1, -1, 1]], colour=True, coordinates=False)
    cells = re.findall(r"38;5;(\d+);48;5;(\d+)m([^ \x1b])", row)
    black, white, wood, dark, light = "16", "231", "179", "94", "230"
    assert [(wood, glyph) for _, wood, glyph in cells] == [
        (wood, "●"), (wood, "○"), (dark, "*"), (light, "="), (dark, "o"),
    ]  # fmt: skip
    assert [colour for colour, _, glyph in cells if glyph not in "*="] == [black, white, white]


MARKED = {"owner": [[1, 1, 0, 0, -1, 0, 0]], "dead": ["B1"], "unclear": ["C1"], "seki": ["D1", "G1"], "dame": ["F1"]}


def test_unclear_stones_seki_and_dame_have_marks_of_their_own():
    assert draw_text([[1, -1, 1, -1, 0, 0, 1]], **MARKED, coordinates=False) == "X o # S = ~ Z"
    assert draw_text([[1, -1, -1, 1, 0, 0, -1]], **MARKED, coordinates=False) == "X o @ Z = ~ S"
    assert draw_text([[-1, 1, 1, 0]], unclear=["A1", "B1", "D1"], dame=["C1"], coordinates=False) == "@ # X ."


@pytest.mark.parametrize("colour", [False, True])
def test_no_two_stones_look_alike_without_colours(colour):
    black, white = (
        ANSI.sub(
            "", draw_text([[side] * 4], dead=["B1"], unclear=["C1"], seki=["D1"], coordinates=False, colour=colour)
        )
        for side in (1, -1)
    )
    assert len({*black.split(), *white.split()}) == 8


def test_the_legend_explains_the_marks_that_are_there_and_no_others():
    assert draw_text([[1, -1, 1, -1, 0, 0, 1]], **MARKED, coordinates=False, legend=True) == drawing("""
        X o # S = ~ Z
        X Black  o White, dead  # Black, unclear  Z Black, in seki  S White, in seki
        = White's territory  ~ dame
    """)
    assert draw_text([[1, 0]], last_move="A1", coordinates=False, legend=True) == "(X).\nX Black  ( ) last move"
    coloured = draw_text([[1, -1]], owner=[[1, -1]], coordinates=False, colour=True, legend=True).splitlines()
    assert ANSI.sub("", coloured[1]) == "● Black  ○ White"
    assert "\x1b[38;5;16;48;5;179m●\x1b[0m Black" in coloured[1]


def test_the_legend_of_an_estimate_tells_sure_from_likely():
    ownership = [[1.0, 0.5, 0.0, -0.5, -1.0]]
    assert draw_text(np.zeros((1, 5)), ownership=ownership, coordinates=False, legend=True).splitlines()[1:] == [
        "* Black's territory  : likely Black's  = White's territory  - likely White's",
        ". neutral",
    ]


@pytest.mark.parametrize(
    ("stones", "extras", "message"),
    [
        (np.zeros(9), {}, "a board has rows and columns, 25 at most; this array has shape (9,)"),
        (np.zeros((26, 9)), {}, "a board has rows and columns, 25 at most; this array has shape (26, 9)"),
        ([[2, 0]], {}, "stones are 1 (Black), -1 (White) or 0 (empty)"),
        ([[1, 0]], {"ownership": [[0.0]]}, "values of ownership of shape (1, 1) do not fit a board of shape (1, 2)"),
        ([[1, 0]], {"ownership": [[0.0, np.nan]]}, "ownership lies between -1 (White) and 1 (Black)"),
        ([[1, 0]], {"ownership": [[0.0, 1.5]]}, "ownership lies between -1 (White) and 1 (Black)"),
        ([[1, 0]], {"last_move": "C1"}, "C1 is off the 2×1 board"),
        ([[1, 0]], {"dead": ["A2"]}, "A2 is off the 2×1 board"),
        (
            [[1, 0]],
            {"ownership": [[0, 0]], "owner": [[0, 0]]},
            "draw either the ownership (an estimate) or the owner (a count), not both",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(stones, extras, message):
    with pytest.raises(TengenError) as error:
        draw_text(stones, **extras)
    assert str(error.value) == message
