"""Trainers of weights on generated positions with known weights."""

from __future__ import annotations

import numpy as np
import pytest

import naive.bradley_terry as naive
from tengen.benchmarks.bradley_terry import common_levels, generate
from tengen.moves.bradley_terry import LEAST_GAIN, fit_mm
from tengen.moves.competitions import Competitions, Table
from tengen.moves.factors import LatentFactors, fit_factors, move_scores
from tengen.moves.softmax import fit_softmax

TABLES = [Table("a", 3), Table("b", 6), Table("c", 4, columns=3)]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """12,000 positions of 30 moves, with their ln γ."""
    folder = tmp_path_factory.mktemp("competitions")
    truth = generate(folder, TABLES, 12_000, 30, spread=0.8)
    return Competitions.open(folder), truth


def errors(found, truth):
    return np.concatenate([np.abs(a - b)[1:] for a, b in zip(found, truth, strict=True)])


def test_known_weights_are_recovered_within_five_percent(tmp_path):
    tables = [Table("a", 4), Table("b", 8)]
    truth = generate(tmp_path, tables, 60_000, 12, spread=0.8)
    competitions = Competitions.open(tmp_path)
    gammas = fit_mm(competitions)
    assert [len(part) for part in gammas] == [5, 9]
    assert all(part[0] == 1 for part in gammas)
    for found, weights in zip(gammas, truth, strict=True):
        assert found == pytest.approx(np.exp(weights), rel=0.05)


def test_the_objective_never_falls(generated):
    seen = []
    fit_mm(generated[0], gain=1e-8, threads=2, report=lambda table, value: seen.append((table, value)))
    assert {table for table, _ in seen} == {"a", "b", "c"}
    assert min(np.diff([value for _, value in seen])) >= -1e-13


def test_the_loop_is_the_twins():
    """Few positions, so that the order of updates matters."""
    random = np.random.default_rng(0)
    tables = [Table("a", 2), Table("b", 3, columns=2)]
    columns = [random.integers(0, table.levels + 1, 60).astype(np.uint8) for table in (tables[0], tables[1], tables[1])]
    starts = np.arange(0, 61, 6)
    competitions = Competitions(tables, starts, starts[:-1] + 2, columns)
    twin = []
    for first in starts[:-1]:
        rows = [[int(column[row]) for column in columns] for row in range(first, first + 6)]
        twin.append(([[[x for x in row[:1] if x], [x for x in row[1:] if x]] for row in rows], 2))
    for found, wanted in zip(fit_mm(competitions), naive.fit(twin, [2, 3], LEAST_GAIN), strict=True):
        assert found.tolist() == pytest.approx(wanted, rel=1e-9)


def test_levels_that_never_occur_keep_one():
    competitions = Competitions([Table("a", 3)], [0, 2], [1], [np.array([0, 2], np.uint8)])
    gammas = fit_mm(competitions)[0]
    assert gammas[[0, 1, 3]].tolist() == [1, 1, 1]
    assert gammas[2] > 1


def test_the_optimum_has_no_slope_left(generated):
    """The gradient of the likelihood there is the slope of the prior ln γ − 2 ln(1 + γ)."""
    competitions, _ = generated
    gammas = fit_mm(competitions, gain=1e-13)
    flat = competitions.flat([np.log(part) for part in gammas])
    gradient = competitions.native.gradient(flat, 0, len(competitions), False, 2)[1]
    prior = 1 - 2 / (1 + np.exp(-flat))
    assert np.abs(prior - gradient)[1:].max() < 1e-3 * len(competitions) ** 0.5


def test_softmax_regression_has_the_same_optimum_up_to_the_prior(generated):
    competitions, truth = generated
    by_mm = [np.log(part) for part in fit_mm(competitions, gain=1e-10)]
    seen = []
    by_softmax = fit_softmax(competitions, l2=0.5, progress=seen.append)
    assert errors(by_softmax, by_mm).max() < 0.01
    assert errors(by_softmax, truth).max() < 0.15
    assert seen == sorted(seen)


def test_a_strong_prior_draws_weights_to_nothing(generated):
    weak, strong = (fit_softmax(generated[0], l2=l2) for l2 in (1.0, 1e5))
    assert sum(float(part @ part) for part in strong) < sum(float(part @ part) for part in weak) / 10


def test_without_factors_a_gradient_step_per_position_comes_to_the_same_weights(generated):
    competitions, _ = generated
    exact = fit_softmax(competitions, l2=0.1)
    found = fit_factors(competitions, factors=0, epochs=3, decay=0.0)
    assert [part.shape for part in found.factors] == [(4, 0), (7, 0), (5, 0)]
    assert errors(found.weights, exact).max() < 0.12
    assert move_scores(competitions, found).mean_log_evidence == pytest.approx(
        move_scores(competitions, exact).mean_log_evidence, abs=2e-3
    )


def interacting(positions=6000, moves=20, seed=0):
    """Two features of which only the pair decides: equal levels are strong, and no level is strong by itself."""
    random = np.random.default_rng(seed)
    columns = [random.integers(1, 4, positions * moves).astype(np.uint8) for _ in range(2)]
    scores = np.where(columns[0] == columns[1], 2.0, 0.0).reshape(positions, moves)
    winners = (scores + random.gumbel(size=scores.shape)).argmax(1)
    starts = np.arange(0, positions * moves + 1, moves)
    return Competitions([Table("a", 3), Table("b", 3)], starts, starts[:-1] + winners, columns)


def test_factors_learn_what_weights_cannot():
    train, test = interacting(), interacting(positions=1000, seed=1)
    linear = move_scores(test, fit_softmax(train))
    seen = []
    model = fit_factors(train, progress=seen.append)
    found = move_scores(test, model)
    assert linear.mean_log_evidence < -2.9  # ln 20 = 3.0: nothing was learned
    assert found.mean_log_evidence > linear.mean_log_evidence + 0.25
    best = np.exp(2.0)
    assert found.mean_log_evidence == pytest.approx(np.mean(optimum(test, best)), abs=0.01)
    assert seen[-1] == 1
    assert (model.factors[0][0] == 0).all()


def optimum(competitions, gamma):
    equal = (competitions.columns[0] == competitions.columns[1]).reshape(-1, 20)
    strengths = np.where(equal, gamma, 1.0)
    won = competitions.winners - competitions.starts[:-1]
    return np.log(strengths[np.arange(len(won)), won] / strengths.sum(1))


def test_factors_repeat_by_seed_and_begin_where_told(generated):
    competitions, truth = generated
    first, second, other = (fit_factors(competitions, epochs=1, seed=seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first.weights, second.weights, strict=True))
    assert not np.array_equal(first.factors[0], other.factors[0])
    kept = fit_factors(competitions, epochs=0, start=truth)
    assert errors(kept.weights, truth).max() < 1e-6
    rows = LatentFactors(kept.weights, kept.factors).rows(competitions)
    assert rows.shape == (14, 8)
    assert not rows[0].any()


def test_winners_rank_first_under_the_truth_more_often_than_by_chance(generated):
    competitions, truth = generated
    scores = move_scores(competitions, truth)
    assert scores.within(1).mean() > 3 / 30
    assert scores.perplexity < 22


def test_common_levels_count_wins(generated):
    competitions, _ = generated
    assert [part[0] for part in common_levels(competitions)] == [False] * 3
    assert sum(int(part.sum()) for part in common_levels(competitions)) == 13
