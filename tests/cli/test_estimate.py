"""`tengen estimate` and `tengen models`, as people and programs call them."""

import json
import xml.etree.ElementTree as ET

import pytest
from tests.cli.program import ROOT, call, run

import tengen

GAME = "examples/finished-9x9.sgf"


def test_json_has_every_field_and_is_what_python_says():
    row = json.loads(run("estimate", GAME, "--move", 20, "--format", "json").stdout)
    assert (
        list(row)
        == "schema file game move size width height to_play model ownership lead lead_sd winrate warnings".split()
    )
    found = tengen.estimate(tengen.read(ROOT / GAME).board(20))
    assert row["ownership"] == found.ownership.round(4).tolist()
    assert (row["lead"], row["lead_sd"], row["winrate"]) == (
        round(found.lead, 4),
        round(found.lead_sd, 4),
        round(found.winrate, 4),
    )
    assert (row["schema"], row["file"], row["game"], row["move"], row["size"]) == (1, GAME, 1, 20, 9)
    assert (row["to_play"], row["model"]) == ("black", found.model)


def test_text_shows_the_board_and_one_line():
    lines = call("estimate", GAME, "--move", 20, "--model", "territory/influence").stdout.splitlines()
    assert lines[0] == f"{GAME}, move 20, black to play"
    assert lines[2] == "9 = = = = . . . = . 9"
    assert lines[12:14] == [
        "X Black  O White  * Black's territory  = White's territory  . neutral",
        "( ) last move",
    ]
    assert lines[-1].startswith("White leads by 7.0 ± 9.3, Black wins 23% (chinese, komi 7; territory/influence@")
    assert len(lines) == 1 + 11 + 2 + 1


def test_options_override_the_record():
    row = json.loads(call("estimate", GAME, "-f", "json", "-M", "territory/naive", "--komi", "0.5").stdout)
    other = json.loads(call("estimate", GAME, "-f", "json", "-M", "territory/naive", "--rules", "japanese").stdout)
    board = tengen.read(ROOT / GAME).board()
    assert row["lead"] == tengen.go.counting.count(board, komi=0.5).lead
    assert other["lead"] == tengen.go.counting.count(board, rules="japanese").lead


def test_a_model_may_be_a_file(tmp_path):
    path = tmp_path / "quick.safetensors"
    type(tengen.load("territory/playouts"))(n=20).save(path)
    row = json.loads(call("estimate", GAME, "-f", "json", "--model", path).stdout)
    assert row["model"] == tengen.load(path).identity


def test_points_are_explained(tmp_path):
    found = tengen.estimate(tengen.read(ROOT / GAME).board(20), model="territory/fate-net").explain("C3")
    given = ["estimate", GAME, "--move", 20, "-M", "territory/fate-net", "--explain", "C3", "--explain", "A9"]
    row = json.loads(call(*given, "-f", "json").stdout)
    assert row["reasons"]["C3"] == [reason.as_dict() for reason in found]
    assert row["reasons"]["A9"][0]["kind"] == "ownership"
    for format in ("text", "svg"):
        assert found[1].sentence.split(" (")[0] in call(*given, "-f", format).stdout
    assert "K10" in call("estimate", GAME, "--explain", "K10", code=1).stderr


def test_svg_is_a_picture_of_one_game(tmp_path):
    picture = ET.fromstring(call("estimate", GAME, "--move", 20, "-f", "svg").stdout)
    assert picture.tag.endswith("svg")
    title = picture.find("{http://www.w3.org/2000/svg}title").text
    assert title.startswith(f"{GAME}, move 20, black to play: ")  # which position it is
    assert "leads by" in title
    assert "one record with one game" in call("estimate", "examples", "-f", "svg", code=2).stderr


def test_several_games_are_several_lines_and_a_bad_one_is_named(tmp_path):
    (tmp_path / "bad.sgf").write_text("this is no record")
    (tmp_path / "good.sgf").write_text((ROOT / GAME).read_text())
    done = call("estimate", tmp_path, "-f", "json", "-M", "territory/naive", code=1)
    bad, good = (json.loads(line) for line in done.stdout.splitlines())
    assert set(bad) == {"schema", "file", "game", "error"}
    assert good["move"] == 45
    assert "45 moves" in call("estimate", GAME, "--move", 99, code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["estimate", GAME, "--model", "oracle"], "territory/naive, "),
        (["estimate", GAME, "--model", "nothing.safetensors"], "nothing.safetensors"),
        (["estimate", GAME, "--format", "csv"], "text, json, svg"),
        (["estimate", GAME, "--rules", "chess"], "japanese"),
        (["models", "--format", "svg"], "text, json"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, said):
    done = call(*arguments, code=2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_models_are_listed():
    assert any(line.split(maxsplit=1)[0] == "territory/naive" for line in call("models").stdout.splitlines())
    rows = [json.loads(line) for line in call("models", "-f", "json").stdout.splitlines()]
    for name, entry in tengen.models().items():
        row = next(row for row in rows if row["model"] == name)
        assert (row["about"], row["gives"], row["fitted"]) == (entry.about, list(entry.gives), entry.fitted)
    assert [row["model"] for row in rows if row["default"]] == ["net/small"]


def test_a_model_used_where_it_makes_no_sense_warns_in_every_format():
    warning = "territory/naive was made for finished boards"
    options = ("estimate", GAME, "--move", 10, "--model", "territory/naive")
    assert f"note: {warning}" in call(*options).stdout.splitlines()[-1]
    assert json.loads(call(*options, "--format", "json").stdout)["warnings"][-1].startswith(warning)
    assert "is for any position" in call(*options, "--format", "svg").stdout
