"""Results kept in a folder, so that a stopped run resumes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tengen.go.files import write_atomically


def kept_json(folder: Path | None, name: str, make: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the numbers of a file of the folder, or make them and keep them there."""
    path = None if folder is None else folder / name
    if path is not None and path.exists():
        found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
        return found
    made = make()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(made).encode())
    return made
