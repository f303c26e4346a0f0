"""Playouts per second in the search: one thread against playouts without a tree, two threads against one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tengen import _core
from tengen.benchmarks.harness import Work, compare_speed
from tengen.benchmarks.playouts import counter, our_playouts
from tengen.search.player import KNOWLEDGE

KOMI, NODES = 7.5, 4_000_000


def bench_search(*, sizes: Sequence[int] = (9, 19), seconds: float = 8.0) -> Iterator[dict[str, Any]]:
    """Measure the strong and the plain search, on one thread and on two."""
    for size in sizes:
        for case, strong in (("strong", True), ("uct", False)):
            alone = our_playouts(size, 1, KNOWLEDGE if strong else None)
            one, two = (searched(size, strong, threads) for threads in (1, 2))
            yield _row(case, size, 1, "the same playouts without a tree", one, alone, seconds)
            yield _row(case, size, 2, "one thread", two, one, seconds)


def searched(size: int, strong: bool, threads: int) -> Work:
    """Return the playouts of a new search as work."""
    position, seed = _core.Position(size, size), counter()

    def work(n: int) -> None:
        knowledge = KNOWLEDGE if strong else None
        _core.Search(position, strong, seed(), NODES, KOMI, False, knowledge).run(n, math.inf, threads, [])

    return work


def _row(case: str, size: int, threads: int, reference: str, ours: Work, other: Work, seconds: float) -> dict[str, Any]:
    found = compare_speed(ours, other, seconds=seconds, rounds=20)
    return {
        "bench": "search",
        "case": case,
        "size": size,
        "threads": threads,
        "per_second": round(found.per_second, 1),
        "reference": reference,
        "reference_per_second": round(found.reference_per_second, 1),
        "ratio": round(found.ratio, 3),
        "ratio_low": round(found.ratio_low, 3),
        "ratio_high": round(found.ratio_high, 3),
    }
