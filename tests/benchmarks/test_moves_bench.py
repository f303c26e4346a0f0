"""The rows of `tengen bench moves`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.benchmarks import bradley_terry, moves
from tengen.benchmarks.moves import bench_moves, with_features
from tengen.go.positions import Positions
from tengen.moves.policy import FactorMoves, TacticalMoves
from tests.cli.program import call

EXAMPLE = Path(__file__).parents[2] / "examples" / "finished-19x19.sgf"
MODELS = [f"moves/{name}" for name in ("combined", "factors", "forest", "patterns", "tactical")]


@pytest.fixture(autouse=True)
def few_passes(monkeypatch):
    monkeypatch.setattr(moves, "PASSES", 2)


def test_rows_have_what_the_report_promises() -> None:
    rows = list(islice(bench_moves(EXAMPLE, seconds=0.1, leaves=20), len(MODELS)))
    assert [row["case"] for row in rows] == MODELS
    for row in rows:
        assert (row["bench"], row["size"], row["threads"]) == ("moves", 19, 1)
        assert row["ms"] > 0
        assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
        assert row["note"].startswith("1 boards of finished-19x19.sgf, ")


def test_a_model_without_weights_gets_the_patterns_of_the_boards() -> None:
    boards = Positions.of([tengen.read(EXAMPLE).board(60)])
    model = with_features(FactorMoves(), boards, 20)
    levels = model.policy.levels(boards.stones, boards.to_play, boards.ko, boards.last_moves, boards.passes)[
        0, boards.legal[0]
    ]
    columns = [column for table in model.tables for column in [table.name] * table.columns]
    known = {name: (levels[:-1, np.array(columns) == name] > 0).sum(axis=1) for name in ("pattern", "response")}
    assert (known["pattern"] == 6).all()  # sizes 3 to 8
    assert known["response"].min() == 1  # the stones around the move
    assert known["response"].max() == 8
    fitted = tengen.load("moves/tactical")
    assert isinstance(fitted, TacticalMoves)
    assert with_features(fitted, boards, 20) is fitted


def test_weights_are_printed_with_memory_and_error(monkeypatch) -> None:
    rows = [
        {"bench": "weights", "case": "mm", "size": 200, "threads": 1, "ms": 3690.94, "peak_mb": 119.7, "error": 0.0288},
        {"bench": "weights", "case": "once", "size": 200, "threads": 1, "ms": 588.0, "peak_mb": 77.8, "error": None},
    ]
    monkeypatch.setattr(moves, "bench_moves", lambda games: iter(rows))
    one, other = call("bench", "moves").stdout.splitlines()
    assert one.split() == "weights mm, size 200, 1 thread 3690.940 ms; 120 MB, median error of ln γ 0.029".split()
    assert other.endswith("588.000 ms; 78 MB")


@pytest.mark.slow
def test_weights_follow_the_models(monkeypatch) -> None:
    monkeypatch.setattr(bradley_terry, "BATCH", 100)
    rows = list(bench_moves(EXAMPLE, seconds=0.05, leaves=10, positions=100))
    assert [row["bench"] for row in rows] == ["moves"] * 5 + ["weights"] * 5
