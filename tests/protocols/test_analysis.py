"""KataGo's analysis protocol, field by field."""

import io
import json
import math
import queue
import threading
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
    assert {line[1] for line in lines} <= {"A1", "C3"}
    assert any(line[1] == "A1" for line in lines)


def test_nothing_that_is_allowed_can_be_played(engine):
    answer = ask(
        engine, moves=[["B", "A1"], ["W", "C3"]], allowMoves=[{"player": "B", "moves": ["A1"], "untilDepth": 1}]
    )
    assert "allowed" in answer["error"]
    assert "internal" not in answer["error"]
    assert (answer["id"], answer["field"]) == ("q", "allowMoves")


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
        ({"komi": 10**400}, "komi"),
        ({"firstReportDuringSearchAfter": 10**400}, "firstReportDuringSearchAfter"),
        ({"action": "terminate_all", "turnNumbers": "all"}, "turnNumbers"),
        ({"action": "terminate", "terminateId": 3}, "terminateId"),
        ({"avoidMoves": [{"player": "B", "moves": "A1", "untilDepth": 1}]}, "avoidMoves"),
        ({"avoidMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 10**400}]}, "avoidMoves"),
        ({"moves": [["B", "C3", "D4"]]}, "moves"),
        ({"moves": [None]}, "moves"),
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
        ({"maxPlayouts": 0}, "maxPlayouts"),
        ({"overrideSettings": {"maxVisits": "many"}}, "overrideSettings"),
        ({"overrideSettings": {"maxVisits": 5, "maxPlayouts": -1}}, "overrideSettings"),
        ({"includeOwnership": 1}, "includeOwnership"),
        ({"priority": 1.5}, "priority"),
        ({"priorities": [1]}, "priorities"),
        ({"priorities": [1, 2], "analyzeTurns": [0]}, "priorities"),
        ({"priorities": [True], "analyzeTurns": [0]}, "priorities"),
        ({"priorities": [1 << 62], "analyzeTurns": [0]}, "priorities"),
        ({"priorities": [1], "priority": 1, "analyzeTurns": [0]}, "priority"),
        ({"firstReportDuringSearchAfter": 0}, "firstReportDuringSearchAfter"),
        ({"analysisPVLen": 0}, "analysisPVLen"),
        ({"rootPolicyTemperature": "warm"}, "rootPolicyTemperature"),
        ({"includeNoResultValue": "yes"}, "includeNoResultValue"),
        ({"moves": [["B", "(5,0)"]]}, "moves"),
        ({"moves": [["B", "(0,-1)"]]}, "moves"),
        ({"moves": [["B", "(0,1,2)"]]}, "moves"),
        ({"initialStones": [["B", "(0,5)"]]}, "initialStones"),
        ({"overrideSettings": []}, "overrideSettings"),
        ({"overrideSettings": {"maxTime": "long"}}, "overrideSettings"),
        ({"overrideSettings": {"reportAnalysisWinratesAs": "MINE"}}, "overrideSettings"),
        ({"avoidMoves": [{"player": "B"}]}, "avoidMoves"),
        ({"avoidMoves": {"player": "B"}}, "avoidMoves"),
        ({"avoidMoves": [{"player": "W", "moves": ["Q99"], "untilDepth": 2}]}, "avoidMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 0}]}, "allowMoves"),
        ({"allowMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 1.5}]}, "allowMoves"),
        ({"action": "dance"}, "action"),
    ],
)
def test_errors_name_their_field(engine, fields, field):
    answer = ask(engine, **fields)
    assert answer["field"] == field
    assert answer["error"]
    assert answer.get("id", "q") == "q"


def test_what_is_unknown_is_left_aside_with_a_warning(engine):
    engine.feed(json.dumps({"id": "q", **FIVE, "colour": "red", "overrideSettings": {"maxNoise": 0.04}}))
    messages = [engine.said.get(timeout=30) for _ in range(3)]
    assert [message.get("field") for message in messages] == ["overrideSettings", "colour", None]
    assert "maxNoise" in messages[0]["warning"]
    assert messages[2]["moveInfos"]


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a", "action": "clear_cache", "x": NaN}', '{"id": ' + "[" * 9999])
def test_what_is_no_query_is_an_error(engine, line):
    engine.feed(line)
    assert "error" in engine.said.get(timeout=30)
    assert ask(engine)["moveInfos"]


def test_settings_of_katagos_own_search_are_accepted_without_a_warning(engine):
    settings = {"wideRootNoise": 0.04, "playoutDoublingAdvantage": 1.0, "rootNumSymmetriesToSample": 2}
    answer = ask(engine, overrideSettings=settings, rootPolicyTemperature=1.2, rootFpuReductionMax=0, wideRootNoise=0.1)
    assert answer["moveInfos"]


@pytest.mark.parametrize(("rules", "bonus", "points"), [("chinese", None, 2), ("chinese", "0", 0), ("aga", None, 1)])
def test_handicap_is_paid_for_as_the_rules_say(rules, bonus, points):
    stones = {"initialStones": [["B", "B2"], ["B", "D4"]], "rules": rules, "whiteHandicapBonus": bonus}
    board = read_query({"id": "q", **FIVE, **stones}, Settings(), "BLACK").board(0)
    assert board.rules.bonus(board.handicap) == points


def test_points_can_be_columns_and_rows_from_the_top_left(engine):
    position = {"initialStones": [["B", "(0,0)"]], "moves": [["W", "( 4, 1 )"], ["B", "C3"]]}
    query = read_query({"id": "q", **FIVE, **position}, Settings(), "BLACK")
    assert query.board(0).text().splitlines()[1].split()[1] == "X"
    assert [move.point for move in query.moves] == ["E4", "C3"]
    wide = {"boardXSize": 19, "boardYSize": 19, "moves": [["B", "(0,13)"]]}
    assert read_query({"id": "q", **FIVE, **wide}, Settings(), "BLACK").moves[0].point == "A6"
    only = [{"player": "B", "moves": ["(0,4)"], "untilDepth": 1}]
    assert [info["move"] for info in ask(engine, allowMoves=only)["moveInfos"]] == ["A1"]


def test_each_turn_can_have_its_own_priority(engine):
    engine.feed(json.dumps({"id": "long", **FIVE, "maxVisits": 10_000_000}))
    time.sleep(0.1)
    turns = {"moves": [["B", "C3"], ["W", "B2"]], "analyzeTurns": [0, 1, 2], "priorities": [1, 3, 2]}
    engine.feed(json.dumps({"id": "game", **FIVE, **turns}))
    engine.feed('{"id": "t", "action": "terminate", "terminateId": "long"}')
    answers = [engine.said.get(timeout=30) for _ in range(5)]
    assert [answer["turnNumber"] for answer in answers if answer["id"] == "game"] == [1, 2, 0]


def test_the_first_report_may_come_at_another_time(engine):
    engine.feed(json.dumps({"id": "q", **FIVE, "maxVisits": 10_000_000, "firstReportDuringSearchAfter": 0.01}))
    assert engine.said.get(timeout=30)["isDuringSearch"]
    time.sleep(0.1)
    assert engine.said.empty()  # there is one report only
    engine.feed('{"id": "t", "action": "terminate_all"}')
    assert engine.said.get(timeout=30)["action"] == "terminate_all"
    assert engine.said.get(timeout=30)["isDuringSearch"] is False
    late = {"reportDuringSearchEvery": 0.001, "firstReportDuringSearchAfter": 1000}
    assert ask(engine, **late)["isDuringSearch"] is False


def test_variations_are_as_long_as_was_asked(engine):
    infos = ask(engine, maxVisits=500, includePVVisits=True)["moveInfos"]
    assert max(len(info["pv"]) for info in infos) > 3
    assert all(info["pvEdgeVisits"] == info["pvVisits"] for info in infos)
    short = ask(engine, maxVisits=500, includePVVisits=True, analysisPVLen=1)["moveInfos"]
    assert max(len(info["pv"]) for info in short) == 2
    assert all(len(info["pvVisits"]) == len(info["pvEdgeVisits"]) == len(info["pv"]) for info in short)
    assert [info["pv"] for info in short] == [info["pv"][:2] for info in infos]


def test_moves_may_come_with_the_spread_of_their_ownership(engine):
    answer = ask(engine, includeMovesOwnershipStdev=True)
    info = answer["moveInfos"][0]
    assert "ownership" not in info
    assert len(info["ownershipStdev"]) == 25
    assert all(0 <= value <= 1 for value in info["ownershipStdev"])
    both = ask(engine, includeMovesOwnershipStdev=True, includeMovesOwnership=True)["moveInfos"][0]
    spread = [math.sqrt(1 - owner**2) for owner in both["ownership"]]
    assert both["ownershipStdev"] == pytest.approx(spread, abs=0.02)


def test_no_game_ends_without_a_result(engine):
    assert "noResultValue" not in ask(engine)["moveInfos"][0]
    assert {info["noResultValue"] for info in ask(engine, includeNoResultValue=True)["moveInfos"]} == {0.0}


def test_hashes_are_left_out_since_they_would_not_be_katagos(engine):
    assert not {"thisHash", "symHash"} & set(ask(engine)["rootInfo"])


def test_white_plays_first_after_handicap_stones(engine):
    stones = [["B", "B2"], ["B", "D4"]]
    assert ask(engine, initialStones=stones)["rootInfo"]["currentPlayer"] == "W"
    assert ask(engine, initialStones=stones, initialPlayer="B")["rootInfo"]["currentPlayer"] == "B"


def test_models_are_described_as_katago_does(engine):
    engine.feed('{"id": "m", "action": "query_models"}')
    (model,) = engine.said.get(timeout=30)["models"]
    kinds = {"name": str, "internalName": str, "maxBatchSize": int, "usesHumanSLProfile": bool, "version": int}
    assert {name: type(value) for name, value in model.items()} == {**kinds, "usingFP16": str}


def test_the_version_can_be_chosen():
    said = []
    engine = Engine(said.append, version="1.15.3", workers=1)
    engine.feed('{"id": "v", "action": "query_version"}')
    engine.close()
    assert json.loads(said[0])["version"] == "1.15.3"


def test_the_last_questions_are_answered_when_the_input_ends():
    lines = [json.dumps({"id": str(number), **FIVE}) for number in range(5)]
    sink = io.StringIO()
    serve(io.BytesIO("\n".join(lines).encode()), sink, settings=Settings(playouts=30))
    assert {json.loads(line)["id"] for line in sink.getvalue().splitlines()} == set("01234")


def test_open_questions_may_be_dropped_when_the_input_ends():
    sink = io.StringIO()
    line = json.dumps({"id": "long", **FIVE, "maxVisits": 10_000_000})
    serve(io.BytesIO(line.encode()), sink, wait=False)
    assert sink.getvalue() == ""


@pytest.mark.parametrize(
    ("visits", "playouts", "inner", "expected"),
    [
        (30, None, {}, 30),
        (30, 20, {}, 20),
        (30, 20, {"maxVisits": 10}, 10),
        (30, None, {"maxVisits": 40, "maxPlayouts": 8}, 8),
        (None, None, {"maxVisits": 10**18, "maxPlayouts": 8}, 8),
        (10**18, None, {}, None),
        (None, None, {}, 50),
    ],
)
def test_the_smallest_limit_of_visits_holds(visits, playouts, inner, expected):
    message = {"id": "q", **FIVE, "maxVisits": visits, "maxPlayouts": playouts, "overrideSettings": inner}
    query = read_query(message, Settings(playouts=50), "BLACK")
    assert query.settings.playouts == expected
    assert not query.warnings


@pytest.mark.parametrize("seconds", [1e20, 10**400])
def test_a_huge_limit_of_time_is_none(seconds):
    message = {"id": "q", **FIVE, "overrideSettings": {"maxTime": seconds}}
    assert read_query(message, Settings(playouts=50, seconds=9.0), "BLACK").settings.seconds is None


def test_a_question_without_limits_is_searched_until_it_is_terminated(engine):
    engine.feed(json.dumps({"id": "q", **FIVE, "maxVisits": 10**18, "reportDuringSearchEvery": 0.01}))
    while (visits := engine.said.get(timeout=60)["rootInfo"]["visits"]) <= 20_000:  # more than any default
        pass
    engine.feed('{"id": "t", "action": "terminate_all"}')
    while (answer := engine.said.get(timeout=60)).get("isDuringSearch", True):
        pass
    assert answer["rootInfo"]["visits"] >= visits


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"moves": [["B", "(5,0)"]]}, "(5,0) is off the 5x5 board"),
        ({"initialStones": [["B", "C9"]]}, "C9 is off the 5×5 board"),
        ({"moves": [["G", "C3"]]}, "'G'"),
        ({"avoidMoves": [{"player": "W", "moves": ["(0,7)"], "untilDepth": 2}]}, "(0,7) is off the 5x5 board"),
        ({"moves": [["B", "C3", "D4"]]}, 'is not such as ["B", "D4"]'),
        ({"priorities": [1, 2], "analyzeTurns": [0]}, "a list of whole numbers, one for each of analyzeTurns"),
    ],
)
def test_errors_name_the_reason(engine, fields, problem):
    assert problem in ask(engine, **fields)["error"]


def test_all_workers_together_have_two_seconds_to_end(monkeypatch):
    monkeypatch.setattr("tengen.protocols.analysis._PATIENCE", 0.2)
    done = threading.Event()
    engine = Engine(lambda line: done.wait(), settings=Settings(playouts=1), workers=20)
    for number in range(20):
        engine.feed(json.dumps({"id": str(number), **FIVE, "maxVisits": 1}))
    begun = time.monotonic()
    engine.close()
    taken = time.monotonic() - begun
    done.set()
    assert taken < 2  # one after the other: 4
