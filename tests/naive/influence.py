"""Bouzy's influence point by point with a dictionary: the twin of core/include/tengen/influence.hpp."""

from __future__ import annotations

Point = tuple[int, int]
Values = dict[Point, int]


def around(values: Values, point: Point) -> list[int]:
    row, column = point
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [values[p] for p in near if p in values]


def dilated(values: Values, point: Point) -> int:
    value, near = values[point], around(values, point)
    if value >= 0 and not any(v < 0 for v in near):
        return value + sum(v > 0 for v in near)
    if value <= 0 and not any(v > 0 for v in near):
        return value - sum(v < 0 for v in near)
    return value


def eroded(values: Values, point: Point) -> int:
    value, near = values[point], around(values, point)
    if value > 0:
        return max(0, value - sum(v <= 0 for v in near))
    if value < 0:
        return min(0, value + sum(v >= 0 for v in near))
    return 0


def influence(stones: list[list[int]], dilations: int, erosions: int, stone: int) -> list[list[int]]:
    values = {(r, c): sign * stone for r, row in enumerate(stones) for c, sign in enumerate(row)}
    for step in [dilated] * dilations + [eroded] * erosions:
        values = {point: step(values, point) for point in values}
    return [[values[r, c] for c in range(len(stones[0]))] for r in range(len(stones))]
