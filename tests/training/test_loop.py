"""A training run, and how it continues."""

import json
import os
import shutil
import signal
import threading

import numpy as np
import pytest

import tengen
from tengen.errors import EngineError, ModelError, TengenError
from tengen.territory.fate_messages import FateMessages
from tengen.territory.fate_mrf import FateMrf
from tengen.territory.fate_net import FateNet
from tengen.training import loop
from tengen.training.learner import learner_of
from tengen.training.lessons import AgainstEngine, Play, SelfPlay
from tengen.training.loop import train
from training.toy import Toy, ToyLearner, passer

GAMES = SelfPlay(Play(size=5))


def products(folder):
    with np.load(folder / "state.npz") as state:
        arrays = {name: state[name].tolist() for name in state.files}
    return arrays, (folder / "log.jsonl").read_text(), (folder / "model.safetensors").read_bytes()


@pytest.fixture
def whole(tmp_path):
    """What six games give without a stop."""
    train(ToyLearner(), GAMES, tmp_path / "whole", 6)
    return products(tmp_path / "whole")


def test_the_log_has_a_line_for_each_game(whole):
    rows = [json.loads(line) for line in whole[1].splitlines()]
    assert [row["iteration"] for row in rows] == list(range(6))
    assert all(row["loss"] > 0 and row["moves"] > 10 and row["result"][1] == "+" for row in rows)


def test_every_point_has_the_same_weight(tmp_path):
    learner = ToyLearner()
    train(learner, GAMES, tmp_path, 1)
    (stones, _, weights), *more = learner.learned
    assert stones.dtype == np.int8
    assert weights.shape == stones.shape
    assert (weights == 1).all()
    assert not more


def test_a_run_continues_as_if_it_had_not_stopped(tmp_path, whole):
    train(ToyLearner(), GAMES, tmp_path, 2)
    rows = train(ToyLearner(), GAMES, tmp_path, 6)
    assert len(rows) == 6
    assert products(tmp_path) == whole


