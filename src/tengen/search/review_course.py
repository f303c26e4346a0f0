"""What a review is made from: values of positions, and the course of the lead that follows from them.

Two methods turn values into a course, `tengen.search.review_net` and `tengen.search.review_classical`. They share the
average over neighbouring positions and the correction by the final count.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.models.evaluator import Evaluator
from tengen.models.state import identity
from tengen.numbers import checked_count, checked_number
from tengen.search.analysis import Analysis
from tengen.search.player import MANY, Player, Settings

Floats = npt.NDArray[np.float64]

FADING = 8.0
"""Moves over which the correction by the final count decays to 1/e, as does the correlation of the leads' errors."""

CERTAIN = 8.0
"""Standard deviations by which a counted game is won; also the limit of all others."""

NORMAL = NormalDist()
_SURE = 0.001  # winrates are clipped to this distance from 0 and 1


class Value(NamedTuple):
    """Black's lead, komi included, and winrate."""

    lead: float
    winrate: float


@dataclass(frozen=True)
class Look:
    """The evaluation of one position."""

    model: Value
    spread: float
    """The standard deviation of the lead according to the model."""
    turn: int = 0
    """1 if Black is to move, −1 if White is."""
    search: Value | None = None


class Count(NamedTuple):
    """The count of a finished game: the number of moves before the closing passes, and Black's lead."""

    move: int
    lead: float


@dataclass(frozen=True)
class Course:
    """Lists with a number for each position of a game, the one before the first move included."""

    leads: list[float]
    winrates: list[float]
    errors: list[float]
    """The standard deviation of the error of each lead."""
    swings: list[float]
    """How the lead changed at the move that led to the position."""
    noises: list[float]
    """The standard deviation of the error of each swing."""


@dataclass(frozen=True)
class Limits:
    """Limits of the search of a position."""

    playouts: int | None = None
    """None: as many as the seconds allow, or the method's default; 0: no search."""
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.playouts or 0, "playouts", most=MANY)
        checked_number(self.seconds or 0.0, "seconds", 0)
        checked_count(self.seed, "seed", most=2**64 - 1)

    def with_default(self, playouts: int) -> Limits:
        """Return the same limits, or this number of playouts if there are none."""
        return replace(self, playouts=playouts) if self.playouts is None and self.seconds is None else self

    @property
    def search(self) -> bool:
        """Whether positions are searched at all."""
        return self.playouts != 0

    def __str__(self) -> str:
        limits = [f"{self.playouts:,} playouts"] if self.playouts is not None else []
        return " and ".join(limits + ([f"{self.seconds:g} seconds"] if self.seconds is not None else []))


@dataclass(frozen=True)
class Method(ABC):
    """How positions are evaluated, and what follows from their evaluations."""

    name: str
    """The name of the model, for readers."""
    model: Evaluator
    limits: Limits

    legend: ClassVar[tuple[str, ...]]
    """What the swings in a table are, in lines."""
    significant: ClassVar[tuple[float, float]]
    """A swing is listed if it exceeds its noise by this factor, with a search and without."""
    apart: ClassVar[int]
    """Listed swings are at least this many moves apart."""
    checked: ClassVar[int]
    """Number of swings, the largest, that a search checks."""
    gains: ClassVar[bool]
    """Whether swings in favour of the side that moved are listed: the other side's mistake, seen late."""
    span: ClassVar[int]
    """Number of positions before and after a swing that are searched to check it."""

    @property
    def title(self) -> str:
        """A short description."""
        return f"{self.name}{self._searched}" if self.limits.search else f"{self.name} alone"

    @property
    @abstractmethod
    def _searched(self) -> str:
        """What is searched, after the name of the model."""

    @property
    def identity(self) -> str:
        """The models and limits that a review depends on."""
        return f"{identity(self.model)} {self.limits!r}"

    @abstractmethod
    def look(self, board: Board, stopped: threading.Event) -> Look:
        """Evaluate a position."""

    @abstractmethod
    def course(self, looks: list[Look], komi: float, count: Count | None = None) -> Course:
        """Return the course of a game from the evaluations of its positions."""

    @property
    @abstractmethod
    def check(self) -> Settings:
        """The settings of the search that checks swings and looks for better moves."""

    @staticmethod
    def searched(board: Board, settings: Settings, stopped: threading.Event) -> Analysis | None:
        """Search a position; return None if no move is worth considering, as on a full board."""
        try:
            return Player(board, settings).think(stop=stopped.is_set)
        except TengenError:
            return None


def smooth(values: Floats, weights: Sequence[int]) -> Floats:
    """Return averages over each value and its neighbours; an odd number of weights, the middle one for the value."""
    reach, ones = len(weights) // 2, np.ones(len(values))
    sums, wholes = (np.convolve(each, np.array(weights, float)) for each in (values, ones))
    return np.asarray((sums / wholes)[reach : reach + len(values)])


def corrected(leads: Floats, count: Count | None) -> tuple[Floats, Floats]:
    """Return leads corrected by the count, and the correlation of each error with the one that the count reveals."""
    if count is None:
        return leads, np.zeros(len(leads))
    known = np.exp(-np.maximum(count.move - np.arange(len(leads)), 0) / FADING)
    return np.where(known == 1, count.lead, leads + known * (count.lead - leads[count.move])), known


def quantiles(winrates: Floats) -> Floats:
    """Return Φ⁻¹ of winrates."""
    return np.array([NORMAL.inv_cdf(rate) for rate in np.clip(winrates, _SURE, 1 - _SURE).tolist()])


def winrates_of(sureness: Floats, leads: Floats, known: Floats) -> list[float]:
    """Return Φ of a sureness; a counted game is won or lost."""
    sureness = np.where(known == 1, np.sign(leads) * CERTAIN, sureness)
    return [NORMAL.cdf(value) for value in np.clip(sureness, -CERTAIN, CERTAIN).tolist()]
