"""Weights of levels by softmax regression: the Bradley–Terry likelihood with a Gaussian prior of ln γ, by L-BFGS.

Apart from the prior, the optimum is that of minorization–maximization. All weights change at once, which needs fewer
passes over the data where features depend on each other.
"""

from __future__ import annotations

from warnings import warn

import numpy as np

from tengen.errors import ConvergenceWarning
from tengen.extras import need
from tengen.models.protocol import Progress
from tengen.moves.bradley_terry import thread_count
from tengen.moves.competitions import Competitions, FloatArray
from tengen.numbers import checked_number

L2 = 1.0
ITERATIONS = 200


def fit_softmax(
    competitions: Competitions,
    *,
    l2: float = L2,
    iterations: int = ITERATIONS,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[FloatArray]:
    """Return ln γ of each table by level, minimising Σ −ln P(winner) + ½ l2 Σ (ln γ)²."""
    checked_number(l2, "l2", 1e-9)
    threads, scale, calls = thread_count(threads), 1 / max(len(competitions), 1), 0
    # Rare levels have small slopes: in units of 1/√(second derivative) the steps of L-BFGS suit them all.
    start = np.zeros(competitions.native.levels)
    curvature = competitions.native.gradient(start, 0, len(competitions), True, threads)[2]
    unit = 1 / np.sqrt(curvature + l2)

    def objective(scaled: FloatArray) -> tuple[float, FloatArray]:
        nonlocal calls
        calls += 1
        weights = scaled * unit
        loss, gradient, _ = competitions.native.gradient(weights, 0, len(competitions), False, threads)
        gradient[0] = 0
        if progress is not None:
            progress(min(calls / iterations, 0.99))
        return scale * (loss + l2 / 2 * float(weights @ weights)), scale * unit * (gradient + l2 * weights)

    limits = {"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 1e-9, "gtol": 1e-9}
    found = need("scipy.optimize").minimize(objective, start, jac=True, method="L-BFGS-B", options=limits)
    if not found.success:
        warn(f"the fit stopped early after {found.nit} iterations", ConvergenceWarning, stacklevel=2)
    return competitions.by_table(found.x * unit)
