"""How many positions are legal: the published counts, by the core and on the smallest boards by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tengen._core import Position
from tests.naive.board import BLACK, NaiveBoard

from .dev import count_legal_positions


def naive_count(width: int, height: int) -> int:
    count = 0
    for colours in product((0, 1, 2), repeat=width * height):
        board = NaiveBoard(width, height)
        board.stones = {point: c for point, c in zip(board.points(), colours, strict=True) if c}
        count += all(board.liberties(point) for point in board.stones)
    return count


def core_count(width: int, height: int) -> int:
    position = Position(width, height)
    return sum(
        position.set_up(np.array(stones, dtype=np.int8).reshape(height, width), BLACK) == -1
        for stones in product((0, 1, -1), repeat=width * height)
    )


def test_two_by_two() -> None:
    assert count_legal_positions(2) == naive_count(2, 2) == core_count(2, 2) == 57


def test_rectangles() -> None:
    assert core_count(2, 3) == core_count(3, 2) == naive_count(3, 2) == 489


def test_three_by_three() -> None:
    assert count_legal_positions(3) == core_count(3, 3) == 12_675


@pytest.mark.slow
def test_four_by_four() -> None:
    assert count_legal_positions(4) == 24_318_165


@pytest.mark.parametrize("side", [-1, 0, 1, 5, 10**6])
def test_other_sides_are_refused(side: int) -> None:
    with pytest.raises(ValueError, match="2, 3 or 4"):
        count_legal_positions(side)
