"""Colours as people write them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tengen._core import BLACK, WHITE
from tengen.errors import TengenError

Colour: TypeAlias = Literal["black", "white"]
"""The name of a player."""

CODES: dict[Colour, int] = {"black": BLACK, "white": WHITE}
"""The core's number for a colour."""

NAMES: dict[int, Colour] = {code: name for name, code in CODES.items()}
"""The colour of a number of the core."""

_SPELLINGS: dict[str, Colour] = {
    "b": "black",
    "w": "white",
    "x": "black",
    "o": "white",
    "black": "black",
    "white": "white",
}


def as_colour(value: str) -> Colour:
    """Return "black" or "white" for any of black, b, x, white, w, o, in either case."""
    colour = _SPELLINGS.get(value.lower()) if isinstance(value, str) else None
    if colour is None:
        raise TengenError(f"{value!r} is not a colour: write black or white")
    return colour


def opposite(colour: Colour) -> Colour:
    """Return the other player."""
    return "white" if colour == "black" else "black"


def winrate_for(sign: int, winrate: float) -> float:
    """Return Black's winrate as that of a side, Black (1) or White (−1), or a side's as Black's."""
    return winrate if sign > 0 else 1 - winrate
