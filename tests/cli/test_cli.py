"""The command line, as people and programs call it."""

import csv
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from tests.cli.program import ROOT, call, run

import tengen

GAME = ROOT / "examples" / "finished-9x9.sgf"


@pytest.mark.parametrize(
    ("words", "found"), [("tengen sc", ["score"]), ("tengen score --ru", ["--rules"]), ("tengen corpus im", ["import"])]
)
def test_shells_complete_commands_and_options(words, found):
    asked = {"_TENGEN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    command, environment = [sys.executable, "-m", "tengen"], {**os.environ, **asked}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == found


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(option):
    """They answer in under 0.3 s because nothing is loaded that they do not need."""
    code = (
        "import atexit, sys; sys.argv = ['tengen', sys.argv[1]]; from tengen.__main__ import main;"
        "atexit.register(lambda: print('loaded:', *sys.modules)); main()"
    )
    done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, encoding="utf-8", check=True)
    answer, _, modules = done.stdout.partition("loaded:")
    assert "tengen" in answer
    loaded = set(modules.split())
    assert loaded.isdisjoint(
        {"numpy", "rich.progress", "multiprocessing", "tengen._core", "tengen.go", "tengen.models"}
    )
    assert len(loaded) < 500


def test_the_shell_completes_commands_and_options():
    def completed(words):
        asked = {"_TENGEN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        command = [sys.executable, "-m", "tengen"]
        return subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True).stdout.split()

    assert completed("tengen se") == ["serve"]
    assert completed("tengen estimate --exp") == ["--explain"]


def test_score_json_has_every_field_and_sums():
    row = json.loads(run("score", GAME, "--format", "json").stdout)
    found = "dame false_eyes unsealed protections differences model"
    fields = "schema file game size width height rules komi state headline result lead recorded safe dead seki unclear"
    assert list(row) == [*fields.split(), "owner", "lines", "verdicts", "warnings", *found.split()]
    assert row["result"] == row["recorded"] == "W+8"
    assert (row["state"], row["headline"]) == ("safe", "W+8 (chinese, komi 7), as recorded")
    assert sum(line["black"] - line["white"] for line in row["lines"]) == row["lead"]
    assert {len(signs) for signs in row["owner"]} == {9}
    assert set(row["verdicts"][0]) == {"points", "status", "p", "reasons"}


def test_another_model_may_judge():
    row = json.loads(call("score", GAME, "-f", "json", "--model", "territory/naive").stdout)
    assert row["model"].startswith("territory/naive@")
    assert row["dead"] == []
    assert "territory/naive expects" in row["verdicts"][-1]["reasons"][-1]["sentence"]
    refused = call("score", GAME, "--model", "territory/none", code=2)
    assert refused.stderr.startswith("tengen score: there is no model 'territory/none'")
    assert refused.stderr.count("\n") == 1


def test_options_override_the_record():
    row = json.loads(call("score", GAME, "-f", "json", "--rules", "aga", "--komi", "0.5", "--dead", "E2").stdout)
    assert (row["rules"], row["komi"]) == ("aga", 0.5)
    assert row["dead"] == ["E2"]
    row = json.loads(call("score", GAME, "-f", "json", "--rules", "japanese", "--captures", "4,9").stdout)
    assert {"label": "captures", "black": 4, "white": 9} in row["lines"]


def test_a_record_can_come_from_standard_input():
    row = json.loads(run("score", "-", "-f", "json", stdin=GAME.read_text()).stdout)
    assert (row["file"], row["result"]) == ("-", "W+8")


def test_a_bad_file_is_reported_skipped_and_makes_the_exit_code_1(tmp_path):
    (tmp_path / "bad.sgf").write_text("this is no record")
    (tmp_path / "good.sgf").write_text(GAME.read_text())
    done = call("score", tmp_path, "-f", "json", code=1)
    bad, good = (json.loads(line) for line in done.stdout.splitlines())
    assert set(bad) == {"schema", "file", "game", "error"}
    assert bad["file"].endswith("bad.sgf")
    assert good["result"] == "W+8"
    assert "bad.sgf" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "nowhere.sgf"], "nowhere.sgf: no such file or folder"),
        (["score", GAME, "--rules", "chess"], "japanese"),
        (["score", GAME, "--format", "pdf"], "text, json, sgf, svg, csv, html"),
        (["score", GAME, "--captures", "lots"], "12,7"),
        (["bench", "chess"], "playouts"),
        (["evaluate", "bishop", "--on", GAME], "judge"),
        (["evaluate", "judge", "--on", "nowhere.jsonl"], "nowhere.jsonl"),
        (["show", ROOT / "src"], "no game records"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, said):
    done = call(*arguments, code=2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_move_beyond_the_game_is_an_error_of_that_game():
    assert "45 moves" in call("score", GAME, "--move", "99", code=1).stderr


def test_csv_has_a_row_a_game_and_no_formulas(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[9]PB[=1+1]PW[@x]RE[B+1];B[ee])")
    rows = list(csv.DictReader(io.StringIO(call("score", tmp_path, "-f", "csv").stdout)))
    assert rows[0]["black"] == "'=1+1"
    assert rows[0]["agrees"] == ""  # the game is not finished


def test_text_from_records_is_escaped_in_pages_and_pictures(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[9]PB[<script>alert(1)</script>]C[x];B[ee])")
    assert "<script>alert" not in call("score", tmp_path, "-f", "html").stdout
    picture = call("score", tmp_path, "-f", "svg").stdout
    assert "<script>" not in picture
    ET.fromstring(picture)


def test_seki_false_eyes_and_open_borders_are_said(tmp_path):
    stones = "AB[ba][ab][bb]AW[da][db][eb]"
    (tmp_path / "seki.sgf").write_text(f"(;SZ[5:2]RU[Japanese]KM[0]{stones})")
    text = call("score", tmp_path, "--dead", "").stdout
    assert "seki: B2 A1 B1 D2 D1 E1" in text
    assert "note: eyes in seki do not count: A2 E2" in text
    row = json.loads(call("score", tmp_path, "--dead", "", "-f", "json").stdout)
    assert row["dame"] == ["C2", "C1"]
    assert {verdict["status"] for verdict in row["verdicts"]} == {"seki"}


def test_counting_and_suites_are_evaluated(tmp_path):
    finals = tmp_path / "finals.sgf"
    finals.write_text("(;SZ[3]RU[Japanese]KM[0]RE[B+7];B[bb];W[aa];B[ba];W[];B[ab];W[];TB[aa][ac][bc][ca][cb][cc])")
    rows = call("evaluate", "counting", "--on", finals, "-f", "json").stdout
    assert '"japanese"' in rows
    board = {"board": [" b ", "bbb", " b "], "correct_ownership": ["BBB", "BBB", "BBB"]}
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "one.json").write_text(json.dumps(board))
    assert "everything       1     1" in call("evaluate", "suite", "--on", tmp_path / "suite").stdout


