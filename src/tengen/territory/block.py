"""The planar field: a CRF of chains and empty regions on the block graph (Kamenetsky et al.).

Start at `BlockCrf.answer`. Couplings and fields depend on shapes, contacts and features of the chains
(block_features.py) and are learned on the block graph (block_training.py); inference on the group graph is exact, by
the elimination of tengen._core.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.errors import ModelError
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import FloatArray, LabelledBoards, Progress
from tengen.models.verdict import Reason, ownership_reason
from tengen.territory.block_features import CONTACT, OWN_FEATURES, SHAPE, Described, Gauge, describe, parameter_counts
from tengen.territory.block_training import TRAINERS, block_examples, train
from tengen.views.graphs import CHAIN_FEATURES, NEUTRAL, STONE, SURROUND, BoardGraph, Division

HELD = 50.0
"""The field that fixes a node's owner."""

CONTACTS = {
    (STONE, STONE): 0.3,
    (STONE, SURROUND): 1.9,
    (SURROUND, SURROUND): 1.5,
    (STONE, NEUTRAL): 0.3,
    (SURROUND, NEUTRAL): 0.3,
}
"""Weights before training: the cost of assigning two adjacent nodes to different sides, in each direction. Training
starts from them, because neutral nodes without couplings would have no gradient."""

ALONE = 0.6
GROUPS = {"alone": -1.2, "size of the group": 0.9, "liberties of the group": -0.6}
"""Field weights before training, for the life of a chain: a constant, the size of its group and its liberties."""

STRICT_START = 4
"""Points of contact for which the costs before training hold, if features are counts without a constant."""

NOTICED = 0.05
"""Weaker influences are not mentioned in reasons."""

PULLS = 3
"""Number of neighbours named in reasons."""


@dataclass(frozen=True, eq=False)
class Inferred:
    """The result of inference on a board."""

    graph: BoardGraph
    """The graph of the inference."""
    fields: FloatArray
    couplings: FloatArray
    means: FloatArray
    """The expected owner of each node, from −1 (White) to 1 (Black)."""
    spins: npt.NDArray[np.int8]
    """The owner of each node in the likeliest state; 0 if a state and its colour reversal are equally likely."""


