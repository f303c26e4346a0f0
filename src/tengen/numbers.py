"""Numbers that come from outside, checked once: finite, within bounds, and whole where they count something.

Numbers that go out are rounded by `rounded`.
"""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError


def checked_number(
    value: SupportsFloat,
    what: str,
    least: float = -math.inf,
    most: float = math.inf,
    *,
    error: type[TengenError] = TengenError,
) -> float:
    """Return a finite number between two bounds, or raise an error in which `what` names it."""
    try:
        number = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and least <= number <= most):
        raise error(f"{what}: a finite number{_bounds(least, most)}, not {value!r}")
    return number


def _bounds(least: float, most: float) -> str:
    if math.isinf(least) and math.isinf(most):
        return ""
    return f" of at least {least:g}" if math.isinf(most) else f" from {least:g} to {most:g}"


def checked_komi(komi: SupportsFloat) -> float:
    """Return a komi as a number of points, or raise an error."""
    return checked_number(komi, "komi", -1000, 1000)


def checked_count(value: int, what: str, most: int = 10_000, *, least: int = 0) -> int:
    """Return a whole number from `least` to `most`, or raise an error in which `what` names it."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= most:
        raise TengenError(f"{what}: a whole number from {least:,} to {most:,}, not {value!r}")
    return int(value)


def rounded(values: npt.ArrayLike, digits: int) -> Any:
    """Return a number or an array, as nested lists, rounded for output and without negative zeros."""
    return (np.round(np.asarray(values, np.float64), digits) + 0.0).tolist()
