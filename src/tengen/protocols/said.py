"""Parts of analysis answers that both protocols share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen import __version__
from tengen.go.board import Board
from tengen.go.points import as_point, point_name
from tengen.search.analysis import Analysis

FloatArray = npt.NDArray[np.float64]

MODEL = {
    "name": f"Tengen {__version__}",
    "internalName": f"tengen-{__version__}",
    "maxBatchSize": 1,
    "usesHumanSLProfile": False,
    "version": 1,
    "usingFP16": "false",
}
"""The answer to kata-get-models; there is no network, so it describes Tengen itself."""

OWNED = 10
"""Number of top candidate moves for which ownership is reported."""

_SLICE, _SLICES = 8, 8  # playouts between two checks of the time, and the maximum number of such batches


def move_name(word: str, board: Board) -> str:
    """Return the canonical name of a move given by a client: a point of the board, or "pass"."""
    if word.strip().lower() == "pass":
        return "pass"
    return point_name(*as_point(word, board.width, board.height), board.height)


def visit_shares(found: Analysis, board: Board) -> FloatArray:
    """Return the share of visits of each move: all points, then the pass."""
    shares = np.zeros(board.width * board.height + 1)
    for candidate in found.candidates:
        shares[board.index(candidate.move)] = candidate.visits
    return shares / max(float(shares.sum()), 1.0)


def mark_illegal(policy: FloatArray, board: Board) -> FloatArray:
    """Return a policy with NaN at the points where the player to move may not play."""
    return np.where(np.append(board.legal_mask(), True), policy, np.nan)


class AnalysedPosition:
    """An analysed position with cached playouts after its moves."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._after: dict[str, list[FloatArray]] = {}

    def ownership_after(self, move: str, hurry: Callable[[], bool] = lambda: False) -> FloatArray | None:
        """Return the ownership after a move by a few playouts, Black positive.

        When `hurry()` is true, this is the mean so far, or None before any playout; the next call continues.
        """
        self.work_out([move], hurry)
        slices = self._after.get(move)
        return np.asarray(np.mean(slices, axis=0)) if slices else None

    def work_out(self, moves: Sequence[str], hurry: Callable[[], bool]) -> None:
        """Play the playouts for `ownership_after`, alternating between several moves, until `hurry()`."""
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
    """Return the standard deviation of each point's owner, which is 1 or −1 at the end of a playout."""
    return np.asarray(np.sqrt(np.maximum(1 - ownership**2, 0)))
