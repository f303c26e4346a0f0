"""Reads the one-game-per-line files: id, size, komi, rules, result, setup, moves and more, TAB separated."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

MOVE, SETUP = 0, 1
COLOURS = {"B": 1, "W": 2}


@dataclass(frozen=True)
class Line:
    """One game: events packed as position.hpp has them, kind | colour << 2 | index << 4."""

    name: str
    size: int
    setup: list[int]
    moves: list[int]

    @property
    def events(self) -> np.ndarray:
        return np.array(self.setup + self.moves, dtype=np.int32)


@cache
def move_codes(size: int) -> dict[str, int]:
    """The code of every move as it is written, `B[pd]` or `W[]`."""
    letters = "abcdefghijklmnopqrs"[:size]
    points = [column + row for row in letters for column in letters] + [""]
    return {f"{c}[{p}]": MOVE | COLOURS[c] << 2 | index << 4 for c in COLOURS for index, p in enumerate(points)}


def setup_codes(setup: str, size: int) -> list[int]:
    codes = move_codes(size)
    return [
        codes[f"{colour}[{point}]"] | SETUP
        for colour, points in re.findall(r"A([BW])((?:\[\w\w\])+)", setup)
        for point in re.findall(r"\w\w", points)
    ]


def parse(line: str) -> Line:
    name, side, _, _, _, setup, moves = line.rstrip("\n").split("\t")[:7]
    codes = move_codes(int(side))
    return Line(name, int(side), setup_codes(setup, int(side)), [codes[m] for m in moves.split(";") if m])


def files() -> list[Path]:
    """The files of games, in the folder that TENGEN_DATA names."""
    default = Path(__file__).parents[2] / ".." / "shared" / "data"
    folder = Path(os.environ.get("TENGEN_DATA", default)) / "games"
    found = sorted(folder.glob("*.tsv.gz"))
    if not found:
        pytest.skip(f"no game files in {folder}: set TENGEN_DATA to the folder that holds games/")
    return found


def games(path: Path, *, limit: int | None = None, step: int = 1) -> Iterator[Line]:
    """Every step-th game of a file, at most `limit`."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in islice(stream, 0, None if limit is None else limit * step, step):
            yield parse(line)
