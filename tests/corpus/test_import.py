"""Games into a store."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.corpus.fingerprint import fingerprint
from tengen.corpus.importer import Filters, import_games, rank_value
from tengen.corpus.sources import find_sources, pieces
from tengen.corpus.splits import split_of
from tengen.corpus.store import Store
from tengen.go.lines import game_line
from tengen.go.symmetry import transform_point

ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted((ROOT / "examples").glob("finished-*.sgf"))


def random_games(count, size=9, seed=0, moves=20):
    """Random legal games, one a line."""
    random = np.random.default_rng(seed)
    lines = []
    for number in range(count):
        game = tengen.Game.new(size, rules="chinese", komi=7)
        board = tengen.Board(size)
        for _ in range(moves):
            move = str(random.choice(board.legal_moves()))
            game.play(board.to_play, move)
            board.play(move)
        game.root.set("RE", ["B+3", "W+R", "W+0.5", "?"][number % 4])
        lines.append(game_line(game, id=f"made:{seed}-{number}"))
    return "\n".join(lines) + "\n"


def turned(game, k):
    """A game under a symmetry of the board."""
    other = tengen.Game.new(game.width, rules="chinese", komi=game.komi)
    for move in game.moves:
        point = move.point
        if point != "pass":
            row, column = tengen.point(point, game.size)
            point = transform_point((row, column), k, game.width, game.height)
        other.play(move.colour, point)
    return other


def digest(folder):
    """One hash over all files of a store."""
    hash_ = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            hash_.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return hash_.hexdigest()


def test_a_game_comes_back_as_it_went_in(tmp_path):
    done = import_games(GAMES, tmp_path / "corpus", workers=1)
    assert (done.games, done.rejected) == (3, {})
    store = Store(tmp_path / "corpus")
    for stored, path in zip(store, GAMES, strict=True):
        game = tengen.read(path)
        assert stored.board() == game.board()
        assert stored.board(17) == game.board(17)
        assert (stored.result, stored.komi, stored.rules) == (game.result, game.komi, str(game.rules))
        assert stored.board().captures == game.board().captures


def test_copies_are_dropped_however_they_are_turned(tmp_path):
    game = tengen.read(GAMES[2])
    for k in range(8):
        turned(game, k).write(tmp_path / f"{k}.sgf")
    done = import_games(sorted(tmp_path.glob("*.sgf")), tmp_path / "corpus", workers=1)
    assert (done.games, done.rejected) == (1, {"duplicate": 7})


def test_other_games_have_other_fingerprints():
    game = tengen.read(GAMES[2])
    mark = fingerprint(9, 9, game.events)
    assert fingerprint(9, 9, game.events[:-2]) == mark, "closing passes do not count"
    assert fingerprint(9, 9, game.events[:-3]) != mark
    assert fingerprint(13, 13, game.events) != mark
    assert len(fingerprint(9, 9, game.events[:0])) == 16


def test_the_order_of_setup_stones_does_not_matter():
    one = tengen.Game.from_sgf("(;SZ[9]AB[cc][gg];W[ee])").events
    other = tengen.Game.from_sgf("(;SZ[9]AB[gg][cc];W[ee])").events
    assert fingerprint(9, 9, one) == fingerprint(9, 9, other)


def test_adding_the_same_games_again_adds_nothing(tmp_path):
    import_games(GAMES, tmp_path / "corpus", workers=1)
    before = (tmp_path / "corpus/games/00000.parquet").read_bytes()
    done = import_games(GAMES, tmp_path / "corpus", workers=1)
    assert (done.added, done.rejected) == (0, {"duplicate": 3})
    assert (tmp_path / "corpus/games/00000.parquet").read_bytes() == before


def test_filters_count_what_they_leave_out(tmp_path):
    (tmp_path / "games.tsv").write_text(random_games(40) + random_games(3, size=13, seed=1) + "a broken line\n")
    filters = Filters(sizes=(9,), counted=True)
    done = import_games([tmp_path / "games.tsv"], tmp_path / "corpus", filters=filters, workers=1)
    assert done.games == 20
    assert done.rejected == {"another size": 3, "not counted": 20, "unreadable": 1}


def test_weak_players_are_left_out(tmp_path):
    rows = random_games(4).splitlines()
    ranks = ["3d/1k", "2k/9d", "5k/4d", ""]
    (tmp_path / "games.tsv").write_text("".join(f"{row}\t{rank}\n" for row, rank in zip(rows, ranks, strict=True)))
    done = import_games([tmp_path / "games.tsv"], tmp_path / "corpus", filters=Filters(min_rank="2k"), workers=1)
    assert (done.games, done.rejected) == (2, {"rank": 2})
    with pytest.raises(tengen.TengenError, match="not a rank"):
        Filters(min_rank="strong")


def test_games_with_illegal_moves_are_left_out(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[9];B[ee];W[ee])")
    done = import_games([tmp_path / "a.sgf"], tmp_path / "corpus", workers=1)
    assert done.rejected == {"illegal move": 1}


@pytest.mark.parametrize(("rank", "value"), [("30k", 1), ("1k", 30), ("1d", 31), ("9d", 39), ("1p", 41), ("3d?", 33)])
def test_ranks_are_ordered(rank, value):
    assert rank_value(rank) == value


@pytest.mark.parametrize("rank", ["", "d", "strong", "3x"])
def test_what_is_no_rank_is_none(rank):
    assert rank_value(rank) is None


def test_splits_depend_on_the_id_alone():
    assert [split_of(f"kgs:{n}") for n in (0, 12, 56)] == [split_of(f"kgs:{n}") for n in (0, 12, 56)]
    shares = [split_of(f"game:{n}") for n in range(20_000)]
    assert abs(shares.count("train") / 20_000 - 0.9) < 0.01
    assert abs(shares.count("test") / 20_000 - 0.05) < 0.01
    # Frozen: these must never change, or trained models would be tested on their own games.
    assert [split_of(id_) for id_ in ("tygem:1", "kgs:2", "ogs:3", "goquest:4", "a", "b")] == FROZEN


FROZEN = ["test", "train", "train", "train", "test", "train"]


@pytest.mark.slow
def test_a_stopped_import_ends_with_the_same_store(tmp_path):
    rows = [row.partition("\t")[2] for row in random_games(60).splitlines()]  # copies, but under ids of their own
    (tmp_path / "games.tsv").write_text("".join(f"made:{n}\t{rows[n % 60]}\n" for n in range(12_000)))
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    command = [
        sys.executable,
        "-m",
        "tengen",
        "corpus",
        "import",
        str(tmp_path / "games.tsv"),
        "--workers",
        "2",
        "--to",
    ]
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    process = subprocess.Popen([*command, str(stopped)], stdout=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not list(stopped.glob(".import/*.parquet")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    subprocess.run([*command, str(stopped)], check=True, capture_output=True)
    assert digest(whole) == digest(stopped)
    assert Store(whole).rejected == Store(stopped).rejected


def test_zips_are_read_and_bombs_refused(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "games.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in GAMES:
            archive.write(path, path.name)
        archive.writestr("readme.txt", "no record")
    assert import_games([tmp_path / "games.zip"], tmp_path / "corpus", workers=1).games == 3
    monkeypatch.setattr("tengen.corpus.sources.MEMBER_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.sgf", "(;C[" + "x" * 2000 + "])")
    with pytest.raises(tengen.TengenError, match="would unpack to more than"):
        import_games([tmp_path / "bomb.zip"], tmp_path / "other", workers=1)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", b"PK\x03\x04 broken"),
        ("a.tsv.gz", b"\x1f\x8b broken"),
        ("b.tsv.gz", gzip.compress(b"x" * 9, mtime=0)[:-9]),
    ],
)
def test_broken_archives_are_refused_and_leave_nothing(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "tengen", "corpus", "import", name, "--to", "corpus"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert name in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "corpus").exists()


def test_what_cannot_be_read_is_named_and_the_rest_imported(tmp_path):
    records = tmp_path / "records"
    records.mkdir()
    good = random_games(1203, moves=6).splitlines()
    good[1100] = "a broken line"
    (records / "games.tsv").write_text("\n".join(good))
    (records / "bad.sgf").write_text("no record")
    (records / "half.sgf").write_text("(;SZ[9]KM[6.5];B[ee];W[cc])(;GM[2])")
    (records / "outside.sgf").write_text("(;SZ[9]KM[6.5];B[ee];W[zz])")
    (records / "c.zip").write_bytes(b"PK\x03\x04 broken")
    command = [sys.executable, "-m", "tengen", "corpus", "import", "records", "--workers", "1", "--to"]

    def run(to, *options):
        return subprocess.run(
            [*command, to, *options], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )

    expected = [
        "records/c.zip cannot be unpacked: File is not a zip file",
        "records/bad.sgf: holds no game",
        "records/games.tsv, game 1101: a line has 8, 9 or 12 columns, not 1",
        "records/half.sgf, game 2, byte 32: not a game of Go: GM is not 1 [2]",
        "records/outside.sgf, game 1: left out: W[zz] after move 1: a move outside the board was ignored (byte 23)",
    ]
    done = run("corpus", "--format", "json")
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["unreadable"]) == (1, 4)
    assert facts["problems"] == expected
    assert facts["games"] == 1203
    assert facts["rejected"] == {"point outside the board": 1, "unreadable": 4}
    assert done.stderr.splitlines() == [f"tengen corpus import: {problem}" for problem in expected]
    assert f"problems      {'; '.join(expected)}" in run("other").stdout.splitlines()


def test_many_unreadable_files_are_named_in_brief(tmp_path):
    for number in range(30):
        (tmp_path / f"{number:02}.sgf").write_text("no record")
    done = import_games(sorted(tmp_path.glob("*.sgf")) + GAMES, tmp_path / "corpus", workers=1)
    assert (done.games, done.unreadable, len(done.problems)) == (3, 30, 20)
    assert done.problems[19] == f"{tmp_path / '19.sgf'}: holds no game"
    again = import_games(GAMES, tmp_path / "corpus", workers=1)
    assert (again.unreadable, again.rejected["unreadable"]) == (0, 30)


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(tengen.TengenError, match="no games here"):
        find_sources([str(tmp_path)])
    with pytest.raises(tengen.TengenError, match="nowhere: no such file or folder"):
        find_sources([str(tmp_path / "nowhere")])


def test_a_missing_path_is_named_and_the_rest_imported(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "game.sgf").write_text("(;SZ[9]KM[6.5];B[ee];W[cc])")
    command = [sys.executable, "-m", "tengen", "corpus", "import", "nowhere", "game.sgf", "empty", "--workers", "1"]
    done = subprocess.run(
        [*command, "--to", "corpus"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "tengen corpus import: nowhere: no such file or folder",
        "tengen corpus import: empty: no games here: records are .sgf, .tsv, .tsv.gz or .zip",
    ]
    assert len(Store(tmp_path / "corpus")) == 1


def test_a_folder_with_other_things_is_not_taken_over(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(tengen.TengenError, match="other files"):
        Store.create(tmp_path)
    with pytest.raises(tengen.TengenError, match="is not a corpus"):
        Store(tmp_path)


def test_pieces_are_always_cut_alike(tmp_path):
    (tmp_path / "games.tsv").write_text(random_games(30))
    once, again = ([piece.digest for piece in pieces([tmp_path / "games.tsv", *GAMES])] for _ in range(2))
    assert once == again


def test_a_store_of_another_format_is_refused(tmp_path):
    (tmp_path / "store.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(tengen.TengenError, match="format 99"):
        Store(tmp_path)
