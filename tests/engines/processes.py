"""Doubles of engines, and whether a process is still there."""

import os
import sys
import time
from pathlib import Path

import pytest

from tengen.engines.process import find_program

HERE = Path(__file__).parent
GTP = [sys.executable, str(HERE / "gtp_double.py")]
PLAYER = [sys.executable, str(HERE / "gtp_player.py")]
KATAGO = [sys.executable, str(HERE / "katago_double.py")]

needs_gnugo = pytest.mark.skipif(
    find_program("gnugo") is None, reason="GNU Go is not installed: on Debian, apt install gnugo"
)


def alive(pid):
    """Whether a process runs; one that ended but was not waited for by its parent does not count."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def gone(pid, within=5.0):
    """Whether a process ends within some seconds."""
    deadline = time.monotonic() + within
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)
