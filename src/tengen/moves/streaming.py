"""Played moves as competitions, batch by batch, and learning from them that can be interrupted.

Start at `competition_of`, which finds the levels of all moves of a batch. Weights by minorization–maximization need all
competitions at once (competitions.py); factors are learned from one piece after the other, of which only the state of
the training is kept on disk: see `StreamedTraining`. `claim_folder` keeps the work files of two fits apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.corpus.plays import PlayBatch, PlaySets
from tengen.errors import ModelError
from tengen.go.files import whole_file, write_atomically
from tengen.go.positions import Positions
from tengen.moves.competitions import Competitions, Table
from tengen.moves.factors import FactorTraining

PIECE = 512
"""Positions whose moves are held in memory at once."""
KEEP_EVERY = 200
"""Pieces after which the state of a training is written."""

PlayData: TypeAlias = Iterable[PlayBatch]
"""Played moves that can be read several times: a list of batches, `Plays` or `PlaySets`."""


def feature_arrays(positions: Positions) -> tuple[Any, ...]:
    """Return the arrays of positions that the features of moves depend on."""
    return positions.stones, positions.to_play, positions.ko, positions.last_moves, positions.passes


def competition_of(
    native: _core.MovePolicy, batch: PlayBatch
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], list[npt.NDArray[Any]]]:
    """Return the number of legal moves, the place of the move played among them, and the levels by column."""
    legal = batch.positions.legal
    if not (fair := legal[np.arange(len(batch)), batch.moves]).all():
        batch = batch.take(np.flatnonzero(fair))
        legal = legal[fair]
    rows = feature_arrays(batch.positions)
    levels = native.levels(*rows)[legal] if len(batch) else np.zeros((0, native.columns), np.uint32)
    places = legal.cumsum(axis=1)[np.arange(len(batch)), batch.moves] - 1
    return legal.sum(axis=1), places, list(levels.T)


class StreamedTraining:
    """A training of factors that learns piece by piece; its state is kept in a file, from which it resumes."""

    def __init__(self, training: FactorTraining, path: Path) -> None:
        self.training, self.path = training, path
        self.epoch, self.place = 0, 0
        """The pieces before this place of this epoch are learned."""
        self.positions = 0
        """Positions of the first epoch."""
        if path.exists():
            self._resume()

    def learn_epoch(self, data: PlayData, native: _core.MovePolicy, tables: Sequence[Table], rate: float) -> None:
        """Learn the rest of an epoch; the next piece is made ready meanwhile."""
        pieces = (piece for number, piece in enumerate(_pieces(data)) if number >= self.place)
        for competitions in _made_ahead(pieces, lambda piece: _in_memory(native, tables, piece)):
            for _ in self.training.learn(competitions, rate):
                pass
            self.place += 1
            self.positions += len(competitions) if self.epoch == 0 else 0
            if self.place % KEEP_EVERY == 0:
                self._keep()
        self.epoch, self.place = self.epoch + 1, 0
        self._keep()

    def _keep(self) -> None:
        training, state = self.training, [self.epoch, self.place, self.positions, self.training.rounds]
        with whole_file(self.path) as file:
            np.savez(file, rows=training.rows, squares=training.squares, state=np.array(state))

    def _resume(self) -> None:
        try:
            with np.load(self.path) as kept:
                rows, squares, state = kept["rows"], kept["squares"], kept["state"].tolist()
        except (OSError, ValueError, KeyError, BadZipFile):
            raise ModelError(f"{self.path} is not the state of a training: delete it") from None
        training = self.training
        if rows.shape != training.rows.shape:
            raise ModelError(f"{self.path} belongs to a model with other features: name a new folder")
        training.rows[:], training.squares[:] = rows, squares
        self.epoch, self.place, self.positions, training.rounds = state


def claim_folder(folder: Path, name: str, settings: Mapping[str, Any], data: PlayData) -> None:
    """Write to a folder of work files what they belong to; refuse one that belongs to another fit."""
    facts = json.loads(json.dumps({"model": name, "settings": dict(settings), "games": _about(data)}))
    path = folder / "fit.json"
    if path.exists():
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            other = [key for key in facts if found[key] != facts[key]]
        except (ValueError, TypeError, KeyError):
            other = list(facts)
        if other:
            why = f"{folder} holds work files of another fit (other {', '.join(other)})"
            raise ModelError(f"{why}: delete it, or name a new folder with --work")
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(facts, indent=1).encode())


def _about(data: PlayData) -> list[dict[str, Any]]:
    """Return what tells data apart: how moves are drawn from which games, and a hash of each part's first batch."""
    if not isinstance(data, PlaySets):
        return [{"first": _digest(batch)} for batch in data]
    return [
        {
            "games": part.store.shard_games,
            "drawn": [part.size, part.split, part.sample, part.seed, part.even, part.limit],
            "first": _digest(next(iter(part), None)),
        }
        for part in data.parts
    ]


def _digest(batch: PlayBatch | None) -> str:
    said = b"" if batch is None else batch.positions.stones.tobytes() + batch.moves.tobytes()
    return hashlib.sha256(said).hexdigest()


def _pieces(data: PlayData) -> Iterator[PlayBatch]:
    """Yield the data in pieces that fit into memory with the levels of all their moves."""
    for batch in data:
        for first in range(0, len(batch), PIECE):
            yield batch.take(slice(first, first + PIECE))


def _made_ahead(pieces: Iterable[PlayBatch], make: Callable[[PlayBatch], Competitions]) -> Iterator[Competitions]:
    """Yield what is made of each piece, the next one on another thread meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        waiting: Future[Competitions] | None = None
        for piece in pieces:
            started = pool.submit(make, piece)
            if waiting is not None:
                yield waiting.result()
            waiting = started
        if waiting is not None:
            yield waiting.result()


def _in_memory(native: _core.MovePolicy, tables: Sequence[Table], piece: PlayBatch) -> Competitions:
    counts, places, columns = competition_of(native, piece)
    starts = np.concatenate([[0], np.cumsum(counts)])
    types = [table.dtype for table in tables for _ in range(table.columns)]
    arrays = [np.ascontiguousarray(column, dtype) for column, dtype in zip(columns, types, strict=True)]
    return Competitions(tables, starts, starts[:-1] + places, arrays)
