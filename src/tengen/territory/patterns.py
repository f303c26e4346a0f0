"""Pattern models: ownership of a point from the statistics of its surrounding pattern (Sanner et al. §2).

Start at `PatternModel`. The prediction for a point depends only on the largest class known there, because that class
determines its parent, grandparent and so on. So fitting computes one value for every class, and a prediction is one
native look-up per point: sign · value. `Smallest` and `Largest` are the simplest ways to assign values; the tree
average is in tengen.territory.bma, regression in tengen.territory.logistic.
"""

from __future__ import annotations

from dataclasses import field
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tengen._core import PatternTable
from tengen.corpus.dataset import DataSet, DataSets
from tengen.errors import ModelError, not_fitted
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.verdict import Reason
from tengen.territory import compact
from tengen.territory.counts import PatternCounts
from tengen.territory.harvest import count_data, harvest
from tengen.views.patterns import WHOLE_BOARD, checked_templates, pattern_keys, template_offsets

Labels = Literal["soft", "hard"]
_WHOLE = {"keys_": np.uint64, "values_": np.float32, "black_": np.float32, "white_": np.float32}


class PatternMatch(NamedTuple):
    """A class that is known at a point, in the orientation it has there."""

    template: int
    black: float
    """How often Black owned the point."""
    white: float
    neutral: bool
    """Whether the class is its own reversal, and so favours neither colour."""
    entry: int
    """Its place in the table."""
    sign: int


