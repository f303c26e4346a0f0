"""Settling a finished board: the status of every point, given the dead stones.

Start at `settle`. The dead stones are removed and the board is read in five steps:

1. **Territory and dame.** An empty region belongs to the colour whose stones border it; other regions are neutral.
2. **Unsealed borders.** The enemy may reach some points of a neutral region only through a gap: a point between two
   stones of one colour, or between a stone and the edge. The points behind it would be territory if the gap were
   closed; as it stands nobody owns them. The rest of the region is dame (tengen.judge.ground).
3. **False eyes.** Chains around the same small dame region count as connected, because the players left that dame for
   last. If a single point of territory connects such a group to the others and the group has no eye, the point must be
   filled once all dame are. It is not counted (tengen.judge.groups).
4. **Seki.** Groups connected by territory or wide dame live in seki if they have fewer than two eyes together
   (tengen.judge.eyes). If the rules tax seki, their eyes and the dead stones in them do not count. Points behind an
   open border are an eye here, without the point where the owner has to close it.
5. **Protections.** Additional false eyes if only chains that share two dame count as connected: when the enemy takes a
   dame, the owner has to answer there. Also points that save a chain from capture inside its territory
   (tengen.judge.protect). Both are counted, because both players passed.

All steps work on flat lists of points. `Settlement` holds arrays [row, column]: 1 Black, −1 White, 0 nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from tengen.go.arrays import read_only
from tengen.go.counting import Mask, Owner
from tengen.judge.ground import OPEN_REGION, Ground, Room
from tengen.judge.groups import Groups, joined
from tengen.judge.protect import read_protections


@dataclass(frozen=True, eq=False)
class Settlement:
    """The status of every point of a finished board."""

    living: Owner
    territory: Owner
    """The empty points that one colour surrounds, including false eyes and eyes in seki."""
    dame: Mask
    """Neutral points that both colours can reach."""
    false_eyes: Owner
    """Points of the territory that their owner has to fill to connect."""
    seki: Owner
    """Stones of groups in seki, and their eyes."""
    unsealed: Owner
    """Gaps in a border, by the colour of the border."""
    loose: Owner
    """Points behind an open border."""
    protections: Owner
    """Points of the territory that their owner has to fill once the dame are filled, to connect or to save a chain."""
    open: Mask
    """The neutral regions with OPEN_REGION points or more."""


def settle(stones: npt.ArrayLike, dead: npt.ArrayLike) -> Settlement:
    """Settle a board, given its stones [row, column] (1, −1, 0) and a mask of the dead ones."""
    gone = np.asarray(dead, bool)
    ground = Ground(np.where(gone, 0, stones).astype(np.int8), gone)
    territory = ground.map((colour, chain.from_iterable(ground.regions[colour])) for colour in (1, -1))
    dame = ground.mask(ground.dame)
    false_eyes, linked, seki = _read_groups(ground)
    stones_then = np.where(false_eyes != 0, false_eyes, ground.living).astype(np.int8)
    cut = np.where(false_eyes != 0, 0, read_protections(stones_then, territory, dame, seki != 0))
    return Settlement(
        living=read_only(ground.living),
        territory=territory,
        dame=dame,
        false_eyes=false_eyes,
        seki=seki,
        unsealed=ground.map(ground.gaps.items()),
        loose=ground.map(ground.loose.items()),
        protections=read_only(np.where(linked != 0, linked, cut).astype(np.int8)),
        open=ground.mask(point for region in ground.neutral if len(region) >= OPEN_REGION for point in region),
    )


def _read_groups(ground: Ground) -> tuple[Owner, Owner, Owner]:
    """Return false eyes, additional ones if the enemy takes the dame, and seki; all empty if only one colour lives."""
    colours = [1, -1] if all(ground.chains_of.values()) else []
    rooms = {colour: ground.rooms(colour) for colour in colours}
    closed = {c: [room for room in rooms[c] if room.first not in ground.loose[c]] for c in colours}
    wide = {colour: list(ground.wide_links(colour)) for colour in colours}
    known: dict[tuple[int, ...], Groups] = {}  # different links often join the same chains

    def groups(colour: int, rooms: list[Room], links: Iterable[Iterable[int]]) -> Groups:
        group = joined(ground.chains_of[colour], links)
        key = (colour, len(rooms), *group.values())
        if key not in known:
            known[key] = Groups(ground, colour, rooms, group)
        return known[key]

    def filled(links: Callable[[int], Iterable[Iterable[int]]]) -> Owner:
        return ground.map((c, groups(c, closed[c], links(c)).false_eyes()) for c in colours)

    def in_seki(colour: int) -> set[int]:
        return groups(colour, rooms[colour], wide[colour]).in_seki() - ground.loose[colour]

    false_eyes = filled(lambda colour: chain(ground.kind_links(colour), wide[colour]))
    further = np.where(false_eyes != 0, 0, filled(ground.sure_links)).astype(np.int8)
    return false_eyes, further, ground.map((colour, in_seki(colour)) for colour in colours)
