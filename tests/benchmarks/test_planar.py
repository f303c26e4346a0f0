"""Exact inference on planar graphs: every way agrees with going through all states, and with every other way."""

import numpy as np
import pytest

from tengen._core import IsingGraph
from tengen.benchmarks.planar import PlanarGraph, best_spins, board_faces, kac_ward
from tengen.errors import TengenError
from tengen.views.graphs import block_graph, group_graph
from tests.core.graphs import grid_edges, tree_edges
from tests.core.test_graph import random_stones
from tests.naive.inference import enumerate_states

networkx = pytest.importorskip("networkx")
pytest.importorskip("pymatching")
from tests.naive.planar import faces_of, pfaffian  # noqa: E402 it needs networkx

NAMED = {
    "one node": (1, []),
    "two nodes apart": (2, []),
    "an edge": (2, [(0, 1)]),
    "a triangle and a node apart": (4, [(0, 1), (1, 2), (2, 0)]),
    "a cycle with a tail": (6, [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5)]),
    "two triangles joined by a bridge": (6, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]),
    "two triangles apart": (6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]),
    "a star": (5, [(0, 1), (0, 2), (0, 3), (0, 4)]),
    "all of four": (4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
    "a grid": (12, grid_edges(3, 4)),
}


def planar(nodes, edges):
    return PlanarGraph(nodes, np.array(edges, np.int32).reshape(-1, 2))


def random_planar(random, nodes):
    """Pairs in random order, each kept while the graph stays planar; some graphs stop early and fall apart."""
    graph = networkx.empty_graph(nodes)
    pairs = random.permutation(np.argwhere(np.triu(np.ones((nodes, nodes)), 1)))
    for u, v in pairs[: random.integers(len(pairs) + 1)].tolist():
        graph.add_edge(u, v)
        if not networkx.check_planarity(graph)[0]:
            graph.remove_edge(u, v)
    return planar(nodes, list(graph.edges))


def random_couplings(random, graph):
    """Of either sign, weak or strong, some of them 0."""
    couplings = random.normal(0, random.choice([0.1, 1.0, 3.0]), len(graph.edges))
    return np.where(random.random(len(graph.edges)) < 0.1, 0, couplings)


def energy(graph, couplings, spins):
    return float((couplings * spins[graph.edges[:, 0]] * spins[graph.edges[:, 1]]).sum())


def assert_all_ways_agree_with_every_state(graph, couplings):
    told = enumerate_states(graph.nodes, graph.edges, np.zeros(graph.nodes), couplings)
    for way in (kac_ward, pfaffian):
        said = way(graph, couplings)
        assert said.log_z == pytest.approx(told.log_z, abs=1e-7), way
        np.testing.assert_allclose(said.edge_means, told.edge_means, atol=1e-7, err_msg=way.__name__)
    spins = best_spins(faces_of(graph), couplings)
    assert energy(graph, couplings, spins) == pytest.approx(told.best_energy, abs=1e-4)


@pytest.mark.parametrize("name", NAMED)
def test_graphs_by_name(name):
    random = np.random.default_rng(len(name))
    graph = planar(*NAMED[name])
    for couplings in (np.zeros(len(graph.edges)), random_couplings(random, graph), random_couplings(random, graph)):
        assert_all_ways_agree_with_every_state(graph, couplings)


def test_random_graphs():
    random = np.random.default_rng(1)
    for _ in range(60):
        graph = random_planar(random, int(random.integers(2, 10)))
        assert_all_ways_agree_with_every_state(graph, random_couplings(random, graph))


@pytest.mark.slow
def test_hundreds_of_random_graphs():
    random = np.random.default_rng(2)
    for _ in range(300):
        graph = random_planar(random, int(random.integers(2, 13)))
        assert_all_ways_agree_with_every_state(graph, random_couplings(random, graph))


def assert_all_ways_agree(graph, couplings):
    """Kac and Ward, the Pfaffian and elimination; matching and elimination for the likeliest state."""
    none = np.zeros((1, graph.nodes))
    kernel = IsingGraph(graph.nodes, graph.edges)
    _, edge_means, log_z = kernel.eliminate(none, couplings[None])
    _, best = kernel.best_state(none, couplings[None])
    for way in (kac_ward, pfaffian):
        said = way(graph, couplings)
        assert said.log_z == pytest.approx(log_z[0], rel=1e-7)
        np.testing.assert_allclose(said.edge_means, edge_means[0], atol=1e-6)
    assert energy(graph, couplings, best_spins(faces_of(graph), couplings)) == pytest.approx(best[0], abs=1e-4)


@pytest.mark.parametrize("seed", [0, pytest.param(range(1, 50), marks=pytest.mark.slow)])
def test_larger_graphs(seed):
    for number in np.atleast_1d(seed):
        random = np.random.default_rng(number)
        graph = random_planar(random, 30)
        assert_all_ways_agree(graph, random_couplings(random, graph) / 2)
    forest = planar(25, tree_edges(random, 25, parts=4))
    assert_all_ways_agree(forest, random_couplings(random, forest) / 2)


@pytest.mark.parametrize("made", [block_graph, group_graph])
def test_the_likeliest_state_on_boards_needs_no_drawing(made):
    random = np.random.default_rng(3)
    for _ in range(60):
        board = made(random_stones(random, *random.integers(2, 13, 2)))
        graph = PlanarGraph(len(board), board.edges)
        couplings = random_couplings(random, graph)
        best = IsingGraph(graph.nodes, graph.edges).best_state(np.zeros((1, graph.nodes)), couplings[None])[1][0]
        spins = best_spins(board_faces(board.node_of, board.edges), couplings)
        assert energy(graph, couplings, spins) == pytest.approx(best, abs=1e-4)


def test_board_graphs_are_planar_and_all_ways_agree_on_them():
    random = np.random.default_rng(4)
    for _ in range(5):
        board = block_graph(random_stones(random, 7, 7))
        graph = PlanarGraph(len(board), board.edges)
        assert_all_ways_agree(graph, random_couplings(random, graph) / 3)


def test_what_cannot_be_answered_is_refused():
    five = [(u, v) for u in range(5) for v in range(u)]
    with pytest.raises(TengenError, match="not planar"):
        kac_ward(planar(5, five), np.ones(10))
    with pytest.raises(TengenError, match="each edge once"):
        kac_ward(planar(3, [(0, 1), (1, 0)]), np.ones(2))
    with pytest.raises(TengenError, match="too strong"):
        kac_ward(planar(3, [(0, 1)]), [16.0])
    with pytest.raises(TengenError, match="one finite number"):
        best_spins(faces_of(planar(3, [(0, 1)])), [np.nan])
