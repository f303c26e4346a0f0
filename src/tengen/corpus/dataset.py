"""Training batches: boards and targets as arrays, streamed from a store.

Start at `DataSet`. Iterating it reads a few shards at a time in random order, mixes their games, replays them natively
up to the labelled turns and yields batches. Memory use does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.labels import POLICY_BYTES, decode_ownership, decode_policy
from tengen.corpus.replay import COLUMNS, SHARD_NUMBERS, binary_rows, positions_at, rows_of
from tengen.corpus.splits import SPLITS, Split
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.extras import need
from tengen.go.arrays import taken
from tengen.go.positions import Positions


@dataclass(frozen=True)
class Batch:
    """Positions of one board size, one row each."""

    positions: Positions
    targets: npt.NDArray[np.float32]
    """Ownership [n, row, column] from −1 to 1, Black positive; NaN where there is no label."""
    weights: npt.NDArray[np.float32]
    games: npt.NDArray[np.int64]
    """A number that identifies the game of each position."""
    turns: npt.NDArray[np.int32]
    """Number of moves before each position."""
    lengths: npt.NDArray[np.int32]
    """Number of moves in the game of each position."""
    leads: npt.NDArray[np.float32]
    """Black's lead according to the teacher, or NaN."""
    winrates: npt.NDArray[np.float32]
    """Black's winrate according to the teacher, or NaN."""
    packed_policies: npt.NDArray[np.uint8]
    """The teacher's likeliest moves as stored [n, bytes]; see `policies`."""

    @cached_property
    def policies(self) -> npt.NDArray[np.float32]:
        """The teacher's move probabilities [n, points + 1], pass last; a row sums to 1, or is NaN if not labelled."""
        return decode_policy(self.packed_policies, self.positions.points)

    @property
    def boards(self) -> npt.NDArray[np.int8]:
        """Stones [n, row, column]: 1 Black, −1 White, 0 empty."""
        return self.positions.stones

    @property
    def to_play(self) -> npt.NDArray[np.int8]:
        """1 if Black is to play, −1 if White."""
        return self.positions.to_play

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, rows: npt.NDArray[np.intp] | slice) -> Batch:
        """Return some of the rows."""
        arrays = {name: taken(getattr(self, name), rows) for name in _ARRAYS}
        return Batch(self.positions.take(rows), **arrays)


@dataclass(frozen=True)
class DataSet:
    """The labelled positions of one board size and split; can be iterated repeatedly."""

    store: Store
    labels: str
    size: int = 19
    split: Split | None = "train"
    """None for all games."""
    finals: bool | None = None
    """True for final positions only, False for all others, None for both."""
    batch: int = 512
    seed: int | None = 0
    """Seed of the order of games; None keeps the store's order."""
    mixed_shards: int = 8
    limit: int | None = None
    """Use only the first `limit` labelled games, in the store's order."""

    def __post_init__(self) -> None:
        if self.split is not None and self.split not in SPLITS:
            raise TengenError(f"split is one of {', '.join(SPLITS)}, not {self.split!r}")
        self.store.label_folder(self.labels)

    @property
    def parts(self) -> tuple[DataSet, ...]:
        """A tuple of this data set, for callers that also accept DataSets."""
        return (self,)

    def epoch(self, number: int) -> DataSet:
        """Return the same data in a different order for another pass."""
        if self.seed is None:
            return self
        other = replace(self, seed=self.seed + 1_000_003 * number)
        other.__dict__["shards"] = self.shards
        return other

    @cached_property
    def shards(self) -> dict[int, int | None]:
        """The shards with positions, each with the number of games to use; None for all."""
        if self.limit is None:
            return {shard: None for shard in self.store.shards if self.labelled_ids(shard)}
        left = self.limit
        shards: dict[int, int | None] = {}
        for shard in self.store.shards:
            if left and (ids := self.labelled_ids(shard)):
                here = len(self._chosen_games(self.store.table(shard, ["id", "width", "height"])).keys() & ids)
                shards |= {shard: min(left, here)} if here else {}
                left -= min(left, here)
        return shards

    def __iter__(self) -> Iterator[Batch]:
        random = None if self.seed is None else np.random.default_rng(self.seed)
        shards = np.array(self.store.shards) if random is None else random.permutation(len(self.store.shards))
        shards = shards if self.limit is None else shards[np.isin(shards, list(self.shards))]
        rest: Batch | None = None
        for first in range(0, len(shards), self.mixed_shards):
            group = [self.positions(int(shard)) for shard in shards[first : first + self.mixed_shards]]
            mixed = _mixed(([rest] if rest is not None else []) + group, random)
            whole = len(mixed) // self.batch * self.batch
            for start in range(0, whole, self.batch):
                yield mixed.take(slice(start, start + self.batch))
            rest = mixed.take(slice(whole, None))
        if rest is not None and len(rest):
            yield rest

    def positions(self, shard: int) -> Batch:
        """Return the labelled positions of a shard, sorted by game and turn."""
        labels = self.store.label_table(self.labels, shard)
        if labels is None:
            return _empty(self.size)
        games = self.store.table(shard, [*COLUMNS, "length"])
        chosen = self._chosen_games(games)
        if self.limit is not None:
            labelled = sorted(chosen.keys() & self.labelled_ids(shard), key=chosen.__getitem__)
            chosen = {id_: chosen[id_] for id_ in labelled[: self.shards.get(shard, 0)]}
        return self._replayed(shard, games, labels, chosen)

    def labelled_ids(self, shard: int) -> set[str]:
        """Return the games with a label; with `finals`, the games with a label on such a position."""
        labels = self.store.label_table(self.labels, shard, ["id", "turn"])
        if labels is None:
            return set()
        ids = labels["id"].to_pylist()
        if self.finals is None:
            return set(ids)
        games = self.store.table(shard, ["id", "length"])
        length = dict(zip(games["id"].to_pylist(), games["length"].to_pylist(), strict=True))
        turns = labels["turn"].to_pylist()
        return {i for i, turn in zip(ids, turns, strict=True) if i in length and (turn >= length[i]) == self.finals}

    def _chosen_games(self, games: Any) -> dict[str, int]:
        ids = games["id"].to_pylist()
        return {ids[row]: row for row in rows_of(games, self.size, self.split).tolist()}

    def _replayed(self, shard: int, games: Any, labels: Any, chosen: dict[str, int]) -> Batch:
        length = games["length"].to_numpy()
        found = need("pyarrow.compute").index_in(labels["id"], games["id"]).fill_null(-1)
        rows = found.to_numpy().astype(np.int64)
        turns = labels["turn"].to_numpy().astype(np.int32)
        is_chosen = np.zeros(len(length) + 1, bool)  # the last entry is for labels of games not in this shard
        is_chosen[list(chosen.values())] = True
        keep = is_chosen[rows]
        if self.finals is not None:
            keep &= (turns >= length[rows]) == self.finals
        kept = np.flatnonzero(keep)
        kept = kept[np.lexsort((turns[kept], rows[kept]))]
        rows, turns = rows[kept], turns[kept]
        return Batch(
            positions=positions_at(self.size, games, rows, turns),
            targets=decode_ownership(_owners(labels, kept, self.size)),
            weights=np.ones(len(kept), np.float32),
            games=shard * SHARD_NUMBERS + rows,
            turns=turns,
            lengths=length[rows].astype(np.int32),
            leads=_floats(labels["lead"], kept),
            winrates=_floats(labels["winrate"], kept),
            packed_policies=_policies(labels["policy"], kept),
        )


