"""The formats of `tengen score` for one game: text, JSON, CSV, SGF and SVG.

`ScoreJob` scores a game and writes it in one format; it is picklable for use in other processes. The `Summary` of
several games is computed from `ScoredFile`s. The page of `--format html` is in page.py.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate

from tengen.cli.games import game_name, json_line, place
from tengen.errors import RecordError, printable
from tengen.go.board import Board
from tengen.go.counting import CountLine, names_of
from tengen.go.record import Game
from tengen.go.rules import FalseEyes, Rules
from tengen.go.sgf import Node
from tengen.judge.difference import explain_difference
from tengen.judge.score import COUNTED, STATES, Score, State, score
from tengen.judge.verdicts import judge_of
from tengen.models.evaluator import Evaluator
from tengen.models.verdict import Verdict
from tengen.protocols.answers import score_answer

CSV_COLUMNS = (
    "state file game black white size rules komi result lead as_it_stands recorded agrees differences safe "
    "dead seki unclear warnings error"
).split()


@dataclass(frozen=True)
class Scored:
    """A game, the scored position and its score."""

    game: Game
    board: Board
    score: Score
    warnings: tuple[str, ...]
    differences: tuple[str, ...] = ()
    """Explanations why the record gives another result."""

    @property
    def title(self) -> str:
        """The game in one line: its file and its players."""
        black, white = self.players
        players = f": {black or '?'} – {white or '?'}" if black or white else ""
        return f"{game_name(self.game)}{players}"

    @property
    def players(self) -> tuple[str, str]:
        """The names of Black and White."""
        return self.game.players.black.name, self.game.players.white.name

    def as_dict(self) -> dict[str, object]:
        """Return the score as a JSON object."""
        return score_answer(self.score, self.game.result, self.warnings, self.differences)


@dataclass(frozen=True)
class ScoredFile:
    """A scored game: its text in the requested format, and the values for summaries."""

    text: str
    title: str
    state: State
    result: str
    recorded: str
    agrees: bool | None


@dataclass(frozen=True)
class ScoreJob:
    """Settings and format of scores."""

    format: str
    move: int | None = None
    rules: Rules | None = None
    komi: float | None = None
    dead: list[str] | None = None
    captures: tuple[int, int] | None = None
    false_eyes: FalseEyes | None = None
    model: str = "default"
    colour: bool = False

    def __call__(self, game: Game) -> ScoredFile:
        """Score a game and write it."""
        item = self.score(game)
        result = item.score
        return ScoredFile(self.write(item), item.title, result.state, result.result, item.game.result, result.agrees)

    def score(self, game: Game) -> Scored:
        """Score a game at the requested move; the recorded result applies to the last position only."""
        board = game.board(self.move)
        result = score(
            board,
            rules=self.rules,
            komi=self.komi,
            dead=self.dead,
            captures=self.captures,
            false_eyes=self.false_eyes,
            model=_judge(self.model),
        )
        if board.move_number == len(game):
            result = replace(result, recorded=game.result)
        differs = result.agrees is False
        differences = explain_difference(result, game.result, server=game.server) if differs else ()
        return Scored(game, board, result, (*game.warnings, *result.warnings), differences)

    def write(self, item: Scored) -> str:
        """Write a scored game in the requested format."""
        if self.format == "text":
            return as_text(item, colour=self.colour)
        if self.format == "html":
            from tengen.cli.page import section

            return section(item)
        return {"json": as_json, "csv": as_csv, "sgf": as_sgf, "svg": as_svg}[self.format](item)


@cache
def _judge(name: str) -> Evaluator:
    return judge_of(name)


@dataclass
class Summary:
    """The number of games in each state, and of those that agree with their record or differ."""

    games: int = 0
    agreed: int = 0
    differing: int = 0
    unreadable: int = 0
    states: Counter[State] = field(default_factory=Counter)

    def add(self, item: ScoredFile | RecordError) -> None:
        """Count a game."""
        if isinstance(item, RecordError):
            self.unreadable += 1
            return
        self.games += 1
        self.agreed += item.agrees is True
        self.differing += item.agrees is False
        self.states[item.state] += 1

    @property
    def total(self) -> int:
        """The number of games, including unreadable ones."""
        return self.games + self.unreadable

    def __str__(self) -> str:
        games = "1 game" if self.games == 1 else f"{self.games} games"
        states = ", ".join(f"{self.states[state]} {state}" for state in STATES)
        counted = sum(self.states[state] for state in COUNTED)
        compared = f"{self.agreed} as recorded, {self.differing} differing"
        silent = f"{counted - self.agreed - self.differing} without a recorded margin"
        return (
            f"{games}: {states}; of the {counted} safe or not safe: {compared}, {silent}; {self.unreadable} unreadable"
        )


def as_text(item: Scored, *, colour: bool = False) -> str:
    """Write a game as text: headline, board, count, unclear and dead stones."""
    result = item.score
    drawing = item.board.text(**item.score.drawing, colour=colour, legend=True)
    parts = [printable(item.title), result.headline, *item.differences, drawing, _table(result.lines)]
    parts += [f"  {verdict}\n    {verdict.reasons[0]}" for verdict in result.verdicts if verdict.status == "unclear"]
    if result.dead:
        parts.append(f"dead: {' '.join(result.dead)}")
    if result.seki:
        parts.append(f"seki: {' '.join(result.seki)}")
    parts += [f"note: {printable(warning)}" for warning in item.warnings]
    return "\n".join(parts) + "\n"


def _table(lines: Sequence[CountLine]) -> str:
    rows = [("", "Black", "White"), *cells(lines)]
    return "\n".join(f"{label:<12}{black:>8}{white:>8}" for label, black, white in rows)


def cells(lines: Sequence[CountLine]) -> list[tuple[str, str, str]]:
    """Return the lines of a count and their total as text."""
    total = CountLine("total", sum(line.black for line in lines), sum(line.white for line in lines))
    return [(line.label, f"{line.black:g}", f"{line.white:g}") for line in [*lines, total]]


def as_json(item: Scored) -> str:
    """Write a game as one JSON object."""
    return json_line({**place(item.game), **item.as_dict()})


def as_csv(item: Scored | RecordError) -> str:
    """Write a row of the table; result and lead are empty unless the game was played to a count."""
    if isinstance(item, RecordError):
        row: dict[str, object] = {"state": "unreadable", "file": item.file, "game": item.game, "error": str(item)}
    else:
        row = _csv_row(item)
    return csv_line([row.get(column, "") for column in CSV_COLUMNS])


def _csv_row(item: Scored) -> dict[str, object]:
    result = item.score
    counted = result.state in COUNTED
    return {
        "state": result.state,
        "file": item.game.file,
        "game": item.game.index,
        "black": item.players[0],
        "white": item.players[1],
        "size": f"{item.board.width}x{item.board.height}",
        "rules": str(result.rules),
        "komi": f"{result.komi:g}",
        "result": result.result if counted else "",
        "lead": result.lead if counted else "",
        "as_it_stands": result.result,
        "recorded": item.game.result,
        "agrees": "" if result.agrees is None else "yes" if result.agrees else "no",
        "differences": " ".join(item.differences),
        "safe": "yes" if result.safe else "no",
        "dead": " ".join(result.dead),
        "seki": " ".join(result.seki),
        "unclear": " ".join(result.unclear),
        "warnings": "; ".join(item.warnings),
    }


def csv_line(values: Iterable[object]) -> str:
    """Write values as a line of a table."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_no_formula(value) for value in values])
    return line.getvalue()


