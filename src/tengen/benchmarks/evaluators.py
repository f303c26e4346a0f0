"""`tengen evaluate MODEL…`: accuracy of evaluators on the same labelled positions.

Start at `evaluate_models`. Each evaluator is compared with the labels in every value that both give: ownership, policy,
winrate, lead; winrate and lead follow from the ownership where it gives none. The null model has a row beside them. The
sample consists of the positions whose content has the smallest hashes, so it changes little as the corpus grows.
Intervals are at 95 % by resampling games; comparisons are paired, position by position.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet, join_batches
from tengen.errors import TengenError
from tengen.measure.calibration import ownership_reliability, reliability
from tengen.measure.compare import compare, mean, mean_by_phase
from tengen.measure.finals import chain_errors, dead_chains
from tengen.measure.intervals import Interval
from tengen.measure.leads import cross_fitted, fit_lead
from tengen.measure.ownership import OwnershipErrors, ownership_errors
from tengen.measure.phases import STAGES, TENTHS
from tengen.measure.plots import bar_plot, phase_plot, reliability_diagram
from tengen.measure.tables import Column, Table
from tengen.models.evaluator import Answer, Evaluations, Evaluator, ask
from tengen.models.fitting import measures
from tengen.models.leads import completed, expected_leads
from tengen.territory.naive import Null

CHUNK = 64

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OwnershipAnswers:
    """The ownership that one evaluator gives for the sample, and its errors."""

    ownership: Floats
    errors: OwnershipErrors
    chains: Floats
    wrong_chains: Floats
    dead_chains: Floats
    missed_chains: Floats
    """Dead chains taken for alive."""


@dataclass(frozen=True)
class ModelAnswers:
    """The answers of one evaluator for the sample."""

    name: str
    ownership: OwnershipAnswers | None
    measures: dict[str, Floats]
    """How well policies, winrates and leads agree with the labels; see tengen.models.fitting.measures."""
    leads: Floats | None
    winrates: Floats | None
    ms: float | None
    """Milliseconds per position, in batches, on one core."""


@dataclass(frozen=True)
class Evaluation:
    """Several evaluators on one sample."""

    sample: Batch
    answers: tuple[ModelAnswers, ...]
    null: ModelAnswers | None
    """Ownership 0 everywhere; None if the labels have no ownership."""

    def tables(self) -> list[Table]:
        """Return the tables that have rows: ownership, comparisons, kinds of games, leads, moves and values."""
        found = (self.table(), self.comparisons(), self.games(), self.leads(), self.moves_and_values())
        return [table for table in found if table.rows]

    def table(self) -> Table:
        """Return one row per evaluator of ownership and the null model: errors with their intervals, and the time."""
        columns: list[Column | str] = [
            "model",
            Column("positions", digits=0),
            Column("vertex error", percent=True),
            Column("where sure", percent=True),
            Column("net error", percent=True),
            Column("log-likelihood", digits=4),
            Column("Brier", digits=4),
            Column("wrong chains", percent=True),
            Column("dead missed", percent=True),
            Column("ms", digits=2),
        ]
        return Table(columns, [self._row(answers, owned) for answers, owned in self._owned(null=True)])

    def games(self) -> Table:
        """Return the errors in even games and in handicap games apart, if the sample has both."""
        columns: list[Column | str] = [
            "model",
            "games",
            Column("positions", digits=0),
            Column("vertex error", percent=True),
            Column("net error", percent=True),
            Column("log-likelihood", digits=4),
            Column("lead error", digits=2),
        ]
        handicap = self.sample.positions.handicap >= 2
        kinds = {"even": ~handicap, "handicap": handicap} if 0 < handicap.sum() < len(handicap) else {}
        rows: list[list[Any]] = []
        for (answers, owned), (kind, here) in product(self._owned(null=True), kinds.items()):
            errors = owned.errors
            values = [errors.vertex, errors.net, errors.log_likelihood, answers.measures.get("lead_error")]
            rows.append([answers.name, kind, int(here.sum()), *(self._mean(each, here) for each in values)])
        return Table(columns, rows)

    def leads(self) -> Table:
        """Return the errors of the leads by phase, and what a fit of slope and tempo to other games makes of them.

        Biases are Black's lead too large; see tengen.measure.leads.
        """
        columns: list[Column | str] = [
            "model",
            "phase",
            Column("positions", digits=0),
            Column("lead error", digits=2),
            Column("bias, Black to move", digits=2),
            Column("bias, White to move", digits=2),
            Column("slope", digits=2),
            Column("tempo", digits=2),
            Column("fitted lead error", digits=2),
        ]
        phase = STAGES.index(self.sample.turns, np.maximum(self.sample.lengths, 1))
        known = np.isfinite(self.sample.leads)
        parts = {name: known & (phase == i) for i, name in enumerate(STAGES.names)} | {"all": known}
        measured = [each for each in (*self.answers, self.null) if each is not None and each.leads is not None]
        rows = [
            self._lead_row(each, name, here) for each, (name, here) in product(measured, parts.items()) if here.any()
        ]
        return Table(columns, rows)

    def _lead_row(self, answers: ModelAnswers, phase: str, here: npt.NDArray[np.bool_]) -> list[Any]:
        sample = self.sample
        assert answers.leads is not None
        gap, turn = answers.leads - sample.leads, sample.to_play
        besides = expected_leads(sample.positions, np.zeros(sample.boards.shape))
        area, truth = (answers.leads - besides)[here], (sample.leads - besides)[here]
        fit = fit_lead(area, turn[here], truth)
        fitted = np.full(len(sample), np.nan)
        fitted[here] = np.abs(cross_fitted(area, turn[here], truth, sample.games[here]) - truth)
        biases = [self._mean(gap, here & (turn == side)) for side in (1, -1)]
        known = [int(here.sum()), self._mean(np.abs(gap), here), *biases]
        return [answers.name, phase, *known, *fit, self._mean(fitted, here)]

    def _mean(self, values: Floats | None, here: npt.NDArray[np.bool_]) -> Interval | None:
        """Return the mean over some positions; None if none of them has a value."""
        if values is None or not np.isfinite(values[here]).any():
            return None
        return mean(values[here], self.sample.games[here])

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
        measured = [each for each in (*self.answers, self.null) if each is not None and each.measures]
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

    def _owned(self, *, null: bool = False) -> list[tuple[ModelAnswers, OwnershipAnswers]]:
        found = [(answers, answers.ownership) for answers in self.answers if answers.ownership is not None]
        if null and found and self.null is not None and self.null.ownership is not None:
            found.append((self.null, self.null.ownership))
        return found

    def _row(self, answers: ModelAnswers, owned: OwnershipAnswers) -> list[Any]:
        games, errors = self.sample.games, owned.errors
        everywhere = np.ones(len(games), bool)
        measured = (errors.vertex, errors.vertex_sure, errors.net, errors.log_likelihood, errors.brier)
        means = [self._mean(values, everywhere) for values in measured]
        pairs = ((owned.wrong_chains, owned.chains), (owned.missed_chains, owned.dead_chains))
        chains = [mean(bad / np.maximum(all_, 1), games, all_) if all_.any() else None for bad, all_ in pairs]
        return [answers.name, len(self.sample), *means, *chains, answers.ms]

    def plot(self, folder: Path) -> list[Path]:
        """Plot the vertex errors, the errors by phase of the game, and the calibration of ownership and winrates."""
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
        known = np.isfinite(sample.winrates)
        won = {
            answers.name: reliability(answers.winrates[known], sample.winrates[known], bins=10, games=games[known])
            for answers in self.answers
            if answers.winrates is not None
        }
        if won and known.any():
            paths.append(reliability_diagram(folder / "winrates.svg", won, event="Black wins, by the teacher"))
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
    for model, name in zip(models, row_names(models, given), strict=True):
        before = len(answers) * len(chosen)
        found = _answers(model, chosen, labelled, partial(_report, report, before, total))
        answers.append(replace(found, name=name))
    null = _answers(Null(), chosen, labelled, lambda done: None) if "ownership" in labelled else None
    return Evaluation(chosen, tuple(answers), None if null is None else replace(null, ms=None))


def row_names(models: Sequence[Evaluator], given: Sequence[str] | None) -> list[str]:
    """Return the names of the models; those of one name are told apart by what the user has given."""
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
    every = [field.name for field in fields(Evaluations)]
    said = completed(
        Evaluations(**{name: _joined([getattr(part, name) for part in parts]) for name in every}), sample.positions
    )
    known = Evaluations(**{answer: getattr(said, answer) for answer in labelled})
    ownership = None if known.ownership is None else _ownership_answers(known.ownership, sample)
    ms = seconds / len(sample) * 1000
    return ModelAnswers(model.name, ownership, measures(known, sample), known.lead, known.winrate, ms)


def _joined(parts: list[Floats | None]) -> Floats | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if len(given) == len(parts) else None


def _ownership_answers(said: Floats, sample: Batch) -> OwnershipAnswers:
    labelled = np.isfinite(sample.targets)
    truth = np.where(labelled, sample.targets, 0).astype(float)
    soft = bool(((truth != 0) & (abs(truth) != 1)).any())
    errors = ownership_errors(said, truth, labelled.astype(float) if soft else None, soft=soft)
    chains = np.stack([board.chain_numbers() for board in sample.positions.boards()])
    dead = dead_chains(said, truth, chains, sample.boards)
    return OwnershipAnswers(said, errors, *chain_errors(said, truth, chains), *dead)
