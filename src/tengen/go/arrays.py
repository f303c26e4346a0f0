"""Checks of arrays of stones, rows of arrays, and arrays that callers cannot change."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError

Array = TypeVar("Array", bound=npt.NDArray[np.generic])


def read_only(array: Array) -> Array:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


def as_stones(stones: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Return one or more boards as a contiguous array of int8; raise an error for values other than 1, −1 and 0."""
    array = np.asarray(stones)
    if array.dtype.kind not in "iufb":
        raise TengenError(f"stones must be an array of numbers, not {array.dtype} of shape {array.shape}")
    with np.errstate(invalid="ignore"):
        small = np.ascontiguousarray(array, np.int8)
    same = array.dtype == np.int8 or bool((small == array).all())
    if not same or (small.size and (small.min() < -1 or small.max() > 1)):
        raise TengenError("stones are 1 (Black), -1 (White) or 0 (empty)")
    return small


def taken(values: npt.NDArray[Any], rows: npt.NDArray[Any] | slice) -> npt.NDArray[Any]:
    """Return some rows of an array; whole rows are copied, which is faster than indexing with an array."""
    if isinstance(rows, slice):
        return values[rows]
    return values.take(np.flatnonzero(rows) if rows.dtype == np.bool_ else rows, axis=0)
