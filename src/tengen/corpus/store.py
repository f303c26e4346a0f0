"""The store: a folder of Parquet files with games and the labels of their positions.

Layout: `store.json` holds the number of shards and is replaced last: files it does not mention are ignored.
`games/00000.parquet` … hold about a thousand games each. `labels/NAME/00000.parquet` holds the labels of the games of
shard 0; `labels/NAME/about.json` records who made them and how. Shards are only ever added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.splits import Split, split_of
from tengen.errors import TengenError
from tengen.extras import need
from tengen.go.board import Board
from tengen.go.files import write_atomically
from tengen.go.rules import Rules

FORMAT = 1
SHARD_GAMES = 1000
"""Number of games in a shard; the last shard of an import may be smaller."""


@dataclass(frozen=True)
class StoredGame:
    """A game in the store."""

    id: str
    width: int
    height: int
    rules: str
    komi: float
    handicap: int
    result: str
    lead: float | None
    """Black's margin if the game was counted."""
    length: int
    """Number of moves of the main line, without closing passes."""
    ranks: str
    source: str
    events: npt.NDArray[np.uint16]
    black_territory: npt.NDArray[np.uint16] | None
    """Points (row × width + column) marked as Black's at the end, if the record has marks."""
    white_territory: npt.NDArray[np.uint16] | None
    fingerprint: bytes

    @property
    def split(self) -> Split:
        """Whether the game is for training, validation or testing."""
        return split_of(self.id)

    def board(self, moves: int | None = None) -> Board:
        """Return the position after a number of moves, by default the last."""
        return Board.replay(
            self.width,
            self.height,
            events=self.events.astype(np.int32),
            moves=moves,
            rules=Rules.parse(self.rules),
            komi=self.komi,
            handicap=self.handicap,
        )[0]


def game_schema() -> Any:
    """Return the columns of a game."""
    pa = need("pyarrow")
    fields = [
        ("id", pa.string()),
        ("width", pa.int8()),
        ("height", pa.int8()),
        ("rules", pa.string()),
        ("komi", pa.float32()),
        ("handicap", pa.int8()),
        ("result", pa.string()),
        ("lead", pa.float32()),
        ("length", pa.int16()),
        ("ranks", pa.string()),
        ("source", pa.string()),
        ("events", pa.binary()),
        ("black_territory", pa.binary()),
        ("white_territory", pa.binary()),
        ("fingerprint", pa.binary(16)),
    ]
    return pa.schema(fields)


class Store:
    """A corpus on disk."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        facts = _read_json(self.path / "store.json", f"{path} is not a corpus: make one with tengen corpus import")
        if facts.get("format") != FORMAT:
            raise TengenError(
                f"{path} is a corpus of format {facts.get('format')!r}; this release reads format {FORMAT}"
            )
        self.shard_games: list[int] = facts["shards"]
        self.rejected: dict[str, int] = facts["rejected"]

    @classmethod
    def create(cls, path: Path | str) -> Store:
        """Open a store, or create one."""
        path = Path(path)
        if not (path / "store.json").exists():
            if path.exists() and any(entry.name != ".import" for entry in path.iterdir()):
                raise TengenError(f"{path} is a folder with other files in it: name a new folder for the corpus")
            (path / "games").mkdir(parents=True, exist_ok=True)
            _write_json(path / "store.json", {"format": FORMAT, "shards": [], "rejected": {}})
        return cls(path)

    def commit(self, shard_games: list[int], rejected: dict[str, int]) -> None:
        """Add the shards written since the last commit, all at once."""
        self.shard_games, self.rejected = shard_games, rejected
        _write_json(self.path / "store.json", {"format": FORMAT, "shards": shard_games, "rejected": rejected})

    def __len__(self) -> int:
        return sum(self.shard_games)

    @property
    def shards(self) -> range:
        """The numbers of the shards."""
        return range(len(self.shard_games))

    def games_path(self, shard: int) -> Path:
        """Return the file of a shard's games."""
        return self.path / "games" / f"{shard:05d}.parquet"

    def table(self, shard: int, columns: list[str] | None = None) -> Any:
        """Return a shard's games as an Arrow table."""
        return read_table(self.games_path(shard), columns)

    def games(self, shard: int) -> list[StoredGame]:
        """Return the games of a shard."""
        return [_stored(row) for row in self.table(shard).to_pylist()]

    def __iter__(self) -> Iterator[StoredGame]:
        for shard in self.shards:
            yield from self.games(shard)

    @cached_property
    def shard_of(self) -> dict[str, int]:
        """The shard of every game, by id."""
        return {id_: shard for shard in self.shards for id_ in self.table(shard, ["id"])["id"].to_pylist()}

    @cached_property
    def sizes(self) -> set[int]:
        """The sizes of square boards in the store."""
        tables = (self.table(shard, ["width", "height"]) for shard in self.shards)
        sides = {side for t in tables for side in zip(t["width"].to_pylist(), t["height"].to_pylist(), strict=True)}
        return {width for width, height in sides if width == height}

    @property
    def labels(self) -> list[str]:
        """The names of the label sets."""
        return sorted(path.parent.name for path in self.path.glob("labels/*/about.json"))

    def label_folder(self, name: str) -> Path:
        """Return the folder of an existing label set."""
        if name not in self.labels:
            there = ", ".join(self.labels) or "none yet: make some with tengen corpus label"
            raise TengenError(f"{self.path} has no labels {name!r}; it has {there}")
        return self.path / "labels" / name

    def label_about(self, name: str) -> dict[str, Any]:
        """Return who made a label set, with version and settings."""
        return _read_json(self.label_folder(name) / "about.json", f"labels {name!r} are broken")

    def label_table(self, name: str, shard: int, columns: list[str] | None = None) -> Any | None:
        """Return the labels of a shard as an Arrow table, or None."""
        path = self.label_folder(name) / f"{shard:05d}.parquet"
        return read_table(path, columns) if path.exists() else None


def read_table(path: Path, columns: list[str] | None = None) -> Any:
    """Read a Parquet file in the current thread."""
    parquet = need("pyarrow.parquet")
    try:
        return parquet.ParquetFile(path).read(columns, use_threads=False)
    except (OSError, need("pyarrow").ArrowException) as error:
        raise TengenError(f"{path} cannot be read: {error}") from None


def write_table(path: Path, table: Any) -> None:
    """Write a Parquet file atomically; the same table gives the same bytes."""
    pa, parquet = need("pyarrow"), need("pyarrow.parquet")
    buffer = pa.BufferOutputStream()
    parquet.write_table(table, buffer, compression="zstd", compression_level=6, use_dictionary=["rules", "source"])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, buffer.getvalue().to_pybytes())


def _stored(row: dict[str, Any]) -> StoredGame:
    for name in ("events", "black_territory", "white_territory"):
        row[name] = None if row[name] is None else np.frombuffer(row[name], "<u2")
    row["komi"] = round(row["komi"], 4)
    return StoredGame(**row)


def _read_json(path: Path, problem: str) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise TengenError(problem) from None
    if not isinstance(facts, dict):
        raise TengenError(problem)
    return facts


def _write_json(path: Path, facts: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())
