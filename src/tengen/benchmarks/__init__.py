"""Speed, measured as ratios against named references in the same run."""

from __future__ import annotations

from tengen.benchmarks.harness import Comparison, compare
from tengen.benchmarks.playouts import bench_playouts

__all__ = ["Comparison", "bench_playouts", "compare"]
