"""A few labelled positions of the games that ship, for models that must learn before they can answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import tengen
from tengen.corpus.plays import PlayBatch, WholeGames
from tengen.go.positions import Positions as Rows
from tengen.models.registry import find
from tengen.models.state import settings
from tengen.values.linear_td import PatchValue
from tests.nets.tiny import tiny_fast, tiny_net

from .boards import EXAMPLES


@dataclass(frozen=True)
class Positions:
    """A batch of boards of one size."""

    boards: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


@cache
def positions() -> tuple[Positions, ...]:
    """Positions of each example at eight stages, with the owners that playouts from the end give, in hundredths."""
    return tuple(_positions(path) for path in EXAMPLES)


def _positions(path) -> Positions:
    game = tengen.read(path)
    owners = np.rint(game.board().playouts(64, seed=1).ownership * 100) / 100
    boards = np.stack([game.board(int(len(game.moves) * share)).stones for share in np.linspace(0.1, 1, 8)])
    return Positions(boards, np.broadcast_to(owners, boards.shape), np.ones(len(boards)))


@cache
def taught(name):
    """A model by name, fitted to the examples if it has to learn."""
    return fresh(name)


@cache
def plays() -> tuple[PlayBatch, ...]:
    """Moves of each example: a third of its positions with the moves played in them."""
    return tuple(_plays(path) for path in EXAMPLES)


def _plays(path) -> PlayBatch:
    game = tengen.read(path)
    turns = np.arange(0, len(game.moves), 3, dtype=np.int32)
    rows = [Rows.of([game.board(turn + ahead) for turn in turns.tolist()]) for ahead in (0, 1)]
    moves = rows[1].last_moves[:, 0].astype(np.int32)
    return PlayBatch(rows[0], moves, np.zeros(len(turns), np.int64), turns, np.full_like(turns, len(game.moves)))


@cache
def whole_games() -> WholeGames:
    """The finished 9×9 game that ships, with its result."""
    game = tengen.read(next(path for path in EXAMPLES if path.stem == "finished-9x9"))
    board = game.board()
    moves = np.array([board.index(move) for _, move in board.moves], np.int16)
    won = float(game.result.startswith("B"))
    return WholeGames(9, moves, np.array([0, len(moves)]), np.array([won]), np.array([game.komi]))


SMALL = {"min_count": 3, "trees": 2, "split_after": 200, "share": 0.9, "epochs": 2, "factors": 2}
"""Settings of models of moves that learn from so little."""


def _of_moves(name):
    cls = find(name).model_class()
    return cls(**{key: value for key, value in SMALL.items() if key in settings(cls())}).fit(plays())


def fresh(name):
    """The same, made anew."""
    if name == "net/small":
        return tiny_net(symmetries=8)
    if name == "net/fast":
        return tiny_fast(symmetries=8)
    model = tengen.load(name)
    if isinstance(model, PatchValue):
        return model.fit([whole_games()])
    if getattr(model, "learns_from", "") == "plays" and not hasattr(model, "weights_"):
        return _of_moves(name)
    return model if find(name).fitted else model.fit(positions())
