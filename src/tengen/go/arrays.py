"""Arrays that are handed out."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Array = TypeVar("Array", bound=npt.NDArray[np.generic])


def read_only(array: Array) -> Array:
    """Return the array itself, from now on safe from being changed by accident."""
    array.flags.writeable = False
    return array
