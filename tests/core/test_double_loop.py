"""The double loop: equal to its twin, to propagation where that converges, and convergent where propagation is not."""

import numpy as np
import pytest

from naive.double_loop import bethe_free_energy, double_loop
from tengen._core import IsingGraph

from .graphs import grid_edges, random_edges, random_model, tree_edges


def complete_edges(nodes):
    return np.ascontiguousarray(np.argwhere(np.triu(np.ones((nodes, nodes)), 1)), np.int32)


def spin_glass(seed, nodes, edges, strength, rows=10):
    """Rows of weak fields and of couplings of one strength and random signs."""
    random = np.random.default_rng(seed)
    couplings = random.choice([-strength, strength], (rows, len(edges)))
    return IsingGraph(nodes, edges), random.normal(0, 0.3, (rows, nodes)), couplings


GLASSES = {
    "complete graph": spin_glass(1, 12, complete_edges(12), 1.0),
    "strong complete graph": spin_glass(2, 16, complete_edges(16), 3.0),
    "square": spin_glass(3, 36, grid_edges(6, 6), 1.0),
    "strong square": spin_glass(4, 36, grid_edges(6, 6), 4.0),
}


@pytest.mark.parametrize("sweeps", [1, 2, 5, 20000])
def test_the_kernel_equals_its_twin(sweeps):
    random = np.random.default_rng(1)
    for trial in range(9):
        nodes = int(random.integers(1, 8))
        edges = random_edges(random, nodes)
        graph, fields, couplings = random_model(random, nodes, edges, [0.3, 1.0, 2.0][trial % 3])
        means, edge_means, log_z, _, converged, _ = graph.double_loop(fields, couplings, 1e-9, sweeps)
        twin = double_loop(nodes, edges, fields[0], couplings[0], 1e-9, sweeps)
        assert converged.all() or sweeps < 20000
        assert np.abs(means[0] - twin.means).max() < 1e-7
        assert np.abs(edge_means[0] - twin.edge_means).max(initial=0) < 1e-7
        assert log_z[0] == pytest.approx(-twin.energies[-1], abs=1e-9)


@pytest.mark.parametrize(("nodes", "edges"), [(8, complete_edges(8)), (12, grid_edges(3, 4))])
@pytest.mark.parametrize("strength", [0.7, 2.5])
def test_the_bethe_free_energy_falls_with_every_outer_step(nodes, edges, strength):
    for row in range(2):
        _, fields, couplings = spin_glass(row, nodes, edges, strength, rows=1)
        energies = double_loop(nodes, edges, fields[0], couplings[0], 1e-4).energies
        assert (np.diff(energies) <= 1e-9).all()
        assert energies[-1] < energies[0] - 0.05


def test_no_step_away_from_the_result_has_a_lower_free_energy():
    """A minimum, not only a stationary point."""
    random = np.random.default_rng(2)
    edges = complete_edges(8)
    graph, fields, couplings = spin_glass(5, 8, edges, 1.0, rows=5)
    for row, means in enumerate(graph.double_loop(fields, couplings, 1e-9, 100_000)[0]):
        least = bethe_free_energy(means, edges, fields[row], couplings[row])
        for _ in range(20):
            moved = np.tanh(np.arctanh(np.clip(means, -1 + 1e-12, 1 - 1e-12)) + random.normal(0, 1e-3, 8))
            assert bethe_free_energy(moved, edges, fields[row], couplings[row]) >= least - 1e-12


def test_it_is_exact_on_trees():
    random = np.random.default_rng(3)
    for trial in range(60):
        nodes = int(random.integers(1, 30))
        edges = tree_edges(random, nodes, parts=1 + trial % 3)
        graph, fields, couplings = random_model(random, nodes, edges, [0.3, 1.0, 2.5][trial % 3])
        means, edge_means, log_z, _, converged, _ = graph.double_loop(fields, couplings, 1e-11, 100_000)
        truth = graph.eliminate(fields, couplings)
        assert converged.all()
        assert np.abs(means - truth[0]).max() < 1e-9
        assert np.abs(edge_means - truth[1]).max(initial=0) < 1e-9
        assert log_z[0] == pytest.approx(truth[2][0], abs=1e-9)


