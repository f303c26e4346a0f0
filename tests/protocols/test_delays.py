"""How long an answer takes when a search has to be stopped for it: under 50 ms, whatever else was wished for.

The fastest of twenty tries is judged: the others also measure what else runs on the machine.
"""

import json
import queue
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from protocols.talking import Talk
from tengen.go.board import Board
from tengen.protocols.analysis import Engine
from tengen.protocols.said import AnalysedPosition
from tengen.search.player import Settings

MOST = 0.05
MOVES = list(zip("bw" * 4, "Q16 D4 Q3 D16 R5 C14 F17 C6".split(), strict=True))
KEYS = "ownership ownershipStdev movesOwnership movesOwnershipStdev pvVisits pvEdgeVisits noResultValue rootInfo"
EVERYTHING = " ".join(f"{key} true" for key in KEYS.split())
ANALYSES = [
    *(f"kata-analyze b {interval} {EVERYTHING}" for interval in (1, 10, 100)),
    "kata-analyze b 1",
    f"lz-analyze b 10 {EVERYTHING}",
    f"analyze b 10 {EVERYTHING}",
    "kata-search_cancellable b",
]
DECISIONS = [
    "genmove b",
    "reg_genmove b",
    "kata-search b",
    "kata-search_cancellable b",
    "top_moves_black",
    "top_moves_white",
    f"genmove_analyze b 10 {EVERYTHING}",
    f"kata-genmove_analyze b 10 {EVERYTHING}",
    f"lz-genmove_analyze b 10 {EVERYTHING}",
    f"kata-search_analyze b 10 {EVERYTHING}",
]
QUESTION = {
    "id": "q", "boardXSize": 19, "boardYSize": 19, "rules": "chinese", "moves": [list(move) for move in MOVES],
    "maxVisits": 10_000_000, "includeOwnership": True, "includeOwnershipStdev": True, "includeMovesOwnership": True,
    "includePolicy": True, "includePVVisits": True,
}  # fmt: skip


