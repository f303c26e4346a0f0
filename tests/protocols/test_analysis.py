"""KataGo's analysis protocol, field by field."""

import io
import json
import queue
import time

import pytest

from tengen.protocols.analysis import Engine, serve
from tengen.protocols.queries import read_query
from tengen.search.player import Settings

FIVE = {"boardXSize": 5, "boardYSize": 5, "rules": "tromp-taylor", "komi": 0.5, "moves": [], "maxVisits": 60}
BLACKS = [["B", name] for name in ("C1", "C2", "C3", "C4", "C5", "B3", "D3")]


@pytest.fixture
def engine():
    said = queue.Queue()
    engine = Engine(lambda line: said.put(json.loads(line)), settings=Settings(playouts=50), workers=1)
    engine.said = said
    yield engine
    engine.close()


def ask(engine, **fields):
    """The answer to one question that is not refused."""
    engine.feed(json.dumps({"id": "q", **FIVE, **fields}))
    return engine.said.get(timeout=30)


def test_positions_are_counted_from_the_start(engine):
    moves = [["B", "C3"], ["W", "B2"], ["B", "pass"]]
    engine.feed(json.dumps({"id": "q", **FIVE, "moves": moves, "analyzeTurns": [3, 0, 1, 3]}))
    answers = [engine.said.get(timeout=30) for _ in range(3)]
    assert [answer["turnNumber"] for answer in answers] == [3, 0, 1]
    assert [answer["rootInfo"]["currentPlayer"] for answer in answers] == ["W", "B", "W"]
    assert engine.said.empty()


def test_numbers_are_blacks_unless_told(engine):
    white = {"initialStones": BLACKS, "initialPlayer": "W", "includeOwnership": True}
    for side, sign in (("BLACK", 1), ("WHITE", -1), ("SIDETOMOVE", -1)):
        answer = ask(engine, **white, overrideSettings={"reportAnalysisWinratesAs": side})
        root = answer["rootInfo"]
        assert sign * (root["winrate"] - 0.5) > 0.4
        assert sign * root["scoreLead"] > 10
        assert sign * answer["ownership"][12] > 0.9
        assert sign * (answer["moveInfos"][0]["winrate"] - 0.5) > 0.2
    assert ask(engine, **white)["rootInfo"]["winrate"] > 0.9


def test_moves_are_ordered_and_share_the_visits(engine):
    answer = ask(engine, includePolicy=True, includePVVisits=True)
    infos = answer["moveInfos"]
    assert [info["order"] for info in infos] == list(range(len(infos)))
    assert sum(info["visits"] for info in infos) == answer["rootInfo"]["visits"]
    assert all(info["pv"][0] == info["move"] and len(info["pv"]) == len(info["pvVisits"]) for info in infos)
    assert all(info["pvVisits"][0] == info["visits"] for info in infos)
    policy = answer["policy"]
    assert len(policy) == 26
    assert sum(share for share in policy if share > 0) == pytest.approx(1, abs=0.01)


def test_where_nobody_may_play_the_policy_is_minus_one(engine):
    policy = ask(engine, moves=[["B", "A5"]], includePolicy=True)["policy"]
    assert policy[0] == -1
    assert min(policy[1:]) >= 0


def test_moves_are_avoided_and_allowed(engine):
    only = [{"player": "B", "moves": ["A1", "B2"], "untilDepth": 1}]
    assert {info["move"] for info in ask(engine, allowMoves=only)["moveInfos"]} <= {"A1", "B2"}
    assert not {"A1", "B2"} & {info["move"] for info in ask(engine, avoidMoves=only)["moveInfos"]}
    others = [{"player": "W", "moves": ["A1"], "untilDepth": 1}]
    assert ask(engine, allowMoves=others)["moveInfos"][0]["move"] != "A1"
    replies = [{"player": "W", "moves": ["A1", "C3"], "untilDepth": 2}]
    lines = [info["pv"] for info in ask(engine, allowMoves=replies, maxVisits=1000)["moveInfos"] if len(info["pv"]) > 1]
    assert {line[1] for line in lines} == {"A1", "C3"}


def test_nothing_that_is_allowed_can_be_played(engine):
    answer = ask(
        engine, moves=[["B", "A1"], ["W", "C3"]], allowMoves=[{"player": "B", "moves": ["A1"], "untilDepth": 1}]
    )
    assert "allowed" in answer["error"]
    assert "internal" not in answer["error"]


def test_urgent_questions_go_first(engine):
    engine.feed(json.dumps({"id": "long", **FIVE, "maxVisits": 10_000_000}))
    time.sleep(0.1)
    for name, priority in (("later", 0), ("urgent", 5), ("last", -1), ("also later", 0)):
        engine.feed(json.dumps({"id": name, **FIVE, "priority": priority}))
    engine.feed('{"id": "t", "action": "terminate", "terminateId": "long"}')
    assert engine.said.get(timeout=30)["action"] == "terminate"
    order = [engine.said.get(timeout=30)["id"] for _ in range(5)]
    assert order == ["long", "urgent", "later", "also later", "last"]


