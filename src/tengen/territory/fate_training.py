"""Learning from labelled boards one by one, in epochs that can be stopped and resumed: for the models of Low (2008).

Start at `Training`. A learner is a network or a field with tables that grow as it learns; its state is a few arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import DataSet, DataSets
from tengen.errors import ModelError
from tengen.go.arrays import as_stones
from tengen.go.files import whole_file
from tengen.models.base import StoredModel
from tengen.models.protocol import Data, FloatArray, LabelledBoards, Progress
from tengen.models.state import canonical_json, settings

KEEP_EVERY = 500
"""Batches after which the state is written."""


class Trainable(Protocol):
    """What learns: one step for each board."""

    def learn(
        self,
        stones: npt.NDArray[np.int8],
        targets: npt.NDArray[np.float32],
        weights: npt.NDArray[np.float32],
        rate: float,
    ) -> FloatArray:
        """Learn boards one after the other; return their losses before the steps."""

    def parameters(self) -> Sequence[npt.NDArray[Any]]:
        """Return the arrays that make up its state."""

    @property
    def set_parameters(self) -> Callable[..., None]:
        """Take over such arrays, given one by one."""


L = TypeVar("L", bound=Trainable)


class Training(Generic[L]):
    """A learner that goes through data epoch by epoch; with a path its state is kept in a file, from which it resumes.

    `about` tells one fit from another.
    """

    def __init__(self, learner: L, path: Path | None = None, about: bytes = b"") -> None:
        self.learner, self.path, self.about = learner, path, np.frombuffer(about, np.uint8)
        self.epoch, self.place = 0, 0
        """The batches before this place of this epoch are learned."""
        self.positions = 0
        if path is not None and path.exists():
            self._resume(path)

    def learn(self, data: Data, rate: float, epochs: int, progress: Progress | None) -> L:
        """Learn until `epochs` are done; return the learner."""
        while self.epoch < epochs:
            self.learn_epoch(data, rate)
            if progress is not None:
                progress(self.epoch / epochs)
        if not self.positions:
            raise ModelError("there is no labelled position to learn from")
        return self.learner

    def learn_epoch(self, data: Data, rate: float) -> None:
        """Learn the rest of an epoch."""
        for number, batch in enumerate(_in_order(data, self.epoch)):
            if number < self.place:
                continue
            self.positions += _learn(self.learner, batch, rate)
            self.place += 1
            if self.place % KEEP_EVERY == 0:
                self._keep()
        self.epoch, self.place = self.epoch + 1, 0
        self._keep()

    def _keep(self) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            state = np.array([self.epoch, self.place, self.positions])
            with whole_file(self.path) as file:
                np.savez(file, *self.learner.parameters(), about=self.about, state=state)

    def _resume(self, path: Path) -> None:
        try:
            with np.load(path) as kept:
                same = np.array_equal(kept["about"], self.about)
                if same:
                    arrays = (kept[f"arr_{i}"] for i in range(len(self.learner.parameters())))
                    self.learner.set_parameters(*arrays)
                    self.epoch, self.place, self.positions = kept["state"].tolist()
        except (OSError, ValueError, TypeError, KeyError, BadZipFile):
            raise ModelError(f"{path} is not the state of a fit: delete it") from None
        if not same:
            raise another_fit(path.parent)


def another_fit(folder: Path) -> ModelError:
    """Return the error for a folder whose work files are not those of this fit."""
    return ModelError(f"{folder} holds work files of another fit: delete it, or name a new folder with --work")


def about(model: StoredModel, data: DataSet | DataSets) -> bytes:
    """Return what tells one fit from another: the settings and where the positions come from."""
    parts = [
        [part.store.shard_games, part.labels, part.size, part.split, part.finals, part.batch, part.seed, part.limit]
        for part in data.parts
    ]
    return canonical_json([model.name, settings(model), parts])


def _learn(learner: Trainable, batch: LabelledBoards, rate: float) -> int:
    """Learn the boards of a batch one by one; return their number."""
    targets = np.ascontiguousarray(batch.targets, np.float32)
    weights = np.asarray(batch.weights, np.float32)
    weights = np.broadcast_to(weights.reshape(*weights.shape, *(1,) * (3 - weights.ndim)), targets.shape)
    return len(learner.learn(as_stones(batch.boards), targets, np.ascontiguousarray(weights), rate))


def _in_order(data: Any, epoch: int) -> Iterable[Any]:
    """Return the data in a new order for each epoch, if it supports that."""
    shuffled = getattr(data, "epoch", None)
    batches: Iterable[Any] = shuffled(epoch) if shuffled is not None else data
    return batches
