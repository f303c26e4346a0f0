"""What both protocols say of an analysis beyond its own numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen import __version__
from tengen.go.board import Board
from tengen.go.points import as_point, point_name
from tengen.search.player import Analysis

FloatArray = npt.NDArray[np.float64]

MODEL = {
    "name": f"Tengen {__version__}",
    "internalName": f"tengen-{__version__}",
    "maxBatchSize": 1,
    "usesHumanSLProfile": False,
    "version": 1,
    "usingFP16": "false",
}
"""The answer to kata-get-models: playouts take the place of a network."""

OWNED = 10
"""Number of the best candidates whose ownership is reported."""

_SLICE, _SLICES = 8, 8  # playouts between two looks whether there is time, and how often they are played


def move_name(word: str, board: Board) -> str:
    """Return how we write a move that somebody else wrote: a point of the board, or "pass"."""
    if word.strip().lower() == "pass":
        return "pass"
    return point_name(*as_point(word, board.width, board.height), board.height)


def visit_shares(found: Analysis, board: Board) -> FloatArray:
    """Return the share of the visits that each move had, point by point, the pass last."""
    shares = np.zeros(board.width * board.height + 1)
    for candidate in found.candidates:
        shares[board.index(candidate.move)] = candidate.visits
    return shares / max(float(shares.sum()), 1.0)


def mark_illegal(policy: FloatArray, board: Board) -> FloatArray:
    """Return a policy with NaN in place of the points where the player to move may not play."""
    return np.where(np.append(board.legal_mask(), True), policy, np.nan)


class AnalysedPosition:
    """A position that is spoken of several times."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._after: dict[str, list[FloatArray]] = {}

    def ownership_after(self, move: str, hurry: Callable[[], bool] = lambda: False) -> FloatArray | None:
        """Return who owns each point after a move, by a few playouts, Black positive.

        In a hurry that is what was found so far, None for nothing; the next call goes on.
        """
        self.work_out([move], hurry)
        slices = self._after.get(move)
        return np.asarray(np.mean(slices, axis=0)) if slices else None

    def work_out(self, moves: Sequence[str], hurry: Callable[[], bool]) -> None:
        """Play the playouts behind `ownership_after`, in turn after each of several moves, until `hurry()`."""
        for count in range(_SLICES):
            for move in moves:
                slices = self._after.setdefault(move, [])
                if len(slices) > count:
                    continue
                if hurry():
                    return
                after = self.board.copy()
                after.play(move)
                slices.append(after.playouts(_SLICE, seed=count, policy="knowing", first="to_play").ownership)


def deviation_of(ownership: FloatArray) -> FloatArray:
    """Return the standard deviation of each point's owner, who is 1 or −1 at the end of a playout."""
    return np.asarray(np.sqrt(np.maximum(1 - ownership**2, 0)))
