"""Labels: teachers, jobs that resume, data sets."""

import contextlib
import gzip
import lzma
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.corpus.dataset import DataSet
from tengen.corpus.importer import import_games
from tengen.corpus.labelling import Positions, label_store
from tengen.corpus.labels import decode_ownership, encode_ownership, import_labels
from tengen.corpus.splits import split_of
from tengen.corpus.store import Store
from tengen.corpus.teachers import PlayoutTeacher, make_teacher, unanimous, voted_owner
from tengen.engines.process import find_program
from tengen.go.lines import game_line

ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted((ROOT / "examples").glob("finished-*.sgf"))
needs_gnugo = pytest.mark.skipif(find_program("gnugo") is None, reason="GNU Go is not installed (Debian package gnugo)")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The three example games, and 120 of their beginnings as games of their own."""
    folder = tmp_path_factory.mktemp("labels")
    lines = []
    for path in GAMES:
        game = tengen.read(path)
        lines.append(game_line(game, id=f"whole:{game.size}"))
        for length in range(5, 45):
            part = tengen.Game.new(game.size, rules="chinese", komi=7)
            for move in game.moves[:length]:
                part.play(move.colour, move.point)
            part.root.set("RE", "B+1")
            lines.append(game_line(part, id=f"part:{game.size}-{length}"))
    (folder / "games.tsv").write_text("\n".join(lines) + "\n")
    import_games([folder / "games.tsv"], folder / "corpus", workers=1)
    return Store(folder / "corpus")


def rows(store, name):
    return {
        (row["id"], row["turn"]): row
        for shard in store.shards
        if (table := store.label_table(name, shard)) is not None
        for row in table.to_pylist()
    }


def test_ownership_survives_packing():
    ownership = np.array([[1.0, -1.0, 0.0], [0.37, -0.5, np.nan]])
    packed = np.frombuffer(encode_ownership(ownership), np.int8)
    assert packed.tolist() == [100, -100, 0, 37, -50, -128]
    assert np.allclose(decode_ownership(packed.reshape(2, 3)), ownership, equal_nan=True)


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
    positions = Positions.parse("random:3")
    game = next(game for game in store if game.id == "whole:19")
    assert positions.turns(game) == positions.turns(game)
    assert len(set(positions.turns(game))) == 3
    assert max(positions.turns(game)) < game.length
    with pytest.raises(tengen.TengenError, match="final or random"):
        Positions.parse("middle")


@pytest.mark.parametrize(
    "teacher", ["oracle", "playouts:rule=guess", "playouts:n", "playouts:colour=red", "gtp", "katago"]
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
    assert (owner == tengen.score(tengen.read(ROOT / "examples/finished-9x9.sgf")).owner).all()
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


def test_label_files_are_imported_beside_their_games(store, tmp_path):
    wanted = [("part:9-10", 4, 0.25), ("part:9-11", 10, -3.5), ("nobody:1", 2, 0.0)]
    meta = "".join(f"{id_}\t{turn}\t9\t{lead}\t0.5\t1\n" for id_, turn, lead in wanted)
    (tmp_path / "set.meta.tsv.gz").write_bytes(gzip.compress(meta.encode()))
    owners = np.arange(3 * 81, dtype=np.int8).reshape(3, 81) % 100
    (tmp_path / "set.own9.i8.xz").write_bytes(lzma.compress(owners.tobytes()))
    (tmp_path / "set.pol9.bin.xz").write_bytes(lzma.compress(struct.pack("<HB", 7, 200) * 8 * 3))
    done = import_labels(store, tmp_path / "set")
    assert (done.rows, done.without_game) == (2, 1)
    found = rows(store, "set")
    assert found["part:9-11", 10]["lead"] == -3.5
    assert found["part:9-10", 4]["ownership"] == owners[0].tobytes()
    (tmp_path / "set.own9.i8.xz").write_bytes(lzma.compress(owners.tobytes()[:100]))
    with pytest.raises(tengen.TengenError, match="end before row"):
        import_labels(store, tmp_path / "set", name="short")


def test_a_data_set_gives_the_boards_of_the_games(store):
    label_store(store, "playouts:n=5", name="few", positions=Positions.parse("random:4"), workers=1)
    games = {game.id: game for game in store}
    ids = [game.id for game in store]
    seen = 0
    for batch in DataSet(store, "few", size=13, split=None, batch=7):
        assert batch.boards.shape[1:] == (13, 13)
        assert np.nanmax(abs(batch.targets)) <= 1
        for number, turn, stones, to_play in zip(batch.games, batch.turns, batch.boards, batch.to_play, strict=True):
            board = games[ids[number % 1_000_000]].board(int(turn))
            assert (board.stones == stones).all()
            assert board.to_play == ("black" if to_play == 1 else "white")
            seen += 1
    assert seen == sum(min(4, game.length) for game in store if game.width == 13)


def test_splits_share_no_game_and_miss_none(store):
    label_store(store, "playouts:n=5", name="split", workers=1)
    counts = {
        split: sum(map(len, DataSet(store, "split", size=19, split=split))) for split in ("train", "valid", "test")
    }
    ids = [game.id for game in store if game.width == 19]
    assert counts == {split: sum(split_of(id_) == split for id_ in ids) for split in counts}


def test_the_seed_decides_the_order(store):
    label_store(store, "playouts:n=5", name="order", workers=1)

    def order(**options):
        batches = list(DataSet(store, "order", size=19, split=None, batch=16, **options))
        return np.concatenate([batch.games for batch in batches]).tolist()

    assert order(seed=1) == order(seed=1) != order(seed=2)
    assert order(seed=None) == sorted(order(seed=1))
    data = DataSet(store, "order", size=19, split=None)
    assert [b.games.tolist() for b in data.epoch(1)] != [b.games.tolist() for b in data]


def test_finals_and_others_are_told_apart(store):
    label_store(store, "playouts:n=5", name="ends", workers=1)
    finals = sum(map(len, DataSet(store, "ends", size=9, split=None, finals=True)))
    assert finals == sum(game.width == 9 for game in store)
    assert sum(map(len, DataSet(store, "ends", size=9, split=None, finals=False))) == 0


def test_missing_labels_name_those_there_are(store):
    with pytest.raises(tengen.TengenError, match=r"no labels 'nothing'; it has .*"):
        DataSet(store, "nothing")
    with pytest.raises(tengen.TengenError, match="train, valid, test"):
        DataSet(store, store.labels[0], split="half")
