"""Why a move is likely, in Go words: the levels that make it stronger or weaker than the other legal moves.

Start at `strongest_effects`. The score of a move is a sum of parts, one for each of its levels: the weight, and half of
each product of factors in which the level takes part. The effect of a feature is its part minus the mean part over all
legal moves, as a factor of the move's strength: ×3 makes the move three times as likely as a typical move.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.points import as_point
from tengen.models.verdict import Reason
from tengen.moves.competitions import Table
from tengen.moves.tree_words import describe
from tengen.moves.trees import Forest
from tengen.views.contact_features import CONTACT_LEVELS, contact_phrase
from tengen.views.move_features import PHRASES, Feature

MOST = 4
"""The number of effects that are named."""
NOTICED = math.log(1.1)
"""Smaller effects are not named."""


def strongest_effects(
    board: Board,
    move: str,
    levels: npt.NDArray[np.uint32],
    legal: npt.NDArray[np.bool_],
    tables: Sequence[Table],
    rows: npt.NDArray[np.float32],
    *,
    phrases: Mapping[Feature, Mapping[int, str]] = PHRASES,
    pattern_size: int = 0,
    forest: Forest | None = None,
) -> list[Reason]:
    """Return the strongest effects on a move, a point or "pass", given the levels [move, column] of all moves.

    `phrases` are the tactical features in words, `pattern_size` is that of the largest known pattern around the move.
    """
    index = move_index(board, move)
    if not legal[index]:
        raise TengenError(f"{move} is not a legal move")
    parts = score_parts(levels[legal], tables, rows)
    effects = parts[legal[:index].sum()] - parts.mean(axis=0)
    words = {(str(feature), level): phrase for feature, each in phrases.items() for level, phrase in each.items()}
    found: list[tuple[float, Reason]] = []
    column = 0
    for table, effect in zip(tables, effects.tolist(), strict=True):
        here = levels[index, column : column + table.columns]
        column += table.columns
        if not here.any() or abs(effect) < NOTICED:
            continue
        level = int(here[0])
        if phrase := words.get((table.name, level)) or _words(table, level, pattern_size, forest):
            sentence = f"{phrase}, ×{_times(effect)}"
            found.append((abs(effect), Reason(table.name, () if move == "pass" else (move,), sentence)))
    return [reason for _, reason in sorted(found, key=lambda each: -each[0])[:MOST]]


def score_parts(
    levels: npt.NDArray[np.uint32], tables: Sequence[Table], rows: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Return the part of each table in the scores of moves with these levels [move, column]: [move, table]."""
    bases = np.cumsum([0, *(table.levels for table in tables)])[:-1]
    base = np.repeat(bases, [table.columns for table in tables])
    values = rows.astype(np.float64)[levels + base] * (levels > 0)[..., None]
    factors = values[..., 1:]
    pairs = (factors * (factors.sum(axis=1, keepdims=True) - factors)).sum(axis=2) / 2
    first = np.cumsum([0, *(table.columns for table in tables)])[:-1]
    parts: npt.NDArray[np.float64] = np.add.reduceat(values[..., 0] + pairs, first, axis=1)
    return parts


def move_index(board: Board, move: str) -> int:
    """Return the number of a point or of "pass"."""
    if move.strip().lower() == "pass":
        return board.width * board.height
    row, column = as_point(move, board.width, board.height)
    return row * board.width + column


def _words(table: Table, level: int, size: int, forest: Forest | None) -> str:
    if table.name in CONTACT_LEVELS:
        return contact_phrase(table.name, level)
    if table.name == "pattern":
        return f"pattern of size {size} around the move"
    assert forest is not None
    return f"leaf: {describe(forest, level, int(table.name.removeprefix('tree ')) - 1)}"


def _times(effect: float) -> str:
    """Write a factor with two digits: 37, 4.1, 0.05."""
    factor = math.exp(effect)
    return f"{factor:.0f}" if factor >= 9.95 else f"{factor:.1f}" if factor >= 0.95 else f"{factor:.2g}"
