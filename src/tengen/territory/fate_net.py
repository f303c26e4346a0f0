"""Low's network: one unit for each node of the augmented common fate graph in each layer (Low 2008, §2.2).

Start at `FateNet.ownership_many`. Weights are shared by the labels of the two nodes, their relation and the layer, and
created when a board first needs them; tengen._core.FateNet evaluates and learns (core/include/tengen/fate_net.hpp).
`fit` learns from labelled boards one by one; loops that make their own boards call `network` and `take`.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from tengen import _core
from tengen.errors import ModelError
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.models.verdict import Reason, ownership_reason
from tengen.numbers import checked_count, checked_number
from tengen.territory.fate_model import FateModel
from tengen.territory.fate_reasons import edges_of, push_reasons
from tengen.territory.fate_training import Training
from tengen.views.augmented_graph import augmented_graph


class FateNet(FateModel):
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
    epochs: int = 3
    rate: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_count(self.layers, "layers", 8, least=2)
        checked_count(self.rounds, "rounds", 1000, least=1)
        checked_count(self.seed, "seed", 2**63 - 1)
        checked_number(self.tolerance, "tolerance", 0, 1, error=ModelError)

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

    def facts(self, training: Training[_core.FateNet]) -> dict[str, float]:
        """Return how many weights there are, and from how many positions they were learned."""
        return {"weights": float(self.weights_.size), "learned_positions": float(training.positions)}

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of the point, what its own node contributes, and the neighbours that push the most."""
        row, column = as_point(point, board.width, board.height)
        name, graph = point_name(row, column, board.height), augmented_graph(board)
        network: _core.FateNet = self.fitted_network()
        node = int(graph.node_of[row, column])
        owner = ownership_reason(float(network.evaluate(board.stones[None])[0, row, column]), name)
        pushes = network.pushes(board.stones).tolist()
        near = [pushes[2 * edge + int(graph.edges[edge, 1] == node)] for edge in edges_of(graph, node)]
        return [owner, *push_reasons(graph, self.sides, (row, column), pushes[2 * len(graph.edges) + node], near)]
