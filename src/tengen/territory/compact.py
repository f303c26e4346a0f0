"""Small tables of patterns: the most informative classes, in seven bytes each.

Start at `telling`. The information of a class is the log-likelihood lost by dropping it: the divergence of its share
from its parent's, times its number of occurrences. The most informative classes are kept with their parents, so that
every class has its parent in the table. Packed keys are the upper halves of keys (in a table of 300,000, one unknown
key in 14,000 is mistaken for a known one), values count 127ths, counts have a logarithmic scale with steps of 8 %.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.models.protocol import FloatArray
from tengen.territory.counts import PatternCounts

KEY_BITS = 32
VALUE_STEPS = 127
COUNT_STEPS = 12
"""Steps of the count for every factor e."""
_LEAST = 1e-4
"""Shares are clipped to this distance from 0 and 1 when classes are compared."""

PACKED = {"keys_": np.uint32, "values_": np.int8, "black_": np.uint8, "white_": np.uint8}
"""The arrays of a packed table."""


def telling(counts: PatternCounts, values: FloatArray, most: int) -> npt.NDArray[np.intp]:
    """Return the rows of the most informative classes, at most `most`, with all parents and no packed key twice."""
    worth = _worth(counts, values)
    for rows in reversed(counts.levels()[1:]):
        np.maximum.at(worth, counts.parent[rows], worth[rows])
    order = np.lexsort((counts.keys, -worth))
    above = order[: min(most, len(order))]
    if most < len(order):
        above = above[worth[above] > worth[order[most]]]
    rows = np.sort(above)
    return _distinct(counts, rows)


def _worth(counts: PatternCounts, values: FloatArray) -> FloatArray:
    """Return the gain in log-likelihood of each class's events over using its parent's share."""
    parent = np.where(counts.parent >= 0, counts.relation * values[counts.parent], 0.0)
    p, q = (np.clip((1 + share) / 2, _LEAST, 1 - _LEAST) for share in (values, parent))
    gain: FloatArray = (counts.black + counts.white) * (p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))
    return gain


def _distinct(counts: PatternCounts, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Keep only the most frequent of classes with equal packed keys."""
    halves = pack_keys(counts.keys[rows])
    order = np.lexsort((-(counts.black + counts.white)[rows], halves))
    first = np.ones(len(rows), bool)
    first[1:] = halves[order][1:] != halves[order][:-1]
    return np.sort(rows[order[first]])


def pack_keys(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Return the upper halves of keys."""
    return (keys >> np.uint64(64 - KEY_BITS)).astype(np.uint32)


def unpack_keys(halves: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """Return keys whose lower halves are 0."""
    return halves.astype(np.uint64) << np.uint64(64 - KEY_BITS)


def pack_values(values: FloatArray) -> npt.NDArray[np.int8]:
    """Return ownership in 127ths."""
    return np.rint(values * VALUE_STEPS).astype(np.int8)


def unpack_values(packed: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Return ownership from 127ths."""
    return np.maximum(packed / VALUE_STEPS, -1).astype(np.float32)


def pack_counts(counts: FloatArray) -> npt.NDArray[np.uint8]:
    """Return counts on a logarithmic scale."""
    packed: npt.NDArray[np.uint8] = np.minimum(np.rint(COUNT_STEPS * np.log1p(counts)), 255).astype(np.uint8)
    return packed


def unpack_counts(packed: Any) -> FloatArray:
    """Return counts from their scale."""
    return np.asarray(np.expm1(np.asarray(packed, float) / COUNT_STEPS))
