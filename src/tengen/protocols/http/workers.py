"""Worker processes: started together, replaced when they die, and ended in order."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from tengen.errors import TengenError
from tengen.plain import notice

SOON = 3.0
"""A worker that ends within this many seconds has failed to start; it is not replaced for ever."""
MOST_FAILURES = 5


class Workers:
    """Several processes that run the same function."""

    def __init__(self, number: int, target: Callable[..., None], *arguments: Any, finish_seconds: float) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._number = number
        self._target = target
        self._arguments = arguments
        self._finish_seconds = finish_seconds
        self._running: dict[BaseProcess, float] = {}
        self._failures = 0
        self._stopping = False

    def run(self) -> None:
        """Keep the workers running until SIGTERM or Ctrl-C."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        try:
            while not self._stopping:
                while len(self._running) < self._number:
                    self._start()
                wait([worker.sentinel for worker in self._running], timeout=0.5)
                self._bury()
        finally:
            self._end()

    def _stop(self, number: int, frame: object) -> None:
        self._stopping = True

    def _start(self) -> None:
        worker = self._context.Process(target=self._target, args=self._arguments)
        worker.start()
        self._running[worker] = time.monotonic()

    def _bury(self) -> None:
        for worker in [worker for worker in self._running if not worker.is_alive()]:
            age = time.monotonic() - self._running.pop(worker)
            if self._stopping:
                continue
            notice(f"tengen serve: worker {worker.pid} ended with exit code {worker.exitcode} and is replaced")
            self._failures = self._failures + 1 if age < SOON else 0
            if self._failures >= MOST_FAILURES:
                raise TengenError("the workers cannot start")

    def _end(self) -> None:
        for worker in self._running:
            worker.terminate()
        until = time.monotonic() + self._finish_seconds + 2
        for worker in self._running:
            worker.join(max(0.0, until - time.monotonic()))
            if worker.is_alive():
                worker.kill()
