"""The HTTP service, asked in process."""

import asyncio
import base64
import json
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")
from starlette.testclient import TestClient

import tengen
from tengen.protocols.http import app as app_module
from tengen.protocols.http import responses, work
from tengen.protocols.http.app import make_app
from tengen.protocols.http.limits import Limits

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SGF = (EXAMPLES / "finished-9x9.sgf").read_text(encoding="utf-8")
ROWS = [".X.XO.O", "XXXXOX.", ".O.XOOO", "...XO.O", "XXXXOOO", ".X.XO..", "XXXXOO."]


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(Limits(body=100_000, read_seconds=2.0))) as client:
        yield client


def answer(client, path, **request):
    response = client.post(f"/api/{path}", json=request)
    assert response.status_code == 200, response.text
    return response.json()


def refusal(client, path, request, status=400):
    response = client.post(f"/api/{path}", json=request)
    assert response.status_code == status, response.text
    assert response.json()["schema"] == 1
    return response.json()["error"]


def test_a_record_is_scored_as_on_the_command_line(client):
    game = tengen.Game.from_sgf(SGF)
    found, ours = answer(client, "score", sgf=SGF), tengen.score(game)
    assert (found["schema"], found["result"], found["dead"]) == (1, ours.result, list(ours.dead))
    assert found["recorded"] == game.result
    assert [verdict["status"] for verdict in found["verdicts"]] == [verdict.status for verdict in ours.verdicts]
    assert found == answer(client, "score", sgf_base64=base64.b64encode(SGF.encode()).decode())
    earlier = answer(client, "score", sgf=SGF, move=20)
    assert earlier["state"] == "not finished"


def test_marks_of_the_user_are_counted_anew(client):
    request = {"board": ROWS, "rules": "japanese", "captures": [1, 2], "komi": 0}
    score = answer(client, "score", **request)
    assert score["dead"] == ["F6", "B5"]
    alive = answer(client, "score", **request, marks={"B5": "alive"})
    assert alive["dead"] == ["F6"]
    assert alive["lead"] < score["lead"]
    seki = answer(client, "score", **request, marks={"B7": "seki", "B5": "dead"})
    assert "B7" in seki["seki"]
    total = {colour: sum(line[colour] for line in seki["lines"]) for colour in ("black", "white")}
    assert total["black"] - total["white"] == seki["lead"] != score["lead"]
    assert answer(client, "score", **request) == score  # nothing is remembered
    assert "no stone at A5" in refusal(client, "score", {**request, "marks": {"A5": "dead"}})
    refusal(client, "score", {**request, "marks": {"B5": "gone"}}, 422)


def test_a_board_with_moves_knows_its_captures(client):
    start, moves = [".....", ".XO..", "..X..", ".....", "....."], [["black", "C5"], ["white", "A1"], ["black", "D4"]]
    found = answer(client, "estimate", board=start, moves=moves, rules="japanese")
    assert found["board"][1] == ".X.X."
    assert found["captures"] == {"black": 1, "white": 0}
    assert (found["to_play"], found["move"]) == ("white", 3)
    assert any(
        "captures are not known" in text for text in answer(client, "score", board=ROWS, rules="japanese")["warnings"]
    )


def test_estimates_and_moves_are_those_of_the_package(client):
    board = tengen.Board.from_text(ROWS, "white", komi=0.5)
    found = answer(client, "estimate", board=ROWS, to_play="white", komi=0.5)
    assert found["lead"] == pytest.approx(tengen.estimate(board).lead, abs=1e-3)
    moves = answer(client, "moves", board=ROWS, to_play="white", komi=0.5, top=3)["moves"]
    assert [each["move"] for each in moves] == [each.move for each in tengen.suggest(board, top=3)]


def test_owners_are_explained(client):
    found = answer(client, "estimate", board=ROWS, explain=["G7", "A1"])
    assert list(found["reasons"]) == ["G7", "A1"]
    assert found["reasons"]["A1"][0]["sentence"].startswith("A1 is ")
    assert "reasons" not in answer(client, "estimate", board=ROWS)
    refusal(client, "estimate", {"board": ROWS, "explain": ["Z9"]})


def test_a_difference_names_the_marks_that_explain_it(client):
    rows = "".join(f"[{chr(97 + x)}{chr(97 + y)}]" for y, row in enumerate(ROWS) for x in range(7) if row[x] == "X")
    white = "".join(f"[{chr(97 + x)}{chr(97 + y)}]" for y, row in enumerate(ROWS) for x in range(7) if row[x] == "O")
    sgf = f"(;SZ[7]KM[0]RU[Japanese]AB{rows}AW{white};B[];W[])"
    lives = answer(client, "score", sgf=sgf, marks={"B5": "alive"})["result"]
    found = answer(client, "score", sgf=sgf.replace("KM", f"RE[{lives}]KM"))
    (explained,) = found["explanations"]
    assert explained == {"sentence": found["differences"][0], "marks": {"B5": "alive"}}
    assert answer(client, "score", sgf=sgf, marks=explained["marks"])["result"] == lives


