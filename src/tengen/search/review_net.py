"""Reviews by a network: an evaluator that gives lead, winrate and policy itself.

Start at `ByNetwork.course`. The leads and winrates are the network's, averaged over five positions with weights
1 1 4 1 1, because many of its errors last for a single move. The final count, if it is safe, corrects the positions
shortly before it. The error of a lead is a multiple of the network's own spread. The swing of a move is the lead of
the position after it minus that of the position before it, without the average. A search by the network checks the
largest losses of the side that moved. A move cannot gain points, so a gain shows that the position before it was
misjudged, and is not listed. No other positions are searched, because a few playouts in each cost several times as much
as everything else and improve the leads little (docs/review.md has the numbers).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.models.estimate import ModelLike
from tengen.models.evaluator import Answer, ask
from tengen.models.leads import completed
from tengen.models.state import identity
from tengen.search.guide import leaf_guide_of
from tengen.search.player import Settings
from tengen.search.review_course import (
    Count,
    Course,
    Look,
    Method,
    Value,
    corrected,
    quantiles,
    smooth,
    winrates_of,
)

PLAYOUTS = 32
"""Playouts of the search of a position by default. With 100, hardly any other swings are confirmed."""

NEEDED: tuple[Answer, ...] = ("policy", "winrate", "lead")
"""What an evaluator gives that can review games in this way."""

WEIGHTS = (1, 1, 4, 1, 1)
"""Weights of the positions over which leads and winrates are averaged. This reduces the error of the lead by an eighth,
against KataGo's in 1,500 positions of games for validation, and does not increase it in games of beginners, where the
lead changes most; wider averages do."""

ERROR = 1.2
"""The standard deviation of the error of an averaged lead, as a multiple of the network's spread: a fit to the same
positions, with nearly the same result for 9×9, 13×13 and 19×19 boards and for strong and weak players."""

SWING_ERROR, SWING_LEAST = 1.0, 1.0
"""The standard deviation of the error of a swing: the first is a multiple of the mean spread of the two positions, the
second a number of points that adds to it (as squares). A fit to KataGo's leads before and after 170 moves."""

SIGNIFICANT, ALONE_SIGNIFICANT = 1.0, 2.0
"""A swing is listed if it exceeds its noise by this factor, with a search and without."""

LEGEND = (
    "swing: the lead after a move minus that before it, without averaging;",
    "the leads above are averaged over neighbouring positions, so a swing is not the difference of two of them",
)


@dataclass(frozen=True)
class ByNetwork(Method):
    """A review by a network, with searches of the positions around the largest swings."""

    guide: ModelLike
    """The network of the search; usually a faster one."""

    legend = LEGEND
    significant = SIGNIFICANT, ALONE_SIGNIFICANT
    apart = 1
    checked = 10
    gains = False
    span = 1

    @property
    def _searched(self) -> str:
        return f", swings checked with {self.limits}"

    @property
    def identity(self) -> str:
        """The networks and limits that a review depends on."""
        return f"{super().identity} {identity(leaf_guide_of(self.guide))}"

    def look(self, board: Board, stopped: threading.Event) -> Look:
        """Evaluate a position."""
        positions = Positions.of([board])
        said = completed(ask(self.model, positions, *NEEDED), positions)
        values = (said.lead, said.winrate, said.lead_sd)
        lead, winrate, spread = (float(each[0]) for each in values if each is not None)
        return Look(Value(lead, winrate), spread)

    @property
    def check(self) -> Settings:
        """The settings of the search that checks swings and looks for better moves."""
        limits = self.limits
        return Settings(limits.playouts, limits.seconds, seed=limits.seed, kind="net", guide=self.guide)

    def course(self, looks: list[Look], komi: float, count: Count | None = None) -> Course:
        """Return the course of a game from the evaluations of its positions."""
        raw, rates = np.array([look.model for look in looks]).T
        own = np.array([look.spread for look in looks])
        spread = smooth(own, WEIGHTS)
        average = smooth(raw, WEIGHTS)
        lead, known = corrected(average, count)
        sureness = quantiles(smooth(rates, WEIGHTS)) + (lead - average) / np.maximum(spread, 1e-9)
        noise = np.hypot(SWING_LEAST, SWING_ERROR * (own[1:] + own[:-1]) / 2)
        return Course(
            lead.tolist(),
            winrates_of(sureness, lead, known),
            np.where(known == 1, 0.0, ERROR * spread).tolist(),
            [0.0, *np.diff(raw).tolist()],
            [np.inf, *noise.tolist()],
        )
