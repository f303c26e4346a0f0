"""What the judge sees of a finished board before it decides: facts of every point, as planes for its network.

Start at `look`. Unconditional life, ladders and liberties are read, and random games are played to the end; `planes`
turns that into one array, seen from Black, and `reversed_planes` the same seen from White.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.board import Board
from tengen.go.counting import around

Plane = npt.NDArray[Any]

PLAYOUTS = 150
"""Random games of each kind."""
POLICIES: tuple[Literal["uniform", "knowing"], ...] = ("uniform", "knowing")
SIDE = 7
"""Planes of one colour's stones."""
SIGNED = 3
"""Planes that change their sign with the colours."""
PLANES = 2 * SIDE + 1 + SIGNED
MOST_LIBERTIES = 4
"""So many liberties and more look alike."""


@dataclass(frozen=True, eq=False)
class Sight:
    """What is known of boards, as arrays [row, column], or [board, row, column] for several of one size."""

    stones: Plane
    """1 Black, −1 White, 0 empty."""
    regions: Plane
    """The number of the chain or empty region of each point, from 0 on every board."""
    liberties: Plane
    """Of the chain at each point, at most `MOST_LIBERTIES`; 0 where there is none."""
    safe: Plane
    """1 where Black's beyond doubt (unconditional life and its eyes), −1 where White's."""
    attacked: Plane
    """1 at stones that a ladder takes if the enemy moves first."""
    lost: Plane
    """1 at stones that a ladder takes even if their owner moves first."""
    played: Plane
    """The mean owner after random games, in hundredths."""
    fought: Plane
    """The same after random games in which ataris are answered and shapes are played."""

    @classmethod
    def stacked(cls, sights: list[Sight]) -> Sight:
        """Put boards of one size together."""
        return cls(*(np.stack([getattr(sight, f.name) for sight in sights]) for f in fields(cls)))

    def take(self, rows: Any) -> Sight:
        """Return some of the boards."""
        return Sight(*(getattr(self, f.name)[rows] for f in fields(self)))


def look(board: Board, *, playouts: int = PLAYOUTS, seed: int = 0, threads: int = 1) -> Sight:
    """Read a board."""
    stones = board.stones
    regions = _core.number_regions(stones)
    attack, _, defence, _ = _core.ladders(board.native)
    safe = board.safe_area()
    played, fought = (
        np.rint(100 * board.playouts(playouts, seed=seed, threads=threads, policy=policy).ownership).astype(np.int8)
        for policy in POLICIES
    )
    return Sight(
        stones,
        regions.astype(np.int16),
        _liberties(stones, regions),
        (safe.alive + safe.territory).astype(np.int8),
        (attack == _core.Fate.captured).astype(np.int8),
        (defence == _core.Fate.captured).astype(np.int8),
        played,
        fought,
    )


def planes(sight: Sight) -> npt.NDArray[np.float32]:
    """Return what the network is given, [plane, …]: facts of Black's stones, the same of White's, and of all points."""
    every = np.ones_like(sight.stones)
    shown = [*_side(sight, 1), *_side(sight, -1), every, sight.safe, sight.played / 100, sight.fought / 100]
    return np.stack(shown).astype(np.float32)


def reversed_planes(shown: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return planes as they are when the colours are exchanged."""
    black, white, every, signed = np.split(shown, [SIDE, 2 * SIDE, 2 * SIDE + 1])
    return np.concatenate([white, black, every, -signed])


def _side(sight: Sight, colour: int) -> list[npt.NDArray[np.bool_]]:
    stones = sight.stones == colour
    liberties = [sight.liberties == n for n in range(1, MOST_LIBERTIES + 1)]
    return [stones, *(stones & fact for fact in (*liberties, sight.attacked == 1, sight.lost == 1))]


def _liberties(stones: npt.NDArray[np.int8], regions: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    """Return the number of liberties of the chain at each point, at most `MOST_LIBERTIES`."""
    near = np.sort(around(np.where(stones != 0, regions, -1), -1)[:, stones == 0], axis=0)
    counted = near >= 0
    counted[1:] &= near[1:] != near[:-1]  # a chain that touches a liberty twice has it once
    counts = np.bincount(near[counted], minlength=int(regions.max()) + 1)
    return np.where(stones != 0, np.minimum(counts, MOST_LIBERTIES)[regions], 0).astype(np.int8)
