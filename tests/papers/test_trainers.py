"""The trainers of weights that the paper names, on generated positions with known weights."""

from __future__ import annotations

from math import erf, exp, pi, sqrt

import numpy as np
import pytest

from tengen.benchmarks.bradley_terry import generate
from tengen.moves.competitions import Competitions, Table
from tengen.moves.factors import move_scores
from tengen.papers.vanniekerk.trainers import TRAINERS


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("competitions")
    tables = [Table("a", 4), Table("b", 12), Table("c", 5, columns=2)]
    truth = generate(folder, tables, 6000, 40, spread=1.0)
    return Competitions.open(folder), truth


@pytest.mark.parametrize("name", TRAINERS)
def test_known_weights_are_found(generated, name):
    competitions, truth = generated
    found = TRAINERS[name](competitions)
    assert [part[0] for part in found] == [0] * 3
    ours, theirs = (np.concatenate([part[1:] for part in parts]) for parts in (found, truth))
    assert np.corrcoef(ours, theirs)[0, 1] > 0.98
    assert np.abs(ours - theirs).mean() < 0.12  # those that read each position once are less exact
    lost = move_scores(competitions, truth).mean_log_evidence - move_scores(competitions, found).mean_log_evidence
    assert lost < 0.01


def one_game():
    """Level 1 beats level 2; both moves have level 3, which says nothing about who wins."""
    columns = [np.array([1, 2], np.uint8), np.array([1, 1], np.uint8)]
    return Competitions([Table("a", 2), Table("b", 1)], [0, 2], [0], columns).native


def test_one_game_by_the_formulas_of_weng_and_lin():
    means, variances = np.zeros(4), np.ones(4)
    one_game().approximate(means, variances, np.zeros(1, np.int64))
    scale = sqrt(1 + 1 + 1)  # both variances, and twice the noise ½
    assert means.tolist() == pytest.approx([0, 0.5 / scale, -0.5 / scale, 0])
    left = 1 - sqrt(2) / scale * 0.25 / scale**2
    assert variances.tolist() == pytest.approx([1, left, left, 1])


def test_one_comparison_matches_the_moments_of_the_cut_off_difference():
    native = Competitions([Table("a", 2)], [0, 2], [0], [np.array([1, 2], np.uint8)]).native
    means, variances = np.array([0.0, 0.3, 0.5]), np.array([1.0, 0.5, 2.0])
    native.compare(means, variances, np.zeros(1, np.int64))
    total = 0.5 + 2.0 + 2 * pi**2 / 6
    t = (0.3 - 0.5) / sqrt(total)
    v = exp(-t * t / 2) / sqrt(2 * pi) / ((1 + erf(t / sqrt(2))) / 2)
    w = v * (v + t)
    assert means.tolist() == pytest.approx([0, 0.3 + 0.5 * v / sqrt(total), 0.5 - 2 * v / sqrt(total)])
    assert variances.tolist() == pytest.approx([1, 0.5 - 0.25 * w / total, 2 - 4 * w / total])
