"""Speed of the graphs of a 19×19 board, and of exact inference on them.

The boards are random games stopped at a third, two thirds and the end of their length; their block graphs are larger
than those of real games. The references: for the block graph, a flood fill in Python; for marginals and the likeliest
state by elimination (with fields, including the elimination order), Kac and Ward's determinant and PyMatching, which do
not support fields; for the whole model, Boltzmann5 by loopy propagation; for the augmented graphs of many boards in one
call (also of 9×9 boards), the block graph of one board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.benchmarks.coupling import each_in_turn, random_boards
from tengen.benchmarks.harness import compare_speed, timed_row
from tengen.benchmarks.planar import PlanarGraph, best_spins, board_faces, kac_ward
from tengen.go.counting import connected
from tengen.models.protocol import FloatArray
from tengen.territory.block import BlockCrf
from tengen.territory.coupling import Boltzmann5
from tengen.views.augmented_graph import augmented_graphs
from tengen.views.graphs import BoardGraph, block_graph

Task = Callable[[int], object]
SIZE = 19


class Cases:
    """Boards with their block graphs, and a field and a coupling for every node and edge."""

    def __init__(self, boards: int) -> None:
        random = np.random.default_rng(0)
        self.stones = random_boards(SIZE, boards)
        self.graphs: list[BoardGraph] = [block_graph(stones) for stones in self.stones]
        self.fields: list[FloatArray] = [random.normal(size=(1, len(graph))) for graph in self.graphs]
        self.couplings: list[FloatArray] = [random.normal(size=(1, len(graph.edges))) for graph in self.graphs]
        self.planar = [PlanarGraph(len(graph), graph.edges) for graph in self.graphs]
        self.block, self.grid = BlockCrf(), Boltzmann5()

    def marginals(self, k: int) -> object:
        """Exact means with fields, starting from the edges."""
        return self._kernel(k).eliminate(self.fields[k], self.couplings[k])

    def likeliest(self, k: int) -> object:
        """The likeliest state with fields, starting from the edges."""
        return self._kernel(k).best_state(self.fields[k], self.couplings[k])

    def matching(self, k: int) -> npt.NDArray[np.int8]:
        """The likeliest state without fields by perfect matching, starting from the nodes of the points."""
        graph = self.graphs[k]
        return best_spins(board_faces(graph.node_of, graph.edges), self.couplings[k][0])

    def determinant(self, k: int) -> object:
        """Exact edge means without fields, given the embedding."""
        return kac_ward(self.planar[k], self.couplings[k][0])

    def _kernel(self, k: int) -> IsingGraph:
        return IsingGraph(len(self.graphs[k]), self.graphs[k].edges)


def bench_graphs(*, seconds: float = 4.0, boards: int = 15) -> Iterator[dict[str, Any]]:
    """Measure the graphs, marginals, the likeliest state and the model, one row each."""
    cases = Cases(boards)
    stones = cases.stones
    tasks: dict[str, tuple[Task, str, Task]] = {
        "block graph": (lambda k: block_graph(stones[k]), "flood fill in Python", lambda k: flood(stones[k])),
        "marginals, fields": (cases.marginals, "Kac and Ward, no fields", cases.determinant),
        "likeliest state, fields": (cases.likeliest, "PyMatching, no fields", cases.matching),
        "territory/block": (
            lambda k: cases.block.ownership_many(stones[k : k + 1]),
            "territory/boltzmann5",
            lambda k: cases.grid.ownership_many(stones[k : k + 1]),
        ),
    }
    for case, (ours, reference, theirs) in tasks.items():
        found = compare_speed(each_in_turn(ours, boards), each_in_turn(theirs, boards), seconds=seconds, rounds=20)
        yield timed_row("graphs", case, SIZE, reference, found)
    for size in (9, SIZE):
        yield _augmented_row(random_boards(size, boards), seconds)


def _augmented_row(stones: npt.NDArray[np.int8], seconds: float) -> dict[str, Any]:
    """Measure the augmented graphs of packed boards."""

    def augmented(units: int) -> None:
        for start in range(0, units, len(stones)):
            augmented_graphs(stones[: units - start])

    block = each_in_turn(lambda k: block_graph(stones[k]), len(stones))
    found = compare_speed(augmented, block, seconds=seconds, rounds=20)
    more = {"boards_per_second": round(found.per_second)}
    return timed_row("graphs", "augmented graph", len(stones[0]), "block graph", found, **more)


def flood(stones: npt.NDArray[np.int8]) -> list[list[tuple[int, int]]]:
    """Return chains and empty regions, point by point."""
    return [region for colour in (1, -1, 0) for region in connected(stones == colour)]
