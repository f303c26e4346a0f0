"""A base for models: everything that follows from hyper-parameters and learned arrays is done here once.

Start at `TerritoryModel`: a model of ownership needs a name and `ownership`, and has the rest from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.go.arrays import as_stones
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.models.files import Card, read_model, write_model
from tengen.models.protocol import Boards, Data, Exactness, FloatArray, Progress
from tengen.models.state import Arrays, identity, learned, settings
from tengen.models.verdict import Reason
from tengen.numbers import checked_number


class StoredModel:
    """A model that can be saved and loaded: hyper-parameters are keyword arguments, learned arrays end in `_`."""

    name: str = ""
    exactness: Exactness = "exact"
    version: int = 1
    """Raised when the algorithm changes so that the same numbers give other answers."""
    asks_another_program: bool = False
    """Whether the answers come from another program, which need not keep symmetry and cannot be saved."""
    finished_only: bool = False
    """Whether the model is made for finished boards; an estimate of an open board by it carries a warning."""

    def __new__(cls, **values: Any) -> Self:
        """Refuse hyper-parameters that are no finite numbers; `__init__` does the rest."""
        for name, value in values.items():
            if isinstance(value, (float, np.floating)):
                checked_number(value, f"{cls.name or cls.__name__}: {name}", error=ModelError)
        if values and cls.__init__ is object.__init__:
            raise TypeError(f"{cls.__name__} takes no hyper-parameters")
        return super().__new__(cls)

    @property
    def identity(self) -> str:
        """The model as estimates name it: name@hash."""
        return identity(self)

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Return the model as it is: there is nothing to learn."""
        return self

    def save(
        self,
        path: str | PathLike[str],
        *,
        sources: Iterable[str] = (),
        metrics: dict[str, float] | None = None,
        command: str = "",
    ) -> None:
        """Write the model with its card: where its data came from, how good it is, what command made it."""
        card = Card(self.name, settings(self), self.version, list(sources), dict(metrics or {}), command)
        write_model(path, card, learned(self))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        card, arrays = read_model(path)
        if (card.name, card.version) != (cls.name, cls.version):
            raise ModelError(f"{path}: holds {card.name} version {card.version}, not {cls.name} version {cls.version}")
        model = cls._made_with(card.settings, path)
        for key, array in arrays.items():
            if hasattr(cls, key):
                raise ModelError(f"{path}: {key!r} is not a learned array of {cls.name}")
            setattr(model, key, array)
        return model

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what a file would hold, hyper-parameters and learned arrays; everything else is made from them."""
        return _restored, (type(self), settings(self), learned(self))

    @classmethod
    def _made_with(cls, values: dict[str, Any], path: str | PathLike[str]) -> Self:
        try:
            return cls(**values)
        except TypeError:
            raise ModelError(f"{path}: {cls.name} has no such hyper-parameters: {', '.join(values)}") from None

    def __repr__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in settings(self).items())
        return f"{type(self).__name__}({given})"


def _restored(cls: type[StoredModel], values: dict[str, Any], arrays: Arrays) -> StoredModel:
    """Return the model that was pickled."""
    model = cls(**values)
    for key, array in arrays.items():
        setattr(model, key, array)
    return model


class TerritoryModel(StoredModel):
    """A model of ownership that has to say `ownership`; a faster `ownership_many`, a better `explain` are welcome."""

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point [row, column], from −1 (White) to 1 (Black)."""
        raise NotImplementedError

    def ownership_many(self, boards: Boards) -> FloatArray:
        """Return the ownership of many boards of one size, stacked [n, row, column]."""
        stones = stacked_stones(boards)
        if not len(stones):
            return np.zeros(stones.shape)
        return np.stack([self.ownership(as_board(board)) for board in boards])

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Say whose a point is and how surely."""
        row, column = as_point(point, board.width, board.height)
        return [ownership_reason(float(self.ownership(board)[row, column]), point_name(row, column, board.height))]


def ownership_reason(share: float, name: str) -> Reason:
    """Put an ownership into words."""
    if abs(share) < 0.005:
        return Reason("ownership", (name,), f"{name} is as likely to be Black's as White's.")
    owner = "Black" if share > 0 else "White"
    return Reason("ownership", (name,), f"{name} is {owner}'s with an ownership of {abs(share):.2f} out of 1.")


def as_board(board: Board | npt.NDArray[np.int8]) -> Board:
    """Return a board for a board or its stones."""
    return board if isinstance(board, Board) else Board.from_stones(board)


def stacked_stones(boards: Boards) -> npt.NDArray[np.int8]:
    """Return the stones of boards of one size as an array [n, row, column]."""
    if isinstance(boards, np.ndarray) and boards.ndim == 3:
        return as_stones(boards)
    stones = [board.stones if isinstance(board, Board) else as_stones(board) for board in boards]
    if len({array.shape for array in stones}) > 1:
        raise ModelError("many boards at once must have one size: sort them by size first")
    return np.stack(stones) if stones else np.zeros((0, 0, 0), np.int8)
