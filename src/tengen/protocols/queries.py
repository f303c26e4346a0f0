"""A query in KataGo's analysis protocol: its JSON, checked, and the positions it asks about.

Start at `read_query`. `_Fields` returns the fields of a message one by one, each checked, and at the end the names of
those that were not used.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tengen.errors import TengenError
from tengen.go.board import Board, Move
from tengen.go.colour import Colour, as_colour
from tengen.go.points import MAX_SIZE, point_name
from tengen.go.rules import Rules
from tengen.numbers import checked_komi
from tengen.protocols.limits import limit, smallest
from tengen.protocols.said import move_name
from tengen.search.player import Settings
from tengen.search.restrict import Restriction, allow, avoid

PERSPECTIVES = ("BLACK", "WHITE", "SIDETOMOVE")
"""Sides from which winrates and leads can be reported."""

_INCLUDES = (
    "includeOwnership",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includePolicy",
    "includePVVisits",
    "includeNoResultValue",
)
_MOST_PRIORITY = (1 << 62) - 1
_MOST_DEPTH = 1_000_000_000
_COLUMN_AND_ROW = re.compile(r"\(\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*\)", re.ASCII)

NO_EFFECT = frozenset(
    """
    analysisWideRootNoise antiMirror chosenMovePrune chosenMoveSubtract chosenMoveTemperature
    chosenMoveTemperatureEarly chosenMoveTemperatureHalflife conservativePass cpuctExploration cpuctExplorationBase
    cpuctExplorationLog cpuctUtilityStdevPrior cpuctUtilityStdevPriorWeight cpuctUtilityStdevScale
    drawEquivalentWinsForWhite dynamicScoreCenterScale dynamicScoreCenterZeroWeight dynamicScoreUtilityFactor
    enablePassingHacks fillDameBeforePass fpuLossProp fpuParentWeight fpuParentWeightByVisitedPolicy
    fpuParentWeightByVisitedPolicyPow fpuReductionMax graphSearchRepBound ignoreAllHistory ignorePreRootHistory
    lagBuffer lcbStdevs minVisitPropForLCB nnPolicyTemperature noResultUtilityForWhite parentValueWeightScale
    playoutDoublingAdvantage playoutDoublingAdvantagePla policyOptimism rootDesiredPerChildVisitsCoeff
    rootDirichletNoiseTotalConcentration rootDirichletNoiseWeight rootEndingBonusPoints rootFpuLossProp
    rootFpuReductionMax rootNoiseEnabled rootNumSymmetriesToSample rootPolicyOptimism rootPolicyTemperature
    rootPolicyTemperatureEarly rootPruneUselessMoves rootSymmetryPruning staticScoreUtilityFactor
    subtreeValueBiasFactor subtreeValueBiasFreeProp subtreeValueBiasWeightExponent treeReuseCarryOverTimeFactor
    uncertaintyCoeff uncertaintyExponent uncertaintyMaxWeight useGraphSearch useLcbForSelection useNoisePruning
    useNonBuggyLcb useUncertainty valueWeightExponent wideRootNoise winLossUtilityFactor
    """.split()
)
"""Settings that tune KataGo's own search. They are accepted without a warning and change nothing here."""


class Refused(TengenError):
    """A request that cannot be answered, with the field that caused it."""

    def __init__(self, field: str | None, problem: str) -> None:
        super().__init__(problem)
        self.field = field
        self.problem = problem

    def where(self) -> dict[str, str]:
        """Return the field as part of a message."""
        return {} if self.field is None else {"field": self.field}


@dataclass(frozen=True)
class Query:
    """A query about some positions of a game."""

    id: str
    start: Board
    moves: tuple[Move, ...]
    turns: tuple[int, ...]
    priorities: tuple[int, ...]
    """One for each turn; the highest goes first."""
    settings: Settings
    perspective: str
    every: float | None
    """Seconds between two reports during the search; None for no reports."""
    first: float | None
    """Seconds before the first report; None for the same as between two."""
    line_length: int | None
    """Longest variation to report, the candidate move not counted; None for all that is known."""
    included: frozenset[str]
    """Names of the fields to include in answers besides moves and root."""
    restrictions: list[Restriction]
    warnings: tuple[tuple[str, str], ...]
    """Fields that were ignored, each with the reason."""

    def board(self, turn: int) -> Board:
        """Return the position after a number of moves."""
        board = self.start.copy()
        for move in self.moves[:turn]:
            board.play(move.point, move.colour)
        return board


