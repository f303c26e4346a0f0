"""Slow inference on all cores: the kernels work without Python's lock, so threads are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def in_threads(function: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """Return the results for all items in order; if one fails, those not yet begun are dropped."""
    with ThreadPoolExecutor(cpu_count()) as pool:
        waiting = [pool.submit(function, item) for item in items]
        try:
            return [each.result() for each in waiting]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
