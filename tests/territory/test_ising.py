"""How inference is chosen: undamped and damped propagation, the double loop, and the best that is fast."""

import warnings

import numpy as np
import pytest

from tengen._core import IsingGraph
from tengen.errors import ConvergenceWarning, ModelError
from tengen.territory.ising import EXACT_WIDTH, Solver, grid_edges, grid_graph, infer, is_narrow


def complete(nodes):
    return IsingGraph(nodes, np.ascontiguousarray(np.argwhere(np.triu(np.ones((nodes, nodes)), 1)), np.int32))


def glass(graph, strength, rows=6, seed=1):
    random = np.random.default_rng(seed)
    couplings = random.choice([-strength, strength], (rows, graph.edge_count))
    return random.normal(0, 0.3, (rows, graph.nodes)), couplings


def test_a_step_is_fixed_and_its_sweeps_are_told():
    graph = grid_graph(4, 4)
    numbers = glass(graph, 0.2)
    default, undamped, damped = (infer(graph, *numbers, Solver(tolerance=1e-9, step=step)) for step in (None, 1.0, 0.5))
    for found in (undamped, damped):
        assert found.converged.all()
        assert np.abs(found.means - default.means).max() < 1e-6
    assert (undamped.sweeps < damped.sweeps).all()
    assert (default.sweeps % 5 == 0).all()


def test_the_double_loop_settles_a_glass():
    graph = grid_graph(6, 6)
    numbers = glass(graph, 1.5)
    for step in (1.0, 0.5, None):
        with pytest.warns(ConvergenceWarning, match="loopy propagation did not converge in 200 sweeps"):
            assert not infer(graph, *numbers, Solver(step=step)).converged.any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert infer(graph, *numbers, Solver("double-loop")).converged.all()
    with pytest.warns(ConvergenceWarning, match="the double loop did not converge in 3 sweeps"):
        infer(graph, *numbers, Solver("double-loop", sweeps=3))


def test_the_best_on_a_narrow_graph_is_exact():
    graph = grid_graph(5, 9)
    numbers = glass(graph, 1.5)
    assert graph.width <= EXACT_WIDTH
    exact, best = (infer(graph, *numbers, Solver(name)) for name in ("exact", "best"))
    assert (best.means == exact.means).all()
    assert (best.log_z == exact.log_z).all()
    assert (best.sweeps == 1).all()


@pytest.mark.parametrize("graph", [grid_graph(16, 16), complete(30)])
def test_the_best_on_a_wide_graph_repairs_propagation(graph):
    assert not is_narrow(graph)
    hard, easy = glass(graph, 1.5, rows=3), glass(graph, 0.05, rows=3)
    fields, couplings = (np.concatenate(pair)[[0, 3, 1, 4, 2, 5]] for pair in zip(hard, easy, strict=True))
    with pytest.warns(ConvergenceWarning):
        plain = infer(graph, fields, couplings)
    assert plain.converged[1::2].all()
    assert not plain.converged[0::2].all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best = infer(graph, fields, couplings, Solver("best"))
    assert best.converged.all()
    assert (best.means[plain.converged] == plain.means[plain.converged]).all()
    looped = infer(graph, fields, couplings, Solver("double-loop"))
    failed = ~plain.converged
    assert (best.means[failed] == looped.means[failed]).all()
    assert (best.sweeps[failed] == plain.sweeps[failed] + looped.sweeps[failed]).all()


@pytest.mark.parametrize("step", [0, -0.5, 1.5, float("nan"), "half"])
def test_a_step_out_of_range_is_refused(step):
    with pytest.raises(ModelError, match="step"):
        Solver(step=step)


def test_sweeps_of_samplers_and_elimination():
    graph = IsingGraph(9, grid_edges(3, 3))
    numbers = glass(graph, 0.5, rows=2)
    counts = {
        name: infer(graph, *numbers, Solver(name, sweeps=30)).sweeps.tolist() for name in ("gibbs", "sw", "exact")
    }
    assert counts == {"gibbs": [30, 30], "sw": [30, 30], "exact": [1, 1]}
