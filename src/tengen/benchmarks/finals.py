"""Finished positions whose truth is known, to judge the judge by.

Two kinds of file are read. Marked finals (.jsonl, one object a line): `id`, `board` and `owner` (rows of X O .),
`rules`, `komi`, `handicap`, `captured_by_black`, `captured_by_white`, `result`. Games (anything tengen.read_all reads)
with label files: NAME.meta.tsv.gz (`id, turn, size, …`) and NAME.own<size>.i8.xz (size×size signed bytes a row, Black
positive).
"""

from __future__ import annotations

import csv
import gzip
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.counting import lead_of
from tengen.go.header import read_result
from tengen.go.record import Game, read_all

_SIGNS = {"X": 1, "O": -1, ".": 0}


@dataclass(frozen=True)
class Final:
    """A finished position, who owned each point, and the result as it was recorded."""

    id: str
    board: Board
    owner: npt.NDArray[np.float64]
    """From −1 (White) to 1 (Black); a chain is dead if its points are the other side's."""
    captures: tuple[int, int]
    recorded: float | None
    """Black's lead by the record, if it gives a margin."""


def read_finals(path: Path, labels: Path | None = None) -> Iterator[Final]:
    """Read marked finals, or games whose final positions are labelled."""
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return _marked_finals(path)
    if labels is None:
        raise TengenError(f"{path} holds games: name their label file with --labels")
    return _labelled_games(path, labels)


def _marked_finals(path: Path) -> Iterator[Final]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            settings = {"rules": row["rules"] or "japanese", "komi": row["komi"], "handicap": row["handicap"]}
            board = Board.from_text(row["board"], **settings)
            owner = np.array([[_SIGNS[sign] for sign in signs] for signs in row["owner"]], float)
            captures = (row["captured_by_black"], row["captured_by_white"])
            yield Final(row["id"], board, owner, captures, lead_of(read_result(row["result"])[0]))


def _labelled_games(path: Path, labels: Path) -> Iterator[Final]:
    rows = _Labels(labels)
    for game in read_all(path):
        owner = rows.final_owner(game)
        if owner is not None:
            board = game.board()
            yield Final(str(game.id), board, owner, board.captures, lead_of(game.result))


class _Labels:
    """The label rows of one NAME, found by game and turn."""

    def __init__(self, name: Path) -> None:
        self._name = name
        self._places: dict[tuple[str, int, int], int] = {}
        self._owners: dict[int, npt.NDArray[np.int8]] = {}
        count: dict[int, int] = {}
        with gzip.open(f"{name}.meta.tsv.gz", "rt", encoding="utf-8", newline="") as file:
            for id_, turn, size, *_ in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                side = int(size)
                place = count[side] = count.get(side, -1) + 1
                self._places[id_, side, int(turn)] = place

    def final_owner(self, game: Game) -> npt.NDArray[np.float64] | None:
        """Return the owners after the last move that is not a closing pass, if that turn is labelled."""
        points = [move.point for move in game.moves]
        while points and points[-1] == "pass":
            points.pop()
        place = self._places.get((str(game.id), game.size, len(points)))
        return None if place is None else self._owner(game.size)[place] / 100

    def _owner(self, size: int) -> npt.NDArray[np.int8]:
        if size not in self._owners:
            with lzma.open(f"{self._name}.own{size}.i8.xz") as file:
                self._owners[size] = np.frombuffer(file.read(), np.int8).reshape(-1, size, size)
        return self._owners[size]
