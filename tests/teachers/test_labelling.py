"""Teachers, and labelling jobs that resume."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

from tests.cli.program import call
from tests.corpus.beginnings import EXAMPLES, beginnings, rows

import tengen
from engines.processes import needs_gnugo
from tengen.corpus.dataset import DataSet
from tengen.corpus.importer import import_games
from tengen.corpus.labels import decode_ownership, decode_policy, encode_ownership
from tengen.corpus.store import Store
from tengen.models.base import MoveModel, OwnershipModel
from tengen.models.evaluator import Evaluations
from tengen.models.registry import register, unregister
from tengen.teachers.labelling import LabelledTurns, label_store
from tengen.teachers.teacher import PlayoutTeacher, make_teacher, unanimous, voted_owner
from tengen.territory.influence import Influence


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return beginnings(tmp_path_factory.mktemp("teachers"))


def test_the_vote_takes_dead_chains_off_and_fills_in(store):
    game = next(game for game in store if game.id == "whole:9")
    said = PlayoutTeacher().judge(game, game.length)
    owner = tengen.score(game.board()).owner
    assert (said.ownership == owner).all()
    assert said.sure.min() >= 0


def test_unanimity_is_silent_where_one_playout_disagrees():
    played = tengen.Board(9).playouts(50)
    assert np.isnan(unanimous(played)).all()
    board = tengen.Board.from_text([".XO.", "XXOO", ".XO.", "XXOO"])
    assert (unanimous(board.playouts(50)) == [[1, 1, -1, -1]] * 4).all()
    assert (voted_owner(board, board.playouts(50)) == [[1, 1, -1, -1]] * 4).all()


def test_a_margin_far_from_the_record_says_nothing(store):
    game = next(game for game in store if game.id == "whole:9")
    assert PlayoutTeacher(within=3).judge(game, game.length) is not None
    wrong = type(game)(**{**game.__dict__, "lead": 40.0})
    assert PlayoutTeacher(within=3).judge(wrong, game.length) is None


def test_labels_are_the_same_whoever_makes_them_and_resume(store):
    first = label_store(store, "playouts:n=30", name="one", workers=1)
    assert (first.rows, first.failed) == (len(store), ())
    again = label_store(store, "playouts:n=30", name="two", workers=2)
    assert again.rows == first.rows
    for shard in store.shards:
        one, two = (store.path / "labels" / name / f"{shard:05d}.parquet" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    assert store.label_about("one")["settings"]["n"] == 30


def test_labels_of_another_teacher_need_another_name(store):
    label_store(store, "playouts:n=10", name="mine", limit=3, workers=1)
    with pytest.raises(tengen.TengenError, match="choose another name"):
        label_store(store, "playouts:n=20", name="mine", limit=3, workers=1)


def test_random_positions_are_chosen_by_the_games_id(store):
    turns = LabelledTurns.parse("random:3")
    game = next(game for game in store if game.id == "whole:19")
    assert turns.of(game) == turns.of(game)
    assert len(set(turns.of(game))) == 3
    assert max(turns.of(game)) < game.length
    with pytest.raises(tengen.TengenError, match="final or random"):
        LabelledTurns.parse("middle")


@pytest.mark.parametrize(
    "teacher",
    [
        "oracle",
        "playouts:rule=guess",
        "playouts:n",
        "playouts:colour=red",
        "gtp",
        "katago",
        "model",
        "model:name=territory/wizard",
        "model:name=territory/largest",
    ],
)
def test_wrong_teachers_are_refused_and_leave_nothing(store, teacher):
    with pytest.raises(tengen.TengenError):
        label_store(store, teacher, name="wrong", workers=1)
    assert "wrong" not in store.labels


def test_marked_territory_is_read_from_the_record(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[3]KM[0]RE[B+9];B[bb];W[aa];B[];W[]TB[aa][ba][ca][ab][cb][ac][bc][cc])")
    import_games([tmp_path / "a.sgf"], tmp_path / "corpus", workers=1)
    [game] = Store(tmp_path / "corpus")
    assert (make_teacher("marked").judge(game, game.length).ownership == 1).all()
    assert make_teacher("marked").judge(game, 1) is None


@needs_gnugo
def test_gnugo_teaches_the_dead_stones(store):
    done = label_store(store, "gnugo:level=1", name="gnugo", size=9, limit=1, workers=1)
    assert done.rows == 1
    [row] = rows(store, "gnugo").values()
    owner = decode_ownership(np.frombuffer(row["ownership"], np.int8)).reshape(9, 9)
    assert (owner == tengen.score(tengen.read(EXAMPLES / "finished-9x9.sgf")).owner).all()
    assert row["lead"] == -8


@pytest.mark.slow
@needs_gnugo
def test_a_killed_engine_and_a_stopped_command_lose_nothing(store, tmp_path):
    command = [sys.executable, "-m", "tengen", "corpus", "label", str(store.path), "--teacher", "gnugo:level=1"]
    command += ["--name", "killed", "--workers", "2", "--size", "9"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (engines := _children(process.pid, "gnugo")) and time.monotonic() < deadline:
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):  # it may have ended by itself in the meantime
        os.kill(engines[0], signal.SIGKILL)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    process.wait(30)
    subprocess.run(command, check=True, capture_output=True)
    assert len(rows(store, "killed")) == sum(game.width == 9 for game in store)
    assert not _children(process.pid, "gnugo")


def _children(session, name):
    """The processes of a session, or below it, that run a program."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if name not in (entry / "comm").read_text():
                continue
            parent = int(entry.name)
            while parent not in (0, 1, session):
                parent = int((Path("/proc") / str(parent) / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == session:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


class Moves(MoveModel):
    """Plays on the first free points, and says nothing of territory."""

    name = "test/moves"

    def probabilities(self, board):
        legal = np.append(board.legal_mask().ravel(), True)
        shares = np.where(legal, 0.5 ** np.arange(1, len(legal) + 1), 0)
        return shares / shares.sum()


class Everything(OwnershipModel):
    """Gives all four answers: the owner of a point is the stone on it."""

    name = "test/everything"
    gives = frozenset({"ownership", "policy", "winrate", "lead"})
    calls: ClassVar[list[tuple[int, ...]]] = []

    def evaluate(self, positions):
        self.calls.append(positions.stones.shape)
        lead = positions.stones.sum((1, 2)) - positions.komi
        policy = positions.legal / positions.legal.sum(1, keepdims=True)
        return Evaluations(positions.stones.astype(float), policy, (lead > 0).astype(float), lead)


@pytest.fixture
def registered():
    for model in (Moves, Everything):
        register(model)
    yield
    for model in (Moves, Everything):
        unregister(model.name)


def test_a_model_labels_with_what_it_gives_one_call_a_size_and_unit(store, registered):
    Everything.calls.clear()
    done = label_store(
        store, "model:name=test/everything", name="everything", turns=LabelledTurns("random", 2), workers=1
    )
    assert (done.rows, done.silent, done.failed) == (2 * len(store), 0, ())
    assert [(n, size) for n, size, _ in Everything.calls] == [(82, 13), (18, 19), (64, 19), (36, 9), (42, 9)]
    games = {game.id: game for game in store}
    for (id_, turn), row in rows(store, "everything").items():
        board = games[id_].board(turn)
        assert row["ownership"] == encode_ownership(board.stones.astype(float))
        assert row["lead"] == board.stones.sum() - board.komi
        assert row["winrate"] == (row["lead"] > 0)
        moves = np.flatnonzero(decode_policy(np.frombuffer(row["policy"], np.uint8)[None], board.stones.size)[0])
        assert moves.tolist() == np.flatnonzero(board.legal_mask())[:8].tolist()
    about = store.label_about("everything")
    assert about["version"] == tengen.load("test/everything").identity
    assert about["settings"] == {"name": "test/everything"}


def test_a_model_without_ownership_leaves_every_point_unlabelled(store, registered):
    label_store(store, "model:name=test/moves", name="moves", size=9, limit=5, workers=1)
    found = rows(store, "moves")
    assert len(found) == 5
    assert {row["ownership"] for row in found.values()} == {bytes([128] * 81)}
    assert {(row["lead"], row["winrate"]) for row in found.values()} == {(None, None)}
    [batch] = DataSet(store, "moves", size=9, split=None)
    assert np.isnan(batch.targets).all()
    legal = batch.positions.legal
    assert (batch.policies.argmax(1) == legal.argmax(1)).all()
    assert np.allclose(batch.policies.max(1), 0.5, atol=0.01)


def test_a_models_labels_are_the_same_for_any_number_of_workers(store, tmp_path):
    tengen.load("territory/influence").save(tmp_path / "influence.safetensors")
    for name, workers in (("alone", 1), ("together", 2)):
        done = label_store(store, f"model:name={tmp_path / 'influence.safetensors'}", name=name, workers=workers)
        assert (done.rows, done.failed) == (len(store), ())
    for shard in store.shards:
        one, two = (store.path / "labels" / name / f"{shard:05d}.parquet" for name in ("alone", "together"))
        assert one.read_bytes() == two.read_bytes()
    assert store.label_about("alone")["version"] == tengen.load("territory/influence").identity


def test_a_model_that_changed_needs_another_name(store, tmp_path):
    file = tmp_path / "model.safetensors"
    for scale, refused in ((1.0, False), (2.0, True)):
        Influence(scale=scale).save(file)
        with pytest.raises(tengen.TengenError, match="choose another name") if refused else contextlib.nullcontext():
            label_store(store, f"model:name={file}", name="changed", size=9, limit=1, workers=1)
    label_store(store, f"model:name={file}", name="again", size=9, limit=1, workers=1)
    [before], [after] = (rows(store, name).values() for name in ("changed", "again"))
    assert store.label_about("again")["version"] == tengen.load(file).identity
    [game] = [game for game in store if game.id == after["id"]]
    assert after["ownership"] == encode_ownership(tengen.load(file).ownership(game.board())) != before["ownership"]


def test_katago_teaches_its_policy_too(store):
    double = EXAMPLES.parent / "tests/engines/katago_double.py"
    done = label_store(
        store, "katago:visits=1", name="katago", command=f"{sys.executable} {double}", size=9, limit=2, workers=1
    )
    assert done.rows == 2
    for row in rows(store, "katago").values():
        assert row["winrate"] == 0.25
        assert decode_policy(np.frombuffer(row["policy"], np.uint8)[None], 81)[0].argmax() == 81


def test_the_command_names_labels_after_the_teacher(store):
    options = ["--teacher", "model:name=territory/naive", "--limit", "2", "--workers", "1", "--positions", "random:2"]
    done = call("corpus", "label", store.path, *options, "-f", "json")
    assert json.loads(done.stdout) == {"labels": 4, "silent": 0}
    assert "model-name-territory-naive" in store.labels
