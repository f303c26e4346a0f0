"""Inference on binary pairwise models: every kernel against enumeration, against each other, and against bad input."""

from math import comb

import numpy as np
import pytest

from naive.inference import enumerate_states, log_partition_by_rows
from tengen._core import IsingGraph

from .graphs import grid_edges, random_edges, random_model, tree_edges

GRIDS = [(1, 1), (1, 5), (2, 2), (3, 2), (3, 3), (2, 7), (4, 3), (4, 4)]


def assert_exact(graph, fields, couplings, truth, tolerance=1e-10):
    means, edge_means, log_z = graph.eliminate(fields, couplings)
    assert np.abs(means[0] - truth.means).max() < tolerance
    assert np.abs(edge_means[0] - truth.edge_means).max(initial=0) < tolerance
    assert log_z[0] == pytest.approx(truth.log_z, abs=tolerance, rel=1e-12)
    assert graph.log_partition(fields, couplings)[0] == log_z[0]
    best, energy = graph.best_state(fields, couplings)
    assert energy[0] == pytest.approx(truth.best_energy, abs=1e-9)
    assert (best[0] == truth.best).all()


@pytest.mark.parametrize("shape", GRIDS)
@pytest.mark.parametrize("strength", [0.3, 3.0])
def test_elimination_equals_enumeration_on_grids(shape, strength):
    random, edges = np.random.default_rng(1), grid_edges(*shape)
    graph, fields, couplings = random_model(random, shape[0] * shape[1], edges, strength)
    assert_exact(graph, fields, couplings, enumerate_states(graph.nodes, edges, fields[0], couplings[0]))


def test_elimination_equals_enumeration_on_random_graphs():
    random = np.random.default_rng(2)
    for _ in range(300):
        nodes = int(random.integers(1, 13))
        edges = random_edges(random, nodes)
        graph, fields, couplings = random_model(random, nodes, edges, random.choice([0.2, 1.0, 4.0]))
        assert_exact(graph, fields, couplings, enumerate_states(nodes, edges, fields[0], couplings[0]))


def test_large_fields_clamp_without_overflow():
    edges = grid_edges(3, 3)
    fields, couplings = np.zeros((1, 9)), np.full((1, 12), 0.5)
    fields[0, [0, 8]] = 1e6, -1e6
    means = IsingGraph(9, edges).eliminate(fields, couplings)[0][0]
    assert means[0] == 1
    assert means[8] == -1
    assert means[4] == pytest.approx(0, abs=1e-12)


def test_a_turned_board_has_turned_means():
    random = np.random.default_rng(3)
    graph, fields, couplings = random_model(random, 13 * 13, grid_edges(13, 13), 0.5)
    means, edge_means, log_z = graph.eliminate(fields, couplings)
    right, down = couplings[0, :156].reshape(13, 12), couplings[0, 156:].reshape(12, 13)
    turned = np.concatenate([down.T.ravel(), right.T.ravel()])[None]
    other = graph.eliminate(np.ascontiguousarray(fields.reshape(13, 13).T.reshape(1, -1)), turned)
    assert np.abs(other[0].reshape(13, 13).T - means.reshape(13, 13)).max() < 1e-11
    assert other[2][0] == pytest.approx(log_z[0], abs=1e-9)
    assert np.abs(other[1][0, :156].reshape(13, 12).T.ravel() - edge_means[0, 156:]).max() < 1e-11


@pytest.mark.slow
def test_a_19x19_board_keeps_its_symmetry():
    """In single precision, with some messages made twice."""
    random = np.random.default_rng(4)
    graph, fields, couplings = random_model(random, 361, grid_edges(19, 19), 0.4)
    means, _, log_z = graph.eliminate(fields, couplings)
    right, down = couplings[0, :342].reshape(19, 18), couplings[0, 342:].reshape(18, 19)
    turned = np.concatenate([down.T.ravel(), right.T.ravel()])[None]
    other = graph.eliminate(np.ascontiguousarray(fields.reshape(19, 19).T.reshape(1, -1)), turned)
    assert np.abs(other[0].reshape(19, 19).T - means.reshape(19, 19)).max() < 1e-5
    assert other[2][0] == pytest.approx(log_z[0], abs=1e-3)


