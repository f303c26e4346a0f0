"""The rows of the benchmark of weights."""

from __future__ import annotations

from multiprocessing import get_context

import numpy as np
import pytest

from tengen.benchmarks.bradley_terry import bench_weights, peak_memory


@pytest.mark.slow
def test_rows_have_what_the_report_promises():
    rows = list(bench_weights(300, share=0.0005))
    assert [row["case"] for row in rows] == [
        "mm, 5 features, 300 positions",
        "softmax, 5 features, 300 positions",
        "one pass of latent-factor ranking, 5 features, 300 positions",
        "mm, 19 features, 225 positions",
        "one pass of latent-factor ranking, 19 features, 225 positions",
    ]
    for row in rows:
        assert row["bench"] == "weights"
        assert row["ms"] > 0
        assert row["peak_mb"] > 10


def test_peak_memory_counts_bytes():
    assert peak_memory() > 10_000_000


def test_the_peak_of_a_new_process_is_its_own():
    large = np.ones(200_000_000, np.uint8)
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(peak_memory) < len(large) < peak_memory()
