"""Models that learn step by step, while the positions they learn from are made.

`Learner` is what a training loop needs; `learner_of` returns the learner of a model. A learner is an evaluator, so it
plays with what it has learned so far.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.go.positions import Positions, PositionsLike, as_positions
from tengen.models.base import OwnershipModel
from tengen.models.evaluator import Evaluations, Evaluator
from tengen.models.protocol import FloatArray
from tengen.models.state import Arrays, settings
from tengen.numbers import checked_number
from tengen.territory.fate_messages import FateMessages, MessageLearner, first_parameters
from tengen.territory.fate_mrf import FateMrf
from tengen.territory.fate_net import FateNet

Stones = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]


class Learner(Evaluator, Protocol):
    """A model while it learns."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the result depends on besides the positions: settings as JSON, and the model from which it began."""

    def learn(self, stones: Stones, targets: Floats, weights: Floats, turns: Stones) -> float:
        """Learn from boards with owners and weights of their points [n, row, column] and the players to move [n].

        Return the mean loss before.
        """

    def state(self) -> Arrays:
        """Return everything that learning changes, without rounding."""

    def restore(self, state: Arrays) -> None:
        """Continue from a state."""

    def model(self) -> OwnershipModel:
        """Return a new model with what was learned so far, as its file will hold it."""


class _OwnershipLearner:
    """The common part of learners that give an ownership."""

    gives = OwnershipModel.gives

    def __init__(self, model: OwnershipModel, rate: float) -> None:
        self.name, self.rate = model.name, checked_number(rate, "rate", 0, 100)
        self.settings: dict[str, Any] = {"model": model.identity, "rate": self.rate}

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return the ownership of each position."""
        asked = as_positions(positions)
        return Evaluations(ownership=self._ownership(asked) if len(asked) else np.zeros(asked.stones.shape))

    def _ownership(self, positions: Positions) -> FloatArray:
        raise NotImplementedError


class FateLearner(_OwnershipLearner):
    """Low's network or random field: a step of gradient descent for each board."""

    _PARTS: ClassVar[dict[type, tuple[str, ...]]] = {
        FateNet: ("keys", "weights", "visits", "biases", "bias_visits"),
        FateMrf: ("keys", "tables", "visits", "node_tables", "node_visits", "counts"),
    }

    def __init__(self, model: FateNet | FateMrf, rate: float | None = None) -> None:
        super().__init__(model, model.rate if rate is None else rate)
        self._model, self._parts = model, self._PARTS[type(model)]
        self._network: Any = model.network()

    def _ownership(self, positions: Positions) -> FloatArray:
        owners: FloatArray = self._network.evaluate(positions.stones)
        return owners

    def learn(self, stones: Stones, targets: Floats, weights: Floats, turns: Stones) -> float:
        """Make a step for each board in turn; the player to move makes no difference."""
        return float(np.mean(self._network.learn(stones, targets, weights, self.rate)))

    def state(self) -> Arrays:
        """Return weights or tables, and visits."""
        return dict(zip(self._parts, self._network.parameters(), strict=True))

    def restore(self, state: Arrays) -> None:
        """Continue from such a state."""
        self._network.set_parameters(*(state[part] for part in self._parts))

    def model(self) -> FateNet | FateMrf:
        """Return the model without rarely visited weights."""
        return type(self._model)(**settings(self._model)).take(self._network)


class FateMessagesLearner(_OwnershipLearner):
    """The message-passing network: a step of Adam for each batch of boards, all of one rate.

    That is a tenth of the model's rate, which is the highest of a whole fit: the positions of one game are alike, and
    at the full rate the loss of games against GNU Go rose again after a hundred of them.
    """

    def __init__(self, model: FateMessages, rate: float | None = None) -> None:
        super().__init__(model, model.rate / 10 if rate is None else rate)
        parameters = getattr(model, "parameters_", None)
        self._model = model
        self._learner = MessageLearner(first_parameters(model.seed) if parameters is None else parameters.copy())
        self._now = self.model()

    def _ownership(self, positions: Positions) -> FloatArray:
        return self._now.ownership_many(positions)

    def learn(self, stones: Stones, targets: Floats, weights: Floats, turns: Stones) -> float:
        """Make a step for each batch; if one of them diverges, none is made."""
        loss, before = 0.0, self.state()
        try:
            for first in range(0, len(stones), self._model.batch):
                rows = slice(first, first + self._model.batch)
                step = self._learner.step(stones[rows], targets[rows], weights[rows], turns[rows], rate=self.rate)
                loss += step * len(stones[rows])
        except ModelError:
            self.restore(before)
            raise
        self._now = self.model()
        return loss / len(stones)

    def state(self) -> Arrays:
        """Return the parameters and Adam's means."""
        learner = self._learner
        parts = {"parameters": learner.parameters, "means": learner.means, "squares": learner.squares}
        return {**{name: part.copy() for name, part in parts.items()}, "steps": np.array(learner.steps)}

    def restore(self, state: Arrays) -> None:
        """Continue from parameters and Adam's means."""
        self._learner = MessageLearner(state["parameters"].copy(), int(state["steps"]))
        self._learner.means, self._learner.squares = state["means"].copy(), state["squares"].copy()
        self._now = self.model()

    def model(self) -> FateMessages:
        """Return the network."""
        model = FateMessages(**settings(self._model))
        model.parameters_ = self._learner.parameters.copy()
        return model


@singledispatch
def learner_of(model: object, rate: float | None = None) -> Learner:
    """Return a model's learner with a rate of its own, by default one that fits the model; the model does not change.

    Register a function here for a new kind of model.
    """
    name = getattr(model, "name", type(model).__name__)
    raise ModelError(f"{name} does not learn step by step: tengen fit {name} learns from labels")


learner_of.register(FateNet, FateLearner)
learner_of.register(FateMrf, FateLearner)
learner_of.register(FateMessages, FateMessagesLearner)
