"""The models that the paper compares, trained one after the other, with their training times.

Start at `trained`. Closed forms are as in the paper except that shares are smoothed by ½; otherwise an unseen outcome
would have probability 0. Times are CPU seconds on one core and include everything a model needs: the counts of
patterns, and for a pattern CRF also its unary model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.measure.ownership import ownership_errors
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.state import identity, learned
from tengen.papers.kept import Arrays, kept, kept_json
from tengen.papers.sanner.data import PartOfGames
from tengen.papers.sanner.kept import kept_fit
from tengen.papers.sanner.pseudolikelihood import fit_pseudolikelihood, weighted_crf
from tengen.papers.sanner.threads import in_threads
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
REPEATED = "Indep / BMA-Tree exponential, counted at every position"
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
LEVELS = dict.fromkeys(("pl", "pl-edge"), (1e-3, 1e-2, 1e-1, 1.0, 10.0))
"""The regularisation of the couplings, and for some trainers the values to choose from."""
JOINT_LEVELS = (1e-2, 1e-1, 1.0)
"""The same for pseudolikelihood over all weights, which takes minutes."""
SLOW = {"risk": 3}
"""Trainers so slow that they see fewer draws, at most these."""
COUNTING = "counting.json"
"""The file with the time of counting."""
SWEEPS = 10_000
"""Sweeps of Swendsen–Wang: with strong couplings and fields it mixes slowly; 500 sweeps leave most boards unchanged."""

LARGER = (CRF_BP, CRF_PL, CRF_PW, PATTERN_PW, PATTERN_SUPW, PATTERN_EDGE)
"""The fields that are also trained on the large draw: the paper's, as far as their trainers are fast enough."""

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
    more: Any = None
    """The same with couplings trained on many more boards, where the trainer is fast enough."""
    tried: tuple[tuple[float, float], ...] = ()
    """Values of l2 that were tried, each with −log-likelihood per point on validation games."""

    def inferred(self, name: str, inference: Inference) -> TrainedModel:
        """Return the same fields with another inference method."""
        first, *others = (inferred(model, inference) for model in (self.model, *self.others))
        return TrainedModel(name, first, others=tuple(others))

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
    many: Batch | None = None
    """One large draw for the couplings, from the same games as the others."""

    @property
    def boards(self) -> Batch:
        """The first draw for the couplings."""
        return self.draws[0]


def trained(lesson: Lesson, progress: Tell) -> Iterator[TrainedModel]:
    """Train the models in the order of the paper, reporting progress."""

    def tell(stage: str) -> None:
        progress(stage, None)

    counts, harvested = _counted(lesson, partial(progress, "counting patterns"))
    yield TrainedModel(NULL, Null())
    yield TrainedModel(MONTE_CARLO, PlayoutOwner(n=500))
    unaries: dict[str, TrainedModel] = {}
    for name, model in pattern_models():
        tell(f"training {name}")
        seconds = _fit_counts(lesson, model, counts)
        unaries[name] = TrainedModel(name, model, harvested + seconds)
        yield unaries[name]
        if name == EXPONENTIAL:
            yield _repeated(lesson, copy(model), partial(progress, "counting patterns at every position"))
    yield from _coupling_only(lesson, tell)
    for candidate in _with_patterns(lesson, unaries, tell):
        yield candidate
        if candidate.name == PATTERN_EDGE:
            tell(f"training {PATTERN_PL}")
            yield _all_weights(lesson, counts, unaries[LOGISTIC])


def _counted(lesson: Lesson, progress: Progress) -> tuple[PatternCounts, float]:
    """Return the counts of patterns and the CPU seconds of counting, those of the first run if it is resumed."""
    resumed = any(lesson.folder.glob("*.safetensors"))
    counts, seconds = timed(lambda: harvest(lesson.data, lesson.folder, once=True, workers=1, progress=progress))
    found = kept_json(lesson.folder, COUNTING, lambda: {"seconds": seconds, "resumed": float(resumed)})
    return counts, found["seconds"]


