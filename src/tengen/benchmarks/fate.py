"""Speed of the models on the augmented common fate graph, and of ways to solve Low's random field, on 9×9 boards.

The boards are games after 30 moves, generated ones unless records are given. A model answers for one board in each
call; the reference is the graph of the same board, which every answer includes. The field is solved by each method
from its fields and couplings on, and the note tells on how many boards it converges, in how many sweeps, and how far
its means are from the exact ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tengen.benchmarks.convergence import METHODS, SIZE, middle_boards, outcomes
from tengen.benchmarks.coupling import each_in_turn
from tengen.benchmarks.harness import Work, compare_speed, rate, timed_row
from tengen.errors import ConvergenceWarning, TengenError
from tengen.go.positions import Positions
from tengen.models.registry import shared
from tengen.territory.fate_messages import FateMessages
from tengen.territory.fate_mrf import FateMrf, Model
from tengen.territory.fate_net import FateNet
from tengen.territory.ising import Solver, infer
from tengen.views.augmented_graph import augmented_graphs


def bench_fate(games: Path | None = None, *, seconds: float = 4.0, boards: int = 100) -> Iterator[dict[str, Any]]:
    """Measure every model and every method of inference for about `seconds`."""
    middle = middle_boards(games, boards)
    if not middle:
        raise TengenError(f"{games} has no game of size {SIZE} that is long enough")
    stones = np.stack([board.stones for board in middle])
    asked = [Positions.of([board]) for board in middle]
    graph = each_in_turn(lambda k: augmented_graphs(stones[k : k + 1]), len(stones))
    for name in (FateNet.name, FateMrf.name, FateMessages.name):
        model = shared(name)
        answer = each_in_turn(lambda k, model=model: model.ownership_many(asked[k]), len(stones))
        found = compare_speed(answer, graph, seconds=seconds, rounds=20)
        yield timed_row("territory", name, SIZE, "its graph", found, note=_least_ms(answer, len(stones)))
    yield from _inference_rows(shared(FateMrf.name).network().models(stones), seconds)


def _least_ms(answer: Work, boards: int) -> str:
    """Return the mean over boards of the least time for each in nine passes, which other load hardly changes."""
    times = np.array([[1 / rate(answer, 1) for _ in range(boards)] for _ in range(9)])
    return f"{1e3 * times.min(0).mean():.3f} ms at best"


def _inference_rows(models: list[Model], seconds: float) -> Iterator[dict[str, Any]]:
    def solve(how: Solver, k: int) -> object:
        return infer(*models[k], how)

    exact = each_in_turn(partial(solve, METHODS["exact"]), len(models))
    for (method, how), outcome in zip(METHODS.items(), outcomes(models).values(), strict=True):
        work = each_in_turn(partial(solve, how), len(models))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = compare_speed(work, exact, seconds=seconds, rounds=20)
            least = _least_ms(work, len(models))
        ends = f"converges on {outcome.converged:.1%} in {outcome.sweeps:.0f} sweeps, error {outcome.error:.4f}"
        yield timed_row("territory", f"fate-mrf, {method}", SIZE, "exact means", found, note=f"{least}; {ends}")
