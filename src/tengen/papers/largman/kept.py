"""Arrays kept in a folder, so that a stopped run resumes."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.go.files import write_atomically

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


def kept(folder: Path | None, name: str, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of a file of the folder, or make them and keep them there."""
    path = None if folder is None else folder / f"{name}.npz"
    if path is not None and path.exists():
        with np.load(path) as file:
            return dict(file)
    made = make()
    if path is not None:
        file = BytesIO()
        np.savez(file, **made)  # type: ignore[arg-type]
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, file.getvalue())
    return made
