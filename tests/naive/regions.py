"""Connected points of equal value, told with sets: the twin of regions.hpp."""

from __future__ import annotations

from collections.abc import Sequence


def number_regions(values: Sequence[Sequence[int]]) -> list[list[int]]:
    """The region of every point, numbered in reading order of their first points."""
    numbers: dict[tuple[int, int], int] = {}
    points = {(row, column): value for row, line in enumerate(values) for column, value in enumerate(line)}
    for start in sorted(points):
        if start in numbers:
            continue
        number, todo = len(set(numbers.values())), {start}
        while todo:
            row, column = todo.pop()
            numbers[row, column] = number
            near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
            todo |= {point for point in near if points.get(point) == points[start] and point not in numbers}
    return [[numbers[row, column] for column in range(len(line))] for row, line in enumerate(values)]
