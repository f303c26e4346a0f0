"""Latent-factor ranking: weights of levels, and of pairs of levels by factors (Wistuba & Schmidt-Thieme 2013).

The score of a move is Σ_i w_i + Σ_{i<j} ⟨v_i, v_j⟩ over its levels, with a few factors for each level; probabilities
are the softmax of the scores. Start at `fit_factors`. The gradient is in core/include/tengen/latent_factors.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.moves import MoveScores
from tengen.models.protocol import Progress
from tengen.moves.bradley_terry import thread_count
from tengen.moves.competitions import Competitions, FloatArray
from tengen.numbers import checked_count, checked_number

ROW = 8
"""Numbers for each level in the core: the weight and up to seven factors."""
FACTORS = 5
EPOCHS = 5
RATE, DECAY = 0.05, 1e-5
SPREAD = 0.1
"""Standard deviation of the factors at the start; at 0 they would stay there."""
PIECES = 50  # how often progress is reported in an epoch


@dataclass(frozen=True)
class LatentFactors:
    """ln γ of each table by level, and the factors of each table by level; level 0 has zeros."""

    weights: list[FloatArray]
    factors: list[npt.NDArray[np.float32]]

    def rows(self, competitions: Competitions) -> npt.NDArray[np.float32]:
        """Return weight and factors as the core reads them."""
        flat = competitions.flat(self.weights)
        factors = np.concatenate([np.zeros((1, self.factors[0].shape[1])), *(part[1:] for part in self.factors)])
        rest = np.zeros((len(flat), ROW - 1 - factors.shape[1]))
        return np.concatenate([flat[:, None], factors, rest], axis=1).astype(np.float32)


class FactorTraining:
    """Weights and factors while they are learned by AdaGrad, one step per position."""

    def __init__(self, levels: int, *, factors: int = FACTORS, decay: float = DECAY, seed: int = 0) -> None:
        checked_count(factors, "factors", ROW - 1)
        self.factors, self.decay = factors, checked_number(decay, "decay", 0)
        self.seed, self.rounds = seed, 0
        """How often `learn` was called: the random order of a round depends on its number alone."""
        self.rows = np.zeros((levels, ROW), np.float32)
        """Weight and factors by level, as the core reads them."""
        self.rows[1:, 1 : 1 + factors] = np.random.default_rng(seed).normal(0, SPREAD, (levels - 1, factors))
        self.squares = np.zeros_like(self.rows)

    def learn(self, competitions: Competitions, rate: float, pieces: int = 1) -> Iterator[float]:
        """Learn from all positions in random order; yield the share that is done after each piece."""
        order = np.random.default_rng([self.seed, self.rounds]).permutation(len(competitions)).astype(np.int64)
        self.rounds += 1
        for number, piece in enumerate(np.array_split(order, pieces)):
            competitions.native.learn(self.rows, self.squares, piece, rate, self.decay)
            yield (number + 1) / pieces
        if not np.isfinite(self.rows).all():
            raise TengenError("the factors diverged: choose a smaller rate")

    def result(self, competitions: Competitions) -> LatentFactors:
        """Return weights and factors by table."""
        columns = [competitions.by_table(column) for column in self.rows.T.astype(np.float64)]
        chosen = columns[1 : 1 + self.factors]
        parts = [np.stack(part, axis=1).astype(np.float32) for part in zip(*chosen, strict=True)]
        return LatentFactors(columns[0], parts or [np.zeros((len(part), 0), np.float32) for part in columns[0]])


def fit_factors(
    competitions: Competitions,
    *,
    factors: int = FACTORS,
    epochs: int = EPOCHS,
    rate: float = RATE,
    decay: float = DECAY,
    seed: int = 0,
    start: Sequence[npt.ArrayLike] | None = None,
    progress: Progress | None = None,
) -> LatentFactors:
    """Learn by AdaGrad with one step per position, in a new random order each epoch.

    `start` holds ln γ to begin with, such as the result of another trainer; `rate` falls to rate/n in the n-th epoch.
    """
    checked_number(rate, "rate", 0)
    training = FactorTraining(competitions.native.levels, factors=factors, decay=decay, seed=seed)
    if start is not None:
        training.rows[:, 0] = competitions.flat(start)
    for epoch in range(checked_count(epochs, "epochs")):
        for share in training.learn(competitions, rate / (1 + epoch), PIECES):
            if progress is not None:
                progress((epoch + share) / epochs)
    return training.result(competitions)


def move_scores(
    competitions: Competitions, weights: LatentFactors | Sequence[npt.ArrayLike], *, threads: int = 1
) -> MoveScores:
    """Return rank and log-evidence of each winner, by ln γ alone or with factors."""
    if isinstance(weights, LatentFactors):
        rows = weights.rows(competitions)
    else:
        flat = competitions.flat(weights)
        rows = np.concatenate([flat[:, None], np.zeros((len(flat), ROW - 1))], axis=1).astype(np.float32)
    ranks, losses = competitions.native.ranks(rows, thread_count(threads))
    return MoveScores(ranks, -losses)
