"""Pairwise fields with full tables: a log potential for every state of a node and of an edge (Low §2.3).

p(x) ∝ exp(Σ_i ψ_i(x_i) + Σ_ij φ_ij(x_i, x_j)) with x = 1 for Black and 0 for White. With s = 2x − 1 = ±1, a table of an
edge is the sum of a constant, a field on each end and a coupling, so `ising_form` turns tables into the models of
ising.py without loss; the constants go into ln Z. `Tables` hold the potentials, and as well their probabilities and
gradients, which have the same shape. Start at `log_likelihood`.

The gradient by the logarithm of a potential is the target less the probability, for every entry. Low prints (P + 1) / ψ
for the observed entry, where the derivative of ln Z lost its sign, and leaves out the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.models.protocol import FloatArray
from tengen.territory.ising import Marginals, Solver, infer

SIGNS = np.array([-1.0, 1.0])
PRODUCTS = np.outer(SIGNS, SIGNS)


@dataclass(frozen=True, eq=False)
class Tables:
    """A number for every state of every node and edge, one row per model."""

    nodes: FloatArray
    """By the owner of a node [rows, nodes, 2]: White, Black."""
    edges: FloatArray
    """By the owners of the first and the second end of an edge [rows, edges, 2, 2]."""


@dataclass(frozen=True, eq=False)
class IsingForm:
    """The same models as fields and couplings."""

    fields: FloatArray
    """[rows, nodes]."""
    couplings: FloatArray
    """[rows, edges]."""
    constants: FloatArray
    """[rows], to be added to ln Z."""


@dataclass(frozen=True, eq=False)
class TableMarginals:
    """Results of inference."""

    probabilities: Tables
    log_z: FloatArray
    """ln Z of the tables, constants included [rows]."""
    marginals: Marginals
    """The same as means, with sweeps and convergence; its ln Z lacks the constants."""


def ising_form(ends: npt.NDArray[np.int32], potentials: Tables) -> IsingForm:
    """Return the fields, couplings and constants of log potentials; `ends` are the nodes of each edge [edges, 2]."""
    fields: FloatArray = (potentials.nodes[..., 1] - potentials.nodes[..., 0]) / 2
    tables = potentials.edges
    # Bracketed so that reversed colours give exactly opposite fields.
    alike, unlike = tables[..., 1, 1] - tables[..., 0, 0], tables[..., 1, 0] - tables[..., 0, 1]
    np.add.at(fields.T, ends[:, 0], (alike + unlike).T / 4)
    np.add.at(fields.T, ends[:, 1], (alike - unlike).T / 4)
    couplings = ((tables[..., 1, 1] + tables[..., 0, 0]) - (tables[..., 1, 0] + tables[..., 0, 1])) / 4
    constants = potentials.nodes.sum((1, 2)) / 2 + tables.sum((1, 2, 3)) / 4
    return IsingForm(fields, couplings, constants)


def probabilities(ends: npt.NDArray[np.int32], means: FloatArray, edge_means: FloatArray) -> Tables:
    """Return the probabilities of states from `E[s_i]` [rows, nodes] and `E[s_i s_j]` [rows, edges]."""
    first, second = (means[:, end, None] * SIGNS for end in ends.T)
    pairs = (1 + first[..., None] + second[..., None, :] + edge_means[..., None, None] * PRODUCTS) / 4
    return Tables((1 + means[..., None] * SIGNS) / 2, np.clip(pairs, 0, 1))


def target_tables(ends: npt.NDArray[np.int32], black: FloatArray) -> Tables:
    """Return targets from the probabilities of Black [rows, nodes], 0 and 1 if observed; ends are independent."""
    nodes = np.stack([1 - black, black], -1)
    first, second = (nodes[:, end] for end in ends.T)
    return Tables(nodes, first[..., None] * second[..., None, :])


def infer_tables(
    graph: IsingGraph, ends: npt.NDArray[np.int32], potentials: Tables, settings: Solver | None = None
) -> TableMarginals:
    """Return the marginals of log potentials on a graph with the edges `ends`."""
    form = ising_form(ends, potentials)
    found = infer(graph, form.fields, form.couplings, settings)
    return TableMarginals(probabilities(ends, found.means, found.edge_means), found.log_z + form.constants, found)


def log_likelihood(
    graph: IsingGraph,
    ends: npt.NDArray[np.int32],
    potentials: Tables,
    black: FloatArray,
    settings: Solver | None = None,
) -> tuple[FloatArray, Tables]:
    """Return the expected log-likelihood of owners [rows], and its gradient by every entry of the potentials.

    `black` are the probabilities of Black [rows, nodes]: 0 or 1 for observed owners, between them for soft targets.
    """
    found, targets = infer_tables(graph, ends, potentials, settings), target_tables(ends, black)
    energies = (targets.nodes * potentials.nodes).sum((1, 2)) + (targets.edges * potentials.edges).sum((1, 2, 3))
    slopes = Tables(targets.nodes - found.probabilities.nodes, targets.edges - found.probabilities.edges)
    return energies - found.log_z, slopes
