"""The rows of `tengen bench tactics`."""

from __future__ import annotations

from pathlib import Path

from tengen.benchmarks.tactics import bench_tactics, middle_games

EXAMPLE = Path(__file__).parents[2] / "examples" / "finished-19x19.sgf"


def test_rows_have_what_the_report_promises() -> None:
    rows = list(bench_tactics(EXAMPLE, seconds=0.1))
    assert [row["case"] for row in rows] == ["every chain", "every move of Black", "features of every move"]
    for row in rows:
        assert row["bench"] == "tactics"
        assert row["ms"] > 0
        assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
        assert row["note"] == "1 boards of finished-19x19.sgf"


def test_boards_are_taken_from_the_middle_of_games() -> None:
    assert [board.move_number for board in middle_games(EXAMPLE)] == [60]
    assert len(middle_games(None)) == 50
