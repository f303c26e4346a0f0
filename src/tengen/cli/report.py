"""The ways `tengen score` answers: for people, for programs, as records, pictures, tables and a page."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from tengen.cli.games import answers, one_picture
from tengen.errors import RecordError, printable
from tengen.go.board import Board
from tengen.go.counting import Line, lead_of
from tengen.go.points import point_name
from tengen.go.record import Game
from tengen.go.rules import Rules
from tengen.go.sgf import Node
from tengen.go.text import rows_of
from tengen.judge.score import Score, score
from tengen.models.verdict import Verdict


@dataclass(frozen=True)
class Scored:
    """A game, the position that was scored, and its score."""

    game: Game
    board: Board
    score: Score
    warnings: tuple[str, ...]

    @property
    def agrees(self) -> bool | None:
        """Whether the record gives the same result; None where it gives no margin."""
        recorded = lead_of(self.game.result)
        return None if recorded is None else recorded == self.score.lead

    @property
    def title(self) -> str:
        """The game in one line: its file and its players."""
        number = f" game {self.game.index}" if self.game.index > 1 else ""
        black, white = self.players
        players = f": {black or '?'} – {white or '?'}" if black or white else ""
        return f"{self.game.file or 'game'}{number}{players}"

    @property
    def players(self) -> tuple[str, str]:
        """The names of Black and White."""
        return self.game.players.black.name, self.game.players.white.name

    def as_dict(self) -> dict[str, object]:
        """Return the score as JSON has it."""
        result = self.score
        return {
            "size": self.board.size,
            "width": self.board.width,
            "height": self.board.height,
            "rules": str(result.rules),
            "komi": result.komi,
            "result": result.result,
            "lead": result.lead,
            "recorded": self.game.result,
            "safe": result.safe,
            "dead": list(result.dead),
            "seki": list(result.seki),
            "unclear": list(result.unclear),
            "owner": rows_of(result.owner),
            "lines": [{"label": line.label, "black": line.black, "white": line.white} for line in result.lines],
            "verdicts": [_verdict_dict(verdict) for verdict in result.verdicts],
            "warnings": list(self.warnings),
            "dame": list(result.dame),
            "false_eyes": list(result.false_eyes),
            "unsealed": list(result.unsealed),
            "protections": list(result.protections),
        }


Item: TypeAlias = Scored | RecordError


def score_game(
    game: Game,
    *,
    move: int | None = None,
    rules: Rules | None = None,
    komi: float | None = None,
    dead: list[str] | None = None,
    captures: tuple[int, int] | None = None,
) -> Scored:
    """Score one game of a record; what the record or the score leaves doubtful becomes a warning."""
    board = game.board(move)
    result = score(board, rules=rules, komi=komi, dead=dead, captures=captures)
    if board.move_number == len(game):
        result = replace(result, recorded=game.result)
    return Scored(game, board, result, (*game.warnings, *result.warnings))


def as_text(games: Iterable[Item], *, colour: bool) -> Iterator[str]:
    """Write each game for a person: the board with its territory, the count, the dead and the unclear stones."""
    for number, item in enumerate(answers(games)):
        yield ("\n" if number else "") + _text(item, colour=colour)


def _text(item: Scored, *, colour: bool) -> str:
    result = item.score
    drawing = item.board.text(owner=result.owner, dead=list(result.dead), colour=colour)
    parts = [printable(item.title), drawing, _table(result.lines), _headline(item)]
    parts += [f"  {verdict}\n    {verdict.reasons[0]}" for verdict in result.verdicts if verdict.status == "unclear"]
    if result.dead:
        parts.append(f"dead: {' '.join(result.dead)}")
    if result.seki:
        parts.append(f"seki: {' '.join(result.seki)}")
    parts += [f"note: {printable(warning)}" for warning in item.warnings]
    return "\n".join(parts) + "\n"


def _table(lines: Sequence[Line]) -> str:
    rows = [("", "Black", "White"), *_cells(lines)]
    return "\n".join(f"{label:<12}{black:>8}{white:>8}" for label, black, white in rows)


def _cells(lines: Sequence[Line]) -> list[tuple[str, str, str]]:
    total = Line("total", sum(line.black for line in lines), sum(line.white for line in lines))
    return [(line.label, f"{line.black:g}", f"{line.white:g}") for line in [*lines, total]]


def _headline(item: Scored) -> str:
    result = item.score
    said = f"{result.result} ({result.rules}, komi {result.komi:g})"
    if item.agrees is not None:
        said += ", as recorded" if item.agrees else f"; the record says {item.game.result}"
    if result.unclear:
        said += "\nnot safe to rely on: these chains are unclear"
    return said


def as_csv(games: Iterable[Item]) -> Iterator[str]:
    """Write a table, one row a game; those whose record disagrees come first, what could not be read last."""
    columns = "file game black white size rules komi result lead recorded agrees safe".split()
    columns += "dead seki unclear warnings error".split()
    yield _csv_line(columns)
    for item in _doubtful_first(games):
        if isinstance(item, RecordError):
            row: dict[str, object] = {"file": item.file, "game": item.game, "error": str(item)}
        else:
            row = _csv_row(item)
        yield _csv_line([row.get(column, "") for column in columns])


def _csv_row(item: Scored) -> dict[str, object]:
    result = item.score
    return {
        "file": item.game.file,
        "game": item.game.index,
        "black": item.players[0],
        "white": item.players[1],
        "size": f"{item.board.width}x{item.board.height}",
        "rules": str(result.rules),
        "komi": f"{result.komi:g}",
        "result": result.result,
        "lead": result.lead,
        "recorded": item.game.result,
        "agrees": "" if item.agrees is None else "yes" if item.agrees else "no",
        "safe": "yes" if result.safe else "no",
        "dead": " ".join(result.dead),
        "seki": " ".join(result.seki),
        "unclear": " ".join(result.unclear),
        "warnings": "; ".join(item.warnings),
    }


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_no_formula(value) for value in values])
    return line.getvalue()


def _no_formula(value: object) -> object:
    """Keep a spreadsheet from running text that came out of a record."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") and len(value) > 1 else value


