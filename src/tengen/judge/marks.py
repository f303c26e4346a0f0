"""Seki by the user's marks.

A chain marked as seki takes the territory next to it into the seki, because only the surroundings of stones that are
not in seki count; a chain marked alive takes both out of a seki that was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from tengen.go.arrays import read_only
from tengen.go.counting import Mask, connected, next_to
from tengen.judge.chains import Chains
from tengen.judge.settle import Settlement

Mark: TypeAlias = Literal["alive", "dead", "seki"]
"""The fate of a chain as a user gives it."""


def with_marks(settled: Settlement, chains: Chains, marks: Mapping[int, Mark]) -> Settlement:
    """Return a settlement in which chains, given by number, are in seki or not as they are marked."""
    seki = settled.seki.copy()
    for mark, owner in (("alive", np.zeros_like(seki)), ("seki", settled.living + settled.territory)):
        marked = chains.stones(np.array([marks.get(number) == mark for number in range(len(chains))], bool))
        if marked.any():
            area = marked | _territory_next_to(marked, settled)
            seki[area] = owner[area]
    return replace(settled, seki=read_only(seki))


def _territory_next_to(stones: Mask, settled: Settlement) -> Mask:
    near, found = next_to(stones), np.zeros_like(stones)
    for colour in (1, -1):
        for region in connected(settled.territory == colour):
            points = tuple(zip(*region, strict=True))
            found[points] = near[points].any()
    return found
