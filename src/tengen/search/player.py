"""The player: it holds a position and a search tree, thinks, and decides.

Start at `Player.choose`, which thinks and then asks whether to pass or to resign; `Player.think` only analyses. The
tree itself is native (core/include/tengen/search.hpp).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.search.clock import Clock


@dataclass(frozen=True)
class Settings:
    """How a player searches. Without playouts and seconds it thinks for 10,000 playouts a move."""

    playouts: int | None = None
    """Playouts a move; None for no limit but the time."""
    seconds: float | None = None
    """Seconds a move; None for no limit but the playouts."""
    threads: int = 1
    seed: int = 0
    kind: Literal["uct", "strong"] = "strong"
    """The plain search of paper 001 with uniform playouts, or the one with all the knowledge."""
    memory: int = 512
    """Megabytes the tree may take."""
    resign_below: float = 0.05
    """A player whose chances stay below this for several moves resigns; 0 never resigns."""


@dataclass(frozen=True)
class Candidate:
    """A move of the root as the search sees it. Chances and points are Black's."""

    move: str
    visits: int
    winrate: float
    lead: float
    """Points Black is ahead after it, komi included."""
    prior: float
    """The share of belief it had before the search; all candidates sum to 1."""
    lcb: float
    """The winrate at the pessimistic end for the player to move, as Black's winrate."""
    line: tuple[str, ...]
    """The line that the search expects, this move first."""


@dataclass(frozen=True)
class Analysis:
    """What a search found. Chances and points are Black's."""

    to_play: Colour
    visits: int
    winrate: float
    lead: float
    lead_sd: float
    """The standard deviation of the lead from playout to playout."""
    ownership: npt.NDArray[np.float64] = field(compare=False)
    """Who owned each point at the end of the playouts: an array [row, column], 1 Black, −1 White."""
    candidates: tuple[Candidate, ...]
    """The moves that were considered, best first."""


@dataclass(frozen=True)
class Decision:
    """What a player does: a move, "pass" or "resign", with the analysis behind it."""

    move: str
    analysis: Analysis


class Player:
    """A position and the tree grown from it."""

    def __init__(self, board: Board, settings: Settings = Settings()) -> None:  # noqa: B008 (frozen)
        raise NotImplementedError

    @property
    def board(self) -> Board:
        """A copy of the position."""
        raise NotImplementedError

    def play(self, move: str, colour: str | None = None) -> None:
        """Play a move or "pass"; what the tree knows about its continuation is kept."""
        raise NotImplementedError

    def undo(self) -> None:
        """Take back the last move."""
        raise NotImplementedError

    def think(
        self,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        report: Callable[[Analysis], None] | None = None,
        every: float = 0.1,
        avoid: Collection[str] = (),
        allow: Collection[str] | None = None,
    ) -> Analysis:
        """Search until the playouts or the seconds are used up (default: the settings') or `stop()` says so.

        `seconds=math.inf` thinks until stopped. `report` receives the analysis every so many seconds.
        """
        raise NotImplementedError

    def choose(self, *, clock: Clock | None = None, cleanup: bool = False, may_resign: bool = True) -> Decision:
        """Think and decide; the move is not played."""
        raise NotImplementedError
