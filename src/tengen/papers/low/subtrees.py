"""Subtrees of the augmented common fate graph as features of a chain (Low §7), and paths, as Graepel et al. have them.

Start at `paths` and `subtrees`. Both start at the chain, see colours relative to it and go at most three edges deep;
each feature is one number. The farther from the chain, the less of a node is seen, so that features occur often enough
to be learned:

    distance 0    size to 5, liberties to 6, eyes to 2
    distance 1    colour or side of influence, size to 3, liberties to 4
    distance 2    colour or side, liberties to 2
    distance 3    colour or side

A path visits no node twice. Subtrees are the paths, every pair of branches from the root with one and with one or two
edges, and the whole neighbourhood to one, two and three edges, in which more than two equal branches count as two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

import numpy as np

from tengen.views.augmented_graph import AugmentedGraph

DEPTH = 3
_MASK = 2**63 - 1
_CHAINS, _REGIONS = np.array([0, 0, 1]), np.array([4, 2, 3])
"""Own and enemy chains, neutral points, own and enemy influence as numbers; −1 is the last index."""

Features = Callable[["Neighbourhood"], set[int]]


class Neighbourhood:
    """The graph seen from one chain; the neighbours of all nodes are given, so that several chains share them."""

    def __init__(self, graph: AugmentedGraph, root: int, around: list[list[tuple[int, int]]] | None = None) -> None:
        self.root = root
        self.around = neighbours(graph) if around is None else around
        """The relation and number of the neighbours of each node."""
        colour = int(graph.types[root])
        kinds = np.where(graph.types, _CHAINS[graph.types * colour], _REGIONS[graph.sides * colour])
        sizes, liberties = graph.sizes, graph.liberties
        near = (np.minimum(sizes, 5) * 7 + np.minimum(liberties, 6)) * 3 + np.minimum(graph.eyes, 2)
        next_ = (kinds * 4 + np.minimum(sizes, 3)) * 5 + np.minimum(liberties, 4)
        self.seen = [each.tolist() for each in (near, next_, kinds * 3 + np.minimum(liberties, 2), kinds)]
        """What is seen of each node at each distance from the root."""


def neighbours(graph: AugmentedGraph) -> list[list[tuple[int, int]]]:
    """Return the relation and number of the neighbours of each node."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(len(graph.types))]
    for (first, second), relation in zip(graph.edges.tolist(), graph.relations.tolist(), strict=True):
        found[first].append((relation, second))
        found[second].append((relation, first))
    return found


def paths(view: Neighbourhood) -> set[int]:
    """Return the paths from the root, of no edge to three."""
    start = _joined(0, [view.seen[0][view.root]])
    return {start, *(path for path, _ in _walks(view, start, DEPTH))}


def subtrees(view: Neighbourhood) -> set[int]:
    """Return the subtrees at the root."""
    start = _joined(0, [view.seen[0][view.root]])
    branches = list(_walks(view, start, 2))
    stems = [(path, nodes[0]) for path, nodes in branches if len(nodes) == 1]
    pairs = {_joined(1, sorted((stem, path))) for stem, node in stems for path, nodes in branches if nodes[0] != node}
    whole = {_joined(1 + depth, [_whole(view, view.root, -1, 0, depth)]) for depth in range(1, DEPTH + 1)}
    return paths(view) | pairs | whole


def _walks(view: Neighbourhood, start: int, edges: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield paths of one edge or more, each with its nodes after the root."""
    ends: list[tuple[int, tuple[int, ...]]] = [(start, ())]
    for distance in range(1, edges + 1):
        longer = []
        for path, nodes in ends:
            for relation, node in view.around[nodes[-1] if nodes else view.root]:
                if node != view.root and node not in nodes:
                    longer.append((_joined(path, [relation, view.seen[distance][node]]), (*nodes, node)))
        yield from longer
        ends = longer


def _whole(view: Neighbourhood, node: int, parent: int, distance: int, depth: int) -> int:
    """Return the tree of all ways from a node that do not turn back, down to a distance from the root."""
    seen: int = view.seen[distance][node]
    if distance == depth:
        return seen
    below = sorted(
        _joined(relation, [_whole(view, other, node, distance + 1, depth)])
        for relation, other in view.around[node]
        if other != parent
    )
    few = [branch for _, same in groupby(below) for branch in list(same)[:2]]
    return _joined(seen, few)


def _joined(number: int, more: Iterable[int]) -> int:
    """Return one number for a sequence: the steps of a linear congruence, with the high bits mixed into the low."""
    for each in more:
        number = (number * 6364136223846793005 + each + 1442695040888963407) & _MASK
        number ^= number >> 29
    return number
