"""Reliability tables."""

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.measure.calibration import by_phase, ownership_by_phase, ownership_reliability, reliability
from tengen.measure.intervals import wilson
from tengen.measure.phases import STAGES


def test_a_table_counted_by_hand():
    table = reliability([0.1, 0.2, 0.3, 0.9, 1.0], [0, 0, 1, 1, 1], bins=2)
    assert table.edges.tolist() == [0, 0.5, 1]
    assert table.count.tolist() == [3, 2]
    assert table.predicted.tolist() == pytest.approx([0.2, 0.95])
    assert table.happened.tolist() == pytest.approx([1 / 3, 1])
    assert (table.low[0], table.high[0]) == wilson(1, 3)[1:]
    assert table.error == pytest.approx((3 * (1 / 3 - 0.2) + 2 * 0.05) / 5)
    assert table.bias == pytest.approx((2.5 - 3) / 5)


def test_twenty_bins_hold_their_edges():
    table = reliability([0.0, 0.05, 0.5, 1.0], [0, 0, 1, 1])
    assert np.flatnonzero(table.count).tolist() == [0, 1, 10, 19]
    assert np.isnan(table.happened[5])
    assert (table.low[5], table.high[5]) == (0, 1)


def test_what_happens_as_often_as_predicted_has_no_error():
    assert reliability(np.full(100, 0.25), np.arange(100) < 25).error == 0
    random = np.random.default_rng(0)
    p = random.random(200_000)
    assert reliability(p, random.random(200_000) < p).error < 0.01


def test_ownership_is_the_probability_of_black():
    table = ownership_reliability([[[0.5, -0.5], [1.0, 0.3]]], [[[1, -1], [1, 0]]], bins=4)
    assert table.count.tolist() == [0, 1, 0, 2]
    assert table.predicted[3] == pytest.approx(0.875)
    assert table.happened[[1, 3]].tolist() == [0, 1]
    assert ownership_reliability([[0.3]], [[0.0]], soft=True).count.sum() == 1
    assert np.isnan(ownership_reliability([[0.3]], [[0]]).error)


def test_phases_are_tables_of_their_own():
    p, q, phase = np.array([0.1, 0.9, 0.8]), np.array([0, 1, 0]), np.array([0, 0, 2])
    tables = by_phase(p, q, phase, phases=STAGES)
    assert [table.count.sum() for table in tables.values()] == [2, 0, 1]
    assert tables["endgame"].error == pytest.approx(0.8)
    owner, truth = (2 * p - 1)[:, None, None], (2 * q - 1)[:, None, None]
    same = ownership_by_phase(owner, truth, phase, phases=STAGES)
    assert same["opening"].error == pytest.approx(tables["opening"].error)


def test_a_prediction_on_an_edge_begins_a_bin():
    tenths = np.arange(100) / 100
    assert reliability(tenths, np.ones(100), bins=100).count.tolist() == [1] * 100


def test_points_of_one_game_are_no_new_evidence():
    happened = np.arange(40) % 4 == 0
    alone = reliability(np.full(40, 0.3), happened, games=np.arange(40))
    repeated = reliability(np.full(400, 0.3), np.repeat(happened, 10), games=np.repeat(np.arange(40), 10))
    blind = reliability(np.full(400, 0.3), np.repeat(happened, 10))
    assert repeated.happened[6] == alone.happened[6] == 0.25
    assert repeated.high[6] - repeated.low[6] == pytest.approx(alone.high[6] - alone.low[6], abs=0.02)
    assert repeated.high[6] - repeated.low[6] > 2 * (blind.high[6] - blind.low[6])


def test_one_game_in_a_bin_says_nothing():
    table = reliability([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1], bins=2, games=["a", "a", "a", "b"])
    assert (table.low[0], table.high[0]) == (0, 1)
    assert table.low[1] == wilson(2, 2).low


def test_games_are_one_a_position_of_ownership():
    owner, truth = np.full((3, 2, 2), 0.4), np.array([[[1, 1], [1, 0]], [[-1, 1], [1, 1]], [[1, -1], [-1, 0]]])
    table = ownership_reliability(owner, truth, bins=2, games=["a", "b", "c"])
    spread = reliability([0.7] * 10, [1, 1, 1, 0, 1, 1, 1, 1, 0, 0], bins=2, games=list("aaabbbbccc"))
    assert table.happened.tolist()[1] == spread.happened.tolist()[1] == 0.7
    assert (table.low[1], table.high[1]) == (spread.low[1], spread.high[1])
    phased = ownership_by_phase(owner, truth, [2, 2, 2], phases=STAGES, bins=2, games=["a", "b", "c"])
    assert phased["endgame"].low.tolist() == table.low.tolist()
    assert by_phase([0.7], [1], [0], games=["a"], phases=STAGES)["opening"].low[14] == 0


def test_what_does_not_fit_is_refused():
    with pytest.raises(TengenError, match="one game per position"):
        ownership_reliability(np.zeros((2, 3, 3)), np.ones((2, 3, 3)), games=[0])
    with pytest.raises(TengenError, match="0 to 1"):
        reliability([1.2], [1])
    with pytest.raises(TengenError, match="same shape"):
        reliability([0.2], [1, 0])
    with pytest.raises(TengenError, match="one bin"):
        reliability([0.2], [1], bins=0)
    with pytest.raises(TengenError, match="one phase per position"):
        ownership_by_phase(np.zeros((2, 3, 3)), np.zeros((2, 3, 3)), [0])
