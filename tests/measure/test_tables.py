"""Tables as text, Markdown and JSON."""

import json
import math

import pytest

from tengen.errors import TengenError
from tengen.measure.intervals import Interval
from tengen.measure.tables import Column, Table

TABLE = Table(
    ["model", Column("games", 0), Column("block", percent=True), Column("Elo", 1)],
    [
        ("naive", 1900, Interval(0.1757, 0.1717, 0.1797), Interval(-12.34, -30.0, 5.0)),
        ("围棋 a|b", 900, Interval(0.0736, 0.0709, 0.0763), None),
    ],
)


def test_text_is_aligned():
    assert TABLE.text().splitlines() == [
        "model     games                  block                 Elo",
        "────────  ─────  ─────────────────────  ──────────────────",
        "naive     1,900  17.57% [17.17, 17.97]  −12.3 [−30.0, 5.0]",
        "围棋 a|b    900     7.36% [7.09, 7.63]                   –",
    ]


def test_markdown_is_aligned_and_escaped():
    assert TABLE.markdown().splitlines() == [
        "| model     | games |                 block |                Elo |",
        "| --------- | ----: | --------------------: | -----------------: |",
        "| naive     | 1,900 | 17.57% [17.17, 17.97] | −12.3 [−30.0, 5.0] |",
        "| 围棋 a\\|b |   900 |    7.36% [7.09, 7.63] |                  – |",
    ]


def test_json_is_one_object_a_line_with_nothing_rounded():
    first, second = map(json.loads, TABLE.json().splitlines())
    assert first["block"] == {"value": 0.1757, "low": 0.1717, "high": 0.1797}
    assert second == {"schema": 1, "model": "围棋 a|b", "games": 900, "block": second["block"], "Elo": None}


def test_what_is_not_a_number():
    column = Column("x", 1)
    assert column.text(math.nan) == "–"
    assert column.text(Interval(math.inf, 30.0, math.inf)) == "∞ [30.0, ∞]"
    assert column.text(Interval(0.5, math.nan, math.nan)) == "0.5"
    table = Table(["x"], [(Interval(math.inf, 1.0, math.nan),)])
    assert json.loads(table.json())["x"] == {"value": None, "low": 1.0, "high": None}


def test_cells_of_every_kind():
    assert Column("x").text(True) == "yes"
    assert Column("x").text(1234567) == "1,234,567"
    assert Column("x", 3).text(-0.0001) == "0.000"
    assert Column("x", 1, percent=True).text(0.256) == "25.6%"
    assert Column("x", 0, percent=True).text(1) == "100%"
    assert Column("x", percent=True).text(math.nan) == "–"


def test_a_table_without_rows_has_its_head():
    assert Table(["a", "b"], []).text() == "a  b\n─  ─"
    assert Table(["a", "b"], []).json() == ""


def test_a_row_must_fit():
    with pytest.raises(TengenError, match="a row of 1 cells does not fit a table of 2 columns"):
        Table(["a", "b"], [("x",)])
