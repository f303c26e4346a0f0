"""Base classes of models, which provide everything that follows from hyper-parameters and learned arrays.

A subclass of `OwnershipModel` needs only a name and the method `ownership`; `MoveModel` needs `probabilities` and
`ValueModel` needs `winrate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, dataclass_transform

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import Positions, PositionsLike, as_positions
from tengen.models.calibration import Calibration
from tengen.models.evaluator import Answer, Evaluations
from tengen.models.files import Card, read_model, write_model
from tengen.models.protocol import Data, Exactness, FloatArray, Progress
from tengen.models.state import Arrays, identity, learned, settings
from tengen.models.verdict import Reason, ownership_reason
from tengen.numbers import checked_number

if TYPE_CHECKING:
    from tengen.corpus.dataset import DataSet, DataSets


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
class StoredModel:
    """A model that can be saved and loaded.

    Hyper-parameters are annotated fields with a default, such as `epochs: int = 2`, and keyword arguments of the
    constructor; one with the default True or False takes only these. Learned arrays are attributes whose names end in
    an underscore.
    """

    name: str = ""
    gives: frozenset[Answer] = frozenset()
    """The answers in its evaluations."""
    exactness: Exactness = "exact"
    version: int = 1
    """Version of the algorithm, raised when the same parameters give different answers."""
    asks_another_program: bool = False
    """Whether another program gives the answers; such a model may break symmetry and cannot be saved."""
    learns_from: Literal["labels", "plays"] = "labels"
    """The data of `fit_corpus`: labelled positions (DataSets), or the moves played in games (PlaySets)."""
    sizes: tuple[int, ...] = (19,)
    """The board sizes that `tengen fit` learns from by default, as far as the corpus has them."""
    finished_only: bool = False
    """Whether the model is made for finished boards; its estimates of open boards carry a warning."""

    def __init_subclass__(cls) -> None:
        """Make the annotated fields of a class its keyword arguments, as a dataclass does."""
        if "__init__" in cls.__dict__:
            raise TypeError(
                f"{cls.__name__}: write hyper-parameters as fields (epochs: int = 2), checks in __post_init__"
            )
        dataclass(kw_only=True, eq=False, repr=False)(cls)

    def __new__(cls, **values: Any) -> Self:
        """Refuse numbers that are not finite, and switches that are not bool; `__post_init__` may check more."""
        switches = {each.name for each in fields(cls) if isinstance(each.default, bool)} if is_dataclass(cls) else ()
        for name, value in values.items():
            what = f"{cls.name or cls.__name__}: {name}"
            if isinstance(value, (float, np.floating)):
                checked_number(value, what, error=ModelError)
            if name in switches and not isinstance(value, bool):
                raise ModelError(f"{what} is true or false, not {value!r}")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the hyper-parameters further, or set defaults that depend on them; here nothing."""

    @property
    def identity(self) -> str:
        """The model as name@hash."""
        return identity(self)

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Return the model unchanged: there is nothing to learn."""
        return self

    def fit_corpus(
        self,
        data: DataSet | DataSets,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Learn from a corpus; return numbers for the model card, such as the size. By default calls `fit`.

        A model that learns shard by shard may use several processes and keep files in the folder `work`, from which a
        stopped job resumes.
        """
        self.fit(data, progress=progress)
        return {}

    def save(
        self,
        path: str | PathLike[str],
        *,
        sources: Iterable[str] = (),
        metrics: dict[str, float] | None = None,
        command: str = "",
    ) -> None:
        """Write the model with its card: data sources, metrics and the command that made it."""
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
        """Pickle hyper-parameters and learned arrays only, as in a model file."""
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
    model = cls(**values)
    for key, array in arrays.items():
        setattr(model, key, array)
    return model


class OwnershipModel(StoredModel):
    """A model of ownership: implement `ownership`; override `ownership_many` and `explain` where useful."""

    gives = frozenset({"ownership"})

    calibration_: FloatArray = field(init=False)
    """How it turns ownership into leads and winrates (tengen.models.calibration), if that has been fitted."""

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point [row, column], from −1 (White) to 1 (Black)."""
        raise NotImplementedError

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the ownership of boards of one size [n, row, column]; override it for a faster batch."""
        positions = as_positions(boards)
        if not len(positions):
            return np.zeros(positions.stones.shape)
        return np.stack([self.ownership(board) for board in positions.boards()])

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return the ownership of each position, and its lead and winrate if the model has a calibration of these."""
        asked = as_positions(positions)
        said = Evaluations(ownership=self.ownership_many(asked))
        calibration = Calibration.of(self)
        return said if calibration is None else calibration.apply(said, asked)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        try:
            Calibration.of(model)
        except ModelError as problem:
            raise ModelError(f"{path}: {problem}") from None
        return model

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return reasons for the owner of a point; by default only its ownership."""
        row, column = as_point(point, board.width, board.height)
        return [ownership_reason(float(self.ownership(board)[row, column]), point_name(row, column, board.height))]


class MoveModel(StoredModel):
    """A model of the next move: implement `probabilities`, and `explain_move` if it has reasons."""

    gives = frozenset({"policy"})

    def probabilities(self, board: Board) -> FloatArray:
        """Return the probability of each move of the player to move: all points, then the pass; the sum is 1."""
        raise NotImplementedError

    def probabilities_many(self, positions: Positions) -> FloatArray:
        """Return the probabilities for positions with known turns [n, points + 1]; override it for a faster batch."""
        if not len(positions):
            return np.zeros((0, positions.points + 1))
        return np.stack([self.probabilities(board) for board in positions.boards()])

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return the move probabilities of each position."""
        return Evaluations(policy=for_each_turn(self.probabilities_many, as_positions(positions)))

    def explain_move(self, board: Board, move: str) -> list[Reason]:
        """Return why the player to move may choose a move, a point such as "Q16" or "pass": by default nothing."""
        return []

    def explain_moves(self, board: Board, moves: Sequence[str]) -> list[list[Reason]]:
        """Return the reasons for several moves of one position; override it where they have work in common."""
        return [self.explain_move(board, move) for move in moves]


class ValueModel(StoredModel):
    """A model of the winner: implement `winrate`."""

    gives = frozenset({"winrate"})

    def winrate(self, board: Board) -> float:
        """Return the probability that Black wins."""
        raise NotImplementedError

    def winrate_many(self, positions: Positions) -> FloatArray:
        """Return the winrates for positions with known turns; override it for a faster batch."""
        return np.array([self.winrate(board) for board in positions.boards()], np.float64)

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return Black's winrate in each position."""
        return Evaluations(winrate=for_each_turn(self.winrate_many, as_positions(positions)))


def for_each_turn(answer: Callable[[Positions], FloatArray], positions: Positions) -> FloatArray:
    """Return a model's answers; where the turn is unknown, the mean of the answers for both colours."""
    unknown = positions.to_play == 0
    if not unknown.any():
        return answer(positions)
    both = [answer(positions.with_turns(np.where(unknown, colour, positions.to_play))) for colour in (1, -1)]
    return (both[0] + both[1]) / 2


def stacked_stones(boards: PositionsLike) -> npt.NDArray[np.int8]:
    """Return the stones of boards of one size as an array [n, row, column]."""
    return as_positions(boards).stones
