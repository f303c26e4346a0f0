"""Binary pairwise models on a board: the grid of points as a graph, and `infer` for all inference methods.

p(s) ∝ exp(Σ J_ij s_i s_j + Σ h_i s_i) with s_i = ±1, Black positive. Points are numbered row by row; edges are those to
the right, row by row, then those down. Start at `infer`; the kernels in core/ take any sparse graph, so that models on
chains and regions use the same ones through `IsingGraph`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.errors import ModelError
from tengen.models import convergence
from tengen.models.protocol import FloatArray
from tengen.numbers import checked_number

Inference: TypeAlias = Literal["bp", "gibbs", "sw", "exact"]
"""Loopy belief propagation, Gibbs sampling, Swendsen–Wang clusters, or exact elimination."""

INFERENCES: tuple[str, ...] = get_args(Inference)
BURN_IN = {"gibbs": 200, "sw": 50}
SWEEPS = {"bp": 200, "gibbs": 2000, "sw": 500, "exact": 1}


@dataclass(frozen=True)
class Marginals:
    """Results of inference, one row per model."""

    means: FloatArray
    """E[s_i] of every node."""
    edge_means: FloatArray
    """E[s_i s_j] of every edge."""
    log_z: FloatArray
    """ln Z: exact, Bethe's for propagation, NaN for samplers."""
    converged: npt.NDArray[np.bool_]
    """Whether propagation converged; True for all other methods."""
    messages: FloatArray | None = None
    """Cavity fields of propagation: along edge e at 2e, in the other direction at 2e + 1."""
    errors: FloatArray | None = None
    """Standard errors of sampled means."""


@dataclass(frozen=True)
class Solver:
    """How inference is done."""

    inference: Inference = "bp"
    sweeps: int | None = None
    """None is the default: 200 for propagation, 2,000 for Gibbs, 500 for Swendsen–Wang."""
    tolerance: float = 1e-6
    seed: int = 0

    def __post_init__(self) -> None:
        if self.inference not in INFERENCES:
            raise ModelError(f"inference is one of {', '.join(INFERENCES)}, not {self.inference!r}")
        checked_number(self.tolerance, "tolerance", error=ModelError)
        if (self.sweeps is not None and self.sweeps < 1) or not self.tolerance > 0 or self.seed < 0:
            raise ModelError("inference needs at least one sweep, a positive tolerance and a seed that is not negative")

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
    if how.inference == "bp":
        means, edges, log_z, messages, converged, sweeps = graph.propagate(fields, couplings, how.tolerance, how.count)
        if not converged.all():
            convergence.report(f"loopy propagation did not converge in {how.count} sweeps")
        return Marginals(means, edges, log_z, converged, messages)
    rest = np.ones(len(fields), np.bool_)
    if how.inference == "exact":
        return Marginals(*graph.eliminate(fields, couplings), rest)
    sampler = graph.gibbs if how.inference == "gibbs" else graph.swendsen_wang
    means, errors, edges = sampler(fields, couplings, BURN_IN[how.inference], how.count, how.seed)
    return Marginals(means, edges, np.full(len(fields), np.nan), rest, errors=errors)


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
