"""Bounded work."""

import asyncio
import threading

import pytest

pytest.importorskip("fastapi")
from tengen.protocols.http.lanes import Busy, Lane, Left, unless


def test_a_full_queue_turns_requests_away_and_recovers():
    async def fill():
        lane, release = Lane("test", queue=2, seconds=10), threading.Event()
        jobs = [asyncio.create_task(lane.run(lambda stop: release.wait())) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy) as busy:
            await lane.run(lambda stop: None)
        assert not busy.value.late
        assert busy.value.retry_after >= 1
        release.set()
        await asyncio.gather(*jobs)
        assert await lane.run(lambda stop: 7) == 7
        lane.close()

    asyncio.run(fill())


def test_a_late_job_is_told_to_stop():
    async def wait():
        lane, told = Lane("test", queue=2, seconds=0.05), threading.Event()

        def job(stop):
            while not stop():
                pass
            told.set()

        with pytest.raises(Busy) as busy:
            await lane.run(job)
        assert busy.value.late
        assert await asyncio.to_thread(told.wait, 10)
        lane.close()

    asyncio.run(wait())


def test_a_waiting_job_is_dropped_when_its_client_leaves():
    async def leave():
        lane, release, gone, ran = Lane("test", queue=2, seconds=10), threading.Event(), asyncio.Event(), []
        first = asyncio.create_task(lane.run(lambda stop: release.wait()))
        second = asyncio.create_task(unless(gone.wait(), lane.run(lambda stop: ran.append(2))))
        await asyncio.sleep(0.01)
        gone.set()
        with pytest.raises(Left):
            await second
        release.set()
        await first
        assert await unless(asyncio.Event().wait(), lane.run(lambda stop: 3)) == 3
        assert ran == []
        lane.close()

    asyncio.run(leave())
