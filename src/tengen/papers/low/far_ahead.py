"""Points lost per move when the game is decided (Low §6.2).

Low sees UCT play weak moves when it is winning and unreasonable ones when it is losing, because playouts count as 0 or
1. Start at `measured`. Every position is searched three times, with a komi that makes it even, and with komi that put
the player to move `AHEAD` points ahead and behind: the best moves in points are the same, so losses can be compared
pair by pair. The value of a move is the lead after it by the strong search at the even komi, where that search itself
has something to play for; a move loses what it has less than the best move that any player chose, which is at least 0
and too small by the same amount for all players if none of them found the best move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.go.board import Board
from tengen.measure.arrays import FloatArray
from tengen.measure.compare import Comparison, compare
from tengen.papers.draws import GameNumbers
from tengen.papers.kept import kept_json
from tengen.search.player import Player, Settings

AHEAD = 20
"""Points by which a decided game is decided."""
CONDITIONS = {"ahead": AHEAD, "even": 0, "behind": -AHEAD}
PLAIN, DYNAMIC, STRONG = "UCT", "UCT with dynamic komi", "strong search"
RANDOM = "a random move"


@dataclass(frozen=True)
class Losses:
    """Points lost by player and condition, one value per position."""

    games: GameNumbers
    lost: dict[tuple[str, str], FloatArray]

    def against(self, first: tuple[str, str], second: tuple[str, str]) -> Comparison:
        """Compare the losses of two players or conditions on the same positions."""
        return compare(self.lost[first], self.lost[second], self.games)


def players(playouts: int) -> dict[str, Settings]:
    """Return the players that are compared: Low's UCT, the same with a komi that moves, and our search."""
    uct: dict[str, Any] = {"kind": "uct", "playouts": playouts}
    return {
        PLAIN: Settings(**uct),
        DYNAMIC: Settings(**uct, dynamic_komi="both"),
        STRONG: Settings(playouts=playouts, dynamic_komi="off"),
    }


def measured(batch: Batch, playouts: int, judged: int, folder: Path | None, tell: Callable[[str], None]) -> Losses:
    """Measure on some positions, one of a game; `judged` is the number of playouts that value a move."""
    found: dict[tuple[str, str], list[float]] = {}
    for row, board in enumerate(batch.positions.boards()):
        tell(f"points lost: position {row + 1} of {len(batch)}")
        name = f"{playouts}-{judged}-{batch.games[row]}-{batch.turns[row]}.json"
        for key, loss in kept_json(folder, name, partial(losses, board, playouts, judged)).items():
            player, _, condition = key.partition("/")
            found.setdefault((player, condition), []).append(loss)
    return Losses(batch.games, {key: np.array(values) for key, values in found.items()})


def losses(board: Board, playouts: int, judged: int) -> dict[str, float]:
    """Return the points that each player loses in each condition, by "player/condition"."""
    sign = 1 if board.to_play == "black" else -1
    even = half_point(board.komi + Player(board, Settings(playouts=judged, dynamic_komi="off")).think().lead)
    even = half_point(
        even + Player(board.with_rules(None, even), Settings(playouts=judged, dynamic_komi="off")).think().lead
    )
    chosen = {}
    for player, settings in players(playouts).items():
        for condition, ahead in CONDITIONS.items():
            analysis = Player(board.with_rules(None, even - sign * ahead), settings).think()
            chosen[f"{player}/{condition}"] = analysis.candidates[0].move
    legal = [move for move in board.legal_moves() if move != "pass"] or ["pass"]
    chosen[f"{RANDOM}/even"] = str(np.random.default_rng(crc32(board.stones.tobytes())).choice(legal))
    values = {move: sign * _lead_after(board.with_rules(None, even), move, judged) for move in set(chosen.values())}
    best = max(values.values())
    return {key: best - values[move] for key, move in chosen.items()}


def half_point(komi: float) -> float:
    """Return the nearest komi without draws."""
    return float(np.floor(komi)) + 0.5


def _lead_after(board: Board, move: str, playouts: int) -> float:
    after = board.copy()
    after.play(move)
    return Player(after, Settings(playouts=playouts, dynamic_komi="off")).think().lead
