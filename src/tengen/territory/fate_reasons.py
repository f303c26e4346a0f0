"""Reasons of models on the augmented common fate graph: which neighbours push a node, in log-odds.

A push of x in log-odds multiplies the odds of an owner by eˣ, which is what the sentences say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tengen.go.points import Point, point_name
from tengen.models.verdict import Reason
from tengen.views.augmented_graph import RELATIONS, AugmentedGraph, label_words

NOTICED = 0.1
"""Weaker pushes, in log-odds, are not mentioned in reasons."""

PUSHES = 3
"""Number of neighbours named in reasons."""

_JOINED = ("", *(f", joined by a {name}," for name in RELATIONS[1:-1]), ", joined along the edge,")


def edges_of(graph: AugmentedGraph, node: int) -> list[int]:
    """Return the edges of a node."""
    found: list[int] = np.flatnonzero((graph.edges == node).any(1)).tolist()
    return found


def push_reasons(graph: AugmentedGraph, sides: bool, point: Point, own: float, pushes: Iterable[float]) -> list[Reason]:
    """Return what the node of a point says itself, then the strongest neighbours; `pushes` are those of its edges."""
    height, node = len(graph.node_of), int(graph.node_of[point])
    labels = graph.labels(sides).tolist()
    found = []
    for push, edge in zip(pushes, edges_of(graph, node), strict=True):
        other = int(graph.edges[edge].sum()) - node
        found.append((push, other, _JOINED[graph.relations[edge]]))
    strongest = sorted(found, key=lambda each: (-abs(each[0]), each[1]))[:PUSHES]
    reasons = []
    for push, other, joined in [(own, node, ""), *strongest]:
        if abs(push) < NOTICED:
            continue
        what, _, facts = label_words(labels[other]).partition(", ")
        if other == node:
            subject = f"{point_name(*point, height)} is {_one(what)} ({facts}), which"
        else:
            the = what if what.startswith(("Black's", "White's")) else f"The {what}"
            subject = f"{the} at {point_name(*graph.places[other], height)} ({facts}){joined}"
        names = tuple(point_name(*each, height) for each in graph.points(other))
        reasons.append(Reason("node" if other == node else "neighbour", names, f"{subject} {_effect(push)}."))
    return reasons


def _one(what: str) -> str:
    """Return "a black stone", "part of a black chain of 3 stones", "part of Black's region of 2 points"."""
    article = "" if what.startswith(("Black's", "White's")) else "an " if what.startswith("empty") else "a "
    return f"{'part of ' if ' of ' in what else ''}{article}{what}"


def _effect(push: float) -> str:
    odds = f"by {math.exp(abs(push)):.3g}" if abs(push) < math.log(1000) else "more than a thousandfold"
    return f"multiplies {'Black' if push > 0 else 'White'}'s odds {odds}"
