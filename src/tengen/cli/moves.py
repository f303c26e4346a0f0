"""`tengen moves`: the moves a strong player would choose, with reasons, at the end of a record or after N moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.estimate import ModelName, blank_between, position_title, wanted_model
from tengen.cli.games import (
    Failures,
    KomiValue,
    MoveNumber,
    Output,
    Paths,
    RulesName,
    Workers,
    checked_format,
    each_answer,
    json_line,
    one_picture,
    place,
    wants_colour,
    write_each,
)
from tengen.errors import printable

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.record import Game
    from tengen.go.rules import Rules
    from tengen.models.suggestion import Suggestion, Suggestions

FORMATS = ("text", "json", "svg")


@verb("moves")
def moves_command(
    paths: Paths,
    move: MoveNumber = None,
    model: ModelName = "default",
    rules: RulesName = None,
    komi: KomiValue = None,
    top: Annotated[int, typer.Option(help="The number of moves to list.", min=1, max=1000)] = 10,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    workers: Workers = None,
    output: Output = None,
) -> None:
    """Suggest the next move: the likeliest choices of a strong player, with probabilities and reasons."""
    from tengen.go.rules import Rules
    from tengen.numbers import checked_komi

    checked_format(format, FORMATS)
    wanted_model(model, "policy")  # report a missing model before reading any game
    job = MovesJob(
        format,
        model,
        top,
        move,
        rules=None if rules is None else Rules.parse(rules),
        komi=None if komi is None else checked_komi(komi),
        colour=wants_colour(output),
    )
    failures = Failures("moves", output)
    pieces = blank_between(each_answer(paths, failures, job, workers), format)
    write_each(output, one_picture(pieces) if format == "svg" else pieces)
    failures.leave()


@dataclass(frozen=True)
class MovesJob:
    """Settings and format of suggestions; picklable for use in other processes."""

    format: str
    model: str
    top: int
    move: int | None = None
    rules: Rules | None = None
    komi: float | None = None
    colour: bool = False
    """Whether a text board is drawn in colour."""

    def __call__(self, game: Game) -> str:
        """Return the suggested moves of a game in the format."""
        from tengen.models.suggestion import suggest

        board = game.board(self.move).with_rules(self.rules, self.komi)
        found = suggest(board, model=wanted_model(self.model, "policy"), top=self.top)
        if self.format == "json":
            return _as_json(game, board, found)
        if self.format == "svg":
            return _as_svg(game, board, found)
        return _as_text(game, board, found, colour=self.colour)


def _as_json(game: Game, board: Board, found: Suggestions) -> str:
    from tengen.protocols.answers import moves_answer

    return json_line({**place(game), **moves_answer(board, found, game.warnings)})


def _as_text(game: Game, board: Board, found: Suggestions, *, colour: bool) -> str:
    lines = [f"{number:>3}  {each.move:<4} {_words(each)}" for number, each in enumerate(found, 1)]
    notes = [f"note: {printable(warning)}" for warning in game.warnings]
    drawing = board.text(colour=colour)
    return "\n".join([printable(position_title(game, board)), drawing, *lines, f"({found[0].model})", *notes]) + "\n"


def _as_svg(game: Game, board: Board, found: Suggestions) -> str:
    return found.svg(title=position_title(game, board), notes=[found[0].model, *game.warnings])


def _words(each: Suggestion) -> str:
    """Return the probability and the reasons of a move."""
    from tengen.models.verdict import percent

    return f"{percent(each.probability):>5}  {'; '.join(reason.sentence for reason in each.reasons)}".rstrip()
