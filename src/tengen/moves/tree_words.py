"""Decision trees in words and pictures.

`text` prints a tree as an indented list of questions, `describe` sums up what a leaf says of a move, `draw` shows
the nodes that a descent discovered on a board. Nodes have the numbers of their discovery.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tengen._core import QueryKind
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.points import Point, PointLike, as_point
from tengen.go.svg import Drawing, draw_svg
from tengen.moves.trees import Forest
from tengen.views.stone_graph import SIDES, Node, stone_graph

_OWN, _OPPONENT, _SIDE = range(3)
_NONE = 3
_FREE_SIDES = "free side", "free sides"
"""The liberties of a chain, counted once for each of its stones that they touch (pseudo-liberties)."""
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
_LINES = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


@dataclass(frozen=True)
class _Query:
    """A row of the forest's array with the way that led to it."""

    kind: int
    x: int
    y: int
    equal: bool
    value: int
    parent: _Query | None
    outcome: int
    """Which answer of its parent leads here."""
    depth: int
    statuses: tuple[int, ...]
    """Of the nodes discovered so far; the first is node 1."""

    @property
    def outcomes(self) -> list[int]:
        """The answers: statuses and none for a new node, 0 (yes) and 1 (no) for other queries."""
        if self.kind == QueryKind.new:
            return [*(status for status in range(3) if self.x >> status & 1), _NONE]
        return [0, 1] if self.kind != QueryKind.leaf else []


def text(forest: Forest, tree: int = 0, notes: Sequence[str] | None = None) -> str:
    """Return a tree as an indented list of questions; `notes` are written after the leaves, such as their weights."""
    noun = _noun(forest)
    leaf, lines = 0, []
    for query in _walk(forest, tree):
        leaf += query.kind == QueryKind.leaf
        note = f" {notes[leaf - 1]}" if notes is not None and query.kind == QueryKind.leaf else ""
        said = f"leaf {leaf}{note}" if query.kind == QueryKind.leaf else _question(query, noun)
        lines.append("  " * query.depth + (f"{_answer(query, noun)}: " if query.parent else "") + said)
    return "\n".join(lines)


def describe(forest: Forest, leaf: int, tree: int = 0) -> str:
    """Say what is known of a move at a leaf: "fourth line, no stone within eight points"."""
    number = 0
    for query in _walk(forest, tree):
        number += query.kind == QueryKind.leaf
        if number == leaf and query.kind == QueryKind.leaf:
            return _Known.at(query).words(_noun(forest))
    raise TengenError(f"tree {tree} has leaves 1 to {number}, not {leaf}")


def draw(forest: Forest, board: Board, move: PointLike, tree: int = 0, **options: Any) -> Drawing:
    """Draw a board with a move (0) and the nodes that its descent discovers, numbered; options as for `draw_svg`."""
    leaf, discovered = forest.trace(board, move, tree)
    nodes = stone_graph(board, move, nodes=forest.nodes).nodes
    centre = as_point(move, board.width, board.height)
    places = [centre, *(_place(forest, board, nodes[index], centre) for index in discovered[1:])]
    marks: dict[Point, str] = {}
    for number, place in enumerate(places):
        marks[place] = f"{marks[place]},{number}" if place in marks else str(number)
    sides = [place for place, index in zip(places, discovered, strict=True) if nodes[index].status == "side"]
    links = [(centre, place) for place in sides if place != centre]
    shown = {"title": f"Leaf {leaf}", "notes": [describe(forest, leaf, tree)], "marks": marks, "links": links}
    return draw_svg(board.stones, **{**shown, **options})


def _place(forest: Forest, board: Board, node: Node, centre: Point) -> Point:
    """Return where a node is drawn: a side at the foot of the move, a chain at the stone nearest to the move."""
    row, column = centre
    if node.place in SIDES:
        feet = [(0, column), (row, 0), (row, board.width - 1), (board.height - 1, column)]
        return feet[SIDES.index(node.place)]
    chain = board.chain(node.place)
    stones = chain.points if chain and forest.nodes == "chains" else [node.place]
    places = [as_point(stone, board.width, board.height) for stone in stones]
    return min(places, key=lambda place: (abs(place[0] - row) + abs(place[1] - column), place))


def _noun(forest: Forest) -> str:
    return "chain" if forest.nodes == "chains" else "stone"


