"""Steps of a game as the core packs them into integers; nothing else in Python knows the layout.

An event has a kind (a move, a stone set up or taken off, whose turn it is), a colour (0 takes a stone off) and a point,
row · width + column, where width · height is a pass. The functions take one code or an array of them. The layout is
that of core/include/tengen/event.hpp.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy.typing as npt

from tengen._core import EventKind

Codes = TypeVar("Codes", int, npt.NDArray[Any])

MOVE, SETUP, TO_PLAY = int(EventKind.move), int(EventKind.setup), int(EventKind.to_play)
"""The kinds of events."""


def packed(kind: int, colour: int, point: Codes) -> Codes:
    """Return the code of an event."""
    return kind | colour << 2 | point << 4


def kind_of(code: Codes) -> Codes:
    """Return MOVE, SETUP or TO_PLAY."""
    return code & 3


def colour_of(code: Codes) -> Codes:
    """Return the core's number of the colour."""
    return code >> 2 & 3


def point_of(code: Codes) -> Codes:
    """Return the point."""
    return code >> 4


def at_points(codes: npt.NDArray[Any], points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same events at other points."""
    return points << 4 | codes & 15


def table_index(code: int) -> int:
    """Return where a table of all moves of a board has this one: four entries for each point, by colour."""
    return code >> 2