def as_sgf(games: Iterable[Item]) -> Iterator[str]:
    """Write the records with territory (TB, TW), dead stones (MA), result (RE), reasons and warnings (C) at the end."""
    return (_marked_record(item) + "\n" for item in answers(games))


def _explained(verdict: Verdict) -> str:
    return " ".join([f"{verdict}.", *map(str, verdict.reasons)])


def _marked_record(item: Scored) -> str:
    game, result = item.game, item.score
    node = _node_of(game, item.board.move_number)
    living = {name for verdict in result.verdicts if verdict.alive >= 0.5 for name in verdict.points}
    for identifier, sign in (("TB", 1), ("TW", -1)):
        names = [
            point_name(int(row), int(column), item.board.height) for row, column in np.argwhere(result.owner == sign)
        ]
        node.set_points(identifier, [name for name in names if name not in living])
    node.set_points("MA", result.dead)
    said = [
        f"{result.result} ({result.rules}, komi {result.komi:g})" + ("" if result.safe else ", not safe to rely on")
    ]
    said += [_explained(verdict) for verdict in result.verdicts if verdict.status != "alive"]
    said += result.warnings
    node.set("C", "\n".join(filter(None, [node.get("C"), *said])))
    if item.board.move_number == len(game) and game.result in ("", "?"):
        game.root.set("RE", result.result)
    return game.sgf()


def _node_of(game: Game, moves: int) -> Node:
    """Return the node of the main line with that move, the last one for the last move."""
    line = game.main_line()
    if moves == len(game):
        return line[-1]
    played = accumulate(len(node.values("B")) + len(node.values("W")) for node in line)
    return next(node for node, count in zip(line, played, strict=True) if count >= moves)


def as_svg(games: Iterable[Item]) -> Iterator[str]:
    """Write one picture; several games in one file would not be one."""
    pictures = (_svg(item, title=f"{item.title}: {item.score.result}") + "\n" for item in answers(games))
    return one_picture(pictures, ", or use --format html")


def _svg(item: Scored, title: str | None = None) -> str:
    return item.board.svg(owner=item.score.owner, dead=list(item.score.dead), title=title)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Scores</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }}
section {{ display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1.5rem; }}
section {{ border-top: 1px solid #ccc; padding: 1rem 0; }}
section svg {{ width: 22rem; height: auto; }} section div {{ flex: 1; min-width: 18rem; }}
h2 {{ font-size: 1.1rem; margin: 0; }} table {{ border-collapse: collapse; }}
td, th {{ padding: 0 .8rem 0 0; text-align: right; }} td:first-child {{ text-align: left; }}
.differs {{ color: #a40000; font-weight: bold; }} .said {{ white-space: pre-line; }}
.note {{ color: #555; margin: .3rem 0; }}
@media print {{ section {{ break-inside: avoid; }} }}
</style></head><body>
<h1>Scores</h1>
<p>{summary}</p>
"""


def as_html(games: Iterable[Item]) -> Iterator[str]:
    """Write a page with a picture and the count of each game; those whose record disagrees come first."""
    items = _doubtful_first(games)
    scored = [item for item in items if isinstance(item, Scored)]
    failed = [item for item in items if isinstance(item, RecordError)]
    differ = sum(item.agrees is False for item in scored)
    unsafe = sum(not item.score.safe for item in scored)
    summary = f"{len(scored)} games, {differ} differ from their record, {unsafe} not safe, {len(failed)} not readable."
    yield _PAGE.format(summary=summary)
    for item in scored:
        yield _section(item)
    for error in failed:
        yield f'<section class="differs">{html.escape(str(error))}</section>\n'
    yield "</body></html>\n"


def _doubtful_first(games: Iterable[Item]) -> list[Item]:
    """Sort: games whose record disagrees, those that are not safe, the others, and what could not be read."""
    return sorted(games, key=_doubt)


def _doubt(item: Item) -> int:
    if isinstance(item, RecordError):
        return 3
    return 0 if item.agrees is False else 1 if not item.score.safe else 2


def _section(item: Scored) -> str:
    differs = "said differs" if item.agrees is False else "said"
    cells = _cells(item.score.lines)
    rows = "".join(f"<tr><td>{label}</td><td>{black}</td><td>{white}</td></tr>" for label, black, white in cells)
    reasons = [_explained(verdict) for verdict in item.score.verdicts if verdict.status != "alive"]
    verdicts = f"<details><summary>Why</summary>{_notes(reasons)}</details>" if reasons else ""
    return (
        f"<section>{_svg(item)}<div><h2>{html.escape(item.title)}</h2>"
        f'<p class="{differs}">{html.escape(_headline(item))}</p>'
        f"<table><tr><th></th><th>Black</th><th>White</th></tr>{rows}</table>"
        f"{_notes(item.warnings)}{verdicts}</div></section>\n"
    )


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<p class="note">{html.escape(note)}</p>' for note in notes)


def _verdict_dict(verdict: Verdict) -> dict[str, object]:
    reasons = [
        {"kind": reason.kind, "points": list(reason.points), "sentence": reason.sentence} for reason in verdict.reasons
    ]
    return {"points": list(verdict.points), "status": verdict.status, "p": round(verdict.p, 6), "reasons": reasons}