class _Fields:
    def __init__(self, values: dict[str, Any], within: str = "") -> None:
        self._values = values
        self._within = within
        self._wanted: set[str] = set()

    def get(
        self, name: str, kind: type | tuple[type, ...], what: str, default: Any = None, *, needed: bool = False
    ) -> Any:
        """Return a field of a type, or its default; `what` describes a valid value in the error."""
        self._wanted.add(name)
        value = self._values.get(name)
        if value is None and not needed:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Refused(
                self._within or name, f"Must be {what}" if name in self._values else f"Must specify {name}: {what}"
            )
        return value

    def whole(self, name: str, least: int, most: float, default: int | None = None, *, needed: bool = False) -> Any:
        """Return a whole number between two bounds, of which the upper one may be infinite."""
        what = f"a whole number {_bounds(least, most)}"
        value = self.get(name, int, what, default, needed=needed)
        if value is not None and not least <= value <= most:
            raise Refused(self._within or name, f"Must be {what}")
        return value

    def number(self, name: str, least: float, most: float, default: float | None = None) -> Any:
        """Return a number between two bounds, of which the upper one may be infinite."""
        what = f"a number {_bounds(least, most)}"
        value = self.get(name, (int, float), what, default)
        if value is not None and not least <= value <= most:
            raise Refused(self._within or name, f"Must be {what}")
        return value

    def given(self, name: str) -> bool:
        """Whether a field has a value."""
        return self._values.get(name) is not None

    def unwanted(self) -> list[str]:
        """Return the names of the fields that were not read."""
        return [name for name in self._values if name not in self._wanted]


def _bounds(least: float, most: float) -> str:
    low, high = (f"{bound:g}" if isinstance(bound, float) else str(bound) for bound in (least, most))
    return f"of at least {low}" if high == "inf" else f"from {low} to {high}"


def read_query(message: dict[str, Any], settings: Settings, perspective: str) -> Query:
    """Read a query; `settings` and `perspective` are its defaults."""
    fields = _Fields(message)
    name = fields.get("id", str, "a string", needed=True)
    start = _start(fields)
    moves = tuple(_moves(fields.get("moves", list, "a list of moves", needed=True), "moves", start))
    start.to_play = _first(fields, moves, start.handicap)
    _check_moves(start, moves)
    every, first = _reports(fields)
    turns = _turns(fields, len(moves))
    priorities = _priorities(fields, turns)
    settings, perspective, warnings = _search(fields, settings, perspective)
    query = Query(
        id=name,
        start=start,
        moves=moves,
        turns=tuple(dict.fromkeys(turns)),
        priorities=tuple(dict(zip(turns, priorities, strict=True)).values()),
        settings=settings,
        perspective=perspective,
        every=every,
        first=first,
        line_length=fields.whole("analysisPVLen", 1, 1000),
        included=frozenset(key for key in _INCLUDES if fields.get(key, bool, "true or false", False)),
        restrictions=_restrictions(fields, "avoidMoves", avoid, start)
        + _restrictions(fields, "allowMoves", allow, start),
        warnings=(),
    )
    warnings += [(field[:100], "Unexpected or unused field") for field in fields.unwanted() if field not in NO_EFFECT]
    return replace(query, warnings=tuple(warnings))


def _start(fields: _Fields) -> Board:
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
    if not (isinstance(value, list) and len(value) == 2):
        raise Refused(field, f'Could not read a move: {str(value)[:60]} is not such as ["B", "D4"]')
    try:
        return Move(as_colour(value[0]), _point(value[1], board))
    except TengenError as error:
        raise Refused(field, f"Could not read a move: {error}") from None


def _point(name: Any, board: Board) -> str:
    """Read D4, pass, or (column,row) counted from 0 at the top left."""
    if not isinstance(name, str):
        raise TengenError(f"a point is a string, not {str(name)[:60]}")
    if match := _COLUMN_AND_ROW.fullmatch(name.strip()):
        column, row = int(match[1]), int(match[2])
        if column >= board.width or row >= board.height:
            raise TengenError(f"{name.strip()} is off the {board.width}x{board.height} board")
        return point_name(row, column, board.height)
    return move_name(name, board)


