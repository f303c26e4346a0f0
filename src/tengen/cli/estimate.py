"""`tengen estimate`: the expected owner of every point, at the end of a record or after N moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
    Workers,
    checked_format,
    each_answer,
    game_name,
    json_line,
    one_picture,
    place,
    wants_colour,
    write_each,
)
from tengen.errors import RecordError, printable

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.record import Game
    from tengen.go.rules import Rules
    from tengen.models.estimate import Estimate, ModelLike
    from tengen.models.evaluator import Answer
    from tengen.models.verdict import Reason

    Reasons = dict[str, list[Reason]]

FORMATS = ("text", "json", "svg")

ModelName = Annotated[
    str, typer.Option("--model", "-M", help="A model by name (`tengen models` lists them) or its file.")
]


@verb("estimate")
def estimate_command(
    paths: Paths,
    move: MoveNumber = None,
    model: ModelName = "default",
    rules: RulesName = None,
    komi: KomiValue = None,
    explain: Annotated[
        list[str] | None,
        typer.Option(help="A point whose owner is explained, such as C3; repeatable.", show_default=False),
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    workers: Workers = None,
    output: Output = None,
) -> None:
    """Estimate positions: the owner of every point, Black's lead with its error, and the winrate."""
    from tengen.go.rules import Rules
    from tengen.numbers import checked_komi

    checked_format(format, FORMATS)
    wanted_model(model)  # report a missing model before reading any game
    job = EstimateJob(
        format,
        model,
        move=move,
        rules=None if rules is None else Rules.parse(rules),
        komi=None if komi is None else checked_komi(komi),
        explain=tuple(explain or ()),
        colour=wants_colour(output),
    )
    failures = Failures("estimate", output)
    pieces = blank_between(each_answer(paths, failures, job, workers), format)
    write_each(output, one_picture(pieces) if format == "svg" else pieces)
    failures.leave()


def blank_between(items: Iterator[str | RecordError], format: str) -> Iterator[str]:
    """Yield the answers, with a blank line between texts; in JSON, failures have a line too."""
    first = True
    for item in items:
        if not isinstance(item, RecordError):
            yield item if first or format != "text" else f"\n{item}"
            first = False
        elif format == "json":
            yield json_line(item)


@dataclass(frozen=True)
class EstimateJob:
    """Settings and format of estimates; picklable for use in other processes."""

    format: str
    model: str
    move: int | None = None
    rules: Rules | None = None
    komi: float | None = None
    explain: tuple[str, ...] = ()
    colour: bool = False

    def __call__(self, game: Game) -> str:
        """Return the estimate of a game in the format."""
        from tengen.models.estimate import estimate

        board = game.board(self.move)
        found = estimate(board, model=wanted_model(self.model), rules=self.rules, komi=self.komi)
        if self.format == "json":
            from tengen.protocols.answers import estimate_answer

            return json_line({**place(game), **estimate_answer(board, found, game.warnings, self.explain)})
        reasons = {point: found.explain(point) for point in self.explain}
        if self.format == "svg":
            return _as_svg(game, board, found, reasons)
        return _as_text(game, board, found, reasons, colour=self.colour)


@cache
def wanted_model(name: str, *needed: Answer) -> ModelLike:
    """Return a model, loaded once for all games; one that does not give what is needed is an error.

    "default" is returned as it is, because it may depend on the board.
    """
    if name == "default":
        return name
    from tengen.models.estimate import evaluator_of
    from tengen.models.evaluator import require

    evaluator = evaluator_of(name)
    require(evaluator, *needed)
    return evaluator


def position_title(game: Game, board: Board) -> str:
    """Return a line that names the game, the number of the move and the player to move."""
    return f"{game_name(game)}, move {board.move_number}, {board.to_play} to play"


def _under(found: Estimate) -> str:
    return f"({found.rules}, komi {found.komi:g}; {found.model})"


def _as_text(game: Game, board: Board, found: Estimate, reasons: Reasons, *, colour: bool) -> str:
    drawing = board.text(ownership=found.ownership, colour=colour, legend=True)
    notes = (f"note: {printable(warning)}" for warning in (*game.warnings, *found.warnings))
    lines = [printable(position_title(game, board)), drawing, f"{found} {_under(found)}", *_sentences(reasons), *notes]
    return "\n".join(lines) + "\n"


def _as_svg(game: Game, board: Board, found: Estimate, reasons: Reasons) -> str:
    notes = [_under(found)[1:-1], *_sentences(reasons), *game.warnings, *found.warnings]
    title = f"{position_title(game, board)}\n{found}"
    return board.svg(ownership=found.ownership, title=title, legend=True, notes=notes)


def _sentences(reasons: Reasons) -> list[str]:
    return [reason.sentence for each in reasons.values() for reason in each]