def test_stones_set_up_later_are_listed(client):
    record = answer(client, "record", sgf="(;SZ[5];B[cc];AW[aa]AE[cc];W[dd])")
    assert record["later"] == [[1, "white", "A5"], [1, "empty", "C3"]]


def test_a_game_is_reviewed_and_read(client):
    review = answer(client, "game", sgf=SGF)
    assert [move["point"] for move in review["moves"]] == [move.point for move in tengen.Game.from_sgf(SGF).moves]
    record = answer(client, "record", sgf=SGF)
    assert len(record["moves"]) == len(review["moves"])
    assert record["board"] == answer(client, "score", sgf=SGF)["board"]
    played = answer(client, "game", board=["." * 5] * 5, moves=[["black", "C3"], ["white", "C4"]])
    assert [move["colour"] for move in played["moves"]] == ["black", "white"]
    assert "fewer playouts" in refusal(
        client, "game", {"sgf": "(;SZ[9]" + ";B[aa];W[bb]" * 500 + ")", "playouts": 1000}
    )


def test_the_engine_plays_and_answers_within_its_clock(client):
    empty = ["." * 7] * 7
    move = answer(client, "play", board=empty, moves=[["black", "D4"]], playouts=200)
    assert move["to_play"] == "white"
    assert move["move"] != "D4"
    clock = {"main": 0, "period": 0.4, "periods": 3}
    assert answer(client, "play", board=empty, moves=[], clock=clock)["to_play"] == "black"
    assert answer(client, "play", board=empty, moves=[["black", "pass"], ["white", "pass"]])["move"] == "pass"


def test_the_estimator_of_ogs(client):
    state = [[{"X": 1, "O": 2, ".": 0}[sign] for sign in row] for row in ROWS]
    request = {"player_to_move": "black", "width": 7, "height": 7, "board_state": state, "rules": "japanese"}
    request |= {"black_prisoners": 1, "white_prisoners": 2, "komi": 6.5, "jwt": "x", "autoscore": True}
    scored = answer(client, "ogs", **request)
    assert (
        scored["score"] == tengen.score(tengen.Board.from_text(ROWS), rules="japanese", komi=6.5, captures=(1, 2)).lead
    )
    assert {(each["x"], each["y"]) for each in scored["autoscored_removed"]} == {(5, 1), (1, 2)}
    assert all(each["removal_reason"] for each in scored["autoscored_removed"])
    assert scored["autoscored_board_state"][2][1] == 0
    estimate = answer(client, "ogs", **{**request, "autoscore": False})
    assert set(estimate) == {"ownership", "score", "win_rate"}
    assert "rows of" in refusal(client, "ogs", {**request, "height": 6})


def test_every_example_of_the_documentation_is_answered_as_described(client):
    described = client.get("/api/openapi.json").json()
    answers = {name: getattr(responses, name, None) for name in described["components"]["schemas"]}
    tried = 0
    for path, methods in described["paths"].items():
        for example in examples_of(described, methods):
            response = client.post(path, json=example)
            assert response.status_code == 200
            documented = methods["post"]["responses"]["200"]["content"]["application/json"]
            model = answers[documented["schema"]["$ref"].rpartition("/")[2]]
            model.model_validate(response.json())
            model.model_validate(documented["example"])
            tried += 1
    assert tried >= 7


def examples_of(described, methods):
    if "post" not in methods:
        return []
    schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    return described["components"]["schemas"][schema]["examples"]


def test_the_engine_resigns_after_three_hopeless_moves(client):
    fight = "D4 D5 C5 C4 C3 B4 E5 D6 B3 E4 E3 F4".split()
    moves = [["white" if number % 2 else "black", point] for number, point in enumerate(fight)]
    lost = {"board": ["." * 7] * 7, "moves": moves, "komi": 60, "playouts": 100}
    first = answer(client, "play", **lost, hopeless=1)
    assert (first["hopeless"], first["move"] != "resign") == (2, True)
    assert answer(client, "play", **lost, hopeless=first["hopeless"])["move"] == "resign"
    assert answer(client, "play", **lost)["move"] != "resign"


