"""The engine over GTP, command by command."""

import io
import itertools
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tengen
from engines.processes import gone
from protocols.talking import Talk
from tengen.engines.gtp import GtpEngine
from tengen.engines.katago import KataGoAnalysis
from tengen.go.counting import lead_of
from tengen.protocols.gtp import COMMANDS, serve
from tengen.protocols.gtp.clocks import Clocks
from tengen.protocols.gtp.game import free_handicap
from tengen.protocols.gtp.live import drawing
from tengen.protocols.gtp.table import is_number
from tengen.search.analysis import Analysis, Candidate
from tengen.search.clock import Clock
from tengen.search.player import Player, Settings

FINISHED = "examples/finished-9x9.sgf"


# The protocol.


def test_answers_carry_the_number_of_their_command():
    talk = Talk()
    assert talk.raw("7 name\n") == "=7 Tengen\n\n"
    assert talk.raw("8 nonsense\n") == "?8 unknown command\n\n"
    assert talk.raw("protocol_version\n") == "= 2\n\n"


def test_comments_and_control_characters_are_left_out():
    talk = Talk()
    assert talk.raw("# a comment\n") == ""
    assert talk.raw("   \n") == ""
    assert talk.raw("na\x07me # who?\r\n") == "= Tengen\n\n"
    assert talk.raw("play\tb\tD4\n") == "= \n\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("play b", "syntax error: write play colour point"),
        ("play green D4", "'green' is not a colour"),
        ("play b I4", "columns skip the letter I"),
        ("play b Z99", "is off the 19×19 board"),
        ("boardsize 26", "unacceptable size"),
        ("boardsize nineteen", "is not a whole number"),
        ("komi nan", "is not a number"),
        ("komi 1e400", "is not a number"),
        ("undo", "cannot undo"),
        ("final_status_list asleep", "status is dead, alive, seki"),
        ("kata-set-rules chess", "unknown rules"),
        ("kata-set-rules {", "not valid JSON"),
        ("time_settings 1e12 0 0", "at most 2147483647"),
        ("time_settings 0 1e12 0", "at most 2147483647"),
        ("kata-time_settings none 3", "none takes no numbers, not 1"),
        ("kgs-time_settings absolute", "absolute takes 1 number, not 0"),
        ("kata-time_settings byoyomi 60 5", "byoyomi takes 3 numbers, not 2"),
        ("printsgf - x", "write nothing after -"),
        ("kata-analyze b -5", "interval must be at least 0"),
        ("lz-analyze interval -5", "interval must be at least 0"),
        ("kata-analyze b 5 maxmoves 0", "maxmoves must be at least 1"),
        ("kata-analyze b 5 minmoves -1", "minmoves must be at least 0"),
        ("komi 6_5", "is not a number"),
        ("komi ٦.٥", "is not a number"),
        ("komi 0x10", "is not a number"),
        ("komi infinity", "is not a number"),
        ("boardsize 1_9", "is not a whole number"),
        ("boardsize ١٩", "is not a whole number"),
        ("play x d4", "'x' is not a colour"),
        ("genmove o", "'o' is not a colour"),
        ("set_position x D4", "'x' is not a colour"),
        ("kata-analyze b 10 avoid x D4 1", "'x' is not a colour"),
        ("kata-analyze b 1_0", "syntax error after '1_0'"),
        ("kata-analyze b 10 pvEdgeVisits perhaps", "neither true nor false"),
        ("time_settings 6_0 0 0", "is not a number"),
        ("kata-set-param maxTime 1_0", "is not a number"),
        ("kata-set-params", "as JSON"),
        ("kata-set-params [1]", "a JSON object"),
        ('kata-set-params {"maxTime": NaN}', "is not a number"),
        ('kata-set-params {"maxVisits": [1]}', "is not a number"),
        ("kata-set-params " + "[" * 5000, "as JSON"),
        ("countlib D4", "vertex must not be empty"),
        ("level ten", "is not a whole number"),
        ("kata-search", "syntax error: write kata-search colour"),
        ("set_free_handicap", "bad vertex list"),
        ("set_free_handicap pass", "not the name of a point"),
        ("kata-time_settings hourglass 3", "unknown time system"),
        ("kata-analyze b 10 avoid", "syntax error"),
        ("kata-analyze b 10 colour true", "unknown key"),
        ("loadsgf /nowhere/at/all.sgf", "cannot load file"),
        ("loadsgf", "cannot load file"),
        (f"loadsgf {'x' * 5000}", "cannot load file"),
        ("printsgf /nowhere/at/all.sgf", "cannot write file"),
        ("set_position b", "a colour and a point in turn"),
        ("set_position b C3 w C3", "one stone on a point"),
        ("set_position b A1 w A2 w B1", "has no liberty"),
        ("set_position b pass", "not the name of a point"),
        ("kata-analyze b 10 avoid b Z99 1", "off the 19×19 board"),
        ("kata-analyze b 10 avoid w Z99 1", "off the 19×19 board"),
        ("kata-analyze b 10 allow b C3,,D4 1", "not the name of a point"),
        ("kata-analyze b 10 allow b C3 0", "a depth of 1 or more"),
        ("kata-analyze b 10 allow b C3 deep", "is not a whole number"),
        ("kata-analyze b 10 allow b C3", "syntax error"),
        ("kata-set-param maxVisits many", "is not a number"),
        ("kata-set-param maxTime -1", "is negative"),
        ("kata-set-param ponderingEnabled perhaps", "neither true nor false"),
        ("kata-set-param analysisWideRootNoise much", "is not a number"),
        ("kata-set-param humanSLProfile rank_5k", "unknown setting"),
        ("kata-get-param humanSLProfile", "unknown setting"),
        ("set_free_handicap D4 D4", "each once"),
        ("help me", "unknown command"),
        ("x" * 70_000, "longer than"),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(line, words):
    talk = Talk()
    assert words in talk.refuses(line)
    assert talk("name") == "Tengen"


