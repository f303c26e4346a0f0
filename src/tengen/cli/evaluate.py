"""`tengen evaluate`: how right it is, on positions whose truth is known."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import checked_format
from tengen.errors import TengenError

FORMATS = ("text", "json")


@verb("evaluate")
def evaluate_command(
    names: Annotated[list[str], typer.Argument(help="What to evaluate: judge.", show_default=False)],
    on: Annotated[Path, typer.Option(help="Marked finals (.jsonl) or games with labels.", show_default=False)],
    labels: Annotated[
        Path | None, typer.Option(help="Label files of the games: the path up to .meta.tsv.gz.", show_default=False)
    ] = None,
    every: Annotated[int, typer.Option(help="Take every n-th final only.", min=1)] = 1,
    fit: Annotated[bool, typer.Option(help="Also fit the curve from playouts to probability.")] = False,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Judge finished positions whose dead stones are known, and count the errors."""
    from tengen.benchmarks.finals import read_finals
    from tengen.benchmarks.judge import as_text, evaluate_judge, fit_survival

    checked_format(format, FORMATS)
    if names != ["judge"]:
        raise TengenError(f"{' '.join(names)!r} cannot be evaluated yet: choose judge")
    report = evaluate_judge(islice(read_finals(on, labels), 0, None, every))
    if not report.chains:
        raise TengenError(f"{on}: no final position with known owners")
    row: dict[str, Any] = report.row(on.name)
    if fit:
        row["curve"] = [round(value, 3) for value in fit_survival(islice(read_finals(on, labels), 0, None, every))]
    if format == "json":
        print(json.dumps({key: value._asdict() if hasattr(value, "_asdict") else value for key, value in row.items()}))
        return
    for key, value in row.items():
        print(f"{key.replace('_', ' '):<30}{as_text(value)}")
