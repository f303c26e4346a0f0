"""Binary pairwise models on a board: the grid of points as a graph, and `infer` for all inference methods.

p(s) ∝ exp(Σ J_ij s_i s_j + Σ h_i s_i) with s_i = ±1, Black positive. Points are numbered row by row; edges are those to
the right, row by row, then those down. Start at `infer`; the kernels in core/ take any sparse graph, so that models on
chains and regions use the same ones through `IsingGraph`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.errors import ModelError
from tengen.models import convergence
from tengen.models.protocol import FloatArray
from tengen.numbers import checked_number

Inference: TypeAlias = Literal["bp", "gibbs", "sw", "exact", "double-loop", "best"]
"""Loopy belief propagation; Gibbs sampling; Swendsen–Wang clusters; exact elimination; the double loop of Yuille, which
is slower than propagation and always converges; or the best that is fast: exact on graphs of width up to `EXACT_WIDTH`,
elsewhere propagation, and the double loop for rows on which it does not converge."""

INFERENCES: tuple[str, ...] = get_args(Inference)
BURN_IN = {"gibbs": 200, "sw": 50}
SWEEPS = {"bp": 200, "gibbs": 2000, "sw": 500, "exact": 1, "double-loop": 20_000, "best": 200}
EXACT_WIDTH = 14
"""The widest graphs on which "best" is exact: a row of 150 nodes takes a millisecond, each further node doubles it."""


@dataclass(frozen=True)
class Marginals:
    """Results of inference, one row per model."""

    means: FloatArray
    """E[s_i] of every node."""
    edge_means: FloatArray
    """E[s_i s_j] of every edge."""
    log_z: FloatArray
    """ln Z: exact, Bethe's for propagation and the double loop, NaN for samplers."""
    converged: npt.NDArray[np.bool_]
    """Whether propagation or the double loop converged; True for all other methods."""
    sweeps: npt.NDArray[np.int32]
    """The number of sweeps; 1 for elimination."""
    messages: FloatArray | None = None
    """Cavity fields of propagation and the double loop: along edge e at 2e, in the other direction at 2e + 1."""
    errors: FloatArray | None = None
    """Standard errors of sampled means."""


@dataclass(frozen=True)
class Solver:
    """How inference is done."""

    inference: Inference = "bp"
    sweeps: int | None = None
    """None is the default: 200 for propagation, 2,000 for Gibbs, 500 for Swendsen–Wang, 20,000 for the double loop."""
    tolerance: float = 1e-6
    seed: int = 0
    step: float | None = None
    """The share of every new message that propagation takes (Heskes' ε): 1 is undamped, 0.5 usual. None takes ½,
    then ¼, ⅛ and 1/16, each for at most `sweeps` sweeps, and extrapolates."""

    def __post_init__(self) -> None:
        if self.inference not in INFERENCES:
            raise ModelError(f"inference is one of {', '.join(INFERENCES)}, not {self.inference!r}")
        checked_number(self.tolerance, "tolerance", error=ModelError)
        if (self.sweeps is not None and self.sweeps < 1) or not self.tolerance > 0 or self.seed < 0:
            raise ModelError("inference needs at least one sweep, a positive tolerance and a seed that is not negative")
        if self.step is not None and checked_number(self.step, "step", 0, 1, error=ModelError) == 0:
            raise ModelError("step: a positive number, at most 1")

    @property
    def count(self) -> int:
        """The number of sweeps."""
        return SWEEPS[self.inference] if self.sweeps is None else self.sweeps


def infer(graph: IsingGraph, fields: FloatArray, couplings: FloatArray, settings: Solver | None = None) -> Marginals:
    """Return the means of models with fields [rows, nodes] and couplings [rows, edges] on one graph.

    Propagation that does not converge on all rows gives a `ConvergenceWarning`; `Marginals.converged` tells which.
    """
    how = settings or Solver()
    fields, couplings = (np.ascontiguousarray(numbers, np.float64) for numbers in (fields, couplings))
    if how.inference == "exact" or (how.inference == "best" and is_narrow(graph)):
        once = np.ones(len(fields), np.int32)
        return Marginals(*graph.eliminate(fields, couplings), once > 0, once)
    if how.inference in BURN_IN:
        return _sampled(graph, fields, couplings, how)
    found = (_looped if how.inference == "double-loop" else _propagated)(graph, fields, couplings, how)
    if how.inference == "best" and not found.converged.all():
        found = _repaired(found, graph, fields, couplings, how)
    if not found.converged.all():
        name, count = (
            ("loopy propagation", how.count) if how.inference == "bp" else ("the double loop", found.sweeps.max())
        )
        convergence.report(f"{name} did not converge in {count} sweeps")
    return found


