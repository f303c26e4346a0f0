"""Learning the planar field: maximum likelihood, or the largest margin (Kamenetsky et al.; Schraudolph & Kamenetsky).

Start at `train`. A board's chains and surrounds belong to the side that owns most of them; nodes without an owner,
neutral ones among them, are summed out exactly. θ holds the parameters of couplings, then those of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tengen._core import IsingGraph
from tengen.errors import ModelError, TengenError
from tengen.go.arrays import as_stones
from tengen.measure.arrays import summed
from tengen.models.protocol import FloatArray, LabelledBoards, Progress
from tengen.territory.block_features import Described
from tengen.territory.coupling_training import minimise
from tengen.views.graphs import NEUTRAL

TRAINERS = ("ml", "margin")
CERTAIN = 0.5
"""A node belongs to a side if the mean ownership of its points is at least this."""

ITERATIONS = 200
"""Maximum number of steps for likelihood training."""

STEPS, RATE = 150, 0.3
"""Number of AdaGrad steps and learning rate for margin training."""


@dataclass(frozen=True, eq=False)
class Example:
    """A described board with the side of every node that has one: 1 Black, −1 White, 0 unknown."""

    described: Described
    sides: npt.NDArray[np.int8]

    @cached_property
    def graph(self) -> IsingGraph:
        """The block graph for inference."""
        return IsingGraph(len(self.sides), self.edges)

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """The edges of the block graph."""
        return self.described.block.edges

    @cached_property
    def unknown(self) -> npt.NDArray[np.intp]:
        """The nodes without a side."""
        return np.flatnonzero(self.sides == 0)

    @cached_property
    def unknown_edges(self) -> npt.NDArray[np.intp]:
        """The edges between nodes without a side."""
        return np.flatnonzero((self.sides[self.edges] == 0).all(1))

    @cached_property
    def unknown_graph(self) -> IsingGraph:
        """The graph of the nodes without a side."""
        number = np.cumsum(self.sides == 0, dtype=np.int32) - 1
        return IsingGraph(len(self.unknown), np.ascontiguousarray(number[self.edges[self.unknown_edges]]))

    def ising(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return fields and couplings."""
        split = self.described.edge_features.shape[1]
        return self.described.node_features @ theta[split:], self.described.edge_features @ theta[:split] / 2

    def gradient(self, by_fields: FloatArray, by_couplings: FloatArray) -> FloatArray:
        """Return the derivative with respect to θ from those with respect to fields and couplings."""
        return np.concatenate(
            [by_couplings @ self.described.edge_features / 2, by_fields @ self.described.node_features]
        )

    def pull_on(self, means: FloatArray, couplings: FloatArray) -> FloatArray:
        """Return for every node the sum of coupling × mean over its neighbours."""
        first, second = self.edges.T
        count = len(means)
        return summed(first, couplings * means[second], count) + summed(second, couplings * means[first], count)

    def free(self, fields: FloatArray, couplings: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return means, edge means and ln Z."""
        means, edge_means, log_z = self.graph.eliminate(fields[None], couplings[None])
        return means[0], edge_means[0], float(log_z[0])

    def clamped(self, fields: FloatArray, couplings: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return the same, given the known sides."""
        means = self.sides.astype(float)
        pulled = fields + self.pull_on(means, couplings)
        edge_means = means[self.edges[:, 0]] * means[self.edges[:, 1]]
        log_z = float(fields @ means + couplings @ edge_means)
        if len(self.unknown):
            inner = couplings[self.unknown_edges]
            found, found_edges, rest = self.unknown_graph.eliminate(pulled[None, self.unknown], inner[None])
            means[self.unknown] = found[0]
            edge_means = means[self.edges[:, 0]] * means[self.edges[:, 1]]
            edge_means[self.unknown_edges] = found_edges[0]
            log_z += float(rest[0])
        return means, edge_means, log_z


def sides_of(described: Described, targets: FloatArray) -> npt.NDArray[np.int8]:
    """Return the side of each node by the owners of its points [row, column], NaN where unlabelled."""
    total, points = described.block.sums(np.nan_to_num(targets)), described.block.sums(~np.isnan(targets))
    mean = np.divide(total, points, out=np.zeros(len(total)), where=points > 0)
    decided = (np.abs(mean) >= CERTAIN) & (described.block.kinds != NEUTRAL)
    return np.where(decided, np.sign(mean), 0).astype(np.int8)


def block_examples(
    data: Iterable[LabelledBoards], positions: int, describe: Callable[[npt.NDArray[np.int8]], Described]
) -> list[Example]:
    """Read at most `positions` labelled boards."""
    examples: list[Example] = []
    for batch in data:
        for stones, owners, weight in zip(batch.boards, batch.targets, batch.weights, strict=True):
            described = describe(as_stones(stones))
            counted = np.where(weight > 0, np.asarray(owners, float), np.nan)
            example = Example(described, sides_of(described, counted))
            if example.sides.any():
                examples.append(example)
            if len(examples) >= positions:
                return examples
    if not examples:
        raise TengenError("there is no labelled position to learn from")
    return examples


def train(
    trainer: str, examples: list[Example], start: FloatArray, l2: float, progress: Progress | None = None
) -> FloatArray:
    """Return θ."""
    if trainer not in TRAINERS:
        raise ModelError(f"a trainer is one of {', '.join(TRAINERS)}, not {trainer!r}")
    if trainer == "margin":
        return largest_margin(examples, start, l2, progress)
    free = np.ones(len(start))
    return minimise(lambda theta: likelihood_loss(theta, examples), start, free, l2, progress, iterations=ITERATIONS)


def likelihood_loss(theta: FloatArray, examples: list[Example]) -> tuple[float, FloatArray]:
    """Return −ln p(sides) per node with a side, and its gradient."""
    value, slope, nodes = 0.0, np.zeros(len(theta)), 0
    for example in examples:
        fields, couplings = example.ising(theta)
        means, edge_means, log_z = example.free(fields, couplings)
        true_means, true_edge_means, true_log_z = example.clamped(fields, couplings)
        value += log_z - true_log_z
        slope += example.gradient(means - true_means, edge_means - true_edge_means)
        nodes += int(np.count_nonzero(example.sides))
    return value / nodes, slope / nodes


def largest_margin(
    examples: list[Example], start: FloatArray, l2: float, progress: Progress | None = None
) -> FloatArray:
    """Minimise the margin loss by AdaGrad and return the mean of the later steps."""
    theta, total, squares = start.copy(), np.zeros(len(start)), np.full(len(start), 1e-8)
    for step in range(STEPS):
        _, slope = margin_loss(theta, examples)
        slope += l2 * theta
        squares += slope**2
        theta -= RATE * slope / np.sqrt(squares)
        total += theta if 2 * step >= STEPS else 0
        if progress is not None:
            progress((step + 1) / STEPS)
    return total / (STEPS - (STEPS + 1) // 2)


def margin_loss(theta: FloatArray, examples: list[Example]) -> tuple[float, FloatArray]:
    """Return the margin violation per node: the best state's excess over the true one, with a bonus for each error.

    Nodes without a side take their best values, given the others. Without fields a state is as good as its colour
    reversal, so only edges can be wrong: those cut in one of the two states and not in the other.
    """
    value, slope, nodes = 0.0, np.zeros(len(theta)), 0
    for example in examples:
        fields, couplings = example.ising(theta)
        true = _completed(example, fields, couplings)
        known = example.sides.astype(float)
        pairs = known[example.edges[:, 0]] * known[example.edges[:, 1]]
        counted = known * bool(example.described.node_features.shape[1])
        states, best = example.graph.best_state((fields - counted / 2)[None], (couplings - pairs / 2)[None])
        wrong, right = (_statistics(example, state) for state in (states[0].astype(float), true))
        value += float(best[0]) + (np.abs(counted).sum() + np.abs(pairs).sum()) / 2
        value -= fields @ right[0] + couplings @ right[1]
        slope += example.gradient(wrong[0] - right[0], wrong[1] - right[1])
        nodes += int(np.count_nonzero(known))
    return value / nodes, slope / nodes


def _completed(example: Example, fields: FloatArray, couplings: FloatArray) -> FloatArray:
    state = example.sides.astype(float)
    if len(example.unknown):
        pulled = (fields + example.pull_on(state, couplings))[example.unknown]
        best, _ = example.unknown_graph.best_state(pulled[None], couplings[None, example.unknown_edges])
        state[example.unknown] = best[0]
    return state


def _statistics(example: Example, state: FloatArray) -> tuple[FloatArray, FloatArray]:
    return state, state[example.edges[:, 0]] * state[example.edges[:, 1]]
