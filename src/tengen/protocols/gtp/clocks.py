"""Time: the settings of both clocks, what the other side says is left, and the commands that speak of it."""

from __future__ import annotations

from collections.abc import Callable
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
        """What each player had at the start; None without a clock."""
        self._left: dict[Colour, Clock] = {}

    def set(self, settings: Clock | None) -> None:
        """Begin with these settings."""
        self.settings = settings
        self._left.clear()

    def start(self) -> None:
        """Give both players their whole time again."""
        self._left.clear()

    def now(self, colour: Colour) -> Clock | None:
        """Return the clock of a colour as far as it is known."""
        return self._left.get(colour, self.settings)

    def spend(self, colour: Colour, seconds: float) -> None:
        """Take off what a move took, until the other side says what is left."""
        clock = self.now(colour)
        if clock is not None:
            self._left[colour] = clock.after(seconds) or replace(clock, main=0.0, period_left=None, stones_left=None)

    def tell(self, colour: Colour, seconds: float, stones: int) -> None:
        """Take what is left: main time if no stones are named, else the period under way."""
        base = self.settings or Clock.absolute(seconds)
        if not stones:
            self._left[colour] = replace(base, main=seconds, period_left=None, stones_left=None)
        elif base.periods > 1 and base.stones == 1:  # byo-yomi: the number counts periods
            self._left[colour] = replace(base, main=0.0, periods=stones, period_left=seconds)
        else:
            period = base.period or seconds
            most = max(base.stones, stones)
            self._left[colour] = replace(
                base, main=0.0, period=period, periods=1, stones=most, period_left=seconds, stones_left=stones
            )


def _seconds(value: float) -> float:
    if not 0 <= value <= 1e9:
        raise TengenError("times are seconds, none of them negative")
    return value


def _count(value: int) -> int:
    if not 0 <= value <= 10_000:
        raise TengenError("stones and periods are counted from 0 to 10,000")
    return value


@command("time_settings")
def time_settings(session: Session, main_time: float, byo_yomi_time: float, byo_yomi_stones: int) -> None:
    """Main time and Canadian overtime in seconds; overtime without stones, or nothing at all, is no time limit."""
    main, period, stones = _seconds(main_time), _seconds(byo_yomi_time), _count(byo_yomi_stones)
    if (period > 0 and stones == 0) or main == period == 0:
        session.clocks.set(None)
    elif stones == 0 or period == 0:
        session.clocks.set(Clock.absolute(main))
    else:
        session.clocks.set(Clock.canadian(main, period, stones))


def _canadian(main: float, period: float, stones: int) -> Clock:
    return Clock.canadian(main, period, stones) if stones and period else Clock.absolute(main)


def _byo_yomi(main: float, period: float, periods: int) -> Clock:
    return Clock.byo_yomi(main, period, periods) if periods and period else Clock.absolute(main)


def _capped(main: float, increment: float, most: float, most_a_move: float) -> Clock:
    return Clock.fischer(min(main, most), min(increment, most_a_move))


_SYSTEMS: dict[str, tuple[str, Callable[..., Clock | None]]] = {
    "none": ("", lambda: None),
    "absolute": ("s", Clock.absolute),
    "canadian": ("ssn", _canadian),
    "byoyomi": ("ssn", _byo_yomi),
    "fischer": ("ss", Clock.fischer),
    "fischer-capped": ("ssss", _capped),
}
"""Time systems by name: which of their numbers are seconds and which are counts, and how a clock is made of them."""


@command("kgs-time_settings", "kata-time_settings")
def named_time_settings(session: Session, system: str, *values: str) -> None:
    """A time system by name (none, absolute, canadian, byoyomi, fischer, fischer-capped) and its numbers."""
    kinds, make = _SYSTEMS.get(system.lower(), ("", None))
    if make is None:
        raise TengenError(f"unknown time system {system[:40]!r}: known are {', '.join(_SYSTEMS)}")
    if len(values) < len(kinds):
        raise TengenError(f"{system} needs {len(kinds)} numbers")
    session.clocks.set(make(*(_read(kind, word) for kind, word in zip(kinds, values, strict=False))))


def _read(kind: str, word: str) -> float:
    return _seconds(number(word)) if kind == "s" else _count(whole(word))


@command("kata-list_time_settings")
def list_time_settings(session: Session) -> str:
    """Name the time systems."""
    return " ".join(_SYSTEMS)


@command("time_left")
def time_left(session: Session, colour: Colour, seconds: float, stones: int = 0) -> None:
    """Say what a colour has left: seconds, and stones (or periods) once main time is over."""
    session.clocks.tell(colour, _seconds(max(seconds, 0.0)), _count(stones))
