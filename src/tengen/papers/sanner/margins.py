"""The margin of a game against the sum of the ownership: what a lead is worth at each phase.

The net error does not tell a model that is wrong about who leads from one that is right and exaggerates. So the margin,
the sum of the owners at the end, is fitted to the summed ownership and the player to move (tengen.measure.leads). Even
games and handicap games are fitted apart, because handicap stones lead to margins that an even game rarely has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tengen.measure.compare import mean
from tengen.measure.leads import cross_fitted, fit_lead
from tengen.measure.phases import STAGES
from tengen.papers.report import Row
from tengen.papers.sanner.answers import RESAMPLING, Answers, Test

SLOPES = "points of the final margin for one point of summed ownership (Black to move: + tempo)"
FITTED = "net error after fitting slope and tempo of each phase to other games (%)"


def margins(said: Mapping[str, Answers], test: Test) -> Iterator[Row]:
    """Yield the slopes, then the net errors with the margins fitted, of the models evaluated on all positions."""
    sample = test.sample
    whole = {name: answers for name, answers in said.items() if answers.positions == len(sample)}
    labelled = np.isfinite(sample.targets)
    truth = np.where(labelled, sample.targets, 0.0).sum((1, 2))
    points = np.maximum(labelled.sum((1, 2)), 1)
    areas = {name: np.where(labelled, answers.ownership, 0.0).sum((1, 2)) for name, answers in whole.items()}
    phase = STAGES.index(sample.turns, np.maximum(sample.lengths, 1))
    kinds = {f"Margins, {kind}": among for kind, among in test.kinds.items()} or {"Margins": np.full(len(sample), True)}
    for title, among in kinds.items():
        parts = [(name, here) for i, name in enumerate(STAGES.names) if (here := among & (phase == i)).any()]
        fitted = {name: np.full(len(sample), np.nan) for name in whole}
        for name, area in areas.items():
            for stage, here in parts:
                facts = area[here], sample.to_play[here], truth[here]
                fit = fit_lead(*facts)
                tempo = f"tempo {fit.tempo:.1f}".replace("-", "−")
                yield Row(f"{title}: {SLOPES}", f"{name}, {stage}", None, fit.slope, note=tempo)
                fitted[name][here] = cross_fitted(*facts, sample.games[here])
        for name, leads in fitted.items():
            errors = 50 * np.abs(leads - truth) / points
            found = mean(errors[among], sample.games[among], resampling=RESAMPLING)
            yield Row(f"{title}: {FITTED}", name, None, found.value, (found.low, found.high))
