"""`tengen show`: draw a position of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.cli.app import verb
from tengen.cli.games import (
    Failures,
    MoveNumber,
    Output,
    Paths,
    answers,
    checked_format,
    each_answer,
    game_name,
    json_line,
    one_picture,
    output_file,
    place,
    wants_colour,
)
from tengen.errors import RecordError, TengenError, printable

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.record import Game

FORMATS = ("text", "json", "svg")

Shown: TypeAlias = "tuple[Game, Board]"


@verb("show")
def show_command(
    paths: Paths,
    move: MoveNumber = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}; text unless a graph is drawn.")
    ] = None,
    graph: Annotated[
        str | None, typer.Option("--graph", help="Draw the fate, block, group or augmented graph as SVG.")
    ] = None,
    output: Output = None,
) -> None:
    """Show the board of a record, at the end or after some moves."""
    format = format or ("svg" if graph else "text")
    checked_format(format, FORMATS)
    _checked_graph(graph, format)
    failures = Failures("show", output)
    write: Callable[[Iterator[Shown | RecordError]], Iterator[str]] = {
        "text": lambda items: (_text(*item, colour=wants_colour(output)) for item in answers(items)),
        "json": lambda items: (json_line(_json(item)) for item in items),
        "svg": lambda items: one_picture(_picture(game, board, graph) for game, board in answers(items)),
    }[format]
    with output_file(output) as file:
        for piece in write(each_answer(paths, failures, lambda game: (game, game.board(move)))):
            file.write(piece)
    failures.leave()


def _checked_graph(graph: str | None, format: str) -> None:
    """Raise an error for an unknown graph, or a format that cannot show one."""
    if graph is not None:
        from tengen.views.graphs import checked_graph

        checked_graph(graph)
        if format != "svg":
            raise TengenError("a graph is drawn as SVG: leave --format out")


def _title(game: Game, board: Board) -> str:
    last = board.last_move
    played = f", {last.colour} {last.point}" if last else ""
    return f"{game_name(game)}, move {board.move_number}{played}; {board.to_play} to play"


def _picture(game: Game, board: Board, graph: str | None) -> str:
    title = _title(game, board)
    if graph is None:
        return board.svg(title=title, legend=True, notes=game.warnings)
    from tengen.views.graphs import graph_of

    return graph_of(board, graph).svg(board.stones, title=f"{title}\n{graph} graph", legend=True, notes=game.warnings)


def _json(item: Shown | RecordError) -> dict[str, object] | RecordError:
    if isinstance(item, RecordError):
        return item
    from tengen.go.text import rows_of
    from tengen.protocols.answers import position_answer

    game, board = item
    return {
        **place(game),
        **position_answer(board),
        "board": rows_of(board.stones),
        "captures": {"black": board.captures.black, "white": board.captures.white},
        "warnings": list(game.warnings),
    }


def _text(game: Game, board: Board, *, colour: bool) -> str:
    taken = f"captures: Black {board.captures.black}, White {board.captures.white}"
    notes = (f"note: {printable(warning)}" for warning in game.warnings)
    return "\n".join([printable(_title(game, board)), board.text(colour=colour, legend=True), taken, *notes]) + "\n"