def two_camps(nodes, coupling, field):
    """A complete graph whose first half is pulled up and whose second half down: sums over the number up in each."""
    half = nodes // 2
    up = np.stack(np.meshgrid(np.arange(half + 1), np.arange(nodes - half + 1), indexing="ij"))
    sizes = np.array([half, nodes - half])[:, None, None]
    ways = np.array([[comb(half, a) * comb(nodes - half, b) for b in up[1, 0]] for a in up[0, :, 0]], float)
    pulls = 2 * up - sizes
    energies = coupling * (pulls.sum(0) ** 2 - nodes) / 2 + field * (pulls[0] - pulls[1])
    weights = np.exp(energies - energies.max()) * ways
    log_z = energies.max() + np.log(weights.sum())
    return log_z, [(weights * pulls[k] / sizes[k]).sum() / weights.sum() for k in (0, 1)]


@pytest.mark.parametrize("nodes", [6, 20])
@pytest.mark.parametrize(
    ("coupling", "field"),
    [(0.1, 0.5), (2.0, 30.0), (2.0, 19.0), (10.0, 101.0), (50.0, 500.0), (1e3, 1e4), (-40.0, 3.0)],
)
def test_strong_couplings_lose_nothing(nodes, coupling, field):
    """On 20 nodes in single precision first: the two camps need states that every table underflows on."""
    pairs = np.ascontiguousarray(np.argwhere(np.triu(np.ones((nodes, nodes)), 1)), np.int32)
    fields = np.repeat([field, -field], nodes // 2)[None]
    graph, couplings = IsingGraph(nodes, pairs), np.full((1, len(pairs)), coupling)
    means, _, log_z = graph.eliminate(fields, couplings)
    truth, camps = two_camps(nodes, coupling, field)
    assert log_z[0] == pytest.approx(truth, abs=1e-4, rel=1e-10)
    assert np.abs(means[0] - np.repeat(camps, nodes // 2)).max() < 1e-5
    assert graph.log_partition(fields, couplings)[0] == log_z[0]
    states = graph.exact_samples(fields, couplings, 400, 1)[0]
    within(states.mean(0), means[0], 400)


@pytest.mark.parametrize("arithmetic", ["single", "double", "log"])
def test_no_arithmetic_gives_a_wrong_number(arithmetic):
    """Couplings and fields up to 200 on small graphs: what an arithmetic answers is right, or it refuses."""
    eliminate = pytest.importorskip("tengen._dev").eliminate
    random, refused = np.random.default_rng(13), 0
    for trial in range(200):
        nodes = int(random.integers(2, 10))
        edges = random_edges(random, nodes)
        strength = [0.5, 5.0, 30.0, 200.0][trial % 4]
        fields, couplings = (random.choice([-1.0, 0.5, 1.0], n) * strength for n in (nodes, len(edges)))
        truth = enumerate_states(nodes, edges, fields, couplings)
        try:
            means, edge_means, log_z = eliminate(nodes, edges, fields, couplings, arithmetic)
        except ValueError:
            refused += 1
            continue
        tolerance = 1e-5 if arithmetic == "single" else 1e-8
        assert np.abs(means - truth.means).max() < tolerance
        assert np.abs(edge_means - truth.edge_means).max(initial=0) < tolerance
        assert log_z == pytest.approx(truth.log_z, abs=1e-3 * tolerance, rel=1e-7)
    assert {"single": 20 < refused < 150, "double": 0 < refused < 60, "log": refused == 0}[arithmetic]


@pytest.mark.slow
@pytest.mark.parametrize(("coupling", "field"), [(2.74, 5.0), (50.0, 50.0)])
def test_strong_couplings_on_19x19_keep_the_symmetry_of_colours(coupling, field):
    """The top row is pulled up, the bottom row down: single precision loses the states that matter."""
    fields, couplings = np.zeros((1, 361)), np.full((1, 684), coupling)
    fields[0, :19], fields[0, -19:] = field, -field
    means, _, log_z = IsingGraph(361, grid_edges(19, 19)).eliminate(fields, couplings)
    assert np.abs(means.reshape(19, 19) + means.reshape(19, 19)[::-1]).max() < 1e-6
    assert log_z[0] == pytest.approx(log_partition_by_rows(fields[0], couplings[0], 19), abs=1e-4)


def test_contradictions_up_to_what_logarithms_hold_are_exact():
    edges, fields = grid_edges(2, 2), np.array([[1e6, -1e6, 0, 0]])
    graph, couplings = IsingGraph(4, edges), np.full((1, 4), 1e6)
    truth = enumerate_states(4, edges, fields[0], couplings[0])
    means, _, log_z = graph.eliminate(fields, couplings)
    assert np.abs(means[0] - truth.means).max() < 1e-9
    assert log_z[0] == pytest.approx(truth.log_z, abs=1e-8)
    with pytest.raises(ValueError, match="too far apart"):
        graph.eliminate(fields * 1e6, couplings * 1e6)


def test_a_dense_graph_is_refused_with_the_limit():
    pairs = np.ascontiguousarray(np.argwhere(np.triu(np.ones((30, 30)), 1)), np.int32)
    graph = IsingGraph(30, pairs)
    with pytest.raises(ValueError, match="more than 22 nodes"):
        graph.eliminate(np.zeros((1, 30)), np.zeros((1, len(pairs))))
    assert graph.propagate(np.zeros((1, 30)), np.zeros((1, len(pairs))), 1e-6, 200)[4].all()


def test_exact_samples_have_the_exact_means():
    random, edges = np.random.default_rng(5), grid_edges(3, 4)
    graph, fields, couplings = random_model(random, 12, edges, 0.7)
    truth = enumerate_states(12, edges, fields[0], couplings[0])
    states = graph.exact_samples(fields, couplings, 20000, 1)[0]
    assert set(np.unique(states)) == {-1, 1}
    within(states.mean(0), truth.means, 20000)
    within((states[:, edges[:, 0]] * states[:, edges[:, 1]]).mean(0), truth.edge_means, 20000)
    assert (states == graph.exact_samples(fields, couplings, 20000, 1)[0]).all()


def within(sampled, truth, n):
    """Four standard errors of a mean of n independent spins."""
    assert (np.abs(sampled - truth) <= 4 * np.sqrt((1 - truth**2) / n) + 1e-3).all()


def test_propagation_is_exact_on_trees():
    random = np.random.default_rng(6)
    for trial in range(200):
        nodes = int(random.integers(1, 14))
        edges = tree_edges(random, nodes, parts=1 + trial % 3)
        graph, fields, couplings = random_model(random, nodes, edges, random.choice([0.3, 1.0, 2.5]))
        truth = enumerate_states(nodes, edges, fields[0], couplings[0])
        means, edge_means, log_z, _, converged, _ = graph.propagate(fields, couplings, 1e-13, 1000)
        assert converged.all()
        assert np.abs(means[0] - truth.means).max() < 1e-10
        assert np.abs(edge_means[0] - truth.edge_means).max(initial=0) < 1e-10
        assert log_z[0] == pytest.approx(truth.log_z, abs=1e-9)


def test_a_star_of_many_neighbours_does_not_overflow():
    edges = np.array([(0, i) for i in range(1, 101)], np.int32)
    fields, couplings = np.full((1, 101), 30.0), np.full((1, 100), 30.0)
    means, edge_means, log_z, messages, converged, _ = IsingGraph(101, edges).propagate(fields, couplings, 1e-9, 200)
    assert converged.all()
    assert all(np.isfinite(array).all() for array in (means, edge_means, log_z, messages))
    assert means == pytest.approx(1)


@pytest.mark.parametrize(("field", "coupling", "pair"), [(100, -50, 1), (30, -40, -1), (25, -12, 1), (12, -18, -1)])
def test_large_numbers_of_opposite_signs_have_edge_means(field, coupling, pair):
    graph = IsingGraph(3, np.array([[0, 1]], np.int32))
    fields, couplings = np.full((1, 3), float(field)), np.full((1, 1), float(coupling))
    assert graph.propagate(fields, couplings, 1e-9, 200)[1][0, 0] == pytest.approx(pair, abs=1e-4)
    assert graph.eliminate(fields, couplings)[1][0, 0] == pytest.approx(pair, abs=1e-4)


def test_messages_add_up_to_the_field_of_a_node():
    edges = grid_edges(3, 3)
    graph, fields, couplings = random_model(np.random.default_rng(7), 9, edges, 0.4)
    means, _, _, messages, *_ = graph.propagate(fields, couplings, 1e-12, 500)
    field = fields[0].copy()
    np.add.at(field, edges[:, 1], messages[0, 0::2])
    np.add.at(field, edges[:, 0], messages[0, 1::2])
    assert np.abs(np.tanh(field) - means[0]).max() < 1e-10


def test_bethe_means_are_the_gradient_of_bethe_log_z():
    edges = grid_edges(3, 4)
    graph, fields, couplings = random_model(np.random.default_rng(8), 12, edges, 0.5)
    means, edge_means, *_ = graph.propagate(fields, couplings, 1e-12, 500)
    assert np.abs(slope(graph, fields, couplings, 0) - means[0]).max() < 1e-6
    assert np.abs(slope(graph, fields, couplings, 1) - edge_means[0]).max() < 1e-6


def slope(graph, fields, couplings, which, step=1e-5):
    """Central differences of the Bethe log Z by fields (0) or couplings (1)."""
    slopes = []
    for k in range((fields, couplings)[which].shape[1]):
        ends = []
        for sign in (1, -1):
            moved = [fields.copy(), couplings.copy()]
            moved[which][0, k] += sign * step
            ends.append(graph.propagate(*moved, 1e-13, 1000)[2][0])
        slopes.append((ends[0] - ends[1]) / (2 * step))
    return np.array(slopes)


def test_a_frustrated_square_that_does_not_settle_says_so():
    edges = grid_edges(4, 4)
    couplings = np.random.default_rng(9).choice([-4.0, 4.0], (20, len(edges)))
    fields = np.random.default_rng(10).normal(0, 0.3, (20, 16))
    *_, converged, _ = IsingGraph(16, edges).propagate(fields, couplings, 1e-9, 20)
    assert not converged.all()


@pytest.mark.parametrize("method", ["gibbs", "swendsen_wang"])
def test_chains_stay_within_four_standard_errors(method):
    random = np.random.default_rng(11)
    for shape in [(2, 3), (3, 3), (4, 4)]:
        edges = grid_edges(*shape)
        graph, fields, couplings = random_model(random, shape[0] * shape[1], edges, 0.5)
        truth = enumerate_states(graph.nodes, edges, fields[0], couplings[0])
        means, errors, edge_means = getattr(graph, method)(fields, couplings, 500, 20000, 3)
        assert (errors < 0.05).all()
        assert (np.abs(means[0] - truth.means) <= 4 * errors[0] + 1e-9).all()
        assert np.abs(edge_means[0] - truth.edge_means).max() < 0.05


@pytest.mark.parametrize("method", ["gibbs", "swendsen_wang"])
def test_the_same_seed_gives_the_same_bits_alone_and_in_a_batch(method):
    graph, fields, couplings = random_model(np.random.default_rng(12), 9, grid_edges(3, 3))
    sampler = getattr(graph, method)
    one = sampler(fields, couplings, 10, 100, 5)
    two = sampler(np.repeat(fields, 2, 0), np.repeat(couplings, 2, 0), 10, 100, 5)
    other = sampler(fields, couplings, 10, 100, 6)
    assert all((pair[1] == single[0]).all() for single, pair in zip(one, two, strict=True))
    assert (one[0] != other[0]).any()


@pytest.mark.parametrize(
    ("nodes", "edges"), [(0, []), (-1, []), (5000, []), (3, [(0, 3)]), (3, [(-1, 0)]), (3, [(1, 1)])]
)
def test_a_bad_graph_is_refused(nodes, edges):
    with pytest.raises(ValueError):
        IsingGraph(nodes, np.array(edges, np.int32).reshape(-1, 2))


@pytest.mark.parametrize("edges", [np.zeros(4, np.int32), np.zeros((2, 3), np.int32), None, "edges"])
def test_edges_have_two_ends(edges):
    with pytest.raises(TypeError):
        IsingGraph(3, edges)


CALLS = {
    "propagate": (1e-6, 10),
    "double_loop": (1e-6, 10),
    "gibbs": (1, 10, 0),
    "swendsen_wang": (1, 10, 0),
    "eliminate": (),
    "log_partition": (),
    "best_state": (),
    "exact_samples": (5, 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_numbers_that_do_not_fit_are_refused(name):
    call, rest = getattr(IsingGraph(4, grid_edges(2, 2)), name), CALLS[name]
    fields, couplings = np.zeros((2, 4)), np.zeros((2, 4))
    for bad in (np.nan, np.inf):
        spoiled = fields.copy()
        spoiled[1, 2] = bad
        for pair in ((spoiled, couplings), (fields, spoiled)):
            with pytest.raises(ValueError, match="finite"):
                call(*pair, *rest)
    for pair in ((fields[:, :3].copy(), couplings), (fields, np.zeros((2, 5))), (fields, np.zeros((1, 4)))):
        with pytest.raises(ValueError):
            call(*pair, *rest)
    with pytest.raises(TypeError):
        call(np.zeros(4), np.zeros(4), *rest)
    call(np.zeros((0, 4)), np.zeros((0, 4)), *rest)


def test_settings_out_of_range_are_refused():
    graph, zeros = IsingGraph(4, grid_edges(2, 2)), np.zeros((1, 4))
    for name, rest in [("propagate", (0.0, 10)), ("propagate", (np.nan, 10)), ("propagate", (1e-6, 0))]:
        with pytest.raises(ValueError):
            getattr(graph, name)(zeros, zeros, *rest)
    for name, rest in [("gibbs", (-1, 10, 0)), ("swendsen_wang", (0, 0, 0)), ("exact_samples", (-1, 0))]:
        with pytest.raises(ValueError):
            getattr(graph, name)(zeros, zeros, *rest)
