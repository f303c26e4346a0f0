"""Intervals."""

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.intervals import (
    Interval,
    bootstrap_share,
    newcombe,
    quantiles,
    resampled_sums,
    wilson,
    wilson_bounds,
)


def test_wilson_of_17_in_20():
    share, low, high = wilson(17, 20)
    assert share == 0.85
    assert (round(low, 2), round(high, 2)) == (0.64, 0.95)


def test_wilson_stays_between_0_and_1():
    assert wilson(0, 10).low == 0
    assert wilson(10, 10).high == pytest.approx(1)
    assert wilson(0, 0)[1:] == (0.0, 1.0)


def test_wilson_equals_scipys():
    stats = pytest.importorskip("scipy.stats")
    z = float(stats.norm.ppf(0.975))
    for successes, trials in product((0, 1, 7, 30), (30, 31, 1000)):
        oracle = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
        assert wilson(successes, trials, z)[1:] == pytest.approx((oracle.low, oracle.high), abs=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "above", "below"), [(1, 3, True, False), (-3, -1, False, True), (-1, 3, None, None)]
)
def test_bounds_decide_on_which_side_of_a_limit_a_value_is(low, high, above, below):
    for limit in (0, 50):
        found = Interval(limit + (low + high) / 2, limit + low, limit + high)
        assert (found.is_above(limit), found.is_below(limit)) == (above, below)
    assert Interval(float("nan"), 0, 0).is_above() is None


def test_newcombes_example_of_56_in_70_against_48_in_80():
    found = newcombe(wilson(56, 70), wilson(48, 80))
    assert found == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    assert newcombe(wilson(48, 80), wilson(56, 70)) == pytest.approx((-0.2, -0.3339, -0.0524), abs=5e-5)


def test_the_difference_of_certain_shares_is_bounded():
    assert newcombe(wilson(10, 10), wilson(0, 10)) == pytest.approx((1, 0.6075, 1), abs=1e-4)


def test_many_bounds_equal_one_at_a_time():
    low, high = wilson_bounds([0, 3, 10, 0], [10, 10, 10, 0])
    assert [(a, b) for a, b in zip(low, high, strict=True)] == [
        wilson(k, n)[1:] for k, n in [(0, 10), (3, 10), (10, 10), (0, 0)]
    ]


def test_the_bootstrap_covers_the_true_share():
    random = np.random.default_rng(1)
    totals = random.integers(5, 40, 400)
    counts = random.binomial(totals, 0.1)
    interval = bootstrap_share(counts, totals)
    assert interval.low < 0.1 < interval.high
    assert interval.value == counts.sum() / totals.sum()
    assert interval == bootstrap_share(counts, totals)


def test_one_game_does_not_say_how_games_differ():
    assert bootstrap_share([1], [4]) == (0.25, 0.0, 1.0)
    assert all(math.isnan(value) for value in bootstrap_share([0, 0], [0, 0]))


def test_resamples_have_the_distribution_of_all_of_them():
    games = np.array([[1.0], [10.0], [100.0]])
    every = [sum(games[i, 0] for i in drawn) for drawn in product(range(3), repeat=3)]
    found = resampled_sums(games, 54_000, seed=4)[:, 0]
    for value in set(every):
        expected = every.count(value) / 27
        error = 4 * math.sqrt(expected * (1 - expected) / 54_000)
        assert abs((found == value).mean() - expected) < error


def test_the_spread_of_resampled_sums_is_the_binomial_one():
    games = np.random.default_rng(2).random((300, 1))
    drawn = resampled_sums(games, 20_000)[:, 0] / 300
    assert drawn.mean() == pytest.approx(games.mean(), abs=4 * games.std() / math.sqrt(300 * 20_000))
    assert drawn.std() == pytest.approx(games.std() / math.sqrt(300), rel=0.03)


def test_memory_stays_flat():
    games = np.ones((5_000, 2))
    tracemalloc.start()
    sums = resampled_sums(games, 2_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (sums == 5_000).all()
    assert peak < 32e6


def test_quantiles_leave_out_what_is_not_a_number():
    samples = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    bounds = quantiles(samples, 0.5)
    assert bounds[:, 0].tolist() == [1.5, 2.5]
    assert np.isnan(bounds[:, 1]).all()


def test_what_does_not_fit_is_refused():
    with pytest.raises(TengenError, match="same shape"):
        bootstrap_share([1, 2], [1])
    with pytest.raises(TengenError, match="at least one game"):
        resampled_sums(np.empty((0, 1)))
    with pytest.raises(TengenError, match="confidence"):
        bootstrap_share([1, 2], [3, 4], confidence=95)
