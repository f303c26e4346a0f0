"""Networks at run time: ownership, policy, winrate and lead with its spread from one residual network.

Start at `Network.evaluate`. The network (tengen.nets.training) sees a position from the side of the player to move, so
exchanging the colours changes nothing but the signs. It runs by onnxruntime on one thread; its ONNX graph is the only
learned array. With `symmetries=8` the answers are the mean over the eight rotations and mirror images, which makes them
symmetric up to rounding; by default the board is seen once, as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np

from tengen.errors import ModelError, not_fitted
from tengen.extras import need
from tengen.go.board import Board
from tengen.go.points import PointLike
from tengen.go.positions import Positions, PositionsLike, as_positions
from tengen.models.base import MoveModel, OwnershipModel
from tengen.models.evaluator import Evaluations
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.models.verdict import Reason
from tengen.nets.inputs import NUMBERS, PLANES, Floats, inputs_of, planes_of
from tengen.nets.reasons import move_reasons, owner_reasons


class Network(OwnershipModel, MoveModel):
    """A network whose ONNX graph gives all answers."""

    gives = frozenset({"ownership", "policy", "winrate", "lead"})
    exactness = "rounding"  # with symmetries=8; colours are exact opposites always
    sizes = tuple(range(5, 26))

    symmetries: int = 1
    """1, or 8 for the mean over all symmetries of the board."""
    head: str = "teacher"
    """The policy: "teacher" for strong moves, "played" for the moves that players choose."""

    _at_once = 64  # positions in one call of the network, which keeps its memory small

    def __post_init__(self) -> None:
        if type(self.symmetries) is not int or self.symmetries not in (1, 8):
            raise ModelError(f"{self.name}: symmetries is 1 or 8, not {self.symmetries!r}")
        if self.head not in ("teacher", "played"):
            raise ModelError(f'{self.name}: head is "teacher" or "played", not {self.head!r}')

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Raise ModelError: the network learns from a corpus, with `fit_corpus`."""
        raise ModelError(f"{self.name} learns from a corpus: tengen fit {self.name} --on CORPUS --labels NAME")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a network from its file."""
        model = super().load(path)
        graph = getattr(model, "graph_", None)
        if graph is None or graph.dtype != np.uint8 or graph.ndim != 1:
            raise ModelError(f"{path}: graph_ of {cls.name} is the bytes of an ONNX file")
        return model

    def start(self) -> Self:
        """Start the runtime, which takes some tenths of a second, before the first position is evaluated."""
        self._session()
        return self

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return ownership, policy, winrate and lead; where the turn is unknown, the mean over both players."""
        given = as_positions(positions)
        unknown = given.to_play == 0
        if not unknown.any():
            return self._evaluated(given)
        both = [self._evaluated(given.with_turns(np.where(unknown, turn, given.to_play))) for turn in (1, -1)]
        return Evaluations(**{key: (value + getattr(both[1], key)) / 2 for key, value in vars(both[0]).items()})

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point."""
        owners: FloatArray = self.ownership_many([board])[0]
        return owners

    def ownership_many(self, boards: PositionsLike) -> FloatArray:
        """Return the ownership of boards of one size [n, row, column]."""
        owners = self.evaluate(boards).ownership
        assert owners is not None
        return owners

    def probabilities(self, board: Board) -> FloatArray:
        """Return the probability of each move of the player to move."""
        shares: FloatArray = self.probabilities_many(as_positions([board]))[0]
        return shares

    def probabilities_many(self, positions: Positions) -> FloatArray:
        """Return the probabilities of moves for positions with known turns [n, points + 1]."""
        shares = self.evaluate(positions).policy
        assert shares is not None
        return shares

    def explain(self, board: Board, point: PointLike) -> list[Reason]:
        """Return the owner of a point, facts about its chain, and the chains nearby that decide about it."""
        return owner_reasons(self, board, point)

    def explain_move(self, board: Board, move: str) -> list[Reason]:
        """Return the shape of a move, what it captures, saves and threatens, and who leads after it."""
        return self.explain_moves(board, [move])[0]

    def explain_moves(self, board: Board, moves: Sequence[str]) -> list[list[Reason]]:
        """Return the same for several moves of one position, in one call of the network."""
        return move_reasons(self, board, moves)

    def _evaluated(self, positions: Positions) -> Evaluations:
        n, height, width = positions.stones.shape
        if 0 < n <= self._at_once:
            return Evaluations(*self._answers(positions))
        step = self._at_once
        found = [self._answers(positions.take(slice(i, i + step))) for i in range(0, n, step)]
        if not found:
            nothing = np.zeros(0)
            shapes = np.zeros((0, height, width)), np.zeros((0, positions.points + 1))
            return Evaluations(*shapes, nothing, nothing, nothing)
        own, policy, winrate, lead, spread = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Evaluations(own, policy, winrate, lead, spread)

    def _answers(self, positions: Positions) -> tuple[FloatArray, ...]:
        facts, numbers = inputs_of(positions)
        planes = planes_of(facts)
        views = [(quarters, mirrored) for quarters in range(4) for mirrored in (False, True)][: self.symmetries]
        sums: list[FloatArray] = []
        for quarters, mirrored in views:
            seen = self._mover(np.ascontiguousarray(_turned(planes, quarters, mirrored)), numbers)
            own, logits = (_turned_back(each, quarters, mirrored) for each in seen[:2])
            parts = [
                own.astype(float),
                np.concatenate([logits.reshape(len(own), -1), seen[2]], 1).astype(float),
                seen[3],
            ]
            sums = parts if not sums else [old + new for old, new in zip(sums, parts, strict=True)]
        own, logits, values = (each / len(views) for each in sums)
        turn = positions.to_play.astype(float)
        winrate = np.where(turn > 0, values[:, 0], 1 - values[:, 0])
        policy = _shares(logits, positions.legal)
        return own * turn[:, None, None], policy, winrate, values[:, 1] * turn, values[:, 2]

    def _mover(self, planes: Floats, numbers: Floats) -> tuple[Floats, Floats, Floats, FloatArray]:
        """Return ownership, policy logits of points and pass, and [winrate, lead, spread], all the mover's."""
        owner, moves, result = _run(self._session(), self.name, planes, numbers)
        own = np.tanh(owner)
        result = result.astype(float)
        lead = own.sum((1, 2), dtype=float) + numbers[:, 0] + 5 * result[:, 1]
        spread = 10 * _softplus(result[:, 2]) + 0.3
        winrate = 1 / (1 + np.exp(-(result[:, 0] + _softplus(result[:, 3]) * lead / 4)))
        most = np.where(numbers[:, 1] > 0, np.inf, own[0].size)  # by area, no lead is larger than the board
        lead = np.clip(lead, numbers[:, 0] - most, numbers[:, 0] + most)
        chosen = moves[:, ("teacher", "played").index(self.head)]
        return own, chosen[:, :-1].reshape(own.shape), chosen[:, -1:], np.stack([winrate, lead, spread], 1)

    def _session(self) -> Any:
        made = getattr(self, "_running", None)
        if made is None:
            graph = getattr(self, "graph_", None)
            if graph is None:
                raise not_fitted(self.name)
            self._running = made = _started(graph.tobytes(), self.name)
        return made