def test_plain_analysis_is_accepted_but_not_listed():
    """Sabaki prefers it where it is listed, and reads KataGo's dialect wrong in it."""
    talk = Talk("boardsize 5")
    listed = talk("list_commands").split()
    assert set(COMMANDS) - set(listed) == {"analyze", "genmove_analyze"}
    assert talk("known_command analyze") == talk("known_command genmove_analyze") == "false"
    assert talk("known_command kata-analyze") == "true"
    assert talk("analyze b 10").startswith("info move")
    assert "\nplay " in talk("genmove_analyze b 10")


def test_digits_of_other_scripts_are_no_number_of_a_command():
    talk = Talk()
    assert talk.raw("٧ name\n") == "? unknown command\n\n"
    assert talk.raw("7 name\n") == "=7 Tengen\n\n"


def test_every_command_says_how_it_is_written():
    listed = Talk()("help").split("\n")
    assert len(listed) == len(COMMANDS)
    assert all(command.about.endswith(".") for command in COMMANDS.values())


def test_every_command_and_setting_is_in_the_docs():
    page = (Path(__file__).parents[2] / "docs" / "gtp.md").read_text(encoding="utf-8")
    assert [name for name in Talk()("kata-list-params").split() if f"`{name}`" not in page] == []
    assert set(re.findall(r"`([a-z_-]+)`", page.partition("## Questions")[0])) >= set(COMMANDS)


# The game.


def test_a_game_is_played_and_taken_back():
    talk = Talk("boardsize 9", "clear_board", "komi 7")
    talk("play b E5")
    assert "illegal move" in talk.refuses("play w E5")
    move = talk("genmove w")
    assert talk.session.board.move_number == 2
    assert talk.session.board.last_move.point == move
    talk("undo")
    assert talk.session.board.to_play == "white"
    assert talk("reg_genmove w")
    assert talk.session.board.move_number == 1
    assert talk("get_komi") == "7"


def test_both_colours_may_move_twice():
    talk = Talk("boardsize 9", "play b E5", "play b D5", "genmove b")
    assert [move.colour for move in talk.session.board.moves] == ["black"] * 3


def test_new_boards_keep_rules_and_komi():
    talk = Talk("kata-set-rules japanese", "komi 5.5", "boardsize 13 9", "clear_board")
    board = talk.session.board
    assert (board.width, board.height, board.rules.name, board.komi) == (13, 9, "japanese", 5.5)
    assert talk("query_boardsize") == "13 9"


@pytest.mark.parametrize("stones", [2, 5, 9, 12, 25])
@pytest.mark.parametrize("sides", [(19, 19), (9, 9), (6, 6), (13, 7)])
def test_free_handicap_is_exactly_as_many_points(stones, sides):
    points = free_handicap(*sides, stones)
    assert len(points) == len(set(points)) == stones
    assert all(0 <= row < sides[1] and 0 <= column < sides[0] for row, column in points)


def test_handicap_counts():
    talk = Talk("boardsize 9", "kata-set-rules chinese", "komi 0.5")
    assert talk("fixed_handicap 2") == "C3 G7"
    assert (talk.session.board.handicap, talk.session.board.to_play) == (2, "white")
    assert talk.refuses("fixed_handicap 2") == "board not empty"
    talk("clear_board")
    talk("set_free_handicap A1 B2 C3")
    assert talk.session.board.handicap == 3
    assert talk.session.board.stones.sum() == 3


