"""The server as a program, over real sockets."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from protocols.http.serving import served

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from tengen.protocols.http.server import open_port

GAME = (Path(__file__).resolve().parents[3] / "examples" / "finished-9x9.sgf").read_text(encoding="utf-8")
BOARD = {"board": ["..XO.", ".XXO.", "X.XO.", "XXXOO", "..XO."]}


def ask(port, path="/api/score", body=BOARD):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def test_the_program_answers_logs_and_ends_in_order():
    with served() as (program, port):
        status, found = ask(port)
        assert (status, found["board"]) == (200, BOARD["board"])
        with socket.create_connection(("127.0.0.1", port)) as raw:  # refused before the body is sent
            raw.sendall(b"POST /api/score HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n")
            raw.sendall(b"content-length: 100000000\r\n\r\n")
            assert raw.recv(1000).startswith(b"HTTP/1.1 413")
        program.send_signal(signal.SIGTERM)
        _, errors = program.communicate(timeout=30)
        lines = [json.loads(line) for line in errors.splitlines()]  # nothing else is written there
        assert [line["status"] for line in lines] == [200, 413]
        assert program.returncode in (0, -signal.SIGTERM)


def test_answers_are_sent_without_delay():
    async def connect():
        accepted = asyncio.get_running_loop().create_future()
        with open_port("127.0.0.1", 0) as port:
            server = await asyncio.start_server(lambda _, writer: accepted.set_result(writer), sock=port)
            _, client = await asyncio.open_connection(*port.getsockname())
            writer = await accepted
            delay_off = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            client.close()
            server.close()
        return delay_off

    assert asyncio.run(connect())


@pytest.mark.slow
def test_a_killed_worker_is_replaced():
    with served("--workers", "2", "--quiet") as (program, port):
        assert ask(port)[0] == 200
        found = subprocess.run(["pgrep", "-P", str(program.pid), "-f", "spawn_main"], capture_output=True, text=True)
        workers = [int(pid) for pid in found.stdout.split()]
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        assert all(ask(port)[0] == 200 for _ in range(20))
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=30)
        assert program.returncode == 0


@pytest.mark.slow
def test_a_half_sent_request_is_closed():
    with served("--quiet") as (_, port), socket.create_connection(("127.0.0.1", port), timeout=60) as raw:
        ask(port)
        raw.sendall(b"POST /api/score HTTP/1.1\r\nhost: ")
        assert raw.recv(1000) == b""  # the service closes; without that, recv raises TimeoutError


@pytest.mark.slow
def test_a_review_ends_when_its_client_leaves():
    body = json.dumps({"sgf": GAME, "playouts": 1000}).encode()
    head = (
        f"POST /api/game HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    with served() as (program, port):
        ask(port)
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(head.encode() + body)
            with urlopen(f"http://127.0.0.1:{port}/api/health"):  # asked later, so the review has begun
                pass
        assert ask(port, "/api/play", {"board": ["." * 9] * 9, "playouts": 10})[0] == 200  # waits for the same lane
        program.send_signal(signal.SIGTERM)
        _, errors = program.communicate(timeout=30)
        found = {line["path"]: line for line in map(json.loads, errors.splitlines()) if line["path"] != "/api/score"}
        assert found["/api/game"]["status"] == 499
        assert found["/api/play"]["status"] == 200
