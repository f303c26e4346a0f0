"""Ownership by random games played to the end (the Monte-Carlo baseline of Sanner et al. §2).

Moves are uniformly random legal moves that do not fill the player's own eyes; Black and White alternate in moving
first, so that reversing the colours reverses the result. The games are those of `Board.playouts`; with the knowing
policy players answer ataris and play hanes and cuts near the last moves.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from tengen.errors import ModelError
from tengen.go.board import Board, Playouts
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import PositionsLike, as_positions
from tengen.models.base import OwnershipModel
from tengen.models.evaluator import Evaluations
from tengen.models.leads import expected_lead
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason, settled_reason


class _MeanOwner(OwnershipModel):
    """The mean owner of each point at the end of n games; the same seed gives the same games."""

    gives = frozenset({"ownership", "lead", "winrate"})
    exactness = "sampled"

    n: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ModelError(f"playouts: n must be at least 1, not {self.n!r}")

    def ownership(self, board: Board) -> FloatArray:
        """Return the mean owner of each point."""
        return self._play(board).ownership

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return the mean owners, the leads of the games, and the share of games that Black wins."""
        asked = as_positions(positions)
        if not len(asked):
            return Evaluations(np.zeros(asked.stones.shape), lead=np.zeros(0), lead_sd=np.zeros(0), winrate=np.zeros(0))
        boards = list(asked.boards())
        games = [self._play(board) for board in boards]
        ownership = np.array([played.ownership for played in games])
        lead = np.array([expected_lead(board, owner) for board, owner in zip(boards, ownership, strict=True)])
        leads = np.array([played.leads for played in games]) + (lead - ownership.sum((1, 2)))[:, None]
        wins = (leads > 1e-9).mean(1) + 0.5 * (np.abs(leads) <= 1e-9).mean(1)  # a draw is half a win
        return Evaluations(ownership, lead=lead, lead_sd=leads.std(1), winrate=wins)

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return how often each colour owns the point, and whether it is unconditionally settled."""
        place = as_point(point, board.width, board.height)
        chain = board.chain(place)
        points = chain.points if chain else (point_name(*place, board.height),)
        safe = board.safe_area()
        owner = int(safe.alive[place] + safe.territory[place])
        settled = [settled_reason(owner, points)] if owner else []
        games = self._play(board)
        return [*settled, _share_reason(points, int(games.black[place]), int(games.white[place]), games.n)]

    def _play(self, board: Board) -> Playouts:
        raise NotImplementedError


class PlayoutOwner(_MeanOwner):
    """The mean owner of each point at the end of n random games."""

    name = "territory/playouts"

    eye: Literal["simple", "diagonal"] = "diagonal"

    def _play(self, board: Board) -> Playouts:
        return board.playouts(self.n, seed=self.seed, eye=self.eye, first="both")


class KnowingPlayoutOwner(_MeanOwner):
    """The mean owner of each point at the end of n games whose players answer ataris and know common shapes."""

    name = "territory/knowing"

    def _play(self, board: Board) -> Playouts:
        return board.playouts(self.n, seed=self.seed, policy="knowing", first="both")


def _share_reason(points: tuple[str, ...], black: int, white: int, n: int) -> Reason:
    said = f"Black owns it in {black / n:.0%} and White in {white / n:.0%} of {n} random continuations."
    return Reason("playouts", points, said)