@pytest.mark.parametrize("points", ["D4", "A1 B1 C1", "A1 T19 K10", " ".join(f"A{row}" for row in range(1, 20))])
def test_free_handicap_is_set_on_any_points(points):
    talk = Talk(f"set_free_handicap {points}")
    assert set(talk("list_stones black").split()) == set(points.split())
    assert (talk.session.board.handicap, talk.session.board.to_play) == (len(points.split()), "white")


def test_undo_takes_back_one_move_whatever_is_written_behind_it():
    talk = Talk("play b D4", "play w Q16", "play b Q4", "play w D16", "play b K10")
    for line, left in (("undo 0", 4), ("gg-undo 0", 4), ("undo 2", 3), ("gogui-undo 2", 1), ("undo x", 0)):
        talk(line)
        assert talk.session.board.move_number == left
    assert talk.refuses("undo 0") == "cannot undo"


def test_stones_captures_and_liberties_are_counted():
    talk = Talk("boardsize 5", "play b A1", "play w A2", "play b C3", "play w B1", "play b D3")
    assert talk("list_stones white") == "A2 B1"
    assert talk("list_stones b") == "C3 D3"
    assert (talk("captures white"), talk("captures black")) == ("1", "0")
    assert talk("countlib d3") == "6"


def test_records_are_loaded_and_printed(tmp_path):
    talk = Talk(f"loadsgf {FINISHED}")
    game = tengen.read(FINISHED)
    assert talk.session.board == game.board()
    talk(f"loadsgf {FINISHED} 11")
    assert talk.session.board.move_number == 10
    printed = tengen.Game.from_sgf(talk("printsgf"))
    assert talk("printsgf -") == talk("printsgf")
    assert not Path("-").exists()
    assert printed.moves == game.moves[:10]
    file = tmp_path / "with a blank.sgf"
    talk(f"printsgf {file}")
    assert tengen.read(file).moves == game.moves[:10]
    talk("set_position w A1 b C3")
    assert tengen.Game.from_sgf(talk("printsgf")).board() == talk.session.board


RULES = [("japanese", "TERRITORY", "SEKI"), ("stone-scoring", "AREA", "ALL"), ("tt", "AREA", "NONE")]


@pytest.mark.parametrize(("name", "scoring", "tax"), RULES)
def test_rules_are_set_and_said(name, scoring, tax):
    talk = Talk(f"kata-set-rules {name}")
    rules = json.loads(talk("kata-get-rules"))
    assert (rules["scoring"], rules["tax"]) == (scoring, tax)
    talk("kata-set-rule tax NONE")
    talk("kata-set-rule suicide true")
    assert talk.session.board.rules.tax == "NONE"
    assert talk.session.board.rules.suicide


def test_broken_records_leave_the_position_as_it_was(tmp_path):
    talk = Talk("boardsize 9", "play b E5")
    for number, data in enumerate((b"", b"\x00\xff junk", b"(;SZ[9];B[aa];W[b", b"(;GM[2]SZ[8];B[aa])")):
        file = tmp_path / f"{number}.sgf"
        file.write_bytes(data)
        assert talk.refuses(f"loadsgf {file}").startswith("cannot load file: ")
        assert [move.point for move in talk.session.board.moves] == ["E5"]


def test_several_moves_are_played_or_taken_back_whole_or_not_at_all(tmp_path):
    talk = Talk("boardsize 9", "play b E5")
    assert "illegal move" in talk.refuses("gogui-play_sequence w C3 b C3 w D4")
    assert talk.session.board.move_number == 1
    file = tmp_path / "corrected.sgf"
    file.write_text("(;SZ[9];B[aa];W[bb];AE[aa];B[cc])")
    talk(f"loadsgf {file}")
    assert talk.session.board.move_number == 3
    assert talk.refuses("gg-undo 2").startswith("cannot undo")  # not past stones that were set up by hand
    assert talk.session.board.move_number == 3
    talk("undo")
    assert talk.refuses("undo").startswith("cannot undo")
    assert talk.session.board.stones.sum() == -1


# Settings.


def test_limits_are_set_and_said():
    talk = Talk()
    for name, set_to, said in (
        ("maxVisits", "1000000000000", 2**40),
        ("maxTime", "1e20", 1e20),
        ("maxPlayouts", "250", 250),
        ("maxTime", "2.5", 2.5),
        ("numSearchThreads", "2", 2),
        ("ponderingEnabled", "true", True),
    ):
        talk(f"kata-set-param {name} {set_to}")
        assert json.loads(talk(f"kata-get-param {name}")) == said
        assert json.loads(talk("kata-get-params"))[name] == said
    assert (talk.session.settings.playouts, talk.session.settings.seconds) == (250, 2.5)
    assert talk.session.ponder
    assert json.loads(talk("kata-get-param maxVisits")) == 2**40
    talk("kata-set-param maxVisits 100")
    assert (talk("kata-get-param maxVisits"), talk("kata-get-param maxPlayouts")) == ("100", "250")
    assert talk.session.settings.playouts == 100
    talk("level 5")
    assert talk.session.settings.playouts == 320


