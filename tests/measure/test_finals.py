"""Errors on finished positions."""

import math

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.finals import dead_chains, final_errors, result_errors
from tengen.measure.intervals import wilson


def owners(*boards):
    """Boards of X, O and . as owners."""
    values = {"X": 1, "O": -1, ".": 0}
    return np.array([[[values[point] for point in row] for row in board.split()] for board in boards])


def numbers(*boards):
    """Boards of digits as chains, . for an empty point."""
    return np.array(
        [[[-1 if point == "." else int(point) for point in row] for row in board.split()] for board in boards]
    )


TRUTH = owners("XXXO XXOO X.OO", "XXXX XXXX XXXX")
GIVEN = owners("XXOO XXOO X.OO", "XXXX XXXX XXXX")
CHAINS = numbers(".01. .01. ..2.", "0... .1.. ....")


def test_two_games_counted_by_hand():
    errors = final_errors(GIVEN, TRUTH, CHAINS, [-1.5, 5.0], [0.5, 5.0])
    assert errors.points.tolist() == [11, 12]
    assert errors.wrong_points.tolist() == [1, 0]
    assert errors.game.tolist() == [1, 0]
    assert errors.winner.tolist() == [1, 0]
    assert errors.exact.tolist() == [0, 1]
    # Chain 1 holds a point of each side in truth, so it belongs to neither and is not counted.
    assert errors.chains.tolist() == [2, 2]
    assert errors.wrong_chains.tolist() == [0, 0]


def test_a_dead_chain_taken_for_alive_is_wrong():
    truth, given = owners("XX. XX."), owners("OX. OX.")
    errors = final_errors(given, truth, numbers("0.. 0.."), [1], [1])
    assert (errors.chains.tolist(), errors.wrong_chains.tolist()) == ([1], [1])


def test_a_chain_given_to_nobody_counts_a_half():
    errors = final_errors(owners(".X"), owners("XX"), numbers("01"), [2], [2])
    assert (errors.chains.tolist(), errors.wrong_chains.tolist(), errors.wrong_points.tolist()) == ([2], [0.5], [0.5])
    assert errors.game.tolist() == [1]


def test_neutral_points_are_not_counted():
    errors = final_errors(owners("XXO"), owners("X.O"), numbers("..."), [0], [0])
    assert (errors.points.tolist(), errors.wrong_points.tolist(), errors.chains.tolist()) == ([2], [0], [0])


def test_a_draw_counts_a_half_and_an_unknown_result_not_at_all():
    winner, exact = result_errors([3, 0, -2, 0, 4, 7], [1, 2, 0, 0, -4, math.nan])
    assert winner[:5].tolist() == [0, 0.5, 0.5, 0, 1]
    assert exact[:5].tolist() == [0, 0, 0, 1, 0]
    assert np.isnan(winner[5])
    assert np.isnan(exact[5])


def test_rates_carry_their_intervals():
    boards = 40
    truth = np.ones((boards, 2, 2))
    given = truth.copy()
    given[:10, 0, 0] = -1
    chains = np.tile(np.arange(4).reshape(2, 2), (boards, 1, 1))
    lead = np.where(np.arange(boards) < 10, 2.0, 4.0)
    true_lead = np.where(np.arange(boards) < 20, 4.0, np.nan)
    rates = final_errors(given, truth, chains, lead, true_lead).rates()
    assert rates["block"].value == rates["vertex"].value == 10 / 160
    assert rates["block"].low < 10 / 160 < rates["block"].high
    assert rates["game"] == wilson(10, 40)
    assert rates["winner"] == wilson(0, 20)
    assert rates["exact"] == wilson(10, 20)


def test_chains_equal_a_count_with_dictionaries():
    random = np.random.default_rng(5)
    truth, given = random.integers(-1, 2, (6, 5, 5)), random.integers(-1, 2, (6, 5, 5))
    chains = random.integers(-1, 7, (6, 5, 5))
    errors = final_errors(given, truth, chains, np.zeros(6), np.zeros(6))
    for game in range(6):
        sums: dict[int, tuple[int, int]] = {}
        for chain, s, g in zip(chains[game].flat, truth[game].flat, given[game].flat, strict=True):
            if chain >= 0:
                before = sums.get(chain, (0, 0))
                sums[chain] = (before[0] + s, before[1] + g)
        real = [(s, g) for s, g in sums.values() if s]
        assert errors.chains[game] == len(real)
        assert errors.wrong_chains[game] == sum(0.5 if g == 0 else (s > 0) != (g > 0) for s, g in real)


def test_what_does_not_fit_is_refused():
    with pytest.raises(TengenError, match="same shape"):
        final_errors(GIVEN, TRUTH, CHAINS, [1.0], [1.0])
    with pytest.raises(TengenError, match="game, row, column"):
        final_errors(GIVEN[0], TRUTH[0], CHAINS[0], [1.0], [1.0])


def test_a_chain_is_dead_if_its_points_are_surely_the_enemys():
    stones = owners("XXO. .O.O")
    chains = numbers("001. .2.3")
    truth = np.array([[[-0.9, -0.2, -1, 0], [0, 0.5, 0, 0.4]]])  # the black chain and the middle white one are dead
    given = np.array([[[-1.0, 0.5, -1, 0], [0, 0.0, 0, 1]]])
    assert [each.tolist() for each in dead_chains(given, truth, chains, stones)] == [[2], [0.5]]
    assert [each.tolist() for each in dead_chains(-given, truth, chains, stones)] == [[2], [1.5]]
    nobody = np.zeros((1, 2, 2))
    assert [each.tolist() for each in dead_chains(nobody, nobody, nobody.astype(int) - 1, nobody)] == [[0], [0]]
