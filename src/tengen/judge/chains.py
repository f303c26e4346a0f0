"""The chains of a board by number. The judge works with numbers; verdicts carry point names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.counting import Mask, Owner
from tengen.go.points import point_names


@dataclass(frozen=True, eq=False)
class Chains:
    """The chains of a board, numbered in the order of their first stones from the top left."""

    numbers: npt.NDArray[np.intp]
    """[row, column]: the chain of each stone, −1 on empty points."""
    firsts: npt.NDArray[np.intp]
    """[chain]: the index of its first stone, row·width + column."""
    signs: npt.NDArray[np.int8]
    """[chain]: 1 Black, −1 White."""

    @classmethod
    def of(cls, stones: Owner) -> Chains:
        """Number the chains of stones [row, column]."""
        regions = _core.number_regions(stones)
        _, firsts = np.unique(regions, return_index=True)
        signs = stones.ravel()[firsts]
        numbers = np.where(signs != 0, np.cumsum(signs != 0) - 1, -1)
        return cls(numbers[regions], firsts[signs != 0], signs[signs != 0])

    def __len__(self) -> int:
        return len(self.firsts)

    def stones(self, chosen: npt.NDArray[np.bool_]) -> Mask:
        """Return a mask of the stones of the chosen chains."""
        mask: Mask = np.append(chosen, False)[self.numbers]
        return mask

    def within(self, mask: Mask) -> npt.NDArray[np.bool_]:
        """Return which chains have a stone where the mask is true."""
        found = np.zeros(len(self) + 1, bool)
        found[self.numbers[mask]] = True
        return found[:-1]

    def means(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the mean of values [row, column] over the stones of each chain."""
        numbers = self.numbers.ravel() + 1
        sums, sizes = np.bincount(numbers, values.ravel(), len(self) + 1), np.bincount(numbers, minlength=len(self) + 1)
        return sums[1:] / sizes[1:]

    def points(self) -> list[tuple[str, ...]]:
        """Return the names of the stones of each chain."""
        height, width = self.numbers.shape
        found: list[list[str]] = [[] for _ in range(len(self))]
        for name, number in zip(point_names(width, height), self.numbers.ravel().tolist(), strict=True):
            if number >= 0:
                found[number].append(name)
        return [tuple(names) for names in found]
