"""A board without its dead stones: regions and gaps in their borders, rooms of spaces, links by dame.

Start at `Ground`. Points and chains are flat numbers. The *spaces* of a colour are its territory and what lies behind
its open borders; cut at their narrow points they fall into *rooms*, so that a graph of rooms stays small. The three
kinds of link say which chains of a colour dame connect: `kind_links` for false eyes, where both players pass and no
dame is fought over; `wide_links` for seki, where nobody passes between two enemy stones; `sure_links` for protections.
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
"""So many neutral points in one region mean that the game is not finished there."""


@dataclass(frozen=True, eq=False)
class Room:
    """A part of a colour's space; its first point stands for it."""

    points: list[int]
    beside: set[int]
    """The first points of the rooms next to it."""
    chains: set[int]
    """The chains of the colour round it."""

    @property
    def first(self) -> int:
        """The point that stands for it."""
        return self.points[0]


class Ground:
    """A board without its dead stones: regions, who touches them, and what lies behind gaps."""

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
        """Find what the enemy of a colour cannot reach in a region without passing a gap, and these gaps."""
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
        """Whether a way is closed across at a point; at the edge an enemy beside it needs a second stone behind."""
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
        """The spaces of a colour cut at their necks, which are rooms of their own."""
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
        """What a colour surrounds: its territory, and what lies behind open borders."""
        return [*self.regions[colour], *self.parts(self.loose[colour])]

    def _necks(self, points: set[int], colour: int) -> set[int]:
        """The points round which the other points and the stones of the colour are not connected."""
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
        """Draw points of the colours as an array."""
        drawn = np.zeros(len(self.values), np.int8)
        for colour, points in marks:
            drawn[list(points)] = colour
        return read_only(drawn.reshape(self.living.shape))

    def mask(self, points: Iterable[int]) -> Mask:
        """Draw points as an array."""
        return read_only(self.map([(1, points)]) == 1)

    @cached_property
    def dame(self) -> set[int]:
        """The neutral points that both colours can reach."""
        return {point for region in self.neutral for point in region if not self.is_loose(point)}

    def kind_links(self, colour: int) -> Iterator[set[int]]:
        """The chains round a small neutral region or one neutral point; for false eyes the wide links come on top."""
        for region in self.neutral:
            if len(region) < OPEN_REGION:
                yield self.around(region, colour)
            else:
                yield from (self.touching[colour][point] for point in region)

    def wide_links(self, colour: int) -> Iterator[set[int]]:
        """The chains that dame connect if nobody passes between two enemy stones."""
        narrow = {point for point in self.dame if self.is_gap(point, -colour)}
        yield from (self.around(part, colour) for part in self.parts(self.dame - narrow))
        yield from (self.touching[colour][point] for point in narrow)

    def sure_links(self, colour: int) -> Iterator[tuple[int, int]]:
        """The chains that two dame connect, so that the enemy cannot take both."""
        shared = Counter(
            pair
            for region in self.neutral
            for point in region
            for pair in combinations(sorted(self.touching[colour][point]), 2)
        )
        yield from (pair for pair, dame in shared.items() if dame > 1)


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


@lru_cache(maxsize=32)
def _rings(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """The eight points round every point, clockwise from the one above; the number of points where there is none."""
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
