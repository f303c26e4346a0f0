"""The server: one port, one or more worker processes behind it, and an orderly end.

Start at `serve`. The port is opened once, before any worker starts, and all workers accept connections from it; a
worker that dies is replaced and takes only its own requests with it (workers.py). On SIGTERM or Ctrl-C workers stop
accepting, finish what they have begun and end.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tengen.protocols.http.app import make_app
from tengen.protocols.http.limits import Limits
from tengen.protocols.http.workers import Workers

FINISH_SECONDS = 10
"""Maximum number of seconds for the requests in progress when the server stops."""
KEEP_ALIVE_SECONDS = 30
BACKLOG = 512


@dataclass(frozen=True)
class Options:
    """How to serve; picklable for the workers."""

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    origins: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    log: bool = True


class PunctualProtocol(H11Protocol):
    """HTTP whose clients must send the head of a request within a time limit."""

    head_seconds = Limits.read_seconds
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect the first request."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Expect the rest of the head as long as no request is being answered."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel()
        elif self._head is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._cancel()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._head = self.loop.call_later(self.head_seconds, self._close_if_waiting)

    def _cancel(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _close_if_waiting(self) -> None:
        self._head = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


class SharingServer(uvicorn.Server):
    """A server that accepts one connection at a time, so that other workers get their share, and lets many wait."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections."""
        await super().startup(sockets)
        for port in sockets or ():
            port.listen(BACKLOG)


def open_port(host: str, port: int) -> socket.socket:
    """Open the port for listening; 0 for any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY on connections; without, every answer would wait 40 ms.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(BACKLOG)  # requests wait until the models are loaded
    except OSError:
        opened.close()
        raise
    opened.set_inheritable(True)
    return opened


def serve(options: Options, ready: Callable[[str, int], None] = lambda host, port: None) -> None:
    """Serve until a signal says stop; `ready` is called with the address once the port is open."""
    with open_port(options.host, options.port) as port:
        ready(*port.getsockname()[:2])
        if options.workers == 1:
            work(options, port)
        else:
            Workers(options.workers, work, options, port, finish_seconds=FINISH_SECONDS).run()


def work(options: Options, port: socket.socket) -> None:
    """Answer requests from an open port, in this process."""
    config = uvicorn.Config(
        partial(application, options),
        factory=True,
        http=PunctualProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",  # requests that are not HTTP are not worth a line
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=1,  # for asyncio also the number of connections that are accepted at a time
        limit_concurrency=options.limits.connections,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=FINISH_SECONDS,
    )
    SharingServer(config).run(sockets=[port])


def application(options: Options) -> ASGIApp:
    """Return the application of a worker, with its logs on standard error: one JSON object per request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name, level in (
        ("tengen.access", logging.INFO if options.log else logging.WARNING),
        ("tengen.error", logging.INFO),
    ):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    return make_app(options.limits, options.origins)
