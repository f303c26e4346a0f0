"""Positions as competitions between their moves, in memory or in a folder: what weights of moves are learned from.

A move is a row of levels, one for each column; level 0 is "nothing". The columns belong to tables of weights, in the
order of the tables. A table has several columns if a move can have several of its levels: all leaves of a tree, or
patterns of several sizes. Start at `Competitions`; `CompetitionWriter` writes a folder batch by batch, and
`Competitions.open` maps its files into memory, so that data may be larger than the memory.

A folder holds `competitions.json` (tables, and how many positions and rows count), `moves.bin` and `winners.bin`
(number of moves and the winner's place for each position), and `00.bin` … with the levels of each column. The JSON file
is replaced after each batch; data beyond its counts is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.files import write_atomically

FORMAT = 1
FACTS, MOVES, WINNERS = "competitions.json", "moves.bin", "winners.bin"

FloatArray: TypeAlias = npt.NDArray[np.float64]
Column: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
class Table:
    """The weights of one feature: levels 1 to `levels`, of which a move has at most one in each of `columns`."""

    name: str
    levels: int
    columns: int = 1

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger[Any]]:
        """The smallest type that holds the levels."""
        return np.dtype("u1" if self.levels < 1 << 8 else "<u2" if self.levels < 1 << 16 else "<u4")


class Competitions:
    """Positions with the levels of their moves, and which move won.

    `starts` has the first row of each position and the number of rows, `winners` the row of each winner, `columns` one
    array of levels for each column. Arrays are kept without a copy where their type allows, and must not change.
    """

    def __init__(
        self, tables: Sequence[Table], starts: npt.ArrayLike, winners: npt.ArrayLike, columns: Sequence[Column]
    ) -> None:
        self.tables = tuple(tables)
        self.starts = np.ascontiguousarray(starts, np.int64)
        self.winners = np.ascontiguousarray(winners, np.int64)
        self.columns = [np.ascontiguousarray(column) for column in columns]
        self.native = _core.Competitions(
            self.starts,
            self.winners,
            self.columns,
            [table.levels for table in self.tables],
            [table.columns for table in self.tables],
        )

    def __len__(self) -> int:
        return len(self.winners)

    @property
    def rows(self) -> int:
        """The number of moves of all positions together."""
        return int(self.starts[-1])

    @classmethod
    def open(cls, folder: Path | str) -> Competitions:
        """Map the competitions of a folder into memory."""
        folder = Path(folder)
        facts = _read_facts(folder)
        counts = {MOVES: facts.positions, WINNERS: facts.positions}
        counts |= dict.fromkeys(_column_names(facts.tables), facts.rows)
        types = [np.dtype("<u4"), np.dtype("<u4"), *_column_types(facts.tables)]
        moves, places, *columns = (
            _mapped(folder / name, dtype, count) for (name, count), dtype in zip(counts.items(), types, strict=True)
        )
        starts = np.concatenate([[0], np.cumsum(moves, dtype=np.int64)])
        try:
            return cls(facts.tables, starts, starts[:-1] + places, columns)
        except ValueError as problem:
            raise TengenError(f"{folder} is damaged: {problem}") from None

    def by_table(self, flat: FloatArray) -> list[FloatArray]:
        """Divide values by number of level into one array per table, indexed by level; level 0 has the first value."""
        ends = np.cumsum([table.levels for table in self.tables])[:-1]
        return [np.concatenate([flat[:1], part]) for part in np.split(flat[1:], ends)]

    def flat(self, weights: Sequence[npt.ArrayLike]) -> FloatArray:
        """Join one array per table, indexed by level, into one array; level 0 is "nothing" and gets 0."""
        arrays = [np.asarray(part, np.float64) for part in weights]
        if [part.shape for part in arrays] != [(table.levels + 1,) for table in self.tables]:
            raise TengenError("weights: one array for each table, with a number for each of its levels and for level 0")
        return np.concatenate([np.zeros(1), *(part[1:] for part in arrays)])


@dataclass(frozen=True)
class _Facts:
    tables: tuple[Table, ...]
    positions: int = 0
    rows: int = 0
    batches: int = 0

    def write(self, folder: Path) -> None:
        write_atomically(folder / FACTS, json.dumps({"format": FORMAT, **asdict(self)}, indent=1).encode())


class CompetitionWriter:
    """Writes competitions to a folder batch by batch; an interrupted folder is resumed after its last whole batch."""

    def __init__(self, folder: Path | str, tables: Sequence[Table]) -> None:
        self.folder = Path(folder)
        self._facts = _Facts(tuple(tables))
        if (self.folder / FACTS).exists():
            self._facts = _read_facts(self.folder)
            if self._facts.tables != tuple(tables):
                raise TengenError(f"{folder} holds competitions with other tables: name a new folder")
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise TengenError(f"{folder} has other things in it: name a new folder for the competitions")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._files: list[IO[bytes]] | None = []
        with ExitStack() as stack:
            for name, size in self._sizes().items():
                self._files.append(stack.enter_context(_file_of_size(self.folder / name, size)))
            self._facts.write(self.folder)
            self._stack = stack.pop_all()

    @property
    def batches(self) -> int:
        """The number of batches in the folder: where to go on after an interruption."""
        return self._facts.batches

    def __len__(self) -> int:
        return self._facts.positions

    def append(self, moves: npt.ArrayLike, winners: npt.ArrayLike, columns: Sequence[npt.ArrayLike]) -> None:
        """Add positions: the number of moves of each, the winner's place among them, and levels by column and row."""
        if self._files is None:
            raise TengenError(f"{self.folder}: the writer is closed")
        counts, places = np.asarray(moves), np.asarray(winners)
        if counts.shape != places.shape or counts.ndim != 1 or {counts.dtype.kind, places.dtype.kind} - set("ui"):
            raise TengenError("moves and winners are two lists with one whole number for each position")
        if (places < 0).any() or (places >= counts).any():
            raise TengenError("a winner is one of the moves of its position, counted from 0")
        rows = int(counts.sum())
        checked = [counts.astype("<u4"), places.astype("<u4"), *_checked_columns(self._facts.tables, columns, rows)]
        for file, array, size in zip(self._files, checked, self._sizes().values(), strict=True):
            file.seek(size)  # after the last whole batch: a failed one may have left a part
            file.write(array.tobytes())
            file.flush()
        old = self._facts
        facts = _Facts(old.tables, old.positions + len(counts), old.rows + rows, old.batches + 1)
        facts.write(self.folder)
        self._facts = facts

    def close(self) -> None:
        """Close the files; batches that were appended stay."""
        self._files = None
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _sizes(self) -> dict[str, int]:
        """Bytes of each file that count."""
        facts = self._facts
        names, types = _column_names(facts.tables), _column_types(facts.tables)
        columns = {name: facts.rows * dtype.itemsize for name, dtype in zip(names, types, strict=True)}
        return {MOVES: 4 * facts.positions, WINNERS: 4 * facts.positions} | columns


