"""Phases of a game, by the share of its moves already played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.measure.arrays import IntArray


@dataclass(frozen=True)
class Phases:
    """Named phases of a game; each begins at a share of its moves and lasts until the next."""

    names: tuple[str, ...]
    starts: tuple[float, ...]

    def __post_init__(self) -> None:
        rising = all(early < late for early, late in zip(self.starts, self.starts[1:], strict=False))
        if len(self.names) != len(self.starts) or not self.starts or self.starts[0] != 0 or not rising:
            raise TengenError("phases have a name and a start each; the first starts at 0 and the others follow")

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def equal(cls, count: int) -> Phases:
        """Return phases of equal length, named by their percentages."""
        names = tuple(f"{100 * i / count:.3g}–{100 * (i + 1) / count:.3g}%" for i in range(count))
        return cls(names, tuple(i / count for i in range(count)))

    def index(self, move: npt.ArrayLike, length: npt.ArrayLike) -> IntArray:
        """Return the number of the phase of each position: `move` moves played in a game of `length` moves."""
        played, total = np.asarray(move, float), np.asarray(length, float)
        if np.any(played < 0) or np.any(played > total):
            raise TengenError("the move number of a position must be between 0 and the length of the game")
        share = played / np.maximum(total, 1)
        begun: IntArray = np.searchsorted(np.array(self.starts), share, side="right").astype(np.int64)
        return begun - 1


TENTHS = Phases.equal(10)
STAGES = Phases(("opening", "middle game", "endgame"), (0.0, 0.2, 0.7))
