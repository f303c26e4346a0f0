"""Low's network on the augmented graph, unit by unit, with dictionaries for weights; the twin of fate_net.hpp."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from tengen.views.augmented_graph import augmented_graph, reversed_labels

SELF, RELATIONS, CLIP = 7, 8, 5.0


class NaiveFateNet:
    """Weights by (label of u, label of v, relation, layer) and biases by (label, layer)."""

    def __init__(self, keys, weights, biases, *, labels, layers=3, rounds=1, tolerance=0.0, sides=False, through=False):
        self.layers, self.rounds, self.tolerance = layers, rounds, tolerance
        self.sides, self.through = sides, through
        self.bias = biases
        self.weight = {}
        for key, row in zip(keys.tolist(), weights.tolist(), strict=True):
            pair, relation = divmod(key, RELATIONS)
            for layer, value in enumerate(row):
                self.weight[(*divmod(pair, labels), relation, layer)] = value

    def arcs(self, graph):
        """Neighbours as (u, v, relation), each node its own neighbour too."""
        for (one, other), relation in zip(graph.edges.tolist(), graph.relations.tolist(), strict=True):
            yield other, one, relation
            yield one, other, relation
        for v in range(len(graph.sizes)):
            yield v, v, SELF

    def run(self, graph, labels):
        """All rounds: for each round the logits of every layer."""
        rounds, logits = [], [0.0] * len(labels)
        for _ in range(self.rounds):
            layers = [[z + self.bias[label][0] for z, label in zip(logits, labels, strict=True)]]
            for layer in range(1, self.layers):
                after = [self.bias[label][layer] for label in labels]
                for u, v, relation in self.arcs(graph):
                    weight = self.weight.get((labels[u], labels[v], relation, layer - 1), 0.0)
                    after[v] += weight * math.tanh(layers[-1][u] / 2)
                layers.append(after)
            rounds.append(layers)
            change = max(abs(belief(z) - belief(last)) for z, last in zip(layers[-1], logits, strict=True))
            logits = layers[-1]
            if change < self.tolerance:
                break
        return rounds

    def views(self, graph):
        """Labels seen by Black and by White."""
        labels = graph.labels(self.sides)
        return labels.tolist(), reversed_labels(labels).tolist()

    def ownership(self, stones):
        graph = augmented_graph(stones)
        black, white = (self.run(graph, labels)[-1][-1] for labels in self.views(graph))
        nodes = [belief(b) - belief(w) for b, w in zip(black, white, strict=True)]
        return np.array(nodes)[graph.node_of]

    def loss_and_gradient(self, stones, targets):
        """The loss of the whole board, and its derivatives by weights and biases."""
        graph = augmented_graph(stones)
        derivatives = defaultdict(float)
        loss = 0.0
        for labels, sign in zip(self.views(graph), (1, -1), strict=True):
            rounds = self.run(graph, labels)
            deltas = []
            for v, z in enumerate(rounds[-1][-1]):
                points = targets[graph.node_of == v]
                points = points[np.isfinite(points)].astype(float)
                target = (1 + sign * points.mean()) / 2 if len(points) else 0.5
                loss += len(points) / 2 * cross_entropy(target, z)
                deltas.append(len(points) / 2 * (belief(z) - target))
            for layers in reversed(rounds):
                deltas = self.back(graph, labels, layers, deltas, derivatives)
                if not self.through:
                    break
        return loss, derivatives

    def back(self, graph, labels, layers, deltas, derivatives):
        """Derivatives of one round; returns those by its input."""
        for layer in range(self.layers - 1, -1, -1):
            for label, delta in zip(labels, deltas, strict=True):
                derivatives[label, layer] += delta
            if layer == 0:
                return deltas
            before = [0.0] * len(labels)
            for u, v, relation in self.arcs(graph):
                key = labels[u], labels[v], relation, layer - 1
                derivatives[key] += deltas[v] * math.tanh(layers[layer - 1][u] / 2)
                before[u] += deltas[v] * self.weight.get(key, 0.0)
            slopes = [(1 - math.tanh(z / 2) ** 2) / 2 for z in layers[layer - 1]]
            deltas = [d * slope for d, slope in zip(before, slopes, strict=True)]
        raise AssertionError


def belief(z):
    return (1 + math.tanh(z / 2)) / 2


def cross_entropy(target, z):
    return -target * math.log(belief(z)) - (1 - target) * math.log(belief(-z))
