"""Training of fields on the grid (Sanner et al. §3.3; risk training is ours). Start at `train`.

    ml        maximum likelihood by exact elimination: boards up to 13 points wide take milliseconds, 19 seconds
    ml-bp     the same with Bethe's ln Z and its own gradient
    pl        edge and vertex pseudolikelihood, the unary scale learned with the rest
    pl-edge   edge pseudolikelihood, the unary scale as it is given
    pw        piecewise: each edge by itself, in closed form
    supw      shared-unary piecewise: each edge with the unaries of its ends
    risk      the log-loss of the marginals that inference will give, the unary scale learned with the rest

Gradients of risk need no second inference algorithm: means are derivatives of ln Z with respect to fields, so the
derivative of Σ g_i m_i with respect to a field or coupling is the change of its own mean in direction g, a finite
difference of two inferences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from warnings import warn

import numpy as np

from tengen.errors import ConvergenceWarning, ModelError
from tengen.extras import need
from tengen.models.protocol import FloatArray, Progress
from tengen.territory.coupling_examples import Examples, coupling_examples
from tengen.territory.coupling_pieces import edge_pieces, newton, piecewise, shared_unary_pieces, vertex_pieces
from tengen.territory.ising import Solver, infer

__all__ = ["TRAINERS", "coupling_examples", "likelihood_loss", "risk_loss", "train"]

TRAINERS = ("ml", "ml-bp", "pl", "pl-edge", "pw", "supw", "risk")
CLAMP = 30.0
"""The field that fixes a labelled point."""
DOUBT = 1e-3
"""Share of the uniform distribution mixed into every marginal, so that a confident error has a bounded loss."""
STEP = 1e-3
ITERATIONS = 60
START = (0.5, 0.1, 0.3, 0.3, 0.1, 0.1, 0.3, 0.0)

Loss = Callable[[FloatArray], tuple[float, FloatArray]]


def train(
    trainer: str,
    examples: list[Examples],
    settings: Solver,
    *,
    l2: float = 1e-4,
    scale: float = 0.0,
    progress: Progress | None = None,
) -> FloatArray:
    """Return the parameters: those of the examples' tying, 8 by colours alone, and the unary scale."""
    if trainer not in TRAINERS:
        raise ModelError(f"a trainer is one of {', '.join(TRAINERS)}, not {trainer!r}")
    start = np.append(examples[0].tying.spread(np.array(START)), scale)
    free = np.ones(len(start))
    free[-1] = trainer in ("pl", "risk", "ml", "ml-bp") and any(part.logits.any() for part in examples)
    if trainer == "pw":
        return np.append(piecewise(examples), scale)
    if trainer == "supw":
        return newton([shared_unary_pieces(part, scale) for part in examples], start, free, l2)
    if trainer in ("pl", "pl-edge"):
        pieces = [edge_pieces(part) for part in examples]
        pieces += [vertex_pieces(part) for part in examples] if trainer == "pl" else []
        return newton(pieces, start, free, l2)
    loss = _loss(trainer, examples, settings)
    return minimise(loss, start, free, l2, progress, iterations=ITERATIONS)


def _loss(trainer: str, examples: list[Examples], settings: Solver) -> Loss:
    if trainer == "risk":
        tight = replace(settings, tolerance=min(settings.tolerance, 1e-10))
        return lambda theta: risk_loss(theta, examples, tight)
    how = Solver("exact") if trainer == "ml" else Solver("bp", tolerance=1e-9)
    return lambda theta: likelihood_loss(theta, examples, how)


def minimise(
    loss: Loss,
    start: FloatArray,
    free: FloatArray,
    l2: float,
    progress: Progress | None,
    *,
    iterations: int,
) -> FloatArray:
    """Minimise loss + ½ l2 |θ|² over the free parameters by L-BFGS; a `ConvergenceWarning` tells of an early stop."""
    minimize = need("scipy.optimize").minimize
    chosen, calls = np.flatnonzero(free), 0
    theta: FloatArray = start.copy()

    def objective(values: FloatArray) -> tuple[float, FloatArray]:
        nonlocal calls
        calls += 1
        theta[chosen] = values
        value, gradient = loss(theta)
        if progress is not None:
            progress(min(calls / iterations, 0.99))
        return value + l2 / 2 * float(values @ values), gradient[chosen] + l2 * values

    limits = {"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 1e-7}
    found = minimize(objective, start[chosen], jac=True, method="L-BFGS-B", options=limits)
    if not found.success:
        why = str(found.message).strip(" :")
        warn(f"the fit stopped early after {found.nit} iterations ({why})", ConvergenceWarning, stacklevel=2)
    theta[chosen] = found.x
    return theta


def likelihood_loss(theta: FloatArray, examples: list[Examples], settings: Solver) -> tuple[float, FloatArray]:
    """Return −ln p(labels) per labelled point, with unlabelled points summed out, and its gradient."""
    found = [_likelihood(theta, part, settings) for part in examples]
    labelled = sum(float((part.spins != 0).sum()) for part in examples)
    return sum(value for value, _ in found) / labelled, np.sum([slope for _, slope in found], axis=0) / labelled


def _likelihood(theta: FloatArray, part: Examples, settings: Solver) -> tuple[float, FloatArray]:
    fields, couplings = part.ising(theta)
    loose = infer(part.graph, fields, couplings, settings)
    clamped = infer(part.graph, fields + CLAMP * part.spins, couplings, settings)
    kept = clamped.log_z - CLAMP * np.abs(part.spins).sum(1)
    gradient = part.gradient(loose.means - clamped.means, loose.edge_means - clamped.edge_means)
    return float((loose.log_z - kept).sum()), gradient


def risk_loss(theta: FloatArray, examples: list[Examples], settings: Solver) -> tuple[float, FloatArray]:
    """Return the weighted mean log-loss of the marginals, targets soft, and its gradient."""
    found = [_risk(theta, part, settings) for part in examples]
    weight = sum(float(part.weights.sum()) for part in examples)
    return sum(value for value, _ in found) / weight, np.sum([slope for _, slope in found], axis=0) / weight


def _risk(theta: FloatArray, part: Examples, settings: Solver) -> tuple[float, FloatArray]:
    fields, couplings = part.ising(theta)
    means = (1 - DOUBT) * infer(part.graph, fields, couplings, settings).means
    black = (1 + part.targets) / 2
    losses = -part.weights * (black * np.log((1 + means) / 2) + (1 - black) * np.log((1 - means) / 2))
    pull = -(1 - DOUBT) * part.weights * (part.targets - means) / (1 - means**2)
    step = STEP / np.maximum(np.abs(pull).max(1, keepdims=True), 1e-12)
    ahead, behind = (infer(part.graph, fields + sign * step * pull, couplings, settings) for sign in (1, -1))
    by_fields, by_couplings = (
        (one - other) / (2 * step)
        for one, other in ((ahead.means, behind.means), (ahead.edge_means, behind.edge_means))
    )
    return float(losses.sum()), part.gradient(by_fields, by_couplings)
