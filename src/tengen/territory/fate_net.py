"""Low's network: one unit for each node of the augmented common fate graph in each layer (Low 2008, §2.2).

Start at `FateNet.ownership_many`. Weights are shared by the labels of the two nodes, their relation and the layer, and
created when a board first needs them; tengen._core.FateNet evaluates and learns (core/include/tengen/fate_net.hpp).
`fit` learns from labelled boards one by one; loops that make their own boards call `network` and `take`.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np

from tengen import _core
from tengen.corpus.dataset import DataSet, DataSets
from tengen.errors import ModelError, not_fitted
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.state import settings
from tengen.models.verdict import Reason, ownership_reason
from tengen.numbers import checked_count, checked_number
from tengen.territory.fate_reasons import edges_of, push_reasons
from tengen.territory.fate_training import Training, about
from tengen.views.augmented_graph import augmented_graph


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
        return self.take(Training(_new_network(self)).learn(data, self.rate, self.epochs, progress))

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
        training = Training(_new_network(self), work / "fate-net.npz", about(self, data))
        self.take(training.learn(data, self.rate, self.epochs, progress))
        return {"weights": float(self.weights_.size), "learned_positions": float(training.positions)}

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
        owner = ownership_reason(float(network.evaluate(board.stones[None])[0, row, column]), name)
        pushes = network.pushes(board.stones).tolist()
        near = [pushes[2 * edge + int(graph.edges[edge, 1] == node)] for edge in edges_of(graph, node)]
        return [owner, *push_reasons(graph, self.sides, (row, column), pushes[2 * len(graph.edges) + node], near)]

    def _fitted(self) -> _core.FateNet:
        made: _core.FateNet | None = getattr(self, "_made", None)
        if made is None:
            if not hasattr(self, "keys_"):
                raise not_fitted(self.name)
            self._made = made = self.network()
        return made


def _new_network(model: FateNet) -> _core.FateNet:
    return type(model)(**settings(model)).network()
