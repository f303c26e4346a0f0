"""What a model is: any object with these names. Nothing has to be inherited; tengen.models.base saves typing.

Start at `OwnershipModel`. Hyper-parameters are keyword arguments of the constructor, stored under their own names as
given; what is learned is kept in numpy arrays whose names end in an underscore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board
from tengen.go.points import PointLike
from tengen.models.verdict import Reason

Exactness: TypeAlias = Literal["exact", "rounding", "sampled"]
"""How strictly symmetry, batch and reload agree: to 1e-12, to 1e-5, or within four standard errors."""

FloatArray: TypeAlias = npt.NDArray[np.float64]

Boards: TypeAlias = Sequence[Board] | npt.NDArray[np.int8]
"""Boards of one size: a sequence of them, or their stones as an array [n, row, column]."""

Progress: TypeAlias = Callable[[float], None]
"""Is told now and then which share of the work is done, from 0 to 1."""


class Batch(Protocol):
    """Some boards of one size and what a model should say of them."""

    @property
    def boards(self) -> npt.NDArray[np.int8]:
        """Stones [n, row, column]: 1 Black, −1 White, 0 empty."""

    @property
    def targets(self) -> npt.NDArray[np.floating[Any]]:
        """The owner of each point [n, row, column] in [−1, 1]; NaN where nobody has said."""

    @property
    def weights(self) -> npt.NDArray[np.floating[Any]]:
        """How much each board counts: [n], or [n, row, column] for each point."""


Data: TypeAlias = Iterable[Batch]
"""What models learn from: batches, streamed; batches may differ in the size of their boards."""


class Model(Protocol):
    """What every model has, whatever it answers."""

    name: str
    """Its name in the registry, such as "territory/naive"."""
    exactness: Exactness
    """How strictly its answers repeat; a sampled model also has `n`, the number of its samples."""

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn from data and return the model itself."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file."""

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from its file."""


class OwnershipModel(Model, Protocol):
    """A model of who owns what."""

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point [row, column], from −1 (White) to 1 (Black)."""

    def ownership_many(self, boards: Boards) -> FloatArray:
        """Return the same for many boards of one size, stacked [n, row, column]: the fast path."""

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Say why a point is whose it is; at least one reason."""


class MoveModel(Model, Protocol):
    """A model of the next move."""

    def probabilities(self, board: Board) -> FloatArray:
        """Return the probability of each point row by row, and last of a pass; they sum to 1."""

    def probabilities_many(self, boards: Sequence[Board]) -> FloatArray:
        """Return the same for many boards of one size, stacked."""

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Say why a move is as likely as it is; at least one reason."""


class ValueModel(Model, Protocol):
    """A model of who wins."""

    def winrate(self, board: Board) -> float:
        """Return the probability that Black wins."""

    def winrate_many(self, boards: Sequence[Board]) -> FloatArray:
        """Return the same for many boards."""

    def explain(self, board: Board) -> list[Reason]:
        """Say why; at least one reason."""


@dataclass(frozen=True)
class Sample:
    """What a model that plays games to the end saw of one board."""

    ownership: FloatArray
    """The mean owner of each point [row, column]."""
    leads: npt.NDArray[Any]
    """Black's area minus White's at the end of each game, without komi."""


@runtime_checkable
class Sampler(Protocol):
    """A model that knows how leads are spread, because it plays games to the end."""

    def sample(self, board: Board) -> Sample:
        """Play from a board and say how the games ended."""
