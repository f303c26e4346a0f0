"""The outer layer of the service: limits on bodies, security headers, and one JSON line per request in the log.

It reads the whole body of a request before the application sees it. A body is refused by its stated length before it
is read, while it is read when it is longer than allowed, and when it does not arrive in time.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.protocols.http.limits import Limits

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy: scripts, styles and connections of this service only, nothing inline."""

HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

access_log = logging.getLogger("tengen.access")


class _Refused(Exception):
    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = _Seen(send)
        try:
            try:
                body = await self._body(scope, receive)
            except _Refused as refused:
                await _refuse(refused, seen)
                return
            await self._app(scope, _Replayed(body, receive), seen)
        finally:
            seen.log(scope)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._limits.body:
            raise _Refused(413, f"a request has at most {self._limits.body:,} bytes")
        has_body = int(length) > 0 or b"transfer-encoding" in headers
        if has_body and headers.get(b"content-type", b"").split(b";")[0].strip() != JSON_TYPE:
            raise _Refused(415, "send JSON, with the content type application/json")
        try:
            return await asyncio.wait_for(self._read(receive), self._limits.read_seconds)
        except TimeoutError:
            raise _Refused(408, "the request did not arrive in time") from None

    async def _read(self, receive: Receive) -> bytes:
        chunks, size = [], 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise _Refused(400, "the request was not sent completely")
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self._limits.body:
                raise _Refused(413, f"a request has at most {self._limits.body:,} bytes")
            if not message.get("more_body", False):
                return b"".join(chunks)


JSON_TYPE = b"application/json"


class _Replayed:
    """Hands a body that was read to the application; what follows comes from the connection."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Seen:
    """Adds the headers to an answer and remembers what the log needs."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start = time.perf_counter()
        self._status = 0
        self._bytes = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            given = [(name.lower(), value) for name, value in message.get("headers", ())]
            message = {**message, "headers": [*given, *_missing(given)]}
        self._bytes += len(message.get("body", b""))
        await self._send(message)

    def log(self, scope: Scope) -> None:
        """Write the line of the access log."""
        line: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "client": (scope.get("client") or ("",))[0],
            "method": scope["method"],
            "path": scope["path"][:200],
            "status": self._status,
            "ms": round(1000 * (time.perf_counter() - self._start), 1),
            "bytes": self._bytes,
        }
        access_log.info("%s", json.dumps(line))


def _missing(given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    names = {name for name, _ in given}
    cached = [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
    return [*(header for header in HEADERS if header[0] not in names), *cached]


async def _refuse(refused: _Refused, send: Send) -> None:
    body = json.dumps({"schema": 1, "error": str(refused)}).encode()
    headers = [(b"content-type", JSON_TYPE), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
