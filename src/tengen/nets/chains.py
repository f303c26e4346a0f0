"""The judge's network: which stones of a finished board live, from the features of tengen.nets.sight.

Start at `forward`, the definition of the network for both numpy and torch: it takes the operations of a library, here
numpy, and torch for training in tengen.nets.learning. Every layer sees a point with its eight neighbours, and the mean
and maximum over the chain or empty region of the point. Information therefore travels along chains and across eyes in
one step. The network is evaluated from Black's and from White's view and the results are subtracted, so exchanging the
colours negates the result exactly.
"""

from __future__ import annotations

from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from tengen.errors import ModelError, not_fitted
from tengen.go.board import Board
from tengen.models.base import OwnershipModel
from tengen.models.protocol import Data, FloatArray, Progress
from tengen.nets.sight import PLANES, PLAYOUTS, Sight, look, planes, reversed_planes

if TYPE_CHECKING:
    from tengen.nets.learning import ChainExamples

Floats = npt.NDArray[np.float32]


def shapes(channels: int, blocks: int) -> dict[str, tuple[int, ...]]:
    """Return the learned arrays and their shapes."""
    square = (blocks, channels, channels)
    return {
        "in_": (3, 3, PLANES, channels),
        "in_bias_": (channels,),
        "near_": (blocks, 3, 3, channels, channels),
        "mean_": square,
        "most_": square,
        "bias_": (blocks, channels),
        "back_": square,
        "out_": (channels,),
        "scale_": (1,),
    }


class Operations(Protocol):
    """The operations the network needs from an array library; values are [view, row, column, channel]."""

    def relu(self, values: Any) -> Any:
        """Return the values, negative ones replaced by 0."""

    def convolve(self, values: Any, kernel: Any) -> Any:
        """Convolve values with a kernel [3, 3, channel, output]; points off the board are 0."""

    def means(self, values: Any) -> Any:
        """Return the mean over each region."""

    def maxima(self, values: Any) -> Any:
        """Return the maximum over each region of values that are not negative."""

    def spread(self, values: Any) -> Any:
        """Return the value of its region at each point."""


def forward(on: Operations, weights: dict[str, Any], views: Any) -> Any:
    """Return the log odds that a point is Black's [board, row, column], equal over a chain.

    `views` [view, row, column, plane] are the boards from Black's view, then the same boards from White's.
    """
    here = on.convolve(views, weights["in_"])
    here += weights["in_bias_"]
    for block in range(len(weights["near_"])):
        active = on.relu(here)
        region = on.means(active) @ weights["mean_"][block] + on.maxima(active) @ weights["most_"][block]
        inner = on.convolve(active, weights["near_"][block])
        inner += on.spread(region)
        inner += weights["bias_"][block]
        here += on.relu(inner) @ weights["back_"][block]
    odds = on.relu(here) @ weights["out_"]
    boards = len(odds) // 2
    difference = (odds[:boards] - odds[boards:]) * weights["scale_"]
    return on.spread(on.means(difference[..., None]))[..., 0]


class ChainJudge(OwnershipModel):
    """Gives the probability that each chain of a finished board lives."""

    name = "judge/chains"
    exactness = "sampled"  # on finished boards; on open boards rotations can change the answer
    finished_only = True
    n = PLAYOUTS
    """Number of random playouts of each kind per board."""

    channels: int = 48
    blocks: int = 6
    epochs: int = 40
    rate: float = 2e-3
    seed: int = 0

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Learn the owners of points on finished boards."""
        from tengen.nets.learning import examples_of

        return self.fit_examples(examples_of(data), progress=progress)

    def fit_examples(self, examples: list[ChainExamples], *, progress: Progress | None = None) -> Self:
        """Learn from boards with computed features."""
        from tengen.nets.learning import learn

        for key, array in learn(self, examples, progress).items():
            setattr(self, key, array.astype(np.float16))
        self._ready: dict[str, Floats] | None = None
        return self

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a judge from its file."""
        model = super().load(path)
        for key, shape in shapes(model.channels, model.blocks).items():
            array = getattr(model, key, None)
            if array is None or array.shape != shape or array.dtype != np.float16 or not np.isfinite(array).all():
                raise ModelError(f"{path}: {key} of {cls.name} is an array {shape} of finite half-precision numbers")
        return model

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point of a finished board."""
        return self.seen(board)[1]

    def seen(self, board: Board) -> tuple[Sight, FloatArray]:
        """Return the features of a board and the expected owners."""
        sight = look(board)
        return sight, np.tanh(self.logits(sight).astype(float) / 2)

    def logits(self, sight: Sight) -> Floats:
        """Return the log odds that a point is Black's [row, column], equal over a chain."""
        shown = planes(sight)
        views = np.stack([shown, reversed_planes(shown)]).transpose(0, 2, 3, 1)
        # The matrix products are small: more threads would only wait for each other.
        with _threads().limit(limits=1, user_api="blas"):
            odds: Floats = forward(_Numpy(sight.regions), self._weights(), views)[0]
        return odds

    def _weights(self) -> dict[str, Floats]:
        made: dict[str, Floats] | None = getattr(self, "_ready", None)
        if made is None:
            if not hasattr(self, "in_"):
                raise not_fitted(self.name)
            names = shapes(self.channels, self.blocks)
            self._ready = made = {key: getattr(self, key).astype(np.float32) for key in names}
        return made


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


class _Numpy:
    def __init__(self, regions: npt.NDArray[Any]) -> None:
        self.shape = regions.shape
        self.regions = regions.ravel()
        self.order = np.argsort(self.regions, kind="stable")
        self.sizes = np.bincount(self.regions).astype(np.float32)[:, None]
        self.starts = np.concatenate([[0], np.cumsum(self.sizes[:-1])]).astype(np.intp)

    def relu(self, values: Floats) -> Floats:
        positive: Floats = np.maximum(values, 0)
        return positive

    def convolve(self, values: Floats, kernel: Floats) -> Floats:
        views, height, width, channels = values.shape
        padded = np.zeros((views, height + 2, width + 2, channels), np.float32)
        padded[:, 1:-1, 1:-1] = values
        view, row, column, channel = padded.strides
        shape, strides = (views, height, width, 3, 3 * channels), (view, row, column, row, channel)
        around = np.empty(shape, np.float32)
        np.copyto(around, np.lib.stride_tricks.as_strided(padded, shape, strides, writeable=False))
        summed: Floats = around.reshape(-1, 9 * channels) @ kernel.reshape(9 * channels, -1)
        return summed.reshape(views, height, width, -1)

    def means(self, values: Floats) -> Floats:
        means: Floats = np.add.reduceat(self._sorted(values), self.starts, axis=1)
        means /= self.sizes
        return means

    def maxima(self, values: Floats) -> Floats:
        bits = self._sorted(values).view(np.int32)  # the bits of positive floats keep the order
        return np.maximum.reduceat(bits, self.starts, axis=1).view(np.float32)

    def spread(self, values: Floats) -> Floats:
        return values.take(self.regions, axis=1).reshape(len(values), *self.shape, -1)

    def _sorted(self, values: Floats) -> Floats:
        """Return values [view, point, channel] with the points sorted by region."""
        return values.reshape(len(values), -1, values.shape[-1]).take(self.order, axis=1)
