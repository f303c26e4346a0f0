"""Sequential tests of matches."""

import math

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.sprt import Sprt, elo_of, expected_score, match_elo, match_score


def test_the_bounds_are_walds():
    state = Sprt(0, 10).state(0, 0)
    assert (state.llr, state.decision) == (0, "continue")
    assert (state.lower, state.upper) == (pytest.approx(-math.log(19)), pytest.approx(math.log(19)))
    unequal = Sprt(0, 10, alpha=0.01, beta=0.1)
    assert unequal.lower == pytest.approx(math.log(0.1 / 0.99))
    assert unequal.upper == pytest.approx(math.log(0.9 / 0.01))


def test_without_draws_the_ratio_is_the_binomial_one():
    test = Sprt(-20, 70)
    p0, p1 = expected_score(-20), expected_score(70)
    for wins, losses in ((30, 20), (7, 0), (0, 7), (1, 99)):
        exact = wins * math.log(p1 / p0) + losses * math.log((1 - p1) / (1 - p0))
        assert test.llr(wins, losses) == pytest.approx(exact)


@pytest.mark.parametrize(("wins", "losses", "draws"), [(40, 30, 30), (3, 0, 9), (0, 4, 5), (0, 0, 12), (200, 180, 1)])
def test_draws_take_their_likeliest_share(wins, losses, draws):
    def greatest(score):
        x = np.linspace(0, min(score, 1 - score), 2_000_001)[1:-1]
        terms = wins * np.log(score - x) + losses * np.log(1 - score - x) + draws * np.log(2 * x)
        return terms.max()

    brute = greatest(expected_score(60)) - greatest(expected_score(-10))
    assert Sprt(-10, 60).llr(wins, losses, draws) == pytest.approx(brute, abs=1e-4)


def test_a_small_difference_agrees_with_the_normal_approximation():
    wins, losses, draws = 3_300, 3_100, 3_600
    games, s0, s1 = 10_000, expected_score(0), expected_score(5)
    score = (wins + draws / 2) / games
    variance = (wins + draws / 4) / games - score**2
    normal = games * (s1 - s0) * (2 * score - s0 - s1) / (2 * variance)
    assert Sprt(0, 5).llr(wins, losses, draws) == pytest.approx(normal, rel=1e-3)


def test_a_match_seen_from_the_other_side():
    assert Sprt(-10, 50).llr(30, 20, 7) == pytest.approx(-float(Sprt(-50, 10).llr(20, 30, 7)))


def test_decisions():
    test = Sprt(0, 100)
    assert test.state(40, 10).decision == "accept"
    assert test.state(20, 30).decision == "reject"
    assert test.state(6, 4).decision == "continue"


def matches(test, elo, drawn, count, games, seed):
    """Play matches until the test stops; return the shares that accept, reject and go on, and their mean length."""
    score = expected_score(elo)
    chances = [score - drawn / 2, 1 - score - drawn / 2, drawn]
    results = np.random.default_rng(seed).choice(3, (count, games), p=chances)
    tallies = [np.cumsum(results == kind, axis=1) for kind in range(3)]
    llr = test.llr(*tallies)
    over, under = llr >= test.upper, llr <= test.lower
    stop = np.where((over | under).any(1), (over | under).argmax(1), games - 1)
    row = np.arange(count)
    return over[row, stop].mean(), under[row, stop].mean(), stop.mean() + 1


@pytest.mark.parametrize("drawn", [0.0, 0.3])
def test_error_rates_are_within_bounds(drawn):
    test, count = Sprt(0, 80, alpha=0.05, beta=0.1), 2_000
    accepted, _, _ = matches(test, 0, drawn, count, 1_500, seed=1)
    _, rejected, length = matches(test, 80, drawn, count, 1_500, seed=2)
    assert accepted < 0.05 + 3 * math.sqrt(0.05 * 0.95 / count)
    assert rejected < 0.1 + 3 * math.sqrt(0.1 * 0.9 / count)
    fixed = (1.645 + 1.282) ** 2 * (1 - drawn) / 4 / (expected_score(80) - 0.5) ** 2
    assert length < fixed  # shorter than the match of fixed length with the same errors


def test_elo_and_score_are_inverse():
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of(10 / 11) == pytest.approx(400)
    assert (elo_of(1), elo_of(0)) == (math.inf, -math.inf)


def test_the_elo_of_a_match():
    assert match_score(15, 3, 4) == match_score(17, 5)
    low, high = match_score(17, 3)[1:]
    assert match_elo(17, 3) == pytest.approx((elo_of(0.85), elo_of(low), elo_of(high)))
    won = match_elo(10, 0)
    assert won.value == math.inf
    assert 100 < won.low < math.inf
    assert match_elo(0, 0)[1:] == (-math.inf, math.inf)


def test_what_makes_no_sense_is_refused():
    for wrong in ({"elo0": 10, "elo1": 0}, {"elo0": 0, "elo1": 10, "alpha": 0}, {"elo0": 0, "elo1": 9, "beta": 0.97}):
        with pytest.raises(TengenError):
            Sprt(**wrong)
    with pytest.raises(TengenError):
        Sprt(0, 10).state(-1, 0)
    with pytest.raises(TengenError):
        elo_of(1.5)
    with pytest.raises(TengenError):
        match_score(-1, 2)
