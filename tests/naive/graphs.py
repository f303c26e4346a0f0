"""Graphs of a board by flood fill and dictionaries: the slow, obvious twin of core/include/tengen/graph.hpp."""

from __future__ import annotations

from collections import Counter

import numpy as np

STONE, SURROUND, NEUTRAL = range(3)


def neighbours(point, shape):
    row, column = point
    steps = (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)
    return [(r, c) for r, c in steps if 0 <= r < shape[0] and 0 <= c < shape[1]]


def distance(stones, point, colour):
    """Steps along the lines to the nearest stone of a colour."""
    there = np.argwhere(stones == colour)
    return np.abs(there - point).sum(1).min() if len(there) else np.inf


def side_of(stones, point):
    black, white = distance(stones, point, 1), distance(stones, point, -1)
    return int(black < white) - int(white < black)


def describe(stones, point, division):
    """Kind and colour of a point, and what it must share with a neighbour to be drawn together with it."""
    if stones[point]:
        return STONE, int(stones[point]), "stone"
    side = 0 if division == "single" else side_of(stones, point)
    touches = min(distance(stones, point, colour) for colour in (1, -1)) == 1
    alike = {"single": point, "points": point, "nearest": None, "liberties": touches}[division]
    return (SURROUND if side else NEUTRAL), side, alike


def flood(shape, joined):
    """Number connected points, row by row."""
    node_of = np.full(shape, -1)
    count = 0
    for start in np.ndindex(*shape):
        if node_of[start] >= 0:
            continue
        todo = [start]
        node_of[start] = count
        while todo:
            point = todo.pop()
            for near in neighbours(point, shape):
                if node_of[near] < 0 and joined(point, near):
                    node_of[near] = count
                    todo.append(near)
        count += 1
    return node_of, count


def naive_graph(stones, division, grouped):
    """Everything the kernel says, as plain dictionaries and lists."""
    shape = stones.shape
    facts = {point: describe(stones, point, division) for point in np.ndindex(*shape)}
    node_of, count = flood(shape, lambda p, q: facts[p] == facts[q])
    if grouped:
        block = node_of
        node_of, count = flood(shape, lambda p, q: block[p] == block[q] or (facts[p][1] == facts[q][1] != 0))
    nodes = [_node(stones, [p for p in facts if node_of[p] == node], node_of, node, facts) for node in range(count)]
    contacts = Counter()
    pairs = Counter()
    for p in facts:
        touched = Counter(int(node_of[q]) for q in neighbours(p, shape) if node_of[q] != node_of[p])
        for other, k in touched.items():
            contacts[int(node_of[p]), other, k] += 1
            pairs[int(node_of[p]), other] += k
    return node_of, nodes, dict(pairs), dict(contacts)


def _node(stones, points, node_of, node, facts):
    shape = stones.shape
    around = {q for p in points for q in neighbours(p, shape) if node_of[q] != node}
    inside = [sum(node_of[q] == node for q in neighbours(p, shape)) for p in points]
    eyes = {p for p in around | set(points) if stones[p] == 0 and is_eye(stones, p)}
    return {
        "kind": min(facts[p][0] for p in points),
        "colour": facts[points[0]][1],
        "size": len(points),
        "liberties": sum(stones[q] == 0 for q in around),
        "eyes": len(eyes),
        "shape": [inside.count(k) for k in range(5)],
    }


def is_eye(stones, point):
    return {int(stones[q]) for q in neighbours(point, stones.shape)} in ({1}, {-1})
