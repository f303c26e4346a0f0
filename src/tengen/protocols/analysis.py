"""KataGo's analysis protocol: queries and answers as lines of JSON; answers come in any order.

Start at `Engine.feed`, which takes a line. An action is answered at once; a query (`Query`, parsed in queries.py)
becomes one task for each of its turns. Workers take the most urgent task, search its position and answer. Unknown
fields and settings give a warning; other invalid input gives an error that names the field.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from tengen import __version__
from tengen.errors import TengenError
from tengen.go.colour import winrate_for
from tengen.numbers import rounded
from tengen.plain import notice
from tengen.protocols.lines import LineReader, Output
from tengen.protocols.queries import Query, Refused, read_query
from tengen.protocols.said import MODEL, OWNED, AnalysedPosition, deviation_of, mark_illegal, visit_shares
from tengen.search.analysis import Analysis
from tengen.search.player import Player, Settings

LONGEST = 1 << 24
"""Maximum length of a line in bytes."""

VISITS = 500

_PATIENCE = 2.0  # seconds for all workers to end; one that writes to a blocked reader would never end

ACTIONS = ("query_version", "query_models", "clear_cache", "terminate", "terminate_all")


@dataclass(eq=False)
class Task:
    """One position of a query."""

    query: Query
    turn: int
    priority: int
    number: int
    stopped: bool = False

    @property
    def urgency(self) -> tuple[int, int]:
        """The sort key: the smallest goes first."""
        return -self.priority, self.number


class Engine:
    """Answers queries. `write` receives each answer as a line; it is called by one thread at a time."""

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        settings: Settings | None = None,
        perspective: str = "BLACK",
        workers: int = 2,
        version: str = __version__,
    ) -> None:
        self.settings = Settings(playouts=VISITS) if settings is None else settings
        self.perspective = perspective
        """Default side for reported winrates and leads: BLACK, WHITE or SIDETOMOVE."""
        self.version = version
        """Answer to query_version."""
        self._write = write
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        self._tasks: list[Task] = []
        self._running: list[Task] = []
        self._count = 0
        self._closed = False
        self._workers = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for worker in self._workers:
            worker.start()

    def feed(self, line: str) -> None:
        """Process a line: a query or an action."""
        if not line.strip():
            return
        message: Any = None
        try:
            message = _read_json(line)
            if "action" in message:
                self._act(message)
            else:
                self._ask(message)
        except Refused as refused:
            self._say({"error": refused.problem, **refused.where(), **_name_of(message)})
        except Exception as error:  # a bug must not end the other queries
            notice(traceback.format_exc().rstrip())
            self._say({"error": f"internal error: {type(error).__name__}: {error}", **_name_of(message)})

    def _ask(self, message: dict[str, Any]) -> None:
        query = read_query(message, self.settings, self.perspective)
        for field, warning in query.warnings:
            self._say({"warning": warning, "field": field, "id": query.id})
        with self._changed:
            for turn, priority in zip(query.turns, query.priorities, strict=True):
                self._tasks.append(Task(query, turn, priority, self._count))
                self._count += 1
            self._changed.notify_all()

    def _act(self, message: dict[str, Any]) -> None:
        if not isinstance(message.get("id"), str):
            raise Refused("id", "Request must have a string id")
        action = message["action"]
        if action == "query_version":
            self._say({**message, "version": self.version, "git_hash": "<omitted>"})
        elif action == "query_models":
            self._say({**message, "models": [MODEL]})
        elif action == "clear_cache":
            self._say(message)  # each search has its own tree, so there is no cache to clear
        elif action == "terminate_all":
            turns = _turn_numbers(message)
            self._say(message)
            self._terminate(None, turns)
        elif action == "terminate":
            if not isinstance(message.get("terminateId"), str):
                raise Refused("terminateId", "terminate needs the id of a question")
            turns = _turn_numbers(message)
            self._say(message)
            self._terminate(message["terminateId"], turns)
        else:
            raise Refused("action", f"Unknown action: known are {', '.join(ACTIONS)}")

    def _terminate(self, name: str | None, turns: list[int] | None) -> None:

        def meant(task: Task) -> bool:
            return name in (None, task.query.id) and (turns is None or task.turn in turns)

        with self._changed:
            gone = [task for task in self._tasks if meant(task)]
            self._tasks = [task for task in self._tasks if not meant(task)]
            for task in filter(meant, self._running):
                task.stopped = True
        for task in gone:
            self._say({"id": task.query.id, "turnNumber": task.turn, "isDuringSearch": False, "noResults": True})

    def finish(self) -> None:
        """Wait until every query is answered."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not (self._tasks or self._running))

    def stop(self) -> None:
        """Stop all searches, leave open queries unanswered, and end `finish`."""
        with self._changed:
            self._closed = True
            for task in self._running:
                task.stopped = True
            self._changed.notify_all()

    def close(self) -> None:
        """Stop all searches and all workers."""
        self.stop()
        deadline = time.monotonic() + _PATIENCE
        for worker in self._workers:
            worker.join(max(deadline - time.monotonic(), 0.0))

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                self._search(task)
            except TengenError as error:
                field = "allowMoves" if task.query.restrictions else "moves"
                self._say({"error": str(error), "field": field, "id": task.query.id})
            except Exception as error:  # a failed search must not end the others
                self._say({"error": f"internal error: {type(error).__name__}: {error}", "id": task.query.id})
            finally:
                with self._changed:
                    self._running.remove(task)
                    self._changed.notify_all()

    def _next(self) -> Task | None:
        with self._changed:
            self._changed.wait_for(lambda: self._tasks or self._closed)
            if self._closed:
                return None
            task = min(self._tasks, key=lambda task: task.urgency)
            self._tasks.remove(task)
            self._running.append(task)
            return task

    def _search(self, task: Task) -> None:
        query, position = task.query, AnalysedPosition(task.query.board(task.turn))
        board = position.board
        player = Player(board, query.settings)
        unlimited = query.settings.playouts is None and query.settings.seconds is None

        def report(found: Analysis) -> None:
            self._say(answer(task, position, found, during=True))

        found = player.think(
            playouts=query.settings.playouts,
            seconds=math.inf if unlimited else query.settings.seconds,
            stop=lambda: task.stopped,
            report=report if query.every is not None else None,
            every=query.every or 1.0,
            first=query.first,
            restrictions=query.restrictions,
        )
        if not self._closed:
            self._say(answer(task, position, found, during=False))

    def _say(self, message: dict[str, Any]) -> None:
        with self._writing:
            self._write(json.dumps(message, separators=(",", ":")) + "\n")


