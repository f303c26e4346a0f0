"""Speed of streaming labelled positions from a corpus, compared with replaying each game for each position."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch, DataSet
from tengen.corpus.store import Store
from tengen.errors import TengenError

SIZES = (9, 19)


def bench_corpus(corpus: Path, *, seconds: float = 10.0) -> Iterator[dict[str, Any]]:
    """Measure the streaming of complete batches for each size that has labels."""
    store = Store(corpus)
    if not store.labels:
        raise TengenError(f"{corpus} has no labels to stream: make some with tengen corpus label")
    for size in SIZES:
        name = next((name for name in store.labels if _has(store, name, size)), None)
        if name is not None:
            yield _row(store, name, size, seconds)


def _has(store: Store, name: str, size: int) -> bool:
    return any(len(DataSet(store, name, size=size, split=None).positions(shard)) for shard in store.shards)


def _row(store: Store, name: str, size: int, seconds: float) -> dict[str, Any]:
    ours = _rate(_batches(store, name, size), seconds / 2)
    theirs = _rate(((stones,) for stones in _boards(store, name, size)), seconds / 2)
    return {
        "bench": "corpus",
        "case": "stream",
        "size": size,
        "threads": 1,
        "per_second": round(ours, 1),
        "reference": "board by board",
        "ratio": round(ours / theirs, 2),
        "note": f"labels {name}, {len(store)} games",
    }


def _rate(parts: Iterator[Sized], seconds: float) -> float:
    start, taken = perf_counter(), 0
    for part in parts:
        taken += len(part)
        if perf_counter() - start > seconds:
            break
    return taken / (perf_counter() - start)


def _batches(store: Store, name: str, size: int) -> Iterator[Batch]:
    while True:
        yield from DataSet(store, name, size=size, split=None)


def _boards(store: Store, name: str, size: int) -> Iterator[npt.NDArray[np.int8]]:
    """Yield the positions one by one, each replayed on a new board."""
    while True:
        for shard in store.shards:
            table = store.label_table(name, shard, ["id", "turn"])
            games = {game.id: game for game in store.games(shard) if game.width == game.height == size}
            for row in table.to_pylist() if table is not None else []:
                if row["id"] in games:
                    yield games[row["id"]].board(row["turn"]).stones