def test_several_settings_are_set_at_once_or_not_at_all():
    talk = Talk(playouts=None)
    talk('kata-set-params {"maxVisits": 250, "maxTime": "2.5", "ponderingEnabled": true, "rootPolicyTemperature": 1.1}')
    assert (talk.session.settings.playouts, talk.session.settings.seconds, talk.session.ponder) == (250, 2.5, True)
    before = talk.session.settings
    assert "unknown setting" in talk.refuses('kata-set-params {"maxVisits": 9, "ponderingEnabled": false, "x": 1}')
    assert (talk.session.settings, talk.session.ponder) == (before, True)
    assert talk("kata-get-param maxVisits") == "250"
    talk("kata-set-params {}")
    assert talk.session.settings == before


def test_models_are_described_in_katagos_fields():
    (model,) = json.loads(Talk()("kata-get-models"))
    assert model["name"] == f"Tengen {tengen.__version__}"
    assert set(model) == {"name", "internalName", "maxBatchSize", "usesHumanSLProfile", "version", "usingFP16"}


@pytest.mark.parametrize(("level", "playouts"), [("10", 10_240), ("1", 20), ("-5", 10), ("99", 10_240)])
def test_levels_are_playouts(level, playouts):
    assert Talk(f"level {level}").session.settings.playouts == playouts


def test_without_limits_a_move_still_comes(monkeypatch):
    monkeypatch.setattr("tengen.protocols.gtp.session.USUAL_SECONDS", 0.05)
    talk = Talk("boardsize 2", "kata-set-param maxTime 1e20", "kata-set-param maxPlayouts 1000000000000")
    assert (talk.session.settings.playouts, talk.session.settings.seconds) == (None, None)
    assert talk("genmove b")


def test_settings_without_use_here_are_taken_and_what_is_said_of_them_stays_true():
    talk = Talk()
    before = talk.session.settings
    for name, set_to, said in (
        ("analysisWideRootNoise", "0.04", "0.0"),
        ("playoutDoublingAdvantage", "2.0", "0.0"),
        ("rootPolicyTemperature", "1.5", "1.0"),
        ("antiMirror", "true", "false"),
    ):
        talk(f"kata-set-param {name} {set_to}")
        assert talk(f"kata-get-param {name}") == said
        assert name in talk("kata-list-params").split()
    assert talk.session.settings == before


# Time.


def test_clocks_are_told():
    talk = Talk("boardsize 9", "time_settings 0 10 5")
    clocks = talk.session.clocks
    assert clocks.now("black") == Clock.canadian(0, 10, 5)
    talk("time_left b 4 2")
    assert (clocks.now("black").period_left, clocks.now("black").stones_left) == (4, 2)
    assert clocks.now("white") == Clock.canadian(0, 10, 5)
    talk("kgs-time_settings byoyomi 60 10 3")
    talk("time_left w 7 2")
    assert (clocks.now("white").periods, clocks.now("white").period_left) == (2, 7)
    for unlimited in ("time_settings 0 1 0", "time_settings 0 0 0", "kgs-time_settings none"):
        talk("time_settings 60 0 0")
        assert clocks.now("white") == Clock.absolute(60)
        talk(unlimited)
        assert clocks.now("white") is None


NO_LIMIT = ["-1 0 0", "-1 -1 -1", "60 -1 5", "60 10 -1"]
LARGEST = 2**31 - 1


@pytest.mark.parametrize("line", [f"time_settings {numbers}" for numbers in NO_LIMIT] + [
    "kata-time_settings absolute -1", "kata-time_settings byoyomi 60 10 -1", "kata-time_settings fischer -1 5",
    "kata-time_settings fischer-capped -1 5 -1 -1", "kgs-time_settings canadian -1 -1 -1",
])  # fmt: skip
def test_a_negative_time_is_no_limit(line):
    talk = Talk("time_settings 60 0 0", line)
    assert talk.session.clocks.now("black") is None


@pytest.mark.parametrize(
    ("line", "clock"),
    [
        ("fischer-capped 120 30 300 -1", Clock.fischer(120, 30, main_limit=300)),  # as gtp2ogs sends it
        ("fischer-capped 120 30 -1 -1", Clock.fischer(120, 30)),
        ("fischer-capped 120 30 300 20", Clock.fischer(120, 30, 300, 20)),
        (f"fischer-capped {LARGEST} 30 {LARGEST} -1", Clock.fischer(LARGEST, 30, LARGEST)),
        (f"absolute {LARGEST}", Clock.absolute(LARGEST)),
        (f"byoyomi 0 {LARGEST} {LARGEST}", Clock.byo_yomi(0, LARGEST, LARGEST)),
        (f"canadian {LARGEST} 0.5 {LARGEST}", Clock.canadian(LARGEST, 0.5, LARGEST)),
    ],
)
def test_times_reach_to_the_largest_32_bit_number(line, clock):
    talk = Talk("boardsize 9", f"kata-time_settings {line}", f"time_left w {LARGEST} 0")
    assert talk.session.clocks.now("black") == clock
    assert talk.session.clocks.now("white").main == LARGEST
    talk("genmove b")


