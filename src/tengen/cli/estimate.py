"""`tengen estimate`: who will own what, at the end of a record or after some moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tengen.cli.app import verb
from tengen.cli.games import (
    Failures,
    KomiValue,
    MoveNumber,
    Output,
    Paths,
    RulesName,
    answers,
    checked_format,
    each_answer,
    json_line,
    one_picture,
    output_file,
    place,
    wants_colour,
)
from tengen.errors import RecordError, printable

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.record import Game
    from tengen.models.estimate import Estimate

FORMATS = ("text", "json", "svg")

ModelName = Annotated[
    str, typer.Option("--model", "-M", help="A model by name (`tengen models` lists them) or its file.")
]


@dataclass(frozen=True)
class Estimated:
    """A game, the position that was estimated, and the estimate."""

    game: Game
    board: Board
    estimate: Estimate


Item: TypeAlias = Estimated | RecordError


@verb("estimate")
def estimate_command(
    paths: Paths,
    move: MoveNumber = None,
    model: ModelName = "default",
    rules: RulesName = None,
    komi: KomiValue = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    output: Output = None,
) -> None:
    """Estimate positions: who will own what, how far Black is ahead, and how sure that is."""
    from tengen.go.rules import Rules
    from tengen.models.estimate import estimate
    from tengen.models.registry import load
    from tengen.numbers import checked_komi

    checked_format(format, FORMATS)
    options: dict[str, Any] = {
        "model": load(model),
        "rules": None if rules is None else Rules.parse(rules),
        "komi": None if komi is None else checked_komi(komi),
    }
    failures = Failures("estimate", output)
    write: Callable[[Iterator[Item]], Iterator[str]] = {
        "text": lambda items: _as_text(items, colour=wants_colour(output)),
        "json": lambda items: (json_line(_json(item)) for item in items),
        "svg": _as_svg,
    }[format]

    def estimated(game: Game) -> Estimated:
        board = game.board(move)
        return Estimated(game, board, estimate(board, **options))

    with output_file(output) as file:
        for piece in write(each_answer(paths, failures, estimated)):
            file.write(piece)
    failures.leave()


def _json(item: Item) -> dict[str, object] | RecordError:
    if isinstance(item, RecordError):
        return item
    board, found = item.board, item.estimate
    return {
        **place(item.game),
        "move": board.move_number,
        "size": board.size,
        "to_play": board.to_play,
        "model": found.model,
        "ownership": (found.ownership.round(4) + 0.0).tolist(),  # + 0.0: no negative zeros
        "lead": round(found.lead, 4),
        "lead_sd": round(found.lead_sd, 4),
        "winrate": round(found.winrate, 4),
    }


def _as_text(items: Iterator[Item], *, colour: bool) -> Iterator[str]:
    for number, item in enumerate(answers(items)):
        board, found = item.board, item.estimate
        yield "\n" if number else ""
        yield f"{printable(item.game.file or 'game')}, move {board.move_number}, {board.to_play} to play\n"
        yield board.text(ownership=found.ownership, colour=colour) + "\n"
        yield f"{found} ({found.rules}, komi {found.komi:g}; {found.model})\n"


def _as_svg(items: Iterator[Item]) -> Iterator[str]:
    return one_picture(
        item.board.svg(ownership=item.estimate.ownership, title=str(item.estimate)) + "\n" for item in answers(items)
    )
