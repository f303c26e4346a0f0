"""The search by a network in the core: it grows the twin's tree from the answers of a made-up guide."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tengen._core import Knowledge, Position, Puct, Search
from tests.naive.net_search import NaivePuct
from tests.naive.search import line_of

from .pairs import Pair, random_game


def says(stones: npt.NDArray[np.int8], turn: int) -> tuple[npt.NDArray[np.float64], float, float]:
    """Return made-up answers, always the same about the same stones and turn."""
    dice = np.random.default_rng([*(stones.ravel() + 1).tolist(), turn + 1])
    policy = dice.exponential(size=stones.size + 1) ** 2
    return policy / policy.sum(), dice.uniform(), dice.normal(0, 9)


def guide(*rows: Any) -> Any:
    policy, winrate, lead = says(rows[0][0], int(rows[1][0]))
    return policy, None, winrate, lead


def search(position: Position, komi: float = 0.5, nodes: int = 1_000_000, **puct: float) -> Search:
    return Search(position, True, 0, nodes, komi, False, Knowledge(), puct=Puct(**puct))


@pytest.mark.parametrize("seed", range(8))
def test_the_tree_equals_the_twins(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(2, 2), (3, 3), (4, 3), (5, 5)])
    pair = Pair(width, height, ko=seed % 3)
    for _ in random_game(pair, rng.randint(0, width * height + 4), rng):
        pass
    core, twin = search(pair.core), NaivePuct(pair.naive, 0.5, says)
    assert core.run(120, math.inf, 1, [], guide, guided=1) == 120
    twin.run(120)
    found = core.report()
    assert sum(move.visits for move in found.moves) == found.playouts == 120

    def point_of(index: int) -> tuple[int, int] | None:
        return None if index == width * height else divmod(index, width)

    for move, child in zip(found.moves, twin.root.children, strict=True):
        assert (point_of(move.move), move.visits) == (child.move, child.visits)
        assert (move.wins, move.lead, move.prior) == pytest.approx((child.wins, child.lead, child.prior[1]))
        assert ([*map(point_of, move.line)], move.line_visits) == line_of(child)


def test_runs_in_parts_and_played_moves_keep_the_tree() -> None:
    whole, parts = (search(Position(5, 5)) for _ in range(2))
    whole.run(90, math.inf, 1, [], guide)
    for playouts in (1, 0, 29, 60):
        parts.run(playouts, math.inf, 1, [], guide)
    assert whole.report().moves == parts.report().moves
    best = max(whole.report().moves, key=lambda move: move.visits)
    assert whole.advance(best.move)
    after = whole.report().moves
    assert sum(move.visits for move in after) == best.visits - 1  # the first visit evaluated the position itself


def test_every_position_is_asked_about_once() -> None:
    calls: list[bytes] = []

    def listens(*rows: Any) -> Any:
        calls.append(b"".join(row.tobytes() for row in rows))
        return guide(*rows)

    tree = search(Position(5, 5))
    tree.run(60, math.inf, 1, [], listens)
    assert len(calls) == 61  # the root, and a leaf for each playout


def test_a_full_tree_goes_on() -> None:
    tree = search(Position(9, 9), nodes=1000)
    assert tree.run(200, math.inf, 1, [], guide) == 200
    assert tree.nodes <= 1000


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_share_the_tree(threads: int) -> None:
    tree = search(Position(5, 5))
    assert tree.run(300, math.inf, threads, [], guide) == 300
    found = tree.report()
    assert sum(move.visits for move in found.moves) == 300
    assert all(0 <= move.wins <= move.visits for move in found.moves)


def test_a_mix_of_one_counts_playouts_alone() -> None:
    tree = search(Position(5, 5), mix=1.0)
    tree.run(50, math.inf, 1, [], guide)
    moves = tree.report().moves
    assert all((2 * move.wins).is_integer() for move in moves)
    half = search(Position(5, 5), mix=0.5)
    half.run(50, math.inf, 1, [], guide)
    assert any(not (2 * move.wins).is_integer() for move in half.report().moves)


def test_a_failing_guide_ends_the_run_and_leaves_a_tree_that_goes_on() -> None:
    tree, answers = search(Position(5, 5)), iter(range(20))

    def fails(*rows: Any) -> Any:
        if next(answers, None) is None:
            raise OSError("gone")
        return guide(*rows)

    with pytest.raises(OSError, match="gone"):
        tree.run(100, math.inf, 1, [], fails)
    before = tree.report()
    assert sum(move.visits for move in before.moves) == before.playouts == 19
    assert tree.run(10, math.inf, 1, [], guide) == 10


def test_nonsense_is_refused() -> None:
    tree = search(Position(5, 5))
    for run in (
        lambda: tree.run(1, 1.0, 1, []),
        lambda: tree.run(1, 1.0, 1, [], lambda *rows: (None, None, 0.5)),
        lambda: tree.run(1, 1.0, 1, [], lambda *rows: (np.full(26, 1 / 26), None, None)),
    ):
        with pytest.raises(ValueError, match="this search needs a guide with a policy and a winrate"):
            run()
    for lead in (math.nan, math.inf, "much"):
        with pytest.raises(ValueError, match="a lead is a finite number"):
            tree.run(1, 1.0, 1, [], lambda *rows, lead=lead: (np.full(26, 1 / 26), None, 0.5, lead))
    for wrong in ({"explore": -1.0}, {"reduction": math.nan}, {"mix": 1.5}, {"mix": -0.1}):
        with pytest.raises(ValueError, match=r"PUCT: |is not a|finite"):
            Puct(**wrong)
