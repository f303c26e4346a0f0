"""The games of the experiments, by collection: the part of a game's id before the first colon.

Start at `chosen_games`. The values learn from the games of GNU Go (a collection whose name begins with gnugo), as in
the paper. Of every other collection some games are set aside for the classification of winners (`pools`); filters learn
from positions of the rest (`for_filters`), so they never see a board that is tested. Where all games are GNU Go's, they
serve for everything; where none are, the values learn from what the filters learn from.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import isfinite
from typing import Any

import numpy as np

from tengen.corpus.plays import Plays, WholeGames, WonGames
from tengen.corpus.replay import Places
from tengen.corpus.store import Store
from tengen.errors import TengenError

SIZE = 9
LEAST = 60
"""A smaller collection is not tested on."""


@dataclass(frozen=True)
class SomePlays(Plays):
    """The played moves of the games with some ids."""

    ids: Collection[str] = ()

    def _chosen(self, games: Any) -> Places:
        names = games["id"].to_pylist()
        return np.array([row for row in super()._chosen(games).tolist() if names[row] in self.ids], np.int64)


@dataclass(frozen=True)
class Games:
    """Even 9×9 games with a winner."""

    store: Store
    collections: dict[str, list[str]]
    """The ids of each collection, in an order that does not depend on the store; GNU Go's only if there is no other."""
    gnugo: frozenset[str] = frozenset()
    """The ids of GNU Go's games; values learn from drawn ones too."""
    pools: dict[str, frozenset[str]] = field(default_factory=dict)
    """The games set aside for the classification of winners."""

    @cached_property
    def for_filters(self) -> WholeGames:
        """The games that filters learn from."""
        aside = frozenset[str]().union(*self.pools.values())
        return self.whole({name for ids in self.collections.values() for name in ids if name not in aside})

    @cached_property
    def for_values(self) -> WholeGames:
        """The games that values learn from."""
        return self.whole(self.gnugo) if self.gnugo else self.for_filters

    def whole(self, ids: Collection[str]) -> WholeGames:
        """Return the games with some ids, those that begin with Black on an empty board and alternate."""
        plays = SomePlays(self.store, SIZE, None, even=True, ids=ids)
        return joined([plays.whole_games(shard) for shard in plays.shards])

    def boards(self, collection: str, *shares: float) -> WonGames:
        """Return the positions of the games of a pool after shares of their moves, one after the other."""
        plays = SomePlays(self.store, SIZE, None, even=True, ids=self.pools[collection])
        return WonGames.join([plays.with_winners(shard, share) for share in shares for shard in plays.shards])


def chosen_games(store: Store, *, tested: int) -> Games:
    """Find the collections of a store; `tested` games of each are set aside, or all of a small one if others remain.

    With a single collection at most half of it is set aside.
    """
    gnugo: list[str] = []
    found: dict[str, list[str]] = {}
    plays = Plays(store, SIZE, None, even=True)
    for shard in plays.shards:
        table, results = store.table(shard, ["id", "width", "height", "handicap"]), plays.results(shard)
        columns = (table[name].to_pylist() for name in ("id", "width", "height", "handicap"))
        for name, width, height, handicap, result in zip(*columns, results.tolist(), strict=True):
            if (width, height) == (SIZE, SIZE) and handicap < 2:
                if name.startswith("gnugo") and isfinite(result):
                    gnugo.append(name)
                if result in (0.0, 1.0):
                    found.setdefault(name.partition(":")[0], []).append(name)
    if not found:
        raise TengenError(f"{store.path} has no even 9×9 games with a winner")
    others = {key: ids for key, ids in found.items() if not key.startswith("gnugo")} or found
    ordered = {key: sorted(ids, key=_mixed) for key, ids in sorted(others.items())}
    most = {key: len(ids) if len(ordered) > 1 else len(ids) // 2 for key, ids in ordered.items()}
    pools = {key: frozenset(ids[: min(tested, most[key])]) for key, ids in ordered.items() if most[key] >= LEAST}
    return Games(store, ordered, frozenset(gnugo), pools)


def joined(parts: list[WholeGames]) -> WholeGames:
    """Return several sets of games as one."""
    starts = np.cumsum([0, *(part.offsets[-1] for part in parts)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=False)]
    return WholeGames(
        SIZE,
        np.concatenate([part.moves for part in parts]),
        np.concatenate([*offsets, starts[-1:]]).astype(np.int64),
        np.concatenate([part.results for part in parts]),
        np.concatenate([part.komi for part in parts]),
    )


def shuffled(games: WholeGames, seed: int, most: int | None = None) -> WholeGames:
    """Return games in another order, at most some of them."""
    order = np.random.default_rng(seed).permutation(len(games))[:most]
    lengths = np.diff(games.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = np.repeat(games.offsets[order] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return WholeGames(games.size, games.moves[rows], offsets, games.results[order], games.komi[order])


def _mixed(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=8, person=b"tengen-largman").digest()
