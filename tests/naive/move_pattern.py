"""Patterns around moves spelled out: the least of eight sorted tuples of (offset, colour), no numbers drawn."""

from __future__ import annotations

from functools import cache

from .pattern import turned

SIZES = range(3, 16)
OFF = 3


@cache
def around(size):
    """The offsets of a pattern, without its centre."""
    reach = range(-size, size + 1)
    return [(r, c) for r in reach for c in reach if 0 < abs(r) + abs(c) + max(abs(r), abs(c)) <= size]


def spelled(stones, mover, row, column, size):
    """The pattern of a move: 1 own, −1 enemy, 3 off the board; empty points are left out."""
    height, width = stones.shape
    seen = []
    for r, c in around(size):
        inside = 0 <= row + r < height and 0 <= column + c < width
        colour = int(stones[row + r, column + c]) * mover if inside else OFF
        if colour:
            seen.append(((r, c), colour))
    return min(tuple(sorted((turned(place, g), colour) for place, colour in seen)) for g in range(8))
