"""The models that the paper compares, trained one after the other, with their training times.

Start at `trained`. Closed forms are as in the paper except that shares are smoothed by ½; otherwise an unseen outcome
would have probability 0. Times are CPU seconds on one core and include everything a model needs: the counts of
patterns, and for a pattern CRF also its unary model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.state import identity
from tengen.papers.sanner.data import PartOfGames
from tengen.territory.bma import BmaTree
from tengen.territory.counts import PatternCounts
from tengen.territory.coupling import Boltzmann5, CouplingCrf, GridCrf, PatternCrf
from tengen.territory.harvest import harvest
from tengen.territory.ising import Inference
from tengen.territory.logistic import Logistic, added_up
from tengen.territory.patterns import Largest, PatternModel, Smallest
from tengen.territory.playouts import PlayoutOwner

T = TypeVar("T")
Tell: TypeAlias = Callable[[str, float | None], None]

MONTE_CARLO = "Monte Carlo, 500 playouts"
SMALLEST = tuple(f"Indep / smallest pattern, template {template}" for template in (1, 2, 3))
LARGEST = "Indep / largest pattern"
UNIFORM = "Indep / BMA-Tree uniform"
EXPONENTIAL = "Indep / BMA-Tree exponential"
BETA = "Indep / BMA-Tree, ours (Beta evidence, tempered)"
LOGISTIC = "Indep / logistic regression"
PIECES = "Indep / piecewise"
BOLTZMANN5 = "CRF / Boltzmann5 of Stern et al. / BP"
BOLTZMANN5_SW = "CRF / Boltzmann5 of Stern et al. / Swendsen–Wang"
BOLTZMANN5_EXACT = "CRF / Boltzmann5 of Stern et al. / exact"
CRF_BP = "CRF / maximum likelihood by BP / BP"
CRF_SW = "CRF / maximum likelihood by BP / Swendsen–Wang"
CRF_EXACT = "CRF / maximum likelihood by BP / exact"
CRF_PL = "CRF / pseudolikelihood / BP"
CRF_PW = "CRF / piecewise / BP"
PATTERN_PW = "Pattern CRF / piecewise, BMA unaries / BP"
PATTERN_PW_EXACT = "Pattern CRF / piecewise, BMA unaries / exact"
PATTERN_OWN = "Pattern CRF / piecewise, its own unaries / BP"
PATTERN_SUPW = "Pattern CRF / shared-unary piecewise, BMA unaries / BP"
PATTERN_SUPW_BETA = "Pattern CRF / shared-unary piecewise, our BMA's unaries / BP"
PATTERN_SUPW_LOGISTIC = "Pattern CRF / shared-unary piecewise, logistic unaries / BP"
PATTERN_PL = "Pattern CRF / pseudolikelihood, unary scale learned / BP"
PATTERN_EDGE = "Pattern CRF / pseudolikelihood, Edge / BP"
PATTERN_RISK = "Pattern CRF / risk (ours), our BMA's unaries / BP"

EXACT = (BOLTZMANN5_EXACT, CRF_EXACT, PATTERN_PW_EXACT)
SAMPLED = (BOLTZMANN5_SW, CRF_SW)
SWEEPS = 10_000
"""Sweeps of Swendsen–Wang: with strong couplings and fields it mixes slowly; 500 sweeps leave most boards unchanged."""

CLOSED_FORMS = (*SMALLEST, LARGEST, UNIFORM, EXPONENTIAL)
"""The paper's models without gradients and couplings."""

BY_PROPAGATION = (BOLTZMANN5, CRF_BP, PATTERN_PW, PATTERN_SUPW, PATTERN_PL, PATTERN_EDGE)
"""The paper's CRFs under loopy BP; Boltzmann5 represents its CRF with couplings only."""


@dataclass(frozen=True)
class TrainedModel:
    """A trained model."""

    name: str
    model: Any
    seconds: float | None = None
    """Training time in seconds; None if there is nothing to train, or it was trained under another name."""
    couplings: float = 0.0
    """The part of it for the couplings, which are trained on few positions."""

    def seconds_for(self, share: float) -> float:
        """Return the estimated training time with `share` times the positions for the couplings."""
        return (self.seconds or 0.0) + (share - 1) * self.couplings


class Piecewise(PatternModel):
    """The sum of the log-odds of all classes known at a point, each estimated separately.

    This is piecewise training of the unary factors of Eq. 2. Nested classes repeat the same evidence.
    """

    name = "papers/sanner-piecewise"

    def _values(self, counts: PatternCounts, data: Data | None, progress: Progress | None) -> FloatArray:
        odds = np.log((counts.black + 0.5) / (counts.white + 0.5))
        return np.tanh(added_up(counts, odds) / 2)


