"""Decision forests over the stone graph of a candidate move (van Niekerk & Kroon §3).

Start at `grow`, which learns a `Forest` from played moves; `Forest.leaves` then gives the leaf of each tree for every
empty point. The words for trees and leaves are in tree_words.py, the algorithms in core/include/tengen
(stone_graph.hpp, decision_forest.hpp, forest_growth.hpp).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError, refused_by_core
from tengen.go.board import Board
from tengen.go.points import PointLike, as_point
from tengen.go.positions import Ints, Positions
from tengen.numbers import checked_count, checked_number
from tengen.views.stone_graph import Nodes, graph_nodes, mover

Criterion: TypeAlias = Literal["even", "gain"]
"""How a query is chosen: the most even split of the moves, or the one that says most about which moves are played."""

_DEFAULTS: dict[Criterion, tuple[int, float]] = {"even": (10, 0.40), "gain": (250, 5.0)}
"""How often a leaf tries to split, and the quality it needs."""


@dataclass(frozen=True, eq=False)
class Forest:
    """Decision trees as an array, which must not change."""

    queries: npt.NDArray[np.int8]
    """[query, 5]: kind, x, y, equal, value as decision_forest.hpp has them; pre-order, one tree after the other."""
    nodes: Nodes = "stones"
    """The nodes of the graph that the queries ask about."""

    def __post_init__(self) -> None:
        _ = self.native

    @cached_property
    def native(self) -> _core.Forest:
        """The forest in the core; a malformed one is refused."""
        with refused_by_core("this is not a decision forest"):
            return _core.Forest(self.queries, graph_nodes(self.nodes))

    def __len__(self) -> int:
        return len(self.native.leaf_counts)

    @property
    def leaf_counts(self) -> list[int]:
        """The number of leaves of each tree."""
        return self.native.leaf_counts

    def leaves(self, positions: Positions) -> npt.NDArray[np.int32]:
        """Return the left-most leaf [n, points, tree] for a move at each point, from 1; 0 where there is a stone."""
        return self.native.leaves(positions.stones, positions.to_play)

    def all_leaves(self, positions: Positions) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return all leaves that a move reaches where several nodes fit a query equally well.

        Returns offsets and leaves: those of number i in the flat order [n, points, tree] are
        leaves[offsets[i] : offsets[i + 1]], rising; none where there is a stone.
        """
        return self.native.all_leaves(positions.stones, positions.to_play)[:2]

    def trace(self, board: Board, move: PointLike, tree: int = 0) -> tuple[int, list[int]]:
        """Return the left-most leaf for a move and the discovered nodes, as numbered by `stone_graph`, 0 first."""
        row, column = as_point(move, board.width, board.height)
        if board.stones[row, column] != 0 or not 0 <= tree < len(self):
            raise TengenError(f"a move on an empty point and a tree from 0 to {len(self) - 1} are needed")
        return self.native.trace(board.stones[None], mover(board), row * board.width + column, tree)


def unique_shares(forest: Forest, positions: Positions) -> tuple[float, float]:
    """Return the shares of descents, over empty points and trees, that reach a single leaf and that go a single way.

    Several ways may end at one leaf: nodes that cannot be told apart often get the same answers.
    """
    offsets, _, ways = forest.native.all_leaves(positions.stones, positions.to_play)
    descents = max(1, int((ways > 0).sum()))
    return float((np.diff(offsets) == 1).sum() / descents), float((ways == 1).sum() / descents)


def grow(
    plays: Iterable[tuple[Positions, Ints]],
    *,
    trees: int = 8,
    nodes: Nodes = "stones",
    criterion: Criterion = "even",
    split_after: int = 1000,
    test_every: int | None = None,
    threshold: float | None = None,
    sample: float = 0.1,
    max_leaves: int | None = None,
    max_depth: int = 40,
    max_found: int = _core.MAX_FOUND,
    seed: int = 0,
    threads: int | None = None,
) -> Forest:
    """Grow a forest from positions and the moves played in them, row·width + column or the pass.

    Each tree learns from a share `sample` of the positions that it draws itself, and from all their legal moves. A leaf
    may split after `split_after` moves and then tries every `test_every` moves; the query must have the quality
    `threshold`: for "even" 1 − 2|0.5 − s| for the share s of the last outcome, for "gain" the gain in log-likelihood of
    which moves were played. A tree stops at `max_leaves`; no path asks more than `max_depth` queries or discovers more
    than `max_found` nodes. The result depends on the order of the positions, not on batches or threads.
    """
    if trees > 1 and sample == 1:
        raise TengenError("several trees need a sample below 1: from the same positions they would all be the same")
    if criterion not in _DEFAULTS:
        raise TengenError(f"criterion is {' or '.join(_DEFAULTS)}, not {criterion!r}")
    checked_count(seed, "seed", most=2**64 - 1)
    checked_number(sample, "sample", 1e-6, 1)
    checked_count(max_depth, "max_depth", least=1)
    checked_count(threads or 0, "threads", most=256)
    every, least = _DEFAULTS[criterion]
    try:
        growth = _core.ForestGrowth(
            trees=trees,
            nodes=graph_nodes(nodes),
            criterion=int(_core.Criterion[criterion]),
            split_after=split_after,
            test_every=every if test_every is None else test_every,
            threshold=least if threshold is None else threshold,
            sample=sample,
            max_leaves=2**24 if max_leaves is None else max_leaves,
            max_depth=max_depth,
            max_found=max_found,
            seed=seed,
        )
    except ValueError as problem:
        raise TengenError(str(problem)) from None
    for positions, moves in plays:
        growth.learn(
            positions.stones,
            positions.to_play,
            positions.ko,
            np.asarray(moves, np.int32),
            threads or os.cpu_count() or 1,
        )
    return Forest(growth.queries(), nodes)
