"""Search limits from other programs, where a huge number means no limit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N", int, float)

NO_LIMIT = 1e9
"""Visits, playouts or seconds above this mean no limit."""


def limit(value: N | None) -> N | None:
    """Return a limit, or None if the number is so large that it means no limit, such as 1000000000000 or 1e20."""
    return None if value is None or value > NO_LIMIT else value


def smallest(limits: Iterable[int | None]) -> int | None:
    """Return the smallest of several limits, None if there is none."""
    return min((value for value in limits if value is not None), default=None)
