"""`tengen models`: lists the models."""

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
    """List the models by name: what each gives, a description, and whether it ships fitted."""
    from tengen.models.registry import DEFAULT, listing

    checked_format(format, FORMATS)
    known = listing()
    width, room = max(map(len, known)), max(len(", ".join(entry.gives)) for entry in known.values())
    with output_file(output) as file:
        for name, entry in known.items():
            default, gives = name == DEFAULT, ", ".join(entry.gives)
            row = {"schema": 1, "model": name, "gives": entry.gives, "fitted": entry.fitted, "about": entry.about}
            note = " (the default)" if default else "" if entry.fitted else " (to be fitted first)"
            said = f"{name:<{width}}  {gives:<{room}}  {entry.about}{note}"
            text = said if format == "text" else json.dumps(row | {"default": default}, ensure_ascii=False)
            file.write(f"{text}\n")
