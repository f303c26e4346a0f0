"""`tengen evaluate judge`: errors of the judge, of GNU Go and of other models, on positions with known owners.

Start at `evaluate_judges`. Wrong chains: the verdict (dead or not) differs from the marked owner. Results exact: the
count equals the recorded margin. Differences explained: the share of inexact results for which `explain_difference`
names a group or a rule. Intervals are at 95 %, by resampling games for chains and by Wilson's formula for games; judges
are compared on the same games, game by game.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tengen.benchmarks.finals import Final
from tengen.engines.gtp import GtpEngine, gnugo
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.counting import result_string
from tengen.judge.difference import explain_difference
from tengen.judge.score import Score, score
from tengen.judge.verdicts import judge_of
from tengen.measure.compare import compare
from tengen.measure.intervals import bootstrap_share, wilson
from tengen.measure.tables import Cell, Column, Table
from tengen.models.estimate import ModelLike

Judge = Callable[[Final], Score]
COUNTS = ("judge", "games", "chains")
SHARES = (
    "wrong chains", "games with one", "results exact", "safe", "wrong where safe", "exact where safe",
    "differences explained",
)  # fmt: skip


@dataclass
class JudgeReport:
    """The results of one judge on a set of finals, one entry per game in every list."""

    chains: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    """1 if the count equals the recorded margin, 0 if not, NaN without one."""
    explained: list[float] = field(default_factory=list)
    """1 if the difference from the recorded margin is explained, 0 if not, NaN if there is no difference."""
    safe: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong_ids: list[str] = field(default_factory=list)

    def add(self, final: Final, judged: Score, seconds: float) -> None:
        """Compare one score with the truth."""
        truth = [final.holds(verdict.points, verdict.colour) for verdict in judged.verdicts]
        told = [(v.alive >= 0.5, holds) for v, holds in zip(judged.verdicts, truth, strict=True) if holds is not None]
        wrong = sum(alive != holds for alive, holds in told)
        self.chains.append(len(told))
        self.wrong.append(wrong)
        exact = np.nan if final.recorded is None else float(abs(judged.lead - final.recorded) < 0.01)
        self.exact.append(exact)
        self.explained.append(_explained(judged, final) if exact == 0 else np.nan)
        self.safe.append(judged.safe)
        self.seconds.append(seconds)
        if wrong:
            self.wrong_ids.append(final.id)

    @property
    def faulty(self) -> list[bool]:
        """Whether a game has a wrong chain."""
        return [wrong > 0 for wrong in self.wrong]

    def row(self, name: str) -> list[Cell]:
        """Return the report as a row of the table."""
        safe = np.array(self.safe, bool)
        exact, known = np.array(self.exact), np.array(self.chains) > 0
        faulty = np.where(known, np.array(self.faulty, float), np.nan)
        return [
            name,
            len(self.chains),
            sum(self.chains),
            bootstrap_share(self.wrong, self.chains),
            _share(faulty),
            _share(exact),
            wilson(int(safe.sum()), len(safe)),
            _share(faulty[safe]),
            _share(exact[safe]),
            _share(np.array(self.explained)),
            float(np.mean(self.seconds)) * 1000,
        ]


def _explained(judged: Score, final: Final) -> float:
    return float(final.recorded is not None and bool(explain_difference(judged, result_string(final.recorded))))


def judge_by(model: ModelLike) -> Judge:
    """Return a judge by a model of ownership, "default" for that of `tengen.score`."""
    judge = judge_of(model)  # loading it is not measured
    return lambda final: score(final.board, captures=final.captures, model=judge)


class GnuGoJudge:
    """GNU Go's dead stones, counted by our rules."""

    def __init__(self, level: int = 10, timeout: float = 120.0) -> None:
        self.engine: GtpEngine = gnugo(level=level, timeout=timeout)

    def __call__(self, final: Final) -> Score:
        """Return the count without the stones that GNU Go considers dead."""
        self.engine.set_position(Board.from_stones(final.board.stones))
        return score(final.board, captures=final.captures, dead=self.engine.final_status("dead"))

    def seconds(self) -> float:
        """Return the CPU time the program has used."""
        return float(self.engine.send("cputime"))


def evaluate_judges(finals: Iterable[Final], judges: dict[str, Judge]) -> dict[str, JudgeReport]:
    """Score every final with every judge and compare with the truth."""
    reports = {name: JudgeReport() for name in judges}
    for final in finals:
        for name, judge in judges.items():
            start = _clock(judge)
            judged = judge(final)
            reports[name].add(final, judged, _clock(judge) - start)
    if not next(iter(reports.values())).chains:
        raise TengenError("there is no final position with known owners")
    return reports


def judge_table(reports: dict[str, JudgeReport]) -> Table:
    """Return one row per judge."""
    shares = [Column(name, percent=True) for name in SHARES]
    return Table([*COUNTS, *shares, Column("ms", 1)], [report.row(name) for name, report in reports.items()])


def judge_comparisons(reports: dict[str, JudgeReport]) -> Table:
    """Compare the first judge with each other one, on the same games."""
    (first, one), *others = reports.items()
    rows = [row for name, other in others for row in _compared(f"{first} − {name}", one, other)]
    return Table(["judges", "measure", Column("difference", percent=True), Column("p", 3)], rows)


def _compared(name: str, one: JudgeReport, other: JudgeReport) -> list[list[Cell]]:
    games = np.arange(len(one.chains))
    chains = np.array(one.chains, float)
    measures = {
        "wrong chains": (np.array(one.wrong) / chains, np.array(other.wrong) / chains, chains),
        "games with one": (np.array(one.faulty, float), np.array(other.faulty, float), None),
        "results exact": (np.array(one.exact), np.array(other.exact), None),
    }
    found = {measure: compare(a, b, games, weights) for measure, (a, b, weights) in measures.items()}
    return [[name, measure, compared.difference, compared.p] for measure, compared in found.items()]


def _clock(judge: Judge) -> float:
    return time.process_time() + (judge.seconds() if isinstance(judge, GnuGoJudge) else 0.0)


def _share(values: npt.NDArray[np.float64]) -> Cell:
    known = values[~np.isnan(values)]
    return wilson(int(known.sum()), len(known)) if len(known) else None
