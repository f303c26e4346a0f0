"""The common part of Low's network and random field, which learn board by board.

Start at `FateModel`. What learns is a network or a field (`Trainable` in fate_training.py): a subclass makes it in
`network`, with what the model has learned so far, and takes over what it learned in `take`.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from tengen.corpus.dataset import DataSet, DataSets
from tengen.errors import ModelError, not_fitted
from tengen.go.board import Board
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.state import settings
from tengen.numbers import checked_count, checked_number
from tengen.territory.fate_training import Training, about


class FateModel(OwnershipModel):
    """A model on the augmented common fate graph with numbers for each kind of node and edge.

    `sides` gives regions of Black's and White's influence labels of their own. The numbers of edges of a kind that was
    met fewer than `min_visits` times in learning are dropped.
    """

    sides: bool = True
    epochs: int = 1
    rate: float = 0.2
    min_visits: int = 100

    def __post_init__(self) -> None:
        checked_count(self.epochs, "epochs", least=1)
        checked_count(self.min_visits, "min_visits", 10**9)
        checked_number(self.rate, "rate", 0, 100, error=ModelError)

    def network(self) -> Any:
        """Return a new network with what the model has learned so far; it can learn without changing the model."""
        raise NotImplementedError

    def take(self, network: Any) -> Self:
        """Take over what a network has learned, rounded for the file."""
        raise NotImplementedError

    def facts(self, training: Training[Any]) -> dict[str, float]:
        """Return numbers for the card of a model that was just trained."""
        raise NotImplementedError

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point."""
        owners: FloatArray = self.fitted_network().evaluate(board.stones[None])[0]
        return owners

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards of one size."""
        stones = stacked_stones(boards)
        return self.fitted_network().evaluate(stones) if len(stones) else np.zeros(stones.shape)

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn from labelled boards, `epochs` times."""
        return self.take(Training(self._begun()).learn(data, self.rate, self.epochs, progress))

    def fit_corpus(
        self,
        data: DataSet | DataSets,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Learn from a corpus with one thread; a stopped fit resumes from the folder `work`."""
        if scheduler is not None:
            raise ModelError(f"{self.name} learns on one machine: leave out the scheduler")
        training = Training(self._begun(), work / f"{self.name.partition('/')[2]}.npz", about(self, data))
        self.take(training.learn(data, self.rate, self.epochs, progress))
        return self.facts(training)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        try:
            model.network()
        except (TypeError, ValueError, AttributeError) as problem:
            raise ModelError(f"{path}: the arrays are not those of {cls.name}: {problem}") from None
        return model

    def fitted_network(self) -> Any:
        """Return the network of the model, created on first use."""
        made = getattr(self, "_made", None)
        if made is None:
            if not hasattr(self, "keys_"):
                raise not_fitted(self.name)
            self._made = made = self.network()
        return made

    def _begun(self) -> Any:
        """Return a network that has learned nothing."""
        return type(self)(**settings(self)).network()
