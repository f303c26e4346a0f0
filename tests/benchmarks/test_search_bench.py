"""The rows of `tengen bench search`."""

from __future__ import annotations

from tengen.benchmarks.search import bench_search


def test_rows_have_what_the_report_promises() -> None:
    rows = list(bench_search(sizes=(5,), seconds=0.2))
    assert [(row["case"], row["threads"]) for row in rows] == [("strong", 1), ("strong", 2), ("uct", 1), ("uct", 2)]
    for row in rows:
        assert row["bench"] == "search"
        assert row["per_second"] > 0
        assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
    assert {row["reference"] for row in rows if row["threads"] == 2} == {"one thread"}
