"""Patterns of stones around a point in nested templates, up to symmetry and colour reversal (Sanner et al. §2).

Start at `pattern_keys`. Template i holds the points within gradual distance i, |dr| + |dc| + max(|dr|, |dc|) ≤ i; the
last, number 14, is the whole board. A key identifies a class of patterns that are equal under rotation, reflection and
colour reversal. Its sign is +1 if the pattern has the colours of the class as stored, −1 if they are reversed, and 0
if the class is its own reversal. `tengen._core.PatternKeys` updates the keys of a board after each move.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from tengen._core import pattern_keys as _native_keys
from tengen.errors import TengenError
from tengen.go.arrays import as_stones

WHOLE_BOARD = 14
"""The number of the template that is the whole board."""

Keys = npt.NDArray[np.uint64]
Signs = npt.NDArray[np.int8]


def pattern_keys(stones: npt.NDArray[np.int8], templates: int = 8) -> tuple[Keys, Signs]:
    """Return keys and signs [..., row, column, template] of boards [..., row, column], template 1 first."""
    checked_templates(templates)
    boards = as_stones(stones)
    keys, signs = _native_keys(boards.reshape(-1, *boards.shape[-2:]), templates)
    shape = (*boards.shape, templates)
    return keys.reshape(shape), signs.reshape(shape)


@cache
def template_offsets(template: int) -> tuple[tuple[int, int], ...]:
    """Return the offsets (row, column) of a nested template, 1 to 13."""
    reach = range(-template, template + 1)
    return tuple((r, c) for r in reach for c in reach if max(1, gradual_distance(r, c)) <= template)


def pattern_text(stones: npt.NDArray[np.int8], row: int, column: int, template: int) -> str:
    """Draw a nested template around a point: X O . on the board, # off it, blank outside the template."""
    inside = set(template_offsets(template))
    reach = max(r for r, _ in inside)
    span = range(-reach, reach + 1)
    lines = (" ".join(_sign(stones, row + r, column + c) if (r, c) in inside else " " for c in span) for r in span)
    return "\n".join(line.rstrip() for line in lines)


def _sign(stones: npt.NDArray[np.int8], row: int, column: int) -> str:
    height, width = stones.shape
    return ".XO"[stones[row, column]] if 0 <= row < height and 0 <= column < width else "#"


def gradual_distance(row: int, column: int) -> int:
    """Return the gradual distance of an offset: 2 for a neighbour, 3 for a diagonal, 4 for a one-point jump."""
    return abs(row) + abs(column) + max(abs(row), abs(column))


def checked_templates(templates: int) -> int:
    """Return a number of templates, or raise an error."""
    if not 1 <= templates <= WHOLE_BOARD:
        raise TengenError(f"there are templates 1 to {WHOLE_BOARD}, not {templates!r}")
    return templates
