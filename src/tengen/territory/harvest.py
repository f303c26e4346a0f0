"""Harvest: count the patterns of a corpus, shard by shard, with bounded memory.

Start at `harvest`. Pass one: every shard is counted separately into a file with its classes sorted by key. Pass two:
keys are evenly distributed, so their range is divided into parts; for each template and part the slices of all files
are added up and rare classes dropped, except the parents of larger ones. Memory holds one shard, one part of about
`PART` rows (about 42 bytes each) and the classes that are kept. Counts are exact; files are written completely or not
at all, so a stopped harvest resumes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import DataSet, DataSets
from tengen.corpus.workers import map_shards
from tengen.errors import TengenError
from tengen.go.files import write_atomically
from tengen.models.protocol import Data, Progress
from tengen.territory.counts import LevelCounts, PatternCounts, count_boards

PART = 8_000_000
"""Approximate number of rows of shards added up at a time."""
CUTS = 256
"""Number of key ranges in a shard's file."""
FORMAT = 2
"""Version of the files."""
BOARDS = 4096
"""Approximate number of boards of a shard counted at a time."""

_FIELDS = ("keys", "parents", "relation", "neutral", "black", "white", "met")


def harvest(
    data: DataSet | DataSets,
    folder: Path,
    *,
    templates: int = 8,
    min_count: float = 3,
    hard: bool = False,
    once: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> PatternCounts:
    """Count the patterns of labelled positions; `folder` keeps finished shards.

    With `once` an unchanged pattern of a game counts once; see `count_boards`.
    """
    _claim(data, folder, templates=templates, hard=hard, once=once)
    jobs = [_Job(part, str(folder), templates, hard, once, shard) for part in data.parts for shard in part.shards]
    files: list[Path] = []
    for done, outcome in enumerate(map_shards(_count_shard, jobs, workers=workers, scheduler=scheduler), start=1):
        if outcome.result is None:
            raise TengenError(f"shard {outcome.shard.shard} could not be counted: {outcome.error}")
        files.extend([Path(outcome.result)] if outcome.result else [])
        if progress is not None:
            progress(done / len(jobs))
    if not files:
        part = data.parts[0]
        raise TengenError(f"labels {part.labels!r} have no position of size {part.size} in split {part.split!r}")
    levels: list[LevelCounts] = []
    for level in range(templates, 0, -1):
        needed = np.unique(levels[-1].parents) if levels else None
        levels.append(_merged_level(files, level, min_count, needed))
    return PatternCounts.joined(levels[::-1])


def count_data(data: Data, *, templates: int = 8, min_count: float = 3, hard: bool = False) -> PatternCounts:
    """Count the patterns of batches in memory, which grows with the number of different patterns."""
    levels: list[LevelCounts] | None = None
    for batch in data:
        counted = count_boards(batch.boards, batch.targets, batch.weights, templates=templates, hard=hard)
        levels = counted if levels is None else [LevelCounts.merged(pair) for pair in zip(levels, counted, strict=True)]
    if levels is None or not len(levels[0]):
        raise TengenError("there is no labelled position to learn from")
    return PatternCounts.joined([level.at_least(min_count) if level.keys.size else level for level in levels])


@dataclass(frozen=True)
class _Job:
    data: DataSet
    folder: str
    templates: int
    hard: bool
    once: bool
    shard: int


def _claim(data: DataSet | DataSets, folder: Path, **settings: Any) -> None:
    """Record what is counted in the folder, or check that it is the same as before."""
    about = {"format": FORMAT, "data": [_about(part) for part in data.parts], **settings}
    path = folder / "harvest.json"
    if path.exists() and _read_about(path) != about:
        raise TengenError(f"{folder} holds the counts of another fit: remove it or choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(about, indent=1) + "\n").encode())


def _about(data: DataSet) -> dict[str, Any]:
    corpus = {"corpus": str(data.store.path.resolve()), "games": len(data.store), "labels": data.labels}
    return {**corpus, "size": data.size, "split": data.split, "finals": data.finals, "limit": data.limit}


def _read_about(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None


def _count_shard(job: _Job) -> str:
    """Count a shard unless its file exists; return the file, or None if nothing is labelled."""
    path = Path(job.folder) / f"{job.data.labels}-{job.data.size}-{job.shard:05d}.safetensors"
    if path.exists():
        return str(path)
    batch = job.data.positions(job.shard)
    if not len(batch):
        return ""
    parts = []
    for some in map(batch.take, _chunks(batch.games)):
        games = some.games if job.once else None
        counted = count_boards(
            some.boards, some.targets, some.weights, templates=job.templates, hard=job.hard, games=games
        )
        parts.append(counted)
    _write_levels(path, [LevelCounts.merged(level) for level in zip(*parts, strict=True)])
    return str(path)


def _chunks(games: npt.NDArray[np.int64]) -> Iterator[slice]:
    """Divide positions sorted by game into parts of about BOARDS that do not split a game."""
    first = 0
    while first < len(games):
        last = min(first + BOARDS, len(games)) - 1
        end = int(np.searchsorted(games, games[last], side="right"))
        yield slice(first, end)
        first = end


def _write_levels(path: Path, levels: list[LevelCounts]) -> None:
    from safetensors.numpy import save

    arrays: dict[str, npt.NDArray[Any]] = {}
    for number, level in enumerate(levels, start=1):
        arrays |= {f"{field}.{number}": _narrow(getattr(level, field)) for field in _FIELDS}
        cuts = (np.arange(CUTS, dtype=np.uint64) << np.uint64(56)).astype(np.uint64)
        arrays[f"cuts.{number}"] = np.append(np.searchsorted(level.keys, cuts), len(level)).astype(np.int64)
    write_atomically(path, save(arrays))


def _narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    fits = values.dtype == np.int64 and values.max(initial=0) < 2**31
    return np.ascontiguousarray(values.astype(np.int32) if fits else values)


def _merged_level(
    files: list[Path], level: int, min_count: float, needed: npt.NDArray[np.uint64] | None
) -> LevelCounts:
    """Add up one template over all files, a range of keys at a time; needed classes are never rare."""
    from safetensors import safe_open

    handles: list[Any] = [safe_open(str(path), "numpy") for path in files]
    cuts = np.stack([handle.get_tensor(f"cuts.{level}") for handle in handles])
    kept: list[LevelCounts] = []
    for first, last in _parts(cuts.sum(axis=0)):
        slices = [(handle, int(cut[first]), int(cut[last])) for handle, cut in zip(handles, cuts, strict=True)]
        parts = [_read_level(handle, level, start, end) for handle, start, end in slices]
        kept.append(LevelCounts.merged(parts).at_least(min_count, needed))
    return kept[0] if len(kept) == 1 else LevelCounts.merged(kept)


def _parts(ends: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Divide the ranges 0 … CUTS into parts of about PART rows."""
    count = min(CUTS, int(ends[-1]) // PART + 1)
    edges = np.linspace(0, CUTS, count + 1).round().astype(int)
    yield from zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)


def _read_level(handle: Any, level: int, start: int, end: int) -> LevelCounts:
    read = {field: handle.get_slice(f"{field}.{level}")[start:end] for field in _FIELDS}
    for field, kind in (("neutral", np.bool_), ("black", np.int64), ("white", np.int64), ("met", np.int64)):
        read[field] = read[field].astype(kind)
    return LevelCounts(**read)
