"""A slow, obvious twin of stone graphs, decision trees and their growth."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice

from .board import NaiveBoard, Point
from .playout import MASK, NaiveRandom, scatter

OWN, OPPONENT, SIDE = range(3)
LEAF, NEW, DISTANCE, SIZE, LIBERTIES = range(5)
TOP, LEFT, RIGHT, BOTTOM = range(4)
MOST, WAYS = 100, 64

Query = tuple[int, int, int, int, int]  # kind, x, y, equal, value


@dataclass(frozen=True)
class NaiveNode:
    status: int
    points: frozenset[Point] = frozenset()
    side: int = -1
    size: int = 0
    liberties: int = 0


class NaiveGraph:
    """Node 0 is the move, then stones or chains by their first points, then the sides."""

    def __init__(self, board: NaiveBoard, move: Point, mover: int, chains: bool = False) -> None:
        self.width, self.height = board.width, board.height
        self.nodes = [NaiveNode(-1, frozenset([move]))]
        for points in sorted(board.chains() if chains else ({stone} for stone in board.stones), key=min):
            chain = board.chain(min(points))
            pairs = sum(n not in board.stones for stone in chain for n in board.neighbours(stone))
            liberties = 1 if len(board.liberties(min(points))) == 1 else pairs
            status = OWN if board.stones[min(points)] == mover else OPPONENT
            self.nodes.append(NaiveNode(status, frozenset(points), -1, min(len(chain), MOST), min(liberties, MOST)))
        self.nodes += [NaiveNode(SIDE, side=side) for side in range(4)]

    def distance(self, a: int, b: int) -> int:
        one, other = self.nodes[a], self.nodes[b]
        if one.side >= 0 and other.side >= 0:
            opposite = {one.side, other.side}
            return self.height if opposite == {TOP, BOTTOM} else self.width if opposite == {LEFT, RIGHT} else 0
        if one.side >= 0:
            return self.distance(b, a)
        if other.side >= 0:
            return min(self.line(other.side, point) for point in one.points)
        return min(abs(r - s) + abs(c - d) for r, c in one.points for s, d in other.points)

    def line(self, side: int, point: Point) -> int:
        row, column = point
        return {TOP: row, LEFT: column, RIGHT: self.width - 1 - column, BOTTOM: self.height - 1 - row}[side]

    def undiscovered(self, statuses: int, found: list[int]) -> list[int]:
        return [n for n, node in enumerate(self.nodes) if n and n not in found and statuses >> node.status & 1]

    def nearest(self, statuses: int, limit: int, found: list[int]) -> list[int]:
        """The next node, or several that the conditions of Appendix A cannot tell apart."""
        nodes = [n for n in self.undiscovered(statuses, found) if self.distance(0, n) <= limit]
        conditions = [lambda n: self.distance(0, n), lambda n: self.nodes[n].status]
        conditions += [lambda n, known=known: self.distance(known, n) for known in reversed(found[1:])]
        conditions += [lambda n: -self.nodes[n].size, lambda n: -self.nodes[n].liberties]
        for condition in conditions:
            nodes = [n for n in nodes if condition(n) == min(map(condition, nodes))]
        return nodes

    def quantity(self, query: Query, found: list[int]) -> int:
        kind, x, y, _, _ = query
        if kind == NEW:
            return min((self.distance(0, n) for n in self.undiscovered(x, found)), default=MOST)
        if kind == DISTANCE:
            return self.distance(found[x], found[y])
        node = self.nodes[found[x]]
        return node.size if kind == SIZE else node.liberties


@dataclass
class NaiveTree:
    """A query with its children, or a leaf with what growth has counted there."""

    query: Query = (LEAF, 0, 0, 0, 0)
    children: list[NaiveTree] = field(default_factory=list)
    path: tuple[int, ...] = ()
    found: int = 0
    descents: int = 0
    seen: dict[Query, Counter[tuple[int, bool]]] = field(default_factory=dict)

    def leaves(self) -> list[NaiveTree]:
        return [leaf for child in self.children for leaf in child.leaves()] or [self]

    def preorder(self) -> list[Query]:
        return [self.query, *(query for child in self.children for query in child.preorder())]

    def split(self, query: Query) -> None:
        self.query, self.seen = query, {}
        count = outcomes(query)
        self.children = [
            NaiveTree(path=(*self.path, i), found=self.found + (query[0] == NEW and i < count - 1))
            for i in range(count)
        ]


def outcomes(query: Query) -> int:
    kind, x, *_ = query
    return 0 if kind == LEAF else x.bit_count() + 1 if kind == NEW else 2


def read_trees(queries: list[Query]) -> list[NaiveTree]:
    """The trees of an array in pre-order, by recursion."""
    rest = iter(queries)

    def read(tree: NaiveTree, query: Query) -> NaiveTree:
        if outcomes(query):
            tree.split(query)
            for child in tree.children:
                read(child, next(rest))
        return tree

    return [read(NaiveTree(), query) for query in rest]


def ways(tree: NaiveTree, graph: NaiveGraph, found: list[int]) -> Iterator[tuple[NaiveTree, list[int]]]:
    """Every leaf that is reached, with the nodes discovered on the way."""
    kind, x, _, equal, value = tree.query
    if kind == LEAF:
        yield tree, found
    elif kind == NEW:
        nodes = graph.nearest(x, value, found)
        statuses = [status for status in range(3) if x >> status & 1]
        if not nodes:
            yield from ways(tree.children[-1], graph, found)
        for node in nodes:
            yield from ways(tree.children[statuses.index(graph.nodes[node].status)], graph, [*found, node])
    else:
        quantity = graph.quantity(tree.query, found)
        yes = quantity == value if equal else quantity < value
        yield from ways(tree.children[0 if yes else 1], graph, found)


def descend(tree: NaiveTree, graph: NaiveGraph) -> list[tuple[NaiveTree, list[int]]]:
    return list(islice(ways(tree, graph, [0]), WAYS))


def leftmost(tree: NaiveTree, graph: NaiveGraph) -> tuple[NaiveTree, list[int]]:
    return min(descend(tree, graph), key=lambda way: way[0].path)


def candidates(found: int, max_found: int) -> list[Query]:
    new = [(NEW, statuses, 0, 0, 0) for statuses in range(1, 8)] if found < max_found else []
    pairs = sorted(combinations(range(found + 1), 2), key=lambda pair: pair[::-1])
    distances = [(DISTANCE, x, y, 0, 0) for x, y in pairs]
    return new + distances + [(kind, x, 0, 0, 0) for kind in (SIZE, LIBERTIES) for x in range(1, found + 1)]


@dataclass
class NaiveGrowth:
    """One growing tree."""

    number: int = 0
    chains: bool = False
    gain: bool = False
    split_after: int = 1000
    test_every: int = 10
    threshold: float = 0.4
    sample: float = 0.1
    max_leaves: int = 2**24
    max_depth: int = 40
    max_found: int = 12
    seed: int = 0
    tree: NaiveTree = field(default_factory=NaiveTree)
    positions: int = 0

    def learn(self, board: NaiveBoard, mover: int, move: Point | None) -> None:
        draw = NaiveRandom((scatter(self.seed) + self.number) & MASK, self.positions)
        self.positions += 1
        if draw.number() / 2**64 >= self.sample:
            return
        for point in sorted(board.legal(mover)):
            if len(self.tree.leaves()) < self.max_leaves:
                self.see(NaiveGraph(board, point, mover, self.chains), point == move)

    def see(self, graph: NaiveGraph, played: bool) -> None:
        leaf, found = leftmost(self.tree, graph)
        if len(leaf.path) >= self.max_depth:
            return
        leaf.descents += 1
        for query in candidates(leaf.found, self.max_found):
            leaf.seen.setdefault(query, Counter())[graph.quantity(query, found), played] += 1
        if leaf.descents >= self.split_after and (leaf.descents - self.split_after) % self.test_every == 0:
            self.test(leaf)

    def test(self, leaf: NaiveTree) -> None:
        best, most = None, 0.0
        for query, seen in leaf.seen.items():
            for option, quality in (gains if self.gain else evenness)(query, seen):
                if quality >= self.threshold and quality > most:
                    best, most = option, quality
        if best is not None:
            leaf.split(best)


def evenness(query: Query, seen: Counter[tuple[int, bool]]) -> Iterator[tuple[Query, float]]:
    """The splits at the median with 1 − 2|0.5 − s|, s being the share of the last outcome."""
    values = sorted(value for (value, _), count in seen.items() for _ in range(count))
    median = statistics.median(values)
    for m in (math.floor(median), math.ceil(median)):
        for option, holds in options(query, m):
            last = sum(not holds(value) for value in values)
            yield option, 2 * min(last, len(values) - last) / len(values)


def gains(query: Query, seen: Counter[tuple[int, bool]]) -> Iterator[tuple[Query, float]]:
    """Every split with the log-likelihood it gains."""
    moves = seen.items()
    for v in sorted({value for value, _ in seen if value < MOST}):
        for option, holds in options(query, v + 1)[:1] + options(query, v)[1:]:
            yes, no = Counter(), Counter()
            for (value, played), count in moves:
                (yes if holds(value) else no)[played] += count
            yield option, surprise(yes + no) - (surprise(yes) + surprise(no))


def options(query: Query, m: int) -> list:
    """The query with "less than m" and, unless it discovers a node, with "equal to m"."""
    kind, x, y, _, _ = query
    if kind == NEW:
        return [((kind, x, y, 0, m - 1), lambda value: value < m)]
    return [((kind, x, y, 0, m), lambda value: value < m), ((kind, x, y, 1, m), lambda value: value == m)]


def surprise(counts: Counter[bool]) -> float:
    part = lambda n: n * math.log(n) if n else 0.0  # noqa: E731
    return part(counts.total()) - part(counts[True]) - part(counts[False])
