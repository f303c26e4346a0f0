"""`tengen convert`: rewrite records as clean SGF, one game a line, or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import Failures, Output, Paths, checked_format, each_game, output_file, place

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
        for game in each_game(paths, failures):
            file.write(_written(game, format) + "\n")
    failures.leave()


def _written(game: Game, format: str) -> str:
    if format == "sgf":
        return game.sgf()
    if format == "tsv":
        from tengen.go.lines import game_line

        return game_line(game)
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
    return json.dumps({**place(game), **known}, ensure_ascii=False)
