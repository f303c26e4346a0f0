"""How often propagation converges, and what the double loop gains: on spin glasses and on the fate graphs of boards.

`python -m tengen.benchmarks.convergence GAMES` prints a table. A spin glass has couplings of one strength and random
signs on the grid or on a complete graph, and weak fields. A fate graph is that of a 9×9 game after 30 moves, with
normally distributed log potentials. Every graph is narrow enough for exact means, so the error is known.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np

from tengen._core import IsingGraph
from tengen.benchmarks.coupling import random_game
from tengen.errors import ConvergenceWarning
from tengen.go.board import Board
from tengen.go.record import read_all
from tengen.models.protocol import FloatArray
from tengen.territory.fate_mrf import Model
from tengen.territory.ising import Solver, grid_graph, infer
from tengen.territory.pair_tables import Tables, ising_form
from tengen.views.graphs import fate_graph

SIZE, MOVES, NODES = 9, 30, 14
METHODS = {
    "undamped": Solver("bp", 100, 1e-5, step=1.0),
    "step 0.5": Solver("bp", 100, 1e-5, step=0.5),
    "default": Solver("bp", tolerance=1e-5),
    "double loop": Solver("double-loop", tolerance=1e-5),
    "exact": Solver("exact"),
}
"""Low names the first two without their limits; 100 sweeps and 10⁻⁵ are usual."""


@dataclass(frozen=True)
class Outcome:
    """How a method did on some models."""

    converged: float
    """The share of models on which it converged."""
    sweeps: float
    ms: float
    """Processor time."""
    error: float
    """The mean absolute difference from the exact means."""

    def __str__(self) -> str:
        return f"{self.converged:.0%}, {self.sweeps:.0f}, {self.ms:.2f} ms, {self.error:.3f}"


def outcomes(models: list[Model]) -> dict[str, Outcome]:
    """Return how each method does."""
    exact = [infer(*model, Solver("exact")).means for model in models]
    return {name: _outcome(models, exact, how) for name, how in METHODS.items()}


def _outcome(models: list[Model], exact: list[FloatArray], how: Solver) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = process_time()
        found = [infer(*model, how) for model in models]
        ms = 1e3 * (process_time() - start) / len(models)
    errors = [np.abs(one.means - truth).mean() for one, truth in zip(found, exact, strict=True)]
    return Outcome(
        float(np.mean([each.converged for each in found])),
        float(np.mean([each.sweeps for each in found])),
        ms,
        float(np.mean(errors)),
    )


def glasses(graph: IsingGraph, strength: float, count: int) -> list[Model]:
    """Return spin glasses on a graph."""
    random = np.random.default_rng(1)
    fields = random.normal(0, 0.3, (count, 1, graph.nodes))
    couplings = random.choice([-strength, strength], (count, 1, graph.edge_count))
    return [(graph, fields[k], couplings[k]) for k in range(count)]


def fate_fields(boards: list[Board], deviation: float) -> list[Model]:
    """Return fields with random log potentials on the fate graphs of boards."""
    random, models = np.random.default_rng(1), []
    for graph in map(fate_graph, boards):
        nodes, edges = (len(graph), 2), (len(graph.edges), 2, 2)
        form = ising_form(
            graph.edges, Tables(random.normal(0, deviation, (1, *nodes)), random.normal(0, deviation, (1, *edges)))
        )
        models.append((IsingGraph(len(graph), graph.edges), form.fields, form.couplings))
    return models


def complete_graph(nodes: int) -> IsingGraph:
    """Return the graph of all pairs."""
    return IsingGraph(nodes, np.argwhere(np.triu(np.ones((nodes, nodes)), 1)).astype(np.int32, order="C"))


def cases(boards: list[Board]) -> Iterator[tuple[str, list[Model]]]:
    """Yield all kinds of models by name, as many of each as there are boards."""
    for strength in (0.3, 0.5, 1.0, 2.0, 4.0):
        yield f"grid, ±{strength:g}", glasses(grid_graph(SIZE, SIZE), strength, len(boards))
    for strength in (0.2, 0.5, 1.0, 3.0):
        yield f"complete, ±{strength:g}", glasses(complete_graph(NODES), strength, len(boards))
    for deviation in (0.5, 1.0, 2.0, 3.0, 6.0):
        yield f"fate graph, {deviation:g}", fate_fields(boards, deviation)


def middle_boards(games: Path | None, count: int) -> list[Board]:
    """Return positions after 30 moves of games, or of random ones without a file."""
    if games is None:
        return [random_game(SIZE, MOVES, seed) for seed in range(count)]
    long = (game for game in read_all(games) if game.width == game.height == SIZE and len(game.moves) >= MOVES)
    return [game.board(MOVES) for game in islice(long, count)]


def main(games: Path | None = None, count: int = 100) -> None:
    """Print the table."""
    print(f"| models | {' | '.join(METHODS)} |\n|---{'|---' * len(METHODS)}|")
    for name, models in cases(middle_boards(games, count)):
        print(f"| {name} | {' | '.join(map(str, outcomes(models).values()))} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