def test_no_move_takes_longer_than_the_limit_under_a_clock(monkeypatch):
    """Nothing waits: the seconds are those that the player is asked to think for."""
    planned = []

    def think(self, *, playouts=None, seconds=None, **_):
        planned.append(seconds)
        return real(self, playouts=1)

    real = Player.think
    monkeypatch.setattr(Player, "think", think)
    for clock in ("time_settings 3600 0 0", "kata-time_settings fischer 259200 86400"):
        for told, most in (("1e20", 30), ("5", 5), ("100", 90), ("0.01", 0.01)):
            planned.clear()
            talk = Talk("boardsize 9", clock, f"kata-set-param maxTime {told}", playouts=None)
            talk("genmove b")
            assert 0.3 * most < planned[0] <= most
    planned.clear()
    talk = Talk("boardsize 9", playouts=None)
    talk("genmove b")
    assert planned[0] is None  # no clock: the settings hold
    assert talk.session.player.settings.seconds == 3


def test_a_move_is_taken_off_the_clock():
    clocks = Clocks()
    clocks.set(Clock.absolute(10))
    clocks.spend("black", 4)
    assert clocks.now("black").main == 6
    clocks.spend("black", 40)
    assert clocks.now("black").main == 0
    clocks.start()
    assert clocks.now("black").main == 10


# The end.


def test_the_score_is_the_judges():
    talk = Talk(f"loadsgf {FINISHED}")
    score = tengen.score(tengen.read(FINISHED))
    assert talk("final_score") == score.result
    lists = {kind: set(talk(f"final_status_list {kind}").split()) for kind in ("dead", "alive", "seki")}
    assert lists["dead"] == set(score.dead)
    stones = {name for chain in talk.session.board.chains() for name in chain.points}
    assert set.union(*lists.values()) == stones
    empty = [set(talk(f"final_status_list {kind}").split()) for kind in ("black_territory", "white_territory", "dame")]
    assert sum(map(len, empty)) + len(stones) == 81
    assert talk(f"final_status {score.dead[0]}") == "dead"


def test_verdicts_come_with_reasons():
    talk = Talk(f"loadsgf {FINISHED}")
    verdicts = json.loads(talk("verdicts"))
    assert verdicts["result"] == talk("final_score")
    assert sum(line["black"] - line["white"] for line in verdicts["lines"]) == pytest.approx(verdicts["lead"])
    assert all(verdict["reasons"] for verdict in verdicts["verdicts"])
    dead = verdicts["dead"][0]
    assert f"{dead}: " in talk(f"explain {dead}")
    assert "dead" in talk(f"explain {dead}")


def test_an_empty_board_can_be_scored():
    talk = Talk("boardsize 9", "komi 0")
    assert re.fullmatch(r"B\+\d", talk("final_score"))  # the first move is worth a few points
    assert talk("estimate_score").startswith("B+")


OPEN = ["play b E5", "play w C7", "play b G3", "play w C3", "play b G7"]  # nobody owns anything yet


@pytest.mark.parametrize("komi", [0, 6.5, -3.5])
def test_the_score_of_an_unfinished_game_is_an_estimate(komi):
    talk = Talk("boardsize 9", f"komi {komi}", *OPEN)
    said = talk("final_score")
    assert re.fullmatch(r"[BW]\+\d+(\.\d+)?", said)
    assert not talk.session.score.safe
    assert lead_of(said) == pytest.approx(talk.session.estimate.lead, abs=0.5)
    assert (lead_of(said) + komi) % 1 == 0


def test_two_passes_finish_a_game_whatever_the_judge_thinks():
    talk = Talk("boardsize 9", "komi 6.5", *OPEN, "play w pass", "play b pass")
    assert not talk.session.score.safe
    assert talk("final_score") == talk.session.score.result
    talk("undo")
    assert talk("final_score") != talk.session.score.result


# Analysis.


def values(line, key):
    words = line.split()
    return [words[at + 1] for at, word in enumerate(words) if word == key]


