"""Draws a board as text, for terminals, logs and tests.

    9 X(X)O = =     X and O are stones, x and o dead ones, (X) the last move, + a star point;
    8 * * o X -     * and : are Black's territory, sure and likely; = and - are White's.

Plain text is pure ASCII, so it lines up in every terminal. In colour the wood gets darker where the territory is
Black's and lighter where it is White's; dead stones are crosses.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from tengen.go.picture import DeadStones, Picture, picture_of
from tengen.go.points import LETTERS, PointLike

LIKELY = 0.25
"""Certainty from which an empty point is marked as territory."""

SURE = 0.75
"""Certainty from which territory counts as settled."""

# By level of territory: White's sure and likely, nobody's, Black's likely and sure.
_MARKS = {-2: "=", -1: "-", 0: ".", 1: ":", 2: "*"}
_WOOD = {-2: 230, -1: 222, 0: 179, 1: 137, 2: 94}  # colours of the 256-colour palette
_GRID = {-2: 179, -1: 137, 0: 94, 1: 94, 2: 137}
_BLACK, _WHITE, _RED = 16, 231, 160
_RESET = "\x1b[0m"


def draw_text(
    stones: ArrayLike,
    *,
    ownership: ArrayLike | None = None,
    owner: ArrayLike | None = None,
    dead: DeadStones | None = None,
    last_move: PointLike | None = None,
    coordinates: bool = True,
    colour: bool = False,
) -> str:
    """Draw a board, with the territory marked where an ownership or a counted owner is given."""
    picture = picture_of(stones, ownership=ownership, owner=owner, dead=dead, last_move=last_move)
    draw_row = _coloured_row if colour else _plain_row
    rows = [draw_row(picture, row) for row in range(picture.height)]
    if coordinates:
        return "\n".join(_with_coordinates(rows, picture.width))
    return "\n".join(rows) if colour else textwrap.dedent("\n".join(row.rstrip() for row in rows))


def rows_of(signs: ArrayLike) -> list[str]:
    """Write an array of 1 (Black), −1 (White) and 0 as rows of X O . for programs."""
    return ["".join(".XO"[int(sign)] for sign in row) for row in np.asarray(signs)]


def _with_coordinates(rows: list[str], width: int) -> Iterator[str]:
    margin = len(str(len(rows)))
    letters = " " * (margin + 1) + " ".join(LETTERS[:width])
    yield letters
    for number, row in zip(range(len(rows), 0, -1), rows, strict=True):
        yield f"{number:>{margin}}{row}{number}"
    yield letters


def _plain_row(picture: Picture, row: int) -> str:
    gaps = _gaps(picture, row)
    cells = (gap + _glyph(picture, row, column) for column, gap in enumerate(gaps[:-1]))
    return "".join(cells) + gaps[-1]


def _coloured_row(picture: Picture, row: int) -> str:
    gaps = _gaps(picture, row)
    cells = (_coloured_cell(picture, row, column, gap) for column, gap in enumerate(gaps[:-1]))
    return "".join(cells) + _paint(gaps[-1], _RED, _WOOD[0]) + _RESET


def _coloured_cell(picture: Picture, row: int, column: int, gap: str) -> str:
    """Return a cell and the gap to its left, both on the wood of that point."""
    level = _level(picture, row, column)
    stone = picture.stones[row, column]
    if not stone:
        glyph = _glyph(picture, row, column) if level == 0 else "."
        return _paint(gap, _RED, _WOOD[level]) + _paint(glyph, _GRID[level], _WOOD[level])
    glyph = "×" if picture.dead[row, column] else "●"
    return _paint(gap, _RED, _WOOD[level]) + _paint(glyph, _BLACK if stone > 0 else _WHITE, _WOOD[level])


def _paint(text: str, colour: int, wood: int) -> str:
    return f"\x1b[38;5;{colour};48;5;{wood}m{text}"


def _glyph(picture: Picture, row: int, column: int) -> str:
    stone = picture.stones[row, column]
    if stone:
        letter = "X" if stone > 0 else "O"
        return letter.lower() if picture.dead[row, column] else letter
    if not picture.has_territory and (row, column) in picture.stars:
        return "+"
    return _MARKS[_level(picture, row, column)]


def _level(picture: Picture, row: int, column: int) -> int:
    """Return how surely a point is somebody's: ±2 sure, ±1 likely, 0 not; contested stones count as living."""
    share = picture.territory[row, column]
    if picture.stones[row, column] and not picture.dead[row, column]:
        return 0
    certainty = 2 if abs(share) >= SURE else 1 if abs(share) >= LIKELY else 0
    return certainty if share > 0 else -certainty


def _gaps(picture: Picture, row: int) -> list[str]:
    """Return what stands left of each point and after the last: blanks, or parentheses around the last move."""
    gaps = [" "] * (picture.width + 1)
    if picture.last_move is not None and picture.last_move[0] == row:
        column = picture.last_move[1]
        gaps[column : column + 2] = "(", ")"
    return gaps
