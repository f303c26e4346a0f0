"""Checks of the arrays given to measures."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

LEAST = 1e-6  # lower bound of probabilities before taking logarithms


def floats(values: npt.ArrayLike, what: str, low: float = -np.inf, high: float = np.inf) -> FloatArray:
    """Return the values as floats; raise an error for NaN and values outside the bounds."""
    array = np.asarray(values, float)
    if array.size and not (array.min() >= low - 1e-6 and array.max() <= high + 1e-6):
        raise TengenError(f"{what} must be numbers from {low:g} to {high:g}")
    return array


def line(values: npt.ArrayLike, what: str) -> FloatArray:
    """Return the values as a one-dimensional array of floats; NaN marks missing values."""
    array = np.asarray(values, float)
    if array.ndim != 1:
        raise TengenError(f"{what} must be a one-dimensional array, not one of shape {array.shape}")
    return array


def same_shape(**arrays: npt.NDArray[np.generic]) -> None:
    """Raise an error if arrays differ in shape."""
    if len({array.shape for array in arrays.values()}) > 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise TengenError(f"these arrays must have the same shape: {shapes}")


def numbered(groups: npt.ArrayLike) -> tuple[IntArray, int]:
    """Return group ids (of any sortable type) as numbers from 0, and the number of groups."""
    names, index = np.unique(np.asarray(groups), return_inverse=True)
    return index.astype(np.int64).reshape(-1), len(names)


def summed(slots: IntArray, values: npt.ArrayLike, count: int) -> FloatArray:
    """Return the sum of the values in each of `count` slots."""
    return np.bincount(slots, np.asarray(values, float), count).astype(float)
