"""Low's network as a model: learning, saving, resuming, reasons."""

import pickle
import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.models.files import read_model, write_model
from tengen.territory.fate_net import FateNet

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def lessons(limit=60, split="train"):
    return DataSet(Store(EXAMPLES / "corpus"), "gnugo", size=9, split=split, limit=limit, batch=16)


def loss(model, data):
    """The mean loss per point on labelled boards, without learning."""
    network = model.network()
    return np.concatenate(
        [network.learn(batch.boards, batch.targets, np.ones_like(batch.targets), 0.0) for batch in data]
    ).mean()


def vertex_error(model, data):
    wrong = [np.sign(model.ownership_many(batch.boards)) != np.sign(batch.targets) for batch in data]
    return np.concatenate(wrong).mean()


def test_learning_lowers_loss_and_error_on_other_games():
    data, others = lessons(200), lessons(40, "valid")
    model = FateNet(epochs=3, min_visits=0).fit(data)
    assert loss(model, others) < 0.5 * np.log(2)
    assert vertex_error(model, others) < 0.1


@pytest.mark.parametrize("kind", [{"rounds": 1}, {"layers": 4}, {"through_rounds": False}, {"sides": False}], ids=str)
def test_every_kind_learns(kind):
    data = lessons()
    model = FateNet(epochs=3, min_visits=0, **kind).fit(data)
    assert loss(model, data) < 0.6 * np.log(2)


def test_rarely_visited_weights_are_dropped():
    data = lessons(20)
    whole, small = (FateNet(epochs=1, min_visits=least).fit(data) for least in (0, 30))
    kept = whole.visits_ >= 30
    assert 0 < kept.sum() < len(kept)
    assert np.array_equal(whole.keys_[kept], small.keys_)
    assert np.array_equal(whole.weights_[kept], small.weights_)


def test_a_stopped_fit_resumes_without_loss(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.territory.fate_training.KEEP_EVERY", 2)
    data = lessons(40)
    whole, parts = FateNet(epochs=2), FateNet(epochs=2)
    facts = whole.fit_corpus(data, work=tmp_path / "one")

    class Stops:
        parts = data.parts

        def epoch(self, number):
            yield from islice(data.epoch(number), 3 if number else None)
            if number:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.fit_corpus(Stops(), work=tmp_path / "two")
    assert parts.fit_corpus(data, work=tmp_path / "two") == facts
    assert parts.identity == whole.identity
    assert facts["learned_positions"] == 2 * sum(len(batch) for batch in data)


def test_work_files_of_another_fit_are_refused(tmp_path):
    data = lessons(5)
    FateNet(epochs=1).fit_corpus(data, work=tmp_path)
    with pytest.raises(ModelError, match="another fit"):
        FateNet(epochs=1, layers=4).fit_corpus(data, work=tmp_path)
    with pytest.raises(ModelError, match="another fit"):
        FateNet(epochs=1).fit_corpus(lessons(6), work=tmp_path)
    (tmp_path / "fate-net.npz").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="delete it"):
        FateNet(epochs=1).fit_corpus(data, work=tmp_path)


def test_a_fit_without_positions_is_refused(tmp_path):
    nothing = DataSet(Store(EXAMPLES / "corpus"), "gnugo", size=13, split="train")
    with pytest.raises(ModelError, match="no labelled position"):
        FateNet(epochs=1).fit_corpus(nothing, work=tmp_path)


def test_fitting_again_starts_anew():
    data = lessons(10)
    model = FateNet(epochs=1).fit(data)
    assert model.fit(data).identity == FateNet(epochs=1).fit(data).identity


def test_a_network_learns_apart_from_its_model():
    data = next(iter(lessons(10)))
    model = FateNet(epochs=1, min_visits=0).fit([data])
    before, network = model.identity, model.network()
    network.learn(data.boards, data.targets, np.ones_like(data.targets), 0.1)
    assert model.identity == before
    assert model.take(network).identity != before


def test_files(tmp_path):
    data = lessons(10)
    model, path = FateNet(epochs=1, sides=False, min_visits=5).fit(data), tmp_path / "net.safetensors"
    model.save(path)
    boards = next(iter(data)).boards
    for again in (tengen.load(path), pickle.loads(pickle.dumps(model))):
        assert again.identity == model.identity
        assert np.array_equal(again.ownership_many(boards), model.ownership_many(boards))
    card, arrays = read_model(path)
    for name, array in {"keys_": arrays["keys_"][::-1].copy(), "biases_": arrays["biases_"][1:]}.items():
        write_model(path, card, arrays | {name: array})
        with pytest.raises(ModelError, match="arrays"):
            tengen.load(path)
    write_model(path, card, {"keys_": arrays["keys_"]})
    with pytest.raises(ModelError, match="arrays"):
        tengen.load(path)


def test_reasons_name_the_neighbours_that_push():
    model = FateNet(epochs=4, min_visits=0).fit(lessons(100))
    board = tengen.read(EXAMPLES / "finished-9x9.sgf").board()
    reasons = [reason for point in ("A9", "E5", "G3") for reason in model.explain(board, point)]
    assert {reason.kind for reason in reasons} == {"ownership", "node", "neighbour"}
    for reason in reasons:
        if reason.kind == "neighbour":
            what, place = re.match(r"(?:The )?(.*) at (\w\d) \(", reason.sentence).groups()
            assert place in reason.points
            colour = {1: "black", -1: "white"}.get(int(board.stones[tengen.point(place, 9)]), "")
            assert what.startswith(colour)
            assert re.search(
                r" multiplies (Black|White)'s odds (by [\d.]+|more than a thousandfold)\.$", reason.sentence
            )


def test_settings_and_questions_before_learning():
    with pytest.raises(ModelError, match="not been fitted"):
        FateNet().ownership(tengen.Board(9))
    for bad in ({"layers": 1}, {"layers": 2.5}, {"rounds": 0}, {"rate": -1}, {"sides": 1}, {"seed": -1}, {"epochs": 0}):
        with pytest.raises(TengenError):
            FateNet(**bad)
