"""Rare weights: does the network err where the weights it needs were seldom learned? (Low §3.2)

Start at `by_visits`. A node's weights are those of the arcs into it, in Black's view and in White's; the one that was
visited least often while learning counts. Nodes with rare weights may be hard for any model, so the message network,
which has no weights of this kind, is measured on the same nodes: `excess` is what the network loses beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.measure.arrays import FloatArray, numbered, summed
from tengen.measure.intervals import Interval, quantiles, ratios, resampled_sums
from tengen.measure.ownership import wrong_signs
from tengen.papers.draws import GameNumbers, spread
from tengen.papers.low.answers import Answers
from tengen.territory.fate_net import FateNet
from tengen.views.augmented_graph import (
    LABELS,
    RELATIONS,
    SIDED_LABELS,
    AugmentedGraphs,
    augmented_graphs,
    reversed_labels,
)

BINS = {"never": 0, "1 to 9": 1, "10 to 99": 10, "100 to 999": 100, "1,000 to 9,999": 1000, "10,000 or more": 10_000}
"""Classes of visits by their first number."""
RARE = 100
"""A weight with fewer visits is called rare."""

Visits = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Nodes:
    """The nodes of the test positions: their games, points, visits, and the errors of models in percent."""

    games: GameNumbers
    points: FloatArray
    visits: Visits
    errors: dict[str, FloatArray]

    def by_visits(self, name: str) -> dict[str, Interval]:
        """Return the vertex error of a model in each class of visits that has nodes."""
        found, firsts = {}, [*BINS.values()]
        for row, words in enumerate(BINS):
            here = np.searchsorted(firsts, self.visits, side="right") - 1 == row
            if here.any():
                found[words] = spread([self.errors[name][here]], self.games[here], self.points[here])
        return found

    def share(self, words: str) -> float:
        """Return the share of points in a class of visits, in percent."""
        here = np.searchsorted([*BINS.values()], self.visits, side="right") - 1 == [*BINS].index(words)
        return float(100 * self.points[here].sum() / self.points.sum())

    def excess(self, name: str, other: str) -> Interval:
        """Return how much more a model loses to another at rare weights than at common ones, in percentage points."""
        game, count = numbered(self.games)
        columns = []
        for here in (self.visits < RARE, self.visits >= RARE):
            weight = self.points * here
            columns += [summed(game, (self.errors[name] - self.errors[other]) * weight, count)]
            columns += [summed(game, weight, count)]
        sums = np.column_stack(columns)
        drawn = np.vstack([sums.sum(0), resampled_sums(sums)])
        gaps = ratios(drawn[:, 0], drawn[:, 1]) - ratios(drawn[:, 2], drawn[:, 3])
        low, high = quantiles(gaps[1:][np.isfinite(gaps[1:])]) if np.isfinite(gaps[0]) else (np.nan, np.nan)
        return Interval(float(gaps[0]), float(low), float(high))


def nodes_of(answers: Answers, model: FateNet, names: Mapping[str, str]) -> Nodes:
    """Return the nodes with the visits in a network and the errors of the first draw of some models by new names."""
    graphs = augmented_graphs(answers.test.boards)
    nodes, count = graphs.node_of.ravel(), len(graphs.nodes)
    points: FloatArray = np.bincount(nodes, answers.labelled.ravel(), count).astype(np.float64)
    errors = {}
    for name, words in names.items():
        wrong = wrong_signs(answers.ownership[name][0], answers.truth) * answers.labelled
        errors[words] = 100 * np.bincount(nodes, wrong.ravel(), count) / np.maximum(points, 1)
    games = np.repeat(answers.test.games, np.diff(graphs.first_node))
    return Nodes(games, points, node_visits(model, graphs), errors)


def node_visits(model: FateNet, graphs: AugmentedGraphs) -> Visits:
    """Return how often the least visited weight into each node was visited."""
    labels, total = graphs.labels(model.sides), SIDED_LABELS if model.sides else LABELS
    first, second, relation = graphs.edges[:, 0], graphs.edges[:, 1], graphs.edges[:, 2]
    own, loop = np.arange(len(labels)), np.full(len(labels), len(RELATIONS))
    sources, ends = np.concatenate([first, second, own]), np.concatenate([second, first, own])
    kinds = np.concatenate([relation, relation, loop]).astype(np.int64)
    visits = np.full(len(labels), np.iinfo(np.int64).max)
    for view in (labels, reversed_labels(labels)):
        seen = view.astype(np.int64)
        keys = (seen[sources] * total + seen[ends]) * (len(RELATIONS) + 1) + kinds
        rows = np.minimum(np.searchsorted(model.keys_, keys), len(model.keys_) - 1)
        np.minimum.at(visits, ends, np.where(model.keys_[rows] == keys, model.visits_[rows], 0).astype(np.int64))
    return visits
