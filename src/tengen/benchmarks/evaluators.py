"""`tengen evaluate MODEL…`: accuracy of evaluators on the same labelled positions.

Start at `evaluate_models`. Each evaluator is compared with the labels in every value that both give: ownership, policy,
winrate, lead. The sample consists of the positions whose content has the smallest hashes, so it changes little as the
corpus grows. Intervals are at 95 % by resampling games; comparisons are paired, position by position.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet, join_batches
from tengen.errors import TengenError
from tengen.measure.calibration import ownership_reliability
from tengen.measure.compare import compare, mean, mean_by_phase
from tengen.measure.finals import chain_errors
from tengen.measure.ownership import OwnershipErrors, ownership_errors
from tengen.measure.phases import TENTHS
from tengen.measure.plots import bar_plot, phase_plot, reliability_diagram
from tengen.measure.tables import Column, Table
from tengen.models.evaluator import Answer, Evaluations, Evaluator, ask
from tengen.models.fitting import measures

CHUNK = 64

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OwnershipAnswers:
    """The ownership that one evaluator gives for the sample, and its errors."""

    ownership: Floats
    errors: OwnershipErrors
    chains: Floats
    wrong_chains: Floats


@dataclass(frozen=True)
class ModelAnswers:
    """The answers of one evaluator for the sample."""

    name: str
    ownership: OwnershipAnswers | None
    measures: dict[str, Floats]
    """How well policies, winrates and leads agree with the labels; see tengen.models.fitting.measures."""
    ms: float
    """Milliseconds per position, in batches, on one core."""


@dataclass(frozen=True)
class Evaluation:
    """Several evaluators on one sample."""

    sample: Batch
    answers: tuple[ModelAnswers, ...]

    def tables(self) -> list[Table]:
        """Return the tables that have rows: ownership, its paired comparisons, moves and values."""
        return [table for table in (self.table(), self.comparisons(), self.moves_and_values()) if table.rows]

    def table(self) -> Table:
        """Return one row per evaluator of ownership: the errors with their intervals, and the time."""
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
        return Table(columns, [self._row(answers, owned) for answers, owned in self._owned()])

    def moves_and_values(self) -> Table:
        """Return one row per evaluator of policies, winrates or leads: their agreement with the labels."""
        names = {
            "policy_top1": Column("top-1", percent=True),
            "policy_top5": Column("top-5", percent=True),
            "policy_log_likelihood": Column("policy log-likelihood", digits=4),
            "winrate_log_likelihood": Column("winrate log-likelihood", digits=4),
            "winrate_brier": Column("winrate Brier", digits=4),
            "lead_error": Column("lead error", digits=2),
        }
        measured = [each for each in self.answers if each.measures]
        shown = {key: column for key, column in names.items() if any(key in each.measures for each in measured)}
        columns: list[Column | str] = ["model", Column("positions", digits=0), *shown.values(), Column("ms", digits=2)]
        rows: list[list[Any]] = []
        for each in measured:
            means = [mean(each.measures[key], self.sample.games) if key in each.measures else None for key in shown]
            rows.append([each.name, len(self.sample), *means, each.ms])
        return Table(columns, rows)

    def comparisons(self) -> Table:
        """Compare the other models with the first, in vertex error and log-likelihood."""
        columns: list[Column | str] = [
            "model",
            "against",
            Column("vertex difference", percent=True),
            Column("p (vertex)", digits=4),
            Column("log-likelihood difference", digits=4),
            Column("p (log-likelihood)", digits=4),
        ]
        owned = [(answers.name, said.errors) for answers, said in self._owned()]
        rows: list[list[Any]] = []
        for name, other in owned[1:]:
            against, first = owned[0]
            vertex = compare(other.vertex, first.vertex, self.sample.games)
            likely = compare(other.log_likelihood, first.log_likelihood, self.sample.games)
            rows.append([name, against, vertex.difference, vertex.p, likely.difference, likely.p])
        return Table(columns, rows)

    def _owned(self) -> list[tuple[ModelAnswers, OwnershipAnswers]]:
        return [(answers, answers.ownership) for answers in self.answers if answers.ownership is not None]

    def _row(self, answers: ModelAnswers, owned: OwnershipAnswers) -> list[Any]:
        games, errors = self.sample.games, owned.errors
        means = [mean(values, games) for values in (errors.vertex, errors.net, errors.log_likelihood, errors.brier)]
        chains = mean(owned.wrong_chains / np.maximum(owned.chains, 1), games, owned.chains)
        return [answers.name, len(self.sample), *means, chains, answers.ms]

    def plot(self, folder: Path) -> list[Path]:
        """Plot the vertex errors, the errors by phase of the game, and the calibration of the ownership."""
        owned = {answers.name: said for answers, said in self._owned()}
        if not owned:
            raise TengenError("the plots show ownership, which none of these models gives")
        folder.mkdir(parents=True, exist_ok=True)
        games, sample = self.sample.games, self.sample
        phase = TENTHS.index(sample.turns, np.maximum(sample.lengths, 1))
        paths = [folder / name for name in ("vertex-error.svg", "by-phase.svg", "calibration.svg")]
        errors = {name: mean(said.errors.vertex, games) for name, said in owned.items()}
        bar_plot(paths[0], errors, measure="vertex error", percent=True)
        by_phase = {
            name: mean_by_phase(said.errors.vertex, games, phase, phases=TENTHS) for name, said in owned.items()
        }
        phase_plot(paths[1], by_phase, measure="vertex error", percent=True)
        truth = np.nan_to_num(sample.targets)
        tables = {name: ownership_reliability(said.ownership, truth, games=games) for name, said in owned.items()}
        reliability_diagram(paths[2], tables, event="Black owns the point")
        return paths


def evaluate_models(
    models: Sequence[Evaluator],
    data: DataSet,
    *,
    sample: int = 500,
    given: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Evaluate every model on the same positions; `progress` is called with the number of answers and the total.

    Models of one name are told apart by what the user has `given`, such as their files.
    """
    report = progress or (lambda done, total: None)
    chosen = fixed_sample(data, sample)
    labelled = _labelled(chosen)
    for model in models:
        if not labelled & model.gives:
            held = ", ".join(sorted(labelled)) or "nothing"
            hint = "; without labels it is measured on the moves played" if "policy" in model.gives else ""
            raise TengenError(f"labels {data.labels!r} hold {held}, none of which {model.name} gives{hint}")
    total = len(models) * len(chosen)
    answers: list[ModelAnswers] = []
    for model, name in zip(models, _row_names(models, given), strict=True):
        before = len(answers) * len(chosen)
        found = _answers(model, chosen, labelled, partial(_report, report, before, total))
        answers.append(replace(found, name=name))
    return Evaluation(chosen, tuple(answers))