@pytest.mark.parametrize("step", [0.0, 0.5, 0.3, 1.0])
def test_weak_couplings_have_the_fixed_point_of_propagation(step):
    random = np.random.default_rng(4)
    for edges, nodes in [(grid_edges(5, 5), 25), (complete_edges(9), 9)]:
        graph, fields, couplings = random_model(random, nodes, edges, 0.2)
        expected = graph.propagate(fields, couplings, 1e-12, 1000, step)
        found = graph.double_loop(fields, couplings, 1e-12, 100_000)
        assert expected[4].all()
        assert found[4].all()
        for one, other in zip(found[:4], expected[:4], strict=True):
            assert np.abs(one - other).max() < 1e-9


@pytest.mark.parametrize("name", GLASSES)
def test_it_converges_where_propagation_does_not(name):
    graph, fields, couplings = GLASSES[name]
    settled = [graph.propagate(fields, couplings, 1e-6, 2000, step)[4] for step in (1.0, 0.5)]
    assert np.sum(settled[0] | settled[1]) < len(fields)
    means, edge_means, log_z, messages, converged, sweeps = graph.double_loop(fields, couplings, 1e-6, 20000)
    assert converged.all()
    assert ((sweeps > 1) & (sweeps < 20000)).all()
    assert all(np.isfinite(each).all() for each in (means, edge_means, log_z, messages))


def test_reversed_fields_give_reversed_means():
    graph, fields, couplings = GLASSES["square"]
    means, edge_means, log_z, *_ = graph.double_loop(fields, couplings, 1e-6, 20000)
    other = graph.double_loop(-fields, couplings, 1e-6, 20000)
    assert (other[0] == -means).all()
    assert (other[1] == edge_means).all()
    assert (other[2] == log_z).all()


def test_huge_numbers_do_not_overflow():
    graph = IsingGraph(2, np.array([[0, 1]], np.int32))
    for fields, coupling, pair in [((1e6, 1e6), -10.0, 1), ((1e6, 0), -1e6, -1), ((30, 30), -400.0, -1)]:
        found = graph.double_loop(np.array([fields], float), np.array([[coupling]]), 1e-6, 20000)
        assert found[4].all()
        assert found[1][0, 0] == pytest.approx(pair)
        assert np.isfinite(found[2]).all()


def test_sweeps_are_counted_and_limited():
    graph, fields, couplings = GLASSES["square"]
    for limit in (1, 7):
        assert graph.double_loop(fields, couplings, 1e-6, limit)[5].tolist() == [limit] * 10
        assert graph.propagate(fields, couplings, 1e-6, limit)[5].tolist() == [4 * limit] * 10
        assert graph.propagate(fields, couplings, 1e-6, limit, 0.5)[5].tolist() == [limit] * 10
    still = np.zeros((1, 36)), np.zeros((1, 60))
    assert graph.propagate(*still, 1e-6, 100, 1.0)[5].tolist() == [1]
    assert graph.double_loop(*still, 1e-6, 100)[5].tolist() == [2]


def test_a_step_is_a_share_of_the_undamped_one():
    graph, fields, couplings = spin_glass(6, 9, grid_edges(3, 3), 0.5, rows=1)
    start = np.zeros((1, 24))
    full, half, third = (graph.propagate(fields, couplings, 1e-6, 1, step)[3] for step in (1.0, 0.5, 0.3))
    assert half == pytest.approx(start + 0.5 * (full - start), abs=1e-12)
    assert third == pytest.approx(start + 0.3 * (full - start), abs=1e-12)


def test_limits_out_of_range_are_refused():
    graph, zeros = IsingGraph(4, grid_edges(2, 2)), np.zeros((1, 4))
    for limits in [(0.0, 10), (np.nan, 10), (1e-6, 0), (1e-6, 2_000_000)]:
        with pytest.raises(ValueError, match="tolerance"):
            graph.double_loop(zeros, zeros, *limits)
    for step in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="step"):
            graph.propagate(zeros, zeros, 1e-6, 10, step)
