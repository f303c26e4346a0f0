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
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.arrays import read_only
from tengen.judge.eyes import makes_two_eyes
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
    ground = _Ground(np.where(gone, 0, stones).astype(np.int8), gone)
    sides = [_Side(ground, colour) for colour in (1, -1)]

    def drawn(points: Callable[[_Side], Iterable[int]]) -> Owner:
        return ground.map((side.colour, points(side)) for side in sides)

    territory, false_eyes = drawn(lambda side: side.territory), drawn(lambda side: side.filled)
    linked, seki = drawn(_Side.protections), drawn(_Side.in_seki)
    dame = ground.mask(point for region in ground.neutral for point in region if not ground.is_loose(point))
    stones_then = np.where(false_eyes != 0, false_eyes, ground.living).astype(np.int8)
    cut = np.where(false_eyes != 0, 0, read_protections(stones_then, territory, dame, seki != 0))
    return Settlement(
        living=read_only(ground.living),
        territory=territory,
        dame=dame,
        false_eyes=false_eyes,
        seki=seki,
        unsealed=drawn(lambda side: ground.gaps[side.colour]),
        loose=drawn(lambda side: ground.loose[side.colour]),
        protections=read_only(np.where(linked != 0, linked, cut).astype(np.int8)),
        open=ground.mask(point for region in ground.neutral if len(region) >= OPEN_REGION for point in region),
    )


class _Ground:
    """A board without its dead stones: regions, who touches them, and what lies behind gaps."""

    def __init__(self, living: Owner, dead: Mask) -> None:
        self.living = living
        self.values: list[int] = living.ravel().tolist()
        self.dead: list[bool] = dead.ravel().tolist()
        self.near = _neighbours(*living.shape)
        self.chains: list[int] = _core.number_regions(living).ravel().tolist()
        regions = defaultdict(list)
        for point, value in enumerate(self.values):
            if not value:
                regions[self.chains[point]].append(point)
        owned = [(region, self._owner(region)) for region in regions.values()]
        self.regions = {colour: [region for region, owner in owned if owner == colour] for colour in (1, -1)}
        self.neutral = [region for region, owner in owned if not owner]
        self.gaps: dict[int, set[int]] = {1: set(), -1: set()}
        self.loose: dict[int, set[int]] = {1: set(), -1: set()}
        for region in self.neutral:
            for colour in (1, -1):
                self._find_gaps(region, colour)

    def _owner(self, region: list[int]) -> int:
        """The only colour round a region, 0 if there are two or none."""
        colours = {self.values[near] for point in region for near in self.near[point]} - {0}
        return colours.pop() if len(colours) == 1 else 0

    def _find_gaps(self, region: list[int], colour: int) -> None:
        """Find what the enemy of a colour cannot reach in a region without passing a gap, and these gaps."""
        reached = [point for point in region if any(self.values[near] == -colour for near in self.near[point])]
        if not reached or len(reached) == len(region):
            return
        seen, gaps = set(reached), set()
        for point in reached:
            if self._is_gap(point, colour):
                gaps.add(point)
                continue
            further = [near for near in self.near[point] if not self.values[near] and near not in seen]
            seen.update(further)
            reached += further
        loose = set(region) - seen
        self.loose[colour] |= loose
        self.gaps[colour] |= {point for point in gaps if not loose.isdisjoint(self.near[point])}

    def _is_gap(self, point: int, colour: int) -> bool:
        """Whether a point lies between two stones of a colour, or between one and the edge."""
        height, width = self.living.shape
        row, column = divmod(point, width)
        for before, after, first, last in (
            (point - width, point + width, row == 0, row == height - 1),
            (point - 1, point + 1, column == 0, column == width - 1),
        ):
            sides = [first or self.values[before] == colour, last or self.values[after] == colour]
            if all(sides) and not (first and last):
                return True
        return False

    def is_loose(self, point: int) -> bool:
        """Whether a neutral point lies behind an open border."""
        return point in self.loose[1] or point in self.loose[-1]

    def around(self, points: Iterable[int], colour: int) -> set[int]:
        """Return the chains of a colour next to points."""
        return {self.chains[near] for point in points for near in self.near[point] if self.values[near] == colour}

    def map(self, marks: Iterable[tuple[int, Iterable[int]]]) -> Owner:
        """Draw points of the colours as an array."""
        drawn = np.zeros(len(self.values), np.int8)
        for colour, points in marks:
            drawn[list(points)] = colour
        return read_only(drawn.reshape(self.living.shape))

    def mask(self, points: Iterable[int]) -> Mask:
        """Draw points as an array."""
        return read_only(self.map([(1, points)]) == 1)


