"""The bench of values has the agreed rows."""

import pytest

from tengen.benchmarks.values import bench_values


@pytest.mark.slow
def test_a_row_for_every_kind_of_features():
    rows = list(bench_values(seconds=0.05))
    assert [row["case"] for row in rows] == ["TD, 2×2 templates", "TD, 105 features of 3×3"]
    for row in rows:
        assert {"bench", "size", "threads", "ms", "reference", "ratio", "games_per_minute"} <= row.keys()
        assert row["games_per_minute"] > 0
