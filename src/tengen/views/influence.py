"""Bouzy's influence: the influence of stones spreads by dilation and shrinks by erosion; the rest is territory.

Start at `influence`. Bouzy (2003) took both operations from image processing. GNU Go uses 5 dilations and 21 erosions,
21 = 1 + 5·4, so that a single stone on the board has no territory. Each step changes all points at once; points off
the board are ignored. A dilation adds the number of neighbours of one colour to each point that is not of the other and
has no such neighbour; an erosion subtracts from each point the number of neighbours that are not of its colour, down to
0. One call takes a whole stack of boards.
"""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from tengen import _core

STONE = 128
"""The value of a stone; more than four times the erosions, so that stones survive."""


def influence(
    stones: npt.NDArray[np.int8], *, dilations: int = 5, erosions: int = 21, stone: int = STONE
) -> npt.NDArray[np.int32]:
    """Return the influence on each point of boards [..., row, column], Black's positive."""
    boards = stones.reshape(prod(stones.shape[:-2]), *stones.shape[-2:])
    return _core.influence(boards, stone, dilations, erosions).reshape(stones.shape)
