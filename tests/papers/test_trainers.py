"""The trainers of weights that the paper names, on generated positions with known weights."""

from __future__ import annotations

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
    # Online learners see each position once, and performances with Gaussian noise are another model.
    assert np.corrcoef(ours, theirs)[0, 1] > (0.99 if name != "loopy Bayesian ranking" else 0.97)
    assert np.abs(ours - theirs).mean() < (0.1 if name != "loopy Bayesian ranking" else 0.25)
    lost = move_scores(competitions, truth).mean_log_evidence - move_scores(competitions, found).mean_log_evidence
    assert lost < (0.01 if name != "loopy Bayesian ranking" else 0.03)