@pytest.fixture
def hears_ctrl_c():
    """A program started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("during", ["a game", "a step", "a report"])
def test_ctrl_c_loses_nothing(tmp_path, whole, during):
    learner = ToyLearner()

    def interrupt(*_):
        if len(learner.learned) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    def wrapped(job, before):
        def run(*given):
            if before:
                interrupt()
            answer = job(*given)
            if not before:
                interrupt()
            return answer

        return run

    if during == "a game":
        learner.evaluate = wrapped(learner.evaluate, True)
    if during == "a step":
        learner.learn = wrapped(learner.learn, False)
    with pytest.raises(KeyboardInterrupt, match="3 games are learned"):
        train(learner, GAMES, tmp_path, 6, checkpoints=2, report=interrupt if during == "a report" else None)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 3
    train(ToyLearner(), GAMES, tmp_path, 6, checkpoints=2)
    assert products(tmp_path) == whole
    kept = sorted(path.name for path in tmp_path.glob("checkpoint-*"))
    assert kept == ["checkpoint-000003.safetensors", "checkpoint-000006.safetensors"]


def test_after_a_kill_the_games_since_the_last_state_are_played_again(tmp_path, whole):
    train(ToyLearner(), GAMES, tmp_path, 2)
    state = (tmp_path / "state.npz").read_bytes()
    train(ToyLearner(), GAMES, tmp_path, 4)
    (tmp_path / "state.npz").write_bytes(state)
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"iteration": 4, "half a li')
    train(ToyLearner(), GAMES, tmp_path, 6)
    assert products(tmp_path) == whole


def test_the_state_is_written_while_it_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "KEEP_EVERY", -1.0)
    seen = []

    def look(row):
        with np.load(tmp_path / "state.npz") as state:
            seen.append(int(state["games"]))

    train(ToyLearner(), GAMES, tmp_path, 3, report=look)
    assert seen == [1, 2, 3]


def test_a_run_in_another_thread(tmp_path, whole):
    thread = threading.Thread(target=train, args=(ToyLearner(), GAMES, tmp_path, 6))
    thread.start()
    thread.join()
    assert products(tmp_path) == whole


def test_an_engine_that_dies_costs_one_game(tmp_path):
    def games(folder):
        folder.mkdir()
        return AgainstEngine(passer(folder, "die", 2), Play(size=5, temperature=0.01))  # starts: 0 is the check

    rows = train(ToyLearner(), games(tmp_path / "a"), tmp_path / "run", 4)
    assert ["error" in row for row in rows] == [False, True, False, False]
    assert "ended while answering 'genmove" in rows[1]["error"]


def test_an_engine_that_always_dies_ends_the_run(tmp_path):
    games = AgainstEngine(passer(tmp_path, "die"), Play(size=5, temperature=0))
    with pytest.raises(EngineError, match="3 games were lost one after the other"):
        train(ToyLearner(), games, tmp_path / "run", 9)
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 3


def test_checkpoints_are_kept(tmp_path):
    train(ToyLearner(), GAMES, tmp_path / "short", 2)
    train(ToyLearner(), GAMES, tmp_path / "long", 7, checkpoints=3)
    names = sorted(path.name for path in (tmp_path / "long").glob("*.safetensors"))
    assert names == [*(f"checkpoint-{games:06}.safetensors" for games in (2, 4, 7)), "model.safetensors"]
    board = tengen.Board(5)
    short, kept = (
        Toy.load(tmp_path / name) for name in ("short/model.safetensors", "long/checkpoint-000002.safetensors")
    )
    assert np.array_equal(short.ownership(board), kept.ownership(board))


def test_curves_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    train(ToyLearner(), GAMES, tmp_path / "run", 12, plot=tmp_path / "pictures")
    picture = (tmp_path / "pictures" / "training.svg").read_text(encoding="utf-8")
    assert "loss" in picture
    assert "games won" in picture


def test_a_folder_of_another_run_is_refused(tmp_path):
    train(ToyLearner(), GAMES, tmp_path, 1)
    with pytest.raises(TengenError, match="holds another run: its temperature is"):
        train(ToyLearner(), SelfPlay(Play(size=5, temperature=1)), tmp_path, 2)


def test_damaged_files_are_refused(tmp_path):
    train(ToyLearner(), GAMES, tmp_path / "good", 2)
    for name, data, said in (("state.npz", b"PK", "not the state"), ("log.jsonl", b"{}\n", "damaged")):
        shutil.copytree(tmp_path / "good", tmp_path / name)
        (tmp_path / name / name).write_bytes(data)
        with pytest.raises(ModelError, match=said):
            train(ToyLearner(), GAMES, tmp_path / name, 3)


@pytest.mark.parametrize("model", [FateNet(min_visits=0), FateMrf(min_visits=0), FateMessages(batch=20)])
def test_networks_continue_as_if_they_had_not_stopped(tmp_path, model):
    games = SelfPlay(Play(size=5, temperature=0.05))
    train(learner_of(model), games, tmp_path / "whole", 3)
    train(learner_of(model), games, tmp_path / "parts", 1)
    rows = train(learner_of(model), games, tmp_path / "parts", 3)
    assert products(tmp_path / "parts") == products(tmp_path / "whole")
    assert len(rows) == 3
    learned = tengen.load(tmp_path / "whole" / "model.safetensors")
    assert learned.name == model.name
    assert not hasattr(model, "parameters_")
    assert not hasattr(model, "keys_")


@pytest.mark.parametrize("model", [FateNet(min_visits=0), FateMrf(min_visits=0), FateMessages()])
def test_networks_learn_what_they_are_taught(model):
    learner = learner_of(model)
    board = tengen.read("examples/finished-9x9.sgf").board()
    stones = np.repeat(board.stones[None], 3, 0)
    targets = np.repeat(tengen.score(board).owner[None], 3, 0).astype(np.float32)
    turns = np.ones(3, np.int8)
    losses = [learner.learn(stones, targets, np.ones_like(targets), turns) for _ in range(20)]
    assert losses[-1] < 0.5 * losses[0]
    found = learner.evaluate([board]).ownership
    assert found.shape == (1, 9, 9)
    assert np.allclose(learner.model().ownership(board), found[0], atol=2e-3)
    begun = learner_of(learner.model())
    assert np.allclose(begun.evaluate([board]).ownership, found, atol=2e-3)


def test_a_game_that_makes_learning_diverge_is_not_learned():
    learner = learner_of(FateMessages(batch=1))
    learner.rate = 1e39  # more than single precision holds
    stones = tengen.read("examples/finished-9x9.sgf").board().stones[None].repeat(60, 0)
    targets, before = np.sign(stones).astype(np.float32), learner.state()
    with pytest.raises(ModelError, match="diverged"):
        learner.learn(stones, targets, np.ones_like(targets), np.ones(60, np.int8))
    assert all(np.array_equal(part, before[name]) for name, part in learner.state().items())


def test_a_model_without_steps_is_refused():
    with pytest.raises(ModelError, match="territory/naive does not learn step by step"):
        learner_of(tengen.load("territory/naive"))
