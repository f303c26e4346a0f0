"""Something that speaks KataGo's analysis protocol and knows no Go: each point belongs to the stone that stands on it.

Its habits are asked for by the setting "habit". Arguments: "old" for an engine without a version, or the path of a file
that marks that it has died once.
"""

import json
import os
import sys
import time
from pathlib import Path

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
held = []


def say(**message):
    print(json.dumps(message), flush=True)


def analyse(query, turn):
    width, height = query["boardXSize"], query["boardYSize"]
    owner = [0.0] * (width * height)
    for colour, name in query["initialStones"] + query["moves"][:turn]:
        if name != "pass":
            owner[(height - int(name[1:])) * width + COLUMNS.index(name[0])] = 1.0 if colour == "B" else -1.0
    visits, lead = query.get("maxVisits", 100), sum(owner) - query["komi"]
    best = {"move": "C3", "visits": visits, "winrate": 0.6, "scoreLead": lead, "prior": 0.5, "order": 0, "pv": ["C3"]}
    pass_ = {"move": "pass", "visits": 1, "winrate": 0.1, "scoreLead": lead, "order": 1}
    answer = {"id": query["id"], "turnNumber": turn, "isDuringSearch": False, "moveInfos": [pass_, best]}
    answer["rootInfo"] = {"winrate": 0.25, "scoreLead": lead, "visits": visits, "aFieldOfTomorrow": 1}
    if query["includeOwnership"]:
        answer["ownership"] = owner
    if query["includePolicy"]:
        answer["policy"] = [-1.0 if stone else 0.01 for stone in owner] + [0.125]
    return answer


def in_pieces(query, answers):
    print("Uploading network to the abacus\n[1, 2]\n")
    say(**answers[0] | {"isDuringSearch": True, "rootInfo": {}})
    text = json.dumps(answers[0])
    for piece in (text[:40], text[40:], "\r\n"):
        sys.stdout.write(piece)
        sys.stdout.flush()
        time.sleep(0.05)


def later(query, answers):
    held.append(answers)


def backwards(query, answers):
    for answer in reversed(answers):
        say(**answer)
    for answer in held.pop() if held else ():
        say(**answer)


def warn(query, answers):
    say(warning="komi is unusual", field="komi", id=query["id"])
    say(**answers[0])


def partial_to_white(query, answers):
    say(warning="Unused key reportAnalysisWinratesAs", field="overrideSettings", id=query["id"])


def error(query, answers):
    say(error="Illegal move 0: C3", field="moves", id=query["id"])


def complain(query, answers):
    say(error="Could not parse input line as json")


def stop(query, answers):
    say(id=query["id"], noResults=True, turnNumber=0, isDuringSearch=False)


def short(query, answers):
    say(**answers[0] | {"ownership": [0.5]})


def hang(query, answers):
    time.sleep(1000)


def die(query, answers):
    sys.stderr.write("CUDA error")
    sys.stdout.write('{"id": "half a')
    sys.stdout.flush()
    os._exit(134)


def die_once(query, answers):
    mark = Path(sys.argv[1])
    if not mark.exists():
        mark.touch()
        os._exit(1)
    backwards(query, answers)


def act(query):
    if "old" in sys.argv:
        say(error="moves is required", field="moves", id=query["id"])
    else:
        say(**query, version="1.15.3", git_hash="0")


HABITS = [in_pieces, later, backwards, warn, partial_to_white, error, complain, stop, short, hang, die, die_once]


def main():
    habits = {habit.__name__: habit for habit in HABITS}
    for line in sys.stdin:
        query = json.loads(line)
        if "action" in query:
            act(query)
            continue
        answers = [analyse(query, turn) for turn in query["analyzeTurns"]]
        assert query["overrideSettings"]["reportAnalysisWinratesAs"] == "BLACK"
        habits[query["overrideSettings"].get("habit", "backwards")](query, answers)


main()
