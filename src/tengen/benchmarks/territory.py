"""Speed of patterns: looking up a board in a table, incremental keys, and the keys of whole games.

Boards and games are random, and the tables contain every pattern of the boards up to the largest template, which is the
worst case. The tables are padded with unused keys to the size of a shipped table or of the paper's 3.6 million.
References: the same look-up in numpy (native keys, then a binary search for each template), and keys computed from
scratch for every position. Sanner et al. (Table 2) report 1.7 ms per board for the largest pattern and 6.0 ms for BMA.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.benchmarks.harness import SpeedComparison, Work, compare_speed
from tengen.go.board import Board
from tengen.go.colour import CODES
from tengen.go.events import MOVE, packed
from tengen.territory.bma import BmaTree
from tengen.territory.counts import PatternCounts, count_boards
from tengen.territory.patterns import Largest, PatternModel

SIZE = 19
TEMPLATES = 8
SHIPPED, PUBLISHED = 285_000, 3_600_000
GAMES, MOVES, EVERY = 12, 240, 12

Stones = npt.NDArray[np.int8]


def bench_territory(*, seconds: float = 4.0) -> Iterator[dict[str, Any]]:
    """Measure each case for about `seconds`."""
    games = [random_game(seed) for seed in range(GAMES)]
    boards = np.concatenate([positions[::EVERY] for _, positions in games])
    counts = known_counts(boards)
    for model in (Largest(), BmaTree()):
        model.fit_counts(counts)
        for entries in (SHIPPED, PUBLISHED):
            keys, values = filled(model, entries)
            table = _core.PatternTable(keys, values)
            comparison = compare_speed(
                native_look_up(table, boards), numpy_look_up(keys, values, boards), seconds=seconds
            )
            case = f"{model.name.partition('/')[2]}, {len(keys) / 1e6:.1f} M patterns"
            memory = round((table.bytes + 8 * len(keys)) / 1e6, 1)  # including the counts for reasons
            yield _row(case, "numpy look-up", comparison, ms=round(1000 / comparison.per_second, 4), megabytes=memory)
    yield _row(
        "keys after one stone", "keys of the board anew", compare_speed(updates(), recomputed(boards), seconds=seconds)
    )
    codes = [events for events, _ in games]
    replayed = compare_speed(replayed_keys(codes), recomputed_games(games), seconds=seconds, rounds=20)
    yield _row("keys of games", "keys of every position anew", replayed)


def _row(case: str, reference: str, comparison: SpeedComparison, **facts: Any) -> dict[str, Any]:
    speed = {} if "ms" in facts else {"per_second": round(comparison.per_second, 1)}
    ratios = {name: round(getattr(comparison, name), 3) for name in ("ratio", "ratio_low", "ratio_high")}
    head = {"bench": "territory", "case": case, "size": SIZE, "threads": 1}
    return {**head, **speed, **facts, "reference": reference, **ratios}


def random_game(seed: int) -> tuple[npt.NDArray[np.uint16], Stones]:
    """Return a game of random legal moves: its events as packed in the store, and its positions."""
    random, board = np.random.default_rng(seed), Board(SIZE)
    events, positions = [], []
    for _ in range(MOVES):
        legal = np.flatnonzero(board.legal_mask())
        point = int(random.choice(legal))
        events.append(packed(MOVE, CODES[board.to_play], point))
        board.play((point // SIZE, point % SIZE))
        positions.append(board.stones)
    return np.array(events, np.uint16), np.stack(positions)


def known_counts(boards: Stones) -> PatternCounts:
    """Return counts of every pattern of the boards, with random owners."""
    owners = np.random.default_rng(0).integers(-100, 101, boards.shape) / 100
    return PatternCounts.joined(count_boards(boards, owners, templates=TEMPLATES))


def filled(model: PatternModel, entries: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """Return a model's keys and values, padded with unused ones to at least a given number."""
    others = np.random.default_rng(1).integers(0, 2**64, max(0, entries - len(model.keys_)), np.uint64)
    keys = np.concatenate([model.keys_, others])
    order = np.argsort(keys)
    return keys[order], np.concatenate([model.values_, np.zeros(len(others), np.float32)])[order]


def native_look_up(table: _core.PatternTable, boards: Stones) -> Work:
    """Look up board after board, one call each."""

    def work(n: int) -> None:
        for i in range(n):
            at = i % len(boards)
            table.ownership(boards[at : at + 1], TEMPLATES)

    return work


def numpy_look_up(keys: npt.NDArray[np.uint64], values: npt.NDArray[np.float32], boards: Stones) -> Work:
    """Look up the same by binary search, template by template."""

    def work(n: int) -> None:
        for i in range(n):
            at = i % len(boards)
            met, signs = _core.pattern_keys(boards[at : at + 1], TEMPLATES)
            places = np.minimum(np.searchsorted(keys, met), len(keys) - 1)
            depth = np.cumprod(keys[places] == met, axis=-1).sum(axis=-1, keepdims=True)
            largest = np.maximum(depth - 1, 0)
            value = values[np.take_along_axis(places, largest, -1)] * np.take_along_axis(signs, largest, -1)
            np.where(depth > 0, value, 0)

    return work


def updates() -> Work:
    """Place and remove stones in the middle of a board, where they affect the most patterns."""
    live = _core.PatternKeys(np.zeros((SIZE, SIZE), np.int8), TEMPLATES)

    def work(n: int) -> None:
        for i in range(n):
            live.set(5 + i % 9, 5 + i // 9 % 9, (-1, 0, 1)[i // 81 % 3])

    return work


def recomputed(boards: Stones) -> Work:
    """Compute all keys of a board."""
    return lambda n: [_core.pattern_keys(boards[i % len(boards)][None], TEMPLATES) for i in range(n)]


def replayed_keys(codes: list[npt.NDArray[np.uint16]]) -> Work:
    """Replay games with incremental keys."""

    def work(n: int) -> None:
        for i in range(n):
            events = codes[i % len(codes)]
            _core.replay_keys(SIZE, SIZE, events, np.array([0, len(events)]), TEMPLATES)

    return work


def recomputed_games(games: list[tuple[npt.NDArray[np.uint16], Stones]]) -> Work:
    """Compute the keys of every position of the same games."""
    return lambda n: [_core.pattern_keys(games[i % len(games)][1], TEMPLATES) for i in range(n)]