def grid_log_likelihoods(
    shape: tuple[int, int], fields: FloatArray, couplings: FloatArray, spins: FloatArray
) -> FloatArray:
    """Return ln p of known owners on boards, jointly and exactly; spins [rows, points] are ±1, and 0 is summed out."""
    edges = grid_edges(*shape)
    known = [_log_weight(edges, *row) for row in zip(fields, couplings, spins, strict=True)]
    return np.array(known) - grid_graph(*shape).log_partition(fields, couplings)


def _log_weight(edges: npt.NDArray[np.int32], fields: FloatArray, couplings: FloatArray, spins: FloatArray) -> float:
    """Return the logarithm of the total weight of all states with the known spins."""
    first, second = edges.T
    energy = float(fields @ spins + couplings @ (spins[first] * spins[second]))
    free = np.flatnonzero(spins == 0)
    if not len(free):
        return energy
    pulls = np.bincount(first, couplings * spins[second], len(spins))
    pulls += np.bincount(second, couplings * spins[first], len(spins))
    place = np.full(len(spins), -1, np.int32)
    place[free] = np.arange(len(free))
    inside = (spins[first] == 0) & (spins[second] == 0)
    graph = IsingGraph(len(free), np.ascontiguousarray(place[edges[inside]]))
    return energy + float(graph.log_partition((fields + pulls)[None, free], couplings[None, inside])[0])


def is_narrow(graph: IsingGraph) -> bool:
    """Return whether "best" is exact on a graph."""
    try:
        return graph.width <= EXACT_WIDTH
    except ValueError:  # too dense for elimination
        return False


def _sampled(graph: IsingGraph, fields: FloatArray, couplings: FloatArray, how: Solver) -> Marginals:
    sampler = graph.gibbs if how.inference == "gibbs" else graph.swendsen_wang
    means, errors, edges = sampler(fields, couplings, BURN_IN[how.inference], how.count, how.seed)
    counts = np.full(len(fields), how.count, np.int32)
    return Marginals(means, edges, np.full(len(fields), np.nan), counts > 0, counts, errors=errors)


def _propagated(graph: IsingGraph, fields: FloatArray, couplings: FloatArray, how: Solver) -> Marginals:
    found = graph.propagate(fields, couplings, how.tolerance, how.count, how.step or 0.0)
    means, edges, log_z, messages, converged, sweeps = found
    return Marginals(means, edges, log_z, converged, sweeps, messages)


def _looped(graph: IsingGraph, fields: FloatArray, couplings: FloatArray, how: Solver) -> Marginals:
    found = graph.double_loop(fields, couplings, how.tolerance, how.count)
    means, edges, log_z, messages, converged, sweeps = found
    return Marginals(means, edges, log_z, converged, sweeps, messages)


def _repaired(found: Marginals, graph: IsingGraph, fields: FloatArray, couplings: FloatArray, how: Solver) -> Marginals:
    """Replace the rows that did not converge by those of the double loop, which may take its own number of sweeps."""
    rows = ~found.converged
    looped = _looped(graph, fields[rows], couplings[rows], replace(how, inference="double-loop"))
    looped.sweeps[:] += found.sweeps[rows]
    for key in ("means", "edge_means", "log_z", "converged", "sweeps", "messages"):
        getattr(found, key)[rows] = getattr(looped, key)
    return found


@lru_cache(maxsize=64)
def grid_graph(height: int, width: int) -> IsingGraph:
    """Return the graph of a board's points."""
    return IsingGraph(height * width, grid_edges(height, width))


@lru_cache(maxsize=64)
def grid_edges(height: int, width: int) -> npt.NDArray[np.int32]:
    """Return the edges of a board [edges, 2]: to the right row by row, then down."""
    index = np.arange(height * width, dtype=np.int32).reshape(height, width)
    right = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], 1)
    down = np.stack([index[:-1].ravel(), index[1:].ravel()], 1)
    edges: npt.NDArray[np.int32] = np.concatenate([right, down])
    edges.flags.writeable = False
    return edges


def ends(values: npt.NDArray[np.int8]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return the values [n, row, column] at the first and at the second end of every edge, each [n, edges]."""
    count = len(values)
    parts = values[:, :, :-1], values[:, :-1], values[:, :, 1:], values[:, 1:]
    right, down, other_right, other_down = (part.reshape(count, -1) for part in parts)
    return np.concatenate([right, down], 1), np.concatenate([other_right, other_down], 1)


def sum_at_points(first: FloatArray, second: FloatArray, height: int, width: int) -> FloatArray:
    """Sum values of edges over their first and second ends: [n, edges] twice → [n, points]."""
    rows = len(first)
    split = height * (width - 1)
    total = np.zeros((rows, height, width))
    total[:, :, :-1] += first[:, :split].reshape(rows, height, width - 1)
    total[:, :, 1:] += second[:, :split].reshape(rows, height, width - 1)
    total[:, :-1] += first[:, split:].reshape(rows, height - 1, width)
    total[:, 1:] += second[:, split:].reshape(rows, height - 1, width)
    return total.reshape(rows, -1)
