"""The models that the paper compares, trained one after the other, with their training times.

Start at `trained`. Closed forms are as in the paper except that shares are smoothed by ½; otherwise an unseen outcome
would have probability 0. Times are CPU seconds on one core and include everything a model needs: the counts of
patterns, and for a pattern CRF also its unary model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.measure.ownership import ownership_errors
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.state import identity
from tengen.papers.kept import Arrays, kept
from tengen.papers.sanner.data import PartOfGames
from tengen.papers.sanner.kept import kept_fit
from tengen.papers.sanner.pseudolikelihood import fit_pseudolikelihood, weighted_crf
from tengen.territory.bma import BmaTree
from tengen.territory.counts import PatternCounts
from tengen.territory.coupling import Boltzmann5, CouplingCrf, GridCrf, PatternCrf
from tengen.territory.harvest import harvest
from tengen.territory.ising import Inference
from tengen.territory.logistic import Logistic, added_up
from tengen.territory.naive import Null
from tengen.territory.patterns import Largest, PatternModel, Smallest
from tengen.territory.playouts import PlayoutOwner

T = TypeVar("T")
Grid = TypeVar("Grid", CouplingCrf, PatternCrf)
Tell: TypeAlias = Callable[[str, float | None], None]

NULL = "Null, every point open"
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
CRF_LIBERTIES = "CRF / BoltzmannLiberties of Stern et al., maximum likelihood by BP / BP"
CRF_PL = "CRF / pseudolikelihood / BP"
CRF_PW = "CRF / piecewise / BP"
PATTERN_PW = "Pattern CRF / piecewise, BMA unaries / BP"
PATTERN_PW_EXACT = "Pattern CRF / piecewise, BMA unaries / exact"
PATTERN_OWN = "Pattern CRF / piecewise, its own unaries / BP"
PATTERN_SUPW = "Pattern CRF / shared-unary piecewise, BMA unaries / BP"
PATTERN_SUPW_BETA = "Pattern CRF / shared-unary piecewise, our BMA's unaries / BP"
PATTERN_SUPW_LOGISTIC = "Pattern CRF / shared-unary piecewise, logistic unaries / BP"
PATTERN_PL = "Pattern CRF / pseudolikelihood / BP"
PATTERN_SCALE = "Pattern CRF / pseudolikelihood, of the unaries only a scale / BP"
PATTERN_EDGE = "Pattern CRF / pseudolikelihood, Edge / BP"
PATTERN_RISK = "Pattern CRF / risk (ours), our BMA's unaries / BP"
PATTERN_PHASES = "Pattern CRF / risk (ours), by phase and liberties, our BMA's unaries / BP"

EXACT = (BOLTZMANN5_EXACT, CRF_EXACT, PATTERN_PW_EXACT)
SAMPLED = (BOLTZMANN5_SW, CRF_SW)
L2 = 1e-4
LEVELS = dict.fromkeys(("pl", "pl-edge"), (1e-4, 1e-3, 1e-2, 1e-1))
"""The regularisation of the couplings, and for some trainers the values to choose from."""
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
    others: tuple[Any, ...] = ()
    """The same with couplings trained on other draws of boards."""

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
    draws: tuple[Batch, ...]
    """For the couplings, from other games; those of one draw are not in another."""
    valid: Batch
    """For choosing settings, from validation games."""
    folder: Path

    @property
    def boards(self) -> Batch:
        """The first draw for the couplings."""
        return self.draws[0]


def trained(lesson: Lesson, progress: Tell) -> Iterator[TrainedModel]:
    """Train the models in the order of the paper, reporting progress."""

    def tell(stage: str) -> None:
        progress(stage, None)

    told = partial(progress, "counting patterns")
    counts, harvested = timed(lambda: harvest(lesson.data, lesson.folder, once=True, workers=1, progress=told))
    yield TrainedModel(NULL, Null())
    yield TrainedModel(MONTE_CARLO, PlayoutOwner(n=500))
    unaries: dict[str, TrainedModel] = {}
    for name, model in pattern_models():
        tell(f"training {name}")
        _, seconds = timed(partial(model.fit_counts, counts, lesson.data))
        unaries[name] = TrainedModel(name, model, harvested + seconds)
        yield unaries[name]
    yield from _coupling_only(lesson, tell)
    for candidate in _with_patterns(lesson, unaries, tell):
        yield candidate
        if candidate.name == PATTERN_EDGE:
            tell(f"training {PATTERN_PL}")
            yield _all_weights(lesson, counts, unaries[LOGISTIC], candidate.model.l2)


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


def _coupling_only(lesson: Lesson, tell: Callable[[str], None]) -> Iterator[TrainedModel]:
    yield TrainedModel(BOLTZMANN5, Boltzmann5())
    yield TrainedModel(BOLTZMANN5_SW, inferred(Boltzmann5(), "sw"))
    yield TrainedModel(BOLTZMANN5_EXACT, inferred(Boltzmann5(), "exact"))
    wanted: tuple[tuple[str, str, dict[str, Any]], ...] = (
        (CRF_BP, "ml-bp", {}),
        (CRF_LIBERTIES, "ml-bp", {"liberties": 4}),
        (CRF_PL, "pl", {}),
        (CRF_PW, "pw", {}),
    )
    for name, trainer, tied in wanted:
        tell(f"training {name}")
        model, seconds, others = _best(lesson, trainer, partial(CouplingCrf, trainer=trainer, **tied))
        yield TrainedModel(name, model, seconds, couplings=seconds, others=others)
        if name == CRF_BP:
            yield TrainedModel(CRF_SW, inferred(model, "sw"))
            yield TrainedModel(CRF_EXACT, inferred(model, "exact"))


def _with_patterns(
    lesson: Lesson, unaries: dict[str, TrainedModel], tell: Callable[[str], None]
) -> Iterator[TrainedModel]:
    wanted = (
        (PATTERN_PW, "pw", EXPONENTIAL),
        (PATTERN_OWN, "pw", PIECES),
        (PATTERN_SUPW, "supw", EXPONENTIAL),
        (PATTERN_SUPW_BETA, "supw", BETA),
        (PATTERN_SUPW_LOGISTIC, "supw", LOGISTIC),
        (PATTERN_SCALE, "pl", LOGISTIC),
        (PATTERN_EDGE, "pl-edge", LOGISTIC),
        (PATTERN_RISK, "risk", BETA),
        (PATTERN_PHASES, "risk", BETA),
    )
    for name, trainer, unary in wanted:
        tell(f"training {name}")
        identity(unaries[unary].model)  # cached, so that hashing a large table is not part of the time
        tied: dict[str, Any] = {"liberties": 4, "phases": 3} if name == PATTERN_PHASES else {}
        make = partial(PatternCrf, unary=unaries[unary].model, unary_scale=1.0, trainer=trainer, **tied)
        model, seconds, others = _best(lesson, trainer, make)
        total = seconds + (unaries[unary].seconds or 0.0)
        yield TrainedModel(name, model, total, couplings=seconds, others=others)
        if name == PATTERN_PW:
            yield TrainedModel(PATTERN_PW_EXACT, inferred(model, "exact"))


def _all_weights(lesson: Lesson, counts: PatternCounts, logistic: TrainedModel, l2: float) -> TrainedModel:
    """Train patterns and couplings together, from the regression's weights."""
    start = logistic.model.weights_.astype(float)

    def fit() -> Arrays:
        (weights, theta), seconds = timed(lambda: fit_pseudolikelihood(counts, lesson.data, start, l2=l2))
        return {"weights": weights, "theta": theta, "seconds": np.array(seconds)}

    found = kept(lesson.folder, f"pseudolikelihood-{l2:g}", fit)
    model = weighted_crf(counts, found["weights"], found["theta"], l2)
    return TrainedModel(PATTERN_PL, model, float(found["seconds"]) + (logistic.seconds or 0.0))


