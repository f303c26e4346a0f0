"""What an eye space is worth."""

import pytest

from tengen.judge.eyes import count_eyes


def two(*rows):
    """Whether the space of dots and enemy stones (O) makes two eyes."""
    points = {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "X"}
    return count_eyes(points, [point for point, sign in points.items() if sign == "O"]) == 2


@pytest.mark.parametrize(
    "rows",
    [
        ["..."],
        ["..", "X."],
        ["...."],
        ["...", "X.X"],
        ["..X", "X.."],
        ["...", "..."],
        [".O.."],
        ["OX", ".."],
        ["O.O"],
        ["...", ".O."],
        [".OOOO."],
        ["........"],
    ],
)
def test_two_eyes(rows):
    assert two(*rows)


@pytest.mark.parametrize(
    "rows",
    [
        ["."],
        [".."],
        ["..", ".."],
        [".O."],
        [".OO."],
        [".OOO."],
        [".O.", "X.X"],
        [".O.", ".O."],
        ["X.X", ".O.", "X.X"],
        ["OO.", "OOX"],
        [".OX", "OOO", "OO."],
        [".O.O."],
    ],
)
def test_one_eye(rows):
    assert not two(*rows)


@pytest.mark.parametrize(
    ("rows", "ends", "eyes"),
    [
        (["."], 1, 1),
        (["."], 2, 0),
        ([".."], 2, 1),
        (["..."], 1, 1),
        (["...."], 1, 2),
        (["...."], 2, 1),
        (["....."], 2, 2),
        (["...", "..X"], 1, 1),
        (["...", "..."], 1, 2),
        (["...", "..."], 2, 1),
        (["...X", "...."], 2, 2),
    ],
)
def test_the_enemy_moves_once_for_every_weak_end(rows, ends, eyes):
    space = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "."]
    assert count_eyes(space, (), ends) == eyes
