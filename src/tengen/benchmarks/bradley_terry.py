"""How long it takes to learn the weights of moves, and how much memory: on generated positions with known weights.

Start at `bench_weights`. Positions are written to a temporary folder batch by batch; each trainer then reads them in a
process of its own, whose peak of memory is measured.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from tengen.moves.bradley_terry import fit_mm
from tengen.moves.competitions import Competitions, CompetitionWriter, FloatArray, Table
from tengen.moves.factors import fit_factors
from tengen.moves.softmax import fit_softmax

POSITIONS, MOVES = 30_000, 200
LEVELS = (5, 10, 15, 15, 1000)
"""Levels of the generated features: 1,045 in all."""
ALL_FEATURES = tuple(
    chain(
        (Table(f"tactic {i}", 10) for i in range(10)),
        (Table(f"tree {i}", 2200) for i in range(8)),
        [Table("pattern", 60_000)],
    )
)
"""As many columns as tactics, eight trees and patterns have together."""
BATCH = 1000
ONCE = "one pass of latent-factor ranking"


def bench_weights(positions: int = POSITIONS, *, share: float = 0.01) -> Iterator[dict[str, Any]]:
    """Rows for the trainers, and one for `share` of the positions of 20,000 games with all features."""
    few = [Table(f"feature {number}", levels) for number, levels in enumerate(LEVELS)]
    large = round(450_000 * share)
    for tables, count, moves, trainers in (
        (few, positions, MOVES, ("mm", "softmax", ONCE)),
        (ALL_FEATURES, large, 230, ("mm", ONCE)),
    ):
        with TemporaryDirectory() as folder:
            truth = generate(Path(folder), tables, count, moves)
            for trainer in trainers:
                yield {
                    "bench": "weights",
                    "case": f"{trainer}, {len(tables)} features, {count:,} positions",
                    "size": moves,
                    "threads": 1,
                    **measured(trainer, folder, truth),
                }


def generate(
    folder: Path, tables: Sequence[Table], positions: int, moves: int, *, seed: int = 0, spread: float = 1.0
) -> list[FloatArray]:
    """Write positions whose winners are drawn from the model; return its ln γ.

    Levels are drawn with frequencies that fall with their number, level 0 in half of the moves.
    """
    random = np.random.default_rng(seed)
    truth = [np.append(0, random.normal(0, spread, table.levels)) for table in tables]
    with CompetitionWriter(folder, tables) as writer:
        while len(writer) < positions:
            count = min(BATCH, positions - len(writer))
            columns, scores = [], np.zeros((count, moves))
            for table, weights in zip(tables, truth, strict=True):
                for _ in range(table.columns):
                    levels = random_levels(random, table.levels, count * moves)
                    scores += weights[levels].reshape(count, moves)
                    columns.append(levels)
            winners = (scores + random.gumbel(size=scores.shape)).argmax(1)
            writer.append(np.full(count, moves), winners, columns)
    return truth


def random_levels(random: np.random.Generator, most: int, n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return 0 in half of the cases, else a level that is the rarer the higher."""
    levels = np.floor((most + 1) ** random.random(n)).astype(np.int64)
    return np.where(random.random(n) < 0.5, 0, np.minimum(levels, most))


def measured(trainer: str, folder: str, truth: list[FloatArray]) -> dict[str, Any]:
    """Run a trainer in a process of its own; return time, peak memory and the error of ln γ of common levels."""
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1) as pool:
        seconds, peak, found, common = pool.apply(_train, (trainer, folder))
    errors = np.concatenate([np.abs(a - b)[c] for a, b, c in zip(found, truth, common, strict=True)])
    return {
        "ms": round(1e3 * seconds, 1),
        "peak_mb": round(peak / 1e6, 1),
        "error": round(float(np.median(errors)), 4) if trainer != ONCE and len(errors) else None,
    }


def _train(trainer: str, folder: str) -> tuple[float, int, list[FloatArray], list[np.ndarray[Any, Any]]]:
    start = perf_counter()
    competitions = Competitions.open(folder)
    if trainer == "mm":
        found = [np.log(part) for part in fit_mm(competitions)]
    elif trainer == "softmax":
        found = fit_softmax(competitions)
    else:
        found = fit_factors(competitions, epochs=1).weights
    seconds, peak = perf_counter() - start, peak_memory()
    return seconds, peak, found, common_levels(competitions)


def common_levels(competitions: Competitions, wins: int = 100) -> list[np.ndarray[Any, Any]]:
    """Return which levels of each table won often enough to be known well; level 0 does not count."""
    counts, columns = [], iter(competitions.columns)
    for table in competitions.tables:
        won = np.zeros(table.levels + 1, np.int64)
        for _ in range(table.columns):
            won += np.bincount(next(columns)[competitions.winners], minlength=len(won))
        won[0] = 0
        counts.append(won >= wins)
    return counts


def peak_memory() -> int:
    """Return the most bytes that this process has held at a time; 0 where the system does not say."""
    status = Path("/proc/self/status")  # Linux's ru_maxrss counts the process that started this one as well
    if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))):
        return 1024 * int(found[1])
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
