"""Errors on finished positions whose dead chains and results are known.

Start at `final_errors`. Block error: share of chains assigned to the wrong side. Vertex error: share of points that are
not neutral and assigned to the wrong side. Game error: share of games with at least one such point. Winner error: the
sign of the lead is wrong; ½ if exactly one of the two is a draw. Exact: the lead is correct. Intervals are Wilson's
for measures with one value per game, and by resampling games for chains and points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray, floats, line, same_shape, summed
from tengen.measure.intervals import Interval, bootstrap_share, wilson
from tengen.measure.ownership import SURE, wrong_signs

SAME_LEAD = 0.01  # leads closer than this are the same result


@dataclass(frozen=True)
class FinalErrors:
    """Counts over finished games, one entry per game in every array."""

    chains: FloatArray
    """Chains that belong to a side."""
    wrong_chains: FloatArray
    """Chains assigned to the wrong side; a neutral one counts ½."""
    points: FloatArray
    """Points that are not neutral."""
    wrong_points: FloatArray
    """Points assigned to the wrong side; a neutral one counts ½."""
    winner: FloatArray
    """1 if the wrong side wins, ½ if exactly one result is a draw, NaN if the result is unknown."""
    exact: FloatArray
    """1 if the lead is correct, 0 if not, NaN if the result is unknown."""

    @property
    def game(self) -> FloatArray:
        """1 if at least one point is wrong."""
        return (self.wrong_points > 0).astype(float)

    def rates(self, *, seed: int = 0) -> dict[str, Interval]:
        """Return the errors block, vertex, game and winner and the share of exact results, with 95 % intervals."""
        return {
            "block": bootstrap_share(self.wrong_chains, self.chains, seed=seed),
            "vertex": bootstrap_share(self.wrong_points, self.points, seed=seed),
            "game": _share(self.game),
            "winner": _share(self.winner),
            "exact": _share(self.exact),
        }


def final_errors(
    owner: npt.ArrayLike,
    truth: npt.ArrayLike,
    chains: npt.ArrayLike,
    lead: npt.ArrayLike,
    true_lead: npt.ArrayLike,
) -> FinalErrors:
    """Compare owners and leads with the truth.

    Owners and truths are [game, row, column] in [−1, 1], a true 0 is neutral; `chains` is the number of each point's
    chain within its game, −1 for an empty point; leads are one per game, NaN if the true one is unknown.
    """
    given, true = floats(owner, "owners", -1, 1), floats(truth, "truths", -1, 1)
    same_shape(owner=given, truth=true)
    if given.ndim != 3:
        raise TengenError(f"owners are an array [game, row, column]; this one has shape {given.shape}")
    counted, wrong_chains = chain_errors(given, true, chains)
    labelled = true != 0
    wrong = np.where(labelled, wrong_signs(given, true), 0.0)
    winner, exact = result_errors(lead, true_lead)
    same_shape(chains=counted, leads=winner)
    return FinalErrors(
        chains=counted,
        wrong_chains=wrong_chains,
        points=labelled.sum((1, 2)).astype(float),
        wrong_points=wrong.sum((1, 2)),
        winner=winner,
        exact=exact,
    )


def chain_errors(owner: FloatArray, truth: FloatArray, chains: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return for each game the number of chains that belong to a side, and the number assigned to the wrong one.

    A chain belongs to the side with the greater sum of ownership over its points; a sum of 0 is not counted.
    """
    given, true = _chain_sums(chains, owner, truth)
    belongs = true != 0
    return belongs.sum(1).astype(float), np.where(belongs, wrong_signs(given, true), 0.0).sum(1)


def dead_chains(
    owner: FloatArray, truth: FloatArray, chains: npt.ArrayLike, stones: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return for each game the number of dead chains, and the number of these that are taken for alive.

    A chain is dead if its points are surely the enemy's: their true ownership averages ½ or more for the other colour.
    It is taken for alive if the sum of the ownership over its points is its own colour's; a sum of 0 counts ½.
    """
    colour = np.asarray(stones, float)
    given, true, size = _chain_sums(chains, owner * colour, truth * colour, np.abs(colour))
    dead = (size > 0) & (true <= -SURE * size)
    return dead.sum(1).astype(float), np.where(dead, (1 + np.sign(given)) / 2, 0.0).sum(1)


def _chain_sums(chains: npt.ArrayLike, *values: FloatArray) -> list[FloatArray]:
    """Return the sums of values [game, row, column] over the points of each chain [game, chain]."""
    number = np.asarray(chains)
    same_shape(chains=number, **{f"values {i}": each for i, each in enumerate(values, start=1)})
    most = int(number.max(initial=-1)) + 1
    stones = number >= 0
    slot = (np.arange(len(number))[:, None, None] * most + number)[stones]
    return [summed(slot, each[stones], len(number) * most).reshape(len(number), most) for each in values]


def result_errors(lead: npt.ArrayLike, true_lead: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return for each game the error of the winner (0, ½ or 1) and whether the lead is exact; NaN if unknown."""
    said, true = line(lead, "leads"), line(true_lead, "true leads")
    same_shape(lead=said, true_lead=true)
    known = ~np.isnan(true)
    exact = (np.abs(said - true) < SAME_LEAD).astype(float)
    return np.where(known, wrong_signs(said, true), np.nan), np.where(known, exact, np.nan)


def _share(values: FloatArray) -> Interval:
    known = values[~np.isnan(values)]
    return wilson(float(known.sum()), len(known))
