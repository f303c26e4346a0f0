"""The eight symmetries of a square board, and the four of a rectangle that keep its shape.

A symmetry is a number from 0 to 7 read as three bits: 1 turns the board upside down, 2 swaps left and right, and 4
then swaps rows with columns. 0 leaves everything in place; 4 to 7 make a height × width board of a width × height one.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tengen.errors import TengenError
from tengen.go.points import Point

Scalar = TypeVar("Scalar", bound=np.generic)

UPSIDE_DOWN, LEFT_RIGHT, TRANSPOSE = 1, 2, 4


def symmetries(width: int, height: int) -> range:
    """Return the symmetries that keep a board's shape: eight for a square, four for a rectangle."""
    return range(8 if width == height else 4)


def transform(array: NDArray[Scalar], k: int) -> NDArray[Scalar]:
    """Return a view of an array [..., row, column] under symmetry k."""
    _check(k)
    if k & UPSIDE_DOWN:
        array = array[..., ::-1, :]
    if k & LEFT_RIGHT:
        array = array[..., :, ::-1]
    return array.swapaxes(-1, -2) if k & TRANSPOSE else array


def transform_point(point: Point, k: int, width: int, height: int) -> Point:
    """Return the image of a point of a width × height board under symmetry k."""
    _check(k)
    row, column = point
    if k & UPSIDE_DOWN:
        row = height - 1 - row
    if k & LEFT_RIGHT:
        column = width - 1 - column
    return (column, row) if k & TRANSPOSE else (row, column)


def inverse(k: int) -> int:
    """Return the symmetry that undoes k."""
    _check(k)
    return TRANSPOSE | _swap_flips(k) if k & TRANSPOSE else k


def compose(a: int, b: int) -> int:
    """Return the symmetry equal to a followed by b."""
    _check(a)
    _check(b)
    # A flip of rows made after the transpose is a flip of columns made before it.
    return a ^ (b & TRANSPOSE | _swap_flips(b) if a & TRANSPOSE else b)


def _swap_flips(k: int) -> int:
    return (k & UPSIDE_DOWN) << 1 | (k & LEFT_RIGHT) >> 1


def _check(k: int) -> None:
    if k not in range(8):
        raise TengenError(f"there is no symmetry {k}: they are numbered 0 to 7")
