"""Speed of fields on the grid: loopy propagation on 19×19 and exact means on 9×9, compared with plain numpy.

The boards are random games, stopped at a third, two thirds and the end of their length. The references are textbook
implementations in numpy with the same results: propagation with tanh and atanh on whole arrays, and elimination with a
frontier of 2^N states. Sanner et al. (2008) report 101 ms per 19×19 board and call exact inference impractical.

The double loop is compared with propagation on spin glasses, where propagation seldom converges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.benchmarks.harness import SpeedComparison, Work, compare_speed, timed_row
from tengen.go.board import Board
from tengen.models.protocol import FloatArray
from tengen.models.registry import load
from tengen.territory.coupling import Boltzmann5, CouplingCrf, GridCrf, PatternCrf
from tengen.territory.ising import Solver, grid_edges, grid_graph, infer
from tengen.territory.playouts import PlayoutOwner

PAPER_MS = 101.0
TOLERANCE, SWEEPS, LOOP_SWEEPS = 1e-6, 200, 20_000
NOTES = {
    "loopy propagation": f"Sanner et al. 2008: {PAPER_MS:g} ms",
    "exact means": "Sanner et al. 2008: impractical",
    "whole answer": "Sanner et al. 2008: 214.6 ms",
}


def bench_coupling(*, seconds: float = 4.0, boards: int = 30) -> Iterator[dict[str, Any]]:
    """Measure propagation and the default model on 19×19 and exact means on 9×9, each for about `seconds`."""
    for model in (Boltzmann5(), CouplingCrf()):
        found = measure(model, "bp", 19, numpy_propagation, seconds, boards)
        yield row("loopy propagation", model, 19, "numpy propagation", found)
    shipped = load(PatternCrf.name)
    found = compare_answers(shipped, PlayoutOwner(), random_boards(19, boards), seconds)
    yield row("whole answer", shipped, 19, "500 playouts", found)
    model = CouplingCrf()
    found = measure(model, "exact", 9, numpy_frontier, seconds, boards)
    yield row("exact means", model, 9, "numpy frontier, ln Z only", found)
    yield glass_row(9, seconds, boards)


def glass_row(size: int, seconds: float, count: int) -> dict[str, Any]:
    """Compare the double loop with propagation on couplings ±1 of random signs with weak fields."""
    random, graph = np.random.default_rng(1), grid_graph(size, size)
    fields = random.normal(0, 0.3, (count, 1, graph.nodes))
    couplings = random.choice([-1.0, 1.0], (count, 1, graph.edge_count))

    def looped(k: int) -> Any:
        return graph.double_loop(fields[k], couplings[k], TOLERANCE, LOOP_SWEEPS)

    def propagated(k: int) -> Any:
        return graph.propagate(fields[k], couplings[k], TOLERANCE, SWEEPS)

    works = (each_in_turn(method, count) for method in (looped, propagated))
    found = compare_speed(*works, seconds=seconds, rounds=20)
    note = "; ".join(
        f"{name} {_ends(method, count)}" for name, method in (("this", looped), ("propagation", propagated))
    )
    return timed_row("territory", "double loop, spin glass", size, "loopy propagation", found, note=note)


def _ends(method: Callable[[int], Any], count: int) -> str:
    """Return how many rows converge, and the mean number of sweeps."""
    *_, converged, sweeps = zip(*(method(k) for k in range(count)), strict=True)
    return f"converges on {np.sum(converged)} of {count} in {np.mean(sweeps):.0f} sweeps"


def row(case: str, model: GridCrf, size: int, reference: str, comparison: SpeedComparison) -> dict[str, Any]:
    """Return a row of the report."""
    return timed_row("territory", f"{case}, {model.name}", size, reference, comparison, note=NOTES[case])


def measure(model: GridCrf, inference: Any, size: int, reference: Any, seconds: float, boards: int) -> SpeedComparison:
    """Compare the kernel with a reference on the same fields and couplings, board by board."""
    stones = random_boards(size, boards)
    fields, couplings = model.ising(stones)
    graph, settings = grid_graph(size, size), Solver(inference, SWEEPS, TOLERANCE)

    def one(k: int) -> None:
        infer(graph, fields[k : k + 1], couplings[k : k + 1], settings)

    def other(k: int) -> None:
        reference(fields[k], couplings[k], size)

    return compare_speed(each_in_turn(one, boards), each_in_turn(other, boards), seconds=seconds, rounds=20)


def compare_answers(model: Any, other: Any, stones: npt.NDArray[np.int8], seconds: float) -> SpeedComparison:
    """Compare the times of two models, board by board."""
    boards = [Board.from_stones(each) for each in stones]
    works = [each_in_turn(lambda k, asked=asked: asked.ownership(boards[k]), len(boards)) for asked in (model, other)]
    return compare_speed(works[0], works[1], seconds=seconds, rounds=20)


def each_in_turn(task: Any, count: int) -> Work:
    """Return work that cycles through the boards."""
    done = 0

    def work(units: int) -> None:
        nonlocal done
        for _ in range(units):
            task(done % count)
            done += 1

    return work


def random_boards(size: int, count: int, shares: Sequence[float] = (1 / 3, 2 / 3, 1.0)) -> npt.NDArray[np.int8]:
    """Return positions [count, row, column] of random games after some shares of the board's points in moves."""
    return np.stack([random_board(size, int(shares[k % len(shares)] * size * size), k) for k in range(count)])


