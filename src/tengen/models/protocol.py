"""What models learn from, and how exactly they repeat themselves.

Start at `Data`: batches with boards, targets and weights. The data sets of tengen.corpus give more, such as policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Exactness: TypeAlias = Literal["exact", "rounding", "sampled"]
"""How strictly symmetry, batch and reload agree: to 1e-12, to 1e-5, or within four standard errors."""

FloatArray: TypeAlias = npt.NDArray[np.float64]

Progress: TypeAlias = Callable[[float], None]
"""Is told now and then which share of the work is done, from 0 to 1."""


class Batch(Protocol):
    """Some boards of one size and what a model should say of them."""

    @property
    def boards(self) -> npt.NDArray[np.int8]:
        """Stones [n, row, column]: 1 Black, −1 White, 0 empty."""

    @property
    def targets(self) -> npt.NDArray[np.floating[Any]]:
        """The owner of each point [n, row, column] in [−1, 1]; NaN where nobody has said."""

    @property
    def weights(self) -> npt.NDArray[np.floating[Any]]:
        """How much each board counts: [n], or [n, row, column] for each point."""


Data: TypeAlias = Iterable[Batch]
"""What models learn from: batches, streamed; batches may differ in the size of their boards."""
