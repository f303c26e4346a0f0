"""Labels: the ownership of positions according to a teacher.

A row holds a game's id, a turn (number of moves played), the ownership of every point as signed bytes (100 certainly
Black's, −100 certainly White's, −128 not labelled), the teacher's confidence (bytes, 0 to 100), and optionally lead and
winrate (both Black's) and a policy. Rows are stored under the number of the shard that holds their game.
"""

from __future__ import annotations

import csv
import gzip
import json
import lzma
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.store import Store, write_table
from tengen.errors import TengenError
from tengen.extras import need
from tengen.go.files import write_atomically

UNLABELLED = -128
"""Value of a point without a label."""

POLICY_MOVES = 8
"""Number of moves stored of a policy, the likeliest first."""
_POLICY_RECORD = np.dtype([("move", "<u2"), ("share", "u1")])
POLICY_BYTES = POLICY_MOVES * _POLICY_RECORD.itemsize


@dataclass(frozen=True)
class LabelImport:
    """The result of an import of labels."""

    name: str
    rows: int
    without_game: int


def label_schema() -> Any:
    """Return the columns of a label."""
    pa = need("pyarrow")
    fields = [
        ("id", pa.string()),
        ("turn", pa.int16()),
        ("ownership", pa.binary()),
        ("sure", pa.binary()),
        ("lead", pa.float32()),
        ("winrate", pa.float32()),
        ("policy", pa.binary()),
    ]
    return pa.schema(fields)


def encode_ownership(ownership: npt.NDArray[np.floating[Any]]) -> bytes:
    """Pack ownership in [−1, 1] (NaN: not labelled) into signed bytes."""
    hundredths = np.where(np.isnan(ownership), UNLABELLED, np.rint(np.nan_to_num(ownership) * 100))
    return hundredths.astype(np.int8).tobytes()


def decode_ownership(packed: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Unpack signed bytes into ownership; NaN where not labelled."""
    ownership = np.divide(packed, np.float32(100), dtype=np.float32)
    ownership[packed == UNLABELLED] = np.nan
    return ownership


def encode_policy(policy: npt.NDArray[np.floating[Any]]) -> bytes:
    """Pack the likeliest moves of a policy over points and pass: the number of each and its share of 255."""
    record = np.zeros(POLICY_MOVES, _POLICY_RECORD)
    best = np.argsort(-policy, kind="stable")[:POLICY_MOVES]
    shares = np.rint(policy[best] * 255)
    if not shares.any():  # a flat policy on a large board: zeros would mean that there is no policy
        shares = np.ceil(policy[best])
    record["move"][: len(best)], record["share"][: len(best)] = best, shares
    return record.tobytes()


def decode_policy(packed: npt.NDArray[np.uint8], points: int) -> npt.NDArray[np.float32]:
    """Unpack policies [n, bytes] into probabilities [n, points + 1] that sum to 1; NaN where there is none."""
    moves, stored = unpack_policy(packed)
    shares = np.zeros((len(packed), points + 1), np.float32)
    np.add.at(shares, (np.arange(len(packed))[:, None], np.minimum(moves, points)), stored)
    total = shares.sum(1, keepdims=True)
    decoded: npt.NDArray[np.float32] = np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 0)
    return decoded


def unpack_policy(packed: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """Unpack policies [n, bytes] into the stored moves [n, 8] and their shares of 255."""
    records = np.ascontiguousarray(packed).view(_POLICY_RECORD)
    return records["move"].astype(np.uint16), records["share"].copy()


def write_labels(store: Store, name: str, shard: int, rows: list[dict[str, Any]]) -> None:
    """Write the labels of one shard, sorted by game and turn."""
    rows = sorted(rows, key=lambda row: (row["id"], row["turn"]))
    table = need("pyarrow").Table.from_pylist(rows, schema=label_schema())
    write_table(store.path / "labels" / name / f"{shard:05d}.parquet", table)


def write_about(store: Store, name: str, about: dict[str, Any]) -> None:
    """Record who made a label set and how."""
    folder = store.path / "labels" / name
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "about.json", (json.dumps(about, indent=1, ensure_ascii=False) + "\n").encode())


def import_labels(store: Store, source: Path, *, name: str | None = None) -> LabelImport:
    """Import a label set (SOURCE.meta.tsv.gz with its .own and .pol files) for the games of a store."""
    name = name or source.name
    by_shard: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = lost = 0
    for row in read_label_set(source):
        shard = store.shard_of.get(row["id"])
        if shard is None:
            lost += 1
            continue
        by_shard[shard].append(row)
        rows += 1
    if not rows:
        raise TengenError(f"{source}: its {lost} labels belong to no game in {store.path}: import the games first")
    for shard, shard_rows in sorted(by_shard.items()):
        write_labels(store, name, shard, shard_rows)
    write_about(store, name, {"teacher": "imported", "version": source.name, "settings": {"source": source.name}})
    return LabelImport(name, rows, lost)


def read_label_set(source: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a label set; each binary file holds the rows of one size in the order of the meta file."""
    open_files: dict[int, tuple[Any, Any]] = {}
    try:
        with gzip.open(f"{source}.meta.tsv.gz", "rt", encoding="utf-8", newline="") as meta:
            for id_, turn, size, lead, winrate, *_ in csv.reader(meta, delimiter="\t", quoting=csv.QUOTE_NONE):
                side = int(size)
                if side not in open_files:
                    open_files[side] = _open_set(source, side)
                owners, moves = open_files[side]
                ownership, policy = owners.read(side * side), moves.read(POLICY_BYTES) if moves else b""
                if len(ownership) != side * side or (moves and len(policy) != POLICY_BYTES):
                    raise TengenError(f"{source}: the files of size {side} end before row {id_} {turn}")
                facts = {"id": id_, "turn": int(turn), "lead": float(lead), "winrate": float(winrate)}
                yield {**facts, "ownership": ownership, "sure": None, "policy": policy or None}
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        raise TengenError(f"{source}: not a valid label set: {error}") from None
    finally:
        for files in open_files.values():
            for file in files:
                if file:
                    file.close()


def _open_set(source: Path, side: int) -> tuple[Any, Any]:
    policy = Path(f"{source}.pol{side}.bin.xz")
    return lzma.open(f"{source}.own{side}.i8.xz"), lzma.open(policy) if policy.exists() else None
