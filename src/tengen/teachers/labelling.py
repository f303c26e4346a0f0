"""`tengen corpus label`: labels the positions of a store with a teacher.

Start at `label_store`. The work is split into units of fifty games. Each unit writes a file to the label set's `.work`
folder; the files of a shard are merged when all are there. So a stopped job can resume, and a teacher that dies costs
only one retry of a unit. The teacher, its version and its settings are recorded first; labels of another teacher need
another name.
"""

from __future__ import annotations

import atexit
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.labels import encode_ownership, encode_policy, label_schema, write_about, write_labels
from tengen.corpus.store import Store, StoredGame, read_table, write_table
from tengen.corpus.workers import map_shards
from tengen.errors import TengenError
from tengen.extras import need
from tengen.teachers.teacher import Judgement, Teacher, make_teacher

UNIT_GAMES = 50


@dataclass(frozen=True)
class LabelledTurns:
    """The labelled positions of a game: the final one, or `count` earlier ones chosen by the game's id."""

    kind: str = "final"
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> LabelledTurns:
        """Parse `final`, or `random:3` for three positions before the end."""
        kind, _, count = text.partition(":")
        if kind not in ("final", "random") or (count and not count.isdigit()) or (kind == "final" and count):
            raise TengenError(f"positions are final or random:N, not {text!r}")
        return cls(kind, int(count or 1))

    def of(self, game: StoredGame) -> list[int]:
        """Return the turns of a game in ascending order; the same game always gives the same turns."""
        if self.kind == "final" or game.length < 2:
            return [game.length]
        seed = int.from_bytes(blake2b(game.id.encode(), digest_size=8, person=b"tengen-turns").digest(), "little")
        chosen = np.random.default_rng(seed).choice(game.length, size=min(self.count, game.length), replace=False)
        return sorted(chosen.tolist())

    def __str__(self) -> str:
        return self.kind if self.kind == "final" else f"{self.kind}:{self.count}"


@dataclass(frozen=True)
class Labelled:
    """The result of a labelling job."""

    rows: int
    silent: int
    """Number of positions the teacher gave no label for."""
    failed: tuple[str, ...]


def label_store(
    store: Store,
    teacher: str,
    *,
    name: str,
    command: str | None = None,
    turns: LabelledTurns | None = None,
    limit: int | None = None,
    size: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_unit: Callable[[int, int], None] | None = None,
) -> Labelled:
    """Label the first `limit` games of a `size` in a store; `on_unit` is called with the number of units done."""
    if not name.replace("-", "").replace("_", "").isalnum():
        raise TengenError(f"a label set's name is made of letters, digits, - and _, not {name!r}")
    turns = turns or LabelledTurns()
    version = _claim(store, name, teacher, command, turns)
    jobs = list(_units(store, name, teacher, command, version, turns, limit, size))
    done: dict[int, list[Path]] = defaultdict(list)
    failed: list[str] = []
    rows = silent = 0
    for number, outcome in enumerate(map_shards(_label_unit, jobs, workers=workers, scheduler=scheduler), start=1):
        if outcome.result is None:
            failed.append(f"shard {outcome.shard.shard}, games from {outcome.shard.first}: {outcome.error}")
        else:
            path, said, unsaid = outcome.result
            done[outcome.shard.shard].append(Path(path))
            rows, silent = rows + said, silent + unsaid
        if on_unit is not None:
            on_unit(number, len(jobs))
    for shard, paths in done.items():
        parts = [read_table(path) for path in paths]
        write_labels(store, name, shard, need("pyarrow").concat_tables(parts).to_pylist())
    if not failed:
        shutil.rmtree(store.path / "labels" / name / ".work", ignore_errors=True)
    return Labelled(rows, silent, tuple(failed))


def _claim(store: Store, name: str, specification: str, command: str | None, turns: LabelledTurns) -> str:
    """Record the teacher, or check that it is the same as before; return its version."""
    teacher = make_teacher(specification, command)
    try:
        about = {
            "teacher": teacher.name,
            "version": teacher.version,
            "settings": teacher.settings,
            "positions": str(turns),
        }
    finally:
        teacher.close()
    if name in store.labels and (before := store.label_about(name)) != about:
        made_by = f"{before['teacher']} {before['version']} {before['settings']}"
        raise TengenError(f"labels {name!r} are by {made_by}: choose another name")
    write_about(store, name, about)
    return teacher.version


@dataclass(frozen=True)
class _Unit:
    store: str
    name: str
    teacher: str
    command: str | None
    version: str
    turns: LabelledTurns
    shard: int
    first: int
    rows: tuple[int, ...]


def _units(
    store: Store,
    name: str,
    teacher: str,
    command: str | None,
    version: str,
    turns: LabelledTurns,
    limit: int | None,
    size: int | None,
) -> Iterator[_Unit]:
    left = limit
    for shard in store.shards:
        table = store.table(shard, ["width", "height"])
        width, height = table["width"].to_numpy(), table["height"].to_numpy()
        rows = np.flatnonzero((width == size) & (height == size)).tolist() if size else list(range(len(width)))
        rows = rows if left is None else rows[:left]
        left = None if left is None else left - len(rows)
        for start in range(0, len(rows), UNIT_GAMES):
            unit = tuple(rows[start : start + UNIT_GAMES])
            yield _Unit(str(store.path.resolve()), name, teacher, command, version, turns, shard, unit[0], unit)


def _label_unit(unit: _Unit) -> tuple[str, int, int]:
    """Label the games of a unit unless its file exists; return the file and how many positions got a label or none."""
    folder = Path(unit.store) / "labels" / unit.name / ".work"
    mark = blake2b(repr(unit.rows).encode(), digest_size=4).hexdigest()
    path = folder / f"{unit.shard:05d}-{unit.first:04d}-{mark}.parquet"
    if not path.exists():
        games = Store(unit.store).games(unit.shard)
        asked = [(games[row], turn) for row in unit.rows for turn in unit.turns.of(games[row])]
        judged = zip(asked, _teacher(unit.teacher, unit.command, unit.version).judge_many(asked), strict=True)
        rows = [_row(game, turn, said) for (game, turn), said in judged if said is not None]
        schema = label_schema().with_metadata({"silent": str(len(asked) - len(rows))})
        write_table(path, need("pyarrow").Table.from_pylist(rows, schema=schema))
    table = read_table(path)
    return str(path), table.num_rows, int(table.schema.metadata[b"silent"])


def _row(game: StoredGame, turn: int, said: Judgement) -> dict[str, Any]:
    sure = None if said.sure is None else np.rint(np.clip(said.sure, 0, 1) * 100).astype(np.uint8).tobytes()
    policy = None if said.policy is None else encode_policy(said.policy)
    facts = {"id": game.id, "turn": turn, "lead": said.lead, "winrate": said.winrate, "policy": policy}
    return {**facts, "ownership": encode_ownership(said.ownership), "sure": sure}


@cache
def _teacher(specification: str, command: str | None, version: str) -> Teacher:
    """Return the teacher of this worker, kept between units; it must be the recorded one."""
    teacher = make_teacher(specification, command)
    atexit.register(teacher.close)
    if teacher.version != version:
        raise TengenError(f"teacher {specification} is {teacher.version} here, not {version}")
    return teacher
