"""What a paper's experiments say: numbers beside the published ones, and findings that held or did not.

`Row` and `Finding` are what the experiments yield. As JSON each is one object a line, as soon as it comes; as text they
are gathered into tables, each printed when its last row is there (`texts`). Numbers are in the unit that the title of
their table names; a published value is a number or, where the paper gives bounds or words, text.
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
    """None where the paper gives no number, as in a plot."""
    ours: Value
    """None where we did not measure it; the note says why."""
    interval: tuple[float, float] | None = None
    """The bounds of ours, at 95 % where the table does not say otherwise."""
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON has it."""
        bounds = None if self.interval is None else [_finite(bound) for bound in self.interval]
        numbers = {"published": _finite(self.published), "ours": _finite(self.ours), "interval": bounds}
        return {"schema": 1, "table": self.table, "row": self.row, **numbers, "note": self.note}


@dataclass(frozen=True)
class Finding:
    """Something the paper says, and whether it is so here."""

    claim: str
    held: bool | None
    """None where our numbers do not decide it."""
    evidence: str
    """The numbers it was decided by."""

    table = FINDINGS

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON has it: what the paper says is true, published; ours is what we found."""
        found = {"published": True, "ours": self.held, "interval": None}
        return {"schema": 1, "table": FINDINGS, "row": self.claim, **found, "note": self.evidence}


def json_lines(report: Iterable[Row | Finding]) -> Iterator[str]:
    """Write one object a line."""
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
    """Say whether it held and what the paper says, and by what numbers in the line below."""
    return f"{HELD[finding.held]:<13}{finding.claim}\n{'':<13}{finding.evidence}"


def _published(value: Value) -> str:
    """Quote a number as it was printed."""
    return NOTHING if value is None else value if isinstance(value, str) else f"{value:,}"


def _ours(row: Row) -> str:
    """Write our number with its bounds, three digits that count but four after the point at most."""
    if not isinstance(row.ours, float):
        return _published(row.ours)
    size = abs(row.ours) if math.isfinite(row.ours) and row.ours else 1.0
    column = Column("ours", digits=min(4, max(0, 2 - math.floor(math.log10(size)))))
    return column.text(row.ours if row.interval is None else Interval(row.ours, *row.interval))


def _finite(value: Value) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value
