"""Training of fields on the grid: gradients against finite differences, closed forms, missing labels, recovery."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tengen.errors import MissingExtra, ModelError, TengenError
from tengen.territory.coupling import CouplingCrf, PatternCrf
from tengen.territory.coupling_classes import boltzmann5, log_potentials_of, parameters_of
from tengen.territory.coupling_examples import Examples, coupling_examples
from tengen.territory.coupling_pieces import (
    edge_pieces,
    newton,
    piecewise,
    pseudolikelihood,
    shared_unary_pieces,
    vertex_pieces,
)
from tengen.territory.coupling_training import TRAINERS, likelihood_loss, risk_loss, train
from tengen.territory.ising import Solver

THETA = np.array([0.6, -0.2, 0.35, 0.3, 0.15, 0.1, 0.25, 0.05, 0.4])


def random_examples(seed=0, count=3, shape=(4, 5), missing=0.2, soft=True):
    random = np.random.default_rng(seed)
    stones = random.choice([-1, 0, 1], (count, *shape)).astype(np.int8)
    points = (count, shape[0] * shape[1])
    targets = random.uniform(-1, 1, points) if soft else random.choice([-1.0, 1.0], points)
    weights = (random.random(points) >= missing).astype(float)
    return Examples(stones, targets, weights, random.normal(0, 1.5, points))


def slopes(loss, theta, step=1e-5):
    """Central differences."""
    moves = step * np.eye(len(theta))
    return np.array([(loss(theta + move) - loss(theta - move)) / (2 * step) for move in moves])


@pytest.mark.parametrize("inference", ["exact", "bp"])
def test_the_gradient_of_likelihood(inference):
    examples, settings = (
        [random_examples(1), random_examples(2, shape=(3, 3))],
        Solver(inference, tolerance=1e-12),
    )
    _, gradient = likelihood_loss(THETA, examples, settings)
    assert gradient == pytest.approx(
        slopes(lambda at: likelihood_loss(at, examples, settings)[0], THETA), abs=1e-7, rel=1e-6
    )


@pytest.mark.parametrize("inference", ["exact", "bp"])
def test_the_gradient_of_risk(inference):
    examples, settings = (
        [random_examples(3), random_examples(4, shape=(3, 3))],
        Solver(inference, tolerance=1e-12),
    )
    _, gradient = risk_loss(THETA, examples, settings)
    assert gradient == pytest.approx(slopes(lambda at: risk_loss(at, examples, settings)[0], THETA), abs=1e-6)


@pytest.mark.parametrize("make", [edge_pieces, vertex_pieces, lambda part: shared_unary_pieces(part, 0.4)])
def test_the_derivatives_of_pieces(make):
    pieces = make(random_examples(5))
    _, gradient, hessian = pieces.loss(THETA)
    assert gradient == pytest.approx(slopes(lambda at: pieces.loss(at)[0], THETA), abs=1e-9)
    assert hessian == pytest.approx(
        np.array([slopes(lambda at, k=k: pieces.loss(at)[1][k], THETA) for k in range(9)]), abs=1e-8
    )


def test_pseudolikelihood_is_the_sum_of_its_pieces_with_a_slope_for_every_logit():
    part = random_examples(5)
    loss, by_theta, by_logits, count = pseudolikelihood(part, THETA)
    pieces = [make(part) for make in (edge_pieces, vertex_pieces)]
    sizes = [len(each.spins) for each in pieces]
    assert count == sum(sizes)
    alone = sizes[1] * np.log(2)  # a piece of one point has a second spin that is free
    assert loss + alone == pytest.approx(sum(n * each.loss(THETA)[0] for n, each in zip(sizes, pieces, strict=True)))
    assert by_theta == pytest.approx(sum(n * each.loss(THETA)[1] for n, each in zip(sizes, pieces, strict=True)))
    for board, point in ((0, 0), (1, 7), (2, 19)):
        nudged = []
        for step in (1e-5, -1e-5):
            logits = part.logits.copy()
            logits[board, point] += step
            nudged.append(pseudolikelihood(replace(part, logits=logits), THETA)[0])
        assert by_logits[board, point] == pytest.approx((nudged[0] - nudged[1]) / 2e-5, abs=1e-7)


def test_edge_pseudolikelihood_is_the_conditional_of_the_whole_model():
    """p(s_i, s_j | rest) by the energies of whole states."""
    part = random_examples(6, count=1, missing=0, soft=False)
    fields, couplings = part.ising(THETA)

    def energy(state):
        return state @ fields[0] + (state[part.edges[:, 0]] * state[part.edges[:, 1]]) @ couplings[0]

    total = 0.0
    for i, j in part.edges:
        energies = []
        for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            state = part.spins[0].copy()
            state[[i, j]] = s, t
            energies.append(energy(state))
        total += np.logaddexp.reduce(energies) - energy(part.spins[0])
    assert edge_pieces(part).loss(THETA)[0] == pytest.approx(total / len(part.edges))


def test_piecewise_frequencies_are_the_maximum_of_the_pieces():
    part = random_examples(7, count=20, shape=(9, 9), soft=False)
    pieces = shared_unary_pieces(Examples(part.stones, part.targets, part.weights, 0 * part.logits), 0.0)
    found = np.append(piecewise([part], smoothing=0.0), 0.0)
    assert np.abs(pieces.loss(found)[1]).max() < 1e-12
    free = np.array([1.0] * 8 + [0.0])
    assert newton([pieces], np.zeros(9), free, 0.0) == pytest.approx(found, abs=1e-6)


def test_missing_labels_are_summed_out():
    part = random_examples(8, count=1, shape=(2, 2), missing=0, soft=False)
    half = Examples(part.stones, part.targets, np.array([[1.0, 0, 1, 0]]), part.logits)
    exact, chances = Solver("exact"), []
    for a in (1, -1):
        for b in (1, -1):
            targets = part.targets.copy()
            targets[0, [1, 3]] = a, b
            whole = Examples(part.stones, targets, np.ones((1, 4)), part.logits)
            chances.append(-4 * likelihood_loss(THETA, [whole], exact)[0])
    assert likelihood_loss(THETA, [half], exact)[0] == pytest.approx(-np.logaddexp.reduce(chances) / 2, abs=1e-9)


def sampled_boards(count=300, seed=9):
    """Random stones on 6×6 with owners drawn exactly from known parameters."""
    truth = boltzmann5(0.8, 0.2, 0.3, 0.35, 0.2)
    model = CouplingCrf()
    model.log_potentials_ = log_potentials_of(truth)
    stones = np.random.default_rng(seed).choice([-1, 0, 1], (count, 6, 6)).astype(np.int8)
    from tengen.territory.ising import grid_graph

    owners = grid_graph(6, 6).exact_samples(*model.ising(stones), 1, seed)[:, 0]
    return truth, SimpleNamespace(boards=stones, targets=owners.reshape(-1, 6, 6) * 1.0, weights=np.ones(count))


@pytest.mark.parametrize("trainer", ["ml", "ml-bp", "pl", "pl-edge", "risk"])
def test_consistent_trainers_find_the_parameters_again(trainer):
    truth, batch = sampled_boards()
    settings = {"inference": "exact"} if trainer == "risk" else {}
    model = CouplingCrf(trainer=trainer, l2=0.0, **settings).fit([batch])
    found = parameters_of(model.log_potentials_)
    # Marginals alone say little about how strongly two points agree.
    assert np.abs(found - truth).max() < (0.35 if trainer == "risk" else 0.12)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_every_trainer_learns_that_stones_live(trainer):
    _, batch = sampled_boards(60)
    model = PatternCrf(unary="territory/influence", trainer=trainer).fit([batch])
    found = parameters_of(model.log_potentials_)
    assert found[0] > found[1]
    assert np.isfinite(found).all()
    assert np.isfinite(model.unary_scale_).all()


def test_positions_of_several_sizes_and_no_more_than_asked():
    _, batch = sampled_boards(20)
    small = SimpleNamespace(boards=batch.boards[:, :4, :4], targets=batch.targets[:, :4, :4], weights=np.ones(20))
    examples = coupling_examples([batch, small], 30)
    assert [part.stones.shape for part in examples] == [(20, 6, 6), (10, 4, 4)]
    assert np.isfinite(train("pl", examples, Solver())).all()


def test_what_cannot_be_learned_from_is_refused():
    _, batch = sampled_boards(5)
    unlabelled = SimpleNamespace(boards=batch.boards, targets=np.full((5, 6, 6), np.nan), weights=np.ones(5))
    with pytest.raises(TengenError, match="no labelled position"):
        CouplingCrf().fit([unlabelled])
    with pytest.raises(ModelError, match="supw"):
        CouplingCrf(trainer="magic").fit([batch])


def test_scipy_is_asked_for_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    _, batch = sampled_boards(5)
    with pytest.raises(MissingExtra, match=r"tengen\[train\]"):
        CouplingCrf(trainer="risk").fit([batch])
