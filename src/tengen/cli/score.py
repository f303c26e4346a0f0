"""`tengen score`: count finished games."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

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
    each_game,
    output_file,
    place,
    wants_colour,
)
from tengen.errors import RecordError, TengenError

if TYPE_CHECKING:
    from tengen.cli.report import Scored

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

    checked_format(format, FORMATS)
    ruleset = None if rules is None else Rules.parse(rules)
    taken = _pair(captures)
    marks = None if dead is None else dead.replace(",", " ").split()
    failures = Failures("score")

    def scored() -> Iterator[Scored | RecordError]:
        seen = 0
        for game in each_game(paths, failures):
            yield from failures.found[seen:]
            seen = len(failures.found)
            try:
                yield report.score_game(game, move=move, rules=ruleset, komi=komi, dead=marks, captures=taken)
            except TengenError as problem:
                failures.add(RecordError(str(problem), file=game.file, game=game.index))
        yield from failures.found[seen:]

    with output_file(output) as file:
        write: Callable[[Iterator[Scored | RecordError]], Iterator[str]] = {
            "text": lambda games: report.as_text(games, colour=wants_colour(output)),
            "json": lambda games: (json.dumps(_json(item), ensure_ascii=False) + "\n" for item in games),
            "sgf": report.as_sgf,
            "svg": report.as_svg,
            "csv": report.as_csv,
            "html": report.as_html,
        }[format]
        for piece in write(scored()):
            file.write(piece)
    failures.leave()


def _json(item: Scored | RecordError) -> dict[str, object]:
    if isinstance(item, RecordError):
        return {"schema": 1, "file": item.file or "-", "game": item.game, "error": str(item)}
    return {**place(item.game), **item.as_dict()}


def _pair(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    try:
        black, white = (int(part) for part in text.replace(":", ",").split(","))
    except ValueError:
        raise TengenError(f"captures are written as two numbers, such as 12,7, not {text!r}") from None
    return black, white
