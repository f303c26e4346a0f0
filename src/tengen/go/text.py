"""Draw a board as text, for terminals, logs and tests.

    9 X(X)O = =     X and O are stones, x and o dead ones, # and @ unclear ones, Z and S stones in seki, (X) the last
    8 * * o X -     move, + a star point, ~ dame; * and : are Black's territory, sure and likely; = and - are White's.

Plain text is pure ASCII, so it lines up in every terminal. In colour the background is darker in Black's territory and
lighter in White's, and living stones are discs: filled for Black, hollow for White, so that they differ without
colours too. `legend=True` explains every mark on the board.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from tengen.go.picture import Picture, Points, picture_of
from tengen.go.points import LETTERS, PointLike

LIKELY = 0.25
"""Certainty from which an empty point is marked as territory."""

SURE = 0.75
"""Certainty from which territory counts as settled."""

# By level of territory: White's sure and likely, none, Black's likely and sure.
_MARKS = {-2: "=", -1: "-", 0: ".", 1: ":", 2: "*"}
_WOOD = {-2: 230, -1: 222, 0: 179, 1: 137, 2: 94}  # colours of the 256-colour palette
_GRID = {-2: 179, -1: 137, 0: 94, 1: 94, 2: 137}
_BLACK, _WHITE, _RED = 16, 231, 160
_RESET = "\x1b[0m"

_DAME, _STAR = "~", "+"
# Black's and White's stones by status.
_PLAIN = {"living": "XO", "dead": "xo", "unclear": "#@", "seki": "ZS"}
_COLOURED = {"living": "●○", "dead": "xo", "unclear": "▲△", "seki": "■□"}
_NAMES = {"living": "", "dead": ", dead", "unclear": ", unclear", "seki": ", in seki"}
_LEVELS = {
    2: "Black's territory",
    1: "likely Black's",
    -2: "White's territory",
    -1: "likely White's",
}
_LEGEND_WIDTH = 78


def draw_text(
    stones: ArrayLike,
    *,
    ownership: ArrayLike | None = None,
    owner: ArrayLike | None = None,
    dead: Points | None = None,
    unclear: Points = (),
    seki: Points = (),
    dame: Points = (),
    last_move: PointLike | None = None,
    coordinates: bool = True,
    colour: bool = False,
    legend: bool = False,
) -> str:
    """Draw a board, with territory if an ownership or a counted owner is given."""
    picture = picture_of(
        stones, ownership=ownership, owner=owner, dead=dead, unclear=unclear, seki=seki, dame=dame, last_move=last_move
    )
    draw_row = _coloured_row if colour else _plain_row
    rows = [draw_row(picture, row) for row in range(picture.height)]
    if coordinates:
        text = "\n".join(_with_coordinates(rows, picture.width))
    else:
        text = "\n".join(rows) if colour else textwrap.dedent("\n".join(row.rstrip() for row in rows))
    return "\n".join([text, *_legend(picture, colour)]) if legend else text


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
    cells = (gap + _glyph(picture, row, column, _PLAIN) for column, gap in enumerate(gaps[:-1]))
    return "".join(cells) + gaps[-1]


def _coloured_row(picture: Picture, row: int) -> str:
    gaps = _gaps(picture, row)
    cells = (_coloured_cell(picture, row, column, gap) for column, gap in enumerate(gaps[:-1]))
    return "".join(cells) + _paint(gaps[-1], _RED, _WOOD[0]) + _RESET


def _coloured_cell(picture: Picture, row: int, column: int, gap: str) -> str:
    """Return a cell and the gap to its left, both on the wood of that point."""
    level = _level(picture, row, column)
    stone = picture.stones[row, column]
    ink = _BLACK if stone > 0 else _WHITE if stone < 0 else _GRID[level]
    return _paint(gap, _RED, _WOOD[level]) + _paint(_glyph(picture, row, column, _COLOURED), ink, _WOOD[level])


def _paint(text: str, colour: int, wood: int) -> str:
    return f"\x1b[38;5;{colour};48;5;{wood}m{text}"


def _glyph(picture: Picture, row: int, column: int, stones: dict[str, str]) -> str:
    stone = picture.stones[row, column]
    if stone:
        return stones[_fate(picture, row, column)][0 if stone > 0 else 1]
    if picture.dame[row, column]:
        return _DAME
    if not picture.has_territory and (row, column) in picture.stars:
        return _STAR
    return _MARKS[_level(picture, row, column)]


def _fate(picture: Picture, row: int, column: int) -> str:
    """Return the kind of a stone in the tables above; unclear takes precedence over the likelier status."""
    if picture.unclear[row, column]:
        return "unclear"
    if picture.dead[row, column]:
        return "dead"
    return "seki" if picture.seki[row, column] else "living"


def _level(picture: Picture, row: int, column: int) -> int:
    """Return the level of territory of a point: ±2 sure, ±1 likely, 0 none; unclear stones count as living."""
    share = picture.territory[row, column]
    if picture.stones[row, column] and not picture.dead[row, column]:
        return 0
    certainty = 2 if abs(share) >= SURE else 1 if abs(share) >= LIKELY else 0
    return certainty if share > 0 else -certainty


def _gaps(picture: Picture, row: int) -> list[str]:
    """Return the separators before each point and after the last: blanks, or parentheses around the last move."""
    gaps = [" "] * (picture.width + 1)
    if picture.last_move is not None and picture.last_move[0] == row:
        column = picture.last_move[1]
        gaps[column : column + 2] = "(", ")"
    return gaps


def _legend(picture: Picture, colour: bool) -> Iterator[str]:
    """Explain the marks that the board shows, in lines of moderate width."""
    line, used = "", 0
    for glyph, ink, wood, meaning in _legend_entries(picture, _COLOURED if colour else _PLAIN):
        width = len(glyph) + 1 + len(meaning)
        if line and used + 2 + width > _LEGEND_WIDTH:
            yield line
            line, used = "", 0
        sample = f"{_paint(glyph, ink, wood)}{_RESET}" if colour else glyph
        line, used = f"{line}{'  ' if line else ''}{sample} {meaning}", used + width + (2 if line else 0)
    if line:
        yield line


def _legend_entries(picture: Picture, stones: dict[str, str]) -> Iterator[tuple[str, int, int, str]]:
    """Yield glyph, ink, wood and meaning of every mark in use, stones first."""
    points = [(row, column) for row in range(picture.height) for column in range(picture.width)]
    shown = {(_fate(picture, *point), picture.stones[point] < 0) for point in points if picture.stones[point]}
    for fate, glyphs in stones.items():
        for white, glyph in enumerate(glyphs):
            if (fate, bool(white)) in shown:
                yield glyph, _WHITE if white else _BLACK, _WOOD[0], ("White" if white else "Black") + _NAMES[fate]
    empty = {_glyph(picture, *point, stones): point for point in points if not picture.stones[point]}
    for level, meaning in _LEVELS.items():
        if _MARKS[level] in empty:
            yield _MARKS[level], _GRID[level], _WOOD[level], meaning
    if _DAME in empty:
        yield _DAME, _GRID[0], _WOOD[0], "dame"
    if _MARKS[0] in empty and picture.has_territory:
        yield _MARKS[0], _GRID[0], _WOOD[0], "neutral"
    if _STAR in empty:
        yield _STAR, _GRID[0], _WOOD[0], "star point"
    if picture.last_move is not None:
        yield "( )", _RED, _WOOD[0], "last move"
