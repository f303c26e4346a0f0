"""What an eye space is worth."""

import pytest

from tengen.judge.eyes import makes_two_eyes


def two(*rows):
    """Whether the space of dots and enemy stones (O) makes two eyes."""
    points = {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "X"}
    return makes_two_eyes(points, [point for point, sign in points.items() if sign == "O"])


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
    ],
)
def test_one_eye(rows):
    assert not two(*rows)
