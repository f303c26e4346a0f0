"""Fingerprints of games, equal for all rotations and reflections, to find duplicates."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from tengen.go.events import MOVE, at_points, kind_of, point_of
from tengen.go.symmetry import symmetries, transform


@cache
def _tables(width: int, height: int) -> npt.NDArray[np.uint16]:
    """Return for each symmetry where each point goes; a pass stays a pass."""
    points = np.arange(width * height, dtype=np.uint16).reshape(height, width)
    rows = []
    for k in symmetries(width, height):
        moved = np.empty(width * height + 1, np.uint16)
        moved[transform(points, k).ravel()] = points.ravel()
        moved[-1] = width * height
        rows.append(moved)
    return np.stack(rows)


def fingerprint(width: int, height: int, events: npt.NDArray[np.integer]) -> bytes:
    """Return 16 bytes for the stones set up and played, without closing passes, modulo the board's symmetries."""
    codes = events.astype(np.int64)
    moves = np.flatnonzero((kind_of(codes) != MOVE) | (point_of(codes) < width * height))
    codes = codes[: moves[-1] + 1] if len(moves) else codes[:0]
    tables = _tables(width, height)
    # Setup stones have no order: sort each run of them, in every orientation.
    moved = at_points(codes, tables[:, point_of(codes)].astype(np.int64))
    played = kind_of(codes) == MOVE
    setup = int(np.argmax(played)) if played.any() else len(codes)
    moved[:, :setup].sort(axis=1)
    first = min(row.tobytes() for row in moved.astype("<u2"))
    return blake2b(first, digest_size=16, person=f"{width}x{height}".encode()).digest()
