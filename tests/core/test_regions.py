"""Regions of equal points against the naive twin."""

from __future__ import annotations

import numpy as np
import pytest

from tengen._core import number_regions
from tests.naive.regions import number_regions as slowly


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 9), (9, 1), (2, 3), (13, 19), (40, 30)])
def test_random_grids(height: int, width: int) -> None:
    random = np.random.default_rng(height * 100 + width)
    for sorts in (1, 2, 3):
        values = random.integers(-1, sorts - 1, (height, width), dtype=np.int8)
        assert number_regions(values).tolist() == slowly(values.tolist())


def test_a_spiral_is_one_region() -> None:
    drawing = ["XXXXX", "....X", "XXX.X", "X...X", "XXXXX"]
    values = np.array([[sign == "X" for sign in row] for row in drawing], np.int8)
    assert set(number_regions(values).ravel().tolist()) == {0, 1}


def test_nothing_has_no_regions() -> None:
    assert number_regions(np.zeros((0, 5), np.int8)).shape == (0, 5)
    assert number_regions(np.zeros((5, 0), np.int8)).shape == (5, 0)


@pytest.mark.parametrize("values", [np.zeros(5, np.int8), np.zeros((1001, 1000), np.int8), "X O"])
def test_refusals(values: np.ndarray) -> None:
    with pytest.raises((TypeError, ValueError)):
        number_regions(values)
