"""Bouzy's influence: the influence of stones spreads by dilation and shrinks by erosion; the rest is territory.

Start at `influence`. Bouzy (2003) took both operations from image processing. GNU Go uses 5 dilations and 21 erosions,
21 = 1 + 5·4, so that a single stone on the board has no territory. Each step changes all points at once; points off
the board are ignored. One call takes a whole stack of boards.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.int32]

STONE = 128
"""The value of a stone; more than four times the erosions, so that stones survive."""


def influence(stones: npt.NDArray[np.int8], *, dilations: int = 5, erosions: int = 21, stone: int = STONE) -> Values:
    """Return the influence on each point of boards [..., row, column], Black's positive."""
    values = stones.astype(np.int32) * stone
    for _ in range(dilations):
        values = dilate(values)
    for _ in range(erosions):
        values = erode(values)
    return values


def dilate(values: Values) -> Values:
    """Add the number of neighbours of one colour to each point that is not of the other and has no such neighbour."""
    black, white = count_neighbours(values > 0), count_neighbours(values < 0)
    gain = np.where((values >= 0) & (white == 0), black, 0)
    return values + gain - np.where((values <= 0) & (black == 0), white, 0)


def erode(values: Values) -> Values:
    """Subtract from each point the number of neighbours that are not of its colour, down to 0."""
    for_black = np.maximum(values - count_neighbours(values <= 0), 0)
    for_white = np.minimum(values + count_neighbours(values >= 0), 0)
    return np.where(values > 0, for_black, np.where(values < 0, for_white, 0))


def count_neighbours(mask: npt.NDArray[np.bool_]) -> Values:
    """Return for each point the number of its neighbours in the mask."""
    counts = np.zeros(mask.shape, np.int32)
    counts[..., 1:, :] += mask[..., :-1, :]
    counts[..., :-1, :] += mask[..., 1:, :]
    counts[..., :, 1:] += mask[..., :, :-1]
    counts[..., :, :-1] += mask[..., :, 1:]
    return counts
