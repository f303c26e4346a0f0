"""Groups and the spaces they enclose: which points of a space are false eyes, how many eyes a group has.

Start at `Groups`. Its graph has the points of the spaces as nodes, and the groups, chains linked by dame: a point is tied
to the points and the groups next to it. A point without which groups fall apart is *weak*: the enemy could cut there. It is a
false eye, to be filled, if one of the parts has no eye of its own then; between two parts with an eye each it stays, as in
a dragon with two heads, and no point of a ring of chains is weak. A dead stone on a weak point costs one move more.

What is left of a space without its weak points are eyes (tengen.judge.eyes). At each weak point or gap the enemy has
a forcing move.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from tengen.judge.eyes import count_eyes
from tengen.judge.ground import Ground

Graph = dict[int, list[int]]


class Groups:
    """The groups of one colour round a set of points, under links between its chains."""

    def __init__(self, ground: Ground, colour: int, space: set[int], links: Iterable[Iterable[int]]) -> None:
        self.ground, self.colour, self.space = ground, colour, space
        self._parents: dict[int, int] = {}
        for chains in links:
            self._join(chains)
        graph = self._graph()
        self._cuts, self._parts = cut_points(graph)
        self._weak = {point: self._with_capture(point) for point in self._cuts}
        self._eyes = self._count_eyes()

    def false_eyes(self) -> set[int]:
        """The weak points that have to be filled."""
        needed = (point for point, parts in self._cuts.items() if not all(map(self._worth, parts)))
        return {filled for point in needed for filled in self._weak[point]}

    def in_seki(self) -> set[int]:
        """The stones and the points of groups with less than two eyes."""
        poor = {node for part in self._parts if self._worth(part) < 2 for node in part}
        stones = (point for point, value in enumerate(self.ground.values) if value == self.colour)
        return {point for point in stones if self._group(point) in poor} | (self.space & poor)

    def _graph(self) -> Graph:
        """The neighbours of every point, and of every group: a number below zero."""
        graph: Graph = {self._group(p): [] for p, value in enumerate(self.ground.values) if value == self.colour}
        for point in self.space:
            near = self.ground.near[point]
            groups = {self._group(p) for p in near if self.ground.values[p] == self.colour}
            graph[point] = [*groups, *(p for p in near if p in self.space)]
            for group in groups:
                graph[group].append(point)
        return graph

    def _with_capture(self, point: int) -> set[int]:
        """A weak point; if a dead stone stands there, with the points next to it, where it is captured."""
        near = self.space.intersection(self.ground.near[point]) if self.ground.dead[point] else ()
        return {point, *near}

    def _count_eyes(self) -> dict[int, int]:
        """What is left of the spaces without weak points: how many eyes, under the first point of each."""
        weak = set(chain.from_iterable(self._weak.values()))
        return {eye[0]: self._count(eye, weak) for eye in self.ground.parts(self.space - weak)}

    def _count(self, eye: list[int], weak: set[int]) -> int:
        near, gaps = self.ground.near, self.ground.gaps[self.colour]
        ends = weak.intersection(p for point in eye for p in near[point])
        if len(eye) == 1 and any(self.ground.dead[point] for point in ends):
            return 0
        closed = [point for point in eye if gaps.isdisjoint(near[point])]
        width = self.ground.living.shape[1]
        dead = [divmod(point, width) for point in closed if self.ground.dead[point]]
        eyes = count_eyes([divmod(point, width) for point in closed], dead, len(ends))
        return eyes if len(closed) == len(eye) else max(eyes, 1)

    def _worth(self, part: Iterable[int]) -> int:
        return sum(self._eyes.get(node, 0) for node in part)

    def _group(self, point: int) -> int:
        """The group of the stone at a point."""
        return ~self._find(self.ground.chains[point])

    def _find(self, chain: int) -> int:
        while chain in self._parents:
            chain = self._parents[chain]
        return chain

    def _join(self, chains: Iterable[int]) -> None:
        roots = sorted({self._find(chain) for chain in chains})
        for root in roots[1:]:
            self._parents[root] = roots[0]


def cut_points(graph: dict[int, list[int]]) -> tuple[dict[int, list[list[int]]], list[list[int]]]:
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