@dataclass(frozen=True)
class DataSets:
    """Several data sets with different labels or board sizes. Their batches alternate."""

    parts: tuple[DataSet, ...]

    def __iter__(self) -> Iterator[Batch]:
        streams = [iter(part) for part in self.parts]
        while streams:
            drawn = [(stream, next(stream, None)) for stream in streams]
            yield from (batch for _, batch in drawn if batch is not None)
            streams = [stream for stream, batch in drawn if batch is not None]

    def epoch(self, number: int) -> DataSets:
        """Return the same data in a different order for another pass."""
        return DataSets(tuple(part.epoch(number) for part in self.parts))


def _owners(labels: Any, rows: npt.NDArray[np.intp], size: int) -> npt.NDArray[np.int8]:
    return _fixed_rows(labels["ownership"], rows, size * size).view(np.int8).reshape(-1, size, size)


def _policies(column: Any, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
    """Return rows of the policies as stored; zeros where there are none."""
    there = column.is_valid().to_numpy()[rows]
    packed = np.zeros((len(rows), POLICY_BYTES), np.uint8)
    packed[there] = _fixed_rows(column, rows[there], POLICY_BYTES).reshape(-1, POLICY_BYTES)
    return packed


def _floats(column: Any, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    return np.asarray(column.to_numpy(zero_copy_only=False)[rows], np.float32)


def _fixed_rows(column: Any, rows: npt.NDArray[np.intp], width: int) -> npt.NDArray[np.uint8]:
    """Return some rows of a binary column whose values all have `width` bytes."""
    offsets, values = binary_rows(column, rows)
    if (np.diff(offsets) != width).any():
        raise TengenError("a label does not have the size of its board")
    return values


_ARRAYS = [each.name for each in fields(Batch) if each.name != "positions"]


def join_batches(parts: list[Batch]) -> Batch:
    """Concatenate batches of one board size."""
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
    return Batch(Positions.join([part.positions for part in parts]), **arrays)


def _mixed(parts: list[Batch], random: np.random.Generator | None) -> Batch:
    joined = join_batches(parts)
    return joined if random is None else joined.take(random.permutation(len(joined)))


def _empty(size: int) -> Batch:
    boards = np.zeros((0, size, size), np.int8)
    floats, turns = np.zeros(0, np.float32), np.zeros(0, np.int32)
    return Batch(
        positions=Positions.of_stones(boards),
        targets=boards.astype(np.float32),
        weights=floats,
        games=np.zeros(0, np.int64),
        turns=turns,
        lengths=turns,
        leads=floats,
        winrates=floats,
        packed_policies=np.zeros((0, POLICY_BYTES), np.uint8),
    )
