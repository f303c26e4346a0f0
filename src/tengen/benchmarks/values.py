"""Speed of self-play by linear values that learn on 9×9, against a hundred uniform random playouts.

The values begin with weights of 0 and learn by TD(0) during the run; no player fills its own eyes, and every game is
counted. The table of 105 features of 3×3 windows is random, as its numbers do not matter for the speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.benchmarks.harness import compare_speed, timed_row
from tengen.go.board import Board
from tengen.values.linear_td import PatchValue, TemplateValue

SIZE, FILTERS = 9, 105


class RandomTable(PatchValue):
    """Features of a random table, as many as Largman & Pham have filters."""

    name = "benchmarks/random-table"

    def window_sizes(self) -> Sequence[int]:
        """Return the side of the filters."""
        return (3,)

    def feature_table(self) -> npt.NDArray[np.float32]:
        """Return random numbers."""
        return np.random.default_rng(0).random((3**9, FILTERS), np.float32)


def bench_values(*, seconds: float = 4.0) -> Iterator[dict[str, Any]]:
    """Measure games of self-play, one row for each kind of features."""
    board = Board(SIZE)
    cases: dict[str, PatchValue] = {
        "TD, 2×2 templates": TemplateValue(),
        f"TD, {FILTERS} features of 3×3": RandomTable(),
    }
    for case, model in cases.items():
        found = compare_speed(
            lambda games, model=model: model.self_play(games, epsilon=0.1, last_epsilon=0.1),  # type: ignore[misc]
            lambda hundreds: board.playouts(100 * hundreds, threads=1),
            seconds=seconds,
            rounds=20,
        )
        more = {"games_per_minute": round(60 * found.per_second)}
        yield timed_row("values", case, SIZE, "100 uniform playouts", found, **more)
