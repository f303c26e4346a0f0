"""Low's random field by enumeration of all owners, with dictionaries for tables; the twin of fate_tables.hpp."""

from __future__ import annotations

from itertools import product

import numpy as np

from tengen.views.augmented_graph import LABELS, SIDED_LABELS, augmented_graph, reversed_labels

RELATIONS, COARSE = 7, 180


class NaiveFateMrf:
    """Tables by (first label, second label, relation) with four numbers, and of nodes by label with two."""

    def __init__(self, keys, tables, nodes, *, sides, back_off):
        self.sides, self.back_off, self.nodes = sides, back_off, nodes
        self.tables = {}
        for key, row in zip(keys.tolist(), tables.tolist(), strict=True):
            pair, relation = divmod(key, RELATIONS)
            self.tables[(*divmod(pair, len(nodes)), relation)] = row

    def levels(self, label):
        """The labels of a node: full, coarse, type."""
        full = SIDED_LABELS if self.sides else LABELS
        rest, liberties = divmod(label, 7)
        rest, size = divmod(rest, 5)
        code, eyes = divmod(rest, 6)
        bins = min(eyes, 2), [0, 1, 1, 1, 2][size], [0, 0, 1, 2, 2, 3, 3][liberties]
        coarse = ((code * 3 + bins[0]) * 3 + bins[1]) * 4 + bins[2]
        return [label, full + coarse, full + COARSE + code][: 3 if self.back_off else 1]

    def node(self, own, swapped, x):
        """The log potential of a node: own label, label with swapped colours, owner."""
        total = 0.0
        for one, other in zip(self.levels(own), self.levels(swapped), strict=True):
            ways = [(one, x), (other, 1 - x)]
            total += mean(self.nodes[label][y] for label, y in ways if label == min(one, other))
        return total

    def edge(self, first, second, relation, x, y):
        """The log potential of an edge; both ends as (own label, label with swapped colours)."""
        total = 0.0
        for a, b, c, d in zip(
            *(self.levels(label) for label in (first[0], second[0], first[1], second[1])), strict=True
        ):
            ways = [((a, b), x, y), ((b, a), y, x), ((c, d), 1 - x, 1 - y), ((d, c), 1 - y, 1 - x)]
            least = min(pair for pair, _, _ in ways)
            zeros = [0.0] * 4
            total += mean(self.tables.get((*pair, relation), zeros)[2 * u + v] for pair, u, v in ways if pair == least)
        return total

    def table(self, first, second, relation):
        return np.array([[self.edge(first, second, relation, x, y) for y in (0, 1)] for x in (0, 1)])

    def labels(self, graph):
        """The label of each node and the one it has with swapped colours."""
        labels = graph.labels(self.sides)
        return list(zip(labels.tolist(), reversed_labels(labels).tolist(), strict=True))

    def states(self, graph):
        """All owners, 1 for Black and 0 for White, with their probabilities, log weights and ln Z."""
        both = self.labels(graph)
        owners = np.array(list(product((0, 1), repeat=len(both))))
        weights = np.zeros(len(owners))
        for i, label in enumerate(both):
            weights += np.array([self.node(*label, x) for x in (0, 1)])[owners[:, i]]
        for (i, j), relation in zip(graph.edges.tolist(), graph.relations.tolist(), strict=True):
            weights += self.table(both[i], both[j], relation)[owners[:, i], owners[:, j]]
        log_z = np.log(np.exp(weights).sum())
        return owners, np.exp(weights - log_z), weights, log_z

    def ownership(self, stones):
        graph = augmented_graph(stones)
        owners, probabilities, _, _ = self.states(graph)
        return (2 * (probabilities @ owners) - 1)[graph.node_of]

    def log_likelihood(self, stones, black):
        """The expected log-likelihood of independent owners, with the probabilities of Black at the nodes."""
        graph = augmented_graph(stones)
        owners, _, weights, log_z = self.states(graph)
        targets = np.where(owners == 1, black, 1 - np.asarray(black)).prod(1)
        return targets @ weights - log_z


def mean(values):
    values = list(values)
    return sum(values) / len(values)
