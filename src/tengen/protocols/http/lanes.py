"""Bounded work: a lane runs jobs in one thread, keeps a short queue, and turns everything else away.

Quick and slow requests have a lane each, so that a review never delays the count of a board.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
Stop = Callable[[], bool]
"""Tells a job that nobody waits for its answer any more."""


class Left(Exception):
    """The client has closed the connection."""


async def unless(leaving: Coroutine[Any, Any, None], job: Coroutine[Any, Any, T]) -> T:
    """Return what a job returns; if the client leaves first, cancel the job and raise `Left`."""
    tasks = asyncio.create_task(job), asyncio.create_task(leaving)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[0].done():
            raise Left("the client has left")
        return tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # the job has left the queue when the caller goes on


class Busy(Exception):
    """There is no room in the queue, or the answer took too long."""

    def __init__(self, retry_after: int, late: bool = False) -> None:
        super().__init__("the answer takes too long" if late else "too many requests are waiting")
        self.retry_after = retry_after
        self.late = late


class Lane:
    """A thread with a bounded queue."""

    def __init__(self, name: str, queue: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._most = queue + 1
        self._seconds = seconds
        self._waiting = 0
        self._usual = 0.05  # moving average of the seconds that a job takes
        self._lock = threading.Lock()

    async def run(self, job: Callable[[Stop], T]) -> T:
        """Run a job in the thread; raise `Busy` if there is no room or the answer comes too late."""
        with self._lock:
            if self._waiting >= self._most:
                raise Busy(self._retry_after())
            self._waiting += 1
        stopped = threading.Event()
        future = self._pool.submit(self._timed, job, stopped.is_set)
        future.add_done_callback(self._leave)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            raise Busy(self._retry_after(), late=True) from None
        finally:
            stopped.set()

    def close(self) -> None:
        """Cancel the waiting jobs."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _timed(self, job: Callable[[Stop], T], stop: Stop) -> T:
        start = time.perf_counter()
        try:
            return job(stop)
        finally:
            self._usual += 0.2 * (time.perf_counter() - start - self._usual)

    def _leave(self, future: Future[T]) -> None:
        with self._lock:
            self._waiting -= 1

    def _retry_after(self) -> int:
        return max(1, min(60, math.ceil(self._waiting * self._usual)))