def _column_names(tables: Sequence[Table]) -> list[str]:
    return [f"{number:02d}.bin" for number in range(len(_column_types(tables)))]


def _column_types(tables: Sequence[Table]) -> list[np.dtype[np.unsignedinteger[Any]]]:
    return [table.dtype for table in tables for _ in range(table.columns)]


def _checked_columns(tables: Sequence[Table], columns: Sequence[npt.ArrayLike], rows: int) -> list[Column]:
    limits = [table.levels for table in tables for _ in range(table.columns)]
    if len(columns) != len(limits):
        raise TengenError(f"the tables have {len(limits)} columns, not {len(columns)}")
    checked = []
    for number, (given, most, dtype) in enumerate(zip(columns, limits, _column_types(tables), strict=True)):
        levels = np.asarray(given)
        if levels.shape != (rows,) or levels.dtype.kind not in "ui":
            raise TengenError(f"column {number}: {rows} whole numbers, one for each move of the positions")
        if rows and not (levels.min() >= 0 and levels.max() <= most):
            raise TengenError(f"column {number}: levels from 0 to {most}")
        checked.append(levels.astype(dtype))
    return checked


def _read_facts(folder: Path) -> _Facts:
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TengenError(f"{folder} holds no competitions: {FACTS} is missing") from None
    except ValueError:
        raise TengenError(f"{folder / FACTS} is damaged: delete the folder and write it again") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise TengenError(f"{folder / FACTS} is not of format {FORMAT}: delete the folder and write it again")
    try:
        tables = tuple(Table(str(t["name"]), int(t["levels"]), int(t["columns"])) for t in facts["tables"])
        return _Facts(tables, int(facts["positions"]), int(facts["rows"]), int(facts["batches"]))
    except (KeyError, TypeError, ValueError):
        raise TengenError(f"{folder / FACTS} is damaged: delete the folder and write it again") from None


def _check_size(path: Path, size: int) -> None:
    """Raise an error if a file is missing or ends too early; what follows belongs to an unfinished batch."""
    found = path.stat().st_size if path.is_file() else 0
    if found < size:
        raise TengenError(f"{path} is damaged, {found:,} of {size:,} bytes are left: delete the folder, write it again")


def _file_of_size(path: Path, size: int) -> IO[bytes]:
    _check_size(path, size)
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(size)
    file.seek(size)
    return file


def _mapped(path: Path, dtype: np.dtype[np.unsignedinteger[Any]], count: int) -> Column:
    _check_size(path, count * dtype.itemsize)
    if count == 0:
        return np.zeros(0, dtype)
    return np.asarray(np.memmap(path, dtype, "r", shape=(count,)))
