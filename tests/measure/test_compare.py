"""Means and differences with intervals over games."""

import math

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.compare import Resampling, compare, compare_by_phase, mean, mean_by_phase, p_value
from tengen.measure.phases import STAGES, TENTHS, Phases

FEW = Resampling(resamples=1_000)


def sample(seed, games=60, shift=0.0):
    """Positions of games that differ more between games than within one."""
    random = np.random.default_rng(seed)
    game = np.repeat(np.arange(games), random.integers(3, 9, games))
    level = random.normal(0, 1, games)[game]
    first = level + random.normal(0, 0.2, len(game))
    return game, first, level + random.normal(0, 0.2, len(game)) - shift


def test_the_mean_is_over_positions():
    found = mean([1.0, 2.0, 6.0], ["a", "a", "b"])
    assert found.value == 3
    assert (found.low, found.high) == (1.5, 6)


def test_weights_and_gaps():
    assert mean([1.0, 5.0, math.nan], [0, 1, 2], [3.0, 1.0, 9.0]).value == 2


def test_the_interval_equals_a_bootstrap_that_copies_positions():
    game, values, _ = sample(1)
    random = np.random.default_rng(7)
    groups = [values[game == i] for i in range(60)]
    slow = [np.concatenate([groups[i] for i in random.integers(0, 60, 60)]).mean() for _ in range(10_000)]
    found = mean(values, game)
    assert found.low == pytest.approx(np.quantile(slow, 0.025), abs=0.02)
    assert found.high == pytest.approx(np.quantile(slow, 0.975), abs=0.02)


def test_95_percent_of_the_intervals_hold_the_truth():
    held = 0
    for seed in range(400):
        game, values, _ = sample(seed)
        found = mean(values, game, resampling=FEW)
        held += found.low <= 0 <= found.high
    assert 0.90 < held / 400 < 0.98


def test_positions_of_one_game_are_no_new_evidence():
    game, values, _ = sample(2)
    once, often = mean(values, game), mean(np.repeat(values, 5), np.repeat(game, 5))
    assert often == pytest.approx(once)


def test_what_games_have_in_common_cancels_in_a_comparison():
    game, first, second = sample(3, shift=0.1)
    found = compare(first, second, game)
    assert found.difference.value == pytest.approx(first.mean() - second.mean())
    assert found.first == pytest.approx(mean(first, game))
    assert found.second == pytest.approx(mean(second, game))
    assert found.clear
    assert found.p < 0.01
    assert found.difference.high - found.difference.low < (found.first.high - found.first.low) / 3
    assert (found.games, found.positions) == (60, len(game))


def test_a_comparison_is_over_positions_where_both_have_a_value():
    found = compare([1.0, math.nan, 3.0, 4.0], [0.0, 9.0, math.nan, 2.0], [0, 0, 1, 2])
    assert (found.first.value, found.second.value, found.difference.value) == (2.5, 1, 1.5)
    assert (found.games, found.positions) == (2, 2)


def test_equal_models_cannot_be_told_apart():
    game, first, _ = sample(4)
    found = compare(first, first, game)
    assert found.difference == (0, 0, 0)
    assert found.p == 1
    assert not found.clear


def test_without_a_difference_5_percent_of_p_values_are_below_5_percent():
    below = 0
    for seed in range(400):
        game, first, second = sample(1_000 + seed)
        found = compare(first, second, game, resampling=FEW)
        below += found.p < 0.05
    assert 0.02 < below / 400 < 0.10


def test_p_values():
    assert p_value([-1.0, 1.0, 1.0, 1.0]) == pytest.approx(2 * 2 / 5)
    assert p_value(np.ones(999)) == pytest.approx(2 / 1000)
    assert p_value(np.zeros(10)) == 1


def test_phases_are_the_means_of_their_positions():
    values, games, phase = [1.0, 2.0, 3.0, 4.0, 9.0], [0, 0, 1, 1, 1], [0, 2, 0, 2, 2]
    found = mean_by_phase(values, games, phase, phases=STAGES)
    assert list(found) == ["opening", "middle game", "endgame"]
    assert (found["opening"].value, found["endgame"].value) == (2, 5)
    assert all(math.isnan(value) for value in found["middle game"])


def test_one_game_has_no_interval():
    found = compare([1.0, 2.0], [0.0, 0.0], [5, 5])
    assert found.difference.value == 1.5
    assert math.isnan(found.difference.low)
    assert math.isnan(found.p)
    assert not found.clear


def test_a_phase_alone_equals_the_comparison_of_its_positions():
    game, first, second = sample(5)
    phase = np.arange(len(game)) % 2
    found = compare_by_phase(first, second, game, phase, phases=Phases(("even", "odd"), (0, 0.5)))
    for name, number in (("even", 0), ("odd", 1)):
        chosen = phase == number
        alone = compare(first[chosen], second[chosen], game[chosen])
        assert found[name].difference == pytest.approx(alone.difference, abs=0.01)
        assert found[name].positions == alone.positions


def test_tenths_of_a_game():
    assert TENTHS.index([0, 19, 20, 59, 60, 199, 200], 200).tolist() == [0, 0, 1, 2, 3, 9, 9]
    assert TENTHS.index(np.arange(10), 10).tolist() == list(range(10))
    assert (TENTHS.names[0], TENTHS.names[9]) == ("0–10%", "90–100%")


def test_named_phases():
    assert STAGES.index([0, 49, 50, 174, 175, 250], 250).tolist() == [0, 0, 1, 1, 2, 2]
    assert STAGES.index(0, 0) == 0


def test_what_does_not_fit_is_refused():
    with pytest.raises(TengenError, match="same shape"):
        mean([1.0, 2.0], [0])
    with pytest.raises(TengenError, match="no position has a value to average"):
        mean([math.nan], [0])
    with pytest.raises(TengenError, match="from 0 to 9"):
        mean_by_phase([1.0], [0], [10])
    with pytest.raises(TengenError, match="first starts at 0"):
        Phases(("late",), (0.5,))
    with pytest.raises(TengenError, match="length of the game"):
        TENTHS.index(11, 10)
