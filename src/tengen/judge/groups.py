"""Groups and the rooms they enclose: false eyes, and the number of eyes of each group.

Start at `Groups`. Its graph connects groups (chains linked by dame) with the adjacent rooms (tengen.judge.ground). A
*weak* point is one that holds groups together: the enemy could cut there. It is a false eye, to be filled, if one of
the parts has no eye without it. If every part has an eye, as in a two-headed dragon, it need not be filled. No point in
a ring of chains is weak. A dead stone on a weak point costs its neighbours too, because it has to be captured first.

A space without its weak points consists of eyes (tengen.judge.eyes). Each weak point next to an eye gives the enemy a
forcing move; at each gap the owner loses the point that closes the border.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import chain

from tengen.judge.eyes import count_eyes, is_large
from tengen.judge.ground import Ground, Room

Graph = dict[int, set[int]]


class Groups:
    """The groups of one colour around its spaces; `group` is the group of each chain (see `joined`)."""

    def __init__(self, ground: Ground, colour: int, rooms: list[Room], group: dict[int, int]) -> None:
        self.ground, self.colour, self.rooms, self.group = ground, colour, rooms, group
        graph: Graph = {~group: set() for group in self.group.values()}
        for room in rooms:
            tied = {~group[chain] for chain in room.chains}
            graph[room.first] = room.beside | tied
            for node in tied:
                graph[node].add(room.first)
        self._cuts, self._parts = cut_points(graph, {room.first for room in rooms if len(room.points) == 1})
        self._filled = {point: self._with_capture(point) for point in self._cuts}

    @cached_property
    def _room(self) -> dict[int, int]:
        return {point: room.first for room in self.rooms for point in room.points}

    @cached_property
    def _eyes(self) -> Counter[int]:
        """The number of eyes of each room without weak points; an eye in several rooms is listed under one of them."""
        weak = set(chain.from_iterable(self._filled.values()))
        eyes: Counter[int] = Counter()
        for eye in self.ground.parts(self._room.keys() - weak):
            eyes[self._room[eye[0]]] += self._count(eye, weak)
        return eyes

    @property
    def weak(self) -> set[int]:
        """The points that hold groups together."""
        return set(self._cuts)

    def false_eyes(self) -> set[int]:
        """The weak points that have to be filled."""
        needed = (point for point, parts in self._cuts.items() if not all(map(self._worth, parts)))
        return {filled for point in needed for filled in self._filled[point]}

    def in_seki(self) -> set[int]:
        """The stones and points of groups with fewer than two eyes."""
        poor = {node for part in self._parts if self._worth(part) < 2 for node in part}
        chains = {chain for chain, group in self.group.items() if ~group in poor}
        stones = (point for point, chain in enumerate(self.ground.chains) if chain in chains)
        return {*stones, *(point for point, room in self._room.items() if room in poor)}

    def _with_capture(self, point: int) -> set[int]:
        """A weak point, with its neighbours if a dead stone stands there: filling them captures it."""
        return {point, *(self._room.keys() & self.ground.near[point] if self.ground.dead[point] else ())}

    def _count(self, eye: list[int], weak: set[int]) -> int:
        near, gaps, dead = self.ground.near, self.ground.gaps[self.colour], self.ground.dead
        ends = weak.intersection(p for point in eye for p in near[point]) if weak else weak
        if len(eye) == 1 and any(dead[point] for point in ends):
            return 0
        closed = [point for point in eye if gaps.isdisjoint(near[point])] if gaps else eye
        stones = [point for point in closed if dead[point]]
        if is_large(len(closed), len(stones)):
            return 2
        width = self.ground.living.shape[1]
        eyes = count_eyes([divmod(p, width) for p in closed], [divmod(p, width) for p in stones], len(ends))
        return eyes if len(closed) == len(eye) else max(eyes, 1)

    def _worth(self, part: Iterable[int]) -> int:
        return sum(map(self._eyes.__getitem__, part))


def joined(chains: set[int], links: Iterable[Iterable[int]]) -> dict[int, int]:
    """Return the group of every chain: the smallest number among the chains linked with it."""
    parents = {chain: chain for chain in chains}

    def root(chain: int) -> int:
        while parents[chain] != chain:
            chain = parents[chain]
        return chain

    for linked in links:
        roots = {root(chain) for chain in linked}
        parents.update(dict.fromkeys(roots, min(roots, default=0)))
    return {chain: root(chain) for chain in chains}


def cut_points(graph: Graph, points: set[int]) -> tuple[dict[int, list[list[int]]], list[list[int]]]:
    """Return the points that hold groups together, each with the parts it separates; and the components of the graph.

    A depth-first search (Hopcroft and Tarjan 1973): a node separates a branch below it that has no edge to a node
    above.
    """
    cuts: dict[int, list[list[int]]] = {}
    found: list[list[int]] = []
    number: dict[int, int] = {}
    for root in [node for node in graph if node < 0]:
        if root not in number:
            order, branches = _walk(graph, root, number)
            found.append(order)
            for point in points.intersection(branches):
                below = {point}.union(*branches[point])
                parts = [*branches[point], [node for node in order if node not in below]]
                apart = [part for part in parts if min(part) < 0]
                if len(apart) > 1:
                    cuts[point] = apart
    return cuts, found


def _walk(graph: Graph, root: int, number: dict[int, int]) -> tuple[list[int], dict[int, list[list[int]]]]:
    """Return the nodes reached from a root in order, and the branches that each node except the root separates."""
    order, low, path = [root], {root: 0}, [(root, iter(graph[root]))]
    branches: dict[int, list[list[int]]] = defaultdict(list)
    number[root] = 0
    while path:
        node, further = path[-1]
        lowest = low[node]
        for near in further:
            if near not in number:
                number[near] = low[near] = len(order)
                order.append(near)
                path.append((near, iter(graph[near])))
                break
            if number[near] < lowest:
                lowest = low[node] = number[near]
        else:
            path.pop()
            above = path[-1][0] if path else root
            if lowest < low[above]:
                low[above] = lowest
            if above != root and lowest >= number[above]:
                branches[above].append(order[number[node] :])
    return order, branches
