"""Results of a paper's experiments: our numbers beside the published ones, and its findings.

Experiments yield `Row` and `Finding`. In JSON each is one object per line, written at once; in text they are collected
into tables, each printed when it is complete (`texts`). Numbers have the unit in the title of their table; a published
value is a number, or text if the paper gives bounds or words.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from tengen.measure.intervals import Interval
from tengen.measure.tables import NOTHING, Column, Table

Value: TypeAlias = float | int | str | None

FINDINGS = "findings"
HELD = {True: "yes", False: "no", None: "not decided"}


@dataclass(frozen=True)
class Row:
    """One number of the paper beside ours."""

    table: str
    row: str
    published: Value
    """None if the paper gives no number, as in a plot."""
    ours: Value
    """None if it was not measured; the note gives the reason."""
    interval: tuple[float, float] | None = None
    """The bounds of our number, at 95 % unless the table states otherwise."""
    note: str = ""

    @property
    def measured(self) -> Interval | None:
        """Our number with its bounds, if it was measured and has bounds."""
        if isinstance(self.ours, float) and math.isfinite(self.ours) and self.interval is not None:
            return Interval(self.ours, *self.interval)
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return the row as an object for JSON."""
        bounds = None if self.interval is None else [_finite(bound) for bound in self.interval]
        numbers = {"published": _finite(self.published), "ours": _finite(self.ours), "interval": bounds}
        return {"schema": 1, "table": self.table, "row": self.row, **numbers, "note": self.note}


@dataclass(frozen=True)
class Finding:
    """A claim of the paper, and whether our numbers confirm it."""

    claim: str
    held: bool | None
    """None if our numbers do not decide it."""
    evidence: str

    table = FINDINGS

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as an object for JSON; `published` is always true."""
        found = {"published": True, "ours": self.held, "interval": None}
        return {"schema": 1, "table": FINDINGS, "row": self.claim, **found, "note": self.evidence}


def json_lines(report: Iterable[Row | Finding]) -> Iterator[str]:
    """Write one object per line."""
    return (json.dumps(line.as_dict(), ensure_ascii=False, allow_nan=False) for line in report)


def texts(report: Iterable[Row | Finding]) -> Iterator[str]:
    """Write one table after the other, each under its title."""
    for title, lines in groupby(report, key=lambda line: line.table):
        found = list(lines)
        rows = [line for line in found if isinstance(line, Row)]
        findings = [line for line in found if isinstance(line, Finding)]
        text = number_table(rows).text() if rows else "\n".join(map(finding_text, findings))
        yield f"{title[:1].upper()}{title[1:]}\n{text}\n"


def number_table(rows: list[Row]) -> Table:
    """Return published numbers beside ours."""
    columns = ["", "published", "ours", "note"]
    cells = [[row.row, _published(row.published), _ours(row), row.note] for row in rows]
    if not any(row.note for row in rows):
        columns, cells = columns[:-1], [line[:-1] for line in cells]
    return Table(columns, cells)


def finding_text(finding: Finding) -> str:
    """Return the verdict and the claim, with the numbers on the line below."""
    return f"{HELD[finding.held]:<13}{finding.claim}\n{'':<13}{finding.evidence}"


def _published(value: Value) -> str:
    return NOTHING if value is None else value if isinstance(value, str) else f"{value:,}"


def _ours(row: Row) -> str:
    """Write our number with its bounds, with three significant digits but at most four decimals."""
    if not isinstance(row.ours, float):
        return _published(row.ours)
    size = abs(row.ours) if math.isfinite(row.ours) and row.ours else 1.0
    column = Column("ours", digits=min(4, max(0, 2 - math.floor(math.log10(size)))))
    return column.text(row.ours if row.interval is None else Interval(row.ours, *row.interval))


def _finite(value: Value) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value
