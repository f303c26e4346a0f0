"""Everything that is handed out travels between processes: pickled and read back it gives the same answers."""

import pickle

import numpy as np
import pytest

import tengen
from tengen.models.state import identity
from tengen.search.player import Player, Settings

from .test_contract import each_model, model_of


def copied(thing):
    return pickle.loads(pickle.dumps(thing))


def position():
    return tengen.read("examples/finished-9x9.sgf").board(30)


@each_model
def test_a_model_gives_the_same_answers(name):
    model, board = model_of(name), position()
    expected = model.ownership(board)  # first: what a model makes on the way must not travel
    other = copied(model)
    assert identity(other) == identity(model)
    assert (other.ownership(board) == expected).all()
    assert other.explain(board, "E5") == model.explain(board, "E5")


@pytest.mark.parametrize("name", tengen.models())
def test_a_model_that_has_learned_nothing_yet_can_be_pickled(name):
    model = tengen.load(name)
    assert identity(copied(model)) == identity(model)


def test_an_estimate_keeps_its_answers_and_its_reasons():
    estimate = tengen.estimate(position())
    other = copied(estimate)
    assert (other.ownership == estimate.ownership).all()
    assert not other.ownership.flags.writeable
    for name in ("lead", "lead_sd", "winrate", "model", "rules", "komi", "neutral", "warnings"):
        assert getattr(other, name) == getattr(estimate, name)
    assert other.explain("E5") == estimate.explain("E5")


def test_scores_verdicts_settings_and_analyses():
    score = tengen.score(tengen.read("examples/finished-9x9.sgf"))
    other = copied(score)
    assert other == score
    assert (other.owner == score.owner).all()
    assert other.toggle(score.verdicts[0].points[0]) == score.toggle(score.verdicts[0].points[0])
    assert copied(score.verdicts[0]) == score.verdicts[0]
    settings = Settings(playouts=20, seed=3)
    assert copied(settings) == settings
    analysis = Player(position(), settings).think()
    assert copied(analysis) == analysis
    np.testing.assert_array_equal(copied(analysis).ownership, analysis.ownership)
