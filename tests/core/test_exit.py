"""The end of a program is silent, whatever is still alive then."""

import subprocess
import sys

import pytest

ALIVE = {
    "a daemon thread": """
import threading, time
def hold():
    board = tengen.Board(9)
    board.play("E5")
    time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
time.sleep(0.1)
""",
    "a guided search on a daemon thread": """
import math, threading, time
from tengen.search.player import Player, Settings
player = Player(tengen.Board(9), Settings(threads=2, guide="territory/bma", guided=9))
threading.Thread(target=player.think, kwargs={"seconds": math.inf}, daemon=True).start()
time.sleep(0.3)
""",
    "an exception that was kept": """
import sys
try:
    tengen.Board(9).play("Z9")
except tengen.TengenError as error:
    sys.kept = error
""",
    "a cycle": """
board = tengen.Board(9)
class Knot: pass
knot = Knot()
knot.self, knot.board = knot, board
Knot.board = board
""",
}


@pytest.mark.parametrize("what", ALIVE)
def test_no_leak_is_reported(what):
    done = subprocess.run(
        [sys.executable, "-c", f"import tengen\n{ALIVE[what]}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
