"""A question in KataGo's analysis protocol: its JSON read and checked, and the positions it asks about.

Start at `read_query`. `_Fields` hands out the fields of a message one by one, each checked, and knows at the end
which nobody wanted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tengen.errors import TengenError
from tengen.go.board import Board, Move
from tengen.go.colour import Colour, as_colour
from tengen.go.points import MAX_SIZE
from tengen.go.rules import Rules
from tengen.numbers import checked_komi
from tengen.protocols.said import move_name
from tengen.search.player import Settings
from tengen.search.restrict import Restriction, allow, avoid

PERSPECTIVES = ("BLACK", "WHITE", "SIDETOMOVE")
"""Whose chances and points can be said."""

_INCLUDES = ("includeOwnership", "includeOwnershipStdev", "includeMovesOwnership", "includePolicy", "includePVVisits")
_MOST_VISITS = 1 << 40


class Refused(TengenError):
    """A request that cannot be answered, and the field that is to blame."""

    def __init__(self, field: str | None, problem: str) -> None:
        super().__init__(problem)
        self.field = field
        self.problem = problem

    def where(self) -> dict[str, str]:
        """Return the field as part of a message."""
        return {} if self.field is None else {"field": self.field}


@dataclass(frozen=True)
class Query:
    """A question about some positions of a game."""

    id: str
    start: Board
    moves: tuple[Move, ...]
    turns: tuple[int, ...]
    settings: Settings
    priority: int
    perspective: str
    every: float | None
    """Seconds between two reports during the search; None for no reports."""
    included: frozenset[str]
    """What to answer besides moves and root, by the names of the fields."""
    restrictions: list[Restriction]
    warnings: tuple[tuple[str, str], ...]
    """Fields that were left aside, each with the reason."""

    def board(self, turn: int) -> Board:
        """Return the position after so many moves."""
        board = self.start.copy()
        for move in self.moves[:turn]:
            board.play(move.point, move.colour)
        return board


class _Fields:
    """The fields of a message."""

    def __init__(self, values: dict[str, Any], within: str = "") -> None:
        self._values = values
        self._within = within
        self._wanted: set[str] = set()

    def get(
        self, name: str, kind: type | tuple[type, ...], what: str, default: Any = None, *, needed: bool = False
    ) -> Any:
        """Return a field of a kind, or its default; `what` says what it has to be."""
        self._wanted.add(name)
        value = self._values.get(name)
        if value is None and not needed:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Refused(
                self._within or name, f"Must be {what}" if name in self._values else f"Must specify {name}: {what}"
            )
        return value

    def whole(self, name: str, least: int, most: int, default: int | None = None, *, needed: bool = False) -> Any:
        """Return a whole number between two bounds."""
        what = f"a whole number from {least} to {most}"
        value = self.get(name, int, what, default, needed=needed)
        if value is not None and not least <= value <= most:
            raise Refused(self._within or name, f"Must be {what}")
        return value

    def number(self, name: str, least: float, most: float, default: float | None = None) -> Any:
        """Return a number between two bounds."""
        what = f"a number from {least:g} to {most:g}"
        value = self.get(name, (int, float), what, default)
        if value is not None and not (math.isfinite(value) and least <= value <= most):
            raise Refused(self._within or name, f"Must be {what}")
        return value

    def unwanted(self) -> list[str]:
        """Return the names of the fields that nobody asked for."""
        return [name for name in self._values if name not in self._wanted]


def read_query(message: dict[str, Any], settings: Settings, perspective: str) -> Query:
    """Read a question; `settings` and `perspective` hold where it does not say otherwise."""
    fields = _Fields(message)
    name = fields.get("id", str, "a string", needed=True)
    start = _start(fields)
    moves = tuple(_moves(fields.get("moves", list, "a list of moves", needed=True), "moves", start))
    start.to_play = _first(fields, moves)
    _check_moves(start, moves)
    every = fields.number("reportDuringSearchEvery", 0.001, 1e6)
    priority = fields.whole("priority", -(1 << 60), 1 << 60, 0)
    included = frozenset(key for key in _INCLUDES if fields.get(key, bool, "true or false", False))
    turns = _turns(fields, len(moves))
    settings, perspective, warnings = _search(fields, settings, perspective)
    restrictions = _restrictions(fields, "avoidMoves", avoid, start) + _restrictions(fields, "allowMoves", allow, start)
    warnings += [(field[:100], "Unexpected or unused field") for field in fields.unwanted()]
    return Query(
        name, start, moves, turns, settings, priority, perspective, every, included, restrictions, tuple(warnings)
    )


def _start(fields: _Fields) -> Board:
    """Return the board before the first move."""
    width, height = (fields.whole(f"board{axis}Size", 2, MAX_SIZE, needed=True) for axis in "XY")
    rules = _rules(fields)
    points = fields.number("komi", -1000, 1000)
    board = Board(width, height, rules=rules, komi=None if points is None else checked_komi(points))
    stones = _moves(fields.get("initialStones", list, "a list of stones", []), "initialStones", board)
    placed = {colour: [s.point for s in stones if s.colour == colour] for colour in ("black", "white")}
    handicap = len(placed["black"]) if len(placed["black"]) >= 2 and not placed["white"] else 0
    board = Board(width, height, rules=rules, komi=board.komi, handicap=handicap)
    try:
        board.setup(black=placed["black"], white=placed["white"])
    except TengenError as error:
        raise Refused("initialStones", str(error)) from None
    return board


def _rules(fields: _Fields) -> Rules:
    given = fields.get("rules", (str, dict), "the name of rules or an object", needed=True)
    bonus = fields.get("whiteHandicapBonus", str, "0, N or N-1")
    try:
        rules = Rules.parse(given)
        return rules if bonus is None else replace(rules, handicap_bonus=bonus)
    except TengenError as error:
        raise Refused("rules" if bonus is None else "whiteHandicapBonus", f"Could not read rules: {error}") from None


def _moves(values: list[Any], field: str, board: Board) -> list[Move]:
    return [_move(value, field, board) for value in values]


def _move(value: Any, field: str, board: Board) -> Move:
    try:
        colour, point = value
        return Move(as_colour(colour), _point(point, board))
    except (TengenError, TypeError, ValueError):
        raise Refused(field, f'Could not read a move: {str(value)[:60]} is not such as ["B", "D4"]') from None


def _point(name: Any, board: Board) -> str:
    if not isinstance(name, str):
        raise TengenError("a point is a string")
    return move_name(name, board)


def _first(fields: _Fields, moves: tuple[Move, ...]) -> Colour:
    given = fields.get("initialPlayer", str, '"B" or "W"')
    if given is None:
        return moves[0].colour if moves else "black"
    try:
        return as_colour(given)
    except TengenError:
        raise Refused("initialPlayer", 'Must be "B" or "W"') from None


def _check_moves(start: Board, moves: tuple[Move, ...]) -> None:
    board = start.copy()
    for number, move in enumerate(moves):
        try:
            board.play(move.point, move.colour)
        except TengenError as error:
            raise Refused("moves", f"Illegal move {number}: {move.point} ({error})") from None


def _turns(fields: _Fields, moves: int) -> tuple[int, ...]:
    """Return the turns asked about, each once; without a word about it that is the last one."""
    turns = fields.get("analyzeTurns", list, "a list of turns", [moves])
    if not turns or not all(
        isinstance(turn, int) and not isinstance(turn, bool) and 0 <= turn <= moves for turn in turns
    ):
        raise Refused("analyzeTurns", f"Must be turns from 0 to {moves}")
    return tuple(dict.fromkeys(turns))


def _search(fields: _Fields, settings: Settings, perspective: str) -> tuple[Settings, str, list[tuple[str, str]]]:
    """Return how long to search, whose chances to say, and warnings about settings that mean nothing here."""
    inner = _Fields(fields.get("overrideSettings", dict, "an object", {}), "overrideSettings")
    visits = fields.whole("maxVisits", 1, _MOST_VISITS)
    visits = visits or inner.whole("maxVisits", 1, _MOST_VISITS) or inner.whole("maxPlayouts", 1, _MOST_VISITS)
    seconds = inner.number("maxTime", 0.0, 1e20)
    side = str(inner.get("reportAnalysisWinratesAs", str, "BLACK, WHITE or SIDETOMOVE", perspective)).upper()
    if side not in PERSPECTIVES:
        raise Refused("overrideSettings", "reportAnalysisWinratesAs must be BLACK, WHITE or SIDETOMOVE")
    chosen = replace(
        settings,
        playouts=settings.playouts if visits is None else visits,
        seconds=settings.seconds if seconds is None or seconds > 1e9 else max(seconds, 0.01),
        threads=inner.whole("numSearchThreads", 1, 64, settings.threads),
    )
    unknown = ", ".join(name[:60] for name in inner.unwanted())
    return chosen, side, [("overrideSettings", f"Unknown settings were left aside: {unknown}")] if unknown else []


def _restrictions(fields: _Fields, name: str, make: Callable[..., Restriction], board: Board) -> list[Restriction]:
    """Return which moves a field avoids or allows."""
    found: list[Restriction] = []
    for value in fields.get(name, list, "a list of objects with player, moves and untilDepth", []):
        try:
            colour = as_colour(value["player"])
            moves = frozenset(_point(move, board) for move in value["moves"])
            found.append(make(moves, colour, int(value["untilDepth"])))
        except (TengenError, LookupError, TypeError, ValueError, OverflowError):
            raise Refused(name, "Must be objects with player, moves and untilDepth, which is 1 or more") from None
    return found
