"""The judge's network: which stones live, from what `tengen.judge.sight` sees. A few layers in plain numpy.

Start at `ChainJudge.logits`. Every layer sees a point with its eight neighbours, and the mean and the largest value
over the chain or empty region the point belongs to, so that news travels along chains and across eyes at once. Black's
view and White's are both judged and their difference is taken: exchanging the colours reverses the answer exactly. How
it learns is in tengen.judge.learning and needs torch; judging needs numpy alone.
"""

from __future__ import annotations

from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from tengen.errors import ModelError
from tengen.go.board import Board
from tengen.judge.sight import PLANES, Sight, look, planes, reversed_planes
from tengen.models.base import OwnershipModel
from tengen.models.protocol import Data, FloatArray, Progress

if TYPE_CHECKING:
    from tengen.judge.learning import Examples

Floats = npt.NDArray[np.float32]


class ChainJudge(OwnershipModel):
    """Says of every chain of a finished board how likely it lives."""

    name = "judge/chains"
    exactness = "rounding"
    finished_only = True

    channels: int = 48
    blocks: int = 6
    epochs: int = 40
    rate: float = 2e-3
    seed: int = 0

    def fit(self, data: Data, *, progress: Progress | None = None) -> Self:
        """Look at finished boards and learn whose their points are."""
        from tengen.judge.learning import collect

        return self.fit_examples(collect(data), progress=progress)

    def fit_examples(self, examples: list[Examples], *, progress: Progress | None = None) -> Self:
        """Learn from boards that were looked at before."""
        from tengen.judge.learning import learn

        for key, array in learn(self, examples, progress).items():
            setattr(self, key, array.astype(np.float16))
        self._ready: dict[str, Floats] | None = None
        return self

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a judge from its file."""
        model = super().load(path)
        for key, shape in shapes(model.channels, model.blocks).items():
            array = getattr(model, key, None)
            if array is None or array.shape != shape or array.dtype != np.float16 or not np.isfinite(array).all():
                raise ModelError(f"{path}: {key} of {cls.name} is an array {shape} of finite half-precision numbers")
        return model

    def ownership(self, board: Board) -> FloatArray:
        """Return the expected owner of each point of a finished board."""
        return np.tanh(self.logits(look(board)).astype(float) / 2)

    def logits(self, sight: Sight) -> Floats:
        """Return the logarithm of the odds that a point is Black's [row, column], the same over a chain."""
        with _threads().limit(
            limits=1, user_api="blas"
        ):  # the products are small: more threads only wait for each other
            return self._logits(sight)

    def _logits(self, sight: Sight) -> Floats:
        weights = self._weights()
        shown = planes(sight)
        views = np.stack([shown, reversed_planes(shown)]).transpose(0, 2, 3, 1)
        pool = _Pool(np.asarray(sight.regions))
        here = _convolve(views, weights["in_"]) + weights["in_bias_"]
        for block in range(self.blocks):
            here = here + _block(here, pool, weights, block)
        both = np.maximum(here, 0) @ weights["out_"]
        odds: Floats = pool.mean(((both[0] - both[1]) * float(weights["scale_"][0]))[None, :, :, None])[0, :, :, 0]
        return odds

    def _weights(self) -> dict[str, Floats]:
        made: dict[str, Floats] | None = getattr(self, "_ready", None)
        if made is None:
            if not hasattr(self, "in_"):
                raise ModelError(f"{self.name} has learned nothing yet: tengen fit {self.name} makes a file to load")
            names = shapes(self.channels, self.blocks)
            self._ready = made = {key: getattr(self, key).astype(np.float32) for key in names}
        return made


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


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


class _Pool:
    """Means and maxima over the chains and empty regions of a board."""

    def __init__(self, regions: npt.NDArray[Any]) -> None:
        self.regions = regions.ravel()
        self.order = np.argsort(self.regions, kind="stable")
        self.sizes = np.bincount(self.regions).astype(np.float32)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes[:-1])]).astype(np.intp)

    def sorted(self, values: Floats) -> Floats:
        """Return values [view, point, channel], the points by region."""
        return values.reshape(len(values), -1, values.shape[-1])[:, self.order]

    def mean(self, values: Floats) -> Floats:
        """Return the mean over the region of each point [view, row, column, channel]."""
        return self.spread(self.means(self.sorted(values)), values.shape)

    def means(self, ordered: Floats) -> Floats:
        """Return the means of regions [view, region, channel]."""
        sums = np.add.reduceat(ordered, self.starts, axis=1)
        return (sums / self.sizes[:, None]).astype(np.float32, copy=False)

    def maxima(self, ordered: Floats) -> Floats:
        """Return the maxima of regions [view, region, channel]."""
        maxima: Floats = np.maximum.reduceat(ordered, self.starts, axis=1)
        return maxima

    def spread(self, values: Floats, shape: tuple[int, ...]) -> Floats:
        """Return values of regions at every point of them."""
        return values[:, self.regions].reshape(shape[:-1] + values.shape[-1:])


def _block(here: Floats, pool: _Pool, weights: dict[str, Floats], block: int) -> Floats:
    active = np.maximum(here, 0)
    ordered = pool.sorted(active)
    region = pool.means(ordered) @ weights["mean_"][block] + pool.maxima(ordered) @ weights["most_"][block]
    inner = _convolve(active, weights["near_"][block]) + pool.spread(region, active.shape) + weights["bias_"][block]
    back: Floats = np.maximum(inner, 0) @ weights["back_"][block]
    return back


def _convolve(values: Floats, kernel: Floats) -> Floats:
    """Convolve [view, row, column, channel] with a kernel [3, 3, channel, out]; off the board there is nothing."""
    views, height, width, channels = values.shape
    padded = np.zeros((views, height + 2, width + 2, channels), np.float32)
    padded[:, 1:-1, 1:-1] = values
    columns = np.empty((views, height, width, 9, channels), np.float32)
    for place in range(9):
        row, column = divmod(place, 3)
        columns[:, :, :, place] = padded[:, row : row + height, column : column + width]
    summed: Floats = columns.reshape(-1, 9 * channels) @ kernel.reshape(9 * channels, -1)
    return summed.reshape(views, height, width, -1)
