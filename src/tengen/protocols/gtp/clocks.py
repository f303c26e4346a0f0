"""The clocks of both players and the time commands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tengen.errors import TengenError
from tengen.go.colour import Colour
from tengen.protocols.gtp.table import command, number, whole
from tengen.search.clock import Clock

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session


class Clocks:
    """The clocks of both players."""

    def __init__(self) -> None:
        self.settings: Clock | None = None
        """The initial clock of each player; None for no time limit."""
        self._left: dict[Colour, Clock] = {}

    def set(self, settings: Clock | None) -> None:
        """Set both clocks."""
        self.settings = settings
        self._left.clear()

    def start(self) -> None:
        """Reset both clocks to the settings."""
        self._left.clear()

    def now(self, colour: Colour) -> Clock | None:
        """Return the current clock of a colour."""
        return self._left.get(colour, self.settings)

    def spend(self, colour: Colour, seconds: float) -> None:
        """Subtract the time of a move; a later time_left overrides it."""
        clock = self.now(colour)
        if clock is not None:
            self._left[colour] = clock.after(seconds) or replace(clock, main=0.0, period_left=None, stones_left=None)

    def tell(self, colour: Colour, seconds: float, stones: int) -> None:
        """Set the remaining time: main time if `stones` is 0, else the current period."""
        base = self.settings or Clock.absolute(seconds)
        if not stones:
            self._left[colour] = replace(base, main=seconds, period_left=None, stones_left=None)
        elif base.periods > 1 and base.stones == 1:  # byo-yomi: `stones` is the number of periods
            self._left[colour] = replace(base, main=0.0, periods=stones, period_left=seconds)
        else:
            period = base.period or seconds
            most = max(base.stones, stones)
            self._left[colour] = replace(
                base, main=0.0, period=period, periods=1, stones=most, period_left=seconds, stones_left=stones
            )


MOST = 2**31 - 1


def _checked(value: float) -> float:
    if value > MOST:
        raise TengenError(f"times, stones and periods are at most {MOST}")
    return value


@command("time_settings")
def time_settings(session: Session, main_time: float, byo_yomi_time: float, byo_yomi_stones: int) -> None:
    """Set main time and Canadian overtime in seconds; zeros, negative numbers or no stones mean no limit."""
    values = [_checked(value) for value in (main_time, byo_yomi_time, byo_yomi_stones)]
    unlimited = (byo_yomi_time > 0 and byo_yomi_stones == 0) or main_time == byo_yomi_time == 0
    session.clocks.set(None if unlimited else _clock(_canadian, values))


def _clock(make: Callable[..., Clock | None], values: Sequence[float]) -> Clock | None:
    """Return the clock of a time system; None for no limit, which gtp2ogs writes as a negative number."""
    checked = [_checked(value) for value in values]
    return make(*checked) if min(checked, default=0) >= 0 else None


def _canadian(main: float, period: float, stones: int) -> Clock:
    return Clock.canadian(main, period, stones) if stones and period else Clock.absolute(main)


def _byo_yomi(main: float, period: float, periods: int) -> Clock:
    return Clock.byo_yomi(main, period, periods) if periods and period else Clock.absolute(main)


def _capped(main: float, increment: float, main_limit: float, move_limit: float) -> Clock | None:
    """Return capped Fischer time; a negative limit means none."""
    limits = (math.inf if limit < 0 else _checked(limit) for limit in (main_limit, move_limit))
    return _clock(lambda *times: Clock.fischer(*times, *limits), (main, increment))


_SYSTEMS: dict[str, tuple[str, Callable[..., Clock | None]]] = {
    "none": ("", lambda: None),
    "absolute": ("s", lambda *values: _clock(Clock.absolute, values)),
    "canadian": ("ssn", lambda *values: _clock(_canadian, values)),
    "byoyomi": ("ssn", lambda *values: _clock(_byo_yomi, values)),
    "fischer": ("ss", lambda *values: _clock(Clock.fischer, values)),
    "fischer-capped": ("ssss", _capped),
}
"""Time systems by name: their parameters (seconds or counts), and the function that makes a clock."""


@command("kgs-time_settings", "kata-time_settings")
def named_time_settings(session: Session, system: str, *values: str) -> None:
    """Set a time system by name (none, absolute, canadian, byoyomi, fischer, fischer-capped) and its numbers."""
    kinds, make = _SYSTEMS.get(system.lower(), ("", None))
    if make is None:
        raise TengenError(f"unknown time system {system[:40]!r}: known are {', '.join(_SYSTEMS)}")
    if len(values) != len(kinds):
        numbers = {0: "no numbers", 1: "1 number"}.get(len(kinds), f"{len(kinds)} numbers")
        raise TengenError(f"{system} takes {numbers}, not {len(values)}")
    session.clocks.set(make(*(_read(kind, word) for kind, word in zip(kinds, values, strict=True))))


def _read(kind: str, word: str) -> float:
    return number(word) if kind == "s" else whole(word)


@command("kata-list_time_settings")
def list_time_settings(session: Session) -> str:
    """List the time systems."""
    return " ".join(_SYSTEMS)


@command("time_left")
def time_left(session: Session, colour: Colour, seconds: float, stones: int = 0) -> None:
    """Set the time a colour has left: seconds, and stones (or periods) in overtime."""
    session.clocks.tell(colour, max(_checked(seconds), 0.0), max(int(_checked(stones)), 0))
