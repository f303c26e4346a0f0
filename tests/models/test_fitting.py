"""One loop fits every kind of model, and its card says how good it is by what it gives."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.corpus.dataset import DataSet
from tengen.models import fitting
from tengen.models.base import MoveModel, OwnershipModel, ValueModel
from tengen.models.evaluator import Evaluations
from tengen.models.files import read_card
from tengen.models.fitting import calibrate_file, fit_model, measures
from tengen.models.registry import register, unregister
from tengen.teachers.labelling import LabelledTurns, label_store
from tengen.territory.fate_net import FateNet
from tests.corpus.beginnings import beginnings


class Truth(OwnershipModel):
    """The stone on a point owns it, the best move is the first legal point, and Black wins one game in four."""

    name = "test/truth"
    gives = frozenset({"ownership", "policy", "winrate", "lead"})

    def evaluate(self, positions):
        policy = np.zeros(positions.legal.shape)
        policy[np.arange(len(policy)), positions.legal.argmax(1)] = 1
        return Evaluations(positions.stones.astype(float), policy, np.full(len(policy), 0.25), positions.komi + 1)


class Frequent(MoveModel):
    """Plays where the teacher played most often."""

    name = "test/frequent"

    def fit(self, data, *, progress=None):
        self.share_ = sum(np.nansum(batch.policies, axis=0) for batch in data) + 1e-3
        return self

    def probabilities(self, board):
        shares = np.append(board.legal_mask().ravel(), True) * self.share_
        return shares / shares.sum()


class Constant(ValueModel):
    """The mean winrate, whatever the position."""

    name = "test/constant"

    def fit(self, data, *, progress=None):
        self.mean_ = np.array([np.mean(np.concatenate([batch.winrates for batch in data]))])
        return self

    def winrate(self, board):
        return float(self.mean_[0])


class Untaught(MoveModel):
    """Has nothing to learn."""

    name = "test/untaught"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    store = beginnings(tmp_path_factory.mktemp("fitting"))
    register(Truth)
    label_store(store, "model:name=test/truth", name="truth", turns=LabelledTurns("random", 5), workers=1)
    unregister(Truth.name)
    return DataSet(store, "truth", size=13)


def test_a_model_of_moves_is_measured_against_the_labelled_moves(data, tmp_path):
    file = tmp_path / "frequent.safetensors"
    told = []
    metrics = fit_model(Frequent(), data, file, command="test", progress=lambda *done: told.append(done))
    valid = next(iter(DataSet(data.store, "truth", size=13, split="valid", batch=1000)))
    assert metrics["positions"] == len(valid) > 0
    assert metrics.keys() == {"policy_top1", "policy_top5", "policy_log_likelihood", "positions"}
    assert metrics["policy_top1"] > 0.5
    assert metrics["policy_top1"] <= metrics["policy_top5"] <= 1
    assert read_card(file).metrics == metrics
    assert not list(tmp_path.glob("*.work"))


def test_a_model_of_values_is_measured_against_the_labelled_winrates(data, tmp_path):
    metrics = fit_model(Constant(), data, tmp_path / "constant.safetensors")
    assert metrics["winrate_brier"] == 0
    assert metrics["winrate_log_likelihood"] == pytest.approx(0.25 * np.log(0.25) + 0.75 * np.log(0.75), abs=1e-5)
    assert metrics.keys() == {"winrate_log_likelihood", "winrate_brier", "positions"}


def test_positions_without_a_label_count_nowhere(data):
    batch = next(iter(data)).take(slice(4))
    packed = batch.packed_policies.copy()
    packed[1] = 0
    batch = type(batch)(
        **{
            **batch.__dict__,
            "packed_policies": packed,
            "winrates": np.float32([np.nan, 0, 1, 0.5]),
            "leads": np.float32([3, np.nan, -2, 0]),
        }
    )
    policy = np.full(batch.policies.shape, 0.5 / (batch.policies.shape[1] - 1))
    policy[[0, 2], batch.policies[[0, 2]].argmax(1)] = 0.5
    found = measures(Evaluations(policy=policy, winrate=np.full(4, 0.5), lead=np.zeros(4)), batch)
    assert found["policy_top1"][[0, 2, 3]].tolist() == [1, 1, 0]
    assert np.flatnonzero(np.isnan(found["policy_log_likelihood"])).tolist() == [1]
    assert found["policy_log_likelihood"][0] == pytest.approx(np.log(0.5))
    assert np.allclose(found["winrate_brier"], [np.nan, 0.25, 0.25, 0], equal_nan=True)
    assert np.allclose(found["lead_error"], [3, np.nan, 2, 0], equal_nan=True)


class Stones(OwnershipModel):
    """A stone owns its point a little."""

    name = "test/stones"

    def fit(self, data, *, progress=None):
        self.share_ = np.array([0.3])
        return self

    def ownership(self, board):
        return self.share_[0] * board.stones


def test_leads_are_calibrated_on_other_positions_than_they_are_measured_on(data, tmp_path, monkeypatch):
    file, other = tmp_path / "stones.safetensors", tmp_path / "other.safetensors"
    register(Stones)
    try:
        fit_model(Stones(), data, file)
        assert not hasattr(tengen.load(file), "calibration_")  # there are no other positions
        plain = read_card(file).metrics
        monkeypatch.setattr(fitting, "HELD_OUT", 3)
        monkeypatch.setattr(fitting, "CALIBRATED", 30)
        fit_model(Stones(), data, file)
        fitted = tengen.load(file)
        assert fitted.calibration_.shape == (1, 6, 5)
        assert fitted.calibration_[0, 0, :4].tolist() == [13, 1, 0, 0]
        facts = calibrate_file(file, data, other, command="again")
        assert np.array_equal(tengen.load(other).calibration_, fitted.calibration_)
        assert plain.keys() == facts.keys() == read_card(other).metrics.keys()
        assert {"vertex_error", "lead_error", "winrate_brier"} <= facts.keys()
        assert read_card(other).sources[1].startswith("leads of labels truth")
    finally:
        unregister(Stones.name)


def test_what_cannot_learn_is_refused_before_anything_is_read(data, tmp_path):
    for model in (Untaught(), tengen.load("territory/naive"), Foreign()):
        with pytest.raises(tengen.TengenError, match="nothing to learn"):
            fit_model(model, data, tmp_path / "x.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_refused_fit_leaves_nothing_in_the_way(data, tmp_path):
    nothing = replace(data, size=5)
    with pytest.raises(tengen.TengenError, match="no labelled position"):
        fit_model(FateNet(epochs=1), nothing, tmp_path / "x.safetensors")
    with pytest.raises(tengen.TengenError, match="is a folder"):
        fit_model(FateNet(epochs=1), nothing, tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(tengen.TengenError, match="no labelled position"):
        fit_model(FateNet(epochs=1), nothing, tmp_path / "x.safetensors", work=tmp_path / "kept")
    assert (tmp_path / "kept").is_dir()


class Foreign:
    """An evaluator that is none of ours."""

    name = "test/foreign"
    gives = frozenset({"winrate"})

    def evaluate(self, positions):
        return Evaluations(winrate=np.full(len(positions), 0.5))
