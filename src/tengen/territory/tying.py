"""Which edges of the grid share their parameters: by colours alone, or also by liberties and phase.

Start at `Tying`. The state of a point is its colour, with the liberties of its chain (BoltzmannLiberties of Stern et
al.) and, for an empty point, the phase of the game, told by the share of the board that has stones. As for colours
alone (coupling_classes.py), swapping the ends of an edge and reversing the colours change nothing: a coupling J belongs
to each class of pairs of states, and a field h, which points to the colour of the stone, to each class of a state
beside another. With one class of liberties and one phase these are the 4 and 4 numbers of coupling_classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.models.protocol import FloatArray
from tengen.territory.coupling_classes import FIRST_FIELDS, KINDS
from tengen.views.liberties import liberty_counts

FULL = 0.5
"""The share of points with stones at which the last phase would end; phases are of equal length up to it."""


@dataclass(frozen=True)
class Tying:
    """The states of points and the parameters of their pairs."""

    liberties: int = 1
    """Classes of liberties: 1, 2, … and at least this many."""
    phases: int = 1

    def __post_init__(self) -> None:
        if self.liberties < 1 or self.phases < 1:
            raise ModelError("there is at least one class of liberties and one phase")

    def states(self, stones: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return the state of every point [n, row, column]: White's chains, empty points, Black's chains."""
        if (self.liberties, self.phases) == (1, 1):
            return (stones + 1).astype(np.int8)
        count = np.clip(liberty_counts(stones) if self.liberties > 1 else np.ones_like(stones), 1, self.liberties)
        share = (stones != 0).mean((1, 2)) * self.phases / FULL
        phase = np.minimum(share.astype(np.int8), self.phases - 1)[:, None, None]
        middle = self.liberties + phase
        away = np.where(stones > 0, self.liberties + self.phases - 1 + count, self.liberties - count)
        return np.where(stones == 0, middle, away).astype(np.int8)

    @property
    def size(self) -> int:
        """The number of states."""
        return 2 * self.liberties + self.phases

    @property
    def couplings(self) -> int:
        """The number of couplings."""
        return int(self.kinds.max()) + 1

    @property
    def fields(self) -> int:
        """The number of fields."""
        return len(self.first)

    @cached_property
    def kinds(self) -> npt.NDArray[np.intp]:
        """The coupling of every pair of states."""
        found = np.zeros((self.size, self.size), np.intp)
        numbers: dict[tuple[int, int], int] = {}
        for a, b in self._pairs():
            images = {(a, b), (b, a), (self.reversed(a), self.reversed(b)), (self.reversed(b), self.reversed(a))}
            found[a, b] = numbers.setdefault(max(images), len(numbers))
        return found

    @cached_property
    def first(self) -> FloatArray:
        """The share of each field in h of the first end, by the states of both [fields, states, states]."""
        numbers: dict[tuple[int, int], int] = {}
        places = []
        for a, b in self._pairs():
            image = self.reversed(a), self.reversed(b)
            if image != (a, b):
                number = numbers.setdefault(max((a, b), image), len(numbers))
                places.append((number, a, b, 1.0 if (a, b) > image else -1.0))
        found = np.zeros((len(numbers), self.size, self.size))
        for number, a, b, sign in places:
            found[number, a, b] = sign
        return found

    @cached_property
    def second(self) -> FloatArray:
        """The same for the second end."""
        return np.ascontiguousarray(self.first.transpose(0, 2, 1))

    def tables(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return J, h of the first and h of the second end by the states of both, of couplings and fields."""
        fields = theta[self.couplings : self.couplings + self.fields]
        return theta[self.kinds], np.tensordot(fields, self.first, 1), np.tensordot(fields, self.second, 1)

    def spread(self, plain: FloatArray) -> FloatArray:
        """Return the parameters that only depend on colours, of the 8 of coupling_classes."""
        theta = np.zeros(self.couplings + self.fields)
        for a, b in self._pairs():
            colours = self.colour(a), self.colour(b)
            theta[self.kinds[a, b]] = plain[KINDS[colours]]
            field = self.couplings + np.flatnonzero(self.first[:, a, b])
            theta[field] = plain[4:8] @ FIRST_FIELDS[:, *colours] * self.first[:, a, b].sum()
        return theta

    def reversed(self, state: int) -> int:
        """Return the state with the colours reversed."""
        return state if self.colour(state) == 1 else self.size - 1 - state

    def colour(self, state: int) -> int:
        """Return the colour of a state as an index of coupling_classes: 0 White, 1 empty, 2 Black."""
        return 0 if state < self.liberties else 2 if state >= self.liberties + self.phases else 1

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of states that can be neighbours, stones first: one chain has one number of liberties."""
        order = sorted(range(self.size), key=lambda state: (self.colour(state) == 1, -state))
        return [(a, b) for a in order for b in order if a == b or self.colour(a) != self.colour(b)]


@lru_cache(maxsize=16)
def tying(liberties: int = 1, phases: int = 1) -> Tying:
    """Return the tying of a number of classes of liberties and of phases."""
    return Tying(liberties, phases)


PLAIN = tying()
