"""`tengen score`: count finished games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import (
    Failures,
    KomiValue,
    MoveNumber,
    Output,
    Paths,
    RulesName,
    checked_format,
    each_answer,
    json_line,
    output_file,
    place,
    wants_colour,
)
from tengen.errors import RecordError, TengenError

if TYPE_CHECKING:
    from tengen.cli.report import Item
    from tengen.go.record import Game

FORMATS = ("text", "json", "sgf", "svg", "csv", "html")


@verb("score")
def score_command(
    paths: Paths,
    move: MoveNumber = None,
    rules: RulesName = None,
    komi: KomiValue = None,
    dead: Annotated[
        str | None, typer.Option(help="Dead stones as you see them, such as D4,Q16; instead of ours.")
    ] = None,
    captures: Annotated[str | None, typer.Option(help="Stones taken by Black and by White, such as 12,7.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    output: Output = None,
) -> None:
    """Score finished games: who owns what, which stones are dead, and the result."""
    from tengen.cli import report
    from tengen.go.rules import Rules
    from tengen.numbers import checked_komi

    checked_format(format, FORMATS)
    options: dict[str, Any] = {
        "move": move,
        "rules": None if rules is None else Rules.parse(rules),
        "komi": None if komi is None else checked_komi(komi),
        "dead": None if dead is None else dead.replace(",", " ").split(),
        "captures": None if captures is None else _pair(captures),
    }
    failures = Failures("score", output)
    write: Callable[[Iterator[Item]], Iterator[str]] = {
        "text": lambda items: report.as_text(items, colour=wants_colour(output)),
        "json": lambda items: (json_line(_json(item)) for item in items),
        "sgf": report.as_sgf,
        "svg": report.as_svg,
        "csv": report.as_csv,
        "html": report.as_html,
    }[format]

    def scored(game: Game) -> report.Scored:
        return report.score_game(game, **options)

    with output_file(output) as file:
        for piece in write(each_answer(paths, failures, scored)):
            file.write(piece)
    failures.leave()


def _json(item: Item) -> dict[str, object] | RecordError:
    return item if isinstance(item, RecordError) else {**place(item.game), **item.as_dict()}


def _pair(text: str) -> tuple[int, int]:
    try:
        black, white = (int(part) for part in text.replace(":", ",").split(","))
    except ValueError:
        raise TengenError(f"captures are written as two numbers, such as 12,7, not {text!r}") from None
    if min(black, white) < 0:
        raise TengenError("captures cannot be negative")
    return black, white
