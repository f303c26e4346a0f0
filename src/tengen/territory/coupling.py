"""Conditional random fields on the grid: neighbouring points are coupled (Sanner et al. §3; Stern et al. 2004).

`CouplingCrf` uses only the colours of neighbours; `PatternCrf` adds the prediction of another model for each point.
Both are p(s) ∝ exp(Σ J s_i s_j + Σ h_i s_i) with J and h looked up by colours (coupling_classes.py), inferred by
ising.py and trained by coupling_training.py. Start at `GridCrf.marginals`.
"""

from __future__ import annotations

from copy import copy
from dataclasses import field
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.go.board import Board
from tengen.go.counting import neighbours
from tengen.go.points import Point, PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.estimate import evaluator_of
from tengen.models.evaluator import Evaluator, ask
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.state import identity
from tengen.models.verdict import Reason, ownership_reason
from tengen.territory.coupling_classes import CLASS_COUNT, boltzmann5, ising_form, log_potentials_of
from tengen.territory.ising import (
    BURN_IN,
    Inference,
    Marginals,
    Solver,
    ends,
    grid_edges,
    grid_graph,
    grid_log_likelihoods,
    infer,
    sum_at_points,
)
from tengen.territory.tying import PLAIN, Tying, tying

MOST_LOGIT = 12.0
"""Bound of the unary log-odds of a point."""

NOTICED = 0.01
"""Weaker influences are not mentioned in reasons."""

LEARNED = (1.188, 0.334, 0.612, 0.335, 0.166, 0.112, 0.34, -0.147)
"""The numbers of `territory/coupling` before it is fitted."""


