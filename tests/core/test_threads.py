"""Objects of the core that several Python threads share: none is torn, none keeps the others from working."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from enum import Enum

import numpy as np
import pytest

from tengen import _core
from tengen._core import IsingGraph, PatternKeys, PatternTable, Position, Search

SAFE = {
    "Position": "changes only under Python's lock; playouts, ladders and searches work on a copy of the board",
    "Knowledge": "never changes",
    "PlayoutWeights": "never changes",
    "Records": "never changes",
    "PatternKeys": "one thread at a time",
    "PatternTable": "never changes; learn, which changes arrays of the caller, one thread at a time",
    "MovePatterns": "never changes",
    "Forest": "never changes",
    "MovePolicy": "never changes; each call has memory of its own",
    "ForestGrowth": "one thread at a time; learn uses threads of its own",
    "Competitions": "never changes; it learns in arrays of the caller, one array in one call at a time",
    "MinorizationMaximization": "one thread at a time; an update uses threads of its own",
    "FateNet": "one thread may learn while others evaluate",
    "FateTables": "changes only under Python's lock",
    "FateMessages": "never changes",
    "PatchFeatures": "never changes",
    "LinearValue": "never changes; what it learns is a new one",
    "Crbm": "never changes; it learns in arrays of the caller, one array in one call at a time",
    "IsingGraph": "never changes, but for the plan of elimination, which one thread makes while others wait for it",
    "MoveReport": "never changes",
    "Widening": "never changes",
    "Puct": "never changes",
    "RootReport": "never changes",
    "Search": "one thread at a time; a search uses threads of its own",
}
"""Why each class may be shared."""


def test_every_class_is_in_that_list() -> None:
    kinds = {name: kind for name, kind in vars(_core).items() if isinstance(kind, type)}
    assert {name for name, kind in kinds.items() if not issubclass(kind, Enum)} == SAFE.keys()


def at_once(*work: Callable[[], object]) -> None:
    """Run all of these on a thread each; raise what one of them raised."""
    problems: list[BaseException] = []

    def guarded(job: Callable[[], object]) -> None:
        try:
            job()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def test_keys_that_threads_share_are_those_of_one_of_their_boards() -> None:
    rng = np.random.default_rng(0)
    boards = rng.integers(-1, 2, (3, 19, 19)).astype(np.int8)
    expected = [keys.tobytes() for keys in _core.pattern_keys(boards, 14)[0]]
    shared = PatternKeys(boards[0], 14)

    def update(board: np.ndarray) -> None:
        for _ in range(30):
            shared.update(board)
            assert shared.keys()[0].tobytes() in expected

    at_once(*(lambda board=board: update(board) for board in boards))
    assert shared.keys()[0].tobytes() in expected


def test_a_table_that_threads_teach_learns_every_lesson() -> None:
    """Without decay and with one weight the sum of squares does not depend on who came first, if nobody is lost."""
    boards = np.zeros((400, 9, 9), np.int8)
    boards[:, 4, 4] = 1
    keys = np.unique(_core.pattern_keys(boards[:1], 1)[0])
    targets = np.ones(boards.shape, np.float32)

    def passes(taught: int) -> float:
        table = PatternTable(keys, np.zeros(len(keys), np.float32))
        weights, squares = np.zeros(len(keys)), np.zeros(len(keys))

        def lesson() -> float:
            return table.learn(boards, targets, targets, 1, weights, squares, 0.1, 0.0)

        if taught == 1:
            for _ in range(3):
                lesson()
        else:
            at_once(lesson, lesson, lesson)
        return squares.tobytes()

    assert passes(1) == passes(3)


def test_threads_that_share_a_policy_get_the_scores_of_their_own_positions() -> None:
    position, boards = Position(9, 9), []
    for move in (40, 20, 41, 22, 60, 39):
        position.play(move, position.to_play)
        boards.append(_core.position_rows([position]))
    rows = [(*board[:4], board[5]) for board in boards]
    keys = np.unique(_core.response_keys(*rows[-1], np.array([31], np.int32)))[1:]
    tables = _core.MovePatterns(np.zeros(0, np.uint64)), _core.MovePatterns(keys)
    weights = np.random.default_rng(1).normal(size=(60 + len(keys), 8)).astype(np.float32)
    policy = _core.MovePolicy(weights, tables[0], nested=True, responses=tables[1])
    expected = [policy.scores(*row) for row in rows]

    def ask(i: int) -> None:
        for _ in range(50):
            assert np.array_equal(policy.scores(*rows[i]), expected[i])

    at_once(*(lambda i=i: ask(i) for i in range(len(rows))))
    at_once(*(lambda row=row: _core.response_keys(*row, np.array([31], np.int32)) for row in rows))


def dense(seed: int) -> IsingGraph:
    """400 nodes and 4,000 edges: far too dense for exact inference."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 400, (4000, 2)).astype(np.int32)
    return IsingGraph(400, np.ascontiguousarray(ends[ends[:, 0] != ends[:, 1]]))


def test_a_graph_that_is_too_dense_is_refused_at_once_and_for_good() -> None:
    begun = time.process_time()
    for seed in range(3):
        graph = dense(seed)
        for _ in range(50):
            with pytest.raises(ValueError, match="more than 22 nodes"):
                _ = graph.width
    assert time.process_time() - begun < 5  # one refusal took 8.7 seconds before, each time


def test_threads_wait_for_one_plan() -> None:
    edges = np.array([(i, i + 1) for i in range(999)], np.int32)
    graph = IsingGraph(1000, edges)
    widths: list[int] = []
    at_once(*(lambda: widths.append(graph.width) for _ in range(4)))
    assert widths == [2] * 4


def test_a_search_that_threads_share_loses_no_playout() -> None:
    search = Search(Position(5, 5), True, 0, 10_000, 0.5, False, None)
    at_once(*(lambda: search.run(100, math.inf, 1, []) for _ in range(3)), search.report)
    assert search.report().playouts == 300


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"targets": np.float32(np.inf)}, "targets are from -1 to 1"),
        ({"targets": np.float32(1.5)}, "targets are from -1 to 1"),
        ({"importance": np.float32(np.nan)}, "importance is finite"),
        ({"importance": np.float32(-1)}, "importance is finite"),
        ({"squares": None}, "two arrays"),
    ],
)
def test_a_table_refuses_lessons_that_would_spoil_its_weights(changed: dict[str, object], words: str) -> None:
    boards = np.zeros((1, 9, 9), np.int8)
    boards[:, 4, 4] = 1
    keys = np.unique(_core.pattern_keys(boards, 1)[0])
    table = PatternTable(keys, np.zeros(len(keys), np.float32))
    weights, squares = np.zeros(len(keys)), np.zeros(len(keys))
    targets, importance = (
        np.full(boards.shape, changed.get(name, 1), np.float32) for name in ("targets", "importance")
    )
    with pytest.raises(ValueError, match=words):
        table.learn(boards, targets, importance, 1, weights, weights if "squares" in changed else squares, 0.1, 0.0)
    assert not weights.any()
