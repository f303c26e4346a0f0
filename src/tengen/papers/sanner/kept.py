"""Slow answers and fitted fields kept in the work folder, so that a stopped run does not compute them again.

A file is named by a hash of the model's settings and learned arrays and of the positions: if anything changes, it is
another file. Training is deterministic, so that a second run finds the files of the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch
from tengen.models.state import content_hash, learned, settings
from tengen.papers import kept as files


def kept(
    folder: Path | None, model: Any, positions: npt.NDArray[Any], what: str, compute: Callable[[], npt.NDArray[Any]]
) -> npt.NDArray[Any]:
    """Return an array from its file in the folder, or compute and write it; without a folder only compute it."""
    if folder is None:
        return compute()
    return files.kept(folder, _name(what, model, positions), lambda: {what: compute()})[what]


def kept_fit(folder: Path, model: Any, boards: Batch) -> float:
    """Fit a model to labelled boards, or give it what it learned from them earlier; return the CPU seconds."""

    def fit() -> files.Arrays:
        start = time.process_time()
        model.fit([boards])
        return {**learned(model), "seconds": np.array(time.process_time() - start)}

    found = files.kept(folder, _name("field", model, boards.boards, boards.targets), fit)
    seconds = float(found.pop("seconds"))
    for name, array in found.items():
        setattr(model, name, array)
    return seconds


def _name(what: str, model: Any, *given: npt.NDArray[Any]) -> str:
    digest = blake2b(f"{what} {model_key(model)}".encode(), digest_size=12)
    for array in given:
        digest.update(np.ascontiguousarray(array).tobytes())
    return f"{what}-{digest.hexdigest()}"


def model_key(model: Any) -> str:
    """Return a hash of a model, which may have another model among its settings."""
    plain = {key: model_key(value) if hasattr(value, "evaluate") else value for key, value in settings(model).items()}
    return content_hash(model.name, model.version, plain, learned(model))
