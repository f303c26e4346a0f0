"""The network of messages with dictionaries and plain sums in double precision: the twin of fate_messages.hpp.

It keeps the two halves of a vector apart, as Black and as White see a node, where the core keeps sums and differences.
"""

from __future__ import annotations

import math

import numpy as np

from tengen import _core

from .augmented_graph import naive_augmented_graph
from .influence import influence

RING = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
SHELLS = [(0, 1), (1, 1), (0, 2), (1, 2)]
OFF = 3


def split(parameters):
    """The blocks of the parameters by name, in double precision."""
    blocks, start = {}, 0
    for name, shape in _core.FateMessages.blocks():
        size = math.prod(shape)
        blocks[name] = np.squeeze(np.asarray(parameters[start : start + size], float).reshape(shape))
        start += size
    assert start == len(parameters)
    return blocks


def ring_images(ring):
    """The eight rotations and reflections of the points around a point."""
    turned = [ring[k:] + ring[:k] for k in (0, 2, 4, 6)]
    return turned + [each[:1] + tuple(reversed(each[1:])) for each in turned]


def ring_code(ring):
    return sum(colour << 2 * k for k, colour in enumerate(ring))


def all_rings():
    """Rings that exist, a number for each class in the order of the smallest codes."""
    rings = {}
    sides = [(), *((s,) for s in range(4)), *((s, (s + 1) % 4) for s in range(4))]
    for off in sides:
        outside = {(2 * side + k) % 8 for side in off for k in range(3)}
        free = [k for k in range(8) if k not in outside]
        for colours in np.ndindex(*(3,) * len(free)):
            ring = [OFF] * 8
            for k, colour in zip(free, colours, strict=True):
                ring[k] = colour
            rings[tuple(ring)] = min(ring_code(image) for image in ring_images(tuple(ring)))
    numbers = {code: number for number, code in enumerate(sorted(set(rings.values())))}
    return {ring: numbers[code] for ring, code in rings.items()}


def pattern_class(rings, stones, row, column):
    """The number of the 3×3 points as Black sees them, or None on boards of two lines."""
    height, width = stones.shape
    on = [(row + r, column + c) for r, c in RING]
    ring = tuple(int(stones[p]) % 3 if 0 <= p[0] < height and 0 <= p[1] < width else OFF for p in on)
    return None if ring not in rings else int(stones[row, column]) % 3 * (max(rings.values()) + 1) + rings[ring]


def relu(x):
    return np.maximum(x, 0)


def combine(even, odd, black, white):
    """A linear map on both halves: `even` acts on their sum, `odd` on their difference."""
    total, difference = (black + white) @ even, (black - white) @ odd
    return total + difference, total - difference


def naive_logits(parameters, stones, rings, turn):
    """The logit of Black's ownership of every point; `turn` is 1 if Black is to move, −1 if White, 0 if unknown."""
    p = split(parameters)
    node_of, nodes, edges = naive_augmented_graph(stones)
    shape = stones.shape
    spread = np.array(influence(stones.tolist(), 5, 21, 100)) / 100
    points = list(np.ndindex(*shape))
    place = {q: sorted(min(x, side - 1 - x, 4) for x, side in zip(q, shape, strict=True)) for q in points}
    patterns = {}
    for q in points:
        codes = [pattern_class(rings, board, *q) for board in (stones, -stones)]
        zero = np.zeros(p["patterns"].shape[1])
        patterns[q] = [zero if code is None else p["patterns"][code] for code in codes]

    black, white = [], []
    for number, (kind_of, side, size, liberties, eyes) in enumerate(nodes):
        members = [q for q in points if node_of[q] == number]
        kind = 0 if kind_of else 1 if side else 2
        facts = [np.mean([place[q][0] == line for q in members]) for line in range(3)]
        facts += [np.mean([place[q] == [0, 0] for q in members]), np.mean([abs(spread[q]) for q in members])]
        facts += [math.log(size), math.log1p(liberties)]
        bucket = sum(size >= limit for limit in (2, 3, 4, 6, 10, 20))
        label, eye = (kind * 7 + min(liberties, 6)) * 7 + bucket, kind * 4 + min(eyes, 3)
        even, odd = (
            p["labels"][i][label] + p["eyes"][i][eye] + np.array(facts) @ p["facts"][i][kind * 7 : kind * 7 + 7]
            for i in range(2)
        )
        seen = [np.mean([patterns[q][i] for q in members], 0) for i in range(2)]
        both = combine(p["node_pattern"][0], p["node_pattern"][1], *seen)
        even, odd = even + turn * side * p["turns"][0][label // 7], side * odd + turn * p["turns"][1][label // 7]
        black.append(relu(even + odd + both[0]))
        white.append(relu(even - odd + both[1]))
    # the core's even half is the sum of what both see, its odd half the difference
    for number in range(len(p["rounds"])):
        black, white = one_round(p, number, nodes, edges, black, white)
    return read_points(p, shape, node_of, place, spread, patterns, black, white, turn)


def one_round(p, number, nodes, edges, black, white):
    width = len(black[0])
    parts = np.zeros((len(nodes), 2, 4, width))
    pairs = np.zeros(len(nodes))
    for first, second, _, count in edges:
        pairs[[first, second]] += count
    for node in range(len(nodes)):
        parts[node, :, 0] = black[node], white[node]
    for one, other, relation, count in edges:
        for source, target in ((one, other), (other, one)):
            seen = np.array([black[source], white[source]])
            if relation == 0:
                parts[target, :, 1] += seen * count / pairs[target]
                parts[target, :, 2] += seen / 2
            else:
                parts[target, :, 3] += seen * p["gains"][number][relation - 1]
    after = [], []
    for node in range(len(nodes)):
        flat = parts[node].reshape(2, -1)
        sums = combine(p["rounds"][number][0], p["rounds"][number][1], flat[0], flat[1])
        for half, before, total in zip(after, (black, white), sums, strict=True):
            half.append(before[node] + relu(total + p["biases"][number]))
    return after


def read_points(p, shape, node_of, place, spread, patterns, black, white, turn):
    logits = np.zeros(shape)
    for q in np.ndindex(*shape):
        hidden = list(combine(p["point_pattern"][0], p["point_pattern"][1], *patterns[q]))
        for other in np.ndindex(*shape):
            offset = tuple(sorted(abs(a - b) for a, b in zip(q, other, strict=True)))
            if offset != (0, 0) and offset not in SHELLS:
                continue
            k = 0 if offset == (0, 0) else 1 + SHELLS.index(offset)
            node = node_of[other]
            more = combine(p["readout"][0][k], p["readout"][1][k], black[node], white[node])
            hidden = [a + b for a, b in zip(hidden, more, strict=True)]
        low, high = place[q]
        alone = p["places"][low * 5 + high] + abs(spread[q]) * p["influence"][0]
        odd = spread[q] * p["influence"][1] + turn * p["tempo"]
        logits[q] = (relu(hidden[0] + alone + odd) - relu(hidden[1] + alone - odd)) @ p["owner"]
    return logits


def naive_ownership(parameters, stones, rings, turn):
    return np.tanh(naive_logits(parameters, stones, rings, turn))


def naive_loss(parameters, stones, targets, weights, rings, turn):
    """The cross-entropy of one board."""
    black = 2 * naive_logits(parameters, stones, rings, turn)
    share = (1 + targets) / 2
    return float((weights * (share * np.logaddexp(0, -black) + (1 - share) * np.logaddexp(0, black))).sum())
