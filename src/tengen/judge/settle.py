"""Settling a finished board: given which stones are dead, what every point is.

Start at `settle`. The dead stones are taken off and the board is read in five steps, each a map of the result:

1. **Territory and dame.** An empty region that touches one colour only is that colour's; the others are neutral.
2. **Unsealed borders.** A neutral region may hold points that the enemy reaches only through a gap, a point between
   two stones of one colour or between a stone and the edge. What lies behind would be territory if the gap were closed;
   as it stands nobody owns it. The rest of the region is dame.
3. **False eyes.** When all dame are filled, a group with a single liberty left, inside its own territory, has to
   connect there: the point becomes a stone and is not counted. This is repeated until no group has a single liberty. A
   cycle of chains round two eyes survives it, because each of its chains keeps two liberties. Chains round the same
   small dame region count as connected, because the players left that dame for last. If a dead stone stands on the
   point, it has to be captured first, which costs its liberties as well.
4. **Seki.** What is left of the territory are eyes. Chains round the same eye or dame are one group, and a group with
   less than two eyes (see tengen.judge.eyes) lives in seki: if the rules tax seki, its eyes and the dead stones in them
   do not count.
5. **Protections.** The points that step 3 finds in addition if only chains that share two dame are connected: when the
   enemy takes a dame, their owner has to answer there. And those that save a chain from being captured inside its
   territory (see tengen.judge.protect). They are counted, because both players passed.

Everything works on flat lists of points. `Settlement` holds arrays [row, column]: 1 Black, −1 White, 0 nobody.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.arrays import read_only
from tengen.judge.ground import OPEN_REGION, Ground
from tengen.judge.groups import Groups
from tengen.judge.protect import read_protections

Owner = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

OPEN_REGION = 6
"""So many neutral points in one region mean that the game is not finished there."""


@dataclass(frozen=True, eq=False)
class Settlement:
    """What every point of a finished board is."""

    living: Owner
    """The stones that stay."""
    territory: Owner
    """The empty points that one colour surrounds, false eyes and eyes in seki among them."""
    dame: Mask
    """Neutral points that both colours can reach."""
    false_eyes: Owner
    """Points of the territory that their owner has to fill to connect."""
    seki: Owner
    """Stones of groups in seki, and their eyes."""
    unsealed: Owner
    """Points at which a border is open: whose."""
    loose: Owner
    """Points behind an open border."""
    protections: Owner
    """Points of the territory that their owner has to fill in the end, to connect or to save a chain."""
    open: Mask
    """The neutral regions of OPEN_REGION points or more."""


def settle(stones: npt.ArrayLike, dead: npt.ArrayLike) -> Settlement:
    """Settle a board: stones [row, column] (1, −1, 0), and where the dead ones stand."""
    gone = np.asarray(dead, bool)
    ground = Ground(np.where(gone, 0, stones).astype(np.int8), gone)

    def drawn(points: Callable[[int], Iterable[int]]) -> Owner:
        return ground.map((colour, points(colour)) for colour in (1, -1))

    rooms = {colour: ground.rooms(colour) for colour in (1, -1)}
    closed = {c: [room for room in rooms[c] if room[0] not in ground.loose[c]] for c in (1, -1)}

    def filled(links: Callable[[int], Iterable[Iterable[int]]]) -> Owner:
        return drawn(lambda colour: Groups(ground, colour, closed[colour], links(colour)).false_eyes())

    def in_seki(colour: int) -> set[int]:
        return Groups(ground, colour, rooms[colour], ground.wide_links(colour)).in_seki() - ground.loose[colour]

    territory = drawn(lambda colour: chain.from_iterable(ground.regions[colour]))
    contested = all(ground.chains_of.values())
    seki = drawn(in_seki) if contested else np.zeros_like(territory)
    false_eyes = filled(ground.kind_links) if contested else np.zeros_like(territory)
    linked = np.where(false_eyes, 0, filled(ground.sure_links)) if contested else false_eyes
    dame = ground.mask(point for region in ground.neutral for point in region if not ground.is_loose(point))
    stones_then = np.where(false_eyes != 0, false_eyes, ground.living).astype(np.int8)
    cut = np.where(false_eyes != 0, 0, read_protections(stones_then, territory, dame, seki != 0))
    return Settlement(
        living=read_only(ground.living),
        territory=territory,
        dame=dame,
        false_eyes=false_eyes,
        seki=seki,
        unsealed=drawn(ground.gaps.__getitem__),
        loose=drawn(ground.loose.__getitem__),
        protections=read_only(np.where(linked != 0, linked, cut).astype(np.int8)),
        open=ground.mask(point for region in ground.neutral if len(region) >= OPEN_REGION for point in region),
    )
