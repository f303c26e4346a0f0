"""`tengen score`: counts finished games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

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
    json_line,
    one_picture,
    wants_colour,
    write_each,
)
from tengen.errors import RecordError, TengenError
from tengen.plain import notice

if TYPE_CHECKING:
    from tengen.cli.report import ScoredFile, Summary
    from tengen.go.rules import FalseEyes

FORMATS = ("text", "json", "sgf", "svg", "csv", "html")


@verb("score")
def score_command(
    paths: Paths,
    move: MoveNumber = None,
    rules: RulesName = None,
    komi: KomiValue = None,
    dead: Annotated[
        str | None, typer.Option(help="Dead stones, such as D4,Q16, instead of the model's verdicts.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-M", help="Name or file of the model that judges; it must give ownership.")
    ] = "default",
    captures: Annotated[str | None, typer.Option(help="Stones captured by Black and by White, such as 12,7.")] = None,
    false_eyes: Annotated[
        str,
        typer.Option(
            help="Whether territory rules count false eyes: counted, uncounted, or auto (as the record's server does)."
        ),
    ] = "auto",
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    workers: Workers = None,
    output: Output = None,
) -> None:
    """Score finished games: the owner of every point, the dead stones, and the result."""
    from tengen.cli import report
    from tengen.go.rules import Rules
    from tengen.judge.verdicts import judge_of
    from tengen.numbers import checked_komi

    checked_format(format, FORMATS)
    judge_of(model)  # report an unsuitable model before reading any game
    job = report.ScoreJob(
        format,
        move=move,
        rules=None if rules is None else Rules.parse(rules),
        komi=None if komi is None else checked_komi(komi),
        dead=None if dead is None else dead.replace(",", " ").split(),
        captures=None if captures is None else _pair(captures),
        false_eyes=_false_eyes(false_eyes),
        model=model,
        colour=wants_colour(output),
    )
    failures = Failures("score", output)
    items = each_answer(paths, failures, job, workers)
    if format == "html":
        from tengen.cli.page import write_page

        summary = write_page(items, output)
    else:
        summary = _write(items, format, output)
    if summary.total > 1 and format != "text":
        notice(f"tengen score: {summary}")
    failures.leave()


def _write(items: Iterator[ScoredFile | RecordError], format: str, output: Path | None) -> Summary:
    from tengen.cli import report

    summary = report.Summary()
    pieces = _pieces(items, format, summary)
    head = report.csv_line(report.CSV_COLUMNS) if format == "csv" else ""
    write_each(output, one_picture(pieces, ", or use --format html") if format == "svg" else pieces, head)
    return summary


def _pieces(items: Iterator[ScoredFile | RecordError], format: str, summary: Summary) -> Iterator[str]:
    """Yield the text of every answer; tables and JSON have a line for each failure, and text ends with the summary."""
    from tengen.cli import report

    for item in items:
        before = "\n" if format == "text" and summary.games else ""
        summary.add(item)
        if not isinstance(item, RecordError):
            yield before + item.text
        elif format == "json":
            yield json_line(item)
        elif format == "csv":
            yield report.as_csv(item)
    if format == "text" and summary.total > 1:
        yield f"\n{summary}\n"


def _false_eyes(text: str) -> FalseEyes | None:
    if text == "auto":
        return None
    if text not in ("counted", "uncounted"):
        raise TengenError(f"--false-eyes is counted, uncounted or auto, not {text!r}")
    return cast("FalseEyes", text)


def _pair(text: str) -> tuple[int, int]:
    try:
        black, white = (int(part) for part in text.replace(":", ",").split(","))
    except ValueError:
        raise TengenError(f"captures are written as two numbers, such as 12,7, not {text!r}") from None
    if min(black, white) < 0:
        raise TengenError("captures cannot be negative")
    return black, white
