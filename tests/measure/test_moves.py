"""Ranks and evidence of moves."""

import math

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.moves import move_ranks, move_scores, top_k_curve


def test_ranks_with_ties_are_averaged():
    table = [[0.5, 0.2, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25], [0.0, 1.0, 0.0, 0.0]]
    assert move_ranks(table, [1, 3, 1]).tolist() == [2.5, 2.5, 1]


def test_illegal_moves_do_not_tie():
    table, legal = [[0.7, 0.3, 0.0, 0.0, 0.0]], [[True, True, True, False, False]]
    assert move_ranks(table, [2]).tolist() == [4]
    assert move_ranks(table, [2], legal).tolist() == [3]


def test_ranks_equal_scipys():
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(2)
    table, played = random.integers(0, 6, (200, 12)).astype(float), random.integers(0, 12, 200)
    ranks = [stats.rankdata(-row, method="average")[move] for row, move in zip(table, played, strict=True)]
    assert move_ranks(table, played).tolist() == ranks


def test_the_curve_is_the_share_of_ranks_up_to_k():
    assert top_k_curve([1, 1, 2.5, 4], 5).tolist() == [0.5, 0.5, 0.75, 1, 1]
    assert np.isnan(top_k_curve([], 3)).all()


def test_a_uniform_guess_has_the_perplexity_of_its_choices():
    scores = move_scores(np.full((10, 8), 1 / 8), np.arange(10) % 8)
    assert scores.perplexity == pytest.approx(8)
    assert scores.mean_log_evidence == pytest.approx(-math.log(8))
    assert scores.rank.tolist() == [4.5] * 10
    assert scores.within(4).tolist() == [0] * 10
    assert scores.curve(5).tolist() == [0, 0, 0, 0, 1]


def test_a_move_thought_impossible_costs_a_finite_amount():
    assert move_scores([[1.0, 0.0]], [1]).log_evidence.tolist() == [math.log(1e-6)]


@pytest.mark.parametrize(
    ("table", "played", "legal"),
    [
        ([[0.5, 0.5]], [2], None),
        ([[0.5, 0.5]], [-1], None),
        ([[0.5, 0.5]], [0, 1], None),
        ([[0.9, 0.9]], [0], None),
        ([[0.5, 0.5]], [0], [[False, True]]),
        ([0.5, 0.5], [0], None),
    ],
)
def test_what_does_not_fit_is_refused(table, played, legal):
    with pytest.raises(TengenError):
        move_scores(table, played, legal)