def _fit_counts(lesson: Lesson, model: PatternModel, counts: PatternCounts) -> float:
    """Fit a model to the counts and return the CPU seconds; what takes minutes is kept for the next run."""

    def fit() -> Arrays:
        _, seconds = timed(partial(model.fit_counts, counts, lesson.data))
        return {**learned(model), "seconds": np.array(seconds)}

    found = kept(lesson.folder, "logistic", fit) if isinstance(model, Logistic) else fit()
    for name in found.keys() - {"seconds"}:
        setattr(model, name, found[name])
    return float(found["seconds"])


def _repeated(lesson: Lesson, model: PatternModel, progress: Progress) -> TrainedModel:
    """Fit a model to counts of every position, in which unchanged patterns are repeated."""
    counts = harvest(lesson.data, lesson.folder / "every-position", workers=1, progress=progress)
    return TrainedModel(REPEATED, model.fit_counts(counts, lesson.data))


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
        fitted = _best(lesson, name, trainer, partial(CouplingCrf, trainer=trainer, **tied))
        yield fitted
        if name == CRF_BP:
            yield fitted.inferred(CRF_SW, "sw")
            yield fitted.inferred(CRF_EXACT, "exact")


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
        fitted = _best(lesson, name, trainer, make)
        yield replace(fitted, seconds=fitted.couplings + (unaries[unary].seconds or 0.0))
        if name == PATTERN_PW:
            yield fitted.inferred(PATTERN_PW_EXACT, "exact")


def _all_weights(lesson: Lesson, counts: PatternCounts, logistic: TrainedModel) -> TrainedModel:
    """Train patterns and couplings together, from the regression's weights; choose l2 on validation games."""
    found = [_all_weights_at(lesson, counts, logistic, l2) for l2 in JOINT_LEVELS]
    tried = tuple((each.model.l2, surprise(each.model, lesson.valid)) for each in found)
    best = min(range(len(tried)), key=lambda i: tried[i][1])
    return replace(found[best], tried=tried)


def _all_weights_at(lesson: Lesson, counts: PatternCounts, logistic: TrainedModel, l2: float) -> TrainedModel:
    start = logistic.model.weights_.astype(float)

    def fit() -> Arrays:
        (weights, theta), seconds = timed(lambda: fit_pseudolikelihood(counts, lesson.data, start, l2=l2))
        return {"weights": weights, "theta": theta, "seconds": np.array(seconds)}

    found = kept(lesson.folder, f"pseudolikelihood-{l2:g}", fit)
    model = weighted_crf(counts, found["weights"], found["theta"], l2)
    return TrainedModel(PATTERN_PL, model, float(found["seconds"]) + (logistic.seconds or 0.0))


def _best(lesson: Lesson, name: str, trainer: str, make: Callable[..., Grid]) -> TrainedModel:
    """Return a field fitted to the coupling boards with the l2 that is likeliest for validation games, its time, and
    the same fitted to the other draws.

    Labels are constant over whole regions, so that pseudolikelihood without regularisation couples far too strongly.
    """
    fitted = {}
    for l2 in LEVELS.get(trainer, (L2,)):
        model = make(l2=l2, positions=len(lesson.boards))
        fitted[l2] = model, kept_fit(lesson.folder, model, lesson.boards)
    levels = len(fitted) > 1
    tried = tuple((l2, surprise(model, lesson.valid)) for l2, (model, _) in fitted.items()) if levels else ()
    best = min(tried, key=lambda pair: pair[1])[0] if levels else L2
    model, seconds = fitted[best]
    large: list[Batch] = [lesson.many] if lesson.many is not None and name in LARGER else []

    def again(boards: Batch) -> Grid:
        other = make(l2=best, positions=len(boards))
        kept_fit(lesson.folder, other, boards)
        return other

    others = in_threads(again, [*lesson.draws[1 : SLOW.get(trainer)], *large])
    more = others.pop() if large else None
    return TrainedModel(name, model, seconds, couplings=seconds, others=tuple(others), more=more, tried=tried)


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
