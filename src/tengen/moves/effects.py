"""Why a move is likely, in Go words: the levels that make it stronger or weaker than the other legal moves.

Start at `strongest_effects`. The score of a move is a sum of parts, one for each of its levels: the weight, and half of
each product of factors in which the level takes part. The effect of a feature is its part less the mean part over all
legal moves, as a factor of the move's strength: ×3 makes the move three times as likely as a typical move. Effects are
named in the order of their strength; of more than `MOST`, what the move captures, saves and threatens is named first
of all. Features that say the same more exactly count for the tactical feature (`SAME`).
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
from tengen.views.move_features import FEATURES, PHRASES, Feature
from tengen.views.move_patterns import MARKED_SIZES

MOST = 4
"""The number of effects that are named."""
NOTICED = math.log(1.1)
"""Smaller effects are not named."""
TACTICS: tuple[Feature, ...] = ("pass", "capture", "extension", "self-atari", "atari")
SAME: Mapping[str, Feature] = {"offset last": "last", "offset second-last": "second-last", "lines": "border"}
"""Contact features with the tactical features whose words cover them."""
LAST = FEATURES.index("last")
"""The column of the circular distance to the last move."""


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
    values = (parts[legal[:index].sum()] - parts.mean(axis=0)).tolist()
    effects: dict[str, float] = dict(zip((table.name for table in tables), values, strict=True))
    for exact, tactical in SAME.items():
        if exact in effects and levels[index, FEATURES.index(tactical)]:
            effects[tactical] += effects.pop(exact)
    words = {(str(feature), level): phrase for feature, each in phrases.items() for level, phrase in each.items()}
    where = words.get(("last", int(levels[index, LAST])), "to the last move")
    found: list[tuple[float, Reason]] = []
    column = 0
    for table in tables:
        here, effect = levels[index, column : column + table.columns], effects.get(table.name, 0.0)
        column += table.columns
        if not here.any() or abs(effect) < NOTICED:
            continue
        if phrase := words.get((table.name, int(here[0]))) or _words(table, here, pattern_size, where, forest):
            sentence = f"{phrase}, ×{_times(effect)}"
            found.append((abs(effect), Reason(table.name, () if move == "pass" else (move,), sentence)))
    named = sorted(found, key=lambda each: (each[1].kind not in TACTICS, -each[0]))[:MOST]
    return [reason for _, reason in sorted(named, key=lambda each: -each[0])]


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


def response_phrase(levels: npt.NDArray[np.uint32], where: str) -> str:
    """Return the most special of a move's response patterns in words; `where` it is, as seen from the last move."""
    *marked, _, answer = (levels > 0).tolist()
    if any(marked):
        size = max(size for size, known in zip(MARKED_SIZES, marked, strict=True) if known)
        return f"known answer {where}: pattern of size {size}"
    if answer:
        return f"known answer {where}: stones around the move, with liberties of those next to it"
    return "stones around the move, with liberties of those next to it"


def _words(table: Table, levels: npt.NDArray[np.uint32], size: int, where: str, forest: Forest | None) -> str:
    """Return the levels of a table that has no list of phrases in words; "" if there are none."""
    level = int(levels[0])
    if table.name in CONTACT_LEVELS:
        return contact_phrase(table.name, level)
    if table.name == "pattern":
        return f"pattern of size {size} around the move"
    if table.name == "response":
        return response_phrase(levels, where)
    if forest is not None and table.name.startswith("tree "):
        return f"leaf: {describe(forest, level, int(table.name.removeprefix('tree ')) - 1)}"
    return ""


def _times(effect: float) -> str:
    """Write a factor with two digits: 37, 4.1, 0.05."""
    factor = math.exp(effect)
    return f"{factor:.0f}" if factor >= 9.95 else f"{factor:.1f}" if factor >= 0.95 else f"{factor:.2g}"
