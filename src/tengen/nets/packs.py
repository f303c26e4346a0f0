"""Packs: training data of the small network as plain arrays, for machines that have torch and numpy but not Tengen.

Start at `pack_corpus`. A pack is a file of numpy's npz format with rows of positions, in chunks of one board size:
`CHUNK.HEIGHTxWIDTH.COLUMN`. Everything is seen from the player to move. Columns:

- `facts`: the bytes of the facts of each point [4, n, points] (see `tengen.nets.inputs`)
- `numbers`: the numbers of each position [n, 3]
- `played`: the move played, −1 if none [n]
- `left`: the number of moves until the end of the game [n]

and in chunks of labelled positions also

- `ownership`: [n, points] in steps of 0.04; −128 is no label
- `moves`, `shares`: the teacher's likeliest moves [n, 8] and their probabilities in 255ths; all 0 if there are none
- `lead`, `winrate`: the teacher's; NaN if there are none [n]

A pack is written under another name and renamed when it is complete. It says where the next one begins, so a stopped
job goes on after its last complete pack.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet, DataSets
from tengen.corpus.labels import unpack_policy
from tengen.corpus.plays import Plays
from tengen.corpus.replay import SHARD_NUMBERS, moves_at
from tengen.errors import TengenError
from tengen.go.positions import Positions
from tengen.models.protocol import Progress
from tengen.nets.inputs import PLANES, inputs_of

PACK_BYTES = 48 << 20
"""A pack ends with the chunk that makes it larger than this."""
CHUNK = 4096
OWNERSHIP_STEPS = 25
"""Ownership 1 in a pack."""
NO_LABEL = -128

Columns = dict[str, npt.NDArray[Any]]
Part = DataSet | Plays


def pack_corpus(
    data: DataSet | DataSets, folder: Path, *, plays: float, progress: Progress | None = None
) -> dict[str, list[Path]]:
    """Write the packs of training and validation games; return the files of each split.

    Training packs also have all positions of a share `plays` of the training games, without labels, with the moves
    played in them. Whole games compress to a third of what as many positions of different games need.
    """
    if any(part.split != "train" for part in data.parts):
        raise TengenError("packs hold games for training and validation: leave out --split")
    games = {(part.store.path, part.size, part.limit): part for part in data.parts}.values()
    played = [
        Plays(part.store, size=part.size, sample=1.0, games=plays, limit=part.limit) for part in games if plays > 0
    ]
    valid = [replace(part, split="valid") for part in data.parts]
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "valid": _write_packs(valid, folder, "valid", None),
        "train": _write_packs([*data.parts, *played], folder, "train", progress),
    }


def _write_packs(parts: Sequence[Part], folder: Path, split: str, progress: Progress | None) -> list[Path]:
    tasks = [(part, shard) for part in parts for shard in part.shards]
    writer = _Writer(folder, split, json.dumps([_title(part) for part in parts]))
    first, row = writer.next
    for task, (part, shard) in enumerate(tasks[first:], first):
        for columns, height, width, end in _chunks(part, shard, row):
            writer.add(columns, height, width, (task, end))
        row = 0
        if progress is not None:
            progress((task + 1) / len(tasks))
    writer.close((len(tasks), 0))
    return writer.files


class _Writer:
    """Writes chunks to SPLIT-0.npz, SPLIT-1.npz, …, after those of an earlier job with the same data."""

    def __init__(self, folder: Path, split: str, title: str) -> None:
        self.folder, self.split, self.title = folder, split, title
        self.files: list[Path] = []
        self.next = 0, 0
        """The shard, and the row of it, where the next pack begins."""
        self.chunks = 0
        self.zip: zipfile.ZipFile | None = None
        while self._path.exists():
            with np.load(self._path) as pack:
                if pack["title"].item() != title:
                    raise TengenError(f"{self._path} was packed from other data: choose another folder")
                self.next = int(pack["next"][0]), int(pack["next"][1])
            self.files.append(self._path)

    @property
    def _path(self) -> Path:
        return self.folder / f"{self.split}-{len(self.files)}.npz"

    def add(self, columns: Columns, height: int, width: int, end: tuple[int, int]) -> None:
        if self.zip is None:
            self.zip = zipfile.ZipFile(self._path.with_suffix(".part"), "w", zipfile.ZIP_DEFLATED)
            self._write("title", np.array(self.title))
            self._write("planes", np.array(PLANES))
            self.chunks = 0
        for column, values in columns.items():
            self._write(f"{self.chunks:05d}.{height}x{width}.{column}", values)
        self.chunks += 1
        if sum(entry.compress_size for entry in self.zip.infolist()) > PACK_BYTES:
            self.close(end)

    def close(self, end: tuple[int, int]) -> None:
        if self.zip is not None:
            self._write("next", np.array(end))
            self.zip.close()
            self.zip = None
            self._path.with_suffix(".part").replace(self._path)
            self.files.append(self._path)

    def _write(self, name: str, values: npt.NDArray[Any]) -> None:
        assert self.zip is not None
        with self.zip.open(f"{name}.npy", "w") as file:
            np.lib.format.write_array(file, np.ascontiguousarray(values), allow_pickle=False)


def _title(part: Part) -> list[Any]:
    """What a pack remembers of its data."""
    what = ["plays", part.games] if isinstance(part, Plays) else [part.labels, part.finals]
    return [part.store.path.name, len(part.store), *what, part.size, part.limit]


def _chunks(part: Part, shard: int, first: int) -> Iterator[tuple[Columns, int, int, int]]:
    """Yield the columns of a shard's positions from a row on, with the board's sides and the row after them."""
    batch = part.positions(shard)
    height, width = batch.positions.height, batch.positions.width
    for start in range(first, len(batch), CHUNK):
        some = batch.take(slice(start, start + CHUNK))
        if isinstance(some, Batch):
            events = part.store.table(shard, ["events"])["events"]
            played = moves_at(events, some.games % SHARD_NUMBERS, some.turns)
            columns = _inputs(some.positions, played, some.lengths - some.turns) | _labels(some)
        else:
            columns = _inputs(some.positions, some.moves, some.lengths - some.turns)
        yield columns, height, width, start + len(some)


def _inputs(positions: Positions, played: npt.NDArray[np.int32], left: npt.NDArray[np.int32]) -> Columns:
    facts, numbers = inputs_of(positions)
    bytes_ = facts.astype("<u4").view(np.uint8).reshape(len(facts), -1, 4)
    played = np.minimum(played, positions.points)
    return {
        "facts": np.moveaxis(bytes_, 2, 0),
        "numbers": numbers,
        "played": played.astype(np.int16),
        "left": left.astype(np.int16),
    }


def _labels(batch: Batch) -> Columns:
    turn = batch.to_play
    steps = np.rint(np.nan_to_num(batch.targets) * OWNERSHIP_STEPS) * turn[:, None, None]
    moves, shares = unpack_policy(batch.packed_policies)
    return {
        "ownership": np.where(np.isnan(batch.targets), NO_LABEL, steps).astype(np.int8).reshape(len(batch), -1),
        "moves": moves,
        "shares": shares,
        "lead": (batch.leads * turn).astype(np.float32),
        "winrate": np.where(turn > 0, batch.winrates, 1 - batch.winrates).astype(np.float32),
    }
