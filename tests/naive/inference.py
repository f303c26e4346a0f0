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
