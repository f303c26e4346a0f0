"""Weights of levels by softmax regression: the Bradley–Terry likelihood with a Gaussian prior of ln γ, by L-BFGS.

The optimum is that of minorization–maximization but for the prior. All weights change at once, which needs fewer passes
over the data where features depend on each other.
"""

from __future__ import annotations

from warnings import warn

import numpy as np

from tengen.errors import ConvergenceWarning
from tengen.extras import need
from tengen.models.protocol import Progress
from tengen.moves.bradley_terry import thread_count
from tengen.moves.competitions import Competitions, FloatArray

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
    threads, scale, calls = thread_count(threads), 1 / max(len(competitions), 1), 0

    def objective(weights: FloatArray) -> tuple[float, FloatArray]:
        nonlocal calls
        calls += 1
        loss, gradient, _ = competitions.native.gradient(weights, 0, len(competitions), False, threads)
        gradient[0] = 0
        if progress is not None:
            progress(min(calls / iterations, 0.99))
        return scale * (loss + l2 / 2 * float(weights @ weights)), scale * (gradient + l2 * weights)

    limits = {"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 1e-9, "gtol": 1e-7}
    start = np.zeros(competitions.native.levels)
    found = need("scipy.optimize").minimize(objective, start, jac=True, method="L-BFGS-B", options=limits)
    if not found.success:
        warn(f"the fit stopped early after {found.nit} iterations", ConvergenceWarning, stacklevel=2)
    return competitions.by_table(found.x)
