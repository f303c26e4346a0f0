"""Jobs on a pool of processes and on a cluster."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.corpus import jobs

import tengen
from tengen.corpus.workers import _interrupts_held, map_shards

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("workers", [1, 2])
def test_outcomes_come_in_the_order_of_the_shards(workers):
    outcomes = list(map_shards(jobs.square, range(9), workers=workers))
    assert [outcome.result for outcome in outcomes] == [n * n for n in range(9)]
    assert all(outcome.error is None for outcome in outcomes)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_shard_that_raises_fails_alone(workers):
    outcomes = list(map_shards(jobs.fail_on_three, range(6), workers=workers))
    assert [outcome.result for outcome in outcomes] == [0, 1, 2, None, 4, 5]
    assert "ValueError: three is not allowed" in outcomes[3].error


def test_a_shard_that_kills_its_worker_fails_alone():
    outcomes = list(map_shards(jobs.die_on_three, range(8), workers=2))
    assert [outcome.result for outcome in outcomes] == [0, 1, 2, None, 4, 5, 6, 7]
    assert outcomes[3].error == "its worker died 3 times"


def test_a_worker_that_dies_once_costs_nothing(tmp_path):
    outcomes = list(map_shards(jobs.die_once, [(str(tmp_path), n) for n in range(8)], workers=2))
    assert [outcome.result for outcome in outcomes] == list(range(8))


def test_shards_are_taken_from_the_list_a_few_at_a_time():
    taken = []

    def shards():
        for number in range(1000):
            taken.append(number)
            yield number

    outcomes = map_shards(jobs.square, shards(), workers=2)
    next(outcomes)
    assert len(taken) < 20
    outcomes.close()


def _threads_left(outcomes, taken):
    before = set(threading.enumerate())
    for _ in range(taken):
        next(outcomes, None)
    outcomes.close()
    return set(threading.enumerate()) - before


@pytest.mark.parametrize("taken", [1, 7])
def test_no_thread_of_a_pool_outlives_it(taken):
    """One that still closes pipes when the interpreter exits makes it print a traceback."""
    assert _threads_left(map_shards(jobs.square, range(6), workers=2), taken) == set()
    assert _threads_left(map_shards(jobs.die_on_three, range(6), workers=2), taken) == set()


def test_wrong_settings_are_refused():
    with pytest.raises(tengen.TengenError, match="workers"):
        map_shards(jobs.square, [1], workers=0)


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """A Dask scheduler and two worker processes."""
    pytest.importorskip("dask.distributed", reason="dask is not installed (pip install 'tengen[cluster]')")
    address = f"tcp://127.0.0.1:{_free_port()}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__WORKER__DAEMON": "True"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": tmp_path}

    def dask(*arguments):
        return subprocess.Popen([sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]], **quiet)

    scheduler = dask("dask_scheduler", "--host", address, "--no-dashboard")
    workers = [
        dask("dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
        for _ in range(2)
    ]
    yield address, workers
    for process in [*workers, scheduler]:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_cluster_survives_the_death_of_a_worker_and_writes_the_same_bytes(cluster, tmp_path):
    address, workers = cluster
    ours, theirs = tmp_path / "pool", tmp_path / "cluster"
    ours.mkdir()
    theirs.mkdir()
    assert all(
        outcome.result for outcome in map_shards(jobs.write_slowly, [(str(ours), n) for n in range(16)], workers=2)
    )
    _wait_for_workers(address, 2)
    done = []
    for outcome in map_shards(jobs.write_slowly, [(str(theirs), n) for n in range(16)], scheduler=address):
        done.append(outcome)
        if len(done) == 4:
            workers[0].send_signal(signal.SIGKILL)
    assert all(outcome.error is None for outcome in done)
    assert len({outcome.result for outcome in done}) == 2, "both workers worked"
    files = sorted(path.name for path in ours.iterdir())
    assert files == sorted(path.name for path in theirs.iterdir())
    assert all((ours / name).read_bytes() == (theirs / name).read_bytes() for name in files)
    shutil.rmtree(theirs)


def _wait_for_workers(address, count):
    from dask.distributed import Client

    with Client(address, timeout=30) as client:
        deadline = time.monotonic() + 60
        while len(client.nthreads()) < count and time.monotonic() < deadline:
            time.sleep(0.2)
        assert len(client.nthreads()) == count


def test_a_scheduler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("tengen.corpus.workers.CONNECT_SECONDS", 1)
    pytest.importorskip("dask.distributed", reason="dask is not installed (pip install 'tengen[cluster]')")
    with pytest.raises(tengen.TengenError, match="no Dask scheduler answers"):
        list(map_shards(jobs.square, [1], scheduler="tcp://127.0.0.1:1"))


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_waits_until_a_process_is_started_even_if_another_thread_gets_it():
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are for the main thread")
    over, reached = threading.Event(), []
    other = threading.Thread(target=over.wait)  # it does not block the signal
    other.start()

    def start():
        with _interrupts_held():
            signal.pthread_kill(other.ident, signal.SIGINT)
            received.recv(1)  # the other thread may take its time
            reached.append(True)

    received, sent = socket.socketpair()
    sent.setblocking(False)
    before = signal.set_wakeup_fd(sent.fileno())
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            start()
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(before)
        received.close()
        sent.close()
        over.set()
        other.join()
    assert reached
