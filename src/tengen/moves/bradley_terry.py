"""Weights of levels by minorization–maximization of the generalised Bradley–Terry model (Coulom 2007; Hunter 2004).

The probability of a move is its strength divided by the strengths of all moves of the position; its strength is the
product of the weights γ of its levels. Each level has a prior of one win and one loss against a weight of 1. The update
of a table and its proof are in core/include/tengen/bradley_terry.hpp.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from tengen import _core
from tengen.moves.competitions import Competitions, FloatArray
from tengen.numbers import checked_count, checked_number

LEAST_GAIN = 1e-6
"""Stop when no update of a table gains this much mean log-likelihood."""
ROUNDS = 2
"""How often the whole loop runs: a small gain of one table may grow when the others have changed."""

Report = Callable[[str, float], None]
"""Is called after each update with the name of the table and the mean penalised log-likelihood."""


def fit_mm(
    competitions: Competitions, *, gain: float = LEAST_GAIN, threads: int = 1, report: Report | None = None
) -> list[FloatArray]:
    """Return the weights γ of each table by level; levels that never occur keep 1, and level 0 has 1.

    The table whose last update gained most comes first. `threads` does not change the result; 0 uses all cores.
    """
    gain = checked_number(gain, "gain", 0)
    state = _core.MinorizationMaximization(competitions.native, thread_count(threads))
    for _ in range(ROUNDS if competitions.tables else 0):
        state.refresh()
        gains = np.full(len(competitions.tables), np.inf)
        while gains.max() > gain:
            table = int(gains.argmax())
            gains[table] = state.update(table)
            if report is not None:
                report(competitions.tables[table].name, state.objective)
    return competitions.by_table(state.gammas())


def thread_count(threads: int) -> int:
    """Return a number of threads; 0 stands for all cores."""
    return min(checked_count(threads, "threads") or os.cpu_count() or 1, 256)