def _no_formula(value: object) -> object:
    """Keep spreadsheets from executing text of a record as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") and len(value) > 1 else value


def explained(verdict: Verdict) -> str:
    """Return a verdict with its reasons in one line."""
    return " ".join([f"{verdict}.", *map(str, verdict.reasons)])


def as_sgf(item: Scored) -> str:
    """Write the record with territory (TB, TW), dead stones (MA) and a comment (C) at the scored position.

    A game that was not played to a count gets only the comment. A missing result (RE) is filled in only if the count is
    safe.
    """
    game, result = item.game, item.score
    node = _node_of(game, item.board.move_number)
    if result.state in COUNTED:
        _mark(node, item)
    about = [result.headline, *item.differences]
    about += [explained(verdict) for verdict in result.verdicts if verdict.status != "alive"]
    node.set("C", "\n".join(filter(None, [node.get("C"), *about, *item.warnings])))
    if item.board.move_number == len(game) and game.result in ("", "?") and result.state == "safe":
        game.root.set("RE", result.result)
    return game.sgf() + "\n"


def _mark(node: Node, item: Scored) -> None:
    result = item.score
    living = {name for verdict in result.verdicts if verdict.alive >= 0.5 for name in verdict.points}
    for identifier, sign in (("TB", 1), ("TW", -1)):
        node.set_points(identifier, [name for name in names_of(result.owner == sign) if name not in living])
    node.set_points("MA", result.dead)


def _node_of(game: Game, moves: int) -> Node:
    """Return the node of the main line with that move; the last node for the last move."""
    line = game.main_line()
    if moves == len(game):
        return line[-1]
    played = accumulate(len(node.values("B")) + len(node.values("W")) for node in line)
    return next(node for node, count in zip(line, played, strict=True) if count >= moves)


def as_svg(item: Scored) -> str:
    """Draw a game, with its headline above the board, the legend and the warnings below."""
    title = f"{item.title}\n{item.score.headline}"
    return item.score.svg(title=title, notes=(*item.differences, *item.warnings))
