"""Graphs to try inference on: grids, trees, and random ones with parts that hang loose."""

import numpy as np

from tengen._core import IsingGraph


def grid_edges(height, width):
    """Right neighbours, then down neighbours; points are numbered row by row."""
    index = np.arange(height * width).reshape(height, width)
    right = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], 1)
    down = np.stack([index[:-1].ravel(), index[1:].ravel()], 1)
    return np.concatenate([right, down]).astype(np.int32)


def random_edges(random, nodes):
    """Each pair with a probability that differs from graph to graph; nodes may stay alone, edges may be doubled."""
    pairs = np.argwhere(np.triu(random.random((nodes, nodes)) < random.random() ** 2, 1)).astype(np.int32)
    if len(pairs) and random.random() < 0.3:
        pairs = np.concatenate([pairs, pairs[:1, ::-1]])
    return np.ascontiguousarray(random.permutation(pairs))


def tree_edges(random, nodes, parts=1):
    """A random forest of a given number of trees, its nodes in random order."""
    names = random.permutation(nodes)
    pairs = [(names[i], names[random.integers(i)]) for i in range(1, nodes) if i % max(nodes // parts, 1)]
    return np.array(pairs, np.int32).reshape(-1, 2)


def random_model(random, nodes, edges, strength=1.0):
    """A graph with one row of fields and couplings of either sign."""
    fields = random.normal(0, strength, (1, nodes))
    couplings = random.normal(0, strength, (1, len(edges)))
    return IsingGraph(nodes, edges), fields, couplings
