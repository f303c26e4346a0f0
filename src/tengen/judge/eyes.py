"""How many eyes an enclosed space is worth: two where its owner, moving first, can divide it, otherwise one or none.

Start at `count_eyes`, a small search inside the space alone. The owner's stones leave the space, the enemy's stay in
it until all their liberties are gone; the space is two eyes as soon as it falls apart. Both may pass, and the enemy may
not fill the last liberty of their own stones. Who could have gained here in a finished game would have moved; therefore
the owner moves first: three points in a row are two eyes, unless an enemy stone stands on the middle one. But:

- A space that falls apart with dead stones in every part is one eye: the enemy has begun a nakade and could finish it.
- At every weak end of the space the enemy has a forcing move, so that they move so often before the owner.
- Less points than weak ends are no eye at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

Point = tuple[int, int]
Points = frozenset[Point]

LARGE = 6
"""A space with more points than this, and at least so many of them empty, always makes two eyes."""

DEPTH = 14
"""So many moves are read; a space that is not divided by then is one eye."""


def count_eyes(space: Iterable[Point], enemies: Iterable[Point] = (), ends: int = 0) -> int:
    """Return how many eyes (0, 1, 2) an enclosed space with enemy stones in it and weak ends is worth to its owner."""
    points, stones = frozenset(space), frozenset(enemies)
    if len(points) < max(ends, 1):
        return 0
    if len(points) < 3:
        return 1
    if is_large(len(points), len(stones)):
        return 2
    stones -= _captured(points, stones)
    row, column = (min(coordinates) for coordinates in zip(*points, strict=True))
    return 1 + _lives(_moved(points, row, column), _moved(stones, row, column), ends)


@lru_cache(maxsize=10_000)
def _lives(space: Points, enemies: Points, ends: int) -> bool:
    """Whether the owner makes two eyes after the enemy has made up to so many moves."""
    after = (enemies.union(moves) for n in range(ends + 1) for moves in combinations(space - enemies, n))
    return all(_divides(space, stones, enemies, True, DEPTH) for stones in after if not _captured(space, stones))


def is_large(points: int, enemies: int) -> bool:
    """Whether a space of so many points with so many enemy stones makes two eyes whatever its shape."""
    return points > LARGE and points - enemies >= LARGE


@lru_cache(maxsize=100_000)
def _divides(space: Points, enemies: Points, nakade: Points, owner_moves: bool, depth: int) -> bool:
    if len(parts := pieces(space)) > 1:
        return any(part.isdisjoint(nakade) for part in parts)
    if is_large(len(space), len(enemies)):
        return True
    if len(space) < 3 or not depth:
        return False
    if owner_moves:
        return any(_after_owner(space - {point}, enemies, nakade, depth) for point in space - enemies) or _divides(
            space, enemies, nakade, False, depth - 1
        )
    moves = (enemies | {point} for point in space - enemies)
    return all(
        _divides(space, after, nakade, True, depth - 1) for after in moves if not _captured(space, after)
    ) and _divides(space, enemies, nakade, True, depth - 1)


def _after_owner(space: Points, enemies: Points, nakade: Points, depth: int) -> bool:
    captured = _captured(space, enemies)
    return _divides(space, enemies - captured, nakade - captured, False, depth - 1)


def _captured(space: Points, enemies: Points) -> Points:
    """The enemy stones without a liberty in the space."""
    empty = space - enemies
    without = [chain for chain in pieces(enemies) if not any(near in empty for point in chain for near in _near(point))]
    return frozenset().union(*without)


def pieces(points: Points) -> list[Points]:
    """Return the connected parts of a set of points."""
    left, found = set(points), []
    while left:
        piece = [left.pop()]
        for point in piece:
            for near in _near(point):
                if near in left:
                    left.remove(near)
                    piece.append(near)
        found.append(frozenset(piece))
    return found


def _near(point: Point) -> tuple[Point, Point, Point, Point]:
    row, column = point
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)


def _moved(points: Points, row: int, column: int) -> Points:
    return frozenset((r - row, c - column) for r, c in points)
