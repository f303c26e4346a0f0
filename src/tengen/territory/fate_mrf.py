"""Low's pairwise Markov random field on the augmented common fate graph (Low 2008, §2.3).

Start at `FateField.evaluate`. Every node has a log potential for each owner, every edge one for each pair of owners,
shared by the labels of the nodes and their relation; tengen._core.FateTables keeps them
(core/include/tengen/fate_tables.hpp). pair_tables.py turns them into fields and couplings, which ising.py solves. `fit`
learns from labelled boards one by one; loops that make their own boards call `FateMrf.network` and `FateMrf.take`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import ModelError, TengenError
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.symmetry import TRANSPOSE, inverse, symmetries, transform
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason, ownership_reason
from tengen.numbers import checked_number
from tengen.territory.fate_model import FateModel
from tengen.territory.fate_reasons import push_reasons
from tengen.territory.fate_training import Training
from tengen.territory.ising import BURN_IN, Inference, Solver, infer
from tengen.territory.pair_tables import TableMarginals, Tables, infer_tables, ising_form, target_tables
from tengen.views.augmented_graph import AugmentedGraphs, augmented_graph, augmented_graphs

IntArray = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

Model = tuple[_core.IsingGraph, FloatArray, FloatArray]
"""A graph with one row of fields and couplings."""

LEAST = 1e-12
"""Probabilities below this count as this in the loss."""


class FateMrf(FateModel):
    """A random field whose nodes are the chains and regions of the augmented common fate graph.

    `inference` is a method of ising.py; "bp" with `step` 1 is undamped propagation and with 0.5 damped, as in the
    paper. `back_off` adds tables for coarser labels to those of the full labels. `sides` gives regions of Black's and
    White's influence labels of their own. A step of learning changes a number in a table by `rate` / √visits times its
    derivative less `shrink` times the number. Tables with fewer than `min_visits` are dropped.
    """

    name = "territory/fate-mrf"
    exactness = "rounding"

    inference: Inference = "best"
    step: float | None = None
    back_off: bool = True
    shrink: float = 1e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inference in BURN_IN:
            raise ModelError(f"{self.name} is not sampled: inference is exact, bp, double-loop or best")
        checked_number(self.shrink, "shrink", 0, 1, error=ModelError)
        self.solver()

    def solver(self) -> Solver:
        """Return how inference is done."""
        return Solver(self.inference, step=self.step)

    def network(self) -> FateField:
        """Return a new field with the tables of the model, if it has any; it can learn without changing the model."""
        field = FateField(self.sides, self.back_off, self.solver(), self.shrink)
        if hasattr(self, "keys_"):
            tables, nodes = self.tables_.astype(np.float64), self.node_tables_.astype(np.float64)
            field.tables.set_parameters(self.keys_, tables, self.visits_, nodes, self.node_visits_)
        return field

    def take(self, field: FateField) -> Self:
        """Take over what a field has learned, rounded for the file, without rarely visited tables."""
        keys, tables, visits, nodes, self.node_visits_ = field.tables.parameters()
        kept = visits >= self.min_visits
        self.keys_, self.visits_ = keys[kept], visits[kept]
        self.tables_, self.node_tables_ = tables[kept].astype(np.float16), nodes.astype(np.float32)
        self._made = self.network()
        return self

    def facts(self, training: Training[FateField]) -> dict[str, float]:
        """Return how many tables there are, from how many positions, and how often inference did not converge."""
        boards, failures = training.learner.counts.tolist()
        facts = {"tables": len(self.keys_), "learned_positions": boards, "not_converged": failures / max(boards, 1)}
        return {name: float(value) for name, value in facts.items()}

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of the point, what its own node contributes, and the neighbours that push the most.

        A push is the change of the node's log-odds if the table of the node or of an edge were left out.
        """
        row, column = as_point(point, board.width, board.height)
        field: FateField = self.fitted_network()
        graph = augmented_graph(board)
        owner = float(field.evaluate(board.stones[None])[0, row, column])
        own, *near = field.pushes(board.stones, int(graph.node_of[row, column]))
        reasons = push_reasons(graph, self.sides, (row, column), own, near)
        return [ownership_reason(owner, point_name(row, column, board.height)), *reasons]


