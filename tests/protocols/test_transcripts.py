"""Dialogues of real clients are replayed; tests/transcripts/README.md says how they are written."""

import json
import queue
import re
from pathlib import Path

import pytest

from tengen.protocols.analysis import Engine
from tengen.protocols.gtp import COMMANDS, Session
from tengen.search.player import Settings

FOLDER = Path(__file__).parents[1] / "transcripts"
DIALOGUES = sorted(FOLDER.glob("*.gtp"))
QUESTIONS = sorted(FOLDER.glob("*.jsonl"))

FLOAT = r"-?\d+\.\d+"
POINT = r"(?:[A-HJ-Z]\d+|pass)"
LINE = rf"pv {POINT}(?: {POINT})*"
SHAPES = {
    "float": FLOAT,
    "point": POINT,
    "info": rf"(?:info move {POINT} visits \d+ winrate {FLOAT} scoreLead {FLOAT} prior {FLOAT} lcb {FLOAT} "
    rf"order \d+ {LINE} ?)+",
    "kata-info": rf"(?:info move {POINT} visits \d+ utility {FLOAT} winrate {FLOAT} scoreMean {FLOAT} scoreStdev "
    rf"{FLOAT} scoreLead {FLOAT} scoreSelfplay {FLOAT} prior {FLOAT} lcb {FLOAT} utilityLcb {FLOAT} "
    rf"order \d+ {LINE} ?)+?",
    "lz-info": rf"(?:info move {POINT} visits \d+ winrate \d+ prior \d+ lcb \d+ order \d+ {LINE} ?)+",
}


def pattern(written):
    """The regular expression of an expected line."""
    text = re.sub(r"\{floats (\d+)\}", lambda found: rf"{FLOAT}(?: {FLOAT}){{{int(found[1]) - 1}}}", written)
    for name, shape in SHAPES.items():
        text = text.replace("{" + name + "}", shape)
    return re.compile(text)


def exchanges(path):
    """The lines sent, each with the lines expected."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(">"):
            found.append((line[2:], []))
        elif line.startswith("<"):
            found[-1][1].append(line[1:])
    return found


def options(path):
    """The options of the session: lines such as `! name=KataGo`."""
    found = [line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("! ")]
    return dict(option.split("=") for option in found)


def matches(lines, expected):
    """Whether lines are what is expected, in order, none left over."""
    left = list(lines)
    for line in expected:
        times, _, written = line.partition(" ")
        shape = pattern(written)
        least, most = (1, 10_000) if times == "+" else (int(times or 1), int(times or 1))
        taken = 0
        while left and taken < most and shape.fullmatch(left[0]):
            left.pop(0)
            taken += 1
        assert taken >= least, f"{left[:1]} is not {written!r}"
    assert not left
    return True


@pytest.mark.parametrize("path", DIALOGUES, ids=lambda path: path.stem)
def test_gtp_client(path):
    said = []
    session = Session(said.append, settings=Settings(playouts=60), **options(path))
    for sent, expected in exchanges(path):
        said.clear()
        patient = "movesOwnership" in sent  # what takes longer is said to those who listen to a report
        session.waiting = lambda patient=patient: bool(said) or not patient
        session.feed(sent + "\n")
        answer = "".join(said)
        assert answer.endswith("\n\n"), sent
        assert "\n\n" not in answer[:-2], sent
        assert matches(answer[:-2].split("\n"), expected), sent


def test_every_client_command_is_known():
    lines = [line for path in DIALOGUES for line, answer in exchanges(path) if "unknown command" not in answer[0]]
    sent = {line.removeprefix(f"{line.split()[0]} " if line[0].isdigit() else "").split()[0]
            for line in lines}  # fmt: skip
    assert sent <= set(COMMANDS)


def fits(answer, expected):
    """Whether an answer has the fields that are expected, of their kinds."""
    if isinstance(expected, dict):
        return all(key in answer and fits(answer[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return answer != [] and fits(answer[0], expected[0]) if expected else answer == []
    if not (isinstance(expected, str) and expected.startswith("~")):
        return answer == expected
    kind = expected[1:]
    if match := re.fullmatch(r"(\d+) floats", kind):
        return len(answer) == int(match[1]) and all(isinstance(value, float) for value in answer)
    kinds = {"int": int, "float": float, "str": str, "list": list}
    return isinstance(answer, kinds[kind]) if kind in kinds else answer.startswith(kind)


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_analysis_client(path):
    said = queue.Queue()
    engine = Engine(said.put, workers=1)
    early = []  # answers and warnings may overtake each other
    try:
        for sent, expected in exchanges(path):
            engine.feed(sent + "\n")
            for line in expected:
                shape = json.loads(line)
                while not any(fits(answer, shape) for answer in early):
                    early.append(json.loads(said.get(timeout=30)))
                early.remove(next(answer for answer in early if fits(answer, shape)))
        engine.finish()
        assert said.empty()
        assert all(answer["isDuringSearch"] for answer in early)
    finally:
        engine.close()
