"""Points of the board: GTP names such as Q16 on one side, (row, column) pairs on the other.

Row 0 is the top of the board and column 0 its left edge; names count rows from the bottom and skip the letter I.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError

Point: TypeAlias = tuple[int, int]
"""A point as (row, column), row 0 at the top."""

PointLike: TypeAlias = str | tuple[SupportsIndex, SupportsIndex]
"""A point as people give it: a GTP name or a (row, column) pair."""

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Column letters from the left; I is left out because it looks like J."""

MAX_SIZE = len(LETTERS)
"""The widest and highest board whose columns can be named."""

_NAME = re.compile(r"([A-Z])([1-9][0-9]?)", re.ASCII)


def point(name: str, size: int | tuple[int, int]) -> Point:
    """Return the (row, column) of a GTP name on a board of `size`: a number, or (width, height)."""
    width, height = _sides(size)
    match = _NAME.fullmatch(name.strip().upper()) if isinstance(name, str) else None
    if match is None:
        raise TengenError(f"{name!r} is not the name of a point: write a letter and a number, such as D4")
    if match[1] == "I":
        raise TengenError(f"{name!r} is not the name of a point: columns skip the letter I (… G H J K …)")
    return _on_board(height - int(match[2]), LETTERS.index(match[1]), width, height, name)


def point_name(row: int, column: int, height: int) -> str:
    """Return the GTP name of a point on a board of that height."""
    if not (0 <= row < height and 0 <= column < MAX_SIZE):
        raise TengenError(f"({row}, {column}) has no name on a board of height {height}")
    return f"{LETTERS[column]}{height - row}"


@lru_cache(maxsize=64)
def point_names(width: int, height: int) -> tuple[str, ...]:
    """Return the GTP names of all points of a board, row by row."""
    return tuple(point_name(row, column, height) for row in range(height) for column in range(width))


def as_point(value: PointLike, width: int, height: int) -> Point:
    """Return the (row, column) of a point given as a GTP name or as a pair, checked against the board."""
    if isinstance(value, str):
        return point(value, (width, height))
    try:
        row, column = (operator.index(part) for part in value)
    except (TypeError, ValueError):
        raise TengenError(f"{value!r} is not a point: give a name such as D4 or a (row, column) pair") from None
    return _on_board(row, column, width, height, (row, column))


def as_points(values: str | Iterable[PointLike], width: int, height: int) -> list[Point]:
    """Return the (row, column) of several points; a string may name them all, as in "D4, Q16"."""
    if isinstance(values, str):
        values = values.replace(",", " ").split()
    if not isinstance(values, Iterable):
        raise TengenError(f"{values!r} are not points: give several names such as D4, or (row, column) pairs")
    return [as_point(value, width, height) for value in values]


def mask_of(points: str | Iterable[PointLike], width: int, height: int) -> npt.NDArray[np.bool_]:
    """Return where these points are, as an array [row, column]."""
    mask = np.zeros((height, width), bool)
    for place in as_points(points, width, height):
        mask[place] = True
    return mask


def star_points(width: int, height: int) -> list[Point]:
    """Return the star points of a board, from the top left: nine on 19×19, five on 13×13 and 9×9."""
    rows, columns = _star_lines(height), _star_lines(width)
    stars = {(row, column) for row in rows for column in columns}
    if width % 2 and height % 2 and min(width, height) >= 5:
        middle_row, middle_column = height // 2, width // 2
        stars.add((middle_row, middle_column))
        stars |= {(row, middle_column) for row in rows if width >= 15}
        stars |= {(middle_row, column) for column in columns if height >= 15}
    return sorted(stars)


def _star_lines(length: int) -> tuple[int, ...]:
    """Return the two lines near the edges that carry star points: the fourth ones, or the third on small boards."""
    if length < 8:
        return ()
    edge = 3 if length >= 12 else 2
    return edge, length - 1 - edge


def _sides(size: int | tuple[int, int]) -> tuple[int, int]:
    try:
        width, height = (operator.index(side) for side in (size if isinstance(size, tuple) else (size, size)))
    except (TypeError, ValueError):
        raise TengenError(f"a board's size is a number or (width, height), not {size!r}") from None
    return width, height


def _on_board(row: int, column: int, width: int, height: int, given: object) -> Point:
    if not (0 <= row < height and 0 <= column < width):
        raise TengenError(f"{given} is off the {width}×{height} board")
    return row, column