def test_scored_records_carry_territory_marks_and_reasons(tmp_path):
    out = tmp_path / "scored.sgf"
    call("score", GAME, "-f", "sgf", "-o", out)
    last = tengen.read(out).main_line()[-1]
    assert len(last.points("TB")) == 25
    assert len(last.points("TW")) == 22
    assert sorted(last.points("MA")) == ["C4", "D3", "H5", "H6", "J5"]
    assert "Judging by its liberties" in last["C"]
    assert tengen.read(out).moves == tengen.read(GAME).moves


def test_show_draws_the_position_after_some_moves():
    said = call("show", GAME, "--move", "1").stdout
    assert "(X)" in said
    assert "move 1, black F6; white to play" in said
    row = json.loads(call("show", GAME, "--move", "1", "-f", "json").stdout)
    assert row["board"][3] == ".....X..."
    ET.fromstring(call("show", GAME, "-f", "svg").stdout)


def test_convert_writes_records_lines_and_json(tmp_path):
    game = tengen.read(GAME)
    sgf, tsv = tmp_path / "x.sgf", tmp_path / "x.tsv"
    call("convert", GAME, "-o", sgf)
    call("convert", GAME, "-f", "tsv", "-o", tsv)
    assert tengen.read(sgf).moves == game.moves
    assert tengen.read(tsv).moves == game.moves
    row = json.loads(call("convert", GAME, "-f", "json").stdout)
    assert row["moves"][0] == ["black", "F6"]
    assert len(row["moves"]) == 45


def test_an_output_file_is_whole_or_not_there(tmp_path):
    out = tmp_path / "out.json"
    call("score", GAME, "--format", "json", "--move", "99", "-o", out, code=1)
    call("score", "nowhere.sgf", "-o", tmp_path / "other.json", code=2)
    assert not (tmp_path / "other.json").exists()
    assert not list(tmp_path.glob("*.part"))


def test_marked_finals_are_evaluated(tmp_path):
    final = {
        "id": "one",
        "board": [".X.XO.O", "XXXXOX.", ".O.XOOO", "...XO.O", "XXXXOOO", ".X.XO..", "XXXXOO."],
        "owner": ["XXXXOOO"] * 7,
        "rules": "Chinese",
        "komi": 0.5,
        "handicap": 0,
        "captured_by_black": 0,
        "captured_by_white": 0,
        "result": "B+6.5",
    }
    path = tmp_path / "finals.jsonl"
    path.write_text(json.dumps(final) + "\n")
    row = json.loads(call("evaluate", "judge", "--on", path, "--split", "all", "-f", "json").stdout)
    assert (row["judge"], row["games"], row["wrong chains"]["value"], row["results exact"]["value"]) == (
        "tengen",
        1,
        0,
        1,
    )
    assert "no final position" in call("evaluate", "judge", "--on", path, "--split", "valid", code=2).stderr
    assert "no model 'leela'" in call("evaluate", "judge", "--on", path, "--against", "leela", code=2).stderr
    both = call("evaluate", "judge", "--on", path, "--split", "all", "--against", "judge/chains", "-f", "json").stdout
    assert '"tengen − judge/chains"' in both


def test_show_draws_the_graphs_of_a_board(tmp_path):
    for graph in ("fate", "block", "group", "augmented"):
        file = tmp_path / f"{graph}.svg"
        call("show", GAME, "--graph", graph, "-o", file)
        assert ET.parse(file).getroot().tag.endswith("svg")
    assert "fate, block, group, augmented" in call("show", GAME, "--graph", "stone", code=2).stderr
    assert "drawn as SVG" in call("show", GAME, "--graph", "block", "--format", "json", code=2).stderr
