"""How many eyes an enclosed eye space is worth: two where its owner, moving first, can divide it, otherwise one.

Start at `makes_two_eyes`, a small search inside the space alone. The owner's stones leave the space, the enemy's stay
in it until all their liberties are gone; the space is two eyes as soon as it falls apart. Both may pass, and the enemy
may not fill the last liberty of their own stones. Who could have gained here in a finished game would have moved;
therefore the owner moves first: three points in a row are two eyes, unless an enemy stone stands on the middle one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

Point = tuple[int, int]
Points = frozenset[Point]

LARGE = 5
"""A space with more empty points than this always makes two eyes."""

DEPTH = 14
"""So many moves are read; a space that is not divided by then is one eye."""


def makes_two_eyes(space: Iterable[Point], enemies: Iterable[Point] = ()) -> bool:
    """Whether the owner of an enclosed space, with these enemy stones in it, can make two eyes of it."""
    points, stones = frozenset(space), frozenset(enemies)
    if len(points) - len(stones) > LARGE:
        return True
    row, column = (min(coordinates) for coordinates in zip(*points, strict=True))
    return _divides(_moved(points, row, column), _moved(stones, row, column), True, DEPTH)


@lru_cache(maxsize=100_000)
def _divides(space: Points, enemies: Points, owner_moves: bool, depth: int) -> bool:
    if len(pieces(space)) > 1:
        return True
    if len(space) - len(enemies) > LARGE:
        return True
    if len(space) < 3 or not depth:
        return False
    if owner_moves:
        return any(_after_owner(space - {point}, enemies, depth) for point in space - enemies) or _divides(
            space, enemies, False, depth - 1
        )
    moves = (enemies | {point} for point in space - enemies)
    return all(_divides(space, after, True, depth - 1) for after in moves if not _captured(space, after)) and _divides(
        space, enemies, True, depth - 1
    )


def _after_owner(space: Points, enemies: Points, depth: int) -> bool:
    return _divides(space, enemies - _captured(space, enemies), False, depth - 1)


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
