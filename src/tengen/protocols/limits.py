"""Limits of a search as other programs write them, where a huge number means that there is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N", int, float)

NO_LIMIT = 1e9
"""Visits, playouts or seconds above this are no limit."""


def limit(value: N | None) -> N | None:
    """Return a limit, or None if the number is so large that it means no limit: 1000000000000 or 1e20."""
    return None if value is None or value > NO_LIMIT else value


def smallest(limits: Iterable[int | None]) -> int | None:
    """Return the limit that holds of several, None where there is none."""
    return min((value for value in limits if value is not None), default=None)
