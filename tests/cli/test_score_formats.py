"""What every format of `tengen score` must show: first whether the count can be relied on, and every warning."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import pytest
from tests.cli.program import ROOT, call

import tengen
from tengen.cli.estimate import EstimateJob
from tengen.cli.report import CSV_COLUMNS, ScoreJob
from tengen.go.points import point_name

STATES = {"finished-9x9": "safe", "unsafe-9x9": "not safe", "resigned-19x19": "resigned"}
SVG = "{http://www.w3.org/2000/svg}"


def example(name):
    return ROOT / "examples" / f"{name}.sgf"


def written(name, format):
    """A game as a format shows it."""
    return ScoreJob(format)(tengen.read(example(name))).text


def words(svg):
    return [text.text for text in ET.fromstring(svg).findall(f"{SVG}text")]


@pytest.fixture(params=STATES)
def name(request):
    return request.param


@pytest.fixture
def headline(name):
    score = tengen.score(tengen.read(example(name)))
    assert score.state == STATES[name]
    assert score.state == "safe" or score.headline.startswith(score.state)
    return score.headline


def test_text_leads_with_the_headline(name, headline):
    assert written(name, "text").splitlines()[1] == headline


def test_json_has_state_and_headline(name, headline):
    row = json.loads(written(name, "json"))
    assert (row["state"], row["headline"]) == (STATES[name], headline)


def test_tables_begin_with_the_state_and_give_no_result_to_a_game_that_was_not_counted(name):
    row = next(csv.DictReader(io.StringIO(written(name, "csv")), CSV_COLUMNS))
    assert next(iter(row)) == "state"
    assert row["state"] == STATES[name]
    counted = STATES[name] != "resigned"
    assert (bool(row["result"]), bool(row["lead"])) == (counted, counted)
    assert row["as_it_stands"]


def test_pages_show_the_headline_before_the_count(name, headline):
    section = written(name, "html")
    said = section.index(f">{headline}</p>")
    assert said < section.index("<table")
    assert re.search(r"[BW]\+\d", section).start() >= said


def test_pictures_show_the_headline_above_the_board(name, headline):
    picture = written(name, "svg")
    assert ET.fromstring(picture).find(f"{SVG}title").text.endswith(headline)
    above = " ".join(words(picture)[:8])
    assert headline in above


def test_records_get_a_comment_that_begins_with_the_headline(name, headline):
    game = tengen.Game.from_sgf(written(name, "sgf"))
    assert game.main_line()[-1]["C"].startswith(headline)
    assert game.result == tengen.read(example(name)).result


def test_records_are_marked_only_where_there_is_a_count(name):
    end = tengen.Game.from_sgf(written(name, "sgf")).main_line()[-1]
    assert ("TB" in end) == (STATES[name] != "resigned")
    assert not {"TB", "TW", "MA"} & set(tengen.Game.from_sgf(as_sgf_of("(;SZ[9];B[ee];W[cc];B[zz])")).main_line()[-1])


def test_a_move_that_stays_in_the_record_is_said_to_be_ignored():
    text = as_sgf_of("(;SZ[9];B[ee];W[cc];B[zz])")
    assert "B[zz]" in text
    assert "a move outside the board was ignored" in text
    assert "left out" not in text


def as_sgf_of(text):
    return ScoreJob("sgf")(tengen.Game.from_sgf(text)).text


def test_the_marks_of_an_unsafe_game_are_explained():
    assert "@ White, unclear" in written("unsafe-9x9", "text")
    assert {"unclear", "territory"} <= set(words(written("unsafe-9x9", "svg")))
    assert "?" in words(written("unsafe-9x9", "svg"))


def test_seki_and_dame_are_marked():
    game = tengen.Game.from_sgf("(;SZ[5:2]RU[Japanese]KM[0]AB[ba][ab][bb]AW[da][db][eb])")
    text = ScoreJob("text", dead=[])(game).text
    assert "2 . Z ~ S . 2\n1 Z Z ~ S S 1" in text
    assert "Z Black, in seki  S White, in seki  ~ dame" in text
    assert {"seki", "dame"} <= set(words(ScoreJob("svg", dead=[])(game).text))


def test_a_position_before_the_last_is_not_resigned():
    item = ScoreJob("text", move=60).score(tengen.read(example("resigned-19x19")))
    assert item.score.state == "not finished"
    assert ScoreJob("text", move=120).score(tengen.read(example("resigned-19x19"))).score.state == "resigned"


@pytest.mark.parametrize("format", ["text", "json", "csv", "html", "svg", "sgf"])
def test_every_format_shows_the_warnings_of_the_record(format):
    game = tengen.Game.from_sgf("(;SZ[9]KM[6,5]RU[Japanese];B[ee];W[ec])")
    assert game.warnings == ["KM[6,5] was read as 6.5"]
    text = ScoreJob(format)(game).text
    shown = tengen.Game.from_sgf(text).main_line()[-1]["C"] if format == "sgf" else text
    assert "KM[6,5] was read as 6.5" in shown


@pytest.mark.parametrize("format", ["text", "json", "svg"])
def test_the_other_verbs_show_them_too(format):
    record = "(;SZ[9]KM[6,5]RU[Japanese];B[ee];W[ec])"
    assert "KM[6,5] was read as 6.5" in EstimateJob(format, "territory/naive")(tengen.Game.from_sgf(record))
    assert "KM[6,5] was read as 6.5" in call("show", "-", "-f", format, stdin=record).stdout


def test_false_eyes_count_as_asked(tmp_path):
    # D4 is a false eye: the three black stones round it have no other liberty.
    board = tengen.Board.from_text(["...XO..", "XXXXO.O", "OOX.XO.", ".OOXXO.", "O.OXOOO", ".OOOO.O"], komi=0)
    game = tengen.Game.new(7, 6, rules="japanese", komi=0)
    for colour, stones in (("AB", 1), ("AW", -1)):
        names = [point_name(r, c, 6) for r in range(6) for c in range(7) if board.stones[r, c] == stones]
        game.root.set_points(colour, names)
    path = tmp_path / "a.sgf"
    game.write(path)
    leads = {
        wanted: json.loads(call("score", path, "--dead", "", "--false-eyes", wanted, "-f", "json").stdout)["lead"]
        for wanted in ("counted", "auto")
    }
    assert leads["counted"] == leads["auto"] + 1
    assert "counted, uncounted or auto" in call("score", path, "--false-eyes", "maybe", code=2).stderr


@pytest.mark.parametrize("format", ["text", "json", "csv", "html", "svg", "sgf"])
def test_every_format_explains_why_the_record_differs(format):
    game = tengen.Game.from_sgf(example("finished-9x9").read_text().replace("RE[W+8.0]", "RE[W+6.5]"))
    explanation = "The record is right with komi 5.5 instead of 7."
    text = ScoreJob(format)(game).text
    shown = tengen.Game.from_sgf(text).main_line()[-1]["C"] if format == "sgf" else text
    assert explanation in shown if format != "svg" else explanation in " ".join(words(text))
    assert explanation not in ScoreJob(format)(tengen.read(example("finished-9x9"))).text
