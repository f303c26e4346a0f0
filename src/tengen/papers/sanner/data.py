"""The games of the experiments: training and test games, and the final owners.

Start at `chosen_games`. The paper's target is the final outcome: the label of the final position is used for all
positions of the game (`Outcomes`), as ±1 where the teacher is sure and as unknown elsewhere. Label sets without final
positions are used position by position. The id of a game decides its use: the store's test split is for testing, its
validation split for choosing settings, one in ten of the others for the couplings, so that these are trained on games
that the pattern models have not seen, and the rest for the patterns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet, join_batches
from tengen.corpus.replay import SHARD_NUMBERS, replayed
from tengen.corpus.splits import split_of
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.go.positions import Positions
from tengen.measure.arrays import numbered
from tengen.measure.ownership import SURE

Part: TypeAlias = Literal["patterns", "couplings", "valid", "test"]

ENOUGH = 100
"""Number of labelled 19×19 games needed for an experiment on 19×19."""


def part_of(id: str) -> Part:
    """Return the use of a game, which depends only on its id."""
    split = split_of(id)
    if split != "train":
        return split
    digest = blake2b(id.encode(), digest_size=8, person=b"tengen-sanner").digest()
    return "couplings" if int.from_bytes(digest, "little") % 10 == 0 else "patterns"


@dataclass(frozen=True)
class PartOfGames(DataSet):
    """The labelled positions of the games of one part."""

    part: Part = "patterns"

    def _chosen_games(self, games: Any) -> dict[str, int]:
        return {id_: row for id_, row in super()._chosen_games(games).items() if part_of(id_) == self.part}


@dataclass(frozen=True)
class Outcomes(PartOfGames):
    """Evenly spaced positions of every game, each with the owners at the end of the game."""

    stages: int = 10

    def _replayed(self, shard: int, games: Any, labels: Any, chosen: dict[str, int]) -> Batch:
        ends = super()._replayed(shard, games, labels, chosen)
        again = np.repeat(np.arange(len(ends)), self.stages)
        shares = (np.arange(self.stages) + 0.5) / self.stages
        turns = (ends.lengths[:, None] * shares).astype(np.int32).ravel()
        rows, same = (
            replayed(self.size, games["events"], ends.games[again] - shard * SHARD_NUMBERS, turns),
            ends.take(again),
        )
        positions = Positions(*rows, same.positions.komi, same.positions.handicap, same.positions.rules)
        return replace(same, positions=positions, targets=decided(same.targets), turns=turns)


def decided(ownership: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return ±1 where the owner is sure and NaN elsewhere."""
    known = np.abs(ownership) >= SURE
    return np.where(known, np.sign(ownership), np.nan).astype(np.float32)


@dataclass(frozen=True)
class TrainingGames:
    """The source of the games."""

    store: Store
    labels: str
    size: int
    outcomes: bool
    """Whether the label of a game's final position is used for all its positions, not each position's own."""
    stages: int

    def data(self, part: Part, limit: int | None = None) -> PartOfGames:
        """Return the positions of one part, shuffled."""
        rest: dict[str, Any] = {"size": self.size, "split": None, "limit": limit, "part": part}
        if self.outcomes:
            return Outcomes(self.store, self.labels, finals=True, stages=self.stages, **rest)
        return PartOfGames(self.store, self.labels, **rest)

    def sample(self, part: Part, positions: int) -> Batch:
        """Return at most a number of positions of a part, shuffled."""
        found: list[Batch] = []
        for batch in self.data(part):
            found.append(batch)
            if sum(map(len, found)) >= positions:
                break
        if not found:
            raise TengenError(
                f"labels {self.labels!r} have no game of size {self.size} for the {part}: take more games"
            )
        return join_batches(found).take(slice(positions))

    def draws(self, part: Part, count: int, positions: int) -> tuple[Batch, ...]:
        """Return several samples without a common game, each of at most a number of positions."""
        pool = self.sample(part, 2 * count * positions if count > 1 else positions)
        draw = numbered(pool.games)[0] % count
        found = (pool.take(np.flatnonzero(draw == i)[:positions]) for i in range(count))
        return tuple(batch for batch in found if len(batch))

    def held_out(self, games: int, stages: int) -> Batch:
        """Return a number of positions from each of the first test games, in the store's order."""
        data = replace(self, stages=stages).data("test", games)
        found = [batch for shard in data.shards if len(batch := data.positions(shard))]
        if not found:
            raise TengenError(f"labels {self.labels!r} have no game of size {self.size} in the test split")
        return join_batches(found)

    def boards(self, size: int, count: int) -> npt.NDArray[np.int8]:
        """Return boards of a size for measuring time; none if the corpus has none."""
        other = replace(self, size=size)
        for part in ("test", "couplings", "patterns"):
            batch = next(iter(other.data(part)), None)
            if batch is not None and len(batch):
                return batch.boards[:count]
        return np.zeros((0, size, size), np.int8)


def chosen_games(corpus: Path, labels: str | None, stages: int) -> TrainingGames:
    """Choose labels and board size: labels of final positions before others, 19×19 if there are enough games."""
    store = Store(corpus)
    if not store.labels:
        raise TengenError(f"{corpus} has no labels: make some with tengen corpus label")
    names = store.labels if labels is None else [labels]
    found = {name: _labelled(store, name, finals=True) for name in names}
    name = next((name for name in names if found[name]), names[0])
    outcomes = bool(found[name])
    sizes = found[name] or _labelled(store, name, finals=None)
    if not sizes:
        raise TengenError(f"labels {name!r} of {corpus} are empty")
    size = 19 if sizes[19] >= ENOUGH else sizes.most_common(1)[0][0]
    return TrainingGames(store, name, size, outcomes, stages)


def _labelled(store: Store, name: str, finals: bool | None) -> Counter[int]:
    """Count the labelled games by board size, shard by shard until one size has enough."""
    data = DataSet(store, name, split=None, finals=finals)
    sizes: Counter[int] = Counter()
    for shard in store.shards:
        ids = data.labelled_ids(shard)
        games = store.table(shard, ["id", "width", "height"]).to_pylist() if ids else []
        sizes.update(game["width"] for game in games if game["id"] in ids and game["width"] == game["height"])
        if sizes[19] >= ENOUGH:
            break
    return sizes
