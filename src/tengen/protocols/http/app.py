"""The application: its paths, and how errors are answered.

An error is an object with `schema` and `error`, a sentence: 400 for what Tengen refuses, 422 for a request of the wrong
form, 429 when too many requests wait and 503 when an answer takes too long, both with Retry-After.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from tengen import __version__
from tengen.errors import TengenError
from tengen.protocols.answers import Answer
from tengen.protocols.http.files import add_page
from tengen.protocols.http.guard import Guard
from tengen.protocols.http.lanes import Busy, Lane, Stop
from tengen.protocols.http.limits import Limits
from tengen.protocols.http.messages import (
    ROWS,
    GameRequest,
    MovesRequest,
    PlayRequest,
    Position,
    RecordRequest,
    ScoreRequest,
)
from tengen.protocols.http.ogs import EstimatorRequest, estimator_work
from tengen.protocols.http.work import estimate_work, game_work, moves_work, play_work, record_work, score_work

R = TypeVar("R")
_ERROR = {
    "type": "object",
    "properties": {"schema": {"const": 1}, "error": {"type": "string"}},
    "required": ["schema", "error"],
}
_PROBLEMS = {
    400: "Tengen refuses the request",
    408: "the request did not arrive in time",
    413: "the request is too large",
    415: "the request is not JSON",
    422: "the request has the wrong form",
    429: "too many requests are waiting; Retry-After says when to try again",
    503: "the answer takes too long",
}


class Json(JSONResponse):
    """JSON in ASCII: strings from requests may hold what UTF-8 cannot."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of the answer."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def make_app(limits: Limits | None = None, origins: Sequence[str] = ()) -> ASGIApp:
    """Return the application; pages from `origins` may call it."""
    limits = limits or Limits()
    quick = Lane("quick", limits.quick_queue, limits.quick_seconds)
    slow = Lane("slow", limits.slow_queue, limits.slow_seconds)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await quick.run(_warm_up)
        yield
        quick.close()
        slow.close()

    app = FastAPI(
        title="Tengen",
        version=__version__,
        summary="Counts, estimates and reviews Go positions.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        default_response_class=Json,
    )
    _add_errors(app)
    _add(app, quick, "/api/score", ScoreRequest, score_work)
    _add(app, quick, "/api/estimate", Position, estimate_work)
    _add(app, quick, "/api/moves", MovesRequest, moves_work)
    _add(app, quick, "/api/record", RecordRequest, record_work)
    _add(app, slow, "/api/game", GameRequest, game_work)
    _add(app, slow, "/api/play", PlayRequest, play_work)
    _add(app, quick, "/api/ogs", EstimatorRequest, estimator_work, schema={})

    @app.get("/api/health", summary="Whether the service runs", response_model=None)
    async def health() -> Json:
        return Json({"schema": 1, "version": __version__})

    add_page(app)
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["POST"], allow_headers=["*"])
    return Guard(app, limits)


def _add(
    app: FastAPI,
    lane: Lane,
    path: str,
    kind: type[R],
    work: Callable[[R, Stop], Answer],
    schema: Answer | None = None,
) -> None:
    """Answer requests of a kind at a path by work in a lane."""
    head = {"schema": 1} if schema is None else schema

    async def answer(request: R) -> Json:
        return Json({**head, **await lane.run(lambda stop: work(request, stop))})

    answer.__annotations__["request"] = kind
    problems: dict[int | str, dict[str, Any]] = {
        status: {"description": text, "content": {"application/json": {"schema": _ERROR}}}
        for status, text in _PROBLEMS.items()
    }
    summary = (work.__doc__ or "").rstrip(".")
    app.post(path, name=path.rpartition("/")[2], summary=summary, responses=problems, response_model=None)(answer)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(TengenError)
    async def refuse(request: Request, error: Exception) -> Json:
        return _error(400, str(error))

    @app.exception_handler(RequestValidationError)
    async def wrong_form(request: Request, error: Exception) -> Json:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part)[:40] for part in first["loc"] if part != "body")
        return _error(422, f"{place}: {first['msg']}" if place else str(first["msg"]))

    @app.exception_handler(HTTPException)
    async def not_here(request: Request, error: Exception) -> Json:
        assert isinstance(error, HTTPException)
        return _error(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Exception) -> Json:
        assert isinstance(error, Busy)
        return _error(503 if error.late else 429, str(error), {"Retry-After": str(error.retry_after)})

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Json:
        logging.getLogger("tengen.error").error("an error of Tengen at %s", request.url.path, exc_info=error)
        return _error(500, "an error of Tengen")


def _error(status: int, problem: str, headers: Any = None) -> Json:
    return Json({"schema": 1, "error": problem}, status, headers=headers)


def _warm_up(stop: Stop) -> None:
    """Load the models, so that the first answer is as quick as the others."""
    score_work(ScoreRequest(board=ROWS), stop)
    estimate_work(Position(board=ROWS), stop)
    moves_work(MovesRequest(board=ROWS), stop)
