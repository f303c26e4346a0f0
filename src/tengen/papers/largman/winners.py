"""Who wins, told by a support vector machine from one board of a game (Largman & Pham §3.3).

Start at `classified`. A repetition draws training and test boards; the kernel and C are chosen by cross-validation on
the training boards of every size. Features are standardised by the training boards. The width of the rbf kernel is one,
for features divided by the square root of their number.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.extras import need
from tengen.measure.arrays import FloatArray
from tengen.measure.compare import compare
from tengen.measure.intervals import Interval, bootstrap_share, wilson
from tengen.papers.kept import Arrays

COSTS = tuple(2.0**power for power in range(-5, 11, 3))
FOLDS = 5
KERNELS = ("linear", "quadratic", "cubic", "rbf")
MOST_STEPS = 5000
"""Of a machine: with a large C it may not converge."""

Won = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Accuracy:
    """How often the winner of each board is found, for each number of training boards."""

    sizes: tuple[int, ...]
    right: FloatArray
    """Repetitions in which the board was tested and its winner found [size, board]."""
    tested: FloatArray
    """Repetitions in which the board was tested [board]."""
    means: FloatArray
    """Share of test boards in each repetition [size, repetition]."""
    kernels: FloatArray
    """How often each kernel of KERNELS was chosen [size, kernel]."""

    @classmethod
    def of(cls, sizes: tuple[int, ...], arrays: Arrays, games: npt.NDArray[np.integer] | None = None) -> Accuracy:
        """Make it from kept arrays; boards of one game are counted together, so that games are resampled."""
        found = cls(sizes, *(arrays[name] for name in ("right", "tested", "means", "kernels")))
        if games is None:
            return found
        numbers, row = np.unique(games, return_inverse=True)
        belongs = (row[:, None] == np.arange(len(numbers))).astype(np.float64)
        return replace(found, right=found.right @ belongs, tested=found.tested @ belongs)

    def share(self, place: int) -> Interval:
        """Return the accuracy with an interval by resampling boards; by Wilson's formula if all or none are right."""
        boards, share = int((self.tested > 0).sum()), self.right[place].sum() / self.tested.sum()
        return wilson(share * boards, boards) if share in (0, 1) else bootstrap_share(self.right[place], self.tested)

    def note(self, place: int) -> str:
        """Return the spread of the repetitions and the usual kernel."""
        kernel = KERNELS[int(self.kernels[place].argmax())]
        return f"sd {self.means[place].std():.3f} of {self.means.shape[1]} repetitions, {kernel}"

    def against(self, other: Accuracy, place: int) -> Interval:
        """Return the difference of accuracies on the same boards in percentage points."""
        known = np.flatnonzero(self.tested)
        mine, theirs = (100 * each.right[place, known] / each.tested[known] for each in (self, other))
        return compare(mine, theirs, known).difference


def classified(
    features: Sequence[npt.NDArray[np.floating]], won: Won, sizes: Sequence[int], repetitions: int, seed: int = 0
) -> Arrays:
    """Classify boards [board, feature]; the largest size of training boards is left for training, others are tested.

    With several features, such as those of filters from different seeds, repetitions use them in turn.
    """
    boards, most = len(won), max(sizes)
    right, tested = np.zeros((len(sizes), boards)), np.zeros(boards)
    means, kernels = np.zeros((len(sizes), repetitions)), np.zeros((len(sizes), len(KERNELS)))
    for repetition in range(repetitions):
        order = np.random.default_rng((seed, repetition)).permutation(boards)
        test = order[most:]
        tested[test] += 1
        for place, size in enumerate(sizes):
            said, kernel = _told(features[repetition % len(features)], won, order[:size], test)
            right[place, test] += said == won[test]
            means[place, repetition] = (said == won[test]).mean()
            if kernel is not None:
                kernels[place, kernel] += 1
    return {"right": right, "tested": tested, "means": means, "kernels": kernels}


def _told(
    features: npt.NDArray[np.floating], won: Won, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]
) -> tuple[Won, int | None]:
    """Return the winners of test boards and the number of the kernel."""
    known = won[train]
    if known.all() or not known.any():
        return np.full(len(test), known[0]), None
    mean, sd = features[train].mean(0), features[train].std(0)
    varied = sd > 1e-6
    rows = np.concatenate([train, test])
    scaled = ((features[rows][:, varied] - mean[varied]) / sd[varied]).astype(np.float64)
    best, chosen = -1.0, (0, COSTS[0])
    n, dots = len(train), scaled @ scaled[: len(train)].T
    squares = (scaled**2).sum(1)
    grams = [*_grams(dots / scaled.shape[1], squares / scaled.shape[1], n)]
    for kernel, gram in enumerate(grams):
        for cost in COSTS:
            score = _cross_validated(gram[:n], known, cost)
            if score > best:
                best, chosen = score, (kernel, cost)
    kernel, cost = chosen
    return _machine(grams[kernel][:n], known, cost).predict(grams[kernel][n:]), kernel


def _grams(dots: FloatArray, squares: FloatArray, n: int) -> Iterator[FloatArray]:
    """Yield the kernels of KERNELS between all boards and the training boards; features are divided by √number."""
    yield dots
    yield (1 + dots) ** 2
    yield (1 + dots) ** 3
    distances = np.maximum(squares[:, None] + squares[None, :n] - 2 * dots, 0)
    yield np.exp(-distances / 2)


def _cross_validated(gram: FloatArray, won: Won, cost: float) -> float:
    """Return the share of training boards that are right when a fold of them is left out."""
    fold, right = np.arange(len(won)) % FOLDS, 0
    for left_out in range(FOLDS):
        learn, check = np.flatnonzero(fold != left_out), np.flatnonzero(fold == left_out)
        if won[learn].all() or not won[learn].any():
            right += int((won[check] == won[learn][0]).sum())
            continue
        found = _machine(gram[np.ix_(learn, learn)], won[learn], cost)
        right += int((found.predict(gram[np.ix_(check, learn)]) == won[check]).sum())
    return right / len(won)


def _machine(gram: FloatArray, won: Won, cost: float) -> Any:
    """Return a fitted support vector machine."""
    machine = need("sklearn.svm").SVC(C=cost, kernel="precomputed", tol=1e-3, max_iter=MOST_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about machines that have not converged
        return machine.fit(gram, won)
