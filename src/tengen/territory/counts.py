"""Counts of patterns: how often each class occurred with Black and with White as the owner of its centre.

Start at `count_boards`, which counts one stack of boards, and `PatternCounts.joined`, which joins the templates.
All templates are counted on the same events, every labelled point of every position (or only those whose largest
pattern has changed), so a class never has more counts than its parent, the class of the next smaller template. How
often a class was met, by which rare ones are dropped, counts its own changes only.

Counts are whole numbers of two-hundredths, because labels come in hundredths: sums are exact in any order. A soft
label o adds (1 + o)/2 to Black and (1 − o)/2 to White, in the stored orientation of the class; a class that is its own
reversal gets half of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen._core import pattern_keys
from tengen.errors import TengenError
from tengen.go.arrays import as_stones

UNIT = 200
"""The count of a whole event."""

Whole = npt.NDArray[np.int64]
Met = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int8]]
"""Keys and signs."""


@dataclass(frozen=True)
class LevelCounts:
    """The classes of one template, sorted by key."""

    keys: npt.NDArray[np.uint64]
    parents: npt.NDArray[np.uint64]
    """The key of the next smaller template's class; 0 for the smallest."""
    relation: npt.NDArray[np.int8]
    """Orientation of the parent relative to the class: +1 the same, −1 reversed, 0 if it is its own reversal."""
    neutral: npt.NDArray[np.bool_]
    """Whether the class is its own reversal."""
    black: Whole
    """Two-hundredths of events that Black owned, in the orientation of the class."""
    white: Whole
    met: Whole
    """Two-hundredths of events at which the class itself was new."""

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> LevelCounts:
        """Return some of the classes."""
        return LevelCounts(**{entry.name: getattr(self, entry.name)[rows] for entry in fields(self)})

    def at_least(self, count: float, needed: npt.NDArray[np.uint64] | None = None) -> LevelCounts:
        """Return the classes met at least `count` times, and those whose keys are needed as parents."""
        often: npt.NDArray[np.bool_] = self.met >= round(count * UNIT)
        return self.take(often if needed is None else often | np.isin(self.keys, needed))

    @staticmethod
    def merged(parts: Sequence[LevelCounts]) -> LevelCounts:
        """Add up parts that may share classes."""
        joined = LevelCounts(
            **{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(LevelCounts)}
        )
        order, starts = _groups(joined.keys)
        first = joined.take(order[starts])
        sums = [_group_sums(values, order, starts) for values in (joined.black, joined.white, joined.met)]
        return LevelCounts(first.keys, first.parents, first.relation, first.neutral, *sums)


@dataclass(frozen=True)
class PatternCounts:
    """The classes of all templates in one table, sorted by key within each template."""

    keys: npt.NDArray[np.uint64]
    level: npt.NDArray[np.uint8]
    """The template of each class, from 1."""
    parent: npt.NDArray[np.int32]
    """Where the parent is; −1 for template 1."""
    relation: npt.NDArray[np.int8]
    neutral: npt.NDArray[np.bool_]
    black: npt.NDArray[np.float64]
    """Events, in the orientation of the class."""
    white: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def templates(self) -> int:
        """The number of templates."""
        return int(self.level.max(initial=0))

    def levels(self) -> list[npt.NDArray[np.intp]]:
        """Return where the classes of each template are, template 1 first."""
        return [np.flatnonzero(self.level == level) for level in range(1, self.templates + 1)]

    def up_to(self, templates: int) -> PatternCounts:
        """Return the counts of the smaller templates only."""
        if templates >= self.templates:
            return self
        kept = np.flatnonzero(self.level <= templates)
        place = np.full(len(self) + 1, -1, np.int32)  # the last stands for "no parent"
        place[kept] = np.arange(len(kept), dtype=np.int32)
        chosen = {entry.name: getattr(self, entry.name)[kept] for entry in fields(self)}
        return PatternCounts(**{**chosen, "parent": place[chosen["parent"]]})

    @staticmethod
    def joined(levels: Sequence[LevelCounts]) -> PatternCounts:
        """Join the templates and check the invariants."""
        level = np.concatenate([np.full(len(part), i, np.uint8) for i, part in enumerate(levels, start=1)])
        table = {f.name: np.concatenate([getattr(part, f.name) for part in levels]) for f in fields(LevelCounts)}
        order = np.argsort(table["keys"])
        level, table = level[order], {name: values[order] for name, values in table.items()}
        parent = _places(table["keys"], table["parents"], level > 1)
        _check(table, parent)
        counts = {side: table[side] / UNIT for side in ("black", "white")}
        return PatternCounts(table["keys"], level, parent, table["relation"], table["neutral"], **counts)


