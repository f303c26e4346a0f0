"""`tengen evaluate judge`: how often the judge is wrong on positions whose truth is known.

Start at `evaluate_judge`. Wrong chains: the verdict (dead or not) differs from the marked owner. Results exact: the
count equals the recorded margin. Intervals are at 95 %, by resampling games for chains and by Wilson's formula for
games.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tengen.benchmarks.finals import Final
from tengen.judge.score import Score, score
from tengen.judge.vote import ballots
from tengen.measure.intervals import Interval, bootstrap_share, wilson


@dataclass
class JudgeReport:
    """What was counted on a set of finals, one entry a game in every list."""

    chains: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    exact: list[bool | None] = field(default_factory=list)
    safe: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong_ids: list[str] = field(default_factory=list)

    def add(self, final: Final, judged: Score, seconds: float) -> None:
        """Compare one score with the truth."""
        truth = [final.holds(verdict.points, verdict.colour) for verdict in judged.verdicts]
        wrong = sum((verdict.alive >= 0.5) != holds for verdict, holds in zip(judged.verdicts, truth, strict=True))
        self.chains.append(len(truth))
        self.wrong.append(wrong)
        self.exact.append(None if final.recorded is None else abs(judged.lead - final.recorded) < 0.01)
        self.safe.append(judged.safe)
        self.seconds.append(seconds)
        if wrong:
            self.wrong_ids.append(final.id)

    def row(self, name: str) -> dict[str, object]:
        """Return the report as one row of numbers, shares with their intervals."""
        counted = [exact for exact in self.exact if exact is not None]
        relied = [exact for exact, safe in zip(self.exact, self.safe, strict=True) if safe and exact is not None]
        faulty = [wrong > 0 for wrong in self.wrong]
        safe_faulty = [wrong > 0 for wrong, safe in zip(self.wrong, self.safe, strict=True) if safe]
        return {
            "set": name,
            "games": len(self.chains),
            "chains": sum(self.chains),
            "wrong_chains": bootstrap_share(self.wrong, self.chains),
            "games_with_wrong_chain": wilson(sum(faulty), len(faulty)),
            "results_exact": wilson(sum(counted), len(counted)),
            "safe": wilson(sum(self.safe), len(self.safe)),
            "safe_games_with_wrong_chain": wilson(sum(safe_faulty), len(safe_faulty)),
            "safe_results_exact": wilson(sum(relied), len(relied)),
            "ms": float(np.mean(self.seconds)) * 1000 if self.seconds else float("nan"),
        }


def evaluate_judge(finals: Iterable[Final]) -> JudgeReport:
    """Score every final and compare with the truth."""
    report = JudgeReport()
    for final in finals:
        start = time.process_time()
        judged = score(final.board, captures=final.captures)
        report.add(final, judged, time.process_time() - start)
    return report


def fit_survival(finals: Iterable[Final]) -> tuple[float, float, float, float]:
    """Fit the judge's curve (floor, ceiling, slope, middle) to the chains that Benson's rule leaves open."""
    pairs = [
        (ballot.held, final.holds(ballot.chain.points, ballot.chain.colour))
        for final in finals
        for ballot in ballots(final.board)
        if ballot.settled is None
    ]
    held, lives = np.array(pairs, float).T
    return fit_curve(held, lives)


def fit_curve(held: npt.NDArray[np.float64], lives: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Fit floor + (ceiling − floor) · logistic(slope · (held − middle)) by maximum likelihood, by coordinate search."""
    best = np.array([0.02, 0.99, 10.0, 0.5])
    steps = np.array([0.02, 0.01, 4.0, 0.05])

    def loss(curve: npt.NDArray[np.float64]) -> float:
        floor, ceiling, slope, middle = curve
        if not (1e-4 < floor < ceiling < 1 - 1e-4):
            return float("inf")
        p = floor + (ceiling - floor) / (1 + np.exp(-slope * (held - middle)))
        return float(-np.mean(lives * np.log(p) + (1 - lives) * np.log(1 - p)))

    lowest = loss(best)
    while steps.max() > 1e-3:
        improved = False
        for axis in range(4):
            for direction in (-1, 1):
                trial = best.copy()
                trial[axis] += direction * steps[axis]
                if (value := loss(trial)) < lowest:
                    best, lowest, improved = trial, value, True
        if not improved:
            steps /= 2
    floor, ceiling, slope, middle = best.tolist()
    return floor, ceiling, slope, middle


def as_text(value: object) -> str:
    """Write a cell of the report: a share with its interval in percent, or a number."""
    if isinstance(value, Interval):
        return f"{value.value:.2%} ({value.low:.2%}–{value.high:.2%})"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