class Program:
    """A program on two pipes whose lines are read at once, each with the time it came."""

    def __init__(self, *words, start=("-m", "tengen")):
        self.process = subprocess.Popen([sys.executable, *start, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line))

    def say(self, text):
        """Say a line; return when that was."""
        begun = time.monotonic()
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()
        return begun

    def wait_for(self, fits):
        """Return when the next line came that fits."""
        while True:
            came, line = self.lines.get(timeout=60)
            if fits(line):
                return came

    def ask(self, text):
        """Say a line and wait for the answer to a name behind it; return how long that took."""
        begun = self.say(f"{text}\n7 name")
        return self.wait_for(lambda line: line == b"=7 Tengen\n") - begun

    def close(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def gtp():
    engine = Program("gtp", "--seconds", "60")
    engine.ask("\n".join(f"play {colour} {point}" for colour, point in MOVES))
    yield engine
    engine.close()


@pytest.fixture
def analysis():
    engine = Program("analysis")
    yield engine
    engine.close()


def pauses(tries):
    """Various times to let an engine work, so that it is met at various work."""
    return [0.05 + 0.3 * part / tries for part in range(tries)]


def gtp_delays(engine, command, end, tries):
    for pause in pauses(tries):
        engine.say(command)
        time.sleep(pause)
        yield engine.ask(end)
        if "genmove" in command and not command.startswith("reg"):  # the others play nothing
            engine.ask("undo")


def termination_delays(engine, tries, **fields):
    for pause in pauses(tries):
        engine.say(json.dumps(QUESTION | fields))
        time.sleep(pause)
        begun = engine.say('{"id": "t", "action": "terminate_all"}')
        yield engine.wait_for(lambda line: b'"isDuringSearch":false' in line) - begun


@pytest.mark.slow
@pytest.mark.parametrize("command", ANALYSES, ids=lambda command: " ".join(command.split()[:4]))
def test_any_input_ends_an_analysis_within_50_ms(gtp, command):
    assert min(gtp_delays(gtp, command, "stop", 20)) < MOST


@pytest.mark.slow
@pytest.mark.parametrize("command", DECISIONS, ids=lambda command: command.split()[0])
def test_an_interrupt_ends_a_move_within_50_ms(gtp, command):
    assert min(gtp_delays(gtp, command, "# interrupt", 20)) < MOST


@pytest.mark.slow
@pytest.mark.parametrize("every", [None, 0.02, 0.2])
def test_a_question_is_terminated_within_50_ms(analysis, every):
    fields = {} if every is None else {"reportDuringSearchEvery": every}
    assert min(termination_delays(analysis, 20, **fields)) < MOST


SLOW_GUIDE = """
import time
from tengen.__main__ import main
from tengen.models.base import ValueModel
from tengen.models.registry import register

@register
class Slow(ValueModel):
    name = "values/slow"

    def winrate(self, board):
        end = time.perf_counter() + 0.025
        while time.perf_counter() < end:
            pass
        return 0.5

main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_any_input_ends_an_analysis_with_a_slow_guide_within_50_ms(threads):
    """Each answer of the guide takes 25 ms."""
    words = f"gtp --seconds 60 --threads {threads} --guide values/slow --guide-as values --guided 100".split()
    engine = Program(*words, start=("-c", SLOW_GUIDE))
    try:
        assert min(gtp_delays(engine, "kata-analyze b 10", "stop", 20)) < MOST
    finally:
        engine.close()


@pytest.mark.slow
def test_pondering_ends_within_50_ms():
    engine = Program("gtp", "--playouts", "100", "--ponder")
    try:
        waits = []
        for pause in pauses(20):
            engine.say("5 genmove b")
            engine.wait_for(lambda line: line.startswith(b"=5 "))
            time.sleep(pause)
            waits.append(engine.ask("undo"))
        assert min(waits) < MOST
    finally:
        engine.close()


def test_searches_end_at_once(gtp, analysis):
    """On a busy machine most may wait longer, but not all of them."""
    for waits in (
        gtp_delays(gtp, ANALYSES[0], "stop", 20),
        gtp_delays(gtp, ANALYSES[2], "stop", 20),
        termination_delays(analysis, 20),
    ):
        assert any(wait < MOST for wait in waits)
    gtp.say(ANALYSES[0])
    gtp.say("quit")
    assert gtp.process.wait(60) == 0


def test_the_end_of_the_input_ends_an_analysis(gtp):
    gtp.say(ANALYSES[0])
    gtp.process.stdin.close()
    assert gtp.process.wait(60) == 0
    gtp.process.stdin = None


def test_ownership_after_a_move_goes_on_where_it_was_stopped():
    whole = AnalysedPosition(Board(9)).ownership_after("E5")
    position, looks = AnalysedPosition(Board(9)), iter([False, False, True, True])
    assert position.ownership_after("E5", lambda: True) is None
    part = position.ownership_after("E5", lambda: next(looks))
    assert np.array_equal(part * 16, (part * 16).round())  # two slices of eight playouts
    assert np.array_equal(position.ownership_after("E5", lambda: next(looks)), part)
    assert np.array_equal(position.ownership_after("E5"), whole)
    assert np.array_equal(position.ownership_after("E5", lambda: True), whole)


def test_a_stopped_analysis_works_nothing_out():
    """Somebody has spoken before the first report: what would take longer is left out."""
    line = Talk("boardsize 9")(f"kata-analyze b 10 {EVERYTHING}")
    assert "info move" in line
    assert "ownershipStdev" in line
    assert "movesOwnership" not in line


def test_a_question_that_is_terminated_is_not_worked_out():
    said = queue.Queue()
    engine = Engine(lambda line: said.put(json.loads(line)), settings=Settings(playouts=50), workers=1)
    engine.feed(json.dumps(QUESTION))
    time.sleep(0.1)
    engine.feed('{"id": "t", "action": "terminate_all"}')
    answers = [said.get(timeout=30) for _ in range(2)]
    engine.close()
    assert "action" in answers[0]
    assert len(answers[1]["ownership"]) == 361
    assert not any("ownership" in info for info in answers[1]["moveInfos"])
