"""The records bench measures what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen.benchmarks.records import bench_records, random_record
from tengen.go.record import Game

pytest.importorskip("sgfmill", reason="sgfmill is not installed")


def test_rows_name_their_reference(tmp_path: Path) -> None:
    for seed in range(3):
        (tmp_path / f"{seed}.sgf").write_bytes(random_record(9, seed))
    rows = list(bench_records(tmp_path, seconds=0.2))
    assert [(row["bench"], row["case"], row["size"], row["threads"], row["reference"]) for row in rows] == [
        ("records", "read", 9, 1, "sgfmill"),
        ("records", "read+replay", 9, 1, "sgfmill"),
    ]
    assert all(row["ratio"] > 0 and row["per_second"] > 0 for row in rows)


def test_random_records_are_legal_and_repeat() -> None:
    record = random_record(9, seed=5)
    game = Game.from_sgf(record)
    assert record == random_record(9, seed=5)
    assert len(game) >= 40
    assert game.illegal_moves() == []