def test_chances_are_those_of_the_player_to_move():
    setup = ["boardsize 5", "komi 0", "set_position b C1 b C2 b C3 b C4 b C5 b B3 b D3"]
    black = Talk(*setup)("kata-analyze b 10 ownership true").split("\n")[-1]
    white = Talk(*setup)("kata-analyze w 10 ownership true").split("\n")[-1]
    assert float(values(black, "winrate")[0]) > 0.9
    assert float(values(white, "winrate")[0]) < 0.1
    assert float(values(black, "scoreLead")[0]) > 10 > -10 > float(values(white, "scoreLead")[0])
    own = [np.array(line.partition(" ownership ")[2].split(), float) for line in (black, white)]
    assert own[0].reshape(5, 5)[2, 2] > 0.9
    assert own[1].reshape(5, 5)[2, 2] < -0.9


def test_leela_counts_in_ten_thousands():
    line = Talk("boardsize 5")("lz-analyze b 10").split("\n")[-1]
    assert all(0 <= int(value) <= 10_000 for key in ("winrate", "prior", "lcb") for value in values(line, key))
    assert sum(int(visits) for visits in values(line, "visits")) > 0


def test_moves_are_avoided_and_allowed():
    talk = Talk("boardsize 5")
    best = values(talk("kata-analyze b 10"), "move")[0]
    assert best not in values(talk(f"kata-analyze b 10 avoid b {best} 1"), "move")
    assert set(values(talk("kata-analyze b 10 allow b A1,B2 1"), "move")) <= {"A1", "B2"}
    assert len(values(talk("kata-analyze b 10 maxmoves 1"), "move")) == 1
    assert set(values(talk("kata-analyze b 10 allow b A1,B2 5 avoid w C3 2"), "move")) <= {"A1", "B2"}
    assert best in values(talk(f"kata-analyze b 10 avoid w {best} 3"), "move")


def test_visits_spread_and_no_result_of_moves_are_reported():
    keys = "pvVisits pvEdgeVisits movesOwnership movesOwnershipStdev noResultValue"
    talk, calls = Talk("boardsize 5"), []
    talk.session.waiting = lambda: calls.append(1) or len(calls) > 100
    line = talk("kata-analyze b 1 maxmoves 1 " + " ".join(f"{key} true" for key in keys.split())).split("\n")[-1]
    found = dict(zip(keys.split(), (values_of(line, key) for key in keys.split()), strict=True))
    assert found["pvEdgeVisits"] == found["pvVisits"]
    assert found["noResultValue"] == [0]
    assert len(found["movesOwnership"]) == 25
    spread = np.sqrt(1 - np.square(found["movesOwnership"]))
    assert found["movesOwnershipStdev"] == pytest.approx(spread, abs=0.02)
    talk, calls = Talk("boardsize 5"), []
    talk.session.waiting = lambda: calls.append(1) or len(calls) > 100
    line = talk("kata-analyze b 1 movesOwnershipStdev true pvEdgeVisits true")
    assert "movesOwnershipStdev" in line
    assert "movesOwnership " not in line
    assert "pvVisits" not in line


def values_of(line, key):
    """The numbers behind a key, up to the next word."""
    words = line.partition(f" {key} ")[2].split()
    return [float(word) for word in itertools.takewhile(is_number, words)]


def test_a_search_finds_a_move_without_playing_it():
    talk = Talk("boardsize 5")
    for command in ("kata-search b", "kata-search w", "reg_genmove b"):
        assert re.fullmatch(r"[A-E][1-5]", talk(command))
    assert talk.session.board.move_number == 0


def test_any_input_cancels_a_search_that_can_be_cancelled():
    talk = Talk("boardsize 5", playouts=10_000_000)
    assert talk("kata-search_cancellable b") == "cancelled"
    talk, calls = Talk("boardsize 5", playouts=200), []
    talk.session.waiting = lambda: calls.append(1)
    assert re.fullmatch(r"[A-E][1-5]", talk("kata-search_cancellable b"))
    assert calls


def test_top_moves_of_either_colour_leave_the_position_alone():
    talk = Talk("boardsize 5", "play b C3")
    before = talk.session.board.copy()
    for command in ("top_moves", "top_moves_black", "top_moves_white"):
        words = talk(command).split()
        assert 2 <= len(words) <= 20
        assert all(0 <= float(word) <= 100 for word in words[1::2])
        assert "C3" not in words
    assert talk.session.board == before
    assert float(talk("top_moves_black").split()[1]) > 50 > float(talk("top_moves_white").split()[1])


# GoGui.


def test_gogui_splits_its_menu_at_every_slash():
    talk = Talk("boardsize 5", "play b C3")
    lines = talk("gogui-analyze_commands").split("\n")
    for line in lines:
        kind, label, command = line.split("/")
        assert kind
        assert label
        talk(command.replace("%p", "C3"))
    assert sum("tengen-ownership territory." in line for line in lines) >= 5
    assert talk("tengen-ownership territory.bma") == talk("tengen-ownership territory/bma")
    talk("gogui-param model territory.bma")
    assert talk.session.model == "territory/bma"
    assert "there is no model 'territory.nonsense'" in talk.refuses("tengen-ownership territory.nonsense")


