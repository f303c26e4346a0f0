"""Types of training data. Start at `Data`: batches of labelled positions, such as the data sets of tengen.corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.go.positions import Positions

Exactness: TypeAlias = Literal["exact", "rounding", "sampled"]
"""How strictly symmetry, batch and reload agree: to 1e-12, to 1e-5, or within four standard errors."""

FloatArray: TypeAlias = npt.NDArray[np.float64]

Progress: TypeAlias = Callable[[float], None]
"""Callback for the share of the work done, from 0 to 1."""


class LabelledBoards(Protocol):
    """Boards of one size with the owner of each point: the training data of ownership models."""

    @property
    def boards(self) -> npt.NDArray[np.int8]:
        """Stones [n, row, column]: 1 Black, −1 White, 0 empty."""

    @property
    def targets(self) -> npt.NDArray[np.floating[Any]]:
        """The owner of each point [n, row, column] in [−1, 1]; NaN where there is no label."""

    @property
    def weights(self) -> npt.NDArray[np.floating[Any]]:
        """Weights of boards [n] or of points [n, row, column]."""


class Batch(LabelledBoards, Protocol):
    """Full positions with all labels of a teacher; NaN where there is no label."""

    @property
    def positions(self) -> Positions:
        """Stones, players to move, ko, last moves, captures, komi and rules."""

    @property
    def policies(self) -> npt.NDArray[np.floating[Any]]:
        """The probability of each move of the player to move [n, points + 1], pass last."""

    @property
    def winrates(self) -> npt.NDArray[np.floating[Any]]:
        """The probability that Black wins [n]."""

    @property
    def leads(self) -> npt.NDArray[np.floating[Any]]:
        """Points Black is ahead [n], komi included."""


Data: TypeAlias = Iterable[Batch]
"""A stream of batches; board sizes may differ between batches."""