def count_boards(
    boards: npt.NDArray[np.int8],
    targets: npt.NDArray[np.floating],
    weights: npt.NDArray[np.floating] | None = None,
    *,
    templates: int = 8,
    hard: bool = False,
    games: npt.NDArray[np.int64] | None = None,
) -> list[LevelCounts]:
    """Count the classes at the labelled points of boards, template by template; `hard` uses only the sign of labels.

    With `games`, the game of each board in the order of play, a point counts only where its largest pattern differs
    from that on the board before, and a class is met only where it does itself (Sanner et al., footnote 4).
    """
    targets = np.asarray(targets, np.float64)
    keys, signs = pattern_keys(as_stones(boards), templates)
    labelled = np.isfinite(targets)
    new = None if games is None else np.stack([changed(keys[..., i], games) for i in range(templates)], -1)
    if new is not None:
        labelled &= new[..., -1]
    total = _whole_weights(weights, targets.shape)[labelled]
    owner = np.sign(targets[labelled]) if hard else targets[labelled]
    black = np.rint(total * (1 + owner) / 2).astype(np.int64)
    keys, signs = keys[labelled], signs[labelled]
    above = np.zeros(len(keys), np.uint64), np.zeros(len(keys), np.int8)
    levels: list[LevelCounts] = []
    for i in range(templates):
        here = np.ascontiguousarray(keys[:, i]), np.ascontiguousarray(signs[:, i])
        met = total if new is None else total * new[labelled][:, i]
        levels.append(_count_level(here, above, black, total, met))
        above = here
    return levels


def changed(keys: npt.NDArray[np.uint64], games: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return where the key of a point [n, row, column] is new: on its game's first board, or other than before."""
    new = np.ones(keys.shape, bool)
    new[1:] = (keys[1:] != keys[:-1]) | (games[1:] != games[:-1])[:, None, None]
    return new


def _count_level(here: Met, above: Met, black: Whole, total: Whole, met: Whole) -> LevelCounts:
    (keys, signs), (parents, parent_signs) = here, above
    order, starts = _groups(keys)
    first = order[starts]
    ours = np.where(signs > 0, black, np.where(signs < 0, total - black, total // 2))
    blacks, totals, news = (_group_sums(values, order, starts) for values in (ours, total, met))
    sign = signs[first]
    relation = sign * parent_signs[first]
    return LevelCounts(keys[first], parents[first], relation, sign == 0, blacks, totals - blacks, news)


def _groups(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return an order that groups equal keys, and the start of each group."""
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.ones(len(keys), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(new)


def _group_sums(values: Whole, order: npt.NDArray[np.intp], starts: npt.NDArray[np.intp]) -> Whole:
    return np.add.reduceat(values[order], starts) if len(starts) else np.zeros(0, np.int64)


def _whole_weights(weights: npt.NDArray[np.floating] | None, shape: tuple[int, ...]) -> Whole:
    """Return weights in two-hundredths, even so that they can be halved."""
    if weights is None:
        return np.full(shape, UNIT, np.int64)
    each = np.asarray(weights, np.float64)
    each = each.reshape(*each.shape, *(1,) * (len(shape) - each.ndim))
    return np.broadcast_to(2 * np.rint(each * (UNIT // 2)).astype(np.int64), shape)


def _places(
    keys: npt.NDArray[np.uint64], wanted: npt.NDArray[np.uint64], present: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int32]:
    places = np.full(len(keys), -1, np.int32)
    found = np.searchsorted(keys, wanted[present])
    if (keys[np.minimum(found, len(keys) - 1)] != wanted[present]).any():
        raise TengenError("the counts of patterns are damaged: a class has no parent")
    places[present] = found
    return places


def _check(table: dict[str, npt.NDArray[Any]], parent: npt.NDArray[np.int32]) -> None:
    """No class has more counts than its parent, colour by colour."""
    child, above = np.flatnonzero(parent >= 0), parent[parent >= 0]
    relation = table["relation"][child]
    black, white = table["black"], table["white"]
    least = np.where(relation >= 0, black[above], white[above]) - black[child]
    other = np.where(relation >= 0, white[above], black[above]) - white[child]
    whole = black[above] + white[above] - black[child] - white[child]
    if (whole < 0).any() or ((relation != 0) & ((least < 0) | (other < 0))).any():
        raise TengenError("the counts of patterns are damaged: a class has more counts than its parent")
