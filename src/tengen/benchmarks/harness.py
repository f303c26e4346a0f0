"""Comparing the speed of two programs on a noisy machine.

Ours and the reference run alternately in many short rounds, so other load slows both alike. Each round gives one ratio.
The median is reported with a distribution-free interval (order statistics), which a few disturbed rounds do not affect.
Start at `compare_speed`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Work = Callable[[int], object]
"""A function that does a number of units of work: playouts, boards, games."""


@dataclass(frozen=True)
class SpeedComparison:
    """Units per second of both, and the ratio of ours to the reference with a 95 % interval."""

    per_second: float
    reference_per_second: float
    ratio: float
    ratio_low: float
    ratio_high: float


def compare_speed(ours: Work, reference: Work, *, seconds: float = 4.0, rounds: int = 60) -> SpeedComparison:
    """Run both alternately for about `seconds` in total."""
    share = seconds / (2 * rounds)
    counts = units_for(ours, share), units_for(reference, share)
    pairs = [one_round(ours, reference, counts, ours_first=number % 2 == 0) for number in range(rounds)]
    low, middle, high = median_interval([mine / theirs for mine, theirs in pairs])
    return SpeedComparison(median(mine for mine, _ in pairs), median(theirs for _, theirs in pairs), middle, low, high)


def timed_row(
    bench: str, case: str, size: int, reference: str, found: SpeedComparison, **more: object
) -> dict[str, object]:
    """Return a row of a report in milliseconds, for one thread."""
    return {
        "bench": bench,
        "case": case,
        "size": size,
        "threads": 1,
        "ms": round(1e3 / found.per_second, 3),
        "reference": reference,
        "reference_ms": round(1e3 / found.reference_per_second, 3),
        "ratio": round(found.ratio, 2),
        "ratio_low": round(found.ratio_low, 2),
        "ratio_high": round(found.ratio_high, 2),
        **more,
    }


def one_round(ours: Work, reference: Work, counts: tuple[int, int], *, ours_first: bool) -> tuple[float, float]:
    """Return the units per second of both; the order alternates between rounds."""
    if ours_first:
        mine = rate(ours, counts[0])
        return mine, rate(reference, counts[1])
    theirs = rate(reference, counts[1])
    return rate(ours, counts[0]), theirs


def rate(work: Work, units: int) -> float:
    """Return the units per second of one run."""
    start = perf_counter()
    work(units)
    return units / max(perf_counter() - start, 1e-9)


def units_for(work: Work, seconds: float) -> int:
    """Return the number of units that take about this long at the best speed seen; also warms up."""
    units = 1
    while (fastest := max(rate(work, units) for _ in range(3))) * seconds > 4 * units:
        units *= 4
    return max(1, round(fastest * seconds))


def median_interval(values: list[float], z: float = 1.96) -> tuple[float, float, float]:
    """Return the median and its confidence interval by order statistics, for z standard deviations."""
    ordered = sorted(values)
    rank = max(0, math.floor((len(ordered) - z * math.sqrt(len(ordered))) / 2))
    return ordered[rank], median(ordered), ordered[-1 - rank]
