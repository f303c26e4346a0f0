"""Logistic regression on patterns: the weights of all known classes are added (Sanner et al., Eq. 2).

P(Black) = 1 / (1 + exp(−Σ_i σ_i λ_i)) over the classes known at a point, where σ_i is the sign of each occurrence, so
that colours are treated symmetrically; there is no bias. Weights start from the counts, so that the sum begins
near the log-odds of the largest class, and are learned by AdaGrad in native passes over the data.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen._core import PatternTable
from tengen.errors import ModelError
from tengen.go.arrays import as_stones
from tengen.models.protocol import Batch, Data, FloatArray, Progress
from tengen.territory.counts import PatternCounts
from tengen.territory.patterns import PatternMatch, PatternModel


class Logistic(PatternModel):
    """A weight for every pattern, learned jointly; the weights of the patterns at a point are added."""

    name = "territory/logistic"

    epochs: int = 2
    rate: float = 0.05
    decay: float = 1e-6
    shrinkage: float = 8.0

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        if data is None:
            raise ModelError(f"{self.name} needs the positions: it cannot be fitted to counts alone")
        weights = self._start(counts)
        squares = np.zeros(len(counts))
        table = PatternTable(counts.keys, np.zeros(len(counts), np.float32))
        for epoch in range(self.epochs):
            for batch in _epoch(data, epoch):
                self._learn(table, batch, weights, squares, self.rate / (1 + epoch))
            if progress is not None:
                progress((epoch + 1) / self.epochs)
        self.weights_ = weights.astype(np.float32)
        return np.tanh(added_up(counts, self.weights_.astype(np.float64)) / 2)

    def _keep(self, rows: npt.NDArray[np.intp], counts: PatternCounts, values: FloatArray) -> None:
        super()._keep(rows, counts, values)
        self.weights_ = self.weights_[rows].astype(np.float16)

    def _start(self, counts: PatternCounts) -> FloatArray:
        """Differences of log-odds between each class and its parent, shares shrunk towards the parent's."""
        logits = np.zeros(len(counts))
        weights = np.zeros(len(counts))
        for level, rows in enumerate(counts.levels(), start=1):
            above = counts.relation[rows] * logits[counts.parent[rows]] if level > 1 else np.zeros(len(rows))
            prior = self.shrinkage / (1 + np.exp(-above))
            black, white = counts.black[rows] + prior, counts.white[rows] + self.shrinkage - prior
            logits[rows] = np.where(counts.neutral[rows], 0, np.log(np.maximum(black, 1e-9) / np.maximum(white, 1e-9)))
            weights[rows] = np.where(counts.neutral[rows], 0, logits[rows] - above)
        return weights

    def _learn(self, table: PatternTable, batch: Batch, weights: FloatArray, squares: FloatArray, rate: float) -> None:
        targets = np.array(batch.targets, np.float32, order="C")
        if self.labels == "hard":
            targets = np.sign(targets)
        each = np.asarray(batch.weights, np.float32)
        each = np.broadcast_to(each.reshape(*each.shape, *(1,) * (3 - each.ndim)), targets.shape)
        boards = as_stones(batch.boards)
        table.learn(
            boards, targets, np.ascontiguousarray(each), self.templates, weights, squares, rate=rate, decay=self.decay
        )

    def _shares(self, found: list[PatternMatch]) -> list[str]:
        return [_share(match.sign * float(self.weights_[match.entry])) for match in found]


def added_up(counts: PatternCounts, weights: FloatArray) -> FloatArray:
    """Return for each class the sum of weights from template 1 to it, in its own orientation."""
    sums = np.zeros(len(counts))
    for level, rows in enumerate(counts.levels(), start=1):
        above = counts.relation[rows] * sums[counts.parent[rows]] if level > 1 else 0.0
        sums[rows] = np.where(counts.neutral[rows], 0.0, above + weights[rows])
    return sums


def _epoch(data: Data, number: int) -> Data:
    """Return the data in a new order for each epoch, if it supports that."""
    shuffled = getattr(data, "epoch", None)
    return shuffled(number) if shuffled is not None else data


def _share(weight: float) -> str:
    return f"it favours {'Black' if weight >= 0 else 'White'} with weight {abs(weight):.2f}"