@dataclass(frozen=True)
class Lesson:
    """The training data."""

    data: PartOfGames
    boards: Batch
    """For the couplings, from other games."""
    folder: Path


def trained(lesson: Lesson, progress: Tell) -> Iterator[TrainedModel]:
    """Train the models in the order of the paper, reporting progress."""

    def tell(stage: str) -> None:
        progress(stage, None)

    told = partial(progress, "counting patterns")
    counts, harvested = timed(lambda: harvest(lesson.data, lesson.folder, workers=1, progress=told))
    yield TrainedModel(MONTE_CARLO, PlayoutOwner(n=500))
    unaries: dict[str, TrainedModel] = {}
    for name, model in pattern_models():
        tell(f"training {name}")
        _, seconds = timed(partial(model.fit_counts, counts, lesson.data))
        unaries[name] = TrainedModel(name, model, harvested + seconds)
        yield unaries[name]
    yield from _coupling_only([lesson.boards], tell)
    yield from _with_patterns([lesson.boards], unaries, tell)


def pattern_models() -> list[tuple[str, PatternModel]]:
    """Return the models that treat each point separately, not trained yet."""
    paper: dict[str, Any] = {"evidence": "ml", "centre": "half", "smoothing": 0.5}
    ours: dict[str, Any] = {**paper, "evidence": "beta", "tempering": 10.0}
    return [
        *((name, Smallest(templates=template)) for template, name in enumerate(SMALLEST, start=1)),
        (LARGEST, Largest()),
        (UNIFORM, BmaTree(prior="uniform", **paper)),
        (EXPONENTIAL, BmaTree(prior="exponential", **paper)),
        (BETA, BmaTree(prior="exponential", **ours)),
        (LOGISTIC, Logistic()),
        (PIECES, Piecewise()),
    ]


def _coupling_only(boards: Sequence[Batch], tell: Callable[[str], None]) -> Iterator[TrainedModel]:
    yield TrainedModel(BOLTZMANN5, Boltzmann5())
    yield TrainedModel(BOLTZMANN5_SW, inferred(Boltzmann5(), "sw"))
    yield TrainedModel(BOLTZMANN5_EXACT, inferred(Boltzmann5(), "exact"))
    for name, trainer in ((CRF_BP, "ml-bp"), (CRF_PL, "pl"), (CRF_PW, "pw")):
        tell(f"training {name}")
        model = CouplingCrf(trainer=trainer, positions=_count(boards))
        _, seconds = timed(partial(model.fit, boards))
        yield TrainedModel(name, model, seconds, couplings=seconds)
        if name == CRF_BP:
            yield TrainedModel(CRF_SW, inferred(model, "sw"))
            yield TrainedModel(CRF_EXACT, inferred(model, "exact"))


def _with_patterns(
    boards: Sequence[Batch], unaries: dict[str, TrainedModel], tell: Callable[[str], None]
) -> Iterator[TrainedModel]:
    wanted = (
        (PATTERN_PW, "pw", EXPONENTIAL),
        (PATTERN_OWN, "pw", PIECES),
        (PATTERN_SUPW, "supw", EXPONENTIAL),
        (PATTERN_SUPW_BETA, "supw", BETA),
        (PATTERN_SUPW_LOGISTIC, "supw", LOGISTIC),
        (PATTERN_PL, "pl", LOGISTIC),
        (PATTERN_EDGE, "pl-edge", LOGISTIC),
        (PATTERN_RISK, "risk", BETA),
    )
    for name, trainer, unary in wanted:
        tell(f"training {name}")
        identity(unaries[unary].model)  # cached, so that hashing a large table is not part of the time
        model = PatternCrf(unary=unaries[unary].model, unary_scale=1.0, trainer=trainer, positions=_count(boards))
        _, seconds = timed(partial(model.fit, boards))
        yield TrainedModel(name, model, seconds + (unaries[unary].seconds or 0.0), couplings=seconds)
        if name == PATTERN_PW:
            yield TrainedModel(PATTERN_PW_EXACT, inferred(model, "exact"))


def inferred(model: GridCrf, inference: Inference) -> GridCrf:
    """Return the same field with another inference method."""
    other = copy(model)
    other.inference = inference
    other.sweeps = SWEEPS if inference == "sw" else None
    return other


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a function and its CPU seconds."""
    start = time.process_time()
    found = function()
    return found, time.process_time() - start


def _count(boards: Sequence[Batch]) -> int:
    return sum(map(len, boards))
