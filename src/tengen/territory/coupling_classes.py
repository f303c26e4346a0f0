"""Potentials of two neighbouring points: 36 configurations, 12 classes, 8 parameters (Sanner et al. §3.1).

An edge joins points of colours (c_i, c_j) and owners (s_i, s_j). Swapping the ends and reversing the colours must not
change its potential, which leaves 12 classes (the paper says 11). A constant for each pair of colours cancels, so 8
numbers can be known: J of the four kinds of `PAIRS`, then h of a stone next to the same colour, next to the opposite
colour and next to an empty point, and h of an empty point next to a stone; fields point to the colour of the stone. A
table ℓ = ln ψ takes the form ℓ = J s_i s_j + h_i s_i + h_j s_j + constant. Start at `CLASSES` and `ising_form`.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from tengen.models.protocol import FloatArray

BLACK, EMPTY, WHITE = 2, 1, 0
"""Colours as indices: a stone of the board (1, 0, −1) plus one."""

SPINS = (1, -1)
"""Owners by index: 0 is Black, 1 is White."""

PAIRS = ((BLACK, BLACK), (BLACK, WHITE), (BLACK, EMPTY), (EMPTY, EMPTY))
"""One pair of colours of every kind: same colour, opposite, stone and empty, both empty."""

CLASS_COUNT = 12

Configuration = tuple[int, int, int, int]


def _images(configuration: Configuration) -> set[Configuration]:
    """Return a configuration with its ends swapped, its colours reversed, both, and itself."""
    ci, cj, si, sj = configuration
    pair = {(ci, cj, si, sj), (cj, ci, sj, si)}
    return pair | {(2 - a, 2 - b, 1 - s, 1 - t) for a, b, s, t in pair}


def _classes() -> npt.NDArray[np.intp]:
    """Number the orbits in the order of PAIRS, then of the owners ++, +−, −+, −−."""
    table = np.full((3, 3, 2, 2), -1, np.intp)
    number = 0
    for (ci, cj), (si, sj) in product(PAIRS, product((0, 1), repeat=2)):
        if table[ci, cj, si, sj] >= 0:
            continue
        for image in _images((ci, cj, si, sj)):
            table[image] = number
        number += 1
    return table


CLASSES = _classes()
"""The class, 0 to 11, of colours and owners [c_i, c_j, s_i, s_j]."""


def ising_form(log_potentials: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return J, h_i and h_j by the colours of the ends, each [3, 3], of the logarithms of 12 potentials."""
    table = log_potentials[CLASSES]
    plus, minus = SPINS
    signs = np.array([[plus, plus], [plus, minus], [minus, plus], [minus, minus]])
    flat = table.reshape(3, 3, 4)
    return (
        flat @ (signs[:, 0] * signs[:, 1]) / 4,
        flat @ signs[:, 0] / 4,
        flat @ signs[:, 1] / 4,
    )


def parameters_of(log_potentials: FloatArray) -> FloatArray:
    """Return the 8 parameters of 12 potentials."""
    coupling, first, second = ising_form(log_potentials)
    couplings = [coupling[pair] for pair in PAIRS]
    fields = [first[pair] for pair in PAIRS[:3]] + [second[PAIRS[2]]]
    return np.array(couplings + fields)


def log_potentials_of(parameters: npt.ArrayLike) -> FloatArray:
    """Return the 12 potentials of 8 parameters, with mean 0 over the four owners of every pair of colours."""
    given = np.asarray(parameters, float)
    found = np.zeros(CLASS_COUNT)
    for kind, pair in enumerate(PAIRS):
        first = given[4 + kind] if kind < 3 else 0.0
        second = (-first if kind == 1 else first) if kind < 2 else given[7] if kind == 2 else 0.0
        for s, t in product((0, 1), repeat=2):
            energy = given[kind] * SPINS[s] * SPINS[t] + first * SPINS[s] + second * SPINS[t]
            found[CLASSES[pair][s, t]] = energy
    return found


def _basis() -> tuple[npt.NDArray[np.intp], FloatArray, FloatArray]:
    """Return the kind of a pair of colours, and the share of each of the four fields in its first and second end."""
    forms = [ising_form(log_potentials_of(row)) for row in np.eye(8)]
    kinds = np.argmax(np.stack([form[0] for form in forms[:4]]), axis=0)
    return kinds, np.stack([form[1] for form in forms[4:]]), np.stack([form[2] for form in forms[4:]])


KINDS, FIRST_FIELDS, SECOND_FIELDS = _basis()
"""By colours: the kind of the pair [3, 3]; the share of each field parameter in h_i and in h_j [4, 3, 3]."""


def boltzmann5(
    chains: float = 2.74, inter_chain: float = 0.521, chain_empty: float = 0.442, empty: float = 0.427, h: float = 0.265
) -> FloatArray:
    """Return the 8 parameters of Stern et al.'s Boltzmann5, by default with their values."""
    return np.array([chains, inter_chain, chain_empty, empty, h, h, h, 0.0])