def _first(fields: _Fields, moves: tuple[Move, ...], handicap: int) -> Colour:
    given = fields.get("initialPlayer", str, '"B" or "W"')
    if given is None:
        return moves[0].colour if moves else "white" if handicap else "black"
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


def _turns(fields: _Fields, moves: int) -> list[int]:
    """Return the turns as they are listed; the default is the last one."""
    turns = fields.get("analyzeTurns", list, "a list of turns", [moves])
    if not turns or not all(_is_whole(turn) and 0 <= turn <= moves for turn in turns):
        raise Refused("analyzeTurns", f"Must be turns from 0 to {moves}")
    return list(turns)


def _priorities(fields: _Fields, turns: list[int]) -> list[int]:
    same = fields.whole("priority", -_MOST_PRIORITY, _MOST_PRIORITY)
    each = fields.get("priorities", list, "a list of whole numbers, one for each of analyzeTurns")
    if each is None:
        return [same or 0] * len(turns)
    if same is not None:
        raise Refused("priority", "Cannot specify both priority and priorities")
    if not fields.given("analyzeTurns"):
        raise Refused("priorities", "Can only be specified with analyzeTurns")
    if len(each) != len(turns) or not all(_is_whole(value) and abs(value) <= _MOST_PRIORITY for value in each):
        raise Refused("priorities", "Must be a list of whole numbers, one for each of analyzeTurns")
    return list(each)


def _reports(fields: _Fields) -> tuple[float | None, float | None]:
    """Return the seconds between two reports and before the first one; (None, None) for no reports."""
    every, first = (
        fields.number(name, 0.001, 1e6) for name in ("reportDuringSearchEvery", "firstReportDuringSearchAfter")
    )
    return math.inf if every is None and first is not None else every, first


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _search(fields: _Fields, settings: Settings, perspective: str) -> tuple[Settings, str, list[tuple[str, str]]]:
    """Return the limits of the search, the side of winrates and leads, and warnings about unknown settings."""
    inner = _Fields(fields.get("overrideSettings", dict, "an object", {}), "overrideSettings")
    asked = [part.whole(name, 1, math.inf) for part in (fields, inner) for name in ("maxVisits", "maxPlayouts")]
    visits = [value for value in asked if value is not None]
    seconds = inner.number("maxTime", 0, math.inf)
    side = str(inner.get("reportAnalysisWinratesAs", str, "BLACK, WHITE or SIDETOMOVE", perspective)).upper()
    if side not in PERSPECTIVES:
        raise Refused("overrideSettings", "reportAnalysisWinratesAs must be BLACK, WHITE or SIDETOMOVE")
    chosen = replace(
        settings,
        playouts=smallest(map(limit, visits)) if visits else settings.playouts,
        seconds=settings.seconds if seconds is None else limit(max(seconds, 0.01)),
        threads=inner.whole("numSearchThreads", 1, 64, settings.threads),
    )
    for name in ("rootPolicyTemperature", "rootFpuReductionMax"):
        fields.number(name, 0.0, 100.0)  # checked, but they only tune KataGo's own search
    unknown = ", ".join(name[:60] for name in inner.unwanted() if name not in NO_EFFECT)
    return chosen, side, [("overrideSettings", f"Unknown settings are ignored: {unknown}")] if unknown else []


def _restrictions(fields: _Fields, name: str, make: Callable[..., Restriction], board: Board) -> list[Restriction]:
    found: list[Restriction] = []
    for value in fields.get(name, list, "a list of objects with player, moves and untilDepth", []):
        try:
            colour, depth = as_colour(value["player"]), value["untilDepth"]
            if not (isinstance(value["moves"], list) and _is_whole(depth) and 1 <= depth <= _MOST_DEPTH):
                raise TengenError("moves must be a list and untilDepth a whole number of at least 1")
            found.append(make(frozenset(_point(move, board) for move in value["moves"]), colour, depth))
        except TengenError as error:
            raise Refused(name, f"Could not read a restriction: {error}") from None
        except (LookupError, TypeError):
            raise Refused(name, "Must be objects with player, moves and untilDepth") from None
    return found