class GridCrf(OwnershipModel):
    """Base class of fields on the grid: potentials of neighbours, inference and reasons."""

    log_potentials_: FloatArray = field(init=False)

    inference: Inference = "bp"
    sweeps: int | None = None
    tolerance: float = 1e-6
    seed: int = 0

    def __post_init__(self) -> None:
        how = self.settings
        self.exactness = "sampled" if self.inference in BURN_IN else "rounding"
        self.n = max(1, how.count // 10)  # sweeps follow each other closely: ten make about one independent sample

    @property
    def settings(self) -> Solver:
        """How inference is done."""
        return Solver(self.inference, self.sweeps, self.tolerance, self.seed)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        shapes = {"log_potentials_": (CLASS_COUNT,), "unary_scale_": (1,)}
        for key, shape in shapes.items():
            array = getattr(model, key, None)
            if array is not None and (array.shape != shape or array.dtype != float or not np.isfinite(array).all()):
                raise ModelError(f"{path}: {key} of {cls.name} is {shape[0]} finite numbers")
        return model

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point."""
        shares: FloatArray = self.ownership_many(board.stones[None])[0]
        return shares

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards of one size."""
        stones = stacked_stones(boards)
        if not len(stones):
            return np.zeros(stones.shape)
        shares: FloatArray = np.clip(self.marginals(stones).means, -1, 1)
        return shares.reshape(stones.shape)

    def marginals(self, stones: npt.NDArray[np.int8], settings: Solver | None = None) -> Marginals:
        """Return the marginals of boards [n, row, column]."""
        fields, couplings = self.ising(stones)
        return infer(grid_graph(*stones.shape[1:]), fields, couplings, settings or self.settings)

    def ising(self, stones: npt.NDArray[np.int8]) -> tuple[FloatArray, FloatArray]:
        """Return fields [n, points] and couplings [n, edges] of boards [n, row, column]."""
        height, width = stones.shape[1:]
        first, second = ends(self.tying.states(stones))
        coupling, near, far = self.tables()
        fields = sum_at_points(near[first, second], far[first, second], height, width)
        return fields + self.logits(stones) / 2, coupling[first, second]

    def log_likelihoods(self, stones: npt.NDArray[np.int8], owners: FloatArray) -> FloatArray:
        """Return ln p(owners | board) of boards [n, row, column], jointly and exactly; an owner of 0 is not known."""
        fields, couplings = self.ising(stones)
        height, width = stones.shape[1:]
        return grid_log_likelihoods((height, width), fields, couplings, owners.reshape(len(stones), -1).astype(float))

    @property
    def tying(self) -> Tying:
        """What the potentials of an edge depend on."""
        return PLAIN

    def tables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return J and the fields of both ends by their states."""
        return ising_form(self.log_potentials_)

    def logits(self, stones: npt.NDArray[np.int8]) -> FloatArray:
        """Return the unary log-odds for Black of each point [n, points]."""
        return np.zeros((len(stones), stones[0].size))

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of the point, the evidence at the point itself, and the influence of its neighbours."""
        row, column = as_point(point, board.width, board.height)
        place, name = row * board.width + column, point_name(row, column, board.height)
        said = self.marginals(board.stones[None])
        fields, _ = self.ising(board.stones[None])
        heard = said if said.messages is not None else self.marginals(board.stones[None], Solver())
        assert heard.messages is not None
        mean = float(np.clip(said.means[0, place], -1, 1))
        reasons = [ownership_reason(mean, name), *self._alone(board, (row, column), float(fields[0, place]))]
        return reasons + _pulls(board, (row, column), heard.messages[0])

    def _alone(self, board: Board, point: Point, field: float) -> list[Reason]:
        """Return the evidence for an owner without the neighbours' owners."""
        if abs(np.tanh(field)) < NOTICED:
            return []
        name, owner = point_name(*point, board.height), _owner(field)
        what = "Its stone and the colours around it favour" if board.stones[point] else "The colours around it favour"
        return [Reason("colours", (name,), f"{what} {owner} at {name} ({abs(np.tanh(field)):.2f}).")]


class Boltzmann5(GridCrf):
    """Five parameters: the coupling of each kind of neighbours, and a bias for stones to live (Stern et al. 2004)."""

    name = "territory/boltzmann5"

    chains: float = 2.74
    inter_chain: float = 0.521
    chain_empty: float = 0.442
    empty: float = 0.427
    stones: float = 0.265

    def __post_init__(self) -> None:
        super().__post_init__()
        self.log_potentials_ = log_potentials_of(
            boltzmann5(self.chains, self.inter_chain, self.chain_empty, self.empty, self.stones)
        )


class TiedCrf(GridCrf):
    """Base class of fields with learned potentials: twelve by the colours of neighbours, or more.

    `liberties` is how many classes of liberties of a chain are told apart, `phases` how many phases of the game.
    """

    parameters_: FloatArray = field(init=False)

    liberties: int = 1
    phases: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.log_potentials_ = log_potentials_of(LEARNED)
        if self.tying != PLAIN:
            self.parameters_ = self.tying.spread(np.array(LEARNED))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        count = model.tying.couplings + model.tying.fields
        if model.tying != PLAIN and (model.parameters_.shape != (count,) or not np.isfinite(model.parameters_).all()):
            raise ModelError(f"{path}: parameters_ of {cls.name} is {count} finite numbers")
        return model

    @property
    def tying(self) -> Tying:
        """What the potentials of an edge depend on."""
        return tying(self.liberties, self.phases)

    def tables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return J and the fields of both ends by their states."""
        return super().tables() if self.tying == PLAIN else self.tying.tables(self.parameters_)

    def _take(self, theta: FloatArray) -> None:
        """Take couplings and fields as learned."""
        if self.tying == PLAIN:
            self.log_potentials_ = log_potentials_of(theta)
        else:
            self.parameters_ = theta.copy()


class CouplingCrf(TiedCrf):
    """Tied potentials of neighbouring points, learned; by default twelve, by the colours of the two points only."""

    name = "territory/coupling"

    trainer: str = "risk"
    positions: int = 500
    l2: float = 1e-4

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn the potentials from the first `positions` labelled boards with the chosen trainer."""
        from tengen.territory.coupling_training import coupling_examples, train

        examples = coupling_examples(data, self.positions, tying=self.tying)
        self._take(train(self.trainer, examples, self.settings, l2=self.l2, progress=progress)[:-1])
        return self


class PatternCrf(TiedCrf):
    """Couplings of neighbouring points on top of another model of ownership.

    `unary` is a model, or its name or file. Its predictions are already marginals, so they are scaled by `unary_scale`.
    """

    name = "territory/pattern-crf"

    unary: Any = "territory/bma"
    unary_scale: float = 0.4
    trainer: str = "risk"
    positions: int = 500
    l2: float = 1e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        self.unary_scale_ = np.array([self.unary_scale], float)
        if not np.isfinite(self.unary_scale_).all():
            raise ModelError("unary_scale must be a finite number")
        if getattr(self.unary_model, "exactness", "rounding") == "sampled":
            self.exactness = "sampled"
            self.n = int(getattr(self.unary_model, "n", self.n))

    @property
    def unary_model(self) -> Evaluator:
        """The model that predicts each point separately."""
        made = self.__dict__.get("_unary")
        if made is None or made[0] is not self.unary:
            made = self._unary = self.unary, evaluator_of(self.unary)
        return made[1]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from its file; raise an error if the unary model is not the one it was fitted on."""
        model = super().load(path)
        fitted_on = getattr(model, "unary_hash_", None)
        if fitted_on is not None and not np.array_equal(fitted_on, _hash_of(model.unary_model)):
            digest = fitted_on.tobytes().decode("ascii", "replace")
            here = identity(model.unary_model)
            raise ModelError(f"{path}: {cls.name} was fitted on {model.unary}@{digest}, but here that is {here}")
        return model

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn the potentials and the unary scale; the unary model is not changed."""
        from tengen.territory.coupling_training import coupling_examples, train

        examples = coupling_examples(data, self.positions, self.unary_logits, self.tying)
        found = train(self.trainer, examples, self.settings, l2=self.l2, scale=self.unary_scale, progress=progress)
        self._take(found[:-1])
        self.unary_scale_ = found[-1:]
        self.unary_hash_ = _hash_of(self.unary_model)
        return self

    def logits(self, stones: npt.NDArray[np.int8]) -> FloatArray:
        """Return the unary model's logarithms of odds, scaled."""
        return self.unary_logits(stones) * float(self.unary_scale_[0])

    def unary_logits(self, stones: npt.NDArray[np.int8]) -> FloatArray:
        """Return the unary model's logarithms of odds [n, points], within ±12."""
        shares = ask(self.unary_model, stones, "ownership").ownership
        assert shares is not None
        with np.errstate(divide="ignore"):
            logits: FloatArray = np.clip(2 * np.arctanh(shares.reshape(len(stones), -1)), -MOST_LOGIT, MOST_LOGIT)
        return logits

    def _alone(self, board: Board, point: Point, field: float) -> list[Reason]:
        explain = getattr(self.unary_model, "explain", None)
        return super()._alone(board, point, field) + (explain(board, point) if explain else [])


def _hash_of(model: Any) -> npt.NDArray[np.uint8]:
    """Return the hash of a model as far as its ownership is concerned: its calibration of leads may change."""
    if "calibration_" in getattr(model, "__dict__", {}):
        model = copy(model)
        del model.calibration_
    return np.frombuffer(identity(model).rpartition("@")[2].encode(), np.uint8)


def _owner(share: float) -> str:
    return "Black" if share > 0 else "White"


def _pulls(board: Board, point: Point, messages: FloatArray) -> list[Reason]:
    """Return the influence of each neighbour on a point, the strongest first."""
    edges, place = grid_edges(board.height, board.width), point[0] * board.width + point[1]
    pulls = [
        (float(np.tanh(messages[2 * e + (1 - side)])), divmod(int(edges[e, 1 - side]), board.width))
        for e, side in np.argwhere(edges == place).tolist()
    ]
    assert len(pulls) == len(neighbours(point, board.stones.shape))
    noticed = [pull for pull in pulls if abs(pull[0]) >= NOTICED]
    return [_pull_reason(board, point, *pull) for pull in sorted(noticed, key=lambda pull: (-abs(pull[0]), pull[1]))]


def _pull_reason(board: Board, point: Point, pull: float, source: Point) -> Reason:
    what = {1: "Black's stone", -1: "White's stone", 0: "The empty point"}[int(board.stones[source])]
    name, near = point_name(*point, board.height), point_name(*source, board.height)
    return Reason("neighbour", (near,), f"{what} at {near} pulls {name} towards {_owner(pull)} ({abs(pull):.2f}).")
