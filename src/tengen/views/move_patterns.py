"""Circular patterns around moves: the stones around an empty point as its player sees them (van Niekerk & Kroon).

Start at `harvest_moves`, which counts the patterns of played moves and keeps the frequent ones; a
`tengen._core.MovePatterns` of their keys then finds the largest known pattern around every empty point of a board. A
pattern of size s (3 to 15) holds the points within gradual distance s of the move; patterns that are equal under
rotation or reflection have one key, and colours are own and enemy, not Black and White.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import index

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.corpus.plays import PlayBatch
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.views import patterns

SIZES = range(3, 16)
"""The sizes of patterns."""
MARKED_SIZES = range(4, 10)
"""The sizes of the response patterns with a marked last move: the first six of their eight columns."""
CELLS = 26
"""A harvest first counts keys by their upper 26 bits, one byte each: 64 MB."""
PENDING = 1 << 22
"""Number of keys that a harvest collects before it adds them up."""

Keys = npt.NDArray[np.uint64]
KeysOf = Callable[[Positions, npt.NDArray[np.int32]], Keys]
"""Returns the keys of one move per position [n, column]; 0 for none."""


@dataclass(frozen=True)
class MoveCounts:
    """Patterns by how often they occurred around a played move, sorted by key."""

    keys: Keys
    sizes: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


def move_pattern_keys(positions: Positions, moves: npt.NDArray[np.int32] | None = None) -> Keys:
    """Return the keys of each size [n, size] around one move per position, or around all points [n, point, size].

    Keys are 0 for a pass and, among all points, for occupied ones.
    """
    return _core.move_pattern_keys(positions.stones, positions.to_play, moves)


def response_keys(positions: Positions, moves: npt.NDArray[np.int32]) -> Keys:
    """Return the keys of response patterns (core/include/tengen/response_pattern.hpp) around one move per position.

    A key is 0 where a column does not apply: for a pass, and if the last move is too far away.
    """
    rows = (positions.stones, positions.to_play, positions.ko, positions.last_moves, positions.passes)
    return _core.response_keys(*rows, moves)


def harvest_moves(
    data: Iterable[PlayBatch],
    *,
    min_count: int = 20,
    keys_of: KeysOf = move_pattern_keys,
    columns: Sequence[int] = SIZES,
) -> MoveCounts:
    """Count the patterns around played moves and keep those that occurred at least `min_count` times.

    The data is read twice. Most large patterns occur once: the first pass counts keys by their upper bits, which never
    counts too few, and the second counts exactly those that may be frequent enough. A pattern never occurs more often
    than the smaller ones inside it, so these are kept with it.
    """
    cells = np.zeros(1 << CELLS, np.uint8)
    for batch in data:
        met, times = np.unique(_cells(_played_keys(batch, keys_of)), return_counts=True)
        cells[met] = np.minimum(cells[met] + times, 255)
    frequent = cells >= min(min_count, 255)
    tallies = [_Tally() for _ in columns]
    for batch in data:
        keys = _played_keys(batch, keys_of)
        maybe = frequent[_cells(keys)] & (keys != 0)
        for i, tally in enumerate(tallies):
            tally.add(keys[maybe[:, i], i])
    return _joined([tally.at_least(min_count) for tally in tallies], columns)


def pattern_text(board: Board, move: int, size: int) -> str:
    """Draw the pattern around a move: * the move, X own stones, O the enemy's, # off the board."""
    move, size = index(move), index(size)
    if size not in SIZES or not 0 <= move < board.width * board.height:
        raise TengenError(f"a pattern has a size from 3 to 15 and a move on the board, not {size!r} and {move!r}")
    own = board.stones if board.to_play == "black" else -board.stones
    lines = patterns.pattern_text(own, *divmod(move, board.width), size).splitlines()
    reach = size // 2
    lines[reach] = lines[reach][: 2 * reach] + "*" + lines[reach][2 * reach + 1 :]
    return "\n".join(lines)


@dataclass
class _Tally:
    """Counts of the keys of one size."""

    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    waiting: list[Keys] = field(default_factory=list)

    def add(self, keys: Keys) -> None:
        self.waiting.append(keys)
        if sum(map(len, self.waiting)) > PENDING // len(SIZES):
            self.settle()

    def settle(self) -> None:
        keys = np.concatenate([self.keys, *self.waiting])
        times = np.ones(len(keys), np.int64)
        times[: len(self.keys)] = self.counts
        self.keys, place = np.unique(keys, return_inverse=True)
        self.counts = np.bincount(place, times, len(self.keys)).astype(np.int64)
        self.waiting = []

    def at_least(self, count: int) -> _Tally:
        self.settle()
        kept = self.counts >= count
        return _Tally(self.keys[kept], self.counts[kept])


def _joined(tallies: list[_Tally], columns: Sequence[int]) -> MoveCounts:
    keys = np.concatenate([tally.keys for tally in tallies])
    sizes = np.repeat(np.array(columns, np.uint8), [len(tally.keys) for tally in tallies])
    order = np.argsort(keys)
    return MoveCounts(keys[order], sizes[order], np.concatenate([tally.counts for tally in tallies])[order])


def _played_keys(batch: PlayBatch, keys_of: KeysOf) -> Keys:
    """Return the keys of the moves that are not passes [n, column]."""
    keys = keys_of(batch.positions, batch.moves)
    return keys[batch.moves < batch.positions.points]


def _cells(keys: Keys) -> npt.NDArray[np.int64]:
    return (keys >> np.uint64(64 - CELLS)).astype(np.int64)
