"""Results kept in a folder, so that a stopped run resumes: `kept` keeps arrays, `kept_json` numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.go.files import write_atomically

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


def kept(folder: Path | None, name: str, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of the file NAME.npz of the folder, or make them and keep them there."""
    path = None if folder is None else folder / f"{name}.npz"
    if path is not None and path.exists():
        with np.load(path) as file:
            return dict(file)
    made: Any = make()
    if path is not None:
        written = BytesIO()
        np.savez(written, **made)
        _write(path, written.getvalue())
    arrays: Arrays = made
    return arrays


def kept_json(folder: Path | None, name: str, make: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the numbers of a file of the folder, or make them and keep them there."""
    path = None if folder is None else folder / name
    if path is not None and path.exists():
        found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
        return found
    made = make()
    if path is not None:
        _write(path, json.dumps(made).encode())
    return made


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)