def _best(lesson: Lesson, trainer: str, make: Callable[..., Grid]) -> tuple[Grid, float, tuple[Grid, ...]]:
    """Return a field fitted to the coupling boards with the l2 that is likeliest for validation games, its time, and
    the same fitted to the other draws.

    Labels are constant over whole regions, so that pseudolikelihood without regularisation couples far too strongly.
    """
    tried = []
    for l2 in LEVELS.get(trainer, (L2,)):
        model = make(l2=l2, positions=len(lesson.boards))
        tried.append((model, kept_fit(lesson.folder, model, lesson.boards)))
    best, seconds = tried[0] if len(tried) == 1 else min(tried, key=lambda pair: surprise(pair[0], lesson.valid))
    again = tuple(make(l2=best.l2, positions=len(boards)) for boards in lesson.draws[1:])
    for model, boards in zip(again, lesson.draws[1:], strict=True):
        kept_fit(lesson.folder, model, boards)
    return best, seconds, again


def surprise(model: Any, batch: Batch) -> float:
    """Return −log-likelihood per labelled point under a model's marginals."""
    said, labelled = model.ownership_many(batch.boards), np.isfinite(batch.targets)
    errors = ownership_errors(said, np.where(labelled, batch.targets, 0.0), labelled.astype(float), soft=True)
    return -float(np.nanmean(errors.log_likelihood))


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
