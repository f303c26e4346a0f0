"""The games of the experiments, and their positions as competitions between all legal moves.

Start at `chosen_games`. The id of a game decides its use: training games are those of the store's training split,
divided into draws that share no game; test games those of the test split, then of the validation split if there are too
few. `Choices` has no features of its own: `Choices.columns` writes those of one kind, and configurations share them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.plays import PlayBatch, Plays
from tengen.corpus.splits import Split
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.go.positions import Positions
from tengen.moves.competitions import Column, Competitions, Table

SIZES = (19, 13, 9)
ENOUGH = 60
"""A board size with this many training games is preferred to smaller ones."""

Levels = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Features:
    """Levels of moves: [n, points, column], where the pass has levels 0, or [n, points + 1, column] with the pass."""

    name: str
    tables: tuple[Table, ...]
    levels: Callable[[Positions], Levels]


@dataclass(frozen=True)
class Draw:
    """One of several draws of games that have no game in common; iterate it as often as you like."""

    plays: Plays
    number: int
    of: int

    def __iter__(self) -> Iterator[PlayBatch]:
        for batch in self.plays:
            yield batch.take(np.flatnonzero(batch.games % self.of == self.number))


@dataclass(frozen=True)
class Games:
    """Training and test games of one board size in a store."""

    store: Store
    size: int

    def training(self, games: int, *, sample: float, draw: int = 0, of: int = 1) -> Draw:
        """Return about `games` even games of one draw; `sample` is the share of their moves."""
        plays = Plays(self.store, self.size, sample=sample, seed=draw, even=True, limit=games * of)
        return Draw(plays, draw, of)

    def test(self, games: int, *, even: bool = True) -> list[PlayBatch]:
        """Return all positions of at most `games` games that nothing is learned from."""
        found: list[PlayBatch] = []
        splits: tuple[Split, ...] = ("test", "valid")
        for split in splits:
            left = games - len(np.unique([number for batch in found for number in batch.games.tolist()]))
            found += Plays(self.store, self.size, split, sample=1.0, even=even, limit=left)
        return [batch for batch in found if len(batch)]


def chosen_games(store: Store) -> Games:
    """Return the games of the largest board size that has enough of them, or else of the most common size."""
    counts = {size: _count(Plays(store, size, even=True, limit=ENOUGH)) for size in SIZES}
    size = max(SIZES, key=lambda size: counts[size])
    if not counts[size]:
        raise TengenError(f"{store.path} has no even games of 9×9, 13×13 or 19×19 to learn from")
    return Games(store, size)


def _count(plays: Plays) -> int:
    return sum(games or 0 for games in plays.shards.values())


class Choices:
    """Positions with all legal moves, the pass among them, and which of these was played."""

    def __init__(self, data: Iterable[PlayBatch]) -> None:
        self.data = data
        self._columns: dict[str, list[Column]] = {}
        counts, places, games = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for batch in map(_playable, data):
            legal = batch.positions.legal
            counts.append(legal.sum(1))
            places.append(legal.cumsum(1)[np.arange(len(batch)), batch.moves] - 1)
            games.append(batch.games)
        self.games = np.concatenate(games)
        self.counts = np.concatenate(counts)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])
        self.winners = self.starts[:-1] + np.concatenate(places)

    def __len__(self) -> int:
        return len(self.games)

    def columns(self, features: Features) -> list[Column]:
        """Return the levels of all moves, an array for each column; they are kept by the name of the features."""
        if features.name not in self._columns:
            self._columns[features.name] = self._written(features)
        return self._columns[features.name]

    def forget(self, features: Features) -> None:
        """Give the memory of some columns back."""
        self._columns.pop(features.name, None)

    def _written(self, features: Features) -> list[Column]:
        types = [table.dtype for table in features.tables for _ in range(table.columns)]
        columns: list[Column] = [np.zeros(self.starts[-1], dtype) for dtype in types]
        first = 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for batch in map(_playable, self.data):
                pieces = [batch.positions.take(rows) for rows in _pieces(len(batch))]
                for levels in pool.map(lambda positions: _of_legal(positions, features), pieces):
                    for column, values in zip(columns, levels.T, strict=True):
                        column[first : first + len(levels)] = values
                    first += len(levels)
        return columns

    def competitions(self, features: Sequence[Features], games: int | None = None) -> Competitions:
        """Join the columns of features; `games` takes the positions of the first games only."""
        tables = [table for each in features for table in each.tables]
        joined = [column for each in features for column in self.columns(each)]
        if games is None:
            return Competitions(tables, self.starts, self.winners, joined)
        known = np.unique(self.games, return_index=True)[1]
        count = len(self) if games >= len(known) else int(np.sort(known)[games])
        rows = int(self.starts[count])
        cut = [column[:rows] for column in joined]
        return Competitions(tables, self.starts[: count + 1], self.winners[:count], cut)

    def first_games(self, games: int) -> npt.NDArray[np.bool_]:
        """Return which positions belong to the first games."""
        return np.isin(self.games, np.unique(self.games)[:games])


def _playable(batch: PlayBatch) -> PlayBatch:
    """Leave out moves that our rules forbid, such as suicide."""
    legal = batch.positions.legal[np.arange(len(batch)), batch.moves] if len(batch) else np.zeros(0, bool)
    return batch if legal.all() else batch.take(np.flatnonzero(legal))


def _pieces(rows: int, size: int = 256) -> list[slice]:
    return [slice(first, first + size) for first in range(0, rows, size)]


def _of_legal(positions: Positions, features: Features) -> Levels:
    """Return the levels of the legal moves [move, column]."""
    levels, legal = features.levels(positions), positions.legal
    if levels.shape[1] < legal.shape[1]:
        levels = np.pad(levels, ((0, 0), (0, 1), (0, 0)))
    found: Levels = levels[legal]
    return found
