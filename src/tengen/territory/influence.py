"""Bouzy's influence as a model of ownership: a point belongs to the colour with influence on it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason
from tengen.views.influence import STONE, influence


class Influence(OwnershipModel):
    """The influence of stones after dilations and erosions; all stones count as alive.

    Without a `scale` ownership is the sign of the influence, as in Bouzy's count. With one it is
    tanh(influence / scale), so that an influence of `scale` gives an ownership of 0.76.
    """

    name = "territory/influence"

    dilations: int = 5
    erosions: int = 21
    stone: int = STONE
    scale: float | None = None

    def __post_init__(self) -> None:
        steps = self.dilations, self.erosions
        if min(steps) < 0 or max(steps) > 1000 or not 1 <= self.stone <= 1_000_000:
            raise ModelError("influence: there are 0 to 1000 steps of each kind, and a stone is 1 to 1000000")
        if self.scale is not None and not self.scale > 0:
            raise ModelError("influence: the scale is positive")

    def ownership(self, board: Board) -> FloatArray:
        """Return the owner of each point by its influence."""
        return self._shares(self._influence(board.stones))

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards, all of them in each step."""
        return self._shares(self._influence(stacked_stones(boards)))

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the influence on the point and the nearest stones."""
        row, column = as_point(point, board.width, board.height)
        name, value = point_name(row, column, board.height), int(self._influence(board.stones)[row, column])
        steps = f"after {self.dilations} dilations and {self.erosions} erosions"
        if value == 0:
            return [Reason("influence", (name,), f"There is no influence on {name} {steps}.")]
        owner = "Black" if value > 0 else "White"
        near = _nearest_stones(board, row, column, 1 if value > 0 else -1)
        said = f"{owner}'s influence on {name} is {abs(value)} {steps}; the nearest stone is {near[0]}."
        return [Reason("influence", near, said)]

    def _influence(self, stones: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
        return influence(stones, dilations=self.dilations, erosions=self.erosions, stone=self.stone)

    def _shares(self, values: npt.NDArray[np.int32]) -> FloatArray:
        if self.scale is None:
            return np.sign(values).astype(np.float64)
        return np.tanh(values / self.scale)


def _nearest_stones(board: Board, row: int, column: int, colour: int) -> tuple[str, ...]:
    """Return the names of the stones of a colour that are nearest to a point, counted in steps along the lines."""
    places = np.argwhere(board.stones == colour)
    steps = np.abs(places - (row, column)).sum(axis=1)
    return tuple(point_name(int(r), int(c), board.height) for r, c in places[steps == steps.min()])
