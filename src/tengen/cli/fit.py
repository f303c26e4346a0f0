"""`tengen fit`: let a model learn from a corpus."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.cli.app import verb
from tengen.cli.games import checked_format, progress_bar
from tengen.errors import TengenError


@verb("fit")
def fit_command(
    model: Annotated[str, typer.Argument(help="A model such as territory/bma.", show_default=False)],
    corpus: Annotated[Path, typer.Option(help="The corpus to learn from.", show_default=False)],
    labels: Annotated[str, typer.Option(help="Its labels (tengen corpus stats lists them).", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)],
    size: Annotated[int, typer.Option(help="Board size.")] = 19,
    split: Annotated[str, typer.Option(help="train, valid, test or all.")] = "train",
    limit: Annotated[
        int | None, typer.Option(help="Learn from the first so many games only.", min=1, show_default=False)
    ] = None,
    finals: Annotated[bool, typer.Option("--finals", help="Learn from last positions only.")] = False,
    set: Annotated[
        list[str] | None,
        typer.Option(help="A setting of the model: templates=10; repeatable.", show_default=False),
    ] = None,
    work: Annotated[
        Path | None, typer.Option(help="Keep the counts here for other fits (default: removed).", show_default=False)
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes (default: one a core).", min=1, show_default=False)
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, tcp://…, on a trusted network.", show_default=False)
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
) -> None:
    """Fit a model to a corpus and write its file; a stopped job goes on where it was."""
    from tengen.corpus.dataset import DataSet
    from tengen.corpus.store import Store
    from tengen.territory.fitting import fit_model

    checked_format(format, ("text", "json"))
    chosen: Any = None if split == "all" else split
    learner = _made(model, set or [])
    data = DataSet(Store(corpus), labels, size=size, split=chosen, limit=limit, finals=finals or None)
    command = " ".join(["tengen", *sys.argv[1:]])
    with progress_bar("fitting") as show:
        metrics = fit_model(
            learner, data, output, command=command, work=work, workers=workers, scheduler=scheduler, progress=show
        )
    facts = {"model": learner.identity, "file": str(output), **metrics}
    if format == "json":
        print(json.dumps(facts))
        return
    for key, value in facts.items():
        print(f"{key.replace('_', ' '):<16}{value:,.10g}" if isinstance(value, float) else f"{key:<16}{value}")


def _made(name: str, given: list[str]) -> Any:
    """Return a model with some hyper-parameters, each read as JSON where it is that, otherwise as text."""
    from tengen.models.registry import find

    settings = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise TengenError(f"a setting is written NAME=VALUE, not {text!r}")
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
    try:
        return find(name).model_class()(**settings)
    except TypeError:
        raise TengenError(f"{name} has no such settings: {', '.join(settings)}") from None
