"""The games of the experiments: draws of training games, test games, and others for choices.

Start at `chosen_games`. Low learns the last ten positions of each game with the owners at its end (`LastTen`); labels
that exist for final positions only are used in this way, other labels position by position. The id of a game decides
its split and its draw: the draws have no game in common, and choices are made on the games of the split `valid`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet, join_batches
from tengen.corpus.replay import SHARD_NUMBERS, positions_at
from tengen.corpus.splits import Split
from tengen.corpus.store import Store
from tengen.errors import TengenError

SIZE = 9
LAST = 10
"""Positions of each game that Low learns."""


def draw_of(id: str, draws: int) -> int:
    """Return the draw of a game, which depends only on its id."""
    digest = blake2b(id.encode(), digest_size=8, person=b"tengen-low").digest()
    return int.from_bytes(digest, "little") % draws


@dataclass(frozen=True)
class DrawnGames(DataSet):
    """The labelled positions of the games of one draw."""

    draw: int = 0
    draws: int = 1
    """Number of draws; 1 for all games."""

    def _chosen_games(self, games: Any) -> dict[str, int]:
        chosen = super()._chosen_games(games)
        return {id_: row for id_, row in chosen.items() if draw_of(id_, self.draws) == self.draw}


@dataclass(frozen=True)
class LastTen(DrawnGames):
    """The last ten positions of each game, with the owners at its end (Low §3.1)."""

    def _replayed(self, shard: int, games: Any, labels: Any, chosen: dict[str, int]) -> Batch:
        ends = super()._replayed(shard, games, labels, chosen)
        back = np.tile(np.arange(LAST - 1, -1, -1), len(ends))
        again = ends.take(np.repeat(np.arange(len(ends)), LAST))
        return _moved(again, shard, games, np.maximum(again.lengths - back, 0))


@dataclass(frozen=True)
class Halfway(DataSet):
    """One position of each labelled game, after half of its moves; the labels are those of another position."""

    def _replayed(self, shard: int, games: Any, labels: Any, chosen: dict[str, int]) -> Batch:
        found = super()._replayed(shard, games, labels, chosen)
        found = found.take(np.unique(found.games, return_index=True)[1])
        return _moved(found, shard, games, found.lengths // 2)


def _moved(batch: Batch, shard: int, games: Any, turns: npt.NDArray[np.int32]) -> Batch:
    """Return a batch of one shard with the positions after other numbers of moves."""
    turns = turns.astype(np.int32)
    positions = positions_at(batch.boards.shape[1], games, batch.games - shard * SHARD_NUMBERS, turns)
    return replace(batch, positions=positions, turns=turns)


@dataclass(frozen=True)
class Games:
    """The source of the games."""

    store: Store
    labels: str
    outcomes: bool
    """Whether only final positions are labelled, so that all positions are those of `LastTen`."""
    draws: int = 3

    def training(self, draw: int, limit: int | None = None) -> DrawnGames:
        """Return the positions of a draw, of its first `limit` games or of all."""
        kind: Any = LastTen if self.outcomes else DrawnGames
        finals = True if self.outcomes else None
        found: DrawnGames = kind(self.store, self.labels, SIZE, finals=finals, limit=limit, draw=draw, draws=self.draws)
        return found

    def last_ten(self, draw: int, limit: int) -> LastTen:
        """Return the paper's examples: the last ten positions of `limit` games."""
        return LastTen(self.store, self.labels, SIZE, finals=True, limit=limit, draw=draw, draws=self.draws)

    def held_out(self, split: Split, positions: int) -> Batch:
        """Return at most a number of positions of a split: middle games, unless only final positions are labelled."""
        kind: Any = LastTen if self.outcomes else DataSet
        return self._some(kind(self.store, self.labels, SIZE, split=split, finals=self.outcomes), positions)

    def halfway(self, split: Split, positions: int) -> Batch:
        """Return at most a number of positions of a split for searches, one in the middle of each game."""
        return self._some(Halfway(self.store, self.labels, SIZE, split=split), positions)

    def _some(self, data: DataSet, positions: int) -> Batch:
        found = first_positions(data, positions)
        if found is None:
            raise TengenError(f"labels {self.labels!r} have no 9×9 game of the split {data.split}: take more games")
        return found


def first_positions(data: Iterable[Batch], count: int) -> Batch | None:
    """Return at most a number of positions, shuffled as the data are; None if there are none."""
    found: list[Batch] = []
    for batch in data:
        found.append(batch)
        if sum(map(len, found)) >= count:
            break
    return join_batches(found).take(slice(count)) if found else None


def chosen_games(corpus: Path, labels: str | None, draws: int = 3) -> Games:
    """Choose labels of 9×9 games: the ones named, or the first."""
    store = Store(corpus)
    if not store.labels:
        raise TengenError(f"{corpus} has no labels: make some with tengen corpus label")
    name = labels or store.labels[0]
    middle = DataSet(store, name, SIZE, split=None, finals=False, limit=1)
    if not middle.shards and not DataSet(store, name, SIZE, split=None, finals=True, limit=1).shards:
        raise TengenError(f"labels {name!r} have no 9×9 game")
    return Games(store, name, not middle.shards, draws)
