"""Pseudolikelihood over all weights: those of every pattern and of the couplings together (Sanner et al., Eq. 6).

Start at `fit_pseudolikelihood`. The factors of Eq. 2 and Eq. 3 are trained jointly: every point and every edge is
predicted from its neighbours' owners, so that couplings take over what patterns would repeat. The loss is convex;
AdaGrad descends it in batches of boards, from the weights of the logistic regression.
"""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np
import numpy.typing as npt

from tengen._core import PatternTable, pattern_keys
from tengen.corpus.dataset import Batch, DataSet
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.territory.counts import PatternCounts
from tengen.territory.coupling import PatternCrf
from tengen.territory.coupling_classes import log_potentials_of
from tengen.territory.coupling_examples import coupling_examples
from tengen.territory.coupling_pieces import pseudolikelihood
from tengen.territory.logistic import added_up
from tengen.territory.patterns import PatternModel

BOARDS = 64
"""Boards of a step."""
RATE = 0.05
EPOCHS = 2
DECAY = 1e-6
"""The regularisation of pattern weights, per occurrence, as in the logistic regression."""


class PatternWeights(PatternModel):
    """The sum of given weights of all classes known at a point."""

    weights_: FloatArray = field(init=False)

    name = "papers/sanner-weights"

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        return np.tanh(added_up(counts, self.weights_) / 2)

    @classmethod
    def of(cls, counts: PatternCounts, weights: FloatArray) -> PatternWeights:
        """Return the model of counted classes with one weight each."""
        model = cls(templates=counts.templates)
        model.weights_ = weights
        return model.fit_counts(counts)


def fit_pseudolikelihood(
    counts: PatternCounts,
    data: DataSet,
    start: FloatArray,
    *,
    l2: float,
    epochs: int = EPOCHS,
    progress: Progress | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of all patterns and the eight of the couplings, whose regularisation is `l2`."""
    descent = Descent(counts, start, l2)
    for epoch in range(epochs):
        for done, batch in enumerate(replace(data, batch=BOARDS).epoch(epoch)):
            descent.step(batch, RATE / (1 + epoch))
            if progress is not None and done % 50 == 0:
                progress(epoch / epochs)
    return descent.weights, descent.theta[:8]


def weighted_crf(counts: PatternCounts, weights: FloatArray, theta: FloatArray, l2: float) -> PatternCrf:
    """Return the pattern CRF with weights that were trained together."""
    crf = PatternCrf(unary=PatternWeights.of(counts, weights), unary_scale=1.0, trainer="pl", l2=l2)
    crf.log_potentials_ = log_potentials_of(theta)
    return crf


class Descent:
    """The weights, and the sums of squared gradients that set their rates."""

    def __init__(self, counts: PatternCounts, start: FloatArray, l2: float) -> None:
        self.templates, self.l2 = counts.templates, l2
        self.table = PatternTable(counts.keys, np.zeros(len(counts), np.float32))
        self.weights = np.array(start, np.float64)
        self.squares = np.zeros(len(counts))
        self.theta = np.append(np.zeros(8), 1.0)
        self.theta_squares = np.zeros(8)

    def step(self, batch: Batch, rate: float) -> float:
        """Descend once; return the loss per piece before that."""
        entries, signs = self.matches(batch.boards)
        logits = (signs * self.weights[entries]).sum(1).reshape(len(batch), -1)
        [examples] = coupling_examples([batch], len(batch), lambda boards: logits)
        loss, by_theta, by_logits, pieces = pseudolikelihood(examples, self.theta)
        slope = by_theta[:8] / pieces + self.l2 * self.theta[:8]
        self.theta_squares += slope**2
        self.theta[:8] -= rate * slope / np.sqrt(self.theta_squares + 1e-12)
        self._descend_weights(entries, signs * by_logits.reshape(-1, 1), signs != 0, rate)
        return loss / pieces

    def matches(self, boards: npt.NDArray[np.int8]) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return the entry of every point's class of each template and its sign, 0 where it is not known."""
        keys, signs = pattern_keys(boards, self.templates)
        entries = self.table.find(keys.ravel()).reshape(-1, self.templates)
        known = signs.reshape(entries.shape) * (entries >= 0).astype(float)
        return np.maximum(entries, 0), known

    def _descend_weights(
        self, entries: npt.NDArray[np.int64], slopes: FloatArray, known: npt.NDArray[np.bool_], rate: float
    ) -> None:
        met, place = np.unique(entries[known], return_inverse=True)
        slope = np.bincount(place, slopes[known]) + DECAY * np.bincount(place) * self.weights[met]
        self.squares[met] += slope**2
        self.weights[met] -= rate * slope / np.sqrt(self.squares[met] + 1e-12)
