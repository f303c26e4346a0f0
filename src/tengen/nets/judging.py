"""The judge of `tengen.score`: the small network, and the network of chains where the first is not sure.

Start at `NetJudge.seen`. The small network sees the board without the closing passes. If it is sure of every chain that
unconditional life leaves open, that is the verdict, and no playout is played. Otherwise the log odds of both networks
are added for every point: they see different things and seldom err together. Where the small network cannot be used,
`judge/chains` judges alone.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import numpy.typing as npt

from tengen.errors import FallbackWarning
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.models.base import OwnershipModel
from tengen.models.protocol import FloatArray
from tengen.models.registry import find, shared
from tengen.models.state import identity
from tengen.nets.chains import ChainJudge
from tengen.nets.sight import Sight, look, with_playouts
from tengen.nets.small import SmallNet

SURE = 0.9
"""Mean ownership from which the network is sure of a chain: it lives, or is dead, with 95 %."""
TOGETHER = 0.75
"""Factor of the added log odds; the networks err together now and then."""
_MOST = 0.998  # ownership nearer to 1 has no finite log odds


class NetJudge(OwnershipModel):
    """Gives the probability that each chain of a finished board lives, by two networks."""

    name = "judge/net"
    """Not registered: `tengen.score` uses it by default."""
    exactness = "sampled"
    finished_only = True

    def __post_init__(self) -> None:
        self._chains: ChainJudge = shared(ChainJudge.name)
        self._network = _network()
        parts = [identity(part) for part in (self._network, self._chains) if part is not None]
        self.parts_ = np.frombuffer(" ".join(parts).encode(), np.uint8)  # the hash of this model covers its parts

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point of a finished board."""
        return self.seen(board)[1]

    def seen(self, board: Board) -> tuple[Sight, FloatArray]:
        """Return the features of a board, with playouts if they were needed, and the expected owners."""
        if self._network is None or not {board.width, board.height} <= {*self._network.sizes}:
            return self._chains.seen(board)
        sight = look(board, playouts=0)
        owners = _over_chains(self._network.ownership_many(_before_passes(board))[0], sight)
        if (np.abs(owners)[(sight.stones != 0) & (sight.safe == 0)] >= SURE).all():
            return sight, owners
        sight = with_playouts(sight, board)
        odds = 2 * np.arctanh(np.clip(owners, -_MOST, _MOST)) + self._chains.logits(sight)
        return sight, np.tanh(TOGETHER * odds / 2)


@cache
def _network() -> SmallNet | None:
    if (missing := find(SmallNet.name).missing) is not None:
        warnings.warn(f"{ChainJudge.name} judges alone: {missing}", FallbackWarning, stacklevel=2)
        return None
    network: SmallNet = shared(SmallNet.name)
    return network


def _before_passes(board: Board) -> Positions:
    """Return the position before the closing passes; of a board that was set up, the stones alone."""
    if not board.past_known:
        return Positions.of_stones(board.stones[None])
    before = board.copy()
    while before.last_move is not None and before.last_move.point == "pass":
        before.undo()
    return Positions.of([before])


def _over_chains(owners: FloatArray, sight: Sight) -> FloatArray:
    """Return ownership with the mean of its chain at each stone."""
    regions: npt.NDArray[np.int16] = sight.regions.ravel()
    means = np.bincount(regions, owners.ravel()) / np.bincount(regions)
    return np.where(sight.stones != 0, means[sight.regions], owners)