class PatternModel(OwnershipModel):
    """A table of pattern classes with a value each; subclasses compute the values."""

    keys_: npt.NDArray[Any] = field(init=False)
    values_: npt.NDArray[Any] = field(init=False)
    black_: npt.NDArray[Any] = field(init=False)
    white_: npt.NDArray[Any] = field(init=False)

    templates: int = 8
    min_count: float = 3
    labels: Labels = "soft"
    most: int | None = None

    def __post_init__(self) -> None:
        if self.labels not in ("soft", "hard"):
            raise ModelError(f"labels must be soft (fractional) or hard (by sign), not {self.labels!r}")
        self.templates = checked_templates(self.templates)
        if self.most is not None and self.most < 1:
            raise ModelError(f"most must be a positive number of patterns, not {self.most!r}")

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Count the patterns of the data and compute their values; for a large corpus use `tengen fit`."""
        hard = self.labels == "hard"
        counts = count_data(data, templates=self.templates, min_count=self.min_count, hard=hard)
        return self.fit_counts(counts, data, progress=progress)

    def fit_corpus(
        self,
        data: DataSet | DataSets,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Count the patterns shard by shard and value them; return how many the model knows."""
        counts = harvest(
            data,
            work,
            templates=self.templates,
            min_count=self.min_count,
            hard=self.labels == "hard",
            workers=workers,
            scheduler=scheduler,
            progress=progress,
        )
        self.fit_counts(counts, data)
        return {"patterns": float(len(self.keys_))}

    def fit_counts(self, counts: PatternCounts, data: Data | None = None, *, progress: Progress | None = None) -> Self:
        """Compute the values of counted patterns; `data` is their source, for models that need the positions too."""
        counts = counts.up_to(self.templates)
        values = self._values(counts, data, progress)
        if self.most is None:
            self.keys_, self.values_ = counts.keys, values.astype(np.float32)
            self.black_, self.white_ = counts.black.astype(np.float32), counts.white.astype(np.float32)
        else:
            self._keep(compact.telling(counts, values, self.most), counts, values)
        self._made: PatternTable | None = None
        return self

    def _keep(self, rows: npt.NDArray[np.intp], counts: PatternCounts, values: FloatArray) -> None:
        """Keep some classes only, in packed form."""
        self.keys_, self.values_ = compact.pack_keys(counts.keys[rows]), compact.pack_values(values[rows])
        self.black_, self.white_ = (compact.pack_counts(c[rows]) for c in (counts.black, counts.white))

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        """Return the ownership of each class, in its stored orientation."""
        raise NotImplementedError

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from its file."""
        model = super().load(path)
        try:
            model.table()
        except ModelError as problem:
            raise ModelError(f"{path}: {problem}") from None
        return model

    def ownership(self, board: Board) -> FloatArray:
        """Return the value of the largest known pattern at each point."""
        return self.table().ownership(board.stones[None], self.templates)[0, ...]

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards in one call."""
        stones = stacked_stones(boards)
        return self.table().ownership(stones, self.templates) if len(stones) else np.zeros(stones.shape)

    def matches(self, board: Board, point: PointLike) -> list[PatternMatch]:
        """Return the classes known at a point, the smallest template first."""
        row, column = as_point(point, board.width, board.height)
        keys, signs = pattern_keys(board.stones, self.templates)
        entries = self.table().find(keys[row, column]).tolist()
        known = entries.index(-1) if -1 in entries else len(entries)
        return [self._match(i, entries[i], int(signs[row, column, i])) for i in range(known)]

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the known patterns at a point: how often they occurred, who owned the point, and their weights."""
        row, column = as_point(point, board.width, board.height)
        found = self.matches(board, point)
        if not found:
            return super().explain(board, point)
        said = zip(found, self._shares(found), strict=True)
        return [_reason(board, row, column, match, share) for match, share in said]

    def _shares(self, found: list[PatternMatch]) -> list[str]:
        """Return for each class its part in the prediction."""
        return ["" for _ in found[:-1]] + ["this is the largest known pattern there"]

    def _match(self, level: int, entry: int, sign: int) -> PatternMatch:
        met = np.array([self.black_[entry], self.white_[entry]])
        black, white = (compact.unpack_counts(met) if self.most is not None else met).tolist()
        return PatternMatch(level + 1, *((white, black) if sign < 0 else (black, white)), sign == 0, entry, sign)

    def table(self) -> PatternTable:
        """The native table, created on first use."""
        made: PatternTable | None = getattr(self, "_made", None)
        if made is None:
            self._made = made = self._checked_table()
        return made

    def _checked_table(self) -> PatternTable:
        kinds = _WHOLE if self.most is None else compact.PACKED
        if getattr(self, "keys_", None) is None:
            raise not_fitted(self.name)
        for name, kind in kinds.items():
            array = getattr(self, name, None)
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != (len(self.keys_),):
                raise ModelError(f"not a table of patterns: {name} is missing or has a wrong type")
        try:
            return self._native_table()
        except ValueError as problem:
            raise ModelError(f"not a table of patterns: {problem}") from None

    def _native_table(self) -> PatternTable:
        if self.most is not None:
            keys, values = compact.unpack_keys(self.keys_), compact.unpack_values(self.values_)
            return PatternTable(keys, values, compact.KEY_BITS)
        if not (np.abs(self.values_) <= 1).all():
            raise ModelError("a value is not an ownership")
        return PatternTable(self.keys_, self.values_)


class Largest(PatternModel):
    """The share of games in which Black owned the point when its largest known pattern was there."""

    name = "territory/largest"

    smoothing: float = 0.5

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        return shares(counts.black, counts.white, self.smoothing)


class Shrunk(PatternModel):
    """The share of the largest known pattern, shrunk towards that of the next smaller, and so on."""

    name = "territory/shrunk"

    strength: float = 4.0

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        values = np.zeros(len(counts))
        for level, rows in enumerate(counts.levels(), start=1):
            above = counts.relation[rows] * values[counts.parent[rows]] if level > 1 else 0.0
            own = shares(counts.black[rows], counts.white[rows], self.strength / 2, above)
            values[rows] = np.where(counts.neutral[rows], 0.0, own)
        return values


class Smallest(Largest):
    """The share of a small pattern: the point alone (1), with its neighbours (2), with its diagonals too (3)."""

    name = "territory/smallest"

    templates: int = 2


def shares(black: FloatArray, white: FloatArray, smoothing: float, centre: FloatArray | float = 0.0) -> FloatArray:
    """Return the ownership 2θ − 1 with θ = (black + α) / (black + white + 2α), shrunk towards `centre` instead of 0."""
    return (black - white + 2 * smoothing * centre) / np.maximum(black + white + 2 * smoothing, 1e-300)


def _reason(board: Board, row: int, column: int, match: PatternMatch, share: str) -> Reason:
    centre = point_name(row, column, board.height)
    places = _points(board, row, column, match.template)
    count = match.black + match.white
    where = f"{centre} alone" if match.template == 1 else f"The {len(places)} points around {centre}"
    if match.template == WHOLE_BOARD:
        where = "The whole board"
    met = f"{where} looked like this {count:,.0f} times"
    if match.neutral:
        said = f"{met}, which looks the same for both colours"
    else:
        owner, part = ("Black", match.black) if match.black >= match.white else ("White", match.white)
        said = f"{met}, and {owner} owned {centre} in {part / max(count, 1e-300):.0%} of them"
    return Reason("pattern", places, f"{said}; {share}." if share else f"{said}.")


def _points(board: Board, row: int, column: int, template: int) -> tuple[str, ...]:
    """Name the points of a template that are on the board, the centre first."""
    if template == WHOLE_BOARD:
        near = [(r, c) for r in range(board.height) for c in range(board.width)]
    else:
        near = [(row + r, column + c) for r, c in template_offsets(template)]
    on_board = [(r, c) for r, c in near if 0 <= r < board.height and 0 <= c < board.width]
    on_board.sort(key=lambda place: (place != (row, column), place))
    return tuple(point_name(r, c, board.height) for r, c in on_board)