def test_replies_are_allowed():
    talk = Talk("boardsize 5", playouts=20_000)
    replies = re.findall(r"pv \S+ (\S+)", talk("kata-genmove_analyze b 1 allow w A1,C3 2"))
    assert replies
    assert {*replies} <= {"A1", "C3", "info"}  # where there is no reply yet, another move's report follows
    assert "C3" in replies


def test_ownership_is_said_from_the_top_left():
    talk = Talk("boardsize 3 2", "komi 0", "set_position b A2 w C1", playouts=400)
    rows = talk("tengen-ownership territory/naive").split("\n")
    assert [len(row.split()) for row in rows] == [3, 3]
    assert float(rows[0].split()[0]) == 1
    assert float(rows[1].split()[2]) == -1


def test_raw_nn_is_whites_ownership_in_rows():
    talk = Talk("boardsize 9 7", "play b C3", "play w G5")
    lines = talk("kata-raw-nn 0").split("\n")
    rows = lines[lines.index("whiteOwnership") + 1 :]
    array = np.array([row.split() for row in rows], float)
    assert array.shape == (7, 9)
    np.testing.assert_allclose(array, -tengen.estimate(talk.session.board).ownership, atol=1e-5)
    policy = [row.split() for row in lines[lines.index("policy") + 1 :][:7]]
    assert policy[4][2] == "NAN"
    assert sum(float(share) for row in policy for share in row if share != "NAN") == pytest.approx(1, abs=0.05)


def test_raw_nn_writes_no_negative_zero():
    assert "-0.000" not in Talk("boardsize 3", "komi 0", model="territory/naive")("kata-raw-nn 0")


def test_raw_nn_takes_no_search():
    talk = Talk("boardsize 9", "play b E5")
    glance = talk("kata-raw-nn 0")
    assert talk.session.player.nodes == 0
    talk("kata-search w")
    assert talk("kata-raw-nn 0") == glance
    policy = np.array([row.split() for row in glance.split("policy\n")[1].split("\n")[:9]], float)
    passing = float(glance.split("policyPass ")[1].split()[0])
    assert np.isnan(policy[4, 4])
    assert np.nansum(policy) + passing == pytest.approx(1, abs=1e-4)
    assert policy[4, 3] > 2 * policy[0, 0]  # near the last move


def test_genmove_analyze_plays_only_what_it_may():
    talk = Talk("boardsize 9", playouts=30)
    said = talk("kata-genmove_analyze b 100 allow b C3 1").rstrip().split("\n")
    assert said[-1] == "play C3"
    assert said[-2].startswith("info move C3 visits 16 ")  # decided; a move is never played without a word on it
    assert talk("kata-search_analyze w 100 allow w C4,pass 1 avoid w pass 1").rstrip().endswith("play C4")


@pytest.mark.parametrize(("seconds", "most"), [(60.0, 10), (-1.0, 0)])
def test_the_last_line_before_a_move_has_the_ownership_after_the_best_moves(monkeypatch, seconds, most):
    monkeypatch.setattr("tengen.protocols.gtp.analyze._LAST_LINE", seconds)
    talk = Talk("boardsize 9", playouts=100)
    line, move = talk("kata-genmove_analyze b 100000 movesOwnership true movesOwnershipStdev true").split("\n")
    assert move.startswith("play ")
    infos = line.split("info ")[1:]
    owned = [info.split() for info in infos if " movesOwnership " in info]
    assert len(owned) == min(most, len(infos))
    assert len(infos) > 1
    assert all(info.index("movesOwnershipStdev") - info.index("movesOwnership") == 82 for info in owned)


@pytest.mark.parametrize("kind", ["1-ply", "2-ply"])
def test_players_without_a_tree_move_and_analyse(kind):
    talk = Talk("boardsize 5", settings=Settings(kind=kind, guide="territory/naive"))
    move = talk("genmove b")
    assert talk("showboard").count("X") == 1
    talk("undo")
    talk.session.waiting = iter([False] * 100 + [True] * 100).__next__
    lines = talk("kata-analyze b 1 rootInfo true ownership true").split("\n")
    assert len(set(lines)) == 1, "the analysis is repeated until it is stopped"
    assert f"info move {move} " in lines[0].partition(" order 0")[0]
    assert lines[0].count("info move") == 26
    assert "rootInfo visits" in lines[0]
    said = talk("lz-genmove_analyze b 10").split("\n")
    assert said[-1] == f"play {move}"
    assert len(talk("top_moves").split()) == 20
    assert "policyPass" in talk("kata-raw-nn 0")
    talk("level 3")
    assert talk("reg_genmove w") == talk("reg_genmove w")


