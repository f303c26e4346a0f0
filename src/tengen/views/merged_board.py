"""A board whose points are merged into nodes: what all graphs of boards have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class MergedBoard:
    """Connected points merged into nodes, numbered by their first points, row by row."""

    node_of: npt.NDArray[np.int32]
    """The node of each point [row, column]."""

    def __len__(self) -> int:
        return int(self.node_of.max()) + 1

    def points(self, node: int) -> list[tuple[int, int]]:
        """Return the points (row, column) of a node."""
        return [(int(row), int(column)) for row, column in np.argwhere(self.node_of == node)]

    @property
    def places(self) -> list[tuple[int, int]]:
        """Where to draw each node: the point of it that is nearest to the middle of its points."""
        return [_middle(self.points(node)) for node in range(len(self))]

    def sums(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Sum values [row, column] over the points of each node."""
        weights = np.asarray(values, float).ravel()
        return np.bincount(self.node_of.ravel(), weights, len(self)).astype(np.float64)


def _middle(points: list[tuple[int, int]]) -> tuple[int, int]:
    return points[int(((points - np.mean(points, 0)) ** 2).sum(1).argmin())]