def test_work_ends_when_the_client_leaves(monkeypatch):
    stopped = threading.Event()

    def endless(request, stop):
        while not stop():
            time.sleep(0.001)
        stopped.set()
        return {}

    monkeypatch.setattr(app_module, "game_work", endless)
    body = json.dumps({"sgf": SGF}).encode()
    waiting = [{"type": "http.request", "body": body, "more_body": False}, {"type": "http.disconnect"}]
    sent = []

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": "POST", "path": "/api/game", "headers": headers, "query_string": b""}
    asyncio.run(make_app()(scope, receive, send))
    assert stopped.wait(10)
    assert sent[0]["status"] == app_module.LEFT


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({}, "give either"),
        ({"sgf": "(;SZ[9])", "board": ROWS}, "give either"),
        ({"sgf": "hello"}, ""),
        ({"sgf": ""}, ""),
        ({"sgf": "(;SZ[9])", "move": 3}, "no position after move 3"),
        ({"sgf": "(;SZ[40];B[aa])"}, "2 to 25"),
        ({"sgf_base64": "!"}, "not base64"),
        ({"board": []}, "rows"),
        ({"board": ["X.", "."]}, "same length"),
        ({"board": ["XX", "XX"]}, "no liberty"),
        ({"board": ["<script>", "........"]}, "cannot stand on a board"),
        ({"board": ["...."] * 4, "rules": "../../etc/passwd"}, "unknown rules"),
        ({"board": ["...."] * 4, "moves": [["black", "Z9"]]}, ""),
        ({"board": ["...."] * 4, "moves": [["black", "A1"], ["white", "A1"]]}, "already"),
        ({"board": ["...."] * 4, "rules": "{" * 400}, "JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(client, request_, words):
    for path in ("score", "estimate", "moves"):
        assert words in refusal(client, path, request_)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"sgf"',
        b"\xff\xfe",
        b'{"komi": NaN, "board": ["..", ".."]}',
        b'{"komi": 1e999, "board": ["..", ".."]}',
        b'{"komi": ' + b"9" * 5000 + b"}",
        b'{"board": ["..", ".."], "unknown": 1}',
        b"[" * 50_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"board": ' + json.dumps(["." * 25] * 26).encode() + b"}",
        b'{"board": ["\\ud800.", ".."]}',
        b'{"sgf": 5}',
        b'{"move": -1, "sgf": "(;)"}',
        b'{"captures": [1], "board": ["..", ".."]}',
    ],
)
def test_hostile_bodies_are_errors_of_the_client(client, body):
    for path in ("score", "estimate", "moves", "game", "play", "record", "ogs"):
        response = client.post(f"/api/{path}", content=body, headers={"content-type": "application/json"})
        assert 400 <= response.status_code < 500, (path, body[:60], response.text)
        assert response.json()["error"]


FIELDS = ("sgf", "sgf_base64", "board", "move", "moves", "to_play", "rules", "komi", "handicap", "captures", "marks")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8)
    | st.sampled_from(["..XO", "XO..", "....", "black", "white", "A1", "pass", "japanese", "(;SZ[4];B[aa])", "dead"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.just("A1"), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), VALUES, max_size=6))
def test_random_requests_are_answered_or_refused(client, request_):
    body = json.dumps(request_).encode()
    for path in ("score", "estimate", "moves", "record", "ogs"):
        response = client.post(f"/api/{path}", content=body, headers={"content-type": "application/json"})
        assert response.status_code in (200, 400, 422), (path, body, response.text)


def test_a_large_body_is_refused_by_its_length(client):
    response = client.post("/api/score", content=b"x" * 200_000, headers={"content-type": "application/json"})
    assert response.status_code == 413
    assert client.post("/api/score", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415


def test_answers_carry_a_strict_policy_and_no_cors(client):
    for response in (client.post("/api/score", json={}), client.get("/api/health"), client.get("/nowhere")):
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in response.headers
    assert client.get("/nowhere").json() == {"schema": 1, "error": "Not Found"}
    assert client.get("/api/score").status_code == 405
    assert client.post("/api/health").status_code == 405


def test_cors_is_answered_for_named_origins_only():
    with TestClient(make_app(origins=["https://go.example"])) as client:
        asked = {"origin": "https://go.example"}
        assert client.get("/api/health", headers=asked).headers["access-control-allow-origin"] == "https://go.example"
        assert "access-control-allow-origin" not in client.get("/api/health", headers={"origin": "https://a.b"}).headers


def test_script_tags_come_back_as_text(client):
    name = "<script>alert(1)</script>"
    record = client.post("/api/record", json={"sgf": f"(;SZ[5]PB[{name}];B[aa])"})
    assert record.headers["content-type"] == "application/json"
    assert record.json()["black"] == name


def test_the_access_log_is_one_object_per_request(client, caplog):
    with caplog.at_level("INFO", logger="tengen.access"):
        client.post("/api/score", json={"board": ROWS})
    line = json.loads(caplog.records[-1].getMessage())
    assert (line["method"], line["path"], line["status"]) == ("POST", "/api/score", 200)
    assert line["bytes"] > 100


def test_a_count_with_other_marks_does_not_judge_again(client, monkeypatch):
    judged, score = [], work.score
    monkeypatch.setattr(work, "score", lambda board, **options: judged.append(board) or score(board, **options))
    request = {"board": ROWS, "komi": 3.25}
    results = [answer(client, "score", **request, marks={"B5": mark})["lead"] for mark in ("alive", "dead", "seki")]
    assert len(judged) == 1
    assert len(set(results)) > 1


def test_the_page_is_small_and_has_nothing_inline(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert '<script type="module" crossorigin src="./page.js"></script>' in page.text
    assert "<style" not in page.text
    assert " style=" not in page.text
    size = 0
    for name in ("", "page.js", "page.css", "sw.js", "icon.svg"):
        file = client.get(f"/{name}")
        assert file.status_code == 200
        size += int(file.headers["content-length"])
        assert client.get(f"/{name}", headers={"if-none-match": file.headers["etag"]}).status_code == 304
    assert size <= 100_000
    assert client.get("/../app.py").status_code == 404
    assert client.get("/page/index.html").status_code == 404
