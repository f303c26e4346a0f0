"""Corpus jobs on one machine or many: `map_shards`.

A job is a function from a shard (a small picklable description) to a small result. It writes its output to a file named
after the shard, so repeating a shard is harmless and a stopped job can resume. By default a pool of processes does the
work; with a scheduler's address it runs on a Dask cluster whose workers share the files. If a worker crashes, the
shards in progress are retried one by one, so only the shard that causes the crash fails. Connect to a scheduler only
over a trusted network or TLS: a cluster executes whatever it is sent.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from tengen.errors import TengenError
from tengen.extras import need
from tengen.interrupts import uninterrupted

S = TypeVar("S")
R = TypeVar("R")

CONNECT_SECONDS = 10.0

TRIES = 3
"""Number of crashed workers after which a shard is given up."""


@dataclass(frozen=True)
class Outcome(Generic[S, R]):
    """The result of a shard, or the reason there is none."""

    shard: S
    result: R | None
    error: str | None = None


def map_shards(
    function: Callable[[S], R], shards: Iterable[S], *, workers: int | None = None, scheduler: str | None = None
) -> Iterator[Outcome[S, R]]:
    """Apply a function to every shard; yield the outcomes in order, with a few shards in memory at a time."""
    if workers is not None and workers < 1:
        raise TengenError(f"workers: at least 1, not {workers}")
    if scheduler is not None:
        return _on_cluster(function, shards, scheduler)
    count = workers or os.cpu_count() or 1
    if count == 1:
        return (_attempt(function, shard) for shard in shards)
    return _on_pool(function, shards, count)


def _attempt(function: Callable[[S], R], shard: S) -> Outcome[S, R]:
    """Run one shard in this process; an exception becomes the outcome's error."""
    try:
        return Outcome(shard, function(shard))
    except TengenError as error:
        return Outcome(shard, None, str(error))
    except Exception as error:  # a bug in one shard must not lose the others
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Outcome(
            shard, None, f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})"
        )


def _on_pool(function: Callable[[S], R], shards: Iterable[S], workers: int) -> Iterator[Outcome[S, R]]:
    waiting = iter(shards)
    others = set(multiprocessing.active_children())
    pool = _pool(workers)
    running: deque[tuple[S, Future[Outcome[S, R]]]] = deque()
    try:
        while True:
            for shard in islice(waiting, 2 * workers - len(running)):
                running.append((shard, _submit(pool, function, shard)))
            if not running:
                return
            try:
                outcome = running[0][1].result()
            except BrokenProcessPool:
                pool.shutdown(cancel_futures=True)
                yield from [_finished(future) or _alone(function, shard) for shard, future in running]
                running.clear()
                pool = _pool(workers)
                continue
            running.popleft()
            yield outcome
    except BaseException:  # on an interrupt, or if the caller stops, unfinished shards are of no use
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        # Wait for the pool's own thread: if it still closes its pipes while the interpreter exits, Python may print a
        # traceback (OSError: bad file descriptor).
        pool.shutdown(cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, function: Callable[[S], R], shard: S) -> Future[Outcome[S, R]]:
    """Submit a shard; if the pool has just broken, return a future with that error."""
    try:
        with _interrupts_held():
            return pool.submit(_attempt, function, shard)
    except BrokenProcessPool as broken:
        future: Future[Outcome[S, R]] = Future()
        future.set_exception(broken)
        return future


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C until the end; processes started meanwhile ignore it, and their parent ends them.

    Blocking the signal in this thread is for the processes, which inherit it. It does not delay it here: another thread
    may receive the signal, and then Python runs the handler in this one.
    """
    with uninterrupted():
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _finished(future: Future[Outcome[S, R]]) -> Outcome[S, R] | None:
    return future.result() if future.done() and not future.cancelled() and future.exception() is None else None


def _alone(function: Callable[[S], R], shard: S) -> Outcome[S, R]:
    """Run one shard in a separate process, whose crash affects no other shard."""
    for _ in range(TRIES):
        with _pool(1) as pool:
            try:
                return _submit(pool, function, shard).result()
            except BrokenProcessPool:
                continue
    return Outcome(shard, None, f"its worker died {TRIES} times")


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _on_cluster(function: Callable[[S], R], shards: Iterable[S], scheduler: str) -> Iterator[Outcome[S, R]]:
    distributed = need("dask.distributed")
    try:
        client = distributed.Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise TengenError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client:
        waiting = iter(shards)
        running: deque[tuple[S, Any]] = deque()
        while True:
            room = max(0, 4 * max(1, len(client.nthreads())) - len(running))
            for shard in islice(waiting, room):
                running.append((shard, client.submit(_attempt, function, shard, pure=False)))
            if not running:
                return
            shard, future = running.popleft()
            try:
                yield future.result()
            except distributed.KilledWorker:
                yield Outcome(shard, None, "its worker died again and again")
