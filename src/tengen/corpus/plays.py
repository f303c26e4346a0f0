"""Played moves: the positions of games with the move that was played in each, streamed from a store.

Start at `Plays`. No labels are needed. A position is drawn by a hash of the game's content, the move number and the
seed, so the same positions are drawn in every store that holds the game, and other seeds draw independently; only
drawn positions are written. A pass is a move too. Stores hold legal games only: an import leaves the others out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.replay import COLUMNS, SHARD_NUMBERS, Places, game_events, positions_at, rows_of
from tengen.corpus.splits import SPLITS, Split, share_of
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.go.arrays import taken
from tengen.go.events import MOVE, SETUP, colour_of, kind_of, point_of
from tengen.go.positions import Positions


@dataclass(frozen=True)
class PlayBatch:
    """Positions of one board size with the moves played in them, one row each."""

    positions: Positions
    moves: npt.NDArray[np.int32]
    """The move played: row · width + column, width · height for a pass."""
    games: Places
    """A number for the game of each position, the same within the game."""
    turns: npt.NDArray[np.int32]
    """Moves played before each position."""
    lengths: npt.NDArray[np.int32]
    """Moves in the whole game of each position, closing passes included."""

    def __len__(self) -> int:
        return len(self.moves)

    def take(self, rows: npt.NDArray[np.intp] | slice) -> PlayBatch:
        """Return some of the rows."""
        arrays = (taken(array, rows) for array in (self.moves, self.games, self.turns, self.lengths))
        return PlayBatch(self.positions.take(rows), *arrays)


@dataclass(frozen=True)
class WholeGames:
    """Games on an empty board, from the first move to the result; Black begins and the colours alternate."""

    size: int
    moves: npt.NDArray[np.int16]
    """The moves of all games: row · width + column, width · height for a pass."""
    offsets: Places
    """Game g has the moves from offsets[g] to offsets[g + 1] − 1."""
    results: npt.NDArray[np.float64]
    """1 if Black has won, 0 if White has, ½ for a draw."""
    komi: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.results)


@dataclass(frozen=True)
class WonGames:
    """One position of each of some games that somebody has won."""

    positions: Positions
    won: npt.NDArray[np.bool_]
    """Whether Black has won."""
    games: Places
    """A number for each game, the same at every call."""

    def __len__(self) -> int:
        return len(self.won)

    @classmethod
    def join(cls, parts: Sequence[WonGames]) -> WonGames:
        """Return all games of several parts."""
        columns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("won", "games"))
        return cls(Positions.join([part.positions for part in parts]), *columns)

    def take(self, rows: npt.NDArray[np.intp]) -> WonGames:
        """Return some of the games."""
        return WonGames(self.positions.take(rows), self.won[rows], self.games[rows])


@dataclass(frozen=True)
class Plays:
    """The played moves of one board size and split, streamed in the store's order; iterate it as often as you like."""

    store: Store
    size: int = 19
    split: Split | None = "train"
    """None takes all games."""
    sample: float = 0.1
    """The share of positions that are drawn; a larger share draws the same positions and more."""
    seed: int = 0
    even: bool | None = None
    """True for games without handicap and setup stones, False for all others, None for both."""
    games: float = 1.0
    """The share of games that are used, chosen by their ids; a larger share has the same games and more."""
    limit: int | None = None
    """Use only the first `limit` of these games."""
    batch: int = 4096

    def __post_init__(self) -> None:
        if self.split is not None and self.split not in SPLITS:
            raise TengenError(f"split is one of {', '.join(SPLITS)}, not {self.split!r}")
        for name, share in (("sample", self.sample), ("games", self.games)):
            if not 0 < share <= 1:
                raise TengenError(f"{name} is a share above 0 and at most 1, not {share!r}")
        if self.batch < 1 or (self.limit is not None and self.limit < 0):
            raise TengenError("batch is at least 1 and limit at least 0")

    @cached_property
    def shards(self) -> dict[int, int | None]:
        """The shards to read, each with how many of its games count; None stands for all."""
        if self.limit is None:
            return dict.fromkeys(self.store.shards)
        shards: dict[int, int | None] = {}
        left = self.limit
        for shard in self.store.shards:
            if left and (here := min(left, len(self._chosen(self.store.table(shard, COLUMNS))))):
                shards[shard] = here
                left -= here
        return shards

    @cached_property
    def total(self) -> int:
        """The number of moves in all of these games, drawn or not, without closing passes."""
        moves = 0
        for shard, count in self.shards.items():
            games = self.store.table(shard, [*COLUMNS, "length"])
            moves += int(games["length"].to_numpy()[self._chosen(games)[:count]].sum())
        return moves

    def __iter__(self) -> Iterator[PlayBatch]:
        for shard in self.shards:
            whole = self.positions(shard)
            for first in range(0, len(whole), self.batch):
                yield whole.take(slice(first, first + self.batch))

    def positions(self, shard: int) -> PlayBatch:
        """Return the drawn positions of a shard, by game and turn: what a worker takes."""
        games = self.store.table(shard, [*COLUMNS, "fingerprint"])
        rows = self._chosen(games)[: self.shards.get(shard, 0)]
        starts, events = game_events(games["events"], rows)
        played = np.flatnonzero(kind_of(events) == MOVE)
        lengths = _count(kind_of(events) == MOVE, starts)
        game = np.repeat(np.arange(len(rows)), lengths)
        turns = (np.arange(len(played)) - np.repeat(np.cumsum(lengths) - lengths, lengths)).astype(np.int32)
        content = np.frombuffer(b"".join(games["fingerprint"].to_pylist()), "<u8")[::2][rows]
        kept = np.flatnonzero(_chances(content[game], turns, self.seed) < self.sample)
        game, turns = game[kept], turns[kept]
        moves = np.minimum(point_of(events[played[kept]]), self.size**2).astype(np.int32)
        return PlayBatch(
            positions_at(self.size, games, rows[game], turns),
            moves,
            games=shard * SHARD_NUMBERS + rows[game],
            turns=turns,
            lengths=lengths[game].astype(np.int32),
        )

    def results(self, shard: int) -> npt.NDArray[np.float64]:
        """Return the result of every game of a shard: 1 if Black has won, 0 if White has, ½ for a draw, else NaN."""
        return _results(self.store.table(shard, ["result"]))

    def with_winners(self, shard: int, share: float) -> WonGames:
        """Return one position of each game of a shard that somebody has won: after a share of its moves, rounded down.

        Closing passes are not among the moves, so a share of 1 is the board that is counted.
        """
        games = self.store.table(shard, [*COLUMNS, "length", "result"])
        rows, results = self._chosen(games)[: self.shards.get(shard, 0)], _results(games)
        rows = rows[(results[rows] == 0) | (results[rows] == 1)]
        turns = (games["length"].to_numpy()[rows] * share).astype(np.int32)
        return WonGames(positions_at(self.size, games, rows, turns), results[rows] == 1, shard * SHARD_NUMBERS + rows)

    def whole_games(self, shard: int) -> WholeGames:
        """Return the games of a shard that begin with Black on an empty board, alternate and have a result."""
        games = self.store.table(shard, [*COLUMNS, "result"])
        rows = self._chosen(games)[: self.shards.get(shard, 0)]
        starts, events = game_events(games["events"], rows)
        kinds, first = kind_of(events), np.repeat(starts[:-1], np.diff(starts))
        turn = 1 + (np.arange(len(events)) - first) % 2
        odd = _count((kinds != MOVE) | (colour_of(events) != turn), starts) > 0
        kept = ~odd & np.isfinite(_results(games)[rows])
        inside = np.repeat(kept, np.diff(starts))
        offsets = np.concatenate([[0], np.cumsum(np.diff(starts)[kept])]).astype(np.int64)
        moves = np.minimum(point_of(events[inside]), self.size**2).astype(np.int16)
        rows = rows[kept]
        komi: npt.NDArray[np.float64] = games["komi"].to_numpy()[rows].astype(np.float64).round(4)
        return WholeGames(self.size, moves, offsets, _results(games)[rows], komi)

    def _chosen(self, games: Any) -> Places:
        rows = rows_of(games, self.size, self.split)
        if self.games < 1:
            ids = games["id"].to_pylist()
            rows = rows[[share_of(ids[row]) < self.games for row in rows.tolist()]]
        if self.even is None:
            return rows
        starts, events = game_events(games["events"], rows)
        handicap: npt.NDArray[np.int8] = games["handicap"].to_numpy()[rows]
        uneven = (handicap >= 2) | (_count(kind_of(events) == SETUP, starts) > 0)
        return rows[~uneven if self.even else uneven]