def _walk(forest: Forest, tree: int) -> Iterator[_Query]:
    """Yield the queries of a tree in pre-order."""
    if not 0 <= tree < len(forest):
        raise TengenError(f"there are trees 0 to {len(forest) - 1}, not {tree}")
    leaves = 0
    rows = iter(forest.queries.tolist())
    while leaves < sum(forest.leaf_counts[:tree]):
        leaves += next(rows)[0] == QueryKind.leaf
    open_ends: list[tuple[_Query | None, int, int, tuple[int, ...]]] = [(None, 0, 0, ())]
    while open_ends:
        parent, outcome, depth, statuses = open_ends.pop()
        kind, x, y, equal, value = next(rows)
        query = _Query(kind, x, y, bool(equal), value, parent, outcome, depth, statuses)
        yield query
        for answer in reversed(query.outcomes):
            new = (answer,) if kind == QueryKind.new and answer != _NONE else ()
            open_ends.append((query, answer, depth + 1, statuses + new))


def _question(query: _Query, noun: str) -> str:
    kind, x, y, value = query.kind, query.x, query.y, query.value
    if kind == QueryKind.new:
        other = "another " if any(query.x >> status & 1 for status in query.statuses) else ""
        return f"is there {_article(other + _kinds(query.x, noun))} within {_points(value)}?"
    if kind == QueryKind.distance:
        if x == 0 and query.statuses[y - 1] == _SIDE:
            line = _line(value if query.equal else value - 1)
            return f"is the move on the {line}{'' if query.equal or value < 2 else ' or lower'} from side {y}?"
        amount = _points(value) if query.equal else f"less than {_points(value)}"
        if x == 0:
            return f"is {_label(query, y, noun)} {amount} away?"
        return f"are {_label(query, x, noun)} and {_label(query, y, noun)} {amount} apart?"
    if kind == QueryKind.liberties and value == 2 - query.equal:
        return f"is {_label(query, x, noun)} in atari?"
    if kind == QueryKind.size and value == 2 - query.equal:
        return f"is {_label(query, x, noun)} a single stone?"
    unit = ("stone", "stones") if kind == QueryKind.size else _FREE_SIDES
    amount = f"{'' if query.equal else 'fewer than '}{_number(value)} {unit[value != 1]}"
    return f"does {_label(query, x, noun)} have {amount}?"


def _answer(query: _Query, noun: str) -> str:
    parent = query.parent
    if parent is None or parent.kind != QueryKind.new:
        return ("yes", "no")[query.outcome]
    return _label(query, len(query.statuses), noun) if query.outcome != _NONE else "none"


def _label(query: _Query, node: int, noun: str) -> str:
    return f"{_kind(query.statuses[node - 1], noun)} {node}"


def _kind(status: int, noun: str) -> str:
    return "side" if status == _SIDE else f"{('own', 'enemy')[status]} {noun}"


def _kinds(statuses: int, noun: str) -> str:
    """Return a set of statuses in words: "stone or side"."""
    chosen = [status for status in range(3) if statuses >> status & 1]
    words = [noun] if {_OWN, _OPPONENT} <= set(chosen) else [_kind(s, noun) for s in chosen if s != _SIDE]
    return " or ".join(words + ["side"] * (_SIDE in chosen))


def _article(words: str) -> str:
    return words if words.startswith("another") else f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _number(value: int) -> str:
    return _NUMBERS[value] if value < len(_NUMBERS) else str(value)


def _points(value: int) -> str:
    return f"{_number(value)} point{'' if value == 1 else 's'}"


def _line(distance: int) -> str:
    """Return the line at a distance from a side: 3 is the fourth line."""
    return f"{_LINES[distance] if 0 <= distance < len(_LINES) else f'{distance + 1}th'} line"


@dataclass
class _Range:
    """Values that a quantity may have."""

    low: int
    high: int | None = None
    excluded: set[int] = field(default_factory=set)

    def learn(self, query: _Query, yes: bool) -> None:
        if query.equal:
            if yes:
                self.low = self.high = query.value
            else:
                self.excluded.add(query.value)
        elif yes:
            self.high = query.value - 1 if self.high is None else min(self.high, query.value - 1)
        else:
            self.low = max(self.low, query.value)
        while self.low in self.excluded:
            self.low += 1
        while self.high in self.excluded and self.high is not None:
            self.high -= 1

    def words(self, least: int, one: str, many: str) -> str:
        """Return the range in words, "two to four points"; nothing if all values from `least` on are possible."""
        holes = sorted(value for value in self.excluded if self.low < value < (self.high or value + 1))
        never = f"not {' or '.join(map(_number, holes))}"
        but = f" ({never})" if holes else ""
        if self.high is None and self.low <= least:
            return f"{never} {one if holes == [1] else many}" if holes else ""
        if self.high is None:
            return f"{_number(self.low)} or more {many}{but}"
        if self.low >= self.high:
            return f"{_number(self.high)} {one if self.high == 1 else many}"
        if self.low <= least:
            return f"at most {_number(self.high)} {one if self.high == 1 else many}{but}"
        return f"{_number(self.low)} to {_number(self.high)} {many}{but}"

    def line(self) -> str:
        """Return a range of distances from a side in words, "fourth line or higher"."""
        if self.high is None:
            return f"{_line(self.low)} or higher" if self.low else ""
        if self.low >= self.high:
            return _line(self.high)
        return f"{_line(self.high)} or lower" if self.low == 0 else f"{_line(self.low)} to {_line(self.high)}"


