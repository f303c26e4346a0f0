"""The simplest model: all stones live, and an empty region belongs to a colour if only its stones border it."""

from __future__ import annotations

import numpy as np

from tengen.go.board import Board
from tengen.go.counting import empty_regions, find_territory, neighbours
from tengen.go.points import Point, PointLike, as_point, point_name
from tengen.go.positions import PositionsLike
from tengen.models.base import OwnershipModel, stacked_stones
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason


class Naive(OwnershipModel):
    """Counts the board as it stands: right when nothing is dead and all borders are closed."""

    name = "territory/naive"
    finished_only = True

    def ownership(self, board: Board) -> FloatArray:
        """Return 1 for Black's stones and regions, −1 for White's, 0 for regions bordered by both or neither."""
        territory, _ = find_territory(board.stones)
        return (board.stones + territory).astype(np.float64)

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the chain at the point, or the colours that border its region."""
        place = as_point(point, board.width, board.height)
        chain = board.chain(place)
        if chain is not None:
            owner = chain.colour.capitalize()
            return [Reason("stone", chain.points, f"{owner} has a stone there, and all stones count as alive.")]
        region = next(region for region in empty_regions(board.stones) if place in region)
        return [_region_reason(board, region)]


def _region_reason(board: Board, region: list[Point]) -> Reason:
    stones = board.stones
    sides = {int(stones[near]) for point in region for near in neighbours(point, stones.shape)} - {0}
    names = tuple(point_name(row, column, board.height) for row, column in sorted(region))
    points = f"the {len(names)} empty points around {names[0]}" if len(names) > 1 else f"the empty point {names[0]}"
    if not sides:
        return Reason("empty board", names, "There is no stone on the board.")
    if len(sides) == 2:
        return Reason("open", names, f"Stones of both colours touch {points}.")
    owner = "Black" if 1 in sides else "White"
    return Reason("enclosed", names, f"Only {owner}'s stones touch {points}.")


class Null(OwnershipModel):
    """Ownership 0 everywhere: what a measure gives without looking at the board."""

    name = "null"

    def ownership(self, board: Board) -> FloatArray:
        """Return zeros."""
        return np.zeros(board.stones.shape)

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the same for many boards."""
        return np.zeros(stacked_stones(boards).shape)
