"""Full tables as fields and couplings: marginals and ln Z by enumeration, gradients by finite differences."""

import numpy as np
import pytest

from core.graphs import grid_edges, random_edges, tree_edges
from naive.inference import enumerate_tables
from tengen._core import IsingGraph
from tengen.territory.ising import Solver
from tengen.territory.pair_tables import (
    Tables,
    infer_tables,
    ising_form,
    log_likelihood,
    probabilities,
    target_tables,
)

EXACT = Solver("exact")


def random_tables(random, nodes, edges, rows=1, strength=1.0):
    return Tables(random.normal(0, strength, (rows, nodes, 2)), random.normal(0, strength, (rows, edges, 2, 2)))


def test_marginals_and_log_z_equal_enumeration():
    random = np.random.default_rng(1)
    for _ in range(20):
        nodes = int(random.integers(1, 7))
        ends = random_edges(random, nodes)
        given = random_tables(random, nodes, len(ends), rows=2)
        found = infer_tables(IsingGraph(nodes, ends), ends, given, EXACT)
        for row in range(2):
            truth = enumerate_tables(ends, given.nodes[row], given.edges[row])
            assert np.abs(found.probabilities.nodes[row] - truth.nodes).max() < 1e-12
            assert np.abs(found.probabilities.edges[row] - truth.edges).max(initial=0) < 1e-12
            assert found.log_z[row] == pytest.approx(truth.log_z, abs=1e-12)


def test_the_ising_form_gives_every_state_its_energy():
    random, ends = np.random.default_rng(2), grid_edges(2, 3)
    given = random_tables(random, 6, len(ends))
    form = ising_form(ends, given)
    for state in np.ndindex((2,) * 6):
        owner, spins = np.array(state), 2.0 * np.array(state) - 1
        energy = given.nodes[0, np.arange(6), owner].sum()
        energy += given.edges[0, np.arange(len(ends)), owner[ends[:, 0]], owner[ends[:, 1]]].sum()
        ising = form.fields[0] @ spins + form.couplings[0] @ (spins[ends[:, 0]] * spins[ends[:, 1]])
        assert ising + form.constants[0] == pytest.approx(energy, abs=1e-12)


def test_an_edge_named_from_its_other_end_has_the_transposed_table():
    random, ends = np.random.default_rng(3), grid_edges(3, 3)
    graph, given = IsingGraph(9, ends), random_tables(random, 9, len(ends))
    turned = np.ascontiguousarray(ends[:, ::-1])
    one = infer_tables(graph, ends, given, EXACT)
    other = infer_tables(IsingGraph(9, turned), turned, Tables(given.nodes, given.edges.transpose(0, 1, 3, 2)), EXACT)
    assert np.abs(one.probabilities.nodes - other.probabilities.nodes).max() < 1e-12
    assert np.abs(one.probabilities.edges - other.probabilities.edges.transpose(0, 1, 3, 2)).max() < 1e-12


def test_reversed_colours_give_reversed_probabilities():
    random, ends = np.random.default_rng(4), grid_edges(3, 4)
    graph, given = IsingGraph(12, ends), random_tables(random, 12, len(ends))
    reversed_tables = Tables(given.nodes[..., ::-1], given.edges[..., ::-1, ::-1])
    one, other = (ising_form(ends, each) for each in (given, reversed_tables))
    assert (one.fields == -other.fields).all()
    assert (one.couplings == other.couplings).all()
    for inference in ("exact", "bp", "double-loop"):
        one, other = (infer_tables(graph, ends, each, Solver(inference)) for each in (given, reversed_tables))
        assert np.abs(one.marginals.means + other.marginals.means).max() < 1e-12
        assert np.abs(one.probabilities.edges - other.probabilities.edges[..., ::-1, ::-1]).max() < 1e-12


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("inference", ["exact", "bp", "double-loop"])
def test_gradients_equal_finite_differences(soft, inference):
    """Exact on a square; by propagation and the double loop on a tree, where they are exact too."""
    random = np.random.default_rng(5)
    ends = grid_edges(2, 3) if inference == "exact" else tree_edges(random, 6)
    graph, given = IsingGraph(6, ends), random_tables(random, 6, len(ends))
    black = random.random((1, 6)) if soft else random.integers(0, 2, (1, 6)).astype(float)
    settings = Solver(inference, tolerance=1e-12)
    _, slopes = log_likelihood(graph, ends, given, black, settings)
    for part in ("nodes", "edges"):
        for place in np.ndindex(getattr(given, part).shape):
            values = []
            for step in (1e-5, -1e-5):
                moved = Tables(given.nodes.copy(), given.edges.copy())
                getattr(moved, part)[place] += step
                values.append(log_likelihood(graph, ends, moved, black, settings)[0][0])
            assert getattr(slopes, part)[place] == pytest.approx((values[0] - values[1]) / 2e-5, abs=1e-6)


def test_the_likelihood_of_an_observed_state_is_its_probability():
    random, ends = np.random.default_rng(6), grid_edges(2, 2)
    graph, given = IsingGraph(4, ends), random_tables(random, 4, 4)
    states = np.array(list(np.ndindex((2,) * 4)), float)
    values = [log_likelihood(graph, ends, given, state[None], EXACT)[0][0] for state in states]
    assert np.exp(values).sum() == pytest.approx(1)
    expected = np.exp(values) @ states
    assert infer_tables(graph, ends, given, EXACT).probabilities.nodes[0, :, 1] == pytest.approx(expected)


def test_targets_and_probabilities_are_distributions_with_common_marginals():
    random, ends = np.random.default_rng(7), grid_edges(3, 3)
    given = random_tables(random, 9, len(ends), rows=3, strength=2.0)
    found = infer_tables(IsingGraph(9, ends), ends, given, Solver("double-loop"))
    for tables in (found.probabilities, target_tables(ends, random.random((3, 9)))):
        assert tables.nodes.sum(-1) == pytest.approx(1)
        assert tables.edges.sum(-1) == pytest.approx(tables.nodes[:, ends[:, 0]])
        assert tables.edges.sum(-2) == pytest.approx(tables.nodes[:, ends[:, 1]])
        assert (tables.edges >= 0).all()


def test_certain_owners_have_certain_probabilities():
    sure = probabilities(np.array([[0, 1]], np.int32), np.array([[1.0, -1.0]]), np.array([[-1.0]]))
    assert sure.nodes.tolist() == [[[0, 1], [1, 0]]]
    assert sure.edges.tolist() == [[[[0, 0], [1, 0]]]]


def test_a_graph_without_edges_has_tables_of_nodes_only():
    ends = np.zeros((0, 2), np.int32)
    given = Tables(np.array([[[0.0, 1.0]]]), np.zeros((1, 0, 2, 2)))
    found = infer_tables(IsingGraph(1, ends), ends, given, EXACT)
    assert found.probabilities.nodes[0, 0, 1] == pytest.approx(1 / (1 + np.exp(-1)))
    assert found.log_z[0] == pytest.approx(np.log(1 + np.e))
