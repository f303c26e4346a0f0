"""`tengen evaluate MODEL…`: how right models of ownership are, on the same labelled positions.

Start at `evaluate_models`. The sample is fixed: the positions whose content has the smallest hash, so it stays the
same as the corpus grows around it. Intervals are at 95 % by resampling games; comparisons are paired, position by
position.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet, join_batches
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.measure.calibration import ownership_reliability
from tengen.measure.compare import compare, mean, mean_by_phase
from tengen.measure.finals import chain_errors
from tengen.measure.ownership import OwnershipErrors, ownership_errors
from tengen.measure.phases import TENTHS
from tengen.measure.plots import bar_plot, phase_plot, reliability_diagram
from tengen.measure.tables import Column, Table
from tengen.models.base import OwnershipModel

CHUNK = 64
"""How many boards a model is given at a time."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """What one model said of the sample, and how far off it was."""

    name: str
    ownership: Floats
    errors: OwnershipErrors
    chains: Floats
    wrong_chains: Floats
    ms: float
    """Milliseconds a board, in batches, on one core."""


@dataclass(frozen=True)
class Evaluation:
    """Several models on one sample."""

    sample: Batch
    answers: tuple[Answers, ...]

    def table(self) -> Table:
        """Return one row a model: the errors with their intervals, and the time."""
        columns: list[Column | str] = [
            "model",
            Column("positions", digits=0),
            Column("vertex error", percent=True),
            Column("net error", percent=True),
            Column("log-likelihood", digits=4),
            Column("Brier", digits=4),
            Column("wrong chains", percent=True),
            Column("ms", digits=2),
        ]
        return Table(columns, [self._row(answers) for answers in self.answers])

    def comparisons(self) -> Table:
        """Return the other models against the first, in vertex error and log-likelihood."""
        columns: list[Column | str] = [
            "model",
            "against",
            Column("vertex difference", percent=True),
            Column("p (vertex)", digits=4),
            Column("log-likelihood difference", digits=4),
            Column("p (log-likelihood)", digits=4),
        ]
        first = self.answers[0]
        rows: list[list[Any]] = []
        for other in self.answers[1:]:
            vertex = compare(other.errors.vertex, first.errors.vertex, self.sample.games)
            likely = compare(other.errors.log_likelihood, first.errors.log_likelihood, self.sample.games)
            rows.append([other.name, first.name, vertex.difference, vertex.p, likely.difference, likely.p])
        return Table(columns, rows)

    def _row(self, answers: Answers) -> list[Any]:
        games, errors = self.sample.games, answers.errors
        means = [mean(values, games) for values in (errors.vertex, errors.net, errors.log_likelihood, errors.brier)]
        chains = mean(answers.wrong_chains / np.maximum(answers.chains, 1), games, answers.chains)
        return [answers.name, len(self.sample), *means, chains, answers.ms]

    def plot(self, folder: Path) -> list[Path]:
        """Draw the vertex errors, the errors by phase of the game, and how calibrated the models are."""
        folder.mkdir(parents=True, exist_ok=True)
        games, sample = self.sample.games, self.sample
        phase = TENTHS.index(sample.turns, np.maximum(sample.lengths, 1))
        paths = [folder / name for name in ("vertex-error.svg", "by-phase.svg", "calibration.svg")]
        bar_plot(
            paths[0], {a.name: mean(a.errors.vertex, games) for a in self.answers}, measure="vertex error", percent=True
        )
        by_phase = {a.name: mean_by_phase(a.errors.vertex, games, phase, phases=TENTHS) for a in self.answers}
        phase_plot(paths[1], by_phase, measure="vertex error", percent=True)
        truth = np.nan_to_num(sample.targets)
        tables = {a.name: ownership_reliability(a.ownership, truth, games=games) for a in self.answers}
        reliability_diagram(paths[2], tables, event="Black owns the point")
        return paths


def evaluate_models(
    models: Sequence[OwnershipModel],
    data: DataSet,
    *,
    sample: int = 500,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Ask every model about the same positions; `progress` hears how many answers of how many are there."""
    report = progress or (lambda done, total: None)
    chosen = fixed_sample(data, sample)
    chains = np.stack([_chain_numbers(stones) for stones in chosen.boards])
    total = len(models) * len(chosen)
    answers: list[Answers] = []
    for model in models:
        before = len(answers) * len(chosen)
        answers.append(_ask(model, chosen, chains, partial(_report, report, before, total)))
    return Evaluation(chosen, tuple(answers))


def fixed_sample(data: DataSet, count: int) -> Batch:
    """Return the `count` positions with the smallest hashes, whatever order the data comes in."""
    best: Batch | None = None
    marks: npt.NDArray[np.uint64] = np.zeros(0, np.uint64)
    for batch in data:
        joined = batch if best is None else join_batches([best, batch])
        marks = np.concatenate([marks, _marks(batch)])
        keep = np.argsort(marks, kind="stable")[:count]
        best, marks = joined.take(keep), marks[keep]
    if best is None or not len(best):
        raise TengenError(f"labels {data.labels!r} have no position of size {data.size} in split {data.split!r}")
    return best


def _marks(batch: Batch) -> npt.NDArray[np.uint64]:
    keys = (
        stones.tobytes() + int(turn).to_bytes(4, "little")
        for stones, turn in zip(batch.boards, batch.turns, strict=True)
    )
    return np.array([int.from_bytes(blake2b(key, digest_size=8).digest(), "little") for key in keys], np.uint64)


def _chain_numbers(stones: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Number the chains of a board from 0; empty points are −1."""
    heads = Board.from_stones(stones).chain_numbers()
    numbers = np.unique(heads[heads >= 0])
    return np.where(heads >= 0, np.searchsorted(numbers, heads), -1)


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _ask(model: OwnershipModel, sample: Batch, chains: npt.NDArray[np.int64], report: Callable[[int], None]) -> Answers:
    parts = []
    start = time.perf_counter()
    for first in range(0, len(sample), CHUNK):
        parts.append(model.ownership_many(sample.boards[first : first + CHUNK]))
        report(min(first + CHUNK, len(sample)))
    seconds = time.perf_counter() - start
    said = np.concatenate(parts)
    labelled = np.isfinite(sample.targets)
    truth = np.where(labelled, sample.targets, 0).astype(float)
    soft = bool(((truth != 0) & (abs(truth) != 1)).any())
    errors = ownership_errors(said, truth, labelled.astype(float) if soft else None, soft=soft)
    belonging, wrong = chain_errors(said, truth, chains)
    return Answers(model.name, said, errors, belonging, wrong, seconds / len(sample) * 1000)