def _started(graph: bytes, name: str) -> Any:
    """Return a session that runs a graph on one thread."""
    runtime = need("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised, not printed
    try:
        session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as problem:  # onnxruntime's errors have no common class of their own
        reason = str(problem).partition("\n")[0]
        raise ModelError(f"{name}: its graph is damaged or of another kind ({reason})") from None
    takes = {each.name: (each.shape or [0, 0])[1] for each in session.get_inputs()}
    if takes != {"planes": len(PLANES), "numbers": len(NUMBERS)} or len(session.get_outputs()) != 3:
        raise ModelError(f"{name}: its graph was made for other inputs")
    found = _run(session, name, np.zeros((1, len(PLANES), 5, 6), np.float32), np.zeros((1, len(NUMBERS)), np.float32))
    if [each.shape for each in found] != [(1, 5, 6), (1, 2, 31), (1, 4)] or not all(
        np.isfinite(x).all() for x in found
    ):
        raise ModelError(f"{name}: its graph was made for other answers")
    return session


def _run(session: Any, name: str, planes: Floats, numbers: Floats) -> list[Any]:
    try:
        outputs: list[Any] = session.run(None, {"planes": planes, "numbers": numbers})
    except Exception as problem:
        raise ModelError(f"{name}: its graph fails ({str(problem).partition(chr(10))[0]})") from None
    return outputs


def _turned(maps: Any, quarters: int, mirrored: bool) -> Any:
    maps = np.rot90(maps, quarters, (-2, -1))
    return maps[..., ::-1] if mirrored else maps


def _turned_back(maps: Any, quarters: int, mirrored: bool) -> Any:
    return np.rot90(maps[..., ::-1] if mirrored else maps, -quarters, (-2, -1))


def _softplus(x: FloatArray) -> FloatArray:
    return np.logaddexp(0, x)


def _shares(logits: FloatArray, legal: Any) -> FloatArray:
    allowed = np.where(legal, logits, -np.inf)
    weights = np.exp(allowed - allowed.max(1, keepdims=True))
    shares: FloatArray = weights / weights.sum(1, keepdims=True)
    return shares
