"""Pattern classes spelled out: every pattern of an orbit as a tuple of colours, the least one standing for all.

No numbers are drawn here: two points have the same class exactly if their canonical tuples are equal.
"""

from __future__ import annotations

import numpy as np

NESTED, WHOLE = 13, 14
OFF = 3


def offsets(level):
    """The offsets of a nested template, by gradual distance."""
    reach = range(-level, level + 1)
    return [(r, c) for r in reach for c in reach if max(1, abs(r) + abs(c) + max(abs(r), abs(c))) <= level]


def turned(offset, g):
    r, c = offset
    r, c = (-r if g & 1 else r), (-c if g & 2 else c)
    return (c, r) if g & 4 else (r, c)


def content(stones, row, column, level):
    """The colour of each offset: 0 empty, 1 Black, −1 White, 3 off the board."""
    height, width = stones.shape
    if level == WHOLE:
        reach = range(-25, 26)
        places = [(r, c) for r in reach for c in reach]
    else:
        places = offsets(level)

    def colour(r, c):
        inside = 0 <= row + r < height and 0 <= column + c < width
        return int(stones[row + r, column + c]) if inside else OFF

    return {place: colour(*place) for place in places}


def spelled(pattern, g, reverse):
    """The pattern under a symmetry as a tuple in a fixed order of offsets."""
    swap = {1: -1, -1: 1} if reverse else {}
    moved = {turned(place, g): swap.get(colour, colour) for place, colour in pattern.items()}
    return tuple(moved[place] for place in sorted(moved))


def classes(stones, row, column, level):
    """The least spelling with colours as they are and the least with colours reversed; the class is the pair."""
    pattern = content(np.asarray(stones), row, column, level)
    straight = min(spelled(pattern, g, False) for g in range(8))
    reverse = min(spelled(pattern, g, True) for g in range(8))
    return straight, reverse


def counted(games, owners, level, largest):
    """The events of every class of a template by owner, the smaller count first, and how often the class was new.

    `games` lists the boards of each game in the order of play, `owners` who owns the points of each game at its end; a
    point counts where its class of the largest template differs from that on the board before, and its class of this
    template is new where that itself does.
    """
    counts = {}
    for boards, owner in zip(games, owners, strict=True):
        before = {}
        for stones in boards:
            for row, column in np.ndindex(stones.shape):
                found = [classes(stones, row, column, size) for size in (largest, level)]
                now = [frozenset(each) for each in found]
                last = before.get((row, column), (None, None))
                if last[0] != now[0]:
                    _count(counts, found[1], owner[row, column], last[1] != now[1])
                before[row, column] = now
    return sorted((*sorted(entry[:2]), entry[2]) for entry in counts.values())


def _count(counts, found, owner, new):
    straight, reverse = found
    black = 0.5 if straight == reverse else float((owner > 0) == (straight < reverse))
    entry = counts.setdefault(frozenset(found), [0.0, 0.0, 0.0])
    for i, value in enumerate((black, 1 - black, new)):
        entry[i] += value