class _Side:
    """The chains of one colour with their liberties in their own territory, joined where they connect."""

    def __init__(self, ground: _Ground, colour: int, *, sure: bool = False) -> None:
        self.ground, self.colour = ground, colour
        self.territory = {point for region in ground.regions[colour] for point in region}
        self.filled: set[int] = set()
        self._parents: dict[int, int] = {}
        self._liberties: dict[int, set[int]] = {}
        for point, value in enumerate(ground.values):
            if value == colour:
                chain = ground.chains[point]
                own = self._liberties.setdefault(chain, set())
                own.update(near for near in ground.near[point] if near in self.territory)
        for chains in self._surely_linked() if sure else self._linked():
            self._join(chains)
        while self._has_enemies() and (
            single := {point for liberties in self._groups().values() if len(liberties) == 1 for point in liberties}
        ):
            for point in single:
                self._fill(point)

    def _has_enemies(self) -> bool:
        return -self.colour in self.ground.values

    def _linked(self) -> Iterator[Iterable[int]]:
        """The chains that dame connect: those round a small region, and those round one point of a large one."""
        for region in self.ground.neutral:
            if len(region) < OPEN_REGION:
                yield self.ground.around(region, self.colour)
            else:
                yield from (self.ground.around([point], self.colour) for point in region)

    def _touching(self) -> Iterator[Iterable[int]]:
        """The chains that one dame connects."""
        return (self.ground.around([point], self.colour) for region in self.ground.neutral for point in region)

    def _surely_linked(self) -> Iterator[Iterable[int]]:
        """The chains that two dame connect, so that the enemy cannot take both."""
        shared = Counter(
            pair
            for region in self.ground.neutral
            for point in region
            for pair in combinations(sorted(self.ground.around([point], self.colour)), 2)
        )
        yield from (pair for pair, dame in shared.items() if dame > 1)

    def _fill(self, point: int) -> None:
        """Connect at a point: the stones there, dead ones before, and whatever had to be filled to capture these."""
        for stone in self._with_captures(point):
            self.filled.add(stone)
            self._liberties[~stone] = {near for near in self.ground.near[stone] if near in self.territory}
            self._join_filled(stone)

    def _join_filled(self, stone: int) -> None:
        """Join a stone put down later, a chain with a number below zero, with what it connects."""
        self._join({~stone} | self._chains_round([stone]))

    def _with_captures(self, point: int) -> set[int]:
        if not self.ground.dead[point]:
            return {point}
        chain = [point]
        for stone in chain:
            chain += [
                p for p in self.ground.near[stone] if self.ground.dead[p] and p in self.territory and p not in chain
            ]
        return {p for stone in chain for p in (stone, *self.ground.near[stone]) if p in self.territory}

    def protections(self) -> set[int]:
        """The points that have to be filled as well if the enemy takes the dame."""
        return _Side(self.ground, self.colour, sure=True).filled - self.filled

    def in_seki(self) -> set[int]:
        """The stones and the eyes of groups with less than two eyes."""
        if not self._has_enemies():
            return set()
        self._parents.clear()
        for chains in self._touching():
            self._join(chains)
        for stone in self.filled:
            self._join_filled(stone)
        eyes = self._eyes()
        for eye in eyes:
            self._join(self._chains_round(eye))
        worth: Counter[int] = Counter()
        spaces: dict[int, list[int]] = {}
        for eye in eyes:
            group = self._find(next(iter(self._chains_round(eye))))
            worth[group] += 1
            spaces[group] = eye
        weak = {self._find(chain) for chain in self._liberties} - {
            group for group, eye in spaces.items() if worth[group] > 1 or self._is_large(eye)
        }
        stones = {
            point
            for point, value in enumerate(self.ground.values)
            if value == self.colour and self._find(self.ground.chains[point]) in weak
        }
        eyes_left = {
            point for group, eye in spaces.items() if group in weak for point in eye if point in self.territory
        }
        return stones | eyes_left | {point for point in self.filled if self._find(~point) in weak}

    def _eyes(self) -> list[list[int]]:
        """The parts of the territory that stay empty, and what lies behind open borders."""
        left = (self.territory | self.ground.loose[self.colour]) - self.filled
        found = []
        while left:
            eye = [left.pop()]
            for point in eye:
                further = [near for near in self.ground.near[point] if near in left]
                left.difference_update(further)
                eye += further
            if self._chains_round(eye):
                found.append(eye)
        return found

    def _chains_round(self, eye: list[int]) -> set[int]:
        placed = {~near for point in eye for near in self.ground.near[point] if near in self.filled}
        return self.ground.around(eye, self.colour) | placed

    def _is_large(self, eye: list[int]) -> bool:
        width = self.ground.living.shape[1]
        return makes_two_eyes((divmod(p, width) for p in eye), (divmod(p, width) for p in eye if self.ground.dead[p]))

    def _groups(self) -> dict[int, set[int]]:
        """The liberties of every group in its own territory."""
        groups: dict[int, set[int]] = defaultdict(set)
        for chain, liberties in self._liberties.items():
            groups[self._find(chain)] |= liberties
        return {group: liberties - self.filled for group, liberties in groups.items()}

    def _find(self, chain: int) -> int:
        while chain in self._parents:
            chain = self._parents[chain]
        return chain

    def _join(self, chains: Iterable[int]) -> None:
        roots = sorted({self._find(chain) for chain in chains})
        for root in roots[1:]:
            self._parents[root] = roots[0]


@lru_cache(maxsize=32)
def _neighbours(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """The neighbours of every point."""
    return tuple(
        tuple(
            near
            for near, inside in (
                (point - width, point >= width),
                (point - 1, point % width > 0),
                (point + 1, point % width < width - 1),
                (point + width, point < (height - 1) * width),
            )
            if inside
        )
        for point in range(height * width)
    )