def _row_names(models: Sequence[Evaluator], given: Sequence[str] | None) -> list[str]:
    names = [model.name for model in models]
    return [name if names.count(name) == 1 else text for name, text in zip(names, given or names, strict=True)]


def _labelled(sample: Batch) -> set[Answer]:
    labels: dict[Answer, npt.NDArray[np.float32]] = {
        "ownership": sample.targets,
        "policy": sample.policies,
        "winrate": sample.winrates,
        "lead": sample.leads,
    }
    return {answer for answer, values in labels.items() if np.isfinite(values).any()}


def fixed_sample(data: DataSet, count: int) -> Batch:
    """Return the `count` positions with the smallest hashes, in any order of the data."""
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


def _report(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _answers(model: Evaluator, sample: Batch, labelled: set[Answer], report: Callable[[int], None]) -> ModelAnswers:
    parts: list[Evaluations] = []
    start = time.perf_counter()
    for first in range(0, len(sample), CHUNK):
        parts.append(ask(model, sample.positions.take(slice(first, first + CHUNK))))
        report(min(first + CHUNK, len(sample)))
    seconds = time.perf_counter() - start
    said: dict[str, Any] = {answer: _joined([getattr(part, answer) for part in parts]) for answer in labelled}
    ownership = None if said.get("ownership") is None else _ownership_answers(said["ownership"], sample)
    return ModelAnswers(model.name, ownership, measures(Evaluations(**said), sample), seconds / len(sample) * 1000)


def _joined(parts: list[Floats | None]) -> Floats | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if len(given) == len(parts) else None


def _ownership_answers(said: Floats, sample: Batch) -> OwnershipAnswers:
    labelled = np.isfinite(sample.targets)
    truth = np.where(labelled, sample.targets, 0).astype(float)
    soft = bool(((truth != 0) & (abs(truth) != 1)).any())
    errors = ownership_errors(said, truth, labelled.astype(float) if soft else None, soft=soft)
    chains = np.stack([board.chain_numbers() for board in sample.positions.boards()])
    return OwnershipAnswers(said, errors, *chain_errors(said, truth, chains))
