"""Matches: the difference in strength of two players, and when a match may stop.

`Sprt` is Wald's sequential test of "the first player is elo1 stronger" against "it is elo0 stronger". An Elo
difference determines the expected score, s = 1 / (1 + 10^(−elo/400)), a draw counting ½, but not the share of draws;
that share is set to its most likely value under each hypothesis (a generalised likelihood ratio). With W wins, L losses
and D draws in N games, and a share 2x of draws, a player of score s wins s − x and loses 1 − s − x, and

    ln likelihood = W ln(s − x) + L ln(1 − s − x) + D ln 2x

is greatest where N x² − (D + W (1 − s) + L s) x + D s (1 − s) = 0, at the smaller root. Without draws x = 0, and the
ratio is the exact binomial one. The test stops when the log of the ratio leaves (ln β/(1 − α), ln (1 − β)/α).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, floats
from tengen.measure.intervals import Interval, wilson
from tengen.numbers import checked_number

SprtDecision = Literal["accept", "reject", "continue"]


class SprtState(NamedTuple):
    """The state of a test: accept means elo1 is accepted, reject means elo0 is."""

    llr: float
    lower: float
    upper: float
    decision: SprtDecision


@dataclass(frozen=True)
class Sprt:
    """A sequential test: alpha bounds the chance of accepting elo1 if elo0 is true, beta of rejecting a true elo1."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        checked_number(self.elo0, "elo0")
        checked_number(self.elo1, "elo1")
        if not self.elo0 < self.elo1:
            raise TengenError(f"elo0 must be less than elo1: {self.elo0:g} is not less than {self.elo1:g}")
        if not (0 < self.alpha < 1 and 0 < self.beta < 1 and self.alpha + self.beta < 1):
            raise TengenError("alpha and beta are shares between 0 and 1 that sum to less than 1")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which the test rejects."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which the test accepts."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, wins: npt.ArrayLike, losses: npt.ArrayLike, draws: npt.ArrayLike = 0) -> FloatArray:
        """Return the log-likelihood ratio of elo1 to elo0, for one match or for arrays of them."""
        won, lost, drawn = (floats(count, "counts of games", 0) for count in (wins, losses, draws))
        first, second = (_log_likelihood(won, lost, drawn, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return np.asarray(second - first)

    def state(self, wins: int, losses: int, draws: int = 0) -> SprtState:
        """Return the state of the test and whether the match may stop."""
        llr = float(self.llr(wins, losses, draws))
        decision: SprtDecision = "accept" if llr >= self.upper else "reject" if llr <= self.lower else "continue"
        return SprtState(llr, self.lower, self.upper, decision)


def expected_score(elo: float) -> float:
    """Return the expected score per game of a player who is stronger by an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the Elo difference of a score per game: infinite for 0 and 1."""
    if not 0 <= score <= 1:
        raise TengenError(f"a score per game must lie between 0 and 1, not {score!r}")
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def match_score(wins: int, losses: int, draws: int = 0, z: float = 1.96) -> Interval:
    """Return the score per game with Wilson's interval, a draw counting ½ (draws make the interval a little wide)."""
    if min(wins, losses, draws) < 0:
        raise TengenError("counts of games are 0 or more")
    return wilson(wins + draws / 2, wins + losses + draws, z)


def match_elo(wins: int, losses: int, draws: int = 0, z: float = 1.96) -> Interval:
    """Return the Elo difference estimated from a match, with its interval."""
    score = match_score(wins, losses, draws, z)
    if math.isnan(score.value):
        return Interval(math.nan, -math.inf, math.inf)
    return Interval(*(elo_of(value) for value in score))


def _log_likelihood(wins: FloatArray, losses: FloatArray, draws: FloatArray, score: float) -> FloatArray:
    """Return the log-likelihood of a match under a score, at the likeliest share of draws."""
    games = wins + losses + draws
    middle = draws + wins * (1 - score) + losses * score
    root = np.sqrt(np.maximum(middle**2 - 4 * games * draws * score * (1 - score), 0))
    half = 2 * draws * score * (1 - score) / np.maximum(middle + root, 1e-300)
    return np.asarray(
        _times_log(wins, score - half) + _times_log(losses, 1 - score - half) + _times_log(draws, 2 * half)
    )


def _times_log(count: FloatArray, chance: FloatArray) -> FloatArray:
    return np.asarray(count * np.log(np.where(count > 0, np.maximum(chance, 1e-300), 1.0)))
