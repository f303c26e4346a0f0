"""The comparison of two programs on a clock of our own, and the rows of `tengen bench playouts`."""

from __future__ import annotations

import sys

import pytest

import tengen
from tengen.benchmarks import harness
from tengen.benchmarks.harness import compare_speed, median_interval, units_for
from tengen.benchmarks.playouts import bench_playouts


class Clock:
    """Time passes only by work."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slowness = iter(())

    def __call__(self) -> float:
        return self.now

    def work(self, seconds_each: float) -> harness.Work:
        def run(units: int) -> None:
            self.now += units * seconds_each * next(self.slowness, 1.0)

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(harness, "perf_counter", clock)
    return clock


def test_a_steady_machine_gives_the_exact_ratio(clock: Clock) -> None:
    result = compare_speed(clock.work(0.001), clock.work(0.004), seconds=2.0)
    assert (result.ratio, result.ratio_low, result.ratio_high) == pytest.approx((4, 4, 4))
    assert (result.per_second, result.reference_per_second) == pytest.approx((1000, 250))
    assert clock.now == pytest.approx(2.0, rel=0.5)


def test_a_few_disturbed_rounds_change_nothing(clock: Clock) -> None:
    ours, reference = clock.work(0.001), clock.work(0.002)
    units_for(ours, 0.1)
    clock.slowness = iter([1.0] * 40 + [10.0] * 7 + [1.0] * 60)
    result = compare_speed(ours, reference, seconds=2.0)
    assert (result.ratio, result.ratio_low, result.ratio_high) == pytest.approx((2, 2, 2))


@pytest.mark.parametrize("each", [1e-6, 1e-3, 0.3, 5.0])
def test_units_fill_the_time_but_are_never_none(clock: Clock, each: float) -> None:
    assert units_for(clock.work(each), 0.1) == max(1, round(0.1 / each))


def test_the_interval_of_a_median() -> None:
    assert median_interval([5.0]) == (5.0, 5.0, 5.0)
    assert median_interval([float(value) for value in range(1, 101)]) == (41.0, 50.5, 60.0)


def test_rows_have_what_the_report_promises() -> None:
    pytest.importorskip("tengen._dev")
    rows = list(bench_playouts(sizes=(9,), threads=(1, 2), seconds=0.3))
    ours = [row["reference"] for row in rows if row["reference"] != "openspiel"]
    assert ours == ["plain", "uniform", "one thread", "uniform"]
    for row in rows:
        assert row["bench"] == "playouts"
        assert row["per_second"] > 0
        assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
        assert row["mean_length"] == pytest.approx(105 if row["case"] == "knowing" else 111, abs=2)


def test_references_that_are_missing_have_no_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setitem(sys.modules, "tengen._dev", None)
    monkeypatch.delattr(tengen, "_dev", raising=False)
    rows = list(bench_playouts(sizes=(5, 9), threads=(1,), seconds=0.05))
    assert [(row["size"], row["reference"]) for row in rows] == [(5, "uniform"), (9, "uniform")]
    openspiel, plain = capsys.readouterr().err.splitlines()
    assert "pip install tengen[bench]" in openspiel
    assert "TENGEN_DEV=ON" in plain
