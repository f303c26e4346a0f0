"""`tengen train`."""

import json
import sys
import time
from subprocess import DEVNULL, Popen

import numpy as np
import pytest

from cli.program import call
from engines.processes import needs_gnugo
from training.toy import passer


def test_self_play_on_the_command_line(tmp_path):
    given = ["train", "territory/fate-net", "--folder", tmp_path, "--self-play", "--size", 5, "--set", "layers=2"]
    done = call(*given, "-n", 2, "--checkpoints", 1, "-f", "json")
    facts = json.loads(done.stdout)
    assert facts["games"] == 2
    assert facts["lost_games"] == 0
    assert facts["file"] == str(tmp_path / "model.safetensors")
    assert "games                     3" in call(*given, "-n", 3).stdout
    begun = call("train", facts["file"], "--folder", tmp_path / "b", "--self-play", "--size", 5, "-n", 1)
    assert "model.safetensors" in begun.stdout
    assert "holds another run: its rate is 0.5" in call(*given, "--rate", "0.1", code=2).stderr


def test_lost_games_are_reported(tmp_path):
    engine = passer(tmp_path, "die", 1).text
    given = ["--against", engine, "--size", 5, "--temperature", 0.01, "-n", 2, "--set", "min_visits=0"]
    done = call("train", "territory/fate-net", "--folder", tmp_path / "run", *given)
    assert done.stderr.startswith("game 1 is lost: ")
    assert "lost games                1" in done.stdout


def test_a_run_without_a_learned_game_fails(tmp_path):
    given = ["--against", passer(tmp_path, "die", 1).text, "--size", 5, "-n", 1]
    done = call("train", "territory/fate-net", "--folder", tmp_path / "run", *given, code=2)
    assert "no game was learned: " in done.stderr
    assert not (tmp_path / "run" / "model.safetensors").exists()


@needs_gnugo
def test_an_engine_that_has_no_such_board_is_refused(tmp_path):
    given = ["--against", "gnugo:level=1", "--size", 25, "-n", 1]
    done = call("train", "territory/fate-net", "--folder", tmp_path / "run", *given, code=2)
    assert "cannot teach" in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_ends_of_records_on_the_command_line(tmp_path):
    given = ["--from", "examples/finished-9x9.sgf", "--finals", 3, "--teacher", "territory/naive"]
    for name in ("territory/fate-messages", "territory/fate-mrf"):
        done = call("train", name, "--folder", tmp_path / name, *given, "-f", "json")
        assert json.loads(done.stdout)["games"] == 1


@pytest.mark.slow
@needs_gnugo
def test_a_killed_run_continues_with_the_same_games(tmp_path):
    given = ["train", "territory/fate-net", "--against", "gnugo:level=1", "--size", "5", "--set", "min_visits=0"]

    def started(folder):
        return Popen([sys.executable, "-m", "tengen", *given, "--folder", str(folder), "-n", "6"], stdout=DEVNULL)

    assert started(tmp_path / "whole").wait() == 0
    for games in (2, 4):
        run = started(tmp_path / "parts")
        while len(_log(tmp_path / "parts")) < games and run.poll() is None:
            time.sleep(0.05)
        run.kill()
        run.wait()
    assert started(tmp_path / "parts").wait() == 0
    assert _log(tmp_path / "parts") == _log(tmp_path / "whole")
    states = [np.load(tmp_path / name / "state.npz") for name in ("whole", "parts")]
    assert all(np.array_equal(states[0][part], states[1][part]) for part in states[0].files)


def _log(folder):
    path = folder / "log.jsonl"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "choose one of"),
        (["--self-play", "--against", "gnugo"], "choose one of"),
        (["--against", "pachi"], "is not a player"),
        (["--from", "no-such-file"], "no-such-file"),
        (["--from", "pyproject.toml"], "holds no game"),
        (["--self-play", "--set", "depth=3"], "no such settings"),
        (["--self-play", "--finals", "3"], "--finals has no effect with --against and --self-play"),
        (["--against", "gnugo", "--teacher", "net/small"], "--teacher has no effect with --against and --self-play"),
        (["--self-play", "--patience", "3"], "--patience has no effect with --self-play"),
        (["--from", "examples/finished-9x9.sgf", "--size", "19"], "--size has no effect with --from"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, given, said):
    done = call("train", "territory/fate-net", "--folder", tmp_path / "run", *given, code=2)
    assert said in done.stderr
    assert not (tmp_path / "run").exists()


def test_models_that_cannot_be_trained_are_refused(tmp_path):
    for model, said in (("territory/naive", "does not learn step by step"), ("territory/nobody", "there is no model")):
        assert said in call("train", model, "--folder", tmp_path / "run", "--self-play", code=2).stderr


@needs_gnugo
@pytest.mark.parametrize("model", ["territory/fate-net", "territory/fate-mrf"])
def test_a_game_against_gnu_go(tmp_path, model):
    given = ["--against", "gnugo:level=1", "--size", 5, "-n", 1, "--komi", 0.5, "-f", "json"]
    assert json.loads(call("train", model, "--folder", tmp_path, *given).stdout)["lost_games"] == 0
