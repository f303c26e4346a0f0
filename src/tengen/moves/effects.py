"""Why a move is likely, in Go words: what makes it stronger or weaker than the other legal moves.

Start at `strongest_effects`. The score of a move is a sum of parts, one for each of its levels: the weight, and half of
each product of factors in which the level takes part. Parts that say the same to a player are added up to a theme, such
as everything about the last move. The effect of a theme is its part less the mean over all legal moves, as a factor of
the move's strength: ×3 makes the move three times as likely as a typical move; the product over all themes is its
strength divided by the geometric mean. Themes are named in the order of their effects; of more than `MOST`, what the
move captures, saves and threatens is named first of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board
from tengen.go.points import as_point
from tengen.models.verdict import Reason
from tengen.moves.competitions import Table
from tengen.moves.tree_words import describe
from tengen.moves.trees import Forest
from tengen.views.contact_features import contact_phrase
from tengen.views.move_features import PHRASES, Feature
from tengen.views.move_patterns import MARKED_SIZES
from tengen.views.shape_names import shape_name

MOST = 4
"""The number of effects that are named."""
NOTICED = math.log(1.1)
"""Smaller effects are not named."""
SHARE = 0.15
"""Effects below this share of the strongest, as logarithms, are not named unless they are tactical."""
TACTICS: tuple[Feature, ...] = ("pass", "capture", "extension", "self-atari", "atari")
"""Themes of one feature each."""
_THEMES = {
    "border": "place",
    "lines": "place",
    "last": "last",
    "fate last": "last",
    "offset last": "last",
    "second-last": "second-last",
    "fate second-last": "second-last",
    "offset second-last": "second-last",
    "liberties": "contact",
    "enemy chain": "contact",
    "own chain": "contact",
    "chains": "contact",
    "stones": "stage",
    "pattern": "shape",
}
"""The theme of a table; other tables are a theme of their own."""
_AWAY = {2: "next to it", 3: "diagonal to it", 4: "two points from it", 5: "a knight's move from it"}
"""Circular distances in words."""
_LINES = ("first", "second", "third", "fourth", "fifth", "sixth")
_LIBERTIES = len(MARKED_SIZES)
"""The column of the response patterns that does not know the last move, only liberties."""


def strongest_effects(
    board: Board,
    move: str,
    columns: Sequence[Column],
    phrases: Mapping[Feature, Mapping[int, str]] = PHRASES,
    *,
    pattern_size: int = 0,
    forest: Forest | None = None,
) -> list[Reason]:
    """Return the strongest effects on a move, a point or "pass", given the columns of its levels.

    `phrases` are the tactical features in words, `pattern_size` is that of the largest known pattern around the move.
    """
    said = _Words(board, board.move_name(board.index(move)), columns, phrases, pattern_size, forest)
    points = () if said.move == "pass" else (said.move,)
    effects = theme_effects(columns)
    least = max(NOTICED, SHARE * max(map(abs, effects.values())))
    found = [
        (abs(effect), Reason(theme, points, f"{phrase}, ×{_times(effect)}"))
        for theme, effect in effects.items()
        if abs(effect) >= (NOTICED if theme in TACTICS else least) and (phrase := said.theme(theme, effect))
    ]
    named = sorted(found, key=lambda each: (each[1].kind not in TACTICS, -each[0]))[:MOST]
    return [reason for _, reason in sorted(named, key=lambda each: -each[0])]


def column_effects(
    levels: npt.NDArray[np.uint32],
    played: npt.NDArray[np.bool_],
    tables: Sequence[Table],
    rows: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]:
    """Return the parts of moves with these levels [move, column], less their mean over the moves that may be played."""
    parts = score_parts(levels, tables, rows)
    effects: npt.NDArray[np.float64] = parts - parts[played].mean(axis=0)
    return effects


def score_parts(
    levels: npt.NDArray[np.uint32], tables: Sequence[Table], rows: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Return the part of each column in the scores of moves with these levels [move, column]."""
    bases = np.cumsum([0, *(table.levels for table in tables)])[:-1]
    base = np.repeat(bases, [table.columns for table in tables])
    values = rows[levels + base].astype(np.float64) * (levels > 0)[..., None]
    factors = values[..., 1:]
    pairs = (factors * (factors.sum(axis=1, keepdims=True) - factors)).sum(axis=2) / 2
    parts: npt.NDArray[np.float64] = values[..., 0] + pairs
    return parts


