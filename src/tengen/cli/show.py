"""`tengen show`: draw a position of a record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import (
    Failures,
    MoveNumber,
    Output,
    Paths,
    checked_format,
    each_game,
    output_file,
    place,
    wants_colour,
)
from tengen.errors import TengenError

if TYPE_CHECKING:
    from tengen.go.record import Game

FORMATS = ("text", "json", "svg")


@verb("show")
def show_command(
    paths: Paths,
    move: MoveNumber = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    output: Output = None,
) -> None:
    """Show the board of a record, at the end or after some moves."""
    checked_format(format, FORMATS)
    failures = Failures("show")
    with output_file(output) as file:
        for number, game in enumerate(each_game(paths, failures)):
            if format == "svg" and number:
                raise TengenError("a picture shows one game: give one record with one game")
            file.write(_shown(game, move, format, colour=wants_colour(output)) + "\n")
    failures.leave()


def _shown(game: Game, move: int | None, format: str, *, colour: bool) -> str:
    board = game.board(move)
    if format == "svg":
        return board.svg(title=game.file)
    if format == "json":
        rows = ["".join("OX."[(sign + 3) // 2 - 1] if sign else "." for sign in row) for row in board.stones.tolist()]
        captures = {"black": board.captures.black, "white": board.captures.white}
        known = {
            "move": board.move_number,
            "size": board.size,
            "to_play": board.to_play,
            "board": rows,
            "captures": captures,
        }
        return json.dumps({**place(game), **known}, ensure_ascii=False)
    last = board.last_move
    said = (
        f"move {board.move_number}" + (f", {last.colour} {last.point}" if last else "") + f"; {board.to_play} to play"
    )
    taken = f"captures: Black {board.captures.black}, White {board.captures.white}"
    return "\n".join(
        [game.file or "game", board.text(colour=colour), said, taken, *(f"note: {w}" for w in game.warnings)]
    )
