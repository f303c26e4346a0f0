"""Protective moves found by reading: chains that the enemy could capture once all dame are filled.

Start at `read_protections`. For each colour the dame are filled: with its own stones where they connect two of its
chains, with enemy stones elsewhere. Dame next to seki stay empty, because nobody can play them. The ladder reader
(core/include/tengen/tactics.hpp) then finds the chains that are captured if the enemy moves first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.counting import Mask, Owner, around, next_to

SIDES = range(2, 26)
"""The side lengths for which ladders are read."""


def read_protections(stones: Owner, territory: Owner, dame: Mask, seki: Mask) -> Owner:
    """Return where each colour has to move inside its territory to save a chain; `stones` has false eyes filled."""
    found = np.zeros_like(stones)
    if not all(side in SIDES for side in stones.shape) or len({*stones.flat}) < 3:
        return found
    chains, fillable = _core.number_regions(stones) + 1, dame & ~next_to(seki)
    read: dict[bytes, npt.NDArray[np.int32]] = {}  # without dame both colours read the same board
    for colour in (1, -1):
        filled = _filled(stones, np.where(stones == colour, chains, 0), fillable, colour)
        if (key := filled.tobytes()) not in read:
            read[key] = _saving_moves(filled)
        moves = read[key][(filled == colour) & ~seki & (read[key] >= 0)]
        found.flat[moves[territory.flat[moves] == colour]] = colour
    return found


def _filled(stones: Owner, chains: npt.NDArray[np.int32], dame: Mask, colour: int) -> Owner:
    """Fill dame: a colour takes those that connect its chains, the enemy takes the others next to them."""
    near = np.sort(around(chains, 0)[:, dame], axis=0)
    connects = ((near[1:] != near[:-1]) & (near[:-1] != 0)).any(axis=0)
    filled = stones.copy()
    filled[dame] = np.where(connects, colour, np.where(near[-1] > 0, -colour, 0))
    return filled


def _saving_moves(stones: Owner) -> npt.NDArray[np.int32]:
    """Return for each stone the move that saves its chain if the enemy can capture it, otherwise −1."""
    position = _core.Position(stones.shape[1], stones.shape[0])
    if position.set_up(stones, _core.BLACK) >= 0:
        return np.full(stones.shape, -1, np.int32)
    attack, _, _, escape = _core.ladders(position)
    return np.where(attack == _core.Fate.captured, escape, np.int32(-1))