class FateField:
    """A random field that evaluates and learns boards."""

    def __init__(self, sides: bool, back_off: bool, solver: Solver, shrink: float) -> None:
        self.tables = _core.FateTables(sides, back_off)
        self.solver, self.shrink = solver, shrink
        self.counts = np.zeros(2, np.int64)
        """Boards learned, and how many of them inference did not converge on."""

    def __len__(self) -> int:
        return len(self.tables)

    def evaluate(self, stones: npt.NDArray[np.int8]) -> FloatArray:
        """Return the ownership of each point of boards [n, row, column].

        Inference depends on the numbers of the nodes where it is not exact, so all orientations of a board and its
        colour reversal are seen as one of them (`_Views`). Swapping the colours negates the ownership exactly.
        """
        views = _Views(_boards(stones))
        graphs = augmented_graphs(views.boards)
        means = [infer(*model, self.solver).means[0] for model in self._models(graphs)]
        owners: FloatArray = np.concatenate(means or [np.zeros(0)])[graphs.node_of]
        return views.seen_as_given(np.clip(owners, -1, 1, out=owners))

    def learn(self, stones: npt.NDArray[np.int8], targets: Floats, weights: Floats, rate: float) -> FloatArray:
        """Learn boards [n, row, column] one after the other; return the losses per point before the steps.

        Targets are owners from −1 to 1, or NaN without a label; weights are those of points. A step raises the
        log-likelihood of the owners of nodes, each with the mean weight of its points. The loss is the cross-entropy of
        points, as of `territory/fate-net`.
        """
        stones = _boards(stones)
        _check_lessons(stones, targets, weights)
        checked_number(rate, "rate", 0, 100)
        graphs, losses = augmented_graphs(stones), np.zeros(len(stones))
        lessons = _Lessons.of(graphs, targets, weights)
        for board, graph in enumerate(_each(graphs)):
            lesson = lessons.part(slice(*graphs.first_node[board : board + 2].tolist()))
            found = self._found(graph)
            losses[board] = lesson.loss(found.probabilities.nodes[0]) / stones[board].size
            slopes = lesson.slopes(graph.ends, found.probabilities)
            self.tables.add(graph.nodes, graph.edges, slopes.nodes[0], slopes.edges[0], rate, self.shrink)
            self.counts += 1, not found.marginals.converged[0]
        return losses

    def models(self, stones: npt.NDArray[np.int8]) -> list[Model]:
        """Return what `infer` takes for boards [n, row, column]: the graph of each, its fields and its couplings."""
        return list(self._models(augmented_graphs(_boards(stones))))

    def pushes(self, stones: npt.NDArray[np.int8], node: int) -> list[float]:
        """Return how the log-odds of a node of a board change by its own table, and by those of each of its edges."""
        graph = next(_each(augmented_graphs(as_stones(stones)[None])))
        near = np.flatnonzero((graph.ends == node).any(1))
        tables = self._potentials(graph)
        nodes, edges = (np.repeat(each, len(near) + 2, 0) for each in (tables.nodes, tables.edges))
        nodes[1, node] = 0
        edges[np.arange(len(near)) + 2, near] = 0
        form = ising_form(graph.ends, Tables(nodes, edges))
        means = infer(graph.ising(), form.fields, form.couplings, self.solver).means[:, node]
        logits = 2 * np.arctanh(np.clip(means, LEAST - 1, 1 - LEAST))
        pushes: list[float] = (logits[0] - logits[1:]).tolist()
        return pushes

    def parameters(self) -> tuple[npt.NDArray[Any], ...]:
        """Return the state: keys, tables and visits of edges, tables and visits of nodes, and `counts`."""
        return *self.tables.parameters(), self.counts.copy()

    def set_parameters(self, *arrays: npt.NDArray[Any]) -> None:
        """Take over such a state."""
        self.tables.set_parameters(*arrays[:-1])
        self.counts = np.array(arrays[-1], np.int64).reshape(2)

    def _potentials(self, graph: _Graph) -> Tables:
        nodes, edges = self.tables.lookup(graph.nodes, graph.edges)
        return Tables(nodes[None], edges[None])

    def _models(self, graphs: AugmentedGraphs) -> Iterator[Model]:
        for graph in _each(graphs):
            form = ising_form(graph.ends, self._potentials(graph))
            yield graph.ising(), form.fields, form.couplings

    def _found(self, graph: _Graph) -> TableMarginals:
        return infer_tables(graph.ising(), graph.ends, self._potentials(graph), self.solver)


