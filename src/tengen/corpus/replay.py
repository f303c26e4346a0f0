"""Positions of stored games: a shard's games of one size and split, replayed natively up to some turns.

Start at `positions_at`. Games are rows of an Arrow table with the columns `COLUMNS`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tengen._core import replay_positions
from tengen.corpus.splits import Split, split_of
from tengen.go.events import MOVE, kind_of, point_of
from tengen.go.positions import Positions
from tengen.go.rules import Rules

if TYPE_CHECKING:
    from tengen._core import Rows

Places = npt.NDArray[np.int64]

COLUMNS = ["id", "width", "height", "rules", "komi", "handicap", "events"]
"""What is read of a game here."""
SHARD_NUMBERS = 1_000_000
"""The number of a game is shard · SHARD_NUMBERS + row."""


def rows_of(games: Any, size: int, split: Split | None) -> Places:
    """Return the rows of the games of one board size and split; None takes all splits."""
    fits = np.flatnonzero((games["width"].to_numpy() == size) & (games["height"].to_numpy() == size))
    if split is None:
        return fits.astype(np.int64)
    ids = games["id"].to_pylist()
    return np.array([row for row in fits.tolist() if split_of(ids[row]) == split], np.int64)


def positions_at(size: int, games: Any, rows: Places, turns: npt.NDArray[np.int32]) -> Positions:
    """Return the positions of some rows (in rising order) after some turns, with komi and rules."""
    rules, komi, handicap = (games[name].to_numpy(zero_copy_only=False) for name in ("rules", "komi", "handicap"))
    return Positions(
        *replayed(size, games["events"], rows, turns),
        komi[rows].astype(np.float64).round(4),
        handicap[rows].astype(np.int16),
        tuple(map(_parsed, rules[rows])),
    )


def replayed(size: int, events: Any, rows: Places, turns: npt.NDArray[np.int32]) -> Rows:
    """Replay the games of some rows (in rising order) up to their turns."""
    games, counts = np.unique(rows, return_counts=True)
    offsets, flat = game_events(events, games)
    turn_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return replay_positions(size, size, flat, offsets, turns, turn_offsets)


def moves_at(events: Any, rows: Places, turns: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the move played after some turns of the games of some rows (in rising order); −1 at the end of a game."""
    games, game = np.unique(rows, return_inverse=True)
    starts, flat = game_events(events, games)
    played = np.append(point_of(flat[kind_of(flat) == MOVE]).astype(np.int32), -1)
    ends = np.concatenate([[0], np.cumsum(kind_of(flat) == MOVE)])[starts]
    place = ends[game] + turns
    return np.where(place < ends[game + 1], played[np.minimum(place, len(played) - 1)], -1)


def game_events(column: Any, rows: Places) -> tuple[Places, npt.NDArray[np.uint16]]:
    """Return the events of some games one behind the other, and where each game begins."""
    offsets, flat = binary_rows(column, rows)
    return offsets // 2, flat.view("<u2").astype(np.uint16, copy=False)


def binary_rows(column: Any, rows: npt.NDArray[np.intp]) -> tuple[Places, npt.NDArray[np.uint8]]:
    """Return some rows of a binary column one behind the other, and where each begins."""
    if not len(rows):
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    values = column.take(rows).combine_chunks()
    values = values.chunk(0) if hasattr(values, "chunk") else values
    ends = np.frombuffer(values.buffers()[1], np.int32)[values.offset : values.offset + len(values) + 1]
    offsets = ends.astype(np.int64) - int(ends[0])
    return offsets, np.frombuffer(values.buffers()[2], np.uint8, count=int(offsets[-1]), offset=int(ends[0]))


@cache
def _parsed(rules: str) -> Rules:
    return Rules.parse(rules)
