"""The rows of `tengen bench territory` for the models on the augmented common fate graph."""

from pathlib import Path

import pytest

from tengen.benchmarks.fate import bench_fate
from tengen.errors import TengenError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_every_model_and_method_has_a_row():
    rows = {row["case"]: row for row in bench_fate(seconds=0.01, boards=2)}
    names = [f"territory/fate-{name}" for name in ("net", "mrf", "messages")]
    methods = [f"fate-mrf, {name}" for name in ("undamped", "step 0.5", "default", "double loop", "exact")]
    assert list(rows) == names + methods
    assert all(rows[name]["ratio"] < 1 for name in names)  # an answer includes the graph
    assert "converges on 100.0% in 1 sweeps, error 0.0000" in rows["fate-mrf, exact"]["note"]


def test_boards_come_from_records():
    assert next(bench_fate(EXAMPLES / "finished-9x9.sgf", seconds=0.01, boards=2))["size"] == 9
    with pytest.raises(TengenError, match="no game of size 9"):
        next(bench_fate(EXAMPLES / "finished-19x19.sgf", seconds=0.01))
