"""Paths and subtrees of the fate graph as features, and what learns from them."""

from types import SimpleNamespace

import numpy as np
import pytest

from tengen.papers.low.positions import BAMBOO
from tengen.papers.low.subtrees import DEPTH, Neighbourhood, neighbours, paths, subtrees
from tengen.views.augmented_graph import augmented_graph

RANDOM = np.random.default_rng(3).choice(np.array([1, -1, 0], np.int8), (4, 7, 7), p=[0.3, 0.3, 0.4])


def views(stones):
    graph = augmented_graph(stones)
    return [Neighbourhood(graph, node) for node in np.flatnonzero(graph.types).tolist()]


def naive_paths(view):
    """All simple paths as tuples: what is seen of each node, and the relations between them."""
    found = set()

    def walk(nodes, words):
        found.add(words)
        if len(nodes) <= DEPTH:
            for relation, node in view.around[nodes[-1]]:
                if node not in nodes:
                    walk((*nodes, node), (*words, relation, view.seen[len(nodes)][node]))

    walk((view.root,), (view.seen[0][view.root],))
    return found


def test_paths_are_the_simple_ways_from_the_chain():
    for board in RANDOM:
        for view in views(board):
            assert len(paths(view)) == len(naive_paths(view))


def test_equal_features_are_equal_ways_on_all_boards():
    every = [view for board in RANDOM for view in views(board)]
    assert len(set().union(*map(paths, every))) == len(set().union(*map(naive_paths, every)))


def test_subtrees_are_the_paths_and_more():
    for view in views(RANDOM[0]):
        assert paths(view) < subtrees(view)


@pytest.mark.parametrize("family", [paths, subtrees])
def test_features_do_not_depend_on_colours_and_symmetry(family):
    def all_features(stones):
        return sorted(sorted(family(view)) for view in views(stones))

    for board in RANDOM:
        assert all_features(board) == all_features(np.ascontiguousarray(-board))
        assert all_features(board) == all_features(np.ascontiguousarray(np.rot90(board)))
        assert all_features(board) == all_features(np.ascontiguousarray(board.T))


def test_the_bamboo_joint_is_seen_from_both_chains():
    graph = augmented_graph(BAMBOO)
    one, other = graph.edges[graph.relations > 0][0].tolist()
    assert (1, other) in neighbours(graph)[one]
    apart = BAMBOO.stones.copy()
    apart[5:7, 3] = 0
    alone = next(view for view in views(apart) if augmented_graph(apart).types[view.root] == 1)
    joined = Neighbourhood(graph, int(graph.node_of[3, 1]))
    assert paths(joined) - paths(alone)


def star(leaves):
    """A chain with equal neighbours that have no others."""
    around = [[(0, leaf) for leaf in range(1, leaves + 1)], *([(0, 0)] for _ in range(leaves))]
    return SimpleNamespace(root=0, around=around, seen=[[7] * (leaves + 1)] * (DEPTH + 1))


def test_more_than_two_equal_branches_count_as_two():
    one, two, three = (subtrees(star(leaves)) for leaves in (1, 2, 3))
    assert one != two == three


def test_a_pair_of_branches_needs_two_neighbours():
    assert len(paths(star(2))) == 2  # the chain, and the chain with a neighbour
    assert len(subtrees(star(1))) == 2 + DEPTH
    assert len(subtrees(star(2))) == 2 + DEPTH + 1
