"""A second layer on a convolutional restricted Boltzmann machine, with probabilistic max-pooling (Lee et al. 2009).

The visible units are the features of the first layer, as probabilities; the hidden units lie in blocks, of which at
most one is on, and the pooled unit of a block is on if one of them is:

    P(h_ij = 1) = exp(a_ij) / (1 + Σ_block exp(a)),   P(pool = 0) = 1 / (1 + Σ_block exp(a))

Start at `PoolingLayer.learn`. Largman & Pham name deeper layers as future work; this one is numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError, TengenError, not_fitted
from tengen.models.base import StoredModel
from tengen.models.protocol import Progress
from tengen.numbers import checked_count, checked_number

Floats = npt.NDArray[np.float32]


class PoolingLayer(StoredModel):
    """Filters over the features of a `Crbm`, whose units are pooled in blocks."""

    name = "values/crbm-pooling"

    filters: int = 50
    side: int = 2
    block: int = 2
    epochs: int = 5
    batch: int = 50
    rate: float = 0.05
    momentum: float = 0.5
    decay: float = 1e-4
    sparsity: float = 0.1
    target: float = 0.05
    """Mean probability that a pooled unit is on."""
    seed: int = 0

    def __post_init__(self) -> None:
        for key in ("filters", "side", "block", "epochs", "batch"):
            checked_count(getattr(self, key), f"{self.name}: {key}", 2**20, least=1)
        checked_count(self.seed, f"{self.name}: seed", 2**63 - 1)
        for key, most in {"rate": 100.0, "decay": 1.0, "sparsity": 100.0, "momentum": 0.999, "target": 0.999}.items():
            checked_number(getattr(self, key), f"{self.name}: {key}", 0, most, error=ModelError)

    def learn(self, data: Iterable[Floats], *, progress: Progress | None = None) -> Self:
        """Learn from features of the first layer [n, row, column, feature] by contrastive divergence."""
        random, parts = np.random.default_rng(self.seed), list(data)
        if not sum(map(len, parts)):
            raise TengenError(f"{self.name}: there are no features to learn from")
        features = parts[0].shape[-1]
        self.weights_ = random.normal(0, 0.01, (self.side, self.side, features, self.filters)).astype(np.float32)
        self.biases_ = np.full(self.filters, -3, np.float32)
        self.visible_ = np.zeros(features, np.float32)
        speeds = [np.zeros_like(each) for each in (self.weights_, self.biases_, self.visible_)]
        for epoch in range(self.epochs):
            for part in parts:
                shuffled = random.permutation(self._cropped(part))
                for first in range(0, len(shuffled), self.batch):
                    self._step(shuffled[first : first + self.batch], speeds, random)
            if progress is not None:
                progress((epoch + 1) / self.epochs)
        return self

    def _step(self, shown: Floats, speeds: list[Floats], random: np.random.Generator) -> None:
        before = self.hidden(shown)
        other = self.reconstruct(before, random)
        after = self.hidden(other)
        mean = 1 / before[..., 0].size
        slopes = [mean * (_seen(shown, before) - _seen(other, after)) - self.decay * self.weights_]
        slopes += [(before - after).mean((0, 1, 2)), (shown - other).mean((0, 1, 2))]
        for value, speed, slope in zip((self.weights_, self.biases_, self.visible_), speeds, slopes, strict=True):
            speed *= np.float32(self.momentum)
            speed += np.float32(self.rate) * slope
            value += speed
        self.biases_ += np.float32(self.sparsity) * (self.target - self._pooled(before).mean((0, 1, 2)))

    def hidden(self, features: Floats) -> Floats:
        """Return P(h | v) [n, row, column, filter]."""
        if not hasattr(self, "weights_"):
            raise not_fitted(self.name)
        if features.ndim != 4 or features.shape[3] != len(self.visible_):
            raise ModelError(f"{self.name}: features [n, row, column, {len(self.visible_)}], not {features.shape}")
        shown = self._cropped(features)
        side, rows, columns = self.side, *(n - self.side + 1 for n in shown.shape[1:3])
        inputs = np.zeros((len(shown), rows, columns, self.filters), np.float32) + self.biases_
        for r in range(side):
            for c in range(side):
                inputs += shown[:, r : r + rows, c : c + columns] @ self.weights_[r, c]
        blocks = self._blocks(inputs)
        most = np.maximum(blocks.max((2, 4), keepdims=True), 0)
        blocks = np.exp(blocks - most)
        blocks /= np.exp(-most) + blocks.sum((2, 4), keepdims=True)
        hidden: Floats = blocks.reshape(inputs.shape)
        return hidden

    def pooled(self, features: Floats) -> Floats:
        """Return the probability that each pooled unit is on [n, row, column, filter]."""
        return self._pooled(self.hidden(features))

    def reconstruct(self, hidden: Floats, random: np.random.Generator) -> Floats:
        """Return P(v | h) [n, row, column, feature] for a sample of the hidden units, at most one in every block."""
        on = self._drawn(hidden, random)
        rows, columns = hidden.shape[1:3]
        shape = (len(hidden), rows + self.side - 1, columns + self.side - 1, len(self.visible_))
        inputs = np.zeros(shape, np.float32) + self.visible_
        for r in range(self.side):
            for c in range(self.side):
                inputs[:, r : r + rows, c : c + columns] += on @ self.weights_[r, c].T
        return np.exp(-np.logaddexp(np.float32(0), -inputs))

    def _drawn(self, hidden: Floats, random: np.random.Generator) -> Floats:
        blocks = self._blocks(hidden)
        flat = np.moveaxis(blocks, 2, 3).reshape(*blocks.shape[:2], blocks.shape[3], -1, self.filters)
        below = np.cumsum(flat, 3)
        chances = random.random(below[:, :, :, :1].shape, np.float32)
        on = ((chances < below) & (chances >= below - flat)).astype(np.float32)
        return np.moveaxis(on.reshape(np.moveaxis(blocks, 2, 3).shape), 3, 2).reshape(hidden.shape)

    def _pooled(self, hidden: Floats) -> Floats:
        pooled: Floats = self._blocks(hidden).sum((2, 4))
        return pooled

    def _blocks(self, units: Floats) -> Floats:
        """Return units as [n, block row, row, block column, column, filter]."""
        n, rows, columns, filters = units.shape
        return units.reshape(n, rows // self.block, self.block, columns // self.block, self.block, filters)

    def _cropped(self, features: Floats) -> Floats:
        """Return features without the last rows and columns that would leave a block incomplete."""
        rows, columns = ((n - self.side + 1) // self.block * self.block for n in features.shape[1:3])
        if rows < 1 or columns < 1:
            raise TengenError(
                f"{self.name}: features of {features.shape[1]}×{features.shape[2]} are too few for a block"
            )
        return np.asarray(features[:, : rows + self.side - 1, : columns + self.side - 1], np.float32)


def _seen(shown: Floats, hidden: Floats) -> Floats:
    """Return Σ visible · hidden for each weight."""
    rows, columns, side = *hidden.shape[1:3], shown.shape[1] - hidden.shape[1] + 1
    flat = hidden.reshape(-1, hidden.shape[-1])
    sums = [
        shown[:, r : r + rows, c : c + columns].reshape(len(flat), -1).T @ flat
        for r in range(side)
        for c in range(side)
    ]
    return np.stack(sums).reshape(side, side, shown.shape[-1], -1)
