"""Features of a finished board for the judge's network.

Start at `look`, which computes unconditional life, ladders and liberties and plays random playouts; `with_playouts`
plays them later. `planes` returns the features as one array from Black's view, and `reversed_planes` from White's.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.board import Board
from tengen.go.counting import around

Plane = npt.NDArray[Any]

PLAYOUTS = 150
"""Number of random playouts of each kind."""
POLICIES: tuple[Literal["uniform", "knowing"], ...] = ("uniform", "knowing")
SIDE = 7
"""Number of planes for the stones of one colour."""
SIGNED = 3
"""Number of planes whose sign changes with the colours."""
PLANES = 2 * SIDE + 1 + SIGNED
MOST_LIBERTIES = 4
"""Larger numbers of liberties are treated as this one."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Features of a board as arrays [row, column], or [board, row, column] for several boards of one size."""

    stones: Plane
    """1 Black, −1 White, 0 empty."""
    regions: Plane
    """The number of the chain or empty region of each point, from 0 on every board."""
    liberties: Plane
    """Liberties of the chain at each point, at most `MOST_LIBERTIES`; 0 on empty points."""
    safe: Plane
    """1 where Black is unconditionally alive, including eyes; −1 for White."""
    attacked: Plane
    """1 at stones that a ladder captures if the enemy moves first."""
    lost: Plane
    """1 at stones that a ladder captures even if their owner moves first."""
    played: Plane
    """The mean owner after random playouts, in hundredths."""
    fought: Plane
    """The mean owner after playouts with knowledge of ataris and shapes, in hundredths."""

    @classmethod
    def stacked(cls, sights: list[Sight]) -> Sight:
        """Stack boards of one size."""
        return cls(*(np.stack([getattr(sight, f.name) for sight in sights]) for f in fields(cls)))

    def take(self, rows: Any) -> Sight:
        """Return some of the boards."""
        return Sight(*(getattr(self, f.name)[rows] for f in fields(self)))


def look(board: Board, *, playouts: int = PLAYOUTS, seed: int = 0, threads: int = 1) -> Sight:
    """Compute the features of a board."""
    stones = board.stones
    regions = _core.number_regions(stones)
    attack, _, defence, _ = _core.ladders(board.native)
    safe = board.safe_area()
    nothing = np.zeros_like(stones)
    sight = Sight(
        stones,
        regions.astype(np.int16),
        _liberties(stones, regions),
        (safe.alive + safe.territory).astype(np.int8),
        (attack == _core.Fate.captured).astype(np.int8),
        (defence == _core.Fate.captured).astype(np.int8),
        nothing,
        nothing,
    )
    return with_playouts(sight, board, playouts=playouts, seed=seed, threads=threads) if playouts else sight


def with_playouts(sight: Sight, board: Board, *, playouts: int = PLAYOUTS, seed: int = 0, threads: int = 1) -> Sight:
    """Return the features of a board with the owners after random playouts."""
    played, fought = (
        np.rint(100 * board.playouts(playouts, seed=seed, threads=threads, policy=policy).ownership).astype(np.int8)
        for policy in POLICIES
    )
    return replace(sight, played=played, fought=fought)


def planes(sight: Sight) -> npt.NDArray[np.float32]:
    """Return the network's input [plane, …]: features of Black's stones, of White's stones, and of all points."""
    every = np.ones_like(sight.stones)
    shown = [*_side(sight, 1), *_side(sight, -1), every, sight.safe, sight.played / 100, sight.fought / 100]
    return np.stack(shown).astype(np.float32)


def reversed_planes(shown: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the planes with the colours exchanged."""
    black, white, every, signed = np.split(shown, [SIDE, 2 * SIDE, 2 * SIDE + 1])
    return np.concatenate([white, black, every, -signed])


def _side(sight: Sight, colour: int) -> list[npt.NDArray[np.bool_]]:
    stones = sight.stones == colour
    liberties = [sight.liberties == n for n in range(1, MOST_LIBERTIES + 1)]
    return [stones, *(stones & fact for fact in (*liberties, sight.attacked == 1, sight.lost == 1))]


def _liberties(stones: npt.NDArray[np.int8], regions: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    near = np.sort(around(np.where(stones != 0, regions, -1), -1)[:, stones == 0], axis=0)
    counted = near >= 0
    counted[1:] &= near[1:] != near[:-1]  # a liberty that a chain touches twice counts once
    counts = np.bincount(near[counted], minlength=int(regions.max()) + 1)
    return np.where(stones != 0, np.minimum(counts, MOST_LIBERTIES)[regions], 0).astype(np.int8)