def test_questions_that_wait_can_be_taken_back(engine):
    engine.feed(json.dumps({"id": "long", **FIVE, "maxVisits": 10_000_000}))
    time.sleep(0.1)
    engine.feed(json.dumps({"id": "waiting", **FIVE, "moves": [["B", "A1"]], "analyzeTurns": [0, 1]}))
    engine.feed('{"id": "t", "action": "terminate", "terminateId": "waiting", "turnNumbers": [1]}')
    assert engine.said.get(timeout=30)["terminateId"] == "waiting"
    assert engine.said.get(timeout=30) == {"id": "waiting", "turnNumber": 1, "isDuringSearch": False, "noResults": True}
    engine.feed('{"id": "all", "action": "terminate_all"}')
    answers = [engine.said.get(timeout=30) for _ in range(3)]
    assert {answer["id"]: answer.get("noResults", False) for answer in answers} == {
        "all": False,
        "long": False,
        "waiting": True,
    }
    engine.finish()


def test_long_searches_report(engine):
    engine.feed(json.dumps({"id": "q", **FIVE, "maxVisits": 10_000_000, "reportDuringSearchEvery": 0.05}))
    reports = [engine.said.get(timeout=30) for _ in range(3)]
    assert all(report["isDuringSearch"] for report in reports)
    visits = [report["rootInfo"]["visits"] for report in reports]
    assert visits == sorted(visits)
    engine.feed('{"id": "t", "action": "terminate", "terminateId": "q"}')
    while (answer := engine.said.get(timeout=30)).get("isDuringSearch") is not False:
        pass
    assert answer["rootInfo"]["visits"] >= visits[-1]


def test_a_time_limit_is_kept(engine):
    begun = time.monotonic()
    ask(engine, maxVisits=100_000_000, overrideSettings={"maxTime": 0.2})
    assert 0.15 < time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"id": 5}, "id"),
        ({"boardXSize": 26}, "boardXSize"),
        ({"boardYSize": "5"}, "boardYSize"),
        ({"rules": None}, "rules"),
        ({"rules": {"ko": "NEVER"}}, "rules"),
        ({"komi": "much"}, "komi"),
        ({"komi": 1e300}, "komi"),
        ({"moves": "C3"}, "moves"),
        ({"moves": [["B", "C9"]]}, "moves"),
        ({"moves": [["G", "C3"]]}, "moves"),
        ({"moves": [["B", "C3"], ["W", "C3"]]}, "moves"),
        ({"initialStones": [["B", "pass"]]}, "initialStones"),
        ({"initialPlayer": "both"}, "initialPlayer"),
        ({"analyzeTurns": [1]}, "analyzeTurns"),
        ({"analyzeTurns": []}, "analyzeTurns"),
        ({"maxVisits": 0}, "maxVisits"),
        ({"maxVisits": True}, "maxVisits"),
        ({"includeOwnership": 1}, "includeOwnership"),
        ({"priority": 1.5}, "priority"),
        ({"overrideSettings": []}, "overrideSettings"),
        ({"overrideSettings": {"maxTime": "long"}}, "overrideSettings"),
        ({"overrideSettings": {"reportAnalysisWinratesAs": "MINE"}}, "overrideSettings"),
        ({"avoidMoves": [{"player": "B"}]}, "avoidMoves"),
        ({"avoidMoves": {"player": "B"}}, "avoidMoves"),
        ({"avoidMoves": [{"player": "W", "moves": ["Q99"], "untilDepth": 2}]}, "avoidMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 0}]}, "allowMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 1e999}]}, "allowMoves"),
        ({"action": "dance"}, "action"),
    ],
)
def test_errors_name_their_field(engine, fields, field):
    answer = ask(engine, **fields)
    assert answer["field"] == field
    assert answer["error"]
    assert answer.get("id", "q") == "q"


def test_what_is_unknown_is_left_aside_with_a_warning(engine):
    engine.feed(json.dumps({"id": "q", **FIVE, "colour": "red", "overrideSettings": {"wideRootNoise": 0.04}}))
    messages = [engine.said.get(timeout=30) for _ in range(3)]
    assert [message.get("field") for message in messages] == ["overrideSettings", "colour", None]
    assert "wideRootNoise" in messages[0]["warning"]
    assert messages[2]["moveInfos"]


@pytest.mark.parametrize(("rules", "bonus", "points"), [("chinese", None, 2), ("chinese", "0", 0), ("aga", None, 1)])
def test_handicap_is_paid_for_as_the_rules_say(rules, bonus, points):
    stones = {"initialStones": [["B", "B2"], ["B", "D4"]], "rules": rules, "whiteHandicapBonus": bonus}
    board = read_query({"id": "q", **FIVE, **stones}, Settings(), "BLACK").board(0)
    assert board.rules.bonus(board.handicap) == points


def test_the_last_questions_are_answered_when_the_input_ends():
    lines = [json.dumps({"id": str(number), **FIVE}) for number in range(5)]
    sink = io.StringIO()
    serve(io.BytesIO("\n".join(lines).encode()), sink, settings=Settings(playouts=30))
    assert {json.loads(line)["id"] for line in sink.getvalue().splitlines()} == set("01234")
