"""`tengen evaluate suite`: hand-made boards of other projects with the expected answers.

Start at `read_suite`. Three kinds of files are read, anywhere below a folder:

- maps (.txt): a board in letters (x, o; b and w for the stones marked dead) and the territory (z, a), seki, false eyes
  (F) and dame (1) it should have. The dead are given, so this tests tengen.judge.settle.
- removals (.game): a board in numbers (1, −1, 0) and which stones are dead. This tests the verdicts.
- owners (.json): a board (b, W) and its owner (B, W, blank for nobody, s for a border to be closed, * for anything).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.counting import Mask, Owner
from tengen.judge.score import score
from tengen.judge.settle import settle
from tengen.measure.tables import Cell, Table


@dataclass(frozen=True)
class Case:
    """One board: the points where our answer differs from the expected one, by the kind of answer."""

    name: str
    stones: Owner
    differs: dict[str, Mask]

    @property
    def passes(self) -> bool:
        """Whether everything agrees."""
        return not any(mask.any() for mask in self.differs.values())

    def text(self) -> str:
        """Return the board with a ? on each differing point, and the kinds of differences."""
        wrong = np.any(list(self.differs.values()), axis=0)
        signs = np.where(wrong, np.where(self.stones == 0, "?", np.where(self.stones > 0, "B", "W")), "")
        board = np.where(wrong, signs, np.array([".", "X", "O"])[self.stones])
        counts = ", ".join(f"{name} at {mask.sum()}" for name, mask in self.differs.items() if mask.any())
        return f"{self.name}: {counts}\n" + "\n".join("  " + " ".join(row) for row in board)


def read_suite(folder: Path) -> Iterator[Case]:
    """Compare our answers for every board below a folder."""
    readers: dict[str, Callable[[str, str], Case]] = {".txt": _maps, ".game": _removals, ".json": _owners}
    found = False
    for path in sorted(folder.rglob("*")):
        text = path.read_text(encoding="utf-8") if path.suffix in readers and path.is_file() else ""
        if path.suffix == ".txt" and not text.startswith("BOARD:"):
            continue
        if text:
            found = True
            yield readers[path.suffix](str(path.relative_to(folder).with_suffix("")), text)
    if not found:
        raise TengenError(f"{folder}: no .txt, .game or .json boards")


def suite_table(cases: list[Case]) -> Table:
    """Return how many boards pass, for each kind of answer and in total."""
    names = dict.fromkeys(name for case in cases for name in case.differs)
    rows: list[list[Cell]] = []
    for name in names:
        compared = [case for case in cases if name in case.differs]
        rows.append([name, len(compared), sum(not case.differs[name].any() for case in compared)])
    return Table(
        ["compared", "boards", "pass"], [*rows, ["everything", len(cases), sum(case.passes for case in cases)]]
    )


def _maps(name: str, text: str) -> Case:
    maps = {part.split(":")[0]: _grid(part.split(":")[1]) for part in re.split(r"\n(?=[A-Z ]+:)", text)}
    stones = _signs(maps["BOARD"], "xb", "ow")
    dead = np.isin(maps["BOARD"], ["b", "w"])
    settled = settle(stones, dead)
    uncounted = (settled.seki != 0) | (settled.false_eyes != 0)
    territory = np.where(uncounted, 0, settled.territory)
    differs = {
        "territory": territory != _signs(maps["TERRITORY"], "z", "a"),
        "seki": ((settled.seki != 0) != (maps["SEKI"] != ".")) & (settled.living != 0),
        "false eyes": (settled.false_eyes != 0) != (maps["UNSCORABLE FALSE EYES"] == "F"),
        "dame": (settled.dame != (maps["DAME"] == "1")) & ~dead,
    }
    return Case(name, stones, differs)


def _removals(name: str, text: str) -> Case:
    rows = [line.split() for line in text.splitlines() if re.fullmatch(r"[-\d\s]+", line) and line.strip()]
    grids = np.array(rows, np.int8).reshape(2, -1, len(rows[0]))
    stones, removed = grids[0], grids[1] != 0
    judged = score(Board.from_stones(stones), rules="chinese")
    dead = judged.settlement.living != stones
    differs = {"dead stones": (dead != removed) & (stones != 0)}
    return Case(name, stones, differs)


def _owners(name: str, text: str) -> Case:
    row = json.loads(text)
    board, expected = _grid("\n".join(row["board"])), _grid("\n".join(row["correct_ownership"]))
    stones = _signs(board, "b", "W")
    owner = score(Board.from_stones(stones), rules=row.get("rules", "chinese"), captures=(0, 0)).owner
    return Case(name, stones, {"owner": (owner != _signs(expected, "B", "W")) & (expected != "*")})


def _grid(text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.str_]]:
    return np.array([list(line) for line in text.split("\n") if line])


def _signs(letters: np.ndarray[tuple[int, ...], np.dtype[np.str_]], black: str, white: str) -> Owner:
    return np.isin(letters, list(black)).astype(np.int8) - np.isin(letters, list(white)).astype(np.int8)
