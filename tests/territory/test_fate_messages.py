"""Message passing on the augmented common fate graph."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.go.positions import Positions
from tengen.go.symmetry import transform
from tengen.territory.fate_messages import FateMessages, MessageLearner, first_parameters

from ..models.boards import random_board
from ..models.learning import positions
from ..naive.fate_messages import all_rings, naive_loss, naive_ownership

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHAPES = [(2, 2, 3), (3, 2, 4), (3, 3, 5), (5, 4, 9), (9, 9, 0), (9, 9, 30), (9, 9, 70), (7, 10, 40)]


@cache
def rings():
    return all_rings()


@cache
def parameters():
    """Parameters before training, changed a little, so that gains differ and biases are not 0."""
    return (first_parameters(7) + 0.03 * np.random.default_rng(7).standard_normal(len(first_parameters()))).astype(
        np.float32
    )


def lessons(labels="gnugo"):
    return DataSet(Store(EXAMPLES / "corpus"), labels, size=9, split="train", limit=20, batch=16)


def boards(seed=0):
    return [random_board(seed + i, *shape).stones for i, shape in enumerate(SHAPES)]


def evaluate(stones, turn=1):
    """The ownership of one board."""
    return _core.FateMessages(parameters()).evaluate(stones[None], np.array([turn], np.int8))[0]


def test_the_network_equals_its_twin():
    few = [*boards(), *(batch.boards[4] for batch in positions() if batch.boards.shape[1] < 19)]
    for i, stones in enumerate(few):
        turn = (1, -1, 0)[i % 3]
        assert np.allclose(evaluate(stones, turn), naive_ownership(parameters(), stones, rings(), turn), atol=2e-5)


def test_there_are_as_many_rings_as_the_table_has_rows():
    assert dict(_core.FateMessages.blocks())["patterns"][2] == 3 * (max(rings().values()) + 1)


def test_reversed_colours_give_exactly_the_opposite():
    for stones in boards(20):
        for turn in (1, -1, 0):
            assert (evaluate(-stones, -turn) == -evaluate(stones, turn)).all()


def test_the_turn_matters():
    stones = random_board(3, 9, 9, 45).stones
    assert np.abs(evaluate(stones, 1) - evaluate(stones, -1)).max() > 0.01


def test_symmetric_boards_agree():
    stones = random_board(3, 9, 9, 45).stones
    own = evaluate(stones)
    for k in range(8):
        moved = np.ascontiguousarray(transform(stones, k))
        assert np.allclose(evaluate(moved), transform(own, k), atol=1e-5)


def test_a_batch_equals_its_boards():
    network = _core.FateMessages(parameters())
    stones = np.stack([random_board(seed, 9, 9, 10 * seed).stones for seed in range(5)])
    turns = np.array([1, -1, 0, 1, -1], np.int8)
    each = [evaluate(*one) for one in zip(stones, turns.tolist(), strict=True)]
    assert (network.evaluate(stones, turns) == np.stack(each)).all()
    assert network.evaluate(stones[:0], turns[:0]).shape == (0, 9, 9)


def labelled_board(shape, seed=0):
    random = np.random.default_rng(seed)
    stones = random_board(seed, *shape).stones
    targets = random.uniform(-1, 1, stones.shape).astype(np.float32)
    weights = random.uniform(0, 1, stones.shape).astype(np.float32)
    return stones, targets, weights, np.int8(1 if seed % 2 else -1)


@pytest.mark.parametrize("shape", [(3, 2, 4), (5, 4, 9), (6, 6, 20)])
def test_the_gradient_equals_finite_differences(shape):
    stones, targets, weights, turn = labelled_board(shape)
    given = stones[None], targets[None], weights[None], np.array([turn])
    loss, slopes = _core.FateMessages(parameters()).gradient(*given)
    assert loss == pytest.approx(naive_loss(parameters(), stones, targets, weights, rings(), int(turn)), rel=1e-5)
    random, start = np.random.default_rng(1), 0
    exact = parameters().astype(float)
    for _, block_shape in _core.FateMessages.blocks():
        size = int(np.prod(block_shape))
        way = np.zeros(len(exact))
        way[start : start + size] = random.choice([-1, 1], size) * (slopes[start : start + size] != 0)
        rounding = 1e-5 * float(np.abs(slopes) @ np.abs(way))
        ends = [naive_loss(exact + step * way, stones, targets, weights, rings(), int(turn)) for step in (1e-7, -1e-7)]
        assert (ends[0] - ends[1]) / 2e-7 == pytest.approx(float(slopes @ way), rel=1e-4, abs=rounding)
        start += size


def test_gradients_of_boards_add_up():
    network = _core.FateMessages(parameters())
    given = [np.stack(each) for each in zip(*(labelled_board((9, 9, 30), seed) for seed in range(3)), strict=True)]
    loss, slopes = network.gradient(*given)
    each = [network.gradient(*(array[i : i + 1] for array in given)) for i in range(3)]
    assert loss == pytest.approx(sum(one for one, _ in each))
    assert np.allclose(slopes, np.sum([one for _, one in each], 0), atol=1e-4)


def test_steps_lower_the_loss():
    batch = positions()[0]
    learner = MessageLearner(first_parameters())
    weights = np.ones(batch.boards.shape, np.float32)
    given = batch.boards, batch.targets.astype(np.float32), weights, np.zeros(len(weights), np.int8)
    losses = [learner.step(*given, rate=0.003) for _ in range(40)]
    assert losses[-1] < 0.5 * losses[0]
    assert learner.steps == 40


@cache
def fitted():
    return FateMessages(epochs=60, batch=8, rate=0.01).fit(positions()[:1])


def test_it_learns_the_examples():
    batch = positions()[0]
    known = np.abs(batch.targets) > 0.5
    right = np.sign(fitted().ownership_many(batch.boards)) == np.sign(batch.targets)
    assert right[known].mean() > 0.9


def test_a_saved_model_is_the_same(tmp_path):
    path = tmp_path / "model.safetensors"
    fitted().save(path)
    board = random_board(1, 9, 9, 40)
    assert (tengen.load(path).ownership(board) == fitted().ownership(board)).all()
    assert path.stat().st_size < 500_000


def test_a_damaged_model_is_refused(tmp_path):
    for wrong in (np.zeros(5, np.float32), np.full(len(first_parameters()), np.nan, np.float32), np.zeros(5)):
        model = FateMessages()
        model.parameters_ = wrong
        model.save(tmp_path / "wrong.safetensors")
        with pytest.raises(ModelError, match="parameters"):
            FateMessages.load(tmp_path / "wrong.safetensors")


def test_it_must_be_fitted_first():
    with pytest.raises(ModelError, match="has not been fitted"):
        FateMessages().ownership(tengen.Board(9))
    with pytest.raises(TengenError, match="no labelled position"):
        FateMessages().fit([])
    with pytest.raises(TengenError, match="not there again"):
        FateMessages().fit(batch for batch in positions())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("epochs", 0),
        ("epochs", 1.5),
        ("batch", 2.5),
        ("batch", 0),
        ("seed", -1),
        ("seed", "x"),
        ("rate", 0),
        ("rate", "nan"),
    ],
)
def test_bad_settings_are_refused(key, value):
    with pytest.raises(TengenError, match=key):
        FateMessages(**{key: value})


def test_without_a_turn_the_answer_is_the_mean_of_both():
    model, stones = fitted(), random_board(3, 9, 9, 40).stones[None]
    asked = Positions.of_stones(stones)
    unknown, black, white = (model.ownership_many(asked.with_turns([turn])) for turn in (0, 1, -1))
    assert not (black == white).all()
    assert (unknown == (black + white) / 2).all()


def test_learning_that_diverges_says_so():
    batch = positions()[0]
    given = batch.boards, batch.targets.astype(np.float32), np.ones(batch.boards.shape, np.float32)
    learner = MessageLearner(first_parameters())
    with pytest.raises(ModelError, match=r"diverged.* rate of 1e\+39"):
        learner.step(*given, np.zeros(len(batch.boards), np.int8), rate=1e39)


def test_a_stopped_fit_resumes_with_the_same_result(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("tengen.territory.fate_messages.CHECKPOINT", 3)
    whole = FateMessages(epochs=2, batch=8)
    data = lessons()
    whole.fit_corpus(data, work=tmp_path / "whole")

    def stop(share):
        if share > 0:
            raise KeyboardInterrupt

    monkeypatch.setattr("tengen.territory.fate_messages.PROGRESS", 5)
    stopped = FateMessages(epochs=2, batch=8)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit_corpus(data, work=tmp_path / "parts", progress=stop)
    stopped.fit_corpus(data, work=tmp_path / "parts")
    assert (stopped.parameters_ == whole.parameters_).all()


def test_work_files_of_another_fit_are_refused(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("tengen.territory.fate_messages.CHECKPOINT", 1)
    FateMessages(epochs=1).fit_corpus(lessons(), work=tmp_path)
    with pytest.raises(ModelError, match="another fit"):
        FateMessages(epochs=1).fit_corpus(lessons("vote"), work=tmp_path)
    with pytest.raises(ModelError, match="another fit"):
        FateMessages(epochs=2).fit_corpus(lessons(), work=tmp_path)
    with pytest.raises(ModelError, match="one machine"):
        FateMessages(epochs=1).fit_corpus(lessons(), work=tmp_path, scheduler="tcp://127.0.0.1:1")


def test_a_damaged_checkpoint_is_refused(tmp_path: Path):
    path, learner = tmp_path / "state.npz", MessageLearner(first_parameters())
    path.write_bytes(b"no zip")
    with pytest.raises(ModelError, match="not the state of a fit"):
        learner.resume(path)
    MessageLearner(np.zeros(5, np.float32)).write(path)
    with pytest.raises(ModelError, match="not the state of a fit"):
        learner.resume(path)


def test_points_without_a_label_do_not_count():
    batch = positions()[0]
    unknown = np.arange(batch.boards.shape[2]) < 4
    holes, others = np.where(unknown, np.nan, batch.targets), np.where(unknown, 1.0, batch.targets)
    weights = np.broadcast_to(np.where(unknown, 0.0, 1.0), holes.shape)
    kinds = type(batch)
    one = FateMessages(epochs=1).fit([kinds(batch.boards, holes, batch.weights)])
    other = FateMessages(epochs=1).fit([kinds(batch.boards, others, weights)])
    assert np.allclose(one.parameters_, other.parameters_, atol=1e-5)


def test_reasons_name_the_chains_that_matter():
    board = random_board(5, 9, 9, 40)
    row, column = np.argwhere(board.stones == 0)[0]
    reasons = fitted().explain(board, (row, column))
    assert reasons[0].kind == "ownership"
    for reason in reasons[1:]:
        assert reason.kind == "neighbour"
        assert str(reason).startswith("Without the ")


def test_bad_input_is_refused():
    stones = np.zeros((1, 9, 9), np.int8)
    numbers = np.zeros((1, 9, 9), np.float32)
    network, black = _core.FateMessages(parameters()), np.ones(1, np.int8)
    with pytest.raises(ValueError, match="numbers are needed"):
        _core.FateMessages(np.zeros(3, np.float32))
    with pytest.raises(TypeError, match="float32"):
        _core.FateMessages(np.zeros(3))
    with pytest.raises(ValueError, match="finite"):
        _core.FateMessages(np.full_like(parameters(), np.inf))
    with pytest.raises(ValueError, match="1, -1 or 0"):
        network.evaluate(stones + np.int8(3), black)
    with pytest.raises(ValueError, match="2 to 25"):
        network.evaluate(np.zeros((1, 1, 9), np.int8), black)
    with pytest.raises(TypeError, match="3 dimensions"):
        network.evaluate(stones[0], black)
    for targets, weights in ((numbers + 2, numbers), (numbers, numbers - 1), (numbers * np.nan, numbers)):
        with pytest.raises(ValueError, match="out of range"):
            network.gradient(stones, targets, weights, black)
    with pytest.raises(ValueError, match="one number for each point"):
        network.gradient(stones, numbers[:, :8], numbers, black)
    for turns, said in ((np.ones(2, np.int8), "one number for each board"), (2 * black, "1 Black, -1 White")):
        with pytest.raises(ValueError, match=said):
            network.evaluate(stones, turns)
