"""The contents of a drawing, shared by text and SVG.

Territory is marked on empty points and dead stones, never on living stones: a board full of squares is hard to read.
Arguments are checked here, so that the drawing functions need not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen.errors import TengenError
from tengen.go.points import MAX_SIZE, Point, PointLike, as_point, mask_of, star_points

Points: TypeAlias = NDArray[np.bool_] | Iterable[PointLike]
"""Points: a bool array [row, column], names, or pairs (row, column)."""

WILL_DIE = 0.5
"""A stone is drawn as dead if the opponent's ownership of its point is at least this."""


@dataclass(frozen=True)
class Picture:
    """A position ready to be drawn."""

    stones: NDArray[np.int8]
    """1 Black, −1 White, 0 empty."""
    dead: NDArray[np.bool_]
    """The stones to draw as dead."""
    unclear: NDArray[np.bool_]
    """Stones whose status is unclear."""
    seki: NDArray[np.bool_]
    """Stones that live in seki."""
    dame: NDArray[np.bool_]
    """Neutral points of a finished game."""
    territory: NDArray[np.float64]
    """The ownership to mark, in [−1, 1]; 0 where nothing is marked."""
    has_territory: bool
    """Whether the caller gave an ownership or an owner."""
    last_move: Point | None
    """Where the last stone was played."""
    stars: frozenset[Point]
    """The star points of a board of this size."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.stones.shape[1])

    @property
    def height(self) -> int:
        """The number of rows."""
        return int(self.stones.shape[0])


def picture_of(
    stones: ArrayLike,
    *,
    ownership: ArrayLike | None = None,
    owner: ArrayLike | None = None,
    dead: Points | None = None,
    unclear: Points = (),
    seki: Points = (),
    dame: Points = (),
    last_move: PointLike | None = None,
) -> Picture:
    """Check the arguments and decide which stones are dead and where territory is marked."""
    board = _stones(stones)
    if ownership is not None and owner is not None:
        raise TengenError("draw either the ownership (an estimate) or the owner (a count), not both")
    height, width = board.shape
    said = owner if owner is not None else ownership
    territory = np.zeros(board.shape) if said is None else _shares(said, board.shape)
    if dead is None:
        gone = board * territory <= -WILL_DIE
        marked = board * territory <= 0
    else:
        gone = _mask(dead, width, height, "dead stones") & (board != 0)
        marked = gone | (board == 0)
        territory = territory if owner is not None else np.where(gone, -board, territory)
    territory = np.where(marked, territory, 0.0)
    move, stars = _move(last_move, width, height), frozenset(star_points(width, height))
    unsure = _mask(unclear, width, height, "unclear stones") & (board != 0)
    in_seki = _mask(seki, width, height, "stones in seki") & (board != 0) & ~unsure
    neutral = _mask(dame, width, height, "dame") & (board == 0)
    return Picture(board, gone, unsure, in_seki, neutral, territory, said is not None, move, stars)


def _stones(stones: ArrayLike) -> NDArray[np.int8]:
    board = np.asarray(stones)
    if board.ndim != 2 or not all(1 <= length <= MAX_SIZE for length in board.shape):
        raise TengenError(f"a board has rows and columns, {MAX_SIZE} at most; this array has shape {board.shape}")
    if not np.isin(board, (-1, 0, 1)).all():
        raise TengenError("stones are 1 (Black), -1 (White) or 0 (empty)")
    return board.astype(np.int8)


def _shares(values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    shares = _shaped(values, shape, "values of ownership").astype(np.float64)
    if not (np.abs(shares) <= 1 + 1e-6).all():  # also refuses NaN
        raise TengenError("ownership lies between -1 (White) and 1 (Black)")
    return np.clip(shares, -1, 1)


def _mask(points: Points, width: int, height: int, what: str) -> NDArray[np.bool_]:
    if isinstance(points, np.ndarray):
        return _shaped(points, (height, width), what).astype(np.bool_)
    return mask_of(cast(Iterable[PointLike], points), width, height)


def _shaped(values: ArrayLike, shape: tuple[int, ...], what: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != shape:
        raise TengenError(f"{what} of shape {array.shape} do not fit a board of shape {shape}")
    return array


def _move(move: PointLike | None, width: int, height: int) -> Point | None:
    if move is None or (isinstance(move, str) and move.lower() == "pass"):
        return None
    return as_point(move, width, height)
