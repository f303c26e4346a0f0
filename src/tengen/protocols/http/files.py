"""The files of the page, read once; a request chooses one of them by name and never a path.

They are built from web/ by `make page` and committed, so that nobody needs node to install or serve them.
"""

from __future__ import annotations

import gzip
import hashlib
from importlib.resources import files

from fastapi import FastAPI, Request
from starlette.responses import Response

TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "sw.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "licenses.txt": "text/plain; charset=utf-8",
}


def add_page(app: FastAPI) -> None:
    """Serve the page at /."""
    folder = files("tengen.protocols.http") / "page"
    for name, kind in TYPES.items():
        _add(app, "/" if name == "index.html" else f"/{name}", (folder / name).read_bytes(), kind)


def _add(app: FastAPI, path: str, content: bytes, kind: str) -> None:
    packed = gzip.compress(content, mtime=0)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    common = {"etag": tag, "cache-control": "no-cache", "vary": "accept-encoding"}

    async def send(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=common)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, media_type=kind, headers={**common, "content-encoding": "gzip"})
        return Response(content, media_type=kind, headers=common)

    app.add_api_route(path, send, methods=["GET", "HEAD"], include_in_schema=False)
