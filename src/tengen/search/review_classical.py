"""Reviews by a model of ownership and playouts, for boards and machines on which no network can be used.

Every position is evaluated twice, by a model of ownership and by a short search, because their errors differ: the mean
of both is nearer to KataGo's lead than either (docs/review.md has the numbers). Start at `ByPlayouts`; three steps turn
these evaluations into the course of a game:

1. Both leads are averaged over five positions, two before and two after, with weights 1 2 3 2 1. The average removes
   noise and the bias towards the side that moved last. Points on the board are then weighted by `SEARCH` and `MODEL`,
   which add up to more than 1, because an average over playouts understates a lead; komi is not weighted.
   The final count, if it is safe, corrects the positions shortly before it.
2. The winrate is Φ(Φ⁻¹(the search's winrate) + `SURENESS` · lead / spread), where the spread is the model's.
3. The swing of a move is the mean of the four positions after it minus the mean of the four before it. Its noise has
   two parts: chance, estimated from the game itself (differences between positions two moves apart, in the
   neighbourhood), and the part of the lead's error that does not cancel in the difference, because a model often
   sees its mistake one move later.
"""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np

from tengen.go.board import Board
from tengen.models.estimate import estimate
from tengen.models.leads import chance_of, expected_lead, spread_of
from tengen.search.player import Settings
from tengen.search.review_course import (
    NORMAL,
    Count,
    Course,
    Floats,
    Look,
    Method,
    Value,
    corrected,
    quantiles,
    smooth,
    winrates_of,
)

PLAYOUTS = 100
"""Playouts per position by default: 250 moves on 19×19 take about six seconds on one core."""

SEARCH, MODEL, ALONE, TURN = 0.55, 0.60, 1.05, 0.6
"""Weights of the search's lead, of the model's beside it and alone, and points for the side to move: a robust fit to
KataGo's lead in 500 positions of 9×9 and 19×19 games, with territory/pattern-crf. The optima of the two sizes differ by
less than 0.1. The model's lead is the sum of its ownership, without the calibration that its file has."""

SURENESS, ALONE_SURENESS = 1.5, 1.0
"""Weight of the lead in the winrate, beside a search and without one, from the same fit."""

ERROR = 0.7
"""The standard deviation of the error of the lead, as a share of the model's spread."""

SWING_ERROR = 0.55
"""The part of that error which does not cancel in the difference of two leads, also as a share of the spread."""

WEIGHTS = (1, 2, 3, 2, 1)
"""Weights of the positions over which leads and winrates are averaged."""

STEP = 4
"""Positions before and after a move that its swing compares: an even number, so that both sides moved last equally."""

SIGNIFICANT, ALONE_SIGNIFICANT = 1.0, 1.5
"""A swing is listed if it exceeds its noise by this factor, with a search and without."""

NEIGHBOURHOOD = 20
"""Moves on each side from which the noise of a move is estimated."""

DEEPER = 15
"""A swing is confirmed, and a better move looked for, with this many times the playouts."""

LEGEND = (
    "swing: the mean lead of the four positions after a move minus that of the four before it, without averaging;",
    "the leads above are averaged over neighbouring positions, so a swing is not the difference of two of them",
)


class ByPlayouts(Method):
    """A review by a model of ownership and a short search by playouts."""

    legend = LEGEND
    significant = SIGNIFICANT, ALONE_SIGNIFICANT
    apart = STEP
    checked = 20
    gains = True
    span = 2

    @property
    def _searched(self) -> str:
        return f" and {self.limits} per position"

    def look(self, board: Board, stopped: threading.Event) -> Look:
        """Evaluate a position by the model and by the search."""
        found = estimate(board, model=self.model)
        lead, spread = expected_lead(board, found.ownership), spread_of(found.ownership)
        look = Look(Value(lead, chance_of(lead, spread)), spread, 1 if board.to_play == "black" else -1)
        if not self.limits.search:
            return look
        searched = self.searched(board, self._settings(), stopped)
        value = Value(lead, found.winrate) if searched is None else Value(searched.lead, searched.winrate)
        return replace(look, search=value)

    @property
    def check(self) -> Settings:
        """The settings of the search that checks swings and looks for better moves."""
        return self._settings(DEEPER)

    def _settings(self, factor: int = 1) -> Settings:
        playouts, seconds = self.limits.playouts, self.limits.seconds
        # The constants above were fitted to this search, also on large boards.
        return Settings(
            playouts=playouts and playouts * factor,
            seconds=seconds and seconds * factor,
            seed=self.limits.seed,
            prior_weight=100,
            dynamic_komi="off",
        )

    def course(self, looks: list[Look], komi: float, count: Count | None = None) -> Course:
        """Return the course of a game from the evaluations of its positions."""
        raw = raw_leads(looks, komi)
        turns = np.array([look.turn for look in looks])
        lead, known = corrected(smooth(raw, WEIGHTS) + TURN * turns - komi, count)
        spread = smooth(np.array([look.spread for look in looks]), WEIGHTS)
        chances = [look.search.winrate for look in looks if look.search is not None]
        sureness = (SURENESS if chances else ALONE_SURENESS) * lead / np.maximum(spread, 1e-9)
        if chances:
            sureness = sureness + quantiles(smooth(np.array(chances), WEIGHTS))
        swings, chance = swings_of(raw)
        return Course(
            lead.tolist(),
            winrates_of(sureness, lead, known),
            (ERROR * spread * np.sqrt(1 - known**2)).tolist(),
            swings,
            np.hypot(chance, SWING_ERROR * spread).tolist(),
        )


def raw_leads(looks: list[Look], komi: float) -> Floats:
    """Return the lead of each position by itself, without komi."""
    return np.array([_weighted(look, komi) for look in looks])


def _weighted(look: Look, komi: float) -> float:
    points = look.model.lead + komi
    return ALONE * points if look.search is None else MODEL * points + SEARCH * (look.search.lead + komi)


def swings_of(raw: Floats) -> tuple[list[float], list[float]]:
    """Return the change of the lead at each move, 0 at the start, and the standard deviation that comes from chance.

    Within `STEP` moves of the ends the windows are shorter; a window of one position cannot tell a move from the bias
    towards the side that moved last, so the first and the last move have no swing.
    """
    noise = position_noise(raw)
    steps, noises = [0.0], [math.inf]
    for move in range(1, len(raw)):
        width = min(STEP, move, len(raw) - move) // 2 * 2
        steps.append(float(raw[move : move + width].mean() - raw[move - width : move].mean()) if width else 0.0)
        noises.append(float(noise[move]) * math.sqrt(2 / width) if width else math.inf)
    return steps, noises


def position_noise(raw: Floats) -> Floats:
    """Return the standard deviation of the noise of each position, from its neighbourhood.

    The value of a position minus the mean of those two moves before and after it contains the noise of all three, 1.5
    times the variance of one. The median of its absolute value ignores the few moves at which something happened.
    """
    if len(raw) < 5:
        return np.full(len(raw), math.inf)
    inner = np.abs(raw[2:-2] - (raw[:-4] + raw[4:]) / 2)
    scale = 1 / (NORMAL.inv_cdf(0.75) * math.sqrt(1.5))
    spans = ((max(0, i - 2 - NEIGHBOURHOOD), i - 1 + NEIGHBOURHOOD) for i in range(len(raw)))
    near = [inner[begin : max(end, begin + 1)] for begin, end in spans]
    return np.array([scale * float(np.median(part if len(part) else inner)) for part in near])