class _Known:
    """What the answers on the way to a leaf say, summed up."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.away: list[_Range] = []
        self.attributes: list[dict[int, _Range]] = []
        self.apart: dict[tuple[int, int], _Range] = {}
        self.clear = [-1, -1, -1]
        """By status, how far from the move there is no undiscovered node."""

    @classmethod
    def at(cls, leaf: _Query) -> _Known:
        way: list[tuple[_Query, int]] = []
        query = leaf
        while query.parent is not None:
            way.append((query.parent, query.outcome))
            query = query.parent
        known = cls()
        for parent, outcome in reversed(way):
            known.learn(parent, outcome)
        return known

    def learn(self, query: _Query, outcome: int) -> None:
        if query.kind == QueryKind.new:
            self._discover(query, outcome)
        elif query.kind == QueryKind.distance and query.x == 0:
            self.away[query.y - 1].learn(query, outcome == 0)
        elif query.kind == QueryKind.distance:
            sides = _SIDE in (self.statuses[query.x - 1], self.statuses[query.y - 1])
            self.apart.setdefault((query.x, query.y), _Range(int(not sides))).learn(query, outcome == 0)
        else:
            self.attributes[query.x - 1].setdefault(query.kind, _Range(1)).learn(query, outcome == 0)

    def _discover(self, query: _Query, outcome: int) -> None:
        if outcome != _NONE:
            self.statuses.append(outcome)
            self.away.append(_Range(max(self.clear[outcome] + 1, int(outcome != _SIDE)), query.value))
            self.attributes.append({})
            return
        for status in range(3):
            if query.x >> status & 1:
                self.clear[status] = max(self.clear[status], query.value)

    def words(self, noun: str) -> str:
        nodes = [self._node(i, noun) for i in range(len(self.statuses))]
        pairs = [self._pair(x, y, span) for (x, y), span in sorted(self.apart.items())]
        return ", ".join(filter(None, [*nodes, *pairs, *self._nothing(noun)])) or "any move"

    def _node(self, i: int, noun: str) -> str:
        status, number = self.statuses[i], f" ({i + 1})" if len(self.statuses) > 1 else ""
        if status == _SIDE:
            again = _SIDE in self.statuses[:i]
            return f"{self.away[i].line()}{' of another side' if again else ''}{number}"
        away = self.away[i].words(1, "point", "points")
        facts = [f"{_kind(status, noun)}{number} {'adjacent' if away == 'one point' else away + ' away'}"]
        for kind, span in sorted(self.attributes[i].items()):
            facts.append(_attribute(kind, span))
        return " ".join([facts[0], *(["(" + "; ".join(rest) + ")"] if (rest := list(filter(None, facts[1:]))) else [])])

    def _pair(self, x: int, y: int, span: _Range) -> str:
        sides = [n for n in (x, y) if self.statuses[n - 1] == _SIDE]
        if len(sides) == 1:
            words = span.line()
            return f"({x + y - sides[0]}) on the {words} of ({sides[0]})" if words else ""
        words = span.words(int(not sides), "point", "points")
        if words == "one point":
            return f"({x}) and ({y}) adjacent"
        return f"({x}) and ({y}) {words} apart" if words else ""

    def _nothing(self, noun: str) -> Iterator[str]:
        """Say how far there is nothing else."""
        own, opponent, side = self.clear
        if side >= 0:
            seen = _SIDE in self.statuses
            yield f"no other side within {_points(side)}" if seen else f"{_line(side + 1)} or higher"
        if own == opponent:
            yield self._no(f"{noun}", own, bool({_OWN, _OPPONENT} & set(self.statuses)))
        else:
            yield self._no(_kind(_OWN, noun), own, _OWN in self.statuses)
            yield self._no(_kind(_OPPONENT, noun), opponent, _OPPONENT in self.statuses)

    @staticmethod
    def _no(kind: str, distance: int, seen: bool) -> str:
        return f"no {'other ' * seen}{kind} within {_points(distance)}" if distance > 0 else ""


def _attribute(kind: int, span: _Range) -> str:
    if kind == QueryKind.liberties:
        return (
            "in atari"
            if span.high == 1
            else "not in atari"
            if span.low == 2 and span.high is None
            else span.words(1, *_FREE_SIDES)
        )
    return span.words(1, "stone", "stones")
