"""Tables of measures: rows of names, numbers and intervals, as text, Markdown or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from unicodedata import east_asian_width

from tengen.errors import TengenError
from tengen.measure.intervals import Interval

Cell: TypeAlias = str | bool | int | float | Interval | None
NOTHING = "–"


@dataclass(frozen=True)
class Column:
    """A column: its name, number of decimals, and whether its numbers are shares shown in percent."""

    name: str
    digits: int = 2
    percent: bool = False

    def text(self, cell: Cell) -> str:
        """Write one cell: a number, or a number with its bounds in brackets."""
        if isinstance(cell, Interval):
            value, low, high = (self.number(part) for part in cell)
            bounds = "" if NOTHING in (low, high) else f" [{low}, {high}]"
            return (value + "%" if self.percent and value != NOTHING else value) + bounds
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, float) or (isinstance(cell, int) and self.percent):
            number = self.number(cell)
            return number + "%" if self.percent and number != NOTHING else number
        return NOTHING if cell is None else f"{cell:,}" if isinstance(cell, int) else cell

    def number(self, value: float) -> str:
        """Write a number with the decimals of the column, a Unicode minus and no sign before zero."""
        if math.isnan(value):
            return NOTHING
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        text = f"{100 * value if self.percent else value:.{self.digits}f}"
        return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


@dataclass(frozen=True, init=False)
class Table:
    """Columns and rows; every row has one cell for each column."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __init__(self, columns: Sequence[Column | str], rows: Sequence[Sequence[Cell]]) -> None:
        named = tuple(Column(column) if isinstance(column, str) else column for column in columns)
        object.__setattr__(self, "columns", named)
        object.__setattr__(self, "rows", tuple(tuple(row) for row in rows))
        for row in self.rows:
            if len(row) != len(named):
                raise TengenError(f"a row of {len(row)} cells does not fit a table of {len(named)} columns")

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Return the table in aligned columns: words to the left, numbers to the right."""
        lines = self._aligned(self._cells())
        rule = "  ".join("─" * width for width in self._widths(self._cells()))
        return "\n".join(line.rstrip() for line in [lines[0], rule, *lines[1:]])

    def markdown(self) -> str:
        """Return the table in Markdown, aligned in its source as well."""
        cells = [[cell.replace("|", "\\|") for cell in row] for row in self._cells()]
        widths = [max(3, width) for width in self._widths(cells)]
        numeric = [self._numeric(i) for i in range(len(self.columns))]
        rule = ["-" * (w - 1) + ":" if right else "-" * w for w, right in zip(widths, numeric, strict=True)]
        padded = [[_pad(*part) for part in zip(row, widths, numeric, strict=True)] for row in cells]
        return "\n".join("| " + " | ".join(row) + " |" for row in [padded[0], rule, *padded[1:]])

    def json(self) -> str:
        """Return one JSON object per line: unrounded numbers, intervals as {value, low, high}, missing values null."""
        names = [column.name for column in self.columns]
        records = [{"schema": 1} | dict(zip(names, map(_plain, row), strict=True)) for row in self.rows]
        return "\n".join(json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)

    def _cells(self) -> list[list[str]]:
        body = [[column.text(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]
        return [[column.name for column in self.columns], *body]

    def _widths(self, cells: list[list[str]]) -> list[int]:
        return [max(_width(row[i]) for row in cells) for i in range(len(self.columns))]

    def _numeric(self, i: int) -> bool:
        kinds = [row[i] for row in self.rows if row[i] is not None]
        return bool(kinds) and all(isinstance(cell, int | float | Interval) for cell in kinds)

    def _aligned(self, cells: list[list[str]]) -> list[str]:
        widths = self._widths(cells)
        right = [self._numeric(i) for i in range(len(widths))]
        return ["  ".join(_pad(*part) for part in zip(row, widths, right, strict=True)) for row in cells]


def _width(text: str) -> int:
    """Return the width of a text on a terminal: Chinese, Japanese and Korean characters take two columns."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, width: int, right: bool) -> str:
    gap = " " * (width - _width(text))
    return gap + text if right else text + gap


def _plain(cell: Cell) -> Any:
    if isinstance(cell, Interval):
        return {name: _plain(value) for name, value in cell._asdict().items()}
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
