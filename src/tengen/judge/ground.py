"""A board without its dead stones: regions, gaps in their borders, rooms, and links between chains through dame.

Start at `Ground`. Points and chains are flat indices. The *spaces* of a colour are its territory and the points behind
its open borders. They are cut into *rooms* at their narrow points, which keeps the graph of rooms small. Three methods
return the chains that dame connect: `kind_links` for false eyes, assuming that nobody fights over dame; `wide_links`
for seki, where a point between two enemy stones does not connect; `sure_links` for protections.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from tengen import _core
from tengen.go.arrays import read_only
from tengen.go.counting import Mask, Owner

OPEN_REGION = 6
"""A neutral region with this many points or more is unfinished."""


@dataclass(frozen=True, eq=False)
class Room:
    """A part of a colour's space, identified by its first point."""

    points: list[int]
    beside: set[int]
    """The first points of adjacent rooms."""
    chains: set[int]
    """The adjacent chains of the colour."""

    @property
    def first(self) -> int:
        """The point that identifies the room."""
        return self.points[0]


class Ground:
    """A board without its dead stones: regions, the chains next to them, and the points behind gaps."""

    def __init__(self, living: Owner, dead: Mask) -> None:
        self.living = living
        self.values: list[int] = living.ravel().tolist()
        self.dead: list[bool] = dead.ravel().tolist()
        self.near, self.rings = _neighbours(*living.shape), _rings(*living.shape)
        self.chains: list[int] = _core.number_regions(living).ravel().tolist()
        self.chains_of: dict[int, set[int]] = {1: set(), -1: set()}
        self.touching: dict[int, dict[int, set[int]]] = {1: defaultdict(set), -1: defaultdict(set)}
        regions, colours = defaultdict(list), defaultdict(set)
        for point, (value, chain) in enumerate(zip(self.values, self.chains, strict=True)):
            if value:
                self.chains_of[value].add(chain)
                continue
            regions[chain].append(point)
            for near in self.near[point]:
                if colour := self.values[near]:
                    self.touching[colour][point].add(self.chains[near])
                    colours[chain].add(colour)
        owned = [(region, sum(colours[number])) for number, region in regions.items()]  # two colours cancel out
        self.regions = {colour: [region for region, owner in owned if owner == colour] for colour in (1, -1)}
        self.neutral = [region for region, owner in owned if not owner]
        self.gaps: dict[int, set[int]] = {1: set(), -1: set()}
        self.loose: dict[int, set[int]] = {1: set(), -1: set()}
        for region in self.neutral:
            for colour in (1, -1):
                self._find_gaps(region, colour)

    def _find_gaps(self, region: list[int], colour: int) -> None:
        """Find the points of a region that the enemy of a colour reaches only through gaps, and these gaps."""
        reached = [point for point in region if any(self.values[near] == -colour for near in self.near[point])]
        if not reached or len(reached) == len(region):
            return
        seen, gaps = set(reached), set()
        for point in reached:
            if self.is_gap(point, colour):
                gaps.add(point)
                continue
            further = [near for near in self.near[point] if not self.values[near] and near not in seen]
            seen.update(further)
            reached += further
        loose = set(region) - seen
        self.loose[colour] |= loose
        self.gaps[colour] |= {point for point in gaps if not loose.isdisjoint(self.near[point])}

    def is_gap(self, point: int, colour: int) -> bool:
        """Whether a point lies between two stones of a colour, or between one and the edge."""
        height, width = self.living.shape
        row, column = divmod(point, width)
        return not self.dead[point] and (
            self._is_narrow(point, width, 1, (row == 0, row == height - 1), colour)
            or self._is_narrow(point, 1, width, (column == 0, column == width - 1), colour)
        )

    def _is_narrow(self, point: int, across: int, along: int, edges: tuple[bool, bool], colour: int) -> bool:
        """Whether walls on both sides narrow a point; on the edge, an enemy stone beside it needs a wall behind it."""
        if all(edges):
            return False
        if not any(edges):
            return self.values[point - across] == self.values[point + across] == colour
        wall = point + across if edges[0] else point - across
        return self.values[wall] == colour and all(
            self.values[near] != -colour or self.values[wall + point - near] == colour
            for near in self.near[point]
            if near in (point - along, point + along) and point + point - near in self.near[point]
        )

    def is_loose(self, point: int) -> bool:
        """Whether a neutral point lies behind an open border."""
        return point in self.loose[1] or point in self.loose[-1]

    def around(self, points: Iterable[int], colour: int) -> set[int]:
        """Return the chains of a colour next to points."""
        touching = self.touching[colour]
        return set().union(*(touching[point] for point in points if point in touching))

    def parts(self, points: set[int]) -> Iterator[list[int]]:
        """The connected parts of a set of points."""
        left = set(points)
        while left:
            part = [left.pop()]
            for point in part:
                further = [near for near in self.near[point] if near in left]
                left.difference_update(further)
                part += further
            yield part

    def rooms(self, colour: int) -> list[Room]:
        """The rooms of a colour: its spaces cut at their necks. Each neck is a room as well."""
        points = {point for space in self.spaces(colour) for point in space}
        necks = self._necks(points, colour)
        parts = [[neck] for neck in necks] + list(self.parts(points - necks))
        first = {point: part[0] for part in parts for point in part}
        found = []
        for part in parts:
            beside = {first[near] for point in part for near in self.near[point] if near in first} - {part[0]}
            found.append(Room(part, beside, self.around(part, colour)))
        return found

    def spaces(self, colour: int) -> list[list[int]]:
        """The regions a colour surrounds: its territory and the points behind its open borders."""
        return [*self.regions[colour], *self.parts(self.loose[colour])]

    def _necks(self, points: set[int], colour: int) -> set[int]:
        """The points whose eight neighbours in the space or of the colour are not connected around them."""
        free = [value == colour for value in self.values] + [False]
        for point in points:
            free[point] = True
        found = set()
        for point in points:
            up, up_right, right, down_right, down, down_left, left, up_left = [free[p] for p in self.rings[point]]
            ties = (up and up_right and right) + (right and down_right and down)
            ties += (down and down_left and left) + (left and up_left and up)
            if up + right + down + left - ties > 1:
                found.add(point)
        return found

    def map(self, marks: Iterable[tuple[int, Iterable[int]]]) -> Owner:
        """Return an array [row, column] with the given points set to their colour."""
        drawn = np.zeros(len(self.values), np.int8)
        for colour, points in marks:
            drawn[list(points)] = colour
        return read_only(drawn.reshape(self.living.shape))

    def mask(self, points: Iterable[int]) -> Mask:
        """Return a mask [row, column] of points."""
        return read_only(self.map([(1, points)]) == 1)

    @cached_property
    def dame(self) -> set[int]:
        """The neutral points that both colours can reach."""
        return {point for region in self.neutral for point in region if not self.is_loose(point)}

    def kind_links(self, colour: int) -> Iterator[set[int]]:
        """The chains around each small neutral region, and around each point of a large one."""
        for region in self.neutral:
            if len(region) < OPEN_REGION:
                yield self.around(region, colour)
            else:
                yield from (self.touching[colour][point] for point in region)

    def wide_links(self, colour: int) -> Iterator[set[int]]:
        """The chains around dame, where a point between two enemy stones connects only its own neighbours."""
        narrow = {point for point in self.dame if self.is_gap(point, -colour)}
        yield from (self.around(part, colour) for part in self.parts(self.dame - narrow))
        yield from (self.touching[colour][point] for point in narrow)

    def sure_links(self, colour: int) -> Iterator[tuple[int, int]]:
        """The pairs of chains that share two dame: the enemy can take only one of them."""
        shared = Counter(
            pair
            for region in self.neutral
            for point in region
            for pair in combinations(sorted(self.touching[colour][point]), 2)
        )
        yield from (pair for pair, dame in shared.items() if dame > 1)


@lru_cache(maxsize=32)
def _neighbours(height: int, width: int) -> tuple[tuple[int, ...], ...]:
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


@lru_cache(maxsize=32)
def _rings(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """The eight points around every point, clockwise from the one above; off the board height * width."""
    steps = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
    return tuple(
        tuple(
            (row + down) * width + column + right
            if 0 <= row + down < height and 0 <= column + right < width
            else height * width
            for down, right in steps
        )
        for row in range(height)
        for column in range(width)
    )
