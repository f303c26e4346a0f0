"""The fingerprint of a game: the same for all its rotations and reflections, so that copies are found."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from tengen.go.symmetry import symmetries, transform


@cache
def _tables(width: int, height: int) -> npt.NDArray[np.uint16]:
    """For each symmetry, where each point goes; a pass stays a pass."""
    points = np.arange(width * height, dtype=np.uint16).reshape(height, width)
    rows = []
    for k in symmetries(width, height):
        moved = np.empty(width * height + 1, np.uint16)
        moved[transform(points, k).ravel()] = points.ravel()
        moved[-1] = width * height
        rows.append(moved)
    return np.stack(rows)


def fingerprint(width: int, height: int, events: npt.NDArray[np.integer]) -> bytes:
    """Return 16 bytes for the stones set up and played, closing passes left out, modulo the board's symmetries."""
    codes = events.astype(np.int64)
    moves = np.flatnonzero((codes & 3 != 0) | (codes >> 4 < width * height))
    codes = codes[: moves[-1] + 1] if len(moves) else codes[:0]
    tables = _tables(width, height)
    # Stones set up have no order: sort each run of them, in every orientation.
    moved = (tables[:, codes >> 4].astype(np.int64) << 4) | (codes & 15)
    setup = int(np.argmax(codes & 3 == 0)) if (codes & 3 == 0).any() else len(codes)
    moved[:, :setup].sort(axis=1)
    first = min(row.tobytes() for row in moved.astype("<u2"))
    return blake2b(first, digest_size=16, person=f"{width}x{height}".encode()).digest()
