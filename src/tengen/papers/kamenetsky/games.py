"""The finished games of the experiments: their final positions, owners and results.

Start at `finished_games`. A chain is dead if the other side owns its points; points of neutral regions are not
predicted, as in the paper. Half of the games are used for training and half for testing, depending only on their ids;
a fifth of the training games is set aside for choosing settings (`lesson_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.go.counting import find_territory
from tengen.measure.finals import FinalErrors, final_errors
from tengen.measure.ownership import SURE
from tengen.models.protocol import FloatArray
from tengen.views.graphs import NEUTRAL, block_graph

COLLECTION = "goquest"
"""The preferred source of 9×9 games: quick games of people, counted by the server under Chinese rules."""


@dataclass(frozen=True, eq=False)
class Finals:
    """Finished games of one size, one entry per game in every array."""

    ids: list[str]
    boards: npt.NDArray[np.int8]
    targets: FloatArray
    """The owner of each point: 1 Black, −1 White, 0 unknown or neutral."""
    komi: FloatArray
    leads: FloatArray
    """Black's recorded lead, komi included."""

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Iterable[int]) -> Finals:
        """Return some of the games."""
        at = np.array(list(rows), np.intp)
        ids = [self.ids[i] for i in at]
        return Finals(ids, self.boards[at], self.targets[at], self.komi[at], self.leads[at])

    @property
    def weights(self) -> FloatArray:
        """The weight of each game, part of the interface of a training batch."""
        return np.ones(len(self))

    def errors(self, owner: FloatArray) -> FinalErrors:
        """Return the paper's four errors of owners [game, row, column]."""
        graphs = [block_graph(board) for board in self.boards]
        node_of = np.stack([graph.node_of for graph in graphs])
        neutral = np.stack([graph.kinds[graph.node_of] == NEUTRAL for graph in graphs])
        leads = [area_lead(board, said) for board, said in zip(self.boards, owner, strict=True)] - self.komi
        truth = np.where(neutral, 0, self.targets)
        return final_errors(owner, truth, np.where(self.boards != 0, node_of, -1), leads, self.leads)


def area_lead(stones: npt.NDArray[np.int8], owner: FloatArray) -> float:
    """Return Black's area minus White's after removing chains owned by the other side."""
    graph = block_graph(stones)
    whose = np.sign(graph.sums(owner))[graph.node_of]
    alive = np.where(whose == -stones, 0, stones).astype(np.int8)
    return float((alive + find_territory(alive)[0]).sum())


def learned_from(id: str) -> bool:
    """Return whether a game is used for training, which depends only on its id."""
    return _digest(id)[0] % 2 == 0


def _digest(id: str) -> bytes:
    return blake2b(id.encode(), digest_size=8, person=b"tengen-planar").digest()


@dataclass(frozen=True, eq=False)
class Lesson:
    """The training games."""

    draws: tuple[Finals, ...]
    """Draws without a common game; every model is trained on each."""
    valid: Finals
    """For choosing settings."""


def lesson_of(learn: Finals, draws: int, most: int | None = None) -> Lesson:
    """Divide training games into draws, each of at most a number of games, and a fifth for choosing settings."""
    order = sorted(range(len(learn)), key=lambda i: _digest(learn.ids[i]))
    aside = -(-len(learn) // 5)
    rest = sorted(order[aside:])
    if len(rest) < draws:
        raise TengenError(f"{len(learn)} games are too few to learn from and to choose settings on")
    return Lesson(tuple(learn.take(rest[i::draws][:most]) for i in range(draws)), learn.take(sorted(order[:aside])))


def finished_games(store: Store, labels: str, size: int) -> tuple[Finals, Finals]:
    """Return the training and test games: counted games whose final position is labelled."""
    rows = list(_rows(store, labels, size))
    chosen = [row for row in rows if row["id"].startswith(f"{COLLECTION}:")] if size == 9 else rows
    rows = chosen or rows
    if not rows:
        raise TengenError(f"labels {labels!r} have no finished game of size {size}")
    columns = (np.array([row[key] for row in rows]) for key in ("board", "target", "komi", "lead"))
    games = Finals([row["id"] for row in rows], *columns)
    learned = [learned_from(id_) for id_ in games.ids]
    return games.take(np.flatnonzero(learned)), games.take(np.flatnonzero(np.logical_not(learned)))


def has_finals(store: Store, labels: str, size: int) -> bool:
    """Return whether a label set has finished games of a size."""
    return next(_rows(store, labels, size), None) is not None


def _rows(store: Store, labels: str, size: int) -> Iterator[dict[str, Any]]:
    data = DataSet(store, labels, size=size, split=None, finals=True, seed=None)
    for shard in data.shards:
        games = store.table(shard, ["id", "komi", "lead"]).to_pylist()
        batch = data.positions(shard)
        for board, owner, number in zip(batch.boards, batch.targets, batch.games.tolist(), strict=True):
            game = games[number % 1_000_000]
            if game["lead"] is not None:
                target = np.where(np.abs(owner) >= SURE, np.sign(owner), 0.0)
                yield {**game, "board": board, "target": target}
