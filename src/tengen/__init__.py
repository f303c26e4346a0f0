"""Tengen reads Go positions: the owner of every point, dead stones, the score, the next move, and why.

>>> import tengen
>>> board = tengen.Board(9)
>>> board.play("E5")
0
>>> board.to_play
'white'

Names are loaded when they are first used, so that `import tengen` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tengen.errors import EngineError, IllegalMove, MissingExtra, ModelError, RecordError, TengenError
    from tengen.go.board import Board, Move
    from tengen.go.points import point
    from tengen.go.record import Game, read, read_all
    from tengen.go.rules import Rules
    from tengen.judge.score import Score, score
    from tengen.models.estimate import Estimate, estimate
    from tengen.models.registry import listing as models
    from tengen.models.registry import load
    from tengen.models.suggestion import Suggestion, suggest
    from tengen.models.verdict import Reason, Verdict

__version__ = "0.1.0"

_ROOMS = {
    "tengen.errors": ("EngineError", "IllegalMove", "MissingExtra", "ModelError", "RecordError", "TengenError"),
    "tengen.go.board": ("Board", "Move"),
    "tengen.go.points": ("point",),
    "tengen.go.record": ("Game", "read", "read_all"),
    "tengen.go.rules": ("Rules",),
    "tengen.judge.score": ("Score", "score"),
    "tengen.models.estimate": ("Estimate", "estimate"),
    "tengen.models.registry": ("load",),
    "tengen.models.suggestion": ("Suggestion", "suggest"),
    "tengen.models.verdict": ("Reason", "Verdict"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Board",
    "EngineError",
    "Estimate",
    "Game",
    "IllegalMove",
    "MissingExtra",
    "ModelError",
    "Move",
    "Reason",
    "RecordError",
    "Rules",
    "Score",
    "Suggestion",
    "TengenError",
    "Verdict",
    "estimate",
    "load",
    "models",
    "point",
    "read",
    "read_all",
    "score",
    "suggest",
]


def __getattr__(name: str) -> Any:
    if name == "models":  # a package that can be called
        return import_module("tengen.models")
    room = _HOME.get(name)
    if room is None:
        raise AttributeError(f"module 'tengen' has no attribute {name!r}")
    value = getattr(import_module(room), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
