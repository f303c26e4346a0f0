"""`tengen bench moves`: time to score all legal moves of a 19×19 board, and to learn the weights of moves.

Start at `bench_moves`. Models that ship without weights get features of the usual number: the patterns of the boards
themselves up to size `KNOWN_SIZE`, and trees grown on them. Their weights mean nothing, but cost as much as learned
ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tengen
from tengen.benchmarks.bradley_terry import POSITIONS, bench_weights
from tengen.benchmarks.coupling import each_in_turn
from tengen.benchmarks.harness import compare_speed, timed_row
from tengen.benchmarks.tactics import SIZE, middle_games, one_playout, over
from tengen.go.positions import Positions
from tengen.moves.policy import FactorMoves, FeatureMoves, ForestMoves, PatternMoves, pack_keys
from tengen.moves.streaming import feature_arrays
from tengen.moves.trees import grow
from tengen.views.move_patterns import SIZES, move_pattern_keys, response_keys

KNOWN_SIZE = 8
LEAVES, SPLIT_AFTER, PASSES = 2200, 20, 12
"""Leaves of each tree, and how a few boards suffice to grow them: moves for a split, and passes over the boards."""


def bench_moves(
    games: Path | None = None, *, seconds: float = 4.0, leaves: int = LEAVES, positions: int = POSITIONS
) -> Iterator[dict[str, Any]]:
    """Rows for every model of moves, then those of `bench_weights` on generated positions."""
    boards = middle_games(games)
    every = Positions.of(boards)
    arrays = [feature_arrays(every.take(slice(k, k + 1))) for k in range(len(boards))]
    playout = each_in_turn(over([board.native for board in boards], one_playout), len(boards))
    for name in tengen.models():
        model = tengen.load(name)
        if isinstance(model, FeatureMoves):
            policy = with_features(model, every, leaves).policy
            score = each_in_turn(lambda k, policy=policy: policy.scores(*arrays[k]), len(boards))
            found = compare_speed(score, playout, seconds=seconds)
            note = f"{len(boards)} boards of {'random games' if games is None else games.name}, {about(model)}"
            yield timed_row("moves", name, SIZE, "one random game from the same board", found, note=note)
    yield from bench_weights(positions)


def with_features(model: FeatureMoves, boards: Positions, leaves: int) -> FeatureMoves:
    """Give a model that was not fitted features and weights; return a fitted one unchanged."""
    if hasattr(model, "weights_"):
        return model
    if isinstance(model, PatternMoves):
        keys = move_pattern_keys(boards)[..., : 1 + SIZES.index(KNOWN_SIZE)]
        model.keys_ = pack_keys(keys[keys != 0])
    if isinstance(model, FactorMoves):
        rows, points = np.nonzero(boards.stones.reshape(len(boards), -1) == 0)
        keys = response_keys(boards.take(rows), points.astype(np.int32))
        model.response_keys_ = pack_keys(keys[keys != 0])
    if isinstance(model, ForestMoves):
        first = boards.legal.argmax(axis=1).astype(np.int32)  # even splits do not depend on the moves played
        plays = [(boards, first)] * PASSES
        model.queries_ = grow(plays, split_after=SPLIT_AFTER, sample=0.5, max_leaves=leaves, threads=1).queries
    levels = 1 + sum(table.levels for table in model.tables)
    model.weights_ = np.zeros(levels, np.float16)
    if isinstance(model, FactorMoves):
        model.factors_ = np.ones((levels, model.factors), np.int8)
        model.factor_scales_ = np.full(model.factors, 0.01, np.float32)
    return model


def about(model: FeatureMoves) -> str:
    """Return the number of levels a model has, and in how many columns."""
    return f"{sum(table.levels for table in model.tables):,} levels in {model.policy.columns} columns"