class _Views:
    """Boards in an orientation and with colours that are the same for all orientations and for both colours."""

    def __init__(self, stones: npt.NDArray[np.int8]) -> None:
        self._upright = stones.shape[1] > stones.shape[2]
        lying = np.ascontiguousarray(transform(stones, TRANSPOSE if self._upright else 0))
        height, width = lying.shape[1:]
        ways = np.stack([sign * transform(lying, k) for sign in (1, -1) for k in symmetries(width, height)], 1)
        chosen: list[bytes] = []
        self._ways: list[list[int]] = []
        """For each board, the ways to see it that give the chosen one: several if it is symmetric."""
        for board in ways:
            texts = [way.tobytes() for way in board]
            chosen.append(max(texts))
            self._ways.append([number for number, text in enumerate(texts) if text == chosen[-1]])
        self.boards = np.frombuffer(b"".join(chosen), np.int8).reshape(lying.shape)

    def seen_as_given(self, owners: FloatArray) -> FloatArray:
        """Return the ownership of the boards as they were given, the mean over the ways to see them."""
        count = len(symmetries(owners.shape[2], owners.shape[1]))
        given = np.zeros_like(owners)
        for board, ways, owner in zip(given, self._ways, owners, strict=True):
            same = [transform(owner, inverse(way)) for way in ways if way < count]
            swapped = [transform(owner, inverse(way - count)) for way in ways if way >= count]
            board[:] = (sum(same) - sum(swapped)) / len(ways)
        return np.ascontiguousarray(transform(given, TRANSPOSE if self._upright else 0))


@dataclass(frozen=True, eq=False)
class _Graph:
    """The graph of one board: its part of AugmentedGraphs, with nodes numbered from 0."""

    nodes: IntArray
    edges: IntArray
    ends: IntArray
    """The nodes of each edge, its first two numbers."""

    def ising(self) -> _core.IsingGraph:
        return _core.IsingGraph(len(self.nodes), self.ends)


def _each(graphs: AugmentedGraphs) -> Iterator[_Graph]:
    for board in range(len(graphs)):
        start, end = graphs.first_node[board : board + 2].tolist()
        first, last = graphs.first_edge[board : board + 2].tolist()
        edges = graphs.edges[first:last].copy()
        edges[:, :2] -= start
        yield _Graph(graphs.nodes[start:end], edges, edges[:, :2].copy())


@dataclass(frozen=True, eq=False)
class _Lessons:
    """Targets of nodes."""

    black: FloatArray
    """The probability that Black owns a node: the mean over its labelled points."""
    points: FloatArray
    """The total weight of its labelled points."""
    weights: FloatArray
    """The mean weight of its points."""

    @classmethod
    def of(cls, graphs: AugmentedGraphs, targets: Floats, weights: Floats) -> Self:
        places, count = graphs.node_of.ravel(), len(graphs.nodes)
        known = np.where(np.isnan(targets), 0, weights).ravel()
        points: FloatArray = np.bincount(places, known, count).astype(np.float64)
        owners = np.bincount(places, known * np.nan_to_num(targets).ravel(), count) / np.maximum(points, LEAST)
        return cls((1 + owners) / 2, points, points / graphs.nodes[:, 2])

    def part(self, nodes: slice) -> Self:
        return type(self)(self.black[nodes], self.points[nodes], self.weights[nodes])

    def loss(self, probabilities: FloatArray) -> float:
        white, black = np.log(np.maximum(probabilities.T, LEAST))
        return -float(self.points @ (self.black * black + (1 - self.black) * white))

    def slopes(self, ends: IntArray, probabilities: Tables) -> Tables:
        """Return the derivatives of the log-likelihood, weighted: an edge by the geometric mean of its two nodes."""
        targets = target_tables(ends, self.black[None])
        edges = np.sqrt(self.weights[ends[:, 0]] * self.weights[ends[:, 1]])
        return Tables(
            (targets.nodes - probabilities.nodes) * self.weights[:, None],
            (targets.edges - probabilities.edges) * edges[:, None, None],
        )


def _boards(stones: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    if np.ndim(stones) != 3:
        raise TengenError("stones: boards [n, row, column] are needed")
    return as_stones(stones)


def _check_lessons(stones: npt.NDArray[np.int8], targets: Floats, weights: Floats) -> None:
    if np.shape(targets) != stones.shape or np.shape(weights) != stones.shape:
        raise TengenError("targets and weights: one number for each point of stones")
    if (np.abs(targets) > 1).any():
        raise TengenError("targets are from -1 to 1, or NaN for no label")
    if not ((weights >= 0) & (weights <= 1e6)).all():
        raise TengenError("weights are 0 to 1000000")
