"""Low's network: one unit for each node of the augmented common fate graph in each layer (Low 2008, §2.2).

Start at `FateNet.ownership_many`. Weights are shared by the labels of the two nodes, their relation and the layer, and
created when a board first needs them; tengen._core.FateNet evaluates and learns (core/include/tengen/fate_net.hpp).
`fit` learns from labelled boards one by one; loops that make their own boards call `network` and `take`.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np

from tengen import _core
from tengen.corpus.dataset import DataSet, DataSets
from tengen.errors import ModelError, not_fitted
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.files import whole_file
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import Data, FloatArray, LabelledBoards, Progress
from tengen.models.state import canonical_json, settings
from tengen.models.verdict import Reason, ownership_reason
from tengen.numbers import checked_count, checked_number
from tengen.views.augmented_graph import RELATIONS, AugmentedGraph, augmented_graph, label_words

KEEP_EVERY = 500
"""Batches after which `fit_corpus` writes its state."""

NOTICED = 0.05
"""Weaker pushes, in log-odds, are not mentioned in reasons."""

PUSHES = 3
"""Number of neighbours named in reasons."""

_JOINED = ("", *(f"joined by a {name}" for name in RELATIONS[1:-1]), "joined along the edge")


class FateNet(OwnershipModel):
    """A network with the topology of the board's augmented common fate graph.

    `layers` counts the first one, which has biases only; Low's has 3 or 4. The output is fed back as input for
    `rounds`, or until no probability changes by `tolerance`; Low's network has one round. `through_rounds` learns
    through all rounds instead of the last one only. `sides` gives regions of Black's and White's influence labels of
    their own. A step changes a weight by `rate` / √visits times its derivative. Weights with fewer than `min_visits`
    are dropped.
    """

    name = "territory/fate-net"

    layers: int = 3
    rounds: int = 3
    tolerance: float = 0.0
    through_rounds: bool = True
    sides: bool = True
    epochs: int = 3
    rate: float = 0.5
    min_visits: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("sides", "through_rounds"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError(f"{name} is true or false, not {getattr(self, name)!r}")
        checked_count(self.layers, "layers", 8, least=2)
        checked_count(self.rounds, "rounds", 1000, least=1)
        checked_count(self.epochs, "epochs", least=1)
        checked_count(self.min_visits, "min_visits", 10**9)
        checked_count(self.seed, "seed", 2**63 - 1)
        checked_number(self.tolerance, "tolerance", 0, 1, error=ModelError)
        checked_number(self.rate, "rate", 0, 100, error=ModelError)

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point."""
        owners: FloatArray = self._fitted().evaluate(board.stones[None])[0]
        return owners

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards of one size."""
        stones = stacked_stones(boards)
        return self._fitted().evaluate(stones) if len(stones) else np.zeros(stones.shape)

    def network(self) -> _core.FateNet:
        """Return a new network with the weights of the model, if it has any; it can learn without changing the model.

        `learn(stones, targets, weights, rate)` makes one step for each board and returns the losses before it.
        """
        network = _core.FateNet(self.layers, self.rounds, self.tolerance, self.sides, self.through_rounds, self.seed)
        if hasattr(self, "keys_"):
            weights, biases = self.weights_.astype(np.float64), self.biases_.astype(np.float64)
            network.set_parameters(self.keys_, weights, self.visits_, biases, self.bias_visits_)
        return network

    def take(self, network: _core.FateNet) -> Self:
        """Take over what a network has learned, rounded for the file, without rarely visited weights."""
        keys, weights, visits, biases, self.bias_visits_ = network.parameters()
        kept = visits >= self.min_visits
        self.keys_, self.visits_ = keys[kept], visits[kept]
        self.weights_, self.biases_ = weights[kept].astype(np.float16), biases.astype(np.float32)
        self._made = self.network()
        return self

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn from labelled boards, `epochs` times."""
        return self._fit(data, _Training(_new_network(self)), progress)

    def fit_corpus(
        self,
        data: DataSet | DataSets,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Learn from a corpus with one thread; a stopped fit resumes from the folder `work`."""
        if scheduler is not None:
            raise ModelError(f"{self.name} learns on one machine: leave out the scheduler")
        training = _Training(_new_network(self), work / "fate-net.npz", _about(self, data))
        self._fit(data, training, progress)
        return {"weights": float(self.weights_.size), "learned_positions": float(training.positions)}

    def _fit(self, data: Data, training: _Training, progress: Progress | None) -> Self:
        while training.epoch < self.epochs:
            training.learn_epoch(data, self.rate)
            if progress is not None:
                progress(training.epoch / self.epochs)
        return self.take(training.network)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        try:
            model.network()
        except (TypeError, ValueError, AttributeError) as problem:
            raise ModelError(f"{path}: the arrays are not those of {cls.name}: {problem}") from None
        return model

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of the point, what its own node contributes, and the neighbours that push the most."""
        row, column = as_point(point, board.width, board.height)
        name, graph = point_name(row, column, board.height), augmented_graph(board)
        network, node = self._fitted(), int(graph.node_of[row, column])
        reasons = [ownership_reason(float(network.evaluate(board.stones[None])[0, row, column]), name)]
        labels = [label_words(label) for label in graph.labels(self.sides).tolist()]
        for push, other, relation in _strongest(graph, network.pushes(board.stones), node):
            place = point_name(*graph.places[other], board.height)
            names = tuple(point_name(*each, board.height) for each in graph.points(other))
            joined = f", {_JOINED[relation]}" if relation > 0 else ""
            who = f"The node of {name}" if other == node else f"The neighbour at {place}"
            towards = f"towards {'Black' if push > 0 else 'White'} by {abs(push):.2f} in log-odds"
            kind = "node" if other == node else "neighbour"
            reasons.append(Reason(kind, names, f"{who} ({labels[other]}{joined}) pushes {name} {towards}."))
        return reasons

    def _fitted(self) -> _core.FateNet:
        made: _core.FateNet | None = getattr(self, "_made", None)
        if made is None:
            if not hasattr(self, "keys_"):
                raise not_fitted(self.name)
            self._made = made = self.network()
        return made


class _Training:
    """A network that learns epoch by epoch; with a path its state is kept in a file, from which it resumes."""

    def __init__(self, network: _core.FateNet, path: Path | None = None, about: bytes = b"") -> None:
        self.network, self.path, self.about = network, path, np.frombuffer(about, np.uint8)
        self.epoch, self.place = 0, 0
        """The batches before this place of this epoch are learned."""
        self.positions = 0
        if path is not None and path.exists():
            self._resume(path)

    def learn_epoch(self, data: Data, rate: float) -> None:
        """Learn the rest of an epoch."""
        for number, batch in enumerate(_in_order(data, self.epoch)):
            if number < self.place:
                continue
            self.positions += _learn(self.network, batch, rate)
            self.place += 1
            if self.place % KEEP_EVERY == 0:
                self._keep()
        self.epoch, self.place = self.epoch + 1, 0
        self._keep()

    def _keep(self) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            state = np.array([self.epoch, self.place, self.positions])
            with whole_file(self.path) as file:
                np.savez(file, *self.network.parameters(), about=self.about, state=state)

    def _resume(self, path: Path) -> None:
        try:
            with np.load(path) as kept:
                same = np.array_equal(kept["about"], self.about)
                if same:
                    self.network.set_parameters(*(kept[f"arr_{i}"] for i in range(5)))
                    self.epoch, self.place, self.positions = kept["state"].tolist()
        except (OSError, ValueError, TypeError, KeyError, BadZipFile):
            raise ModelError(f"{path} is not the state of a fit: delete it") from None
        if not same:
            raise ModelError(f"{path.parent} holds work files of another fit: name a new folder")


def _new_network(model: FateNet) -> _core.FateNet:
    return type(model)(**settings(model)).network()


def _learn(network: _core.FateNet, batch: LabelledBoards, rate: float) -> int:
    """Learn the boards of a batch one by one; return their number."""
    targets = np.ascontiguousarray(batch.targets, np.float32)
    weights = np.asarray(batch.weights, np.float32)
    weights = np.broadcast_to(weights.reshape(*weights.shape, *(1,) * (3 - weights.ndim)), targets.shape)
    return len(network.learn(as_stones(batch.boards), targets, np.ascontiguousarray(weights), rate))


def _in_order(data: Any, epoch: int) -> Iterable[Any]:
    """Return the data in a new order for each epoch, if it supports that."""
    shuffled = getattr(data, "epoch", None)
    batches: Iterable[Any] = shuffled(epoch) if shuffled is not None else data
    return batches


def _about(model: FateNet, data: DataSet | DataSets) -> bytes:
    """Return what tells one fit from another: the settings and where the positions come from."""
    parts = [
        [part.store.shard_games, part.labels, part.size, part.split, part.finals, part.batch, part.seed, part.limit]
        for part in data.parts
    ]
    return canonical_json([model.name, settings(model), parts])


def _strongest(graph: AugmentedGraph, pushes: FloatArray, node: int) -> list[tuple[float, int, int]]:
    """Return what the node itself pushes, then the strongest neighbours: push, neighbour, relation."""
    found = []
    for edge in np.flatnonzero((graph.edges == node).any(1)).tolist():
        first, second = graph.edges[edge].tolist()
        push = pushes[2 * edge] if first == node else pushes[2 * edge + 1]
        found.append((float(push), first + second - node, int(graph.relations[edge])))
    noticed = sorted((each for each in found if abs(each[0]) >= NOTICED), key=lambda each: (-abs(each[0]), each[1]))
    own = float(pushes[2 * len(graph.edges) + node])
    return ([(own, node, -1)] if abs(own) >= NOTICED else []) + noticed[:PUSHES]
