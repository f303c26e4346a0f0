"""Tactical features of moves: what a move captures, saves and threatens, and where it is.

Start at `move_features` for one board, `move_levels` for many positions. The features are those of table 1 of van
Niekerk & Kroon. Each feature of a move has one level, 0 where it does not apply; of several levels that apply, the
highest counts. `PHRASES` says each level in Go words. With `oakfoam=True` the levels are those of Oakfoam, the program
the paper was written with, where they differ from the table's words (core/include/tengen/move_features.hpp).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import read_only
from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.go.points import PointLike, as_point
from tengen.go.positions import Positions, PositionsLike, as_positions

Levels = npt.NDArray[np.uint8]

Feature: TypeAlias = Literal[
    "pass",
    "capture",
    "extension",
    "self-atari",
    "atari",
    "border",
    "last",
    "second-last",
    "fate last",
    "fate second-last",
]
"""A feature of a move. The last four are distances to the last two moves: circular, δx + δy + max(δx, δy), and in the
common fate graph, where each chain counts as one point."""

FEATURES: tuple[Feature, ...] = get_args(Feature)
"""The features in the order of the arrays."""

_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _circular_phrases(move: str) -> dict[int, str]:
    near = {
        2: f"next to {move}",
        3: f"diagonal to {move}",
        4: f"two points from {move}",
        5: f"a knight's move from {move}",
    }
    return near | {level: f"at circular distance {_NUMBERS[level]} from {move}" for level in range(6, 11)}


def _fate_phrases(move: str) -> dict[int, str]:
    far = {level: f"{_NUMBERS[level]} steps from the chain of {move}" for level in range(2, 11)}
    return {1: f"touches the chain of {move}"} | far


PHRASES: Mapping[Feature, Mapping[int, str]] = {
    "pass": {1: "passes", 2: "passes after a pass"},
    "capture": {
        1: "captures a chain in atari",
        2: "captures a chain that a ladder would catch",
        3: "captures a chain that could connect",
        4: "captures the stone just played",
        5: "captures a chain next to an own chain in atari",
        6: "captures ten or more stones next to an own chain in atari",
    },
    "extension": {1: "extends a chain in atari", 2: "extends a chain that a ladder still catches"},
    "self-atari": {1: "self-atari of five stones or fewer", 2: "self-atari of more than five stones"},
    "atari": {
        1: "puts a chain in atari",
        2: "puts a chain in atari during a ko",
        3: "puts a chain in atari that a ladder catches",
    },
    "border": {1: "on the first line", 2: "on the second line", 3: "on the third line", 4: "on the fourth line"},
    "last": _circular_phrases("the last move"),
    "second-last": _circular_phrases("the second-last move"),
    "fate last": _fate_phrases("the last move"),
    "fate second-last": _fate_phrases("the second-last move"),
}
"""Each level in Go words. Level 0 has none, and circular distances begin with 2."""

OAKFOAM_PHRASES: Mapping[Feature, Mapping[int, str]] = {
    **PHRASES,
    "capture": {**PHRASES["capture"], 2: "captures next to an own chain in atari that no ladder catches"},
    "atari": {**PHRASES["atari"], 3: "puts a chain in atari whose ladder does not work"},
}
"""The same for `oakfoam=True`."""

LEVELS: Mapping[Feature, int] = {feature: max(PHRASES[feature]) for feature in FEATURES}
"""The highest level of each feature."""

OWNER_PLAYOUTS = 63
"""Playouts for `owner_levels`: 0 to 63 wins of a point fall into eight bins of equal width."""
OWNER_LEVELS = 8


@dataclass(frozen=True, eq=False)
class MoveFeatures:
    """The tactical features of every move of the player to move."""

    colour: Colour
    width: int
    height: int
    levels: Levels
    """[points + 1, feature], the pass last; all 0 for a move that simple ko or suicide forbids."""
    oakfoam: bool = False

    def at(self, move: PointLike) -> dict[Feature, int]:
        """Return the features of a move, a point or "pass", that are not 0."""
        levels = self.levels[self._index(move)].tolist()
        return {feature: level for feature, level in zip(FEATURES, levels, strict=True) if level}

    def describe(self, move: PointLike) -> tuple[str, ...]:
        """Return the features of a move in Go words."""
        phrases = OAKFOAM_PHRASES if self.oakfoam else PHRASES
        return tuple(phrases[feature][level] for feature, level in self.at(move).items())

    def _index(self, move: PointLike) -> int:
        if isinstance(move, str) and move.strip().lower() == "pass":
            return self.width * self.height
        row, column = as_point(move, self.width, self.height)
        return row * self.width + column


def move_features(board: Board, *, oakfoam: bool = False) -> MoveFeatures:
    """Return the tactical features of every move of the player to move."""
    levels = move_levels(Positions.of([board]), oakfoam=oakfoam)[0]
    return MoveFeatures(board.to_play, board.width, board.height, read_only(levels), oakfoam)


def move_levels(positions: PositionsLike, *, oakfoam: bool = False) -> Levels:
    """Return the levels of all moves of positions whose turn is known: [n, points + 1, feature], the pass last."""
    rows = _with_turns(positions)
    if not len(rows):
        return np.zeros((0, rows.points + 1, len(FEATURES)), np.uint8)
    return _core.move_features(rows.stones, rows.to_play, rows.ko, rows.last_moves, rows.passes, oakfoam)


def owner_levels(positions: PositionsLike, *, seed: int = 0) -> Levels:
    """Return levels 1 to 8 for the share of playouts in which the mover owns each point (Coulom): [n, points + 1].

    They take 63 playouts for each position, which the player to move begins. The pass and illegal moves have level 0.
    """
    rows = _with_turns(positions)
    levels = np.zeros((len(rows), rows.points + 1), np.uint8)
    for i, board in enumerate(rows.boards()):
        found = board.playouts(OWNER_PLAYOUTS, seed=seed, policy="knowing", first="to_play")
        wins = found.black if rows.to_play[i] > 0 else found.white
        levels[i, :-1] = 1 + wins.ravel() * OWNER_LEVELS // (OWNER_PLAYOUTS + 1)
    return np.where(rows.legal, levels, 0) if len(rows) else levels


def _with_turns(positions: PositionsLike) -> Positions:
    rows = as_positions(positions)
    if (rows.to_play == 0).any():
        raise TengenError("features of moves need to know whose turn it is: set to_play")
    return rows
