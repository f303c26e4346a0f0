"""Reasons of models on the augmented common fate graph: which neighbours push a node, in log-odds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tengen.go.points import Point, point_name
from tengen.models.verdict import Reason
from tengen.views.augmented_graph import RELATIONS, AugmentedGraph, label_words

NOTICED = 0.05
"""Weaker pushes, in log-odds, are not mentioned in reasons."""

PUSHES = 3
"""Number of neighbours named in reasons."""

_JOINED = ("", *(f"joined by a {name}" for name in RELATIONS[1:-1]), "joined along the edge")


def edges_of(graph: AugmentedGraph, node: int) -> list[int]:
    """Return the edges of a node."""
    found: list[int] = np.flatnonzero((graph.edges == node).any(1)).tolist()
    return found


def push_reasons(graph: AugmentedGraph, sides: bool, point: Point, own: float, pushes: Iterable[float]) -> list[Reason]:
    """Return what the node of a point pushes itself, then the strongest neighbours; `pushes` are those of its edges."""
    height, node = len(graph.node_of), int(graph.node_of[point])
    name, labels = point_name(*point, height), graph.labels(sides).tolist()
    found = []
    for push, edge in zip(pushes, edges_of(graph, node), strict=True):
        other = int(graph.edges[edge].sum()) - node
        found.append((push, other, _JOINED[graph.relations[edge]]))
    strongest = sorted(found, key=lambda each: (-abs(each[0]), each[1]))[:PUSHES]
    reasons = []
    for push, other, joined in [(own, node, ""), *strongest]:
        if abs(push) < NOTICED:
            continue
        place = point_name(*graph.places[other], height)
        names = tuple(point_name(*each, height) for each in graph.points(other))
        words = label_words(labels[other]) + (f", {joined}" if joined else "")
        who = f"The node of {name}" if other == node else f"The neighbour at {place}"
        towards = f"towards {'Black' if push > 0 else 'White'} by {abs(push):.2f} in log-odds"
        kind = "node" if other == node else "neighbour"
        reasons.append(Reason(kind, names, f"{who} ({words}) pushes {name} {towards}."))
    return reasons
