"""Detecting territory that is not surrounded yet: such a game cannot be over.

Start at `open_regions`. An empty region that touches only one colour counts for that colour, but it need not be closed:
three stones on an otherwise empty board touch all of it. Three signs show that borders are missing:

1. Only one colour lives, and it covers less than `SPARSE` of the board: too few stones for walls. On a narrow board,
   where two or three stones make a wall by accident, living stones must cover `SPARSE_NARROW`.
2. A region is larger than half of the board: it surrounds its owner's stones, not the other way round.
3. A region has `ROOM` connected points that are `DEEP` or more steps from every living stone of its owner: an invader
   has room to live there.

The bounds were chosen on finished games of all strengths, 7×7 to 19×19. In 5,000 games that were otherwise safe, living
stones covered at least 27 % of the board; 3 of 2,822 games had a region larger than half of the board; none of 1,859
had more than eight points that deep.
"""

from __future__ import annotations

import numpy as np

from tengen.go.counting import Mask, connected, next_to
from tengen.judge.settle import Settlement

SPARSE = 0.25
NARROW = 4
"""A board is narrow if its shorter side is at most this long."""
SPARSE_NARROW = 0.5
DEEP = 5
ROOM = 10

Region = list[tuple[int, int]]


def is_sparse(settled: Settlement) -> bool:
    """Whether too few stones live to form walls."""
    living = settled.living
    share = int(np.count_nonzero(living)) / living.size
    if min(living.shape) <= NARROW:
        return share < SPARSE_NARROW
    return share < SPARSE and not living.min() < 0 < living.max()


def open_regions(settled: Settlement) -> list[tuple[int, Region]]:
    """Return the regions of territory that are not surrounded, each with the colour (1, −1) it counts for."""
    return [(colour, region) for colour in (1, -1) for region in _open_regions(settled, colour)]


def _open_regions(settled: Settlement, colour: int) -> list[Region]:
    mine = settled.territory == colour
    if 2 * int(mine.sum()) > mine.size and 2 * len(largest := max(connected(mine), key=len)) > mine.size:
        return [largest]
    return [region for region in connected(_deep(settled, mine, colour)) if len(region) >= ROOM]


def _deep(settled: Settlement, mine: Mask, colour: int) -> Mask:
    reached = settled.living == colour
    for _ in range(DEEP - 1):
        reached = reached | (next_to(reached) & mine)
    deep: Mask = mine & ~reached
    return deep
