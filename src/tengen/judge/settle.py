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
from tengen.judge.eyes import count_eyes
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

    territory, false_eyes = drawn(lambda side: side.territory), drawn(lambda side: side.filled & side.territory)
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
    """The groups of one colour, the spaces they enclose, and what these are worth.

    Groups and the points of spaces are the nodes of a graph: point numbers, and ~chain for the group of a chain.
    """

    def __init__(self, ground: _Ground, colour: int, *, sure: bool = False) -> None:
        self.ground, self.colour = ground, colour
        self.territory = {point for region in ground.regions[colour] for point in region}
        self.space = self.territory | ground.loose[colour]
        self._parents: dict[int, int] = {}
        for chains in self._surely_linked() if sure else self._linked():
            self._join(chains)
        self.graph = self._graph()
        cuts, self.parts = _cut_points(self.graph)
        self.weak = {point: self._with_captures(point) for point in cuts}
        self.eyes = self._eyes()
        self.filled: set[int] = set()
        if -colour in ground.values:
            for point, parts in cuts.items():
                if not all(self._worth(part) for part in parts):
                    self.filled |= self.weak[point]

    def _linked(self) -> Iterator[Iterable[int]]:
        """The chains that dame connect: those round a small region, and those between which a large one is wide."""
        for region in self.ground.neutral:
            if len(region) < OPEN_REGION:
                yield self.ground.around(region, self.colour)
            else:
                narrow = {point for point in region if self.ground.is_gap(point, -self.colour)}
                dame = {point for point in region if not self.ground.is_loose(point)}
                yield from (self.ground.around(part, self.colour) for part in self.ground.parts(dame - narrow))
                yield from (self.ground.around([point], self.colour) for point in dame & narrow)

    def _surely_linked(self) -> Iterator[Iterable[int]]:
        """The chains that two dame connect, so that the enemy cannot take both."""
        shared = Counter(
            pair
            for region in self.ground.neutral
            for point in region
            for pair in combinations(sorted(self.ground.around([point], self.colour)), 2)
        )
        yield from (pair for pair, dame in shared.items() if dame > 1)

    def _graph(self) -> dict[int, list[int]]:
        """The neighbours of every point of a space and of every group."""
        graph: dict[int, list[int]] = {
            ~self._find(self.ground.chains[point]): []
            for point, value in enumerate(self.ground.values)
            if value == self.colour
        }
        for point in self.space:
            groups = {~self._find(chain) for chain in self.ground.around([point], self.colour)}
            graph[point] = [*groups, *(near for near in self.ground.near[point] if near in self.space)]
            for group in groups:
                graph[group].append(point)
        return graph

    def _with_captures(self, point: int) -> set[int]:
        """A point to be filled, with the points next to it if a dead stone stands there: one move more to capture it."""
        if not self.ground.dead[point]:
            return {point}
        return {point, *(near for near in self.ground.near[point] if near in self.space)}

    def _eyes(self) -> dict[int, int]:
        """What is left of the spaces: how many eyes each part is worth, by its first point."""
        weak = set().union(*self.weak.values())
        open_ends = weak | self.ground.gaps[self.colour]
        eyes = {}
        for eye in self.ground.parts(self.space - weak):
            ends = {near for point in eye for near in self.ground.near[point] if near in open_ends}
            eyes[eye[0]] = self._count(eye, len(ends))
        return eyes

    def _count(self, eye: list[int], ends: int) -> int:
        width = self.ground.living.shape[1]
        dead = [divmod(point, width) for point in eye if self.ground.dead[point]]
        return count_eyes((divmod(point, width) for point in eye), dead, ends)

    def _worth(self, part: Iterable[int]) -> int:
        return sum(self.eyes.get(node, 0) for node in part)

    def protections(self) -> set[int]:
        """The points that have to be filled as well if the enemy takes the dame."""
        return (_Side(self.ground, self.colour, sure=True).filled - self.filled) & self.territory

    def in_seki(self) -> set[int]:
        """The stones and the eyes of groups with less than two eyes."""
        if -self.colour not in self.ground.values:
            return set()
        weak = {node for part in self.parts if self._worth(part) < 2 for node in part}
        stones = {
            point
            for point, value in enumerate(self.ground.values)
            if value == self.colour and ~self._find(self.ground.chains[point]) in weak
        }
        return stones | {point for point in self.territory if point in weak}

    def _find(self, chain: int) -> int:
        while chain in self._parents:
            chain = self._parents[chain]
        return chain

    def _join(self, chains: Iterable[int]) -> None:
        roots = sorted({self._find(chain) for chain in chains})
        for root in roots[1:]:
            self._parents[root] = roots[0]


def _cut_points(graph: dict[int, list[int]]) -> tuple[dict[int, list[list[int]]], list[list[int]]]:
    """Find the points without which groups fall apart: the parts that are left then; and the parts of the graph.

    A walk in depth (Hopcroft and Tarjan 1973): a node cuts off a branch below it that no edge leaves upwards past it.
    """
    cuts: dict[int, list[list[int]]] = {}
    found: list[list[int]] = []
    number: dict[int, int] = {}
    for root in graph:
        if root in number or root >= 0:
            continue
        order = [root]
        number[root] = 0
        low, start = {root: 0}, {root: 0}
        branches: dict[int, list[list[int]]] = defaultdict(list)
        path = [(root, iter(graph[root]))]
        while path:
            node, further = path[-1]
            for near in further:
                if near not in number:
                    number[near] = low[near] = start[near] = len(order)
                    order.append(near)
                    path.append((near, iter(graph[near])))
                    break
                low[node] = min(low[node], number[near])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                    if above >= 0 and low[node] >= number[above]:
                        branches[above].append(order[start[node] :])
        for point, parts in branches.items():
            below = {node for part in parts for node in part} | {point}
            parts.append([node for node in order if node not in below])
            apart = [part for part in parts if any(node < 0 for node in part)]
            if len(apart) > 1:
                cuts[point] = apart
        found.append(order)
    return cuts, found


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
