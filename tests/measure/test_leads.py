"""What a sum of ownership is worth in points."""

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.leads import LeadFit, cross_fitted, fit_lead


def test_a_line_is_found_and_unknown_leads_are_left_out():
    area, turn = np.array([10.0, -20, 5, 8, 3]), np.array([1, -1, -1, 1, 1])
    truth = 0.3 * area + 4 * turn
    truth[2] = np.nan
    assert fit_lead(area, turn, truth) == pytest.approx((0.3, 4))
    assert LeadFit(0.3, 4).lead(area[:2], turn[:2]) == pytest.approx([7, -10])


def test_reversed_colours_have_the_reversed_lead():
    random = np.random.default_rng(0)
    area, turn, truth = random.normal(0, 9, 50), random.choice([-1, 1], 50), random.normal(0, 9, 50)
    assert fit_lead(-area, -turn, -truth) == pytest.approx(fit_lead(area, turn, truth))


def test_a_turn_that_nobody_knows_is_worth_nothing():
    assert fit_lead([2, 4], [0, 0], [1, 2]) == pytest.approx((0.5, 0))
    with pytest.raises(TengenError, match="no position has a lead"):
        fit_lead([2, 4], [0, 0], [np.nan, np.nan])


def test_each_game_is_predicted_by_the_others():
    games, area = np.array(["a", "a", "b", "b"]), np.array([1.0, 2, 1, 2])
    truth = np.array([2.0, 4, 3, 6])
    assert cross_fitted(area, np.zeros(4), truth, games) == pytest.approx([3, 6, 2, 4])
    assert np.isnan(cross_fitted(area[:2], [0, 0], truth[:2], games[:2])).all()