@dataclass(frozen=True)
class PlaySets:
    """Several sets of played moves as one: other stores, other board sizes. Their batches come in turn."""

    parts: tuple[Plays, ...]

    def __iter__(self) -> Iterator[PlayBatch]:
        streams = [iter(part) for part in self.parts]
        while streams:
            drawn = [(stream, next(stream, None)) for stream in streams]
            yield from (batch for _, batch in drawn if batch is not None)
            streams = [stream for stream, batch in drawn if batch is not None]

    def whole(self) -> PlaySets:
        """Return all moves of the same games, not only a sample."""
        return PlaySets(tuple(replace(part, sample=1.0) for part in self.parts))

    def epoch(self, number: int) -> PlaySets:
        """Return another sample of the same games."""
        return PlaySets(tuple(replace(part, seed=part.seed + number) for part in self.parts))


def _results(games: Any) -> npt.NDArray[np.float64]:
    values = {"B": 1.0, "W": 0.0, "D": 0.5}
    return np.array([values.get(result[:1], np.nan) for result in games["result"].to_pylist()])


def _count(mask: npt.NDArray[np.bool_], starts: Places) -> Places:
    """Return how many events of each game are in the mask."""
    before: Places = np.concatenate([[0], np.cumsum(mask)])[starts]
    return np.diff(before)


def _chances(content: npt.NDArray[np.uint64], turns: npt.NDArray[np.int32], seed: int) -> npt.NDArray[np.float64]:
    """Return a number in [0, 1) for each position, as if drawn at random."""
    step = np.uint64(0x9E3779B97F4A7C15)
    start = content ^ _scattered(np.array([seed % 2**64], np.uint64) + step)
    mixed = _scattered(_scattered(start) + turns.astype(np.uint64) * step)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _scattered(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return SplitMix64's finaliser of each number."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
