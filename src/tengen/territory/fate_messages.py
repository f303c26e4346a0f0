"""Message passing on the augmented common fate graph: Low's network with its weights factored.

Low's network has a weight for every pair of labels, and most pairs are rare. Here chains and regions of influence have
a vector computed from their features, so that rare ones share what common ones learn; three rounds of messages along
the edges of the graph update the vectors, and the owner of a point is read from the nodes around it. Unlike Low's
network it knows who is to move. The arithmetic is in core/include/tengen/fate_messages.hpp; start at
`FateMessages.fit`, which takes steps of `MessageLearner`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import ModelError, TengenError, not_fitted
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.files import whole_file
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import Positions, PositionsLike, as_positions
from tengen.models.base import OwnershipModel, for_each_turn
from tengen.models.protocol import Data, FloatArray, LabelledBoards, Progress
from tengen.models.verdict import Reason, ownership_reason
from tengen.numbers import checked_count, checked_number
from tengen.territory.fate_training import about, another_fit
from tengen.views.augmented_graph import AugmentedGraph, augmented_graph

if TYPE_CHECKING:
    from tengen.corpus.dataset import DataSet, DataSets

Floats = npt.NDArray[np.float32]
Stones = npt.NDArray[np.int8]

SCALES = {"labels": 0.3, "rounds": 0.1, "readout": 0.015, "biases": 0.0}
"""Standard deviations of the parameters before training where they are not 0.1; gains begin at 1."""

WARM_UP = 200
"""Steps in which the learning rate rises, at most a tenth of all; it falls by a cosine to 2 % of its maximum."""

CHECKPOINT = 1000
"""Steps between two checkpoints of `tengen fit`."""

PROGRESS = 20
"""Steps between two reports of progress."""

NOTICED, NAMED = 0.1, 3
"""Reasons name at most three chains, each of which changes the ownership by at least 0.1."""


class FateMessages(OwnershipModel):
    """A network that passes messages between chains and regions of influence."""

    name = "territory/fate-messages"
    version = 2
    exactness = "rounding"

    epochs: int = 3
    rate: float = 0.006
    batch: int = 32
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.epochs, "epochs", least=1)
        checked_count(self.batch, "batch", least=1)
        checked_count(self.seed, "seed", most=2**63 - 1)
        if checked_number(self.rate, "rate", 0, 100) == 0:
            raise ModelError("rate: a positive number")

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn from labelled boards by Adam."""
        return self._learn(data, MessageLearner(first_parameters(self.seed)), None, progress)

    def fit_corpus(
        self,
        data: DataSet | DataSets,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Learn from a corpus; a stopped job resumes from its last checkpoint in `work` with the same result."""
        if scheduler is not None:
            raise ModelError(f"{self.name} learns on one machine: leave out the scheduler")
        learner = MessageLearner(first_parameters(self.seed), about=about(self, data))
        checkpoint = work / "fate-messages.npz"
        if checkpoint.exists():
            learner.resume(checkpoint)
        self._learn(data, learner, checkpoint, progress)
        return {}

    def _learn(self, data: Data, learner: MessageLearner, checkpoint: Path | None, progress: Progress | None) -> Self:
        steps = self.epochs * sum(math.ceil(len(batch.boards) / self.batch) for batch in data)
        if not steps:
            raise TengenError("there is no labelled position to learn from")
        for number, boards in enumerate(self._batches(data)):
            if number < learner.steps:
                continue
            learner.step(*boards, rate=self.rate * _slope(number, steps))
            if checkpoint is not None and learner.steps % CHECKPOINT == 0:
                learner.write(checkpoint)
            if progress is not None and learner.steps % PROGRESS == 0:
                progress(learner.steps / steps)
        if learner.steps < steps:
            raise TengenError(f"{self.name} reads its data several times, and they were not there again")
        self.parameters_ = learner.parameters
        return self

    def _batches(self, data: Data) -> Iterator[tuple[Stones, Floats, Floats, Stones]]:
        for epoch in range(self.epochs):
            shuffled = getattr(data, "epoch", None)
            for batch in data if shuffled is None else shuffled(epoch):
                stones, targets, weights, turns = labelled(batch)
                for first in range(0, len(stones), self.batch):
                    rows = slice(first, first + self.batch)
                    yield stones[rows], targets[rows], weights[rows], turns[rows]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from its file."""
        model = super().load(path)
        try:
            model.network()
        except (ModelError, TypeError, ValueError) as problem:
            raise ModelError(f"{path}: {problem}") from None
        return model

    def network(self) -> _core.FateMessages:
        """The native network, created on first use."""
        parameters = getattr(self, "parameters_", None)
        if parameters is None:
            raise not_fitted(self.name)
        made: tuple[Floats, _core.FateMessages] | None = getattr(self, "_made", None)
        if made is None or made[0] is not parameters:
            self._made = made = parameters, _core.FateMessages(parameters)
        return made[1]

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point."""
        return self.ownership_many([board])[0, ...]

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards in one call."""
        asked = as_positions(boards)
        if not len(asked):
            return np.zeros(asked.stones.shape)
        return for_each_turn(self._ownership, asked)

    def _ownership(self, asked: Positions) -> FloatArray:
        return self.network().evaluate(asked.stones, asked.to_play).astype(np.float64)

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of the point, and the chains nearby without which it would change most."""
        row, column = as_point(point, board.width, board.height)
        name = point_name(row, column, board.height)
        graph = augmented_graph(board)
        chains = _chains_near(graph, int(graph.node_of[row, column]))
        boards = [board.stones] + [np.where(graph.node_of == chain, np.int8(0), board.stones) for chain in chains]
        turns = np.full(len(boards), 1 if board.to_play == "black" else -1, np.int8)
        shares = self.network().evaluate(np.stack(boards), turns)[:, row, column].astype(float).tolist()
        found = sorted(zip(chains, shares[1:], strict=True), key=lambda pair: -abs(pair[1] - shares[0]))
        told = [(chain, share) for chain, share in found if abs(share - shares[0]) >= NOTICED][:NAMED]
        return [ownership_reason(shares[0], name)] + [
            _without(graph, board, chain, name, share) for chain, share in told
        ]


@dataclass
class MessageLearner:
    """Parameters while they are learned by Adam, a step for each batch of boards."""

    parameters: Floats
    means: Floats = field(init=False)
    squares: Floats = field(init=False)
    steps: int = 0
    about: bytes = b""
    """What tells one fit from another, kept with the state."""

    def __post_init__(self) -> None:
        self.means, self.squares = np.zeros_like(self.parameters), np.zeros_like(self.parameters)

    def step(self, stones: Stones, targets: Floats, weights: Floats, turns: Stones, *, rate: float) -> float:
        """Learn from boards with owners and weights of their points [n, row, column] and the players to move [n].

        Return the loss before the step: the mean cross-entropy of the points, each with its weight.
        """
        self.steps += 1
        total = float(weights.sum())
        if not total:
            return 0.0
        loss, slopes = _core.FateMessages(self.parameters).gradient(stones, targets, weights / np.float32(total), turns)
        scale = rate * math.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        with np.errstate(over="ignore", invalid="ignore"):
            self.means += np.float32(0.1) * (slopes - self.means)
            self.squares += np.float32(0.001) * (slopes * slopes - self.squares)
            self.parameters -= np.float32(scale) * self.means / (np.sqrt(self.squares) + np.float32(1e-8))
        if not np.isfinite(self.parameters).all():
            raise ModelError(f"learning diverged: its parameters are no longer finite at a rate of {rate:g}")
        return loss

    def write(self, path: Path) -> None:
        """Write the state of learning."""
        path.parent.mkdir(parents=True, exist_ok=True)
        parts: Any = {"parameters": self.parameters, "means": self.means, "squares": self.squares}
        with whole_file(path) as file:
            np.savez(file, about=np.frombuffer(self.about, np.uint8), steps=self.steps, **parts)

    def resume(self, path: Path) -> None:
        """Continue from a written state of the same fit."""
        try:
            with np.load(path) as state:
                same = state["about"].tobytes() == self.about
                parts = state["parameters"], state["means"], state["squares"]
                self.steps = int(state["steps"])
        except (OSError, ValueError, TypeError, KeyError, BadZipFile):
            raise ModelError(f"{path} is not the state of a fit: delete it") from None
        if not same:
            raise another_fit(path.parent)
        if any(part.shape != self.parameters.shape or part.dtype != np.float32 for part in parts):
            raise ModelError(f"{path} is not the state of a fit: delete it")
        self.parameters, self.means, self.squares = parts


def first_parameters(seed: int = 0) -> Floats:
    """Return parameters before training."""
    random = np.random.default_rng(seed)
    parts = []
    for name, shape in _core.FateMessages.blocks():
        drawn = SCALES.get(name, 0.1) * random.standard_normal(math.prod(shape))
        parts.append(np.ones_like(drawn) if name == "gains" else drawn)
    return np.concatenate(parts).astype(np.float32)


def labelled(batch: LabelledBoards) -> tuple[Stones, Floats, Floats, Stones]:
    """Return stones, targets and weights of points [n, row, column], and turns; points without a label weigh 0."""
    stones, targets = as_stones(batch.boards), np.asarray(batch.targets, np.float32)
    weights = np.asarray(batch.weights, np.float32)
    weights = weights.reshape(*weights.shape, *(1,) * (3 - weights.ndim))
    turns = np.asarray(getattr(batch, "to_play", np.zeros(len(stones))), np.int8)
    return stones, np.nan_to_num(targets), np.where(np.isnan(targets), np.float32(0), weights), turns


def _slope(step: int, steps: int) -> float:
    """Return the share of the learning rate at a step."""
    return min(1.0, (step + 1) / min(WARM_UP, 1 + steps // 10)) * (0.51 + 0.49 * math.cos(math.pi * step / steps))


def _chains_near(graph: AugmentedGraph, node: int) -> list[int]:
    """Return the chains within two edges of a node, itself not."""
    near = {node}
    for _ in range(2):
        near |= set(graph.edges[np.isin(graph.edges, list(near)).any(1)].ravel().tolist())
    return sorted(other for other in near - {node} if graph.types[other] != 0)


def _without(graph: AugmentedGraph, board: Board, chain: int, name: str, share: float) -> Reason:
    points = tuple(point_name(row, column, board.height) for row, column in graph.points(chain))
    colour = "black" if graph.types[chain] > 0 else "white"
    stones = f"{colour} stone {points[0]}" if len(points) == 1 else f"{colour} chain at {points[0]}"
    owner = "Black's" if share > 0 else "White's"
    return Reason("neighbour", points, f"Without the {stones}, {name} would be {owner} with {abs(share):.2f} out of 1.")
