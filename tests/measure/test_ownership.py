"""Errors of ownership."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.errors import TengenError
from tengen.measure.ownership import OwnershipErrors, ownership_errors

# The right column is unlabelled; of the four labelled points one is right, one wrong, one undecided, one right.
EXPECTED = [[0.8, 0.2, 0.9], [0.0, -0.6, -0.9]]
TRUTH = [[1, -1, 0], [1, -1, 0]]


def test_a_position_counted_by_hand():
    errors = ownership_errors(EXPECTED, TRUTH)
    assert errors.vertex == 1.5 / 4
    assert errors.vertex_all == 1.5 / 6
    assert errors.net == pytest.approx(abs((0.8 + 0.2 + 0.0 - 0.6) - 0) / 8)
    assert errors.brier == pytest.approx((0.1**2 + 0.6**2 + 0.5**2 + 0.2**2) / 4)
    assert errors.absolute == pytest.approx((0.2 + 1.2 + 1.0 + 0.4) / 4)
    likelihood = math.log(0.9) + math.log(0.4) + math.log(0.5) + math.log(0.8)
    assert errors.log_likelihood_board == pytest.approx(likelihood)
    assert errors.log_likelihood == pytest.approx(likelihood / 4)
    assert (errors.labelled, errors.points) == (4, 6)


def test_certainty_that_is_wrong_costs_a_finite_amount():
    errors = ownership_errors([[1.0]], [[-1]])
    assert errors.log_likelihood == pytest.approx(math.log(1e-6))
    assert (errors.vertex, errors.net, errors.brier, errors.absolute) == (1, 1, 1, 2)


def test_errors_for_black_and_for_white_cancel_in_the_net():
    errors = ownership_errors([[1.0, -1.0]], [[-1, 1]])
    assert (errors.vertex, errors.net) == (1, 0)


def test_soft_targets_use_cross_entropy():
    errors = ownership_errors([[0.5]], [[0.2]])
    assert errors.log_likelihood == pytest.approx(0.6 * math.log(0.75) + 0.4 * math.log(0.25))
    assert errors.brier == pytest.approx(0.15**2)
    assert errors.vertex == 0


def test_a_zero_is_a_target_only_when_soft():
    assert ownership_errors([[0.5, 0.5]], [[0, 1]]).labelled == 1
    soft = ownership_errors([[0.5, 0.5]], [[0.0, 1.0]], soft=True)
    assert (soft.labelled, soft.vertex, soft.absolute) == (2, 0.25, 0.5)


def test_nothing_labelled_is_nan_not_zero():
    errors = ownership_errors([[[0.5]], [[0.5]]], [[[0]], [[1]]])
    for measure in (errors.vertex, errors.vertex_all, errors.net, errors.log_likelihood_board, errors.brier):
        assert np.isnan(measure).tolist() == [True, False]
    assert errors.labelled.tolist() == [0, 1]


def test_a_weight_is_as_good_as_a_repeated_point():
    twice = ownership_errors([[0.5, 0.5, -0.2]], [[-1, -1, 1]])
    weighted = ownership_errors([[0.5, -0.2]], [[-1, 1]], [[2.0, 1.0]])
    for measure in ("vertex", "net", "log_likelihood", "brier", "absolute", "labelled"):
        assert getattr(weighted, measure) == pytest.approx(getattr(twice, measure))


def test_weights_may_be_one_a_position():
    expected, truth = np.full((2, 3, 3), 0.5), np.ones((2, 3, 3))
    assert ownership_errors(expected, truth, [1.0, 3.0]).labelled.tolist() == [9, 27]


def test_batches_are_joined():
    expected, truth = np.linspace(-1, 1, 5 * 9).reshape(5, 3, 3), np.ones((5, 3, 3))
    whole = ownership_errors(expected, truth)
    parts = OwnershipErrors.joined([ownership_errors(expected[a:b], truth[a:b]) for a, b in ((0, 2), (2, 5))])
    assert len(parts) == 5
    assert np.array_equal(parts.vertex, whole.vertex)
    assert np.array_equal(parts.net, whole.net)


@pytest.mark.parametrize(
    ("expected", "truth", "weights"),
    [
        ([[0.5]], [[1, 1]], None),
        ([0.5], [1], None),
        ([[1.5]], [[1]], None),
        ([[math.nan]], [[1]], None),
        ([[0.5]], [[1]], [[-1.0]]),
        ([[0.5, 0.5]], [[1, 1]], [1.0, 1.0]),
    ],
)
def test_what_does_not_fit_is_refused(expected, truth, weights):
    with pytest.raises(TengenError):
        ownership_errors(expected, truth, weights)


def naive(expected, truth):
    """One position, point by point."""
    wrong = net = likelihood = brier = absolute = labelled = 0.0
    for e, s in zip(expected.ravel().tolist(), truth.ravel().tolist(), strict=True):
        if s == 0:
            continue
        labelled += 1
        wrong += 0.5 if e == 0 else float((e > 0) != (s > 0))
        net += e - s
        p = min(max((1 + e) / 2, 1e-6), 1 - 1e-6)
        likelihood += math.log(p if s > 0 else 1 - p)
        brier += ((1 + e) / 2 - (1 + s) / 2) ** 2
        absolute += abs(e - s)
    return [x / labelled if labelled else math.nan for x in (wrong, abs(net) / 2, likelihood, brier, absolute)]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_a_batch_equals_counting_point_by_point(games, rows, columns, seed):
    random = np.random.default_rng(seed)
    expected = random.integers(-10, 11, (games, rows, columns)) / 10
    truth = random.integers(-1, 2, (games, rows, columns))
    errors = ownership_errors(expected, truth)
    ours = np.stack([errors.vertex, errors.net, errors.log_likelihood, errors.brier, errors.absolute], axis=1)
    np.testing.assert_allclose(ours, [naive(e, s) for e, s in zip(expected, truth, strict=True)], atol=1e-12)


def test_colours_reversed_change_nothing():
    random = np.random.default_rng(3)
    expected, truth = random.uniform(-1, 1, (4, 9, 9)), random.integers(-1, 2, (4, 9, 9))
    black, white = ownership_errors(expected, truth), ownership_errors(-expected, -truth)
    np.testing.assert_allclose(black.log_likelihood, white.log_likelihood)
    np.testing.assert_allclose(black.net, white.net)
    np.testing.assert_allclose(black.vertex, white.vertex)


def test_errors_where_the_owner_is_sure_are_counted_apart():
    errors = ownership_errors([[[0.1, -0.2, 0.3, -1]]], [[[0.2, 0.4, -0.5, -0.9]]], soft=True)
    assert (errors.vertex.tolist(), errors.vertex_sure.tolist()) == ([0.5], [0.5])
    errors = ownership_errors([[[0.1, 0.2]]], [[[0.2, -0.4]]], soft=True)
    assert errors.vertex.tolist() == [0.5]
    assert np.isnan(errors.vertex_sure).all()
