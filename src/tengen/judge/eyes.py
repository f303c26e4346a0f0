"""Counting the eyes of an enclosed space: two if its owner, moving first, can divide it, otherwise one or none.

Start at `count_eyes`, a small search inside the space. A point where the owner plays leaves the space; enemy stones
stay until they lose their last liberty; a divided space is two eyes. Both may pass, and the enemy may not play
self-capture. The owner moves first, because in a finished game a threatened owner would have answered: three points in
a row are two eyes, unless an enemy stone stands on the middle one. Exceptions:

- A divided space with dead stones in every part is one eye: the enemy can finish the nakade.
- Each weak end gives the enemy one forcing move, so the enemy makes `ends` moves before the owner's first.
- A space with fewer points than weak ends is not an eye.

A set of points is an integer with ROW bits for each row, so one shift moves all its points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations

Point = tuple[int, int]

LARGE = 6
"""A space with more points than this and at least this many of them empty always makes two eyes."""

DEPTH = 14
"""Maximum number of moves read; a space that is still undivided is one eye."""

ROW = 32
"""Bits per row, more than a board has columns: a sideways shift cannot reach another row."""


def count_eyes(space: Iterable[Point], enemies: Iterable[Point] = (), ends: int = 0) -> int:
    """Return the number of eyes (0, 1 or 2) of a space with enemy stones in it and a number of weak ends."""
    points, stones = list(space), list(enemies)
    if len(points) < max(ends, 1):
        return 0
    if len(points) < 3:
        return 1
    if is_large(len(points), len(stones)):
        return 2
    top, left = min(row for row, _ in points), min(column for _, column in points)
    inside, standing = (
        sum(1 << (row - top) * ROW + column - left for row, column in some) for some in (points, stones)
    )
    return 1 + _lives(inside, standing & ~_captured(inside, standing), ends)


@lru_cache(maxsize=10_000)
def _lives(space: int, enemies: int, ends: int) -> bool:
    """Whether the owner makes two eyes after the enemy has made up to `ends` moves."""
    free = list(_points(space & ~enemies))
    after = (enemies | sum(moves) for n in range(ends + 1) for moves in combinations(free, n))
    return all(_divides(space, stones, enemies, True, DEPTH) for stones in after if not _captured(space, stones))


def is_large(points: int, enemies: int) -> bool:
    """Whether a space with these numbers of points and enemy stones makes two eyes in any shape."""
    return points > LARGE and points - enemies >= LARGE


@lru_cache(maxsize=100_000)
def _divides(space: int, enemies: int, nakade: int, owner_moves: bool, depth: int) -> bool:
    if len(parts := _pieces(space)) > 1:
        return any(not part & nakade for part in parts)
    size = space.bit_count()
    if is_large(size, enemies.bit_count()):
        return True
    if size < 3 or not depth:
        return False
    free = _points(space & ~enemies)
    if owner_moves:
        return any(_after_owner(space ^ point, enemies, nakade, depth) for point in free) or _divides(
            space, enemies, nakade, False, depth - 1
        )
    moves = (enemies | point for point in free)
    return all(
        _divides(space, after, nakade, True, depth - 1) for after in moves if not _captured(space, after)
    ) and _divides(space, enemies, nakade, True, depth - 1)


def _after_owner(space: int, enemies: int, nakade: int, depth: int) -> bool:
    standing = ~_captured(space, enemies)
    return _divides(space, enemies & standing, nakade & standing, False, depth - 1)


def _captured(space: int, enemies: int) -> int:
    empty = space & ~enemies
    return sum(chain for chain in _pieces(enemies) if not _grown(chain) & empty)


def _pieces(points: int) -> list[int]:
    found = []
    while points:
        part, grown = 0, points & -points
        while part != grown:
            part, grown = grown, _grown(grown) & points
        found.append(part)
        points ^= part
    return found


def _grown(points: int) -> int:
    return points | points << 1 | points >> 1 | points << ROW | points >> ROW


def _points(points: int) -> Iterator[int]:
    """Yield each point of a set as a set."""
    while points:
        yield (point := points & -points)
        points ^= point
