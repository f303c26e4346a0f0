"""Binary pairwise models by going through every state: the slow, obvious twin of the inference kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Enumerated:
    """Everything there is to know of a small model."""

    means: np.ndarray
    edge_means: np.ndarray
    log_z: float
    best: np.ndarray
    best_energy: float


def enumerate_states(nodes, edges, fields, couplings):
    """Sum over all 2^nodes states."""
    edges = np.asarray(edges, int).reshape(-1, 2)
    bits = np.arange(2**nodes)[:, None] >> np.arange(nodes) & 1
    states = 1.0 - 2.0 * bits
    pairs = states[:, edges[:, 0]] * states[:, edges[:, 1]]
    energies = states @ np.asarray(fields, float) + pairs @ np.asarray(couplings, float)
    top = energies.max()
    weights = np.exp(energies - top)
    total = weights.sum()
    best = int(energies.argmax())
    return Enumerated(
        weights @ states / total, weights @ pairs / total, float(top + np.log(total)), states[best], float(top)
    )


def log_partition_by_rows(fields, couplings, size):
    """Return ln Z of a square grid by a transfer matrix, point by point, on logarithms of 2^size frontier states."""
    across = couplings[: size * (size - 1)].reshape(size, size - 1)
    down = couplings[size * (size - 1) :].reshape(size - 1, size)
    spins = np.array([1.0, -1.0])
    frontier = np.zeros((2,) * size)  # one axis a column
    for row in range(size):
        for column in range(size):
            pull = (np.outer(spins, spins) * down[row - 1, column] if row else np.full((2, 2), -np.log(2))) + (
                fields[row * size + column] * spins
            )
            old = np.moveaxis(frontier, column, 0)
            new = [np.logaddexp(old[0] + pull[0, k], old[1] + pull[1, k]) for k in (0, 1)]
            frontier = np.moveaxis(np.stack(new), 0, column)
            if column:
                shape = [2 if axis in (column - 1, column) else 1 for axis in range(size)]
                frontier = frontier + (np.outer(spins, spins) * across[row, column - 1]).reshape(shape)
    top = frontier.max()
    return float(top + np.log(np.exp(frontier - top).sum()))


@dataclass(frozen=True)
class EnumeratedTables:
    """Everything there is to know of a small model with full tables."""

    nodes: np.ndarray
    edges: np.ndarray
    log_z: float


def enumerate_tables(ends, nodes, edges):
    """Sum over all states of log potentials [nodes, 2] and [edges, 2, 2]; state 1 is Black."""
    weights, node_sums, edge_sums = [], np.zeros_like(nodes), np.zeros_like(edges)
    for state in np.ndindex((2,) * len(nodes)):
        energy = sum(nodes[i, x] for i, x in enumerate(state))
        energy += sum(edges[e, state[i], state[j]] for e, (i, j) in enumerate(ends))
        weights.append(np.exp(energy))
        for i, x in enumerate(state):
            node_sums[i, x] += weights[-1]
        for e, (i, j) in enumerate(ends):
            edge_sums[e, state[i], state[j]] += weights[-1]
    total = sum(weights)
    return EnumeratedTables(node_sums / total, edge_sums / total, float(np.log(total)))
