"""Learning factors piece by piece: a stopped fit goes on to the same weights, and folders of other fits are refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from tengen.corpus.plays import Plays, PlaySets
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.models.registry import find
from tengen.moves import streaming
from tengen.moves.policy import FactorMoves, PatternMoves, TacticalMoves
from tests.models.learning import plays

CORPUS = Path(__file__).parents[2] / "examples" / "corpus"
SMALL = {"min_count": 3, "epochs": 2, "factors": 2}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(streaming, "PIECE", 10)
    monkeypatch.setattr(streaming, "KEEP_EVERY", 2)


class StoppedError(Exception):
    pass


def stop_after(monkeypatch, pieces):
    """Make every training raise StoppedError after it has learned a number of pieces."""
    learn, done = streaming.FactorTraining.learn, []

    def counted(self, *given):
        if len(done) == pieces:
            raise StoppedError
        done.append(self.rounds)
        return learn(self, *given)

    monkeypatch.setattr(streaming.FactorTraining, "learn", counted)


def count_pieces(data):
    return sum(-(-len(batch) // 10) for batch in data)


@pytest.mark.parametrize("pieces", [1, 5, -1])
def test_a_stopped_fit_resumes_to_the_same_weights_and_counts(monkeypatch, tmp_path, pieces):
    whole = FactorMoves(**SMALL)
    facts = whole.fit_corpus(plays(), work=tmp_path / "whole")
    assert facts["learned_positions"] == sum(map(len, plays()))
    stopped = FactorMoves(**SMALL)
    with monkeypatch.context() as patch:
        stop_after(patch, pieces % (2 * count_pieces(plays())))
        with pytest.raises(StoppedError):
            stopped.fit_corpus(plays(), work=tmp_path / "work")
    resumed = FactorMoves(**SMALL)
    assert resumed.fit_corpus(plays(), work=tmp_path / "work") == facts
    assert resumed.identity == whole.identity


def test_a_resumed_fit_learns_only_what_is_left(monkeypatch, tmp_path):
    total = 2 * count_pieces(plays())
    with monkeypatch.context() as patch:
        stop_after(patch, total - 2)
        with pytest.raises(StoppedError):
            FactorMoves(**SMALL).fit_corpus(plays(), work=tmp_path)
    with np.load(tmp_path / "training.npz") as kept:
        done = int(kept["state"][3])
    assert total - 4 <= done <= total - 2
    with monkeypatch.context() as patch:
        stop_after(patch, total - done)  # one more would stop it
        FactorMoves(**SMALL).fit_corpus(plays(), work=tmp_path)


def test_each_epoch_draws_other_moves_also_after_a_stop(monkeypatch, tmp_path):
    data = PlaySets((Plays(Store(CORPUS), size=9, sample=0.3, limit=4, batch=40),))
    whole, resumed = FactorMoves(**SMALL), FactorMoves(**SMALL)
    facts = whole.fit_corpus(data, work=tmp_path / "whole")
    first = count_pieces(data.epoch(0))
    with monkeypatch.context() as patch:
        stop_after(patch, first + 3)
        with pytest.raises(StoppedError):
            FactorMoves(**SMALL).fit_corpus(data, work=tmp_path / "work")
    assert resumed.fit_corpus(data, work=tmp_path / "work") == facts
    assert resumed.identity == whole.identity
    assert facts["learned_positions"] == sum(map(len, data.epoch(0)))


def test_a_folder_of_another_fit_is_refused(tmp_path):
    FactorMoves(**SMALL).fit_corpus(plays()[:1], work=tmp_path)
    for model, data, other in (
        (FactorMoves(**SMALL), plays()[1:], "games"),
        (FactorMoves(**SMALL | {"rate": 0.01}), plays()[:1], "settings"),
        (TacticalMoves(), plays()[:1], "model, settings"),
    ):
        with pytest.raises(ModelError, match=rf"work files of another fit \(other {other}\): delete it, or name"):
            model.fit_corpus(data, work=tmp_path)
    (tmp_path / "fit.json").write_text("[]")
    with pytest.raises(ModelError, match="another fit"):
        FactorMoves(**SMALL).fit_corpus(plays()[:1], work=tmp_path)


def test_the_way_moves_are_drawn_belongs_to_the_games(tmp_path):
    data = PlaySets((Plays(Store(CORPUS), size=9, sample=0.3, limit=4),))
    more = PlaySets((Plays(Store(CORPUS), size=9, sample=0.3, limit=5),))
    TacticalMoves().fit_corpus(data, work=tmp_path)
    with pytest.raises(ModelError, match="other games"):
        TacticalMoves().fit_corpus(more, work=tmp_path)
    games = json.loads((tmp_path / "fit.json").read_text())["games"]
    assert [part["drawn"] for part in games] == [[9, "train", 0.3, 0, None, 4]]


def test_a_second_store_belongs_to_the_games(tmp_path):
    first, second = (Plays(Store(CORPUS), size=size, sample=0.3, limit=4) for size in (9, 13))
    TacticalMoves().fit_corpus(PlaySets((first, second)), work=tmp_path)
    with pytest.raises(ModelError, match="other games"):
        TacticalMoves().fit_corpus(PlaySets((first, first)), work=tmp_path)


def test_plays_and_sets_of_plays_teach_the_same(tmp_path):
    part = Plays(Store(CORPUS), size=9, sample=0.3, limit=12)
    alone, in_set = PatternMoves(min_count=3), PatternMoves(min_count=3)
    alone.fit_corpus(part, work=tmp_path / "alone")
    in_set.fit_corpus(PlaySets((part,)), work=tmp_path / "set")
    assert alone.identity == in_set.identity


@pytest.mark.parametrize(
    ("model", "setting", "words"),
    [
        ("patterns", {"min_count": 0}, "min_count: a whole number from 1"),
        ("patterns", {"min_count": "abc"}, "min_count: a whole number"),
        ("patterns", {"oakfoam": "maybe"}, "oakfoam is true or false"),
        ("factors", {"epochs": -1}, "epochs: a whole number from 1"),
        ("factors", {"epochs": 1.5}, "epochs: a whole number"),
        ("factors", {"rate": 1e9}, "rate: a finite number"),
        ("factors", {"factors": 9}, "factors: a whole number from 0 to 7"),
        ("factors", {"contact": 1}, "contact is true or false"),
        ("forest", {"share": 0}, "share: a finite number"),
        ("forest", {"nodes": "groups"}, "knows stones and chains"),
        ("combined", {"trees": 0}, "trees: a whole number from 1"),
    ],
)
def test_bad_settings_are_refused_at_once(model, setting, words):
    with pytest.raises(TengenError, match=words):
        find(f"moves/{model}").model_class()(**setting)


def test_a_model_can_be_fitted_again(tmp_path):
    model = PatternMoves(min_count=3)
    model.fit_corpus(plays()[:2], work=tmp_path / "first")
    model.fit_corpus(plays()[:1], work=tmp_path / "second")
    fresh = PatternMoves(min_count=3)
    fresh.fit_corpus(plays()[:1], work=tmp_path / "fresh")
    assert model.identity == fresh.identity


def test_too_few_games_for_a_pattern_are_named(tmp_path):
    with pytest.raises(ModelError, match="no pattern was played 100000 times"):
        PatternMoves(min_count=100_000).fit_corpus(plays()[:1], work=tmp_path)


def test_a_state_of_other_features_is_refused(tmp_path):
    """As in a folder that was made before folders had an owner."""
    FactorMoves(**SMALL).fit_corpus(plays()[:1], work=tmp_path)
    for name in ("fit.json", "responses.npy"):
        (tmp_path / name).unlink()
    with pytest.raises(ModelError, match="other features"):
        FactorMoves(**SMALL, responses_known=False).fit_corpus(plays()[:1], work=tmp_path)
    (tmp_path / "fit.json").unlink()
    (tmp_path / "training.npz").write_bytes(b"not an archive")
    with pytest.raises(ModelError, match="not the state of a training"):
        FactorMoves(**SMALL).fit_corpus(plays()[:1], work=tmp_path)


@pytest.mark.parametrize("kind", [TacticalMoves, PatternMoves, FactorMoves])
def test_nothing_to_learn_from_is_an_error(kind, tmp_path):
    with pytest.raises(ModelError, match="has nothing to learn from"):
        kind().fit_corpus(Plays(Store(CORPUS), 5), work=tmp_path / "work")
    assert not (tmp_path / "work").exists()
