"""`tengen corpus stats`: the content of a store as numbers and plots."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.splits import SPLITS, split_of
from tengen.corpus.store import Store
from tengen.measure.plots import picture

_COLUMNS = ["id", "width", "height", "rules", "handicap", "result", "lead", "length"]


@dataclass
class Stats:
    """Counts over the games of a store."""

    games: int = 0
    sizes: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    collections: Counter[str] = field(default_factory=Counter)
    """Number of games by the part of the id before the colon."""
    handicap: int = 0
    lengths: dict[str, list[int]] = field(default_factory=dict)
    """Numbers of moves of the games, by size."""
    leads: list[float] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        lengths = {size: round(float(np.mean(moves)), 1) for size, moves in self.lengths.items()}
        counts = {
            name: dict(getattr(self, name).most_common()) for name in ("sizes", "rules", "endings", "collections")
        }
        splits = {split: self.splits[split] for split in SPLITS}
        rest = {"handicap": self.handicap, "mean_length": lengths, "labels": self.labels, "rejected": self.rejected}
        return {"schema": 1, "games": self.games, **counts, "splits": splits, **rest}


def corpus_stats(store: Store) -> Stats:
    """Count the games of a store."""
    stats = Stats(games=len(store), rejected=store.rejected)
    for shard in store.shards:
        _count_shard(stats, store.table(shard, _COLUMNS).to_pydict())
    for name in store.labels:
        tables = (store.label_table(name, shard, ["turn"]) for shard in store.shards)
        stats.labels[name] = sum(table.num_rows for table in tables if table is not None)
    return stats


def _count_shard(stats: Stats, columns: dict[str, list[Any]]) -> None:
    sizes = [f"{width}×{height}" for width, height in zip(columns["width"], columns["height"], strict=True)]
    stats.sizes.update(sizes)
    stats.rules.update(columns["rules"])
    stats.endings.update(_ending(result, lead) for result, lead in zip(columns["result"], columns["lead"], strict=True))
    stats.splits.update(split_of(id_) for id_ in columns["id"])
    stats.collections.update(id_.partition(":")[0] for id_ in columns["id"])
    stats.handicap += sum(stones >= 2 for stones in columns["handicap"])
    stats.leads += [lead for lead in columns["lead"] if lead is not None]
    for size, length in zip(sizes, columns["length"], strict=True):
        stats.lengths.setdefault(size, []).append(length)


def _ending(result: str, lead: float | None) -> str:
    if lead is not None:
        return "counted"
    return {"R": "resigned", "T": "on time", "F": "forfeit"}.get(result[2:], "unknown")


def plot(stats: Stats, path: Path) -> None:
    """Plot the lengths and margins of games."""
    with picture(path, 10, 4) as drawing:
        lengths, margins = drawing.subplots(1, 2)
        largest = sorted(stats.lengths.items(), key=lambda item: -len(item[1]))[:4]
        for size, moves in largest:
            lengths.hist(moves, bins=60, histtype="step", density=True, label=f"{size} ({len(moves):,} games)")
        lengths.set(xlabel="moves in a game", ylabel="share of games")
        lengths.legend()
        margins.hist(np.clip(stats.leads, -60, 60), bins=121, color="0.4")
        margins.set(xlabel="Black's margin (clipped at 60)", ylabel="counted games")
