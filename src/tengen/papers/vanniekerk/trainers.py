"""The ways to learn weights that the paper names, on the same competitions: each gives ln γ by table and level.

Start at `TRAINERS`. The paper uses minorization–maximization and leaves the other ways to later work. Bayesian
approximation ranking and loopy Bayesian ranking read each position once (core/include/tengen/bayesian_ranking.hpp).
Laplace marginal propagation reads chunks of positions several times. All three keep an independent Gaussian belief
about each ln γ, with mean 0 and variance PRIOR at the start.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from tengen.extras import need
from tengen.moves.bradley_terry import fit_mm
from tengen.moves.competitions import Competitions, FloatArray
from tengen.moves.softmax import fit_softmax

PRIOR = 1.0
SWEEPS, CHUNKS, LEAST_CHUNK = 3, 32, 500
MODE_STEPS = 15


def maximization(competitions: Competitions) -> list[FloatArray]:
    """Minorization–maximization (Coulom 2007)."""
    return [np.log(part) for part in fit_mm(competitions)]


def softmax(competitions: Competitions) -> list[FloatArray]:
    """Softmax regression with a Gaussian prior."""
    return fit_softmax(competitions)


def bayesian_approximation(competitions: Competitions) -> list[FloatArray]:
    """Bayesian approximation ranking: the updates of Weng & Lin (2011), as in Wistuba et al. (2012)."""
    return _online(competitions, competitions.native.approximate)


def loopy_ranking(competitions: Competitions) -> list[FloatArray]:
    """Loopy Bayesian ranking: the factor graph of Stern, Herbrich & Graepel (2006).

    Gaussian noise has thinner tails than the noise of the Bradley–Terry model, so that the weights come out too small:
    one factor for all of them is fitted in the end. It does not change the order of moves.
    """
    found = competitions.flat(_online(competitions, competitions.native.compare))

    def loss(factor: float) -> float:
        return competitions.native.gradient(factor * found, 0, len(competitions), False, 1)[0]

    minimum = need("scipy.optimize").minimize_scalar(loss, bounds=(0.1, 10), method="bounded", options={"xatol": 0.01})
    return competitions.by_table(minimum.x * found)


def laplace_propagation(competitions: Competitions) -> list[FloatArray]:
    """Laplace marginal propagation (Lew 2011, after Smola et al. 2003).

    Each chunk of positions is replaced by independent Gaussian factors of the weights. In turn, a chunk's factors are
    taken out, the most probable weights under the other factors and the chunk itself are found, and the curvature there
    gives the chunk's new factors.
    """
    size, total = competitions.native.levels, len(competitions)
    chunks = max(1, min(CHUNKS, total // LEAST_CHUNK))
    bounds = [total * number // chunks for number in range(chunks + 1)]
    precisions, shifts = np.zeros((chunks, size)), np.zeros((chunks, size))
    weights = np.zeros(size)
    for _ in range(SWEEPS):
        for chunk, (first, last) in enumerate(pairwise(bounds)):
            precision = 1 / PRIOR + precisions.sum(0) - precisions[chunk]
            shift = shifts.sum(0) - shifts[chunk]
            weights, curvature = _mode(competitions, first, last, precision, shift, weights)
            precisions[chunk] = curvature
            shifts[chunk] = (precision + curvature) * weights - shift
    return competitions.by_table(weights)


def _mode(
    competitions: Competitions, first: int, last: int, precision: FloatArray, shift: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the most probable weights given some positions and a Gaussian, and the positions' curvature there."""
    # In units of standard deviations of the Gaussian, in which the first steps of L-BFGS have the right size.
    unit = 1 / np.sqrt(precision)

    def objective(scaled: FloatArray) -> tuple[float, FloatArray]:
        weights = scaled * unit
        loss, gradient, _ = competitions.native.gradient(weights, first, last, False, 1)
        gradient[0] = 0
        value = loss + float(weights @ (precision * weights / 2 - shift))
        return value, unit * (gradient + precision * weights - shift)

    minimize = need("scipy.optimize").minimize
    found = minimize(objective, start / unit, jac=True, method="L-BFGS-B", options={"maxiter": MODE_STEPS})
    weights: FloatArray = found.x * unit
    return weights, competitions.native.gradient(weights, first, last, True, 1)[2]


def _online(
    competitions: Competitions,
    learn: Callable[[FloatArray, FloatArray, np.ndarray[tuple[int], np.dtype[np.int64]]], None],
) -> list[FloatArray]:
    """Read each position once, in random order: neighbouring positions of a game are much alike."""
    means, variances = np.zeros(competitions.native.levels), np.full(competitions.native.levels, PRIOR)
    learn(means, variances, np.random.default_rng(0).permutation(len(competitions)).astype(np.int64))
    return competitions.by_table(means)


TRAINERS: dict[str, Callable[[Competitions], list[FloatArray]]] = {
    "minorization-maximization": maximization,
    "softmax regression": softmax,
    "Bayesian approximation ranking": bayesian_approximation,
    "Laplace marginal propagation": laplace_propagation,
    "loopy Bayesian ranking": loopy_ranking,
}
