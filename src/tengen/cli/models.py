"""`tengen models`: what can be asked for by name."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import Output, checked_format, output_file

FORMATS = ("text", "json")


@verb("models")
def models_command(
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    output: Output = None,
) -> None:
    """List the models by name, with what each of them is."""
    from tengen.models.registry import DEFAULT, listing

    checked_format(format, FORMATS)
    known = listing()
    width = max(map(len, known))
    with output_file(output) as file:
        for name, about in known.items():
            row = {"schema": 1, "model": name, "about": about, "default": name == DEFAULT}
            said = f"{name:<{width}}  {about}" + (" (the default)" if name == DEFAULT else "")
            file.write((said if format == "text" else json.dumps(row, ensure_ascii=False)) + "\n")