class Column(NamedTuple):
    """A column of a move's levels: its table and theme, the level of the move, and the logarithm of its effect."""

    table: str
    theme: str
    level: int
    effect: float


def columns_of(tables: Sequence[Table], levels: Sequence[int], effects: Sequence[float]) -> list[Column]:
    """Return the columns of a move's levels with their themes."""
    kinds = [(table.name, _theme(table.name, place)) for table in tables for place in range(table.columns)]
    return [Column(*kind, level, effect) for kind, level, effect in zip(kinds, levels, effects, strict=True)]


def theme_effects(columns: Iterable[Column]) -> dict[str, float]:
    """Return the logarithm of the effect of each theme on a move."""
    effects: dict[str, float] = {}
    for column in columns:
        effects[column.theme] = effects.get(column.theme, 0.0) + column.effect
    return effects


def _theme(table: str, place: int) -> str:
    if table == "response":
        return "shape" if place == _LIBERTIES else "last"
    return "leaf" if table.startswith("tree ") else _THEMES.get(table, table)


@dataclass(frozen=True)
class _Words:
    """The themes of a move in Go words."""

    board: Board
    move: str
    columns: Sequence[Column]
    phrases: Mapping[Feature, Mapping[int, str]]
    pattern_size: int
    forest: Forest | None

    def theme(self, theme: str, effect: float) -> str:
        """Return what a theme says about the move, given its effect; "" if nothing."""
        for tactic in TACTICS:
            if theme == tactic:
                return self.phrases[tactic].get(self._level(tactic), "")
        if self.move == "pass":
            return ""
        if theme in ("last", "second-last"):
            return self._nearness(theme, effect)
        if theme == "place":
            return self._place()
        if theme == "shape":
            return shape_name(self.board, self.move) or self._pattern()
        if theme == "stage":
            return f"{'' if effect > 0 else 'un'}typical of this stage of the game"
        if theme == "contact" and not self._level("chains"):
            return "touches no stone"
        present = [column for column in self.columns if column.theme == theme and column.level]
        if theme not in ("contact", "leaf") or not present:
            return ""
        strongest = max(present, key=lambda column: column.effect / effect)
        if theme == "contact":
            return contact_phrase(strongest.table, strongest.level, brief=True)
        assert self.forest is not None
        return f"leaf: {describe(self.forest, strongest.level, int(strongest.table.removeprefix('tree ')) - 1)}"

    def _level(self, table: str) -> int:
        """Return the level of the move in the first column of a table; 0 if there is no such table."""
        return next((column.level for column in self.columns if column.table == table), 0)

    def _nearness(self, theme: str, effect: float) -> str:
        distance, steps = self._level(theme), self._level(f"fate {theme}")
        known = any(column.level for column in self.columns if (column.table, column.theme) == ("response", theme))
        if known and distance and effect > 0:
            return f"answers the {theme} move, {_AWAY.get(distance, 'near it')}"
        if distance:
            return f"{_AWAY.get(distance, 'near it').removesuffix('it')}the {theme} move"
        before = self.board.moves[-1 if theme == "last" else -2 :][:1]
        if before and before[0].point == self.move:  # its stone was captured
            return f"at the point of the {theme} move"
        chain = "touches the chain of" if steps == 1 else "near the chain of" if 0 < steps < 4 else "far from"
        return f"{chain} the {theme} move"

    def _place(self) -> str:
        (row, column), board = as_point(self.move, self.board.width, self.board.height), self.board
        line = min(row, column, board.height - 1 - row, board.width - 1 - column)
        middle = (min(board.width, board.height) - 1) // 2
        return f"on the {_LINES[line]} line" if line < max(1, min(len(_LINES), middle)) else "in the centre"

    def _pattern(self) -> str:
        if self.pattern_size:
            return f"pattern of size {self.pattern_size}"
        return "shape" if any(column.level for column in self.columns if column.theme == "shape") else "unusual shape"


def _times(effect: float) -> str:
    """Write a factor with two digits: 37, 4.1, 0.05; beyond 100 and 0.01 only that it is so: 100+, <0.01."""
    factor = math.exp(effect)
    if factor > 100 or factor < 0.01:
        return "100+" if factor > 1 else "<0.01"
    return f"{factor:.0f}" if factor >= 9.95 else f"{factor:.1f}" if factor >= 0.95 else f"{factor:.2g}"
