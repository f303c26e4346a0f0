"""GNU Go's estimate of territory, over GTP.

`initial_influence` prints the value of each point for White under territory scoring: ±1 for territory, ±2 for a dead
stone (the point and the prisoner), 0 for a living one. With s the stone (1 Black, −1 White) the owner is s − value.
GNU Go is asked once with each colour to move, and the answers are averaged.
"""

from __future__ import annotations

from threading import Lock

import numpy as np

from tengen.engines.gtp import GtpEngine, gnugo
from tengen.engines.program import with_restarts
from tengen.errors import EngineError
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point, point_name
from tengen.models.base import OwnershipModel
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason


class GnuGo(OwnershipModel):
    """GNU Go's estimate for square boards up to 19×19; it must be installed.

    The program starts on first use and ends with `close`, or with Python. Threads ask it one after the other.
    """

    name = "territory/gnugo"
    asks_another_program = True

    level: int = 10
    seed: int = 1
    timeout: float = 60.0

    def __post_init__(self) -> None:
        self._asking = Lock()
        self._engine: GtpEngine | None = None
        self._last: tuple[bytes, FloatArray] | None = None

    def ownership(self, board: Board) -> FloatArray:
        """Return GNU Go's owner of each point, the mean of its answers with Black and with White to move."""
        if not board.stones.any():
            return np.zeros((board.height, board.width))
        stones = Board.from_stones(board.stones)  # no moves: GNU Go might refuse some under its own ko rule
        key = stones.stones.tobytes() + bytes([board.width])
        with self._asking:
            if self._last is None or self._last[0] != key:
                self._last = (key, with_restarts(self._program(), lambda engine: _ask(engine, stones)))
            return self._last[1].copy()

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return GNU Go's view of the point."""
        place = as_point(point, board.width, board.height)
        share, stone = float(self.ownership(board)[place]), int(board.stones[place])
        name = point_name(*place, board.height)
        if abs(share) < 0.5:
            return [Reason("gnugo", (name,), f"GNU Go is not sure about {name}.")]
        owner = "Black" if share > 0 else "White"
        what = f"{owner}'s territory" if not stone else "alive" if stone * share > 0 else "dead"
        return [Reason("gnugo", (name,), f"GNU Go considers {name} {what}.")]

    def close(self) -> None:
        """End the program; the next call starts it again."""
        with self._asking:
            if self._engine is not None:
                self._engine.close()

    def _program(self) -> GtpEngine:
        if self._engine is None:
            self._engine = gnugo(level=self.level, extra=("--seed", str(self.seed)), timeout=self.timeout)
        return self._engine


def _ask(engine: GtpEngine, board: Board) -> FloatArray:
    engine.set_position(board)
    return influence_ownership(engine, board)


def influence_ownership(engine: GtpEngine, board: Board) -> FloatArray:
    """Return GNU Go's owner of each point of the board that it has now; this takes 1 to 12 ms on 9×9."""
    if not board.stones.any():  # GNU Go would repeat its last answer for an empty board
        return np.zeros((board.height, board.width))
    answers = [_matrix(engine.send("initial_influence", colour, "territory_value"), board) for colour in "bw"]
    shares: FloatArray = np.clip(board.stones - np.mean(answers, axis=0), -1, 1)
    return shares


def _matrix(answer: str, board: Board) -> FloatArray:
    try:
        return np.array([float(word) for word in answer.split()]).reshape(board.height, board.width)
    except ValueError:
        raise EngineError("GNU Go answered initial_influence with something other than numbers") from None
