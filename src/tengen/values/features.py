"""Features of small windows of a board: exact templates, or what a table says of each patch.

Start at `PatchFeatures`. A window of m×m points has 3^(m·m) patches, coded as the sum of digit · 3^k over its points
row by row from the top left, with the digits 0 (empty), 1 (own stone) and 2 (other stone). Templates have one feature
per patch and window. A table h[patch, k] gives each window k features instead, such as the hidden units of a
convolutional restricted Boltzmann machine. The core computes them (core/include/tengen/patch_features.hpp).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import refused_by_core


class PatchFeatures:
    """The features of all windows of m×m points; several m together are possible without a table.

    `shared` sums the features over all windows of one size instead of keeping those of each window apart.
    """

    def __init__(
        self,
        m: int | Sequence[int] = 2,
        table: npt.NDArray[np.float32] | None = None,
        *,
        shared: bool = False,
    ) -> None:
        self.sizes: tuple[int, ...] = (m,) if isinstance(m, int) else tuple(m)
        self.table, self.shared = table, shared
        self._made: dict[tuple[int, int], _core.PatchFeatures] = {}
        self.on(3, 3)  # refuses a wrong table at once

    def on(self, width: int, height: int) -> _core.PatchFeatures:
        """Return the features of boards of a size, as the core has them."""
        if (width, height) not in self._made:
            with refused_by_core("patch features"):
                self._made[width, height] = _core.PatchFeatures(
                    width, height, list(self.sizes), self.shared, self.table
                )
        return self._made[width, height]

    def codes(self, stones: npt.NDArray[np.int8], own: npt.NDArray[np.int8]) -> npt.NDArray[np.uint16]:
        """Return the patch codes [n, window] of boards, each in the view of a colour: 1 Black, −1 White."""
        return self.on(stones.shape[2], stones.shape[1]).codes(stones, own)

    def matrix(self, stones: npt.NDArray[np.int8], own: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
        """Return all features [n, feature] of boards."""
        return self.on(stones.shape[2], stones.shape[1]).matrix(stones, own)

    @property
    def is_binary(self) -> bool:
        """Whether every feature is 0 or 1."""
        return self.table is None and not self.shared
