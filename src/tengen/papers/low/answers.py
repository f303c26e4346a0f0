"""What the evaluators answer for the test positions, and their errors with intervals over games and draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.errors import ConvergenceWarning
from tengen.measure.arrays import FloatArray
from tengen.measure.intervals import Interval
from tengen.measure.ownership import ownership_errors
from tengen.models.convergence import collected_reports
from tengen.papers.draws import spread

CHUNK = 256


@dataclass
class Answers:
    """Ownership of the test positions by model and draw; models without training have one draw."""

    test: Batch
    ownership: dict[str, list[FloatArray]] = field(default_factory=dict)
    unconverged: Counter[str] = field(default_factory=Counter)
    """Reports of inference that did not converge, by model."""

    def ask(self, models: Mapping[str, Any]) -> None:
        """Add the answers of the models of one draw."""
        asked = self.test.positions
        for name, model in models.items():
            with catch_warnings(), collected_reports() as reports:
                simplefilter("ignore", ConvergenceWarning)
                parts = [model.ownership_many(asked.take(slice(i, i + CHUNK))) for i in range(0, len(asked), CHUNK)]
            self.unconverged[name] += len(reports)
            self.ownership.setdefault(name, []).append(np.concatenate(parts))

    @property
    def truth(self) -> FloatArray:
        """The owners by the labels, 0 where there are none."""
        return np.nan_to_num(self.test.targets.astype(np.float64))

    @property
    def labelled(self) -> FloatArray:
        """1 for points with a label, else 0."""
        return np.isfinite(self.test.targets).astype(np.float64)

    def errors(self, name: str) -> list[FloatArray]:
        """Return the vertex error of each position in percent, draw by draw."""
        truth, labelled = self.truth, self.labelled
        return [100 * ownership_errors(said, truth, labelled, soft=True).vertex for said in self.ownership[name]]

    def error(self, name: str) -> Interval:
        """Return the mean vertex error in percent."""
        return spread(self.errors(name), self.test.games)

    def gap(self, first: str, second: str) -> Interval:
        """Return the vertex error of one model minus that of another, draw by draw."""
        pairs = zip(self.errors(first), self.errors(second), strict=True)
        return spread([one - other for one, other in pairs], self.test.games)

    def own_stones(self, name: str | None = None) -> Interval:
        """Return the mean ownership of stones for their own colour, by a model or by the labels: 1 if all live."""
        said = [self.truth] if name is None else self.ownership[name]
        return self._over_stones(said)

    def own_stones_gap(self, name: str) -> Interval:
        """Return the same for a model minus the labels."""
        return self._over_stones([said - self.truth for said in self.ownership[name]])

    def _over_stones(self, owners: Sequence[FloatArray]) -> Interval:
        stones = self.test.boards * self.labelled
        count = np.abs(stones).sum((1, 2))
        means = [(each * stones).sum((1, 2)) / np.maximum(count, 1) for each in owners]
        return spread(means, self.test.games, count)
