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
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from tengen import __version__
from tengen.errors import TengenError
from tengen.protocols.answers import Answer
from tengen.protocols.http import messages, responses
from tengen.protocols.http.files import add_page
from tengen.protocols.http.guard import Guard
from tengen.protocols.http.lanes import Busy, Lane, Left, Stop, unless
from tengen.protocols.http.limits import Limits
from tengen.protocols.http.ogs import EstimatorRequest, estimator_work
from tengen.protocols.http.work import estimate_work, game_work, moves_work, play_work, record_work, score_work

R = TypeVar("R", bound=BaseModel)
LEFT = 499
"""The status in the access log of a request whose client has left."""
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


class Service(FastAPI):
    """The paths of the service, described with examples of requests and answers."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.first_examples: dict[str, Callable[[Stop], Answer]] = {}
        self.answers: dict[str, Answer] = {}

    def warm_up(self, stop: Stop) -> None:
        """Answer an example for each path: it loads the models, and the answers are the examples of the description."""
        self.answers = {path: answer(stop) for path, answer in self.first_examples.items()}

    def openapi(self) -> dict[str, Any]:
        """Return the description of the service."""
        schema = super().openapi()
        for path, answer in self.answers.items():
            schema["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["example"] = answer
        return schema


def make_app(limits: Limits | None = None, origins: Sequence[str] = ()) -> ASGIApp:
    """Return the application; pages from `origins` may call it."""
    limits = limits or Limits()
    quick = Lane("quick", limits.quick_queue, limits.quick_seconds)
    slow = Lane("slow", limits.slow_queue, limits.slow_seconds)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        assert isinstance(app, Service)
        await quick.run(app.warm_up)
        yield
        quick.close()
        slow.close()

    app = Service(
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
    _add(app, quick, "/api/score", messages.ScoreRequest, responses.ScoreAnswer, score_work)
    _add(app, quick, "/api/estimate", messages.EstimateRequest, responses.EstimateAnswer, estimate_work)
    _add(app, quick, "/api/moves", messages.MovesRequest, responses.MovesAnswer, moves_work)
    _add(app, quick, "/api/record", messages.RecordRequest, responses.RecordAnswer, record_work)
    _add(app, slow, "/api/game", messages.GameRequest, responses.ReviewAnswer, game_work)
    _add(app, slow, "/api/play", messages.PlayRequest, responses.PlayAnswer, play_work)
    _add(app, quick, "/api/ogs", EstimatorRequest, responses.EstimatorAnswer, estimator_work)

    @app.get("/api/health", summary="Whether the service runs", responses={200: {"model": responses.Health}})
    async def health() -> Json:
        return Json({"schema": 1, "version": __version__})

    add_page(app)
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["POST"], allow_headers=["*"])
    return Guard(app, limits)


def _add(
    app: Service, lane: Lane, path: str, kind: type[R], described: type[BaseModel], work: Callable[[R, Stop], Answer]
) -> None:
    """Answer requests of a kind at a path by work in a lane, as long as the client waits."""
    versioned = "schema_" in described.model_fields

    def computed(request: R, stop: Stop) -> Answer:
        return {"schema": 1, **work(request, stop)} if versioned else work(request, stop)

    async def answer(request: R, connection: Request) -> Json:
        return Json(await unless(_gone(connection), lane.run(lambda stop: computed(request, stop))))

    answer.__annotations__["request"] = kind
    example = kind.model_validate(kind.model_json_schema()["examples"][0])
    app.first_examples[path] = lambda stop: computed(example, stop)
    documented: dict[int | str, dict[str, Any]] = {200: {"model": described, "description": described.__doc__}}
    for status, text in _PROBLEMS.items():
        documented[status] = {"model": responses.Problem, "description": text}
    summary = (work.__doc__ or "").rstrip(".")
    app.post(path, name=path.rpartition("/")[2], summary=summary, responses=documented, response_model=None)(answer)


async def _gone(connection: Request) -> None:
    """Wait until the client closes the connection."""
    while (await connection.receive())["type"] != "http.disconnect":
        pass


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

    @app.exception_handler(Left)
    async def left(request: Request, error: Exception) -> Json:
        return _error(LEFT, str(error))  # for the log only

    @app.exception_handler(Exception)
    async def fail(request: Request, error: Exception) -> Json:
        logging.getLogger("tengen.error").error("an error of Tengen at %s", request.url.path, exc_info=error)
        return _error(500, "an error of Tengen")


def _error(status: int, problem: str, headers: Any = None) -> Json:
    return Json({"schema": 1, "error": problem}, status, headers=headers)
