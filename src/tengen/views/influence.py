"""Bouzy's influence: stones radiate, then the edges of what they radiated wear off, and what is left is territory.

Start at `influence`. Bouzy (2003) took dilation and erosion from image processing; GNU Go uses 5 dilations and 21
erosions, 21 = 1 + 5·4, so that a stone alone on a board keeps no territory. All points change at once in each step,
and points off the board do not exist. One call serves a whole stack of boards.
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
    """A point that no enemy influence touches gains one for each neighbour of its own colour; empty points take any."""
    black, white = count_neighbours(values > 0), count_neighbours(values < 0)
    gain = np.where((values >= 0) & (white == 0), black, 0)
    return values + gain - np.where((values <= 0) & (black == 0), white, 0)


def erode(values: Values) -> Values:
    """A point loses one for each neighbour that is not of its colour, and stops at nothing."""
    for_black = np.maximum(values - count_neighbours(values <= 0), 0)
    for_white = np.minimum(values + count_neighbours(values >= 0), 0)
    return np.where(values > 0, for_black, np.where(values < 0, for_white, 0))


def count_neighbours(mask: npt.NDArray[np.bool_]) -> Values:
    """Return for each point how many of its neighbours on the board are in the mask."""
    counts = np.zeros(mask.shape, np.int32)
    counts[..., 1:, :] += mask[..., :-1, :]
    counts[..., :-1, :] += mask[..., 1:, :]
    counts[..., :, 1:] += mask[..., :, :-1]
    counts[..., :, :-1] += mask[..., :, 1:]
    return counts