def random_board(size: int, moves: int, seed: int) -> npt.NDArray[np.int8]:
    """Play random legal moves and return the stones."""
    return random_game(size, moves, seed).stones


def random_game(size: int, moves: int, seed: int) -> Board:
    """Play random legal moves and return the board."""
    random, board = np.random.default_rng(seed), Board(size)
    for _ in range(moves):
        legal = np.flatnonzero(board.legal_mask())
        if not len(legal):
            break
        board.play(board.move_name(int(legal[random.integers(len(legal))])))
    return board


def numpy_propagation(fields: FloatArray, couplings: FloatArray, size: int) -> FloatArray:
    """Textbook loopy propagation with damping ½."""
    edges = grid_edges(size, size)
    source, target = np.concatenate([edges[:, 0], edges[:, 1]]), np.concatenate([edges[:, 1], edges[:, 0]])
    strength = np.tanh(np.concatenate([couplings, couplings]))
    messages = np.zeros(len(source))
    for _ in range(SWEEPS):
        total = fields + np.bincount(target, messages, len(fields))
        back = np.roll(messages, len(edges))
        wanted = np.arctanh(np.clip(strength * np.tanh(total[source] - back), -1 + 1e-15, 1 - 1e-15))
        if np.abs(wanted - messages).max() < TOLERANCE:
            break
        messages += (wanted - messages) / 2
    return np.tanh(fields + np.bincount(target, messages, len(fields)))


def numpy_frontier(fields: FloatArray, couplings: FloatArray, size: int) -> float:
    """Return ln Z with a frontier of 2^size states, one axis per column."""
    across = couplings[: size * (size - 1)].reshape(size, size - 1)
    down = couplings[size * (size - 1) :].reshape(size - 1, size)
    spins, log_z = np.array([1.0, -1.0]), 0.0
    frontier = np.full((2,) * size, 0.5**size)
    for r in range(size):
        for c in range(size):
            pull = np.exp(np.outer(spins, spins) * (down[r - 1, c] if r else 0.0) + fields[r * size + c] * spins)
            frontier = np.moveaxis(np.tensordot(frontier, pull, (c, 0)), -1, c)
            if c:
                shape = [2 if axis in (c - 1, c) else 1 for axis in range(size)]
                frontier = frontier * np.exp(np.outer(spins, spins) * across[r, c - 1]).reshape(shape)
            top = frontier.max()
            frontier, log_z = frontier / top, log_z + float(np.log(top))
    return log_z + float(np.log(frontier.sum()))
