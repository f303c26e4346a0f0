"""Measures of move prediction: rank and probability of the move played.

Start at `move_scores`. The likeliest move has rank 1; moves of equal probability share the mean of their ranks. The
evidence of a move is its probability; perplexity is exp(−mean ln evidence), the number of equally likely moves among
which guessing would be as hard.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import LEAST, FloatArray, IntArray, floats, line, same_shape


@dataclass(frozen=True)
class MoveScores:
    """Rank and log-evidence of the moves played, one value per position."""

    rank: FloatArray
    log_evidence: FloatArray

    def __len__(self) -> int:
        return len(self.rank)

    def within(self, k: int) -> FloatArray:
        """Return 1 where the move played is among the first k."""
        return (self.rank <= k).astype(float)

    def curve(self, most: int = 50) -> FloatArray:
        """Return the share of positions with the move among the first k, for k from 1 to `most`."""
        return top_k_curve(self.rank, most)

    @property
    def mean_log_evidence(self) -> float:
        """The mean logarithm of the probability given to the moves played."""
        return float(self.log_evidence.mean()) if len(self) else math.nan

    @property
    def perplexity(self) -> float:
        """exp(−mean log-evidence): the effective number of equally likely moves."""
        return math.exp(-self.mean_log_evidence)


def move_scores(probabilities: npt.ArrayLike, played: npt.ArrayLike, legal: npt.ArrayLike | None = None) -> MoveScores:
    """Score probabilities [position, move] against the number of the move played in each position.

    Without a mask of the legal moves, a move of probability 0 ties with the illegal ones.
    """
    chances = floats(probabilities, "probabilities", 0, 1)
    if chances.ndim == 2 and np.any(chances.sum(1) > 1 + 1e-3):
        raise TengenError("the probabilities of a position must not sum to more than 1")
    return MoveScores(move_ranks(chances, played, legal), log_evidence(chances, played))


def move_ranks(values: npt.ArrayLike, played: npt.ArrayLike, legal: npt.ArrayLike | None = None) -> FloatArray:
    """Return the rank of each move played among the values of its position, which need not be probabilities."""
    table, own = _own(values, played)
    allowed = np.ones(table.shape, bool) if legal is None else np.asarray(legal, bool)
    same_shape(values=table, legal=allowed)
    if not _at(allowed, played).all():
        raise TengenError("a move that was played must be legal")
    better = (allowed & (table > own[:, None])).sum(1)
    equal = (allowed & (table == own[:, None])).sum(1)
    return np.asarray(better + (equal + 1) / 2)


def log_evidence(probabilities: npt.ArrayLike, played: npt.ArrayLike) -> FloatArray:
    """Return the logarithm of the probability of each move played."""
    return np.log(np.maximum(_own(probabilities, played)[1], LEAST))


def top_k_curve(ranks: npt.ArrayLike, most: int = 50) -> FloatArray:
    """Return the share of ranks that are at most k, for k from 1 to `most`."""
    ordered = np.sort(line(ranks, "ranks"))
    counts = np.searchsorted(ordered, np.arange(1, most + 1), side="right")
    return counts / len(ordered) if len(ordered) else np.full(most, np.nan)


def _own(values: npt.ArrayLike, played: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    table = floats(values, "values of moves")
    return table, _at(table, played).astype(float)


def _at(table: npt.NDArray[np.generic], played: npt.ArrayLike) -> npt.NDArray[np.generic]:
    move: IntArray = np.asarray(played, np.int64)
    if table.ndim != 2 or move.shape != table.shape[:1]:
        raise TengenError(f"one move per position: {move.shape} does not fit a table of shape {table.shape}")
    if move.size and not (move.min() >= 0 and move.max() < table.shape[1]):
        raise TengenError(f"moves are numbered from 0 to {table.shape[1] - 1}")
    return table[np.arange(len(move)), move]
