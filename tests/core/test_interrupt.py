"""Ctrl-C ends native work: a process is sent SIGINT during each of its huge jobs, and goes on with the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from .dev import _dev  # noqa: F401 the jobs use it in a process of their own

JOBS = """
import math
import signal
import numpy as np
import tengen
from tengen import _core, _dev
from tengen.search.player import Player
from tengen.territory.ising import grid_graph
from tengen.territory.playouts import PlayoutOwner

signal.signal(signal.SIGINT, signal.default_int_handler)  # a program started in the background ignores it
graph = grid_graph(19, 19)
rng = np.random.default_rng(0)
fields, couplings = rng.normal(size=(5000, 361)), rng.normal(size=(5000, 684))
boards = np.zeros((40_000, 19, 19), np.int8)
table = _core.PatternTable(np.arange(5, dtype=np.uint64), np.zeros(5, np.float32))
searches = [_core.Search(_core.Position(9, 9), True, 0, 10_000, 7.5, False, None) for _ in range(2)]
held = _core.Search(_core.Position(9, 9), True, 0, 10_000, 7.5, False, None)

def learn():
    targets = np.zeros(boards.shape, np.float32)
    table.learn(boards, targets, targets, 4, np.zeros(5), np.zeros(5), 0.1, 0.0)

def wait_for_another_thread():
    import threading
    threading.Thread(target=held.run, args=(10**12, math.inf, 1, []), daemon=True).start()
    while True:
        held.report()

jobs = {
    "playouts": lambda: tengen.Board(19).playouts(100_000_000),
    "playouts on two threads": lambda: tengen.Board(19).playouts(100_000_000, threads=2, policy="knowing"),
    "estimate": lambda: tengen.estimate(tengen.Board(19), model=PlayoutOwner(n=100_000_000)),
    "propagation": lambda: graph.propagate(fields, couplings, 1e-300, 1_000_000),
    "double loop": lambda: graph.double_loop(fields, couplings, 1e-300, 1_000_000),
    "Gibbs": lambda: graph.gibbs(fields, couplings, 0, 100_000_000, 0),
    "Swendsen-Wang": lambda: graph.swendsen_wang(fields, couplings, 100_000_000, 1, 0),
    "elimination": lambda: graph.eliminate(fields, couplings),
    "exact samples": lambda: graph.exact_samples(fields[:1], couplings[:1], 1_000_000, 0),
    "search": lambda: searches[0].run(10**12, math.inf, 1, []),
    "search on two threads": lambda: searches[1].run(10**12, math.inf, 2, []),
    "player": lambda: Player(tengen.Board(9)).think(seconds=math.inf),
    "keys": lambda: _core.pattern_keys(boards, 4),
    "table": lambda: table.ownership(boards, 4),
    "learning": learn,
    "counting": lambda: _dev.count_legal_positions(4),
    "reference": lambda: _dev.plain_playouts(19, 100_000_000, 0),
    "waiting": wait_for_another_thread,
}
for name, job in jobs.items():
    try:
        print(name, flush=True)
        job()
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
import os
os._exit(0)  # a search still runs on another thread
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the jobs are too large for the sanitizer")
def test_ctrl_c_ends_native_work() -> None:
    command = [sys.executable, "-c", JOBS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        rescue = threading.Timer(400, process.kill)
        rescue.start()
        assert process.stdout is not None
        assert process.stderr is not None
        ended = {}
        for line in process.stdout:
            time.sleep(0.15)
            process.send_signal(signal.SIGINT)
            ended[line.strip()] = process.stdout.readline().strip()
        rescue.cancel()
        problems = process.stderr.read()
    assert process.returncode == 0, (ended, problems)
    assert len(ended) == 18
    assert set(ended.values()) == {"interrupted"}, ended
