"""`tengen review`, as people and programs call it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest
from tests.cli.program import ROOT, call, run

import tengen

GAME = ROOT / "examples/finished-9x9.sgf"
JOURNAL = ".tengen-review.jsonl"


@pytest.fixture
def games(tmp_path):
    """A folder with a game, another in a folder below, a collection of two, and a file that is no record."""
    folder = tmp_path / "games"
    (folder / "below").mkdir(parents=True)
    (folder / "one.sgf").write_text("(;SZ[5];B[cc];W[bb];B[dd])")
    (folder / "below" / "one.sgf").write_text("(;SZ[5];B[cc])")
    (folder / "two.sgf").write_text("(;SZ[5];B[bb])(;SZ[5];B[dd];W[cc])")
    (folder / "bad.sgf").write_text("nothing")
    return folder


def times(folder):
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != JOURNAL
    }


def test_json_is_one_object_a_game():
    row = json.loads(call("review", GAME, "--playouts", 0, "-f", "json").stdout)
    assert list(row)[:6] == ["schema", "file", "game", "size", "width", "height"]
    assert (row["schema"], row["file"], row["game"]) == (1, str(GAME), 1)
    expected = tengen.read(GAME).review(playouts=0)
    assert [move["lead"] for move in row["moves"]] == [round(move.lead, 2) for move in expected.moves]
    assert [swing["move"] for swing in row["swings"]] == [swing.move for swing in expected.swings]


def test_text_and_pictures_and_records(tmp_path):
    assert "largest swings" in run("review", GAME, "--playouts", 0).stdout
    call("review", GAME, "--playouts", 0, "-f", "svg", "-o", tmp_path / "game.svg")
    assert ET.parse(tmp_path / "game.svg").getroot().tag.endswith("svg")
    call("review", GAME, "--playouts", 2, "-f", "sgf", "-o", tmp_path / "game.sgf")
    assert "Tengen: " in tengen.read(tmp_path / "game.sgf").main_line()[1]["C"]


def test_a_bad_file_is_reported_and_the_rest_is_reviewed(games):
    done = call("review", games, "--playouts", 0, "-f", "json", code=1)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 5
    assert [row["file"] for row in rows if "error" in row] == [str(games / "bad.sgf")]
    assert "bad.sgf" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_path_and_an_empty_folder_are_reported_and_the_rest_is_reviewed(games, tmp_path):
    (tmp_path / "empty").mkdir()
    paths = [tmp_path / "missing.sgf", tmp_path / "empty", games / "one.sgf"]
    done = call("review", *paths, "--playouts", 0, "-o", tmp_path / "out", code=1)
    assert list(times(tmp_path / "out")) == ["one.txt"]
    assert done.stderr.count("\n") == 2
    assert "missing.sgf: no such file or folder" in done.stderr
    assert "empty: no game records" in done.stderr


def test_several_games_have_no_single_picture(games):
    done = call("review", games / "two.sgf", "--playouts", 0, "-f", "svg", code=2)
    assert done.stderr == (
        "tengen review: a picture shows one game: give one record with one game, or a folder: -o FOLDER\n"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--format", "pdf"], "format 'pdf' is not known here"),
        (["--model", "no/such"], "there is no model 'no/such'"),
        (["--rules", "rugby"], "rugby"),
    ],
)
def test_bad_options_are_refused_before_anything_is_read(options, reason):
    done = call("review", GAME, *options, code=2)
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_gets_a_file_a_game_and_is_resumed(games, tmp_path):
    out = tmp_path / "out"
    call("review", games, "--playouts", 0, "-f", "json", "-o", out, code=1)
    first = times(out)
    assert list(first) == ["below/one.json", "one.json", "two-2.json", "two.json"]
    call("review", games, "--playouts", 0, "-f", "json", "-o", out, code=1)
    assert times(out) == first
    (out / "one.json").unlink()
    (games / "two.sgf").write_text("(;SZ[5];B[bb])(;SZ[5];B[dd];W[ca])")
    call("review", games, "--playouts", 0, "-f", "json", "-o", out, code=1)
    second = times(out)
    assert {name for name in second if second[name] != first[name]} == {"one.json", "two-2.json"}


def test_other_settings_are_other_reviews(games, tmp_path):
    (games / "bad.sgf").unlink()
    out = tmp_path / "out"
    before = []
    for options in (
        ["--playouts", 0],
        ["--playouts", 1],
        ["--playouts", 1, "--komi", 3],
        ["--playouts", 1, "--seed", 9],
    ):
        call("review", games, "-o", out, *options)
        assert times(out) not in before
        assert not before or all(times(out)[name] != before[-1][name] for name in times(out))
        before.append(times(out))


def test_reviews_are_never_reviewed(games):
    (games / "bad.sgf").unlink()
    out, other = games / "reviewed", games / "again"
    for folder in (out, out, other):
        call("review", games, "--playouts", 0, "-f", "sgf", "-o", folder)
    assert list(times(out)) == list(times(other)) == ["below/one.sgf", "one.sgf", "two-2.sgf", "two.sgf"]
    assert len(call("review", games, "--playouts", 0, "-f", "json").stdout.splitlines()) == 4


def test_a_record_is_never_overwritten(games):
    before = (games / "one.sgf").read_text()
    done = call("review", games / "one.sgf", "--playouts", 0, "-f", "sgf", "-o", games, code=1)
    assert "would overwrite the record" in done.stderr
    assert (games / "one.sgf").read_text() == before


def test_records_of_the_same_name_do_not_share_a_file(games, tmp_path):
    out = tmp_path / "out"
    call("review", games / "one.sgf", games / "below" / "one.sgf", "--playouts", 0, "-f", "json", "-o", out)
    rows = [json.loads((out / name).read_text()) for name in times(out)]
    assert sorted(len(row["moves"]) for row in rows) == [1, 3]


def test_a_journal_that_was_cut_short_is_read_as_far_as_it_goes(games, tmp_path):
    (games / "bad.sgf").unlink()
    out = tmp_path / "out"
    call("review", games, "--playouts", 0, "-o", out)
    first = times(out)
    journal = out / JOURNAL
    journal.write_text(journal.read_text()[:-8])
    call("review", games, "--playouts", 0, "-o", out)
    assert sum(times(out)[name] != first[name] for name in first) == 1


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_a_run_that_was_stopped_leaves_whole_files_and_goes_on(tmp_path):
    folder, out = tmp_path / "games", tmp_path / "out"
    folder.mkdir()
    for number in range(6):
        shutil.copy(GAME, folder / f"game-{number}.sgf")
    argv = [sys.executable, "-m", "tengen", "review", str(folder), "--playouts", "20", "-f", "json", "-o", str(out)]
    process = subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not times(out) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[1] in ("tengen review: stopped\n", "")
    done = times(out)
    assert done
    assert all(json.loads((out / name).read_text())["moves"] for name in done)
    run("review", folder, "--playouts", 20, "-f", "json", "-o", out)
    assert len(times(out)) == 6
    assert all(times(out)[name] == when for name, when in done.items())
