"""Dialogues that nobody would hold: a thousand of each protocol, valid, wrong, cut off and binary, without a crash."""

import json
import random
import re
import threading
import time

import pytest

from protocols.talking import Talk
from tengen.protocols.analysis import Engine
from tengen.protocols.gtp import COMMANDS
from tengen.search.player import Settings

DIALOGUES = 1000
ANSWER = re.compile(r"[=?]\d*(?: [^\n]*)?\n(?:[^\n]+\n)*\n")

WORDS = """b w black white A1 C3 E5 J9 T19 Z99 I5 pass resign 0 1 2 5 9 19 25 -3 1e9 nan inf 6.5 100 true false dead
    alive seki dame japanese chinese aga {} {"ko":"SIMPLE"} [ " ownership interval avoid allow maxmoves rootInfo
    movesOwnership territory/bma territory/naive absolute canadian byoyomi fischer C3,D4 maxVisits maxTime model
    é 囲 \x00 \x7f""".split()
SENSIBLE = """boardsize 5; boardsize 7 4; clear_board; komi 3.5; play b C3; play w B2; play b A1; play w D4; undo;
    play b pass; genmove b; genmove w; final_status_list dead; kata-analyze b 5 ownership true; lz-analyze w 5;
    kata-genmove_analyze b 5; kata-raw-nn 0; fixed_handicap 2; place_free_handicap 3; set_position b C3 w C2; showboard;
    final_score;
    kata-set-rules japanese; printsgf; verdicts; explain C3; time_settings 1 1 5; time_left b 0.2 1; estimate_score;
    kgs-genmove_cleanup w; gogui-play_sequence b B3 w C2""".split(";")
EXPENSIVE = {"gogui-analyze_commands", "tengen-search_moves", "tengen-search_ownership", "printsgf", "quit"}
NAMES = sorted(COMMANDS.keys() - EXPENSIVE)


def gtp_line(dice):
    kind = dice.random()
    if kind < 0.5:
        line = dice.choice(SENSIBLE)
    elif kind < 0.85:
        line = " ".join([dice.choice(NAMES), *dice.choices(WORDS, k=dice.randrange(5))])
    else:
        line = dice.randbytes(dice.randrange(60)).decode("utf-8", "replace")
    if dice.random() < 0.1:
        line = line[: dice.randrange(len(line) + 1)]
    return f"{dice.randrange(100)} {line}" if dice.random() < 0.3 else line


@pytest.mark.slow
def test_random_gtp_dialogues(capfd):
    """Every line has one well-formed answer or, if it is empty or a comment, none; and none is an error of ours."""
    for seed in range(DIALOGUES):
        dice = random.Random(seed)
        talk = Talk("boardsize 5", playouts=20)
        for _ in range(dice.randrange(2, 15)):
            line = gtp_line(dice)
            answer = talk.raw(line)
            assert ANSWER.fullmatch(answer) or answer == "", (seed, line, answer)
            assert "internal error" not in answer, (seed, line, answer)
        assert talk("name") == "Tengen"
    assert capfd.readouterr().err == ""


QUESTION = {
    "id": "q", "boardXSize": 5, "boardYSize": 5, "rules": "japanese", "komi": 0.5, "moves": [["B", "C3"], ["W", "B2"]],
    "initialStones": [["B", "A1"]], "initialPlayer": "B", "analyzeTurns": [0, 2], "maxVisits": 20,
    "includeOwnership": True, "includeMovesOwnership": True, "includePolicy": True, "includePVVisits": True,
    "includeMovesOwnershipStdev": True, "includeNoResultValue": True, "analysisPVLen": 4, "priorities": [3, -1],
    "avoidMoves": [{"player": "B", "moves": ["A5", "(4,4)"], "untilDepth": 1}], "rootPolicyTemperature": 1.1,
    "overrideSettings": {"maxTime": 0.05, "wideRootNoise": 0.04}, "reportDuringSearchEvery": 0.01,
    "firstReportDuringSearchAfter": 0.005,
}  # fmt: skip
ODD = [
    None,
    True,
    -1,
    0,
    1.5,
    10**30,
    "",
    "B",
    "Q99",
    "pass",
    "(1,2)",
    [],
    [[]],
    [["B", "C3"]],
    {},
    {"a": 1},
    [1, "x"],
    "\ud800",
    1e308,
]
ACTIONS = ["query_version", "terminate", "terminate_all", "clear_cache", "query_models", "dance", 7]


def question_line(dice):
    kind = dice.random()
    if kind < 0.15:
        return dice.randbytes(dice.randrange(80)).decode("utf-8", "replace")
    if kind < 0.3:
        message = {
            "id": dice.choice(["a", "q", 5]),
            "action": dice.choice(ACTIONS),
            "terminateId": dice.choice(["q", 1]),
        }
    else:
        message = {key: value for key, value in QUESTION.items() if dice.random() < 0.97}
        for _ in range(dice.choice([0, 0, 1, 2])):
            message[dice.choice([*QUESTION, "nonsense"])] = dice.choice(ODD)
    line = json.dumps(message)
    return line[: dice.randrange(len(line))] if dice.random() < 0.1 else line


@pytest.mark.slow
def test_random_analysis_dialogues():
    """Every answer is an object on a line; every question that is not refused is answered in the end."""
    for seed in range(DIALOGUES):
        dice = random.Random(seed)
        said = []
        engine = Engine(said.append, settings=Settings(playouts=20), workers=2)
        for _ in range(dice.randrange(2, 8)):
            engine.feed(question_line(dice))
        finisher = threading.Thread(target=engine.finish, daemon=True)
        finisher.start()
        finisher.join(60)
        assert not finisher.is_alive(), seed
        engine.close()
        answers = [json.loads(line) for line in said]
        assert all(line.endswith("\n") and line.count("\n") == 1 for line in said), seed
        assert not [answer for answer in answers if "internal error" in answer.get("error", "")], seed


@pytest.mark.slow
def test_a_long_game_is_not_lost_on_time():
    """Four hundred moves at one second for every ten moves of a side.

    The referee counts the processor's time, so that other programs on the machine cannot cost the game.
    """
    talk = Talk("boardsize 19", "kata-set-rules tromp-taylor", "time_settings 0 1 10", playouts=100_000)
    left = {"b": (1.0, 10), "w": (1.0, 10)}
    for number in range(400):
        side = "bw"[number % 2]
        seconds, stones = left[side]
        talk(f"time_left {side} {seconds:.3f} {stones}")
        begun = time.process_time()
        move = talk(f"genmove {side}")
        seconds -= time.process_time() - begun
        assert seconds > 0, f"move {number + 1}: the flag fell"
        left[side] = (1.0, 10) if stones == 1 else (seconds, stones - 1)
        if move == "resign" or talk.session.board.is_over:
            talk("clear_board")
