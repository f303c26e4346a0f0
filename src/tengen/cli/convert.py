"""`tengen convert`: rewrite records as clean SGF, one game a line, or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import Failures, Output, Paths, checked_format, each_answer, json_line, output_file, place
from tengen.errors import RecordError

if TYPE_CHECKING:
    from tengen.go.record import Game

FORMATS = ("sgf", "tsv", "json")


@verb("convert")
def convert_command(
    paths: Paths,
    format: Annotated[str, typer.Option("--format", "-f", help="sgf, tsv (one game a line) or json.")] = "sgf",
    output: Output = None,
) -> None:
    """Rewrite records: mended and in UTF-8 as SGF, one game a line, or JSON with one object a line."""
    checked_format(format, FORMATS)
    failures = Failures("convert")
    with output_file(output) as file:
        for piece in each_answer(paths, failures, lambda game: _written(game, format)):
            if not isinstance(piece, RecordError):
                file.write(piece)
            elif format == "json":
                file.write(json_line(piece))
    failures.leave()


def _written(game: Game, format: str) -> str:
    if format == "sgf":
        return game.sgf() + "\n"
    if format == "tsv":
        from tengen.go.lines import game_line

        return game_line(game) + "\n"
    moves = [[move.colour, move.point] for move in game.moves]
    known = {
        "width": game.width,
        "height": game.height,
        "rules": str(game.rules),
        "komi": game.komi,
        "handicap": game.handicap,
        "black": game.players.black.name,
        "white": game.players.white.name,
        "result": game.result,
        "setup": [[stone.colour, stone.point] for stone in game.setup],
        "moves": moves,
        "warnings": list(game.warnings),
    }
    return json_line({**place(game), **known})
