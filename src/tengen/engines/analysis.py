"""The answer of an analysis engine about a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class EngineMove(NamedTuple):
    """A move the engine considered."""

    move: str
    visits: int
    winrate: float
    """Black's."""
    lead: float
    """Black's."""
    prior: float
    line: tuple[str, ...]
    """The principal variation, this move first."""


@dataclass(frozen=True, eq=False)
class EngineAnalysis:
    """The engine's evaluation of one position, from Black's side."""

    turn: int
    """Number of moves played before the position."""
    lead: float
    winrate: float
    visits: int
    ownership: npt.NDArray[np.float64] | None
    """From −1 (White) to 1 (Black), as an array [row, column]."""
    policy: npt.NDArray[np.float64] | None
    """The network's probability of each move of the player to move [points + 1], row by row, the pass last."""
    moves: tuple[EngineMove, ...]
    """The moves considered, best first."""


def read_analysis(message: dict[str, Any], shape: tuple[int, int], earlier: int = 0) -> EngineAnalysis:
    """Read KataGo's answer about a board of shape (height, width); `earlier` moves came before its first turn."""
    root = message["rootInfo"]
    ownership, policy = message.get("ownership"), message.get("policy")
    candidates = sorted(message.get("moveInfos", ()), key=lambda info: info.get("order", 0))
    return EngineAnalysis(
        turn=int(message["turnNumber"]) + earlier,
        lead=float(root["scoreLead"]),
        winrate=float(root["winrate"]),
        visits=int(root["visits"]),
        ownership=None if ownership is None else np.asarray(ownership, np.float64).reshape(shape),
        policy=None if policy is None else np.maximum(np.reshape(policy, shape[0] * shape[1] + 1), 0.0),
        moves=tuple(map(_candidate, candidates)),
    )


def _candidate(info: dict[str, Any]) -> EngineMove:
    move, line = str(info["move"]), tuple(map(str, info.get("pv", ())))
    figures = float(info["winrate"]), float(info["scoreLead"]), float(info.get("prior", 0.0))
    return EngineMove(move, int(info["visits"]), *figures, line)