def test_genmove_analyze_ends_with_the_move():
    talk = Talk("boardsize 9", playouts=2000)
    said = talk("kata-genmove_analyze b 1").split("\n")
    assert any(line.startswith("info move") for line in said[:-1])
    assert said[-1] == f"play {talk.session.board.last_move.point}"
    move = talk("kata-search_analyze w 1").split("\n")[-1]
    assert move.startswith("play ")
    assert talk.session.board.move_number == 1


# As a program.


ENGINE = [sys.executable, "-m", "tengen", "gtp"]


def test_our_own_client_talks_to_it():
    with GtpEngine([*ENGINE, "--playouts", "50"]) as engine:
        assert engine.name == "Tengen"
        engine.set_position(tengen.read(FINISHED))
        assert engine.final_score() == tengen.score(tengen.read(FINISHED)).lead
        assert engine.genmove("black")
        pid = engine.pid
    assert gone(pid)


def test_the_end_of_the_input_is_the_end():
    lines = b"name\n\xff\xfe\x00\ngenmove b\nkata-analyze b"
    done = subprocess.run([*ENGINE, "--playouts", "20"], input=lines, capture_output=True, timeout=60)
    answers = done.stdout.decode().split("\n\n")
    assert done.returncode == 0
    assert answers[0] == "= Tengen"
    assert answers[-2].startswith("=\ninfo move")


def test_it_ends_quietly_when_nobody_listens():
    process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr.read() == b"GTP ready, beginning main protocol loop\n"
    process.stdin.close()
    process.stderr.close()


def test_an_interrupt_ends_a_move_early():
    talk = Talk("boardsize 9", playouts=10_000_000)
    talk.session.hear("# interrupt\n")
    begun = time.monotonic()
    assert talk("genmove b")
    assert talk.session.look(10_000_000).visits < 10_000
    assert time.monotonic() - begun < 60


def test_an_interrupt_is_for_all_that_was_said_before_it():
    """It may be heard while an earlier command is still under way, and holds until its own line has come up."""
    talk = Talk("boardsize 9")
    heard = ["name", "# interrupt", "genmove b", "# interrupt"]
    for line in heard:
        talk.session.hear(line)
    interrupted = []
    for line in heard:
        talk.raw(line)
        interrupted.append(talk.session.interrupted)
    assert interrupted == [True, True, True, False]


def test_pondering_goes_on_until_somebody_speaks():
    source = io.BytesIO(b"boardsize 5\ngenmove b\nname\n")
    sink = io.StringIO()
    serve(source, sink, settings=Settings(playouts=20), ponder=True)
    assert sink.getvalue().endswith("= Tengen\n\n")


def test_thoughts_are_drawn_for_gogui_if_wanted(capfd):
    talk = Talk("boardsize 5", "komi 0", playouts=10_000_000)
    for switch, drawn in (("1", 1), ("0", 0)):
        talk(f"gogui-param live_gfx {switch}")
        assert f"[bool] live_gfx {switch}" in talk("gogui-param").split("\n")
        talk.session.waiting = lambda: len(talk.said) > 4
        talk("kata-analyze w 2")
        assert capfd.readouterr().err.count("gogui-gfx:") == drawn  # not with every report: once a second


def test_the_drawing_is_a_line_shares_of_visits_and_a_text():
    moves = (
        Candidate("C3", 30, 0.2, -4.0, 0.5, 0.3, ("C3", "B2", "pass"), (30, 5, 1)),
        Candidate("pass", 10, 0.4, -2.0, 0.5, 0.5, ("pass",), (10,)),
    )
    found = Analysis("white", 40, 0.25, -3.5, 5.0, np.zeros((5, 5)), moves)
    assert drawing(found).split("\n") == [
        "gogui-gfx:",
        "VAR w C3 b B2 w pass",
        "INFLUENCE C3 -0.750",
        "TEXT 40 visits, White leads by 3.5, Black wins 25%",
        "",
    ]


def test_katago_clients_talk_to_the_analysis_engine():
    with KataGoAnalysis([sys.executable, "-m", "tengen", "analysis", "--visits", "40"]) as engine:
        assert engine.version == tengen.__version__
        game = tengen.read(FINISHED)
        answers = engine.collect(engine.submit(game, turns=[0, 10, 20], policy=True))
        assert [answer.turn for answer in answers] == [0, 10, 20]
        assert answers[0].ownership.shape == (9, 9)
        assert answers[0].policy.sum() == pytest.approx(1, abs=0.01)
        assert not engine.warnings


def test_a_model_of_finished_boards_warns_on_stderr(capsys):
    Talk("boardsize 9", "play b E5", model="territory/naive")("kata-raw-nn 0")
    assert capsys.readouterr().err.startswith("tengen gtp: territory/naive was made for finished boards")
