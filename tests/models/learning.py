"""A few labelled positions of the games that ship, for models that must learn before they can answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import tengen

from .boards import EXAMPLES


@dataclass(frozen=True)
class Positions:
    """A batch of boards of one size."""

    boards: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


@cache
def positions() -> tuple[Positions, ...]:
    """Positions of each example at eight stages, with the owners that playouts from the end give, in hundredths."""
    return tuple(_positions(path) for path in EXAMPLES)


def _positions(path) -> Positions:
    game = tengen.read(path)
    owners = np.rint(game.board().playouts(64, seed=1).ownership * 100) / 100
    boards = np.stack([game.board(int(len(game.moves) * share)).stones for share in np.linspace(0.1, 1, 8)])
    return Positions(boards, np.broadcast_to(owners, boards.shape), np.ones(len(boards)))


@cache
def taught(name):
    """A model by name, fitted to the examples if it has to learn."""
    return fresh(name)


def fresh(name):
    """The same, made anew."""
    model = tengen.load(name)
    must_learn = hasattr(model, "fit_counts") and not hasattr(model, "keys_")
    return model.fit(positions()) if must_learn else model
