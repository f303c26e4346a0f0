"""Simulation balancing: weights of playouts whose mean result agrees with given winrates (Silver & Tesauro 2009; Huang,
Coulom & Lin 2011).

Start at `balance`. With V* the given winrate of a position, V the mean result of playouts and g the gradient of V by
the logarithms of the weights (core/include/tengen/playout_gradient.hpp), the step (V* − V) g lowers the squared error.
V and g come from different playouts, so that the product is not biased.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen._core import PLAYOUT_LEVELS, Knowledge, PlayoutWeights
from tengen.go.positions import Positions
from tengen.moves.competitions import FloatArray
from tengen.moves.playouts import whole_weights

Report = Callable[[int, float, FloatArray], None]
"""Is called after each batch with its number, the mean squared error of its positions and the weights γ."""


@dataclass(frozen=True)
class Balancing:
    """How weights are balanced."""

    playouts: int = 100
    """Playouts of a position for its mean result, and as many for the gradient."""
    batch: int = 32
    """Positions of one step."""
    rate: float = 0.05
    """The step of a weight's logarithm while its gradients agree; Adam divides them by their size."""
    most: float = 5.0
    """Weights stay within this factor of where they started: rare levels have noisy gradients."""


def balance(
    gammas: npt.ArrayLike,
    positions: Positions,
    winrates: npt.ArrayLike,
    *,
    settings: Balancing | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> FloatArray:
    """Return the weights γ after one pass over positions, given Black's winrate in each."""
    how = settings or Balancing()
    start = np.log(np.array(gammas, np.float64))
    theta, wanted = start.copy(), np.asarray(winrates, np.float64)
    mean, square = np.zeros_like(theta), np.zeros_like(theta)
    for step, first in enumerate(range(0, len(positions), how.batch)):
        rows = range(first, min(first + how.batch, len(positions)))
        weights = PlayoutWeights(whole_weights(np.exp(theta)))
        errors, gradient = _gradient(weights, positions, rows, wanted, how.playouts, seed)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        unbiased = mean / (1 - 0.9 ** (step + 1)), np.sqrt(square / (1 - 0.99 ** (step + 1)))
        theta += how.rate * unbiased[0] / (unbiased[1] + 1e-4)
        theta = np.clip(theta, start - np.log(how.most), start + np.log(how.most))
        theta[-PLAYOUT_LEVELS[-1] :] = np.minimum(theta[-PLAYOUT_LEVELS[-1] :], 0)
        if report is not None:
            report(step, float(np.mean(errors**2)), np.exp(theta))
    return np.exp(theta)


def _gradient(
    weights: PlayoutWeights, positions: Positions, rows: range, wanted: FloatArray, playouts: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return V* − V of each position, and the mean of (V* − V) g."""
    errors, total = [], np.zeros(sum(PLAYOUT_LEVELS))
    for i in rows:
        value = mean_result(weights, positions, i, playouts, seed + 2 * i)
        won, every, while_won = _playouts(weights, positions, i, playouts, seed + 2 * i + 1)
        slope = (while_won - won / playouts * every) / playouts
        errors.append(wanted[i] - value)
        total += errors[-1] * slope
    return np.array(errors), total / len(rows)


def _playouts(
    weights: PlayoutWeights, positions: Positions, i: int, playouts: int, seed: int
) -> tuple[float, FloatArray, FloatArray]:
    colour, komi = 1 if positions.to_play[i] > 0 else 2, float(positions.komi[i] + positions.bonus[i])
    won, every, while_won = positions.board(i).native.playout_gradient(playouts, seed, colour, komi, weights)
    return won, np.array(every), np.array(while_won)


def mean_result(
    policy: PlayoutWeights | Knowledge | None, positions: Positions, i: int, playouts: int, seed: int
) -> float:
    """Return the share of playouts of a position that Black wins; None stands for uniform playouts."""
    first = 1 if positions.to_play[i] > 0 else 2
    leads = positions.board(i).native.owner_counts(playouts, seed, 1, 1, first, policy)[3]
    ahead = leads - (positions.komi[i] + positions.bonus[i])
    return float(np.mean((ahead > 0) + 0.5 * (ahead == 0)))
