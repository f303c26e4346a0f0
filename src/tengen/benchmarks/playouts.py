"""Playouts per second, compared with a plain pseudo-liberty program and OpenSpiel, and several threads with one.

All start from the empty board. Ours and the plain program (core/dev/plain_playout.hpp) play the same game: uniform
moves that do not fill own eyes, until two passes. OpenSpiel's random games are uniform over all legal moves and end by
its own rules. OpenSpiel is measured twice: with the rollouts of its C++ tree search, and with the loop a Python
programmer would write. Knowing playouts are compared with our uniform ones.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tengen import _core
from tengen.benchmarks.harness import SpeedComparison, Work, compare_speed
from tengen.plain import notice

DIAGONAL_EYES, BLACK_FIRST = int(_core.Eye.diagonal), int(_core.First.black)
PLAIN_SIZES = (9, 13, 19)
OPENSPIEL_SIZES = range(2, 20)
ROLLOUTS = "rollouts of its C++ tree search"
KNOWING = _core.Knowledge()
LOOP = "Python loop over legal_actions and apply_action"


def bench_playouts(
    *, sizes: Sequence[int] = (9, 19), threads: Sequence[int] = (1, 2), seconds: float = 4.0
) -> Iterator[dict[str, Any]]:
    """Measure every size and reference for about `seconds`, one row each."""
    spiel, dev = openspiel(), development()
    for size in sizes:
        for number in threads:
            for case, reference, note, work in references(size, number, spiel, dev):
                comparison = compare_speed(our_playouts(size, number), work, seconds=seconds)
                yield row(case, size, number, reference, note, comparison)
            comparison = compare_speed(our_playouts(size, number, KNOWING), our_playouts(size, number), seconds=seconds)
            yield row("knowing", size, number, "uniform", "the usual knowledge", comparison)


def row(case: str, size: int, threads: int, reference: str, note: str, comparison: SpeedComparison) -> dict[str, Any]:
    """Return a row of the report."""
    length = mean_length(size, KNOWING if case == "knowing" else None)
    return {
        "bench": "playouts",
        "case": case,
        "size": size,
        "threads": threads,
        "per_second": round(comparison.per_second, 1),
        "moves_per_second": round(comparison.per_second * length),
        "mean_length": round(length, 1),
        "reference": reference,
        "reference_per_second": round(comparison.reference_per_second, 1),
        "ratio": round(comparison.ratio, 3),
        "ratio_low": round(comparison.ratio_low, 3),
        "ratio_high": round(comparison.ratio_high, 3),
        "note": note,
    }


def references(size: int, threads: int, spiel: Any | None, dev: Any | None) -> Iterator[tuple[str, str, str, Work]]:
    """Yield case, name, note and work of the references: other programs for one thread, one thread for several."""
    if threads > 1:
        yield "uniform", "one thread", "the same playouts", our_playouts(size, 1)
        return
    if dev is not None and size in PLAIN_SIZES:
        yield "uniform", "plain", "core/dev/plain_playout.hpp", plain_playouts(dev, size)
    if spiel is not None and size in OPENSPIEL_SIZES:
        yield "uniform", "openspiel", ROLLOUTS, openspiel_rollouts(spiel, size)
        yield "uniform from Python", "openspiel", LOOP, openspiel_loop(spiel, size)


def our_playouts(size: int, threads: int, knowledge: _core.Knowledge | None = None) -> Work:
    """Return our playouts, including owner counts, as work."""
    position, seed = _core.Position(size, size), counter()
    return lambda n: position.owner_counts(n, seed(), threads, DIAGONAL_EYES, BLACK_FIRST, knowledge)


def mean_length(size: int, knowledge: _core.Knowledge | None, n: int = 500) -> float:
    """Return the mean length of our playouts, including passes."""
    moves = _core.Position(size, size).owner_counts(n, 0, 1, DIAGONAL_EYES, BLACK_FIRST, knowledge)[2]
    return float(moves / n)


def development() -> Any | None:
    """Return the extension of development builds, or None with a notice on stderr."""
    try:
        from tengen import _dev
    except ImportError:
        notice("no comparison with the plain program: only development builds have it (TENGEN_DEV=ON)")
        return None
    return _dev


def plain_playouts(dev: Any, size: int) -> Work:
    """Return the plain program's playouts as work."""
    seed = counter()
    return lambda n: dev.plain_playouts(size, n, seed())


def openspiel() -> Any | None:
    """Return the module pyspiel, or None with a notice on stderr."""
    try:
        import pyspiel
    except ImportError:
        notice("no comparison with OpenSpiel: it comes with pip install tengen[bench]")
        return None
    return pyspiel


def openspiel_rollouts(spiel: Any, size: int) -> Work:
    """Random games inside OpenSpiel's C++: one simulation of its tree search with n rollouts from the root."""
    game = spiel.load_game("go", {"board_size": size, "komi": 7.5})
    state, seed = game.new_initial_state(), counter()

    def work(n: int) -> None:
        evaluator = spiel.RandomRolloutEvaluator(n_rollouts=n, seed=seed())
        bot = spiel.MCTSBot(
            game, evaluator, 2.0, max_simulations=1, max_memory_mb=0, solve=False, seed=1, verbose=False
        )
        bot.mcts_search(state)

    return work


def openspiel_loop(spiel: Any, size: int) -> Work:
    """Random games in a Python loop with OpenSpiel."""
    game = spiel.load_game("go", {"board_size": size, "komi": 7.5})
    choice = random.Random(0).choice

    def work(n: int) -> None:
        for _ in range(n):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(choice(state.legal_actions()))

    return work


def counter() -> Callable[[], int]:
    """Return a function that gives a new seed for every run: 1, 2, 3 …"""
    numbers = iter(range(1, sys.maxsize))
    return lambda: next(numbers)
