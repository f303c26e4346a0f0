"""The input of the small network: facts about every point, and a few numbers about the game, from the mover's side.

Start at `inputs_of`. The facts are bits (core/include/tengen/point_facts.hpp); bit i of a point is plane i.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.positions import Positions

PLANES: tuple[str, ...] = tuple(fact.name for fact in _core.PointFact)
"""The names of the planes, in order."""
NUMBERS = ("points", "territory", "passed")
"""Points that the mover has besides the area (komi, and with territory counting prisoners less stones), whether
territory is counted rather than area, and whether the last move was a pass."""

Facts = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float32]


def inputs_of(positions: Positions) -> tuple[Facts, Floats]:
    """Return the facts [n, row, column] and numbers [n, NUMBERS] of positions whose players to move are known."""
    here = positions
    facts = _core.point_facts(here.stones, here.to_play, here.ko, here.last_moves, here.passes)
    territory = np.array([rules.scoring == "TERRITORY" for rules in here.rules], bool)
    prisoners = here.captures[:, 0] - here.captures[:, 1] - here.stones.sum((1, 2))
    points = np.where(territory, prisoners, 0) - here.komi - here.bonus
    numbers = np.stack([here.to_play * points, territory, here.passes > 0], 1)
    return facts, numbers.astype(np.float32)


def planes_of(facts: Facts) -> Floats:
    """Return the planes [n, plane, row, column]."""
    bits = np.arange(len(PLANES), dtype=np.uint32)[:, None, None]
    return (facts[:, None] >> bits & 1).astype(np.float32)
