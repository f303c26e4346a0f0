"""Speed, measured as ratios against named references in the same run."""

from __future__ import annotations

from tengen.benchmarks.harness import SpeedComparison, compare_speed
from tengen.benchmarks.playouts import bench_playouts

__all__ = ["SpeedComparison", "bench_playouts", "compare_speed"]
