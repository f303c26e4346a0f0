"""The augmented common fate graph by sets and pictures: the twin of core/include/tengen/augmented_graph.hpp."""

from __future__ import annotations

import numpy as np

from .graphs import flood, is_eye, neighbours
from .influence import influence

ADJACENT, BAMBOO, KOSUMI, HANGING, ONE_SPACE, KEIMA, EDGE = range(7)

# Every shape as a picture: 1 and 2 are stones of the two chains, x is another own stone, . empty, o an enemy, ~ on the
# board and no enemy, - no enemy or off the board, # off the board, ? anything.
PICTURES = {
    BAMBOO: ["1x|..|2x"],
    KOSUMI: ["1.|.2"],
    HANGING: ["1o|.2", "1?|.2|x?", "1?|.x|2?"],
    ONE_SPACE: ["?1?|-.?|?2?"],
    KEIMA: ["1?|..|?2"],
    EDGE: ["#~1|#~?|#~2"],
}


def turned(rows, k):
    """A picture under one of the eight symmetries."""
    if k & 1:
        rows = rows[::-1]
    if k & 2:
        rows = [row[::-1] for row in rows]
    return ["".join(column) for column in zip(*rows, strict=True)] if k & 4 else rows


SHAPES = [
    (relation, shape)
    for relation, pictures in PICTURES.items()
    for shape in sorted({tuple(turned(picture.split("|"), k)) for picture in pictures for k in range(8)})
]


def fits(sign, stone, own):
    if sign == "?":
        return True
    if stone is None:
        return sign in "-#"
    return stone in {"1": [own], "2": [own], "x": [own], ".": [0], "o": [-own], "~": [0, own], "-": [0, own]}.get(
        sign, []
    )


def look(stones, shape, row, column, own):
    """The points of 1 and 2 where the picture lies with its upper left corner at a point, or None."""
    ends = {}
    for r, signs in enumerate(shape, row):
        for c, sign in enumerate(signs, column):
            on = 0 <= r < stones.shape[0] and 0 <= c < stones.shape[1]
            if not fits(sign, stones[r, c] if on else None, own):
                return None
            ends[sign] = (r, c)
    return ends["1"], ends["2"]


def naive_relations(stones, node_of):
    """The best relation of every two chains."""
    found = {}
    for relation, shape in SHAPES:
        for row in range(-2, stones.shape[0]):
            for column in range(-2, stones.shape[1]):
                for own in (1, -1):
                    ends = look(stones, shape, row, column, own)
                    if ends and node_of[ends[0]] != node_of[ends[1]]:
                        pair = tuple(sorted((int(node_of[ends[0]]), int(node_of[ends[1]]))))
                        found[pair] = min(found.get(pair, relation), relation)
    return found


def naive_augmented_graph(stones):
    """Node of every point, five facts of every node, and edges (first, second, relation, pairs) in order."""
    shape = stones.shape
    sides = np.sign(influence(stones.tolist(), 5, 21, 128))
    alike = {p: (int(stones[p]), p if stones[p] == sides[p] == 0 else int(sides[p])) for p in np.ndindex(*shape)}
    node_of, count = flood(shape, lambda p, q: alike[p] == alike[q])
    members = [[p for p in alike if node_of[p] == node] for node in range(count)]
    nodes = [describe(stones, points, int(sides[points[0]])) for points in members]
    pairs = {}
    for p in alike:
        for q in neighbours(p, shape):
            if node_of[p] < node_of[q]:
                edge = int(node_of[p]), int(node_of[q])
                pairs[edge] = pairs.get(edge, 0) + 1
    relations = naive_relations(stones, node_of)
    assert not set(relations) & set(pairs)
    edges = [(*edge, ADJACENT, k) for edge, k in pairs.items()] + [(*edge, r, 0) for edge, r in relations.items()]
    return node_of, nodes, sorted(edges)


def describe(stones, points, side):
    around = {q for p in points for q in neighbours(p, stones.shape)} - set(points)
    free = {q for q in around if stones[q] == 0}
    colour = int(stones[points[0]])
    eyes = [q for q in (free if colour else points) if is_eye(stones, q)]
    return colour, colour or side, len(points), len(free), len(eyes)


def naive_label(node, sides):
    colour, side, size, liberties, eyes = node
    kinds = ["black", "white", "empty", "black region", "white region"]
    region = {0: "empty", 1: "black region", -1: "white region"}[side if sides else 0]
    kind = {1: "black", -1: "white", 0: region}[colour]
    return np.ravel_multi_index((kinds.index(kind), min(eyes, 5), min(size, 5) - 1, min(liberties, 6)), (5, 6, 5, 7))