def answer(task: Task, position: AnalysedPosition, found: Analysis, *, during: bool) -> dict[str, Any]:
    """Return the answer for a position; after a stop, without further playouts."""
    query = task.query
    side = found.to_play.upper() if query.perspective == "SIDETOMOVE" else query.perspective
    sign = 1 if side == "BLACK" else -1
    message: dict[str, Any] = {
        "id": query.id,
        "turnNumber": task.turn,
        "isDuringSearch": during,
        "moveInfos": [_move_info(task, position, found, order, sign) for order in range(len(found.candidates))],
        "rootInfo": {
            "currentPlayer": found.to_play[0].upper(),
            "visits": found.visits,
            **_figures(found.winrate, found.lead, found.lead_sd, found.winrate, sign),
        },
    }
    if "includeOwnership" in query.included:
        message["ownership"] = _rounded(sign * found.ownership)
    if "includeOwnershipStdev" in query.included:
        message["ownershipStdev"] = _rounded(deviation_of(found.ownership))
    if "includePolicy" in query.included:
        policy = mark_illegal(visit_shares(found, position.board), position.board)
        shares = (-1.0 if share != share else share for share in _rounded(policy[:-1]))
        message["policy"] = [*shares, round(float(policy[-1]), 6)]
    return message


def _move_info(task: Task, position: AnalysedPosition, found: Analysis, order: int, sign: int) -> dict[str, Any]:
    included, move = task.query.included, found.candidates[order]
    longest = None if task.query.line_length is None else 1 + task.query.line_length
    info: dict[str, Any] = {
        "move": move.move,
        "visits": move.visits,
        "edgeVisits": move.visits,
        "order": order,
        "prior": round(move.prior, 6),
        "pv": list(move.line[:longest]) or [move.move],
        **_figures(move.winrate, move.lead, found.lead_sd, move.lcb, sign),
    }
    if "includePVVisits" in included:  # the tree has no transpositions: both counts are the same
        info["pvVisits"] = info["pvEdgeVisits"] = list(move.line_visits[:longest])
    if "includeNoResultValue" in included:
        info["noResultValue"] = 0.0  # every playout has a winner
    if order < OWNED and included & {"includeMovesOwnership", "includeMovesOwnershipStdev"}:
        owned = position.ownership_after(move.move, lambda: task.stopped)
        if owned is not None and "includeMovesOwnership" in included:
            info["ownership"] = _rounded(sign * owned)
        if owned is not None and "includeMovesOwnershipStdev" in included:
            info["ownershipStdev"] = _rounded(deviation_of(owned))
    return info


def _figures(winrate: float, lead: float, spread: float, lcb: float, sign: int) -> dict[str, float]:
    """Return Black's numbers from the view of Black (sign 1) or White (−1)."""
    chance, low = winrate_for(sign, winrate), winrate_for(sign, lcb)
    numbers = {
        "winrate": chance,
        "lcb": low,
        "utility": 2 * chance - 1,
        "utilityLcb": 2 * low - 1,
        "scoreLead": sign * lead,
        "scoreMean": sign * lead,
        "scoreSelfplay": sign * lead,
        "scoreStdev": spread,
    }
    return {name: round(value, 6) for name, value in numbers.items()}


def _rounded(values: Any) -> list[float]:
    found: list[float] = rounded(values.ravel(), 4)
    return found


def _read_json(line: str) -> dict[str, Any]:
    if len(line.encode("utf-8", "replace")) > LONGEST:
        raise Refused(None, f"the line is longer than {LONGEST} bytes")
    try:
        message = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(None, f"Could not read the line as JSON: {error}") from None
    if not isinstance(message, dict):
        raise Refused(None, "A request is a JSON object")
    return message


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _turn_numbers(message: dict[str, Any]) -> list[int] | None:
    turns = message.get("turnNumbers")
    if turns is not None and not (isinstance(turns, list) and all(isinstance(turn, int) for turn in turns)):
        raise Refused("turnNumbers", "Must be a list of turns")
    return turns


def _name_of(message: object) -> dict[str, str]:
    name = message.get("id") if isinstance(message, dict) else None
    return {"id": name} if isinstance(name, str) else {}


def serve(source: io.RawIOBase | io.BytesIO, sink: IO[str], *, wait: bool = True, **options: Any) -> None:
    """Answer a stream of queries until it ends.

    Open queries are answered first, unless `wait` is False. If the reader of the answers disconnects, all searches end
    with a BrokenPipeError.
    """
    output = Output(sink)
    engine = Engine(output.write, **options)
    reader = LineReader(source, LONGEST)

    def lost() -> None:
        reader.close()
        engine.stop()

    with output.watched(lost), contextlib.closing(engine):
        for line in reader:
            engine.feed(line)
        if wait:
            engine.finish()
    output.check()
