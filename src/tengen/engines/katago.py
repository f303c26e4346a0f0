"""A client of KataGo's analysis engine: one JSON object per line, many queries in flight, answers in any order.

`KataGoAnalysis.query` asks and waits; `submit` and `collect` are its two halves; `query_many` keeps the engine busy
with any number of positions. All values are Black's, as everywhere in Tengen.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from tengen.engines.analysis import EngineAnalysis, read_analysis
from tengen.engines.position import Line, line_of, stones_of
from tengen.engines.process import EngineDied
from tengen.engines.program import Program, with_restarts
from tengen.errors import EngineError, TengenError
from tengen.go.board import Board, Move
from tengen.go.colour import opposite
from tengen.go.record import Game, as_board
from tengen.go.rules import Rules

_PERSPECTIVE = "reportAnalysisWinratesAs"


class Options(TypedDict, total=False):
    """Options of a query."""

    visits: int
    """Visits per position; default: the engine's configuration."""
    ownership: bool
    """Whether to ask for the ownership; default: yes."""
    policy: bool
    """Whether to ask for the network's policy; default: no."""
    rules: Rules | str
    komi: float
    settings: Mapping[str, object]
    """Other search parameters of KataGo, by name."""


@dataclass
class _Query:
    """A query in flight."""

    request: dict[str, Any]
    turns: tuple[int, ...]
    earlier: int
    answers: dict[int, EngineAnalysis] = field(default_factory=dict)
    error: EngineError | None = None

    @property
    def done(self) -> bool:
        return self.error is not None or all(turn in self.answers for turn in self.turns)