class BlockCrf(OwnershipModel):
    """Chains, surrounds and neutral regions, coupled by their shapes and contacts, with exact inference.

    `gauge` tells Black from White: "field" gives every chain and surround a field, "face" only the chains at the edge
    of the board, "majority" none. `neighbours` adds the features of adjacent edges to each edge, `rich` adds
    tengen.views.graphs.chain_features to the fields. `strict` takes the paper's features of edges. `graph` is the graph
    for inference; ownership comes from marginals or from the likeliest state (`says="map"`).
    """

    name = "territory/block"
    exactness = "rounding"
    finished_only = True

    gauge: Gauge = "field"
    neighbours: bool = True
    rich: bool = True
    division: Division = "nearest"
    strict: bool = False
    graph: Literal["group", "block"] = "group"
    says: Literal["marginals", "map"] = "marginals"
    trainer: str = "ml"
    positions: int = 2000
    l2: float = 1e-5

    def __post_init__(self) -> None:
        _check("gauge", self.gauge, get_args(Gauge))
        _check("division", self.division, get_args(Division))
        _check("graph", self.graph, ("group", "block"))
        _check("says", self.says, ("marginals", "map"))
        _check("trainer", self.trainer, TRAINERS)
        self.coupling_weights_, self.field_weights_ = self._at_first()

    def fit(self, data: Iterable[LabelledBoards], *, progress: Progress | None = None) -> Self:
        """Learn from the first `positions` labelled boards; finished ones are what it is for."""
        examples = block_examples(data, self.positions, self.describe)
        start = self._at_first()
        theta = train(self.trainer, examples, np.concatenate(start), self.l2, progress)
        self.coupling_weights_, self.field_weights_ = np.split(theta, [len(start[0])])
        return self

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        counts = parameter_counts(model.gauge, model.neighbours, model.rich)
        for array, count in zip((model.coupling_weights_, model.field_weights_), counts, strict=True):
            if array.shape != (count,) or array.dtype != float or not np.isfinite(array).all():
                raise ModelError(f"{path}: the weights of {cls.name} are {counts[0]} and {counts[1]} finite numbers")
        return model

    def describe(self, stones: npt.NDArray[np.int8]) -> Described:
        """Return the graphs of a board with the features of edges and nodes."""
        features: dict[str, bool] = {"neighbours": self.neighbours, "rich": self.rich, "strict": self.strict}
        return describe(stones, gauge=self.gauge, division=self.division, **features)

    def _at_first(self) -> tuple[FloatArray, FloatArray]:
        couplings, fields = _at_first(self.gauge, self.neighbours, self.rich)
        if self.strict:
            contacts = couplings[3 * SHAPE : OWN_FEATURES].reshape(-1, CONTACT)
            contacts[:, 0], contacts[:, -1] = contacts[:, -1] / STRICT_START, 0  # there is no constant to start from
        return couplings, fields

    def answer(self, stones: npt.NDArray[np.int8]) -> Inferred:
        """Return the result of inference on a board [row, column]."""
        described = self.describe(as_stones(stones))
        fields = described.node_features @ self.field_weights_
        couplings = described.edge_features @ self.coupling_weights_ / 2
        graph = described.block
        if self.graph == "group":
            fields, couplings = described.grouped(fields, couplings)
            graph = described.group
        kernel = IsingGraph(len(graph), graph.edges)
        spins = kernel.best_state(fields[None], couplings[None])[0][0]
        if self.gauge == "majority":
            spins = spins * np.int8(np.sign(int((spins[graph.node_of] * stones).sum())))
            fields = _held(graph, spins)
        means = kernel.eliminate(fields[None], couplings[None])[0][0]
        return Inferred(graph, fields, couplings, np.clip(means, -1, 1), spins)

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point, or the likeliest."""
        return self._ownership(board.stones)

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards of one size."""
        stones = stacked_stones(boards)
        return np.stack([self._ownership(board) for board in stones]) if len(stones) else np.zeros(stones.shape)

    def _ownership(self, stones: npt.NDArray[np.int8]) -> FloatArray:
        answer = self.answer(stones)
        shares = answer.means if self.says == "marginals" else answer.spins.astype(float)
        return shares[answer.graph.node_of]

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of the point, the evidence from its group, and the influence of its neighbours."""
        row, column = as_point(point, board.width, board.height)
        answer = self.answer(board.stones)
        node = int(answer.graph.node_of[row, column])
        name = point_name(row, column, board.height)
        reasons = [ownership_reason(float(answer.means[node]), name)]
        reasons += [_alone(answer, board, node)] if self.gauge == "field" and answer.fields[node] else []
        return reasons + _pulls(answer, board, node)


def _check(what: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ModelError(f"{what} is one of {', '.join(known)}, not {given!r}")


def _at_first(gauge: Gauge, neighbours: bool, rich: bool) -> tuple[FloatArray, FloatArray]:
    """Return the weights before training: by the kinds of nodes, and a few features of groups."""
    couplings, fields = (np.zeros(count) for count in parameter_counts(gauge, neighbours, rich))
    contacts = couplings[3 * SHAPE : OWN_FEATURES].reshape(-1, CONTACT)[:, -1]
    for (one, other), cost in CONTACTS.items():
        contacts[one * 3 + other] = contacts[other * 3 + one] = cost
    contacts[-1] = CONTACTS[STONE, SURROUND]
    if gauge != "field":
        fields[:] = ALONE
        return couplings, fields
    chains, surrounds = fields.reshape(2, -1)
    chains[SHAPE - 1], surrounds[SHAPE - 1] = ALONE, ALONE
    if rich:
        chains[SHAPE - 1] = GROUPS["alone"]
        for feature in GROUPS.keys() - {"alone"}:
            chains[SHAPE + CHAIN_FEATURES.index(feature)] = GROUPS[feature]
    return couplings, fields


def _held(graph: BoardGraph, spins: npt.NDArray[np.int8]) -> FloatArray:
    """Return fields that fix the owner of the largest group with stones, and no others."""
    fields = np.zeros(len(graph))
    stones = np.where(graph.kinds == STONE, graph.sizes, 0)
    largest = int(stones.argmax())
    fields[largest] = HELD * spins[largest]
    return fields


def _owner(share: float) -> str:
    return "Black" if share > 0 else "White"


def _called(graph: BoardGraph, board: Board, node: int) -> str:
    name = point_name(*graph.places[node], board.height)
    kind, points = int(graph.kinds[node]), int(graph.sizes[node])
    if kind == NEUTRAL:
        return f"the neutral point {name}" if points == 1 else f"the neutral region around {name}"
    whose = "Black's" if graph.colours[node] > 0 else "White's"
    return f"{whose} {'group' if kind == STONE else 'empty region'} around {name}"


def _opening(words: str) -> str:
    return words[:1].upper() + words[1:]


def _counted(count: int, word: str) -> str:
    many = word if count == 1 else word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{count or 'no'} {many}"


def _names(graph: BoardGraph, board: Board, node: int) -> tuple[str, ...]:
    return tuple(point_name(row, column, board.height) for row, column in graph.points(node))


def _alone(answer: Inferred, board: Board, node: int) -> Reason:
    """Return the evidence from a node's own features."""
    graph = answer.graph
    counts = (graph.sizes, "point"), (graph.liberties, "liberty"), (graph.eyes, "small eye")
    facts = "{}, {} and {}".format(*(_counted(int(values[node]), word) for values, word in counts))
    share = float(np.tanh(answer.fields[node]))
    said = f"{_opening(_called(graph, board, node))} has {facts}, which favours {_owner(share)} ({abs(share):.2f})."
    return Reason("group", _names(graph, board, node), said)


def _pulls(answer: Inferred, board: Board, node: int) -> list[Reason]:
    """Return the neighbours with the greatest influence on a node."""
    graph = answer.graph
    found = []
    for edge in np.flatnonzero((graph.edges == node).any(1)).tolist():
        other = int(graph.edges[edge].sum()) - node
        found.append((float(np.tanh(answer.couplings[edge] * answer.means[other])), other))
    noticed = sorted((pull for pull in found if abs(pull[0]) >= NOTICED), key=lambda pull: (-abs(pull[0]), pull[1]))
    called = _called(graph, board, node)
    return [
        Reason(
            "neighbour",
            _names(graph, board, other),
            f"{_opening(_called(graph, board, other))} pulls {called} towards {_owner(pull)} ({abs(pull):.2f}).",
        )
        for pull, other in noticed[:PULLS]
    ]
