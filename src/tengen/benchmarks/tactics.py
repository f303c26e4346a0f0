"""Time to read every chain and every move of a 19×19 board, compared with one random playout from the same board.

The boards are from records, between moves 60 and 200, or from random games if no records are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tengen import _core
from tengen.benchmarks.coupling import each_in_turn, random_game
from tengen.benchmarks.harness import compare_speed
from tengen.go.board import Board
from tengen.go.record import read_all

SIZE = 19
BOARDS = 200
DIAGONAL_EYES, BLACK_FIRST, ONE_THREAD = int(_core.Eye.diagonal), int(_core.First.black), 1

Read = Callable[[_core.Position], object]


def bench_tactics(games: Path | None = None, *, seconds: float = 4.0) -> Iterator[dict[str, Any]]:
    """Measure reading the ladders of a board, the facts of its moves and their tactical features, one row each."""
    boards = middle_games(games)
    positions = [board.native for board in boards]
    cases: dict[str, Read] = {
        "every chain": _core.ladders,
        "every move of Black": lambda position: _core.move_facts(position, _core.BLACK),
        "features of every move": features,
    }
    for case, read in cases.items():
        found = compare_speed(
            each_in_turn(over(positions, read), len(boards)),
            each_in_turn(over(positions, one_playout), len(boards)),
            seconds=seconds,
        )
        yield {
            "bench": "tactics",
            "case": case,
            "size": SIZE,
            "threads": 1,
            "ms": round(1e3 / found.per_second, 4),
            "reference": "one random game from the same board",
            "ratio": round(found.ratio, 3),
            "ratio_low": round(found.ratio_low, 3),
            "ratio_high": round(found.ratio_high, 3),
            "note": f"{len(boards)} boards of {'random games' if games is None else games.name}",
        }


def features(position: _core.Position) -> object:
    """Return the tactical features of every move of the player to move."""
    stones, to_play, ko, last_moves, _, passes = _core.position_rows([position])
    return _core.move_features(stones, to_play, ko, last_moves, passes)


def one_playout(position: _core.Position) -> object:
    """Play one random game to the end."""
    return position.owner_counts(1, 0, ONE_THREAD, DIAGONAL_EYES, BLACK_FIRST)


def over(positions: list[_core.Position], read: Read) -> Callable[[int], object]:
    """Return a function that reads the k-th position."""
    return lambda k: read(positions[k])


def middle_games(games: Path | None) -> list[Board]:
    """Return boards between moves 60 and 200."""
    if games is None:
        return [random_game(SIZE, 60 + seed * 7 % 140, seed) for seed in range(BOARDS // 4)]
    records = (game for game in read_all(games) if game.width == game.height == SIZE and len(game.moves) > 60)
    return [game.board(60 + i * 7 % min(140, len(game.moves) - 60)) for i, game in enumerate(islice(records, BOARDS))]
