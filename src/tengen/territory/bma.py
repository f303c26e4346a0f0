"""BMA-Tree: Bayesian model averaging over the size of the pattern that is used (Sanner et al. §4).

Start at `grow`. At a point the classes π_1 ⊃ … ⊃ π_m are known, π_0 is "anything". The tree τ_j looks at the
templates up to j; its leaves are "π_i but not π_{i+1}" for i < j, and π_j. From j to j + 1 one leaf is split in two, so
the log evidence changes by

    δ_{j+1} = L(c_j − c_{j+1}) + L(c_{j+1}) − L(c_j),      L = log evidence of a leaf with its counts,

and with weights w_j ∝ prior_j · exp(ℓ_j / ξ) the prediction is Σ_j w_j θ_j. Each step needs only the parent's result:
with r_j = log Σ_{i≤j} w_i − ℓ_j/ξ we have r_{j+1} = log(exp(r_j − δ_{j+1}/ξ) + prior_{j+1}), and the new class takes
the share exp(log prior_{j+1} − r_{j+1}) of the mean. So all classes of a template are worked out at once.

ξ tempers the evidence if the positions of a game are correlated; with a few labelled positions per game ξ = 1 is
best. The paper shrinks θ towards ½; shrinking it towards the parent's mean (`centre`) is better. A class that is its
own colour reversal favours neither side (θ = ½, L = n·ln ½), and so does its remainder when a child is split off.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.territory.counts import PatternCounts
from tengen.territory.patterns import PatternMatch, PatternModel, shares

Prior = Literal["uniform", "exponential"]
Evidence = Literal["ml", "beta"]
Centre = Literal["half", "parent"]


class Leaf(NamedTuple):
    """Counts of classes, and whether each is its own reversal."""

    black: FloatArray
    white: FloatArray
    neutral: npt.NDArray[np.bool_]


class BmaTree(PatternModel):
    """The average over all trees of nested patterns, weighted by how well they explain the games."""

    name = "territory/bma"

    prior: Prior = "uniform"
    kappa: float = math.log(2)
    evidence: Evidence = "ml"
    tempering: float = 1.0
    smoothing: float = 1.0
    centre: Centre = "parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        for given, known in ((self.prior, Prior), (self.evidence, Evidence), (self.centre, Centre)):
            if given not in get_args(known):
                raise ModelError(f"{self.name} knows {' and '.join(get_args(known))}, not {given!r}")
        if self.tempering <= 0 or self.smoothing <= 0:
            raise ModelError("tempering and smoothing are above 0")

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        levels = counts.levels()
        self.total_ = np.array([(counts.black + counts.white)[levels[0]].sum()])
        means, rest = np.zeros(len(counts)), np.zeros(len(counts))
        for level, rows in enumerate(levels, start=1):
            child, parent = _leaf(counts, rows), self._parents(counts, level, rows)
            above = counts.parent[rows]
            before = rest[above] if level > 1 else np.full(len(rows), self._log_prior(0))
            rest[rows], share = self.grow(level, before, parent, child)
            mean = counts.relation[rows] * means[above] if level > 1 else np.zeros(len(rows))
            centre = mean if self.centre == "parent" else 0.0
            own = np.where(child.neutral, 0.0, shares(child.black, child.white, self.smoothing, centre))
            means[rows] = (1 - share) * mean + share * own
        return means

    def grow(self, level: int, before: FloatArray, parent: Leaf, child: Leaf) -> tuple[FloatArray, FloatArray]:
        """Return r of the children and their share of the mean, from r of their parents and the counts of both."""
        left = _without(parent, child)
        change = self._log_evidence(left) + self._log_evidence(child) - self._log_evidence(parent)
        prior = self._log_prior(level)
        rest = np.logaddexp(before - change / self.tempering, prior)
        return rest, np.exp(prior - rest)

    def weights(self, found: list[PatternMatch]) -> list[float]:
        """Return the weight of the trees that stop at π_0, π_1, …, for the classes known at a point."""
        half = self.total_[0] / 2
        parent, rest = Leaf(*(np.array([x]) for x in (half, half, True))), np.array([self._log_prior(0)])
        kept = [1.0]
        for match in found:
            child = Leaf(np.array([match.black]), np.array([match.white]), np.array([match.neutral]))
            rest, share = self.grow(match.template, rest, parent, child)
            kept = [weight * float(1 - share[0]) for weight in kept] + [float(share[0])]
            parent = child
        return kept

    def _shares(self, found: list[PatternMatch]) -> list[str]:
        return [f"it has {weight:.0%} of the weight" for weight in self.weights(found)[1:]]

    def _log_prior(self, level: int) -> float:
        """Return the log prior, up to a constant, of the tree with `level` inner nodes and `level` + 1 leaves."""
        return 0.0 if self.prior == "uniform" else -self.kappa * (2 * level + 1)

    def _log_evidence(self, leaf: Leaf) -> FloatArray:
        count = leaf.black + leaf.white
        if self.evidence == "ml":
            one = xlogx(leaf.black) + xlogx(leaf.white) - xlogx(count)
        else:
            a = self.smoothing
            one = log_beta(leaf.black + a, leaf.white + a) - math.lgamma(a) * 2 + math.lgamma(2 * a)
        return np.where(leaf.neutral, -math.log(2) * count, one)

    def _parents(self, counts: PatternCounts, level: int, rows: npt.NDArray[Any]) -> Leaf:
        """Return the counts of the parents in the orientation of the children."""
        if level == 1:
            half = np.full(len(rows), self.total_[0] / 2)
            return Leaf(half, half, np.ones(len(rows), bool))
        above, swap = _leaf(counts, counts.parent[rows]), counts.relation[rows] < 0
        return Leaf(np.where(swap, above.white, above.black), np.where(swap, above.black, above.white), above.neutral)


def _leaf(counts: PatternCounts, rows: npt.NDArray[Any]) -> Leaf:
    return Leaf(counts.black[rows], counts.white[rows], counts.neutral[rows])


def _without(parent: Leaf, child: Leaf) -> Leaf:
    """Counts of the parents without the children; of a parent that is its own reversal only the total matters."""
    half = (parent.black + parent.white - child.black - child.white) / 2
    black = np.where(parent.neutral, half, parent.black - child.black)
    white = np.where(parent.neutral, half, parent.white - child.white)
    return Leaf(np.maximum(black, 0), np.maximum(white, 0), parent.neutral)


def xlogx(x: FloatArray) -> FloatArray:
    """Return x ln x, 0 at 0."""
    return np.asarray(x * np.log(np.where(x > 0, x, 1)))


def log_beta(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the logarithm of the beta function."""
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


def log_gamma(x: FloatArray) -> FloatArray:
    """Return ln Γ(x) for x > 0 by Stirling's series at x + 8, with a relative error below 1e-13."""
    steps = np.ones_like(x)
    for i in range(8):
        steps = steps * (x + i)
    y = x + 8
    inverse = 1 / (y * y)
    series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / y
    return np.asarray((y - 0.5) * np.log(y) - y + 0.5 * math.log(2 * math.pi) + series - np.log(steps))
