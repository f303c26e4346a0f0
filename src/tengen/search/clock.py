"""Clocks, and how long to think about a move without losing on time.

Start at `Clock.thinking_time`. A clock is immutable and holds the time left and the time system. All systems use the
same numbers: main time, then periods of some seconds for some stones (byo-yomi: several periods of one stone;
Canadian: one period of several stones), and an increment after every move (Fischer).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.numbers import checked_number

LAG = 0.3
"""Seconds reserved per move for delays between the programs; at most half of the move's time in fast games."""

CAREFUL = 0.9
"""Maximum share of the remaining time for a single move."""

LONGEST_MOVE = 30.0
"""Maximum seconds per move under a clock, unless the settings give a limit."""


@dataclass(frozen=True)
class Clock:
    """The time a player has left. Absolute time has only `main`."""

    main: float
    """Seconds of main time left."""
    period: float = 0.0
    """Seconds of one overtime period; 0 if there is none."""
    periods: int = 0
    """Number of overtime periods left, including the current one."""
    stones: int = 1
    """Number of stones per period."""
    period_left: float | None = None
    """Seconds left in the current period; None during main time."""
    stones_left: int | None = None
    """Number of stones still to be played in the current period."""
    increment: float = 0.0
    """Seconds added after every move (Fischer)."""
    main_limit: float = math.inf
    """Maximum main time in seconds (capped Fischer)."""
    move_limit: float = math.inf
    """Maximum seconds per move."""

    def __post_init__(self) -> None:
        for name in ("main", "period", "increment", "period_left"):
            checked_number(getattr(self, name) or 0.0, f"a clock's {name}", 0)
        if not (self.main_limit >= 0 and self.move_limit >= 0):
            raise TengenError("the limits of a clock cannot be negative")
        if self.periods < 0 or self.stones < 1:
            raise TengenError("a clock needs zero or more periods of at least one stone")
        if self.stones_left is not None and self.stones_left < 1:
            raise TengenError("stones_left must be at least 1")

    @classmethod
    def absolute(cls, seconds: float) -> Clock:
        """A fixed number of seconds for the whole game."""
        return cls(seconds)

    @classmethod
    def byo_yomi(cls, main: float, period: float, periods: int) -> Clock:
        """Main time, then periods that restart after every move made within them."""
        return cls(main, period, periods)

    @classmethod
    def canadian(cls, main: float, period: float, stones: int) -> Clock:
        """Main time, then a number of stones in every period."""
        return cls(main, period, 1, stones)

    @classmethod
    def fischer(
        cls, main: float, increment: float, main_limit: float = math.inf, move_limit: float = math.inf
    ) -> Clock:
        """Main time that grows with every move, up to a limit; the time per move may be limited as well."""
        return cls(min(main, main_limit), increment=increment, main_limit=main_limit, move_limit=move_limit)

    @property
    def in_overtime(self) -> bool:
        """Whether main time is used up."""
        return self.period_left is not None or (self.main <= 0 and self.period > 0)

    def thinking_time(self, moves_to_come: int, lag: float = LAG, longest: float = LONGEST_MOVE) -> float:
        """Return the seconds for this move, at most `longest`, given the expected number of own moves to come."""
        share = min(self._share(max(moves_to_come, 1)), CAREFUL * self._most(), longest)
        return share - min(lag, share / 2)

    def after(self, seconds: float) -> Clock | None:
        """Return the clock after a move of some seconds, or None if the time is exceeded."""
        if not self.in_overtime and seconds <= self.main:
            left = self.main - seconds
            return replace(self, main=max(left, min(left + self.increment, self.main_limit)))
        over = seconds if self.in_overtime else seconds - self.main
        return replace(self, main=0.0).after_overtime(over) if self.period > 0 else None

    def _share(self, moves: int) -> float:
        if self.in_overtime:
            return self._period_left() / self._stones_left()
        return max(self.main / moves + self.increment, self._overtime_pace())

    def _most(self) -> float:
        """Return the time until the flag or a period falls."""
        if self.in_overtime:
            return self._period_left()
        spare = self.period if self.periods > 0 and self.stones == 1 else 0.0
        return min(self.main + spare, self.move_limit)

    def _overtime_pace(self) -> float:
        """Return the seconds per move in overtime, a lower bound for the time per move in main time."""
        return self.period / self.stones if self.periods > 0 else 0.0

    def _period_left(self) -> float:
        return self.period if self.period_left is None else self.period_left

    def _stones_left(self) -> int:
        return self.stones if self.stones_left is None else self.stones_left

    def after_overtime(self, seconds: float) -> Clock | None:
        """Use overtime: periods that run out are lost; a period restarts when all its stones are played."""
        left, periods = self._period_left() - seconds, self.periods
        if left < 0 and self.stones == 1:
            lost = min(math.ceil(-left / self.period), periods - 1)
            left, periods = left + lost * self.period, periods - lost
        if left < 0 or periods < 1:
            return None
        stones = self._stones_left() - 1
        if stones == 0:
            return replace(self, periods=periods, period_left=self.period, stones_left=self.stones)
        return replace(self, periods=periods, period_left=left, stones_left=stones)


def moves_to_come(board: Board) -> int:
    """Estimate the number of own moves to come: half of the rest of a typical game, with a reserve."""
    points = board.width * board.height
    return max(round((0.75 * points - board.move_number) / 2), round(points / 12), 5)