class KataGoAnalysis(Program):
    """KataGo's analysis engine in a child process; the command is that of `katago analysis -config … -model …`."""

    _grace = 5.0

    def __init__(
        self, command: str | Sequence[str], *, timeout: float | None = 120.0, start_timeout: float | None = 600.0
    ) -> None:
        super().__init__(command, timeout=timeout)
        self.start_timeout = start_timeout
        """Seconds the engine may take to load its network and, on a new machine, to tune itself."""
        self.warnings: deque[str] = deque(maxlen=100)
        """The latest warnings of the engine."""
        self._version = ""
        self._number = 0
        self._queries: dict[str, _Query] = {}

    @property
    def version(self) -> str:
        """The program's version."""
        self._living()
        return self._version

    def submit(self, position: Board | Game, *, turns: Sequence[int] | None = None, **options: Unpack[Options]) -> str:
        """Ask about a position, or about several turns of a game; return the query's name."""
        self.start()
        query = self._new_query(position, turns, options)
        name: str = query.request["id"]
        self._queries[name] = query
        self._tell(query.request)
        return name

    def collect(self, query: str, *, timeout: float | None = None) -> list[EngineAnalysis]:
        """Wait for a query's answers, in the order of its turns; `timeout` is the longest wait between two answers."""
        asked = self._queries.get(query)
        if asked is None:
            raise TengenError(f"there is no query {query!r} in flight")
        while not asked.done:
            self._receive(self.timeout if timeout is None else timeout, "analysing")
        del self._queries[query]
        if asked.error is not None:
            raise asked.error
        return [asked.answers[turn] for turn in asked.turns]

    def query(
        self, position: Board | Game, *, timeout: float | None = None, **options: Unpack[Options]
    ) -> EngineAnalysis:
        """Ask about a board, or the last position of a game, and wait for the answer."""
        self._living()
        query = self.submit(position, **options)
        try:
            return self.collect(query, timeout=timeout)[0]
        finally:
            self._queries.pop(query, None)

    def query_many(
        self, positions: Iterable[Board | Game], *, ahead: int = 64, tries: int = 3, timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Iterator[EngineAnalysis | EngineError]:  # fmt: skip
        """Analyse positions in order, `ahead` of them in flight; a position that the engine refuses yields an error.

        An engine that dies is restarted and asked again, until it has died `tries` times on one position.
        """
        waiting: deque[str] = deque()
        try:
            for position in positions:
                waiting.append(self.submit(position, **options))
                if len(waiting) >= ahead:
                    yield self._next(waiting, tries, timeout)
            while waiting:
                yield self._next(waiting, tries, timeout)
        finally:
            for query in waiting:
                self.terminate(query)

    def _next(self, waiting: deque[str], tries: int, timeout: float | None) -> EngineAnalysis | EngineError:
        try:
            answer = with_restarts(self, lambda engine: engine.collect(waiting[0], timeout=timeout)[0], tries=tries)
        except EngineDied:
            raise
        except EngineError as error:
            waiting.popleft()
            return error
        waiting.popleft()
        return answer

    def terminate(self, query: str) -> None:
        """Stop and forget a query."""
        if self._queries.pop(query, None) is not None:
            self._tell({"id": self._name(), "action": "terminate", "terminateId": query})

    def close(self) -> None:
        """Stop all queries and end the program."""
        for query in list(self._queries):
            self.terminate(query)
        super().close()

    # The protocol.

    def _name(self) -> str:
        self._number += 1
        return f"tengen-{self._number}"

    def _greet(self) -> None:
        """Wait until the engine is ready, and repeat the queries that an earlier process left unanswered."""
        name = self._name()
        self._tell({"id": name, "action": "query_version"})
        message: dict[str, Any] = {}
        while message.get("id") != name and "error" not in message:  # old engines do not know the question
            message = self._receive(self.start_timeout, "starting")
        self._version = str(message.get("version", ""))
        for query in self._queries.values():
            self._tell(query.request)

    def _tell(self, message: dict[str, Any]) -> None:
        if self._child is not None:
            self._child.write(json.dumps(message, separators=(",", ":")) + "\n")

    def _new_query(self, position: Board | Game, turns: Sequence[int] | None, options: Options) -> _Query:
        board = as_board(position).with_rules(options.get("rules"), options.get("komi"))
        line = line_of(board)
        if turns is None and board.to_play != _next_player(line):
            line = stones_of(board)  # KataGo infers the player to move from the moves
        wanted = (board.move_number,) if turns is None else tuple(turns)
        for turn in wanted:
            if not 0 <= turn - line.earlier <= len(line.moves):
                raise TengenError(f"turn {turn} is not among {line.earlier} to {line.earlier + len(line.moves)}")
        request = _request(self._name(), line, [turn - line.earlier for turn in wanted], options)
        return _Query(request, wanted, line.earlier)

    def _receive(self, timeout: float | None, doing: str) -> dict[str, Any]:
        """Read the next message, assign it to its query, and return it; other lines are skipped."""
        deadline = None if timeout is None else time.monotonic() + timeout
        child = self._living()
        message = None
        while message is None:
            message = _message(child.read_line(deadline, doing))
        query = self._queries.get(str(message.get("id")))
        if query is not None:
            self._take(query, message, child.program)
        elif "error" in message and "id" not in message and doing != "starting":
            raise EngineError(f"{child.program} reported an error: {message['error']}")
        return message

    def _take(self, query: _Query, message: dict[str, Any], program: str) -> None:
        if "warning" in message:
            self.warnings.append(f"{message['warning']} ({message.get('field', 'no field')})")
            if _PERSPECTIVE in str(message):
                query.error = EngineError(f"{program} cannot switch to Black's side: set {_PERSPECTIVE} = BLACK")
        elif "error" in message:
            query.error = EngineError(f"{program} refused a query: {message['error']} ({message.get('field', '?')})")
        elif message.get("noResults"):
            query.error = EngineError(f"{program} stopped a query before it had results")
        elif not message.get("isDuringSearch"):
            try:
                shape = (query.request["boardYSize"], query.request["boardXSize"])
                answer = read_analysis(message, shape, query.earlier)
                query.answers[answer.turn] = answer
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                query.error = EngineError(f"{program} gave an answer that cannot be read: {error!r}")


def _next_player(line: Line) -> str:
    return opposite(line.moves[-1].colour) if line.moves else line.first


def _request(name: str, line: Line, turns: list[int], options: Options) -> dict[str, Any]:
    request: dict[str, Any] = {
        "id": name,
        "boardXSize": line.width,
        "boardYSize": line.height,
        "rules": replace(line.rules, handicap_bonus="0").as_dict(),
        "komi": line.komi,
        "initialStones": _pairs(line.stones),
        "initialPlayer": line.first[0].upper(),
        "moves": _pairs(line.moves),
        "analyzeTurns": turns,
        "includeOwnership": options.get("ownership", True),
        "includePolicy": options.get("policy", False),
        "overrideSettings": {**options.get("settings", {}), _PERSPECTIVE: "BLACK"},
    }
    if "visits" in options:
        request["maxVisits"] = options["visits"]
    return request


def _pairs(moves: Iterable[Move]) -> list[list[str]]:
    return [[move.colour[0].upper(), move.point] for move in moves]


def _message(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
