"""Put `tengen serve` under load: speed, overload, memory, and a worker killed under load.

    python examples/load_test.py GAMES                          # all four, on one worker (two for the kill)
    python examples/load_test.py GAMES --only rates --workers 2
    python examples/load_test.py GAMES --port 8090              # only the speed, of a service that runs already

GAMES is a record or a folder of them; every request counts one of their last positions at /api/score. The worker
remembers its last 64 boards, so use more games than that. Clients are connections of one process that send the next
request as soon as they have an answer. They run on the same machine and take part of its time. With --port the service
may be a load balancer with instances behind it. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import tengen

LOST = 0
"""The status of a request whose connection broke."""


@dataclass
class Load:
    """What clients have seen."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """The time of each counted position."""
    retry_after: Counter[int] = field(default_factory=Counter)
    wall: float = 0.0

    def __str__(self) -> str:
        times = sorted(self.seconds) or [float("nan")]
        p50, p99 = (1000 * times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99))
        statuses = ", ".join(f"{number} × {status or 'lost'}" for status, number in sorted(self.statuses.items()))
        return f"{len(self.seconds) / self.wall:7.1f} counts/s, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms ({statuses})"


class Client:
    """A connection that is opened again when it breaks."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> tuple[int, int]:
        """Send a request and return the status of the answer and its Retry-After."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._streams
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            found = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            await reader.readexactly(int(found["content-length"]))
            return int(head.split()[1]), int(found.get("retry-after", "0"))
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            return LOST, 0

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def send(
    port: int,
    requests: Iterator[bytes],
    clients: int,
    *,
    seconds: float = float("inf"),
    number: float = float("inf"),
) -> Load:
    """Send requests from a number of clients, for some seconds or until a number of them was sent."""
    load, start, sent = Load(), time.perf_counter(), itertools.count()

    async def run(client: Client) -> None:
        while next(sent) < number and time.perf_counter() - start < seconds:
            began = time.perf_counter()
            status, retry_after = await client.ask(next(requests))
            load.statuses[status] += 1
            if status == 200:
                load.seconds.append(time.perf_counter() - began)
            elif status == 429:
                load.retry_after[retry_after] += 1
        client.close()

    await asyncio.gather(*(run(Client(port)) for _ in range(clients)))
    load.wall = time.perf_counter() - start
    return load


@contextmanager
def serving(workers: int) -> Iterator[tuple[int, int]]:
    """Start a service on a free port; yield its process id and the port."""
    command = [sys.executable, "-m", "tengen", "serve", "--port", "0", "--quiet", "--workers", str(workers)]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        found = re.search(r":(\d+)/", program.stdout.readline())
        if found is None:
            sys.exit("tengen serve does not start: pip install 'tengen[serve]'")
        yield program.pid, int(found[1])
    finally:
        program.send_signal(signal.SIGTERM)
        program.wait(30)


def worker_ids(parent: int) -> list[int]:
    """Return the process ids of the workers; a service with one worker is that worker."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    found = [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return found or [parent]


def megabytes(pid: int) -> float:
    """Return the resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


async def rates(requests: Iterator[bytes], port: int, seconds: float) -> None:
    """Report the speed with 1, 8 and 64 clients."""
    await send(port, requests, 8, seconds=5)  # until all workers are there
    for clients in (1, 8, 64):
        print(f"{clients:3} clients: {await send(port, requests, clients, seconds=seconds)}", flush=True)


async def overload(requests: Iterator[bytes], port: int, seconds: float) -> None:
    """Report what more clients than the queue holds are told, and the speed after they have left."""
    before = await send(port, requests, 1, number=20)
    during = await send(port, requests, 200, seconds=seconds)
    after = await send(port, requests, 1, number=20)
    retry = ", ".join(f"{number} × {wait} s" for wait, number in sorted(during.retry_after.items()))
    print(f"  1 client before: {before}\n200 clients: {during}; Retry-After: {retry}", flush=True)
    print(f"  1 client after: {after}", flush=True)


async def memory(requests: Iterator[bytes], port: int, parent: int, number: int) -> None:
    """Report the workers' memory ten times while requests are answered."""
    for tenth in range(11):
        if tenth:
            load = await send(port, requests, 8, number=number // 10)
            assert set(load.statuses) == {200}, load
        used = " ".join(f"{megabytes(pid):.1f}" for pid in worker_ids(parent))
        print(f"{tenth * (number // 10):6} requests: {used} MB", flush=True)


async def kill(requests: Iterator[bytes], port: int, parent: int, seconds: float) -> None:
    """Kill one of two workers under load and report what is lost."""
    await send(port, requests, 8, seconds=5)  # until all workers are there
    victim, other = worker_ids(parent)
    sending = asyncio.create_task(send(port, requests, 16, seconds=seconds))
    await asyncio.sleep(seconds / 4)
    os.kill(victim, signal.SIGKILL)
    killed = time.perf_counter()
    while len([pid for pid in worker_ids(parent) if pid not in (victim, other)]) < 1:
        await asyncio.sleep(0.05)
    print(f"worker {victim} killed, replaced after {time.perf_counter() - killed:.1f} s", flush=True)
    print(f" 16 clients: {await sending}", flush=True)


def requests_of(games: Path) -> Iterator[bytes]:
    """Return requests for the scores of games, over and over."""
    found = []
    for game in tengen.read_all(games):
        body = json.dumps({"sgf": game.sgf()}).encode()
        head = ("POST /api/score HTTP/1.1", "host: localhost", "content-type: application/json")
        found.append("\r\n".join((*head, f"content-length: {len(body)}", "", "")).encode() + body)
    if not found:
        sys.exit(f"there are no games in {games}")
    print(f"{len(found)} games", flush=True)
    return itertools.cycle(found)


def main() -> None:
    """Run the parts that are asked for."""
    parts = ("rates", "overload", "memory", "kill")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path)
    parser.add_argument("--only", choices=parts, help="a single part")
    parser.add_argument("--workers", type=int, default=1, help="workers of the service (the kill uses 2)")
    parser.add_argument("--port", type=int, help="measure the speed of a service that runs at this port")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each measurement")
    parser.add_argument("--requests", type=int, default=10_000, help="number of requests of the memory part")
    options = parser.parse_args()
    requests = requests_of(options.games)
    if options.port:
        return asyncio.run(rates(requests, options.port, options.seconds))
    for part in (options.only,) if options.only else parts:
        print(f"{part}:", flush=True)
        with serving(2 if part == "kill" else options.workers) as (parent, port):
            if part == "rates":
                asyncio.run(rates(requests, port, options.seconds))
            elif part == "overload":
                asyncio.run(overload(requests, port, options.seconds))
            elif part == "memory":
                asyncio.run(memory(requests, port, parent, options.requests))
            else:
                asyncio.run(kill(requests, port, parent, options.seconds))
    return None


if __name__ == "__main__":
    main()
