"""Nonsense at the core's door: a Python exception every time, never a crash, and the position stays as it was."""

from __future__ import annotations

import ast
import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen._core import IsingGraph, Knowledge, PatternKeys, PatternTable, Position, Search, ladders, move_facts

HUGE = 2**70
REFUSALS = (ValueError, TypeError, IndexError)


@pytest.fixture
def position() -> Position:
    position = Position(9, 9)
    position.play(40, 1)
    return position


SIDES = [(1, 9), (9, 1), (0, 0), (-3, 9), (26, 26), (2, 26), (HUGE, 9), (9, -HUGE), (9.5, 9), ("9", 9), (None, None)]
RULES = [(3,), (-1,), (HUGE,), (0, 5), (0, None), (0, False, 1)]


@pytest.mark.parametrize("arguments", [*SIDES, (), (9,), (float("nan"), 9), *((9, 9, *rules) for rules in RULES)])
def test_no_such_board(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(REFUSALS):
        Position(*arguments)


CALLS: list[Callable[[Position], object]] = [
    lambda p: p.play(-1, 1),
    lambda p: p.play(82, 1),
    lambda p: p.play(HUGE, 1),
    lambda p: p.play(0, 0),
    lambda p: p.play(0, 3),
    lambda p: p.play(0, -1),
    lambda p: p.play(40, 2),
    lambda p: p.play(0.0, 1),
    lambda p: p.play("A1", 1),
    lambda p: p.play(None, 1),
    lambda p: p.objection(82, 1),
    lambda p: p.objection(-(2**31), 1),
    lambda p: p.objection(0, 4),
    lambda p: p.legal_mask(0),
    lambda p: p.legal_mask(3),
    lambda p: p.captures(0),
    lambda p: p.set_captures(3, 0),
    lambda p: p.set_captures(1, -1),
    lambda p: p.set_captures(1, 10**9 + 1),
    lambda p: p.set_rules(3, False),
    lambda p: p.set_rules(-1, False),
    lambda p: p.set_rules(0, 2),
    lambda p: setattr(p, "to_play", 0),
    lambda p: setattr(p, "to_play", 3),
    lambda p: p.chain_points(82),
    lambda p: p.chain_points(-1),
    lambda p: p.chain_liberties(HUGE),
    lambda p: p.chain_liberties(82),
    lambda p: p.owner_counts(-1, 0, 1, 1, 1),
    lambda p: p.owner_counts(10**9, 0, 1, 1, 1),
    lambda p: p.owner_counts(HUGE, 0, 1, 1, 1),
    lambda p: p.owner_counts(1, -1, 1, 1, 1),
    lambda p: p.owner_counts(1, 2**64, 1, 1, 1),
    lambda p: p.owner_counts(1, 0, 0, 1, 1),
    lambda p: p.owner_counts(1, 0, 1025, 1, 1),
    lambda p: p.owner_counts(1, 0, -(2**31), 1, 1),
    lambda p: p.owner_counts(1, 0, 1, 2, 1),
    lambda p: p.owner_counts(1, 0, 1, -1, 1),
    lambda p: p.owner_counts(1, 0, 1, 1, 0),
    lambda p: p.owner_counts(1, 0, 1, 1, 4),
    lambda p: p.owner_counts(1.5, 0, 1, 1, 1),
    lambda p: p.owner_counts(1, 0, 1, 1, 1, 90),
    lambda p: p.playout_moves(0, 0, 0, 1),
    lambda p: p.playout_moves(1, 0, 0, 2),
    lambda p: p.playout_moves(1, 0, -1, 1),
    lambda p: move_facts(p, 0),
    lambda p: move_facts(p, 3),
    lambda p: move_facts(p, 1, -1),
    lambda p: ladders(p, 1000, 1001),
    lambda p: ladders(None),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_refused_and_unchanged(position: Position, number: int) -> None:
    before = position.hash, position.to_play, position.move_count, position.captures(1)
    with pytest.raises((*REFUSALS, AttributeError)):
        CALLS[number](position)
    assert before == (position.hash, position.to_play, position.move_count, position.captures(1))


STONES: list[Any] = [
    np.full((9, 9), np.nan),
    np.full((9, 9), 0.5),
    np.full((9, 9), 256),
    np.full((9, 9), 2, np.int8),
    np.full((9, 9), -128, np.int8),
    np.full((9, 9), "X"),
    np.full((9, 9), None),
    np.zeros((9, 9), np.uint8),
    np.zeros((9, 9), bool),
    np.zeros((9, 9), complex),
    np.zeros(81, np.int8),
    np.zeros((9, 9, 1), np.int8),
    np.zeros((8, 9), np.int8),
    np.zeros((9, 10), np.int8),
    np.zeros((0, 0), np.int8),
    np.zeros((9, 0), np.int8),
    np.zeros((10, 9), np.int8)[::-1],
    np.zeros((9, 9), ">i2"),
    [[0] * 9] * 9,
    None,
    b"\0" * 81,
    "." * 81,
]


@pytest.mark.parametrize("number", range(len(STONES)))
def test_stones_that_are_none(position: Position, number: int) -> None:
    with pytest.raises(REFUSALS):
        position.set_up(STONES[number], 1)
    assert position.stones().sum() == 1


def test_a_full_board_cannot_be_set_up(position: Position) -> None:
    assert position.set_up(np.ones((9, 9), np.int8), 1) == 0
    assert position.stones().sum() == 1
    with pytest.raises(ValueError, match="colour"):
        position.set_up(np.zeros((9, 9), np.int8), 7)
    assert position.stones().sum() == 1


def test_stones_may_be_read_only(position: Position) -> None:
    stones = np.zeros((9, 9), np.int8)
    stones.flags.writeable = False
    assert position.set_up(stones, 2) == -1


EVENTS: list[Any] = [
    np.array([3], np.int32),
    np.array([0], np.int32),
    np.array([3 << 2], np.int32),
    np.array([2], np.int32),
    np.array([-1], np.int32),
    np.array([-(2**31)], np.int32),
    np.array([2**31 - 1], np.int32),
    np.array([1 << 2 | 82 << 4], np.int32),
    np.array([4 + 2**32]),
    np.array([4.0]),
    np.array([np.nan]),
    np.array([True]),
    np.array([[4]], np.int32),
    np.array(["B"]),
    [4],
    None,
]


@pytest.mark.parametrize("number", range(len(EVENTS)))
def test_events_that_are_none(position: Position, number: int) -> None:
    with pytest.raises(REFUSALS):
        position.replay(EVENTS[number], -1)
    assert position.move_count == 1


def test_a_bad_event_behind_good_ones_changes_nothing(position: Position) -> None:
    with pytest.raises(ValueError, match="event"):
        position.replay(np.array([4, 8 | 1 << 4, 3], np.int32), -1)
    assert position.move_count == 1


@pytest.mark.parametrize("limit", [HUGE, -HUGE, 1.5, None, "1"])
def test_limits_that_are_none(position: Position, limit: Any) -> None:
    with pytest.raises(REFUSALS):
        position.replay(np.array([4], np.int32), limit)


def test_no_events_at_all(position: Position) -> None:
    assert position.replay(np.zeros(0, np.int32), 0) == []


def test_a_set_up_without_liberties_can_be_replayed_and_played_out() -> None:
    """Records hold such boards; the core must live with them."""
    setup = [1 | 1 << 2 | index << 4 for index in range(81)]
    position = Position(9, 9)
    position.replay(np.array(setup, np.int32), -1)
    assert position.liberty_counts().sum() == 0
    assert not position.legal_mask(2).any()
    black, white, moves, leads = position.owner_counts(3, 0, 2, 1, 1)
    assert (int(black.sum()), int(white.sum()), moves, leads.tolist()) == (243, 0, 6, [81] * 3)
    position.replay(np.array([2 << 2 | 5 << 4], np.int32), -1)
    assert position.stones().sum() == position.stones()[0, 5] == -1
    position.benson()


@pytest.mark.filterwarnings("ignore:nanobind")
def test_an_object_never_made() -> None:
    with pytest.raises(TypeError):
        Position.__new__(Position).play(0, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the threads of a process the Linux way")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer needs more memory than this")
def test_more_threads_than_the_system_gives() -> None:
    code = "from tengen._core import Position; print(Position(5, 5).owner_counts(64, 1, 1024, 1, 1)[2])"
    expected = Position(5, 5).owner_counts(64, 1, 1, 1, 1)[2]

    def few_megabytes() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=few_megabytes)
    assert (done.returncode, done.stdout.strip()) == (0, str(expected)), done.stderr


# Every argument of the core that is an array: a call with it, and an array that is taken.
BOARD = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 0]], np.int8)
BOARDS = BOARD[None]
ROWS = _core.position_rows([Position(3, 3)])
KEYS = np.array([1, 2], np.uint64)
EVENT, OFFSETS = np.array([4, 8 | 1 << 4], np.uint16), np.array([0, 2], np.int64)
TURNS = np.array([0, 1], np.int32)
GRAPH = IsingGraph(3, np.array([[0, 1], [1, 2]], np.int32))
FIELDS, COUPLINGS = np.zeros((1, 3)), np.zeros((1, 2))
FOREST, PLAYER = _core.Forest(np.zeros((1, 5), np.int8)), np.ones(1, np.int8)
MESSAGES = np.zeros(sum(math.prod(shape) for _, shape in _core.FateMessages.blocks()), np.float32)
NET, OWNERS = _core.FateMessages(MESSAGES), np.zeros((1, 3, 3), np.float32)
WAYS, PLANES = np.arange(12, dtype=np.uint16)[None], np.full((1, 1, 3, 3), -1, np.int8)
CRBM, NUMBERS_OF_CRBM = _core.Crbm(2, 2, WAYS, False), np.zeros(29, np.float32)
NO_KO, PLAYED = np.full(1, -1, np.int16), np.full(1, 2, np.int32)


def learn_crbm(**others: Any) -> None:
    settings = {"batch": 1, "rate": 0.1, "momentum": 0.5, "decay": 0, "sparsity": 0, "target": 0, "seed": 0}
    arrays = {"parameters": NUMBERS_OF_CRBM.copy(), "velocities": NUMBERS_OF_CRBM.copy(), "stones": BOARDS}
    CRBM.learn(**{**arrays, "planes": PLANES, **others}, **settings, first=0, threads=1, chains=None)


def grow(**others: Any) -> None:
    growth = _core.ForestGrowth(1, 0, 0, 9, 9, 0.4, 1.0, 9, 9, 9, 0)
    growth.learn(**{"stones": BOARDS, "to_play": PLAYER, "ko": NO_KO, "moves": PLAYED, **others}, threads=1)


def table() -> PatternTable:
    return PatternTable(KEYS, np.zeros(2, np.float32))


def learn(**others: Any) -> float:
    given: dict[str, Any] = {
        "stones": BOARDS,
        "targets": np.zeros((1, 3, 3), np.float32),
        "importance": np.ones((1, 3, 3), np.float32),
        "weights": np.zeros(2),
        "squares": np.zeros(2),
    }
    return table().learn(**{**given, **others}, templates=3, rate=0.1, decay=0.0)


ROWS = _core.position_rows([Position(3, 3)])
FEATURE_ROWS = dict(zip(("stones", "to_play", "ko", "last_moves", "passes"), (*ROWS[:4], ROWS[5]), strict=True))


POLICY_ROWS = np.zeros((60, 8), np.float32)


def policy_with(method: str, name: str) -> Callable[[Any], object]:
    return lambda a: getattr(_core.MovePolicy(POLICY_ROWS), method)(**FEATURE_ROWS | {name: a})


def responses_with(name: str) -> Callable[[Any], object]:
    return lambda a: _core.response_keys(**FEATURE_ROWS | {"moves": PLAYED} | {name: a})


def features_with(name: str) -> Callable[[Any], object]:
    return lambda a: _core.move_features(**FEATURE_ROWS | {name: a})


CONTESTS = {
    "starts": np.array([0, 2], np.int64),
    "winners": np.array([1], np.int64),
    "columns": [np.array([1, 2], np.uint8)],
    "levels": [2],
    "widths": [1],
}
ORDER, BELIEFS = np.array([0], np.int64), np.ones(3)


def contests(**others: Any) -> _core.Competitions:
    return _core.Competitions(**{**CONTESTS, **others})


def factors_with(**others: Any) -> float:
    given = {"factors": np.zeros((3, 8), np.float32), "squares": np.zeros((3, 8), np.float32), "order": ORDER}
    return contests().learn(**{**given, **others}, rate=0.1, decay=0.0)


def beliefs_with(method: str, name: str) -> Callable[[Any], object]:
    given = {"means": BELIEFS.copy(), "variances": BELIEFS.copy(), "order": ORDER}
    return lambda a: getattr(contests(), method)(**{**given, name: a})


PATTERNS = _core.MovePatterns(KEYS)

FATE_NET = _core.FateNet(3, 1, 0.0, False, False, 0)
OWNERS = np.zeros(BOARDS.shape, np.float32)


def fate_net_taking(place: int) -> tuple[Callable[[Any], object], np.ndarray[Any, Any]]:
    """A network that is given its arrays, one of them wrong."""
    arrays: list[Any] = list(FATE_NET.parameters())
    arrays[:3] = np.array([1, 5], np.uint32), np.zeros((2, 2)), np.array([3, 4], np.uint32)
    return lambda a: FATE_NET.set_parameters(*arrays[:place], a, *arrays[place + 1 :]), arrays[place]


FATE_TABLES = _core.FateTables(False, True)
NODES, EDGES = np.array([[1, 1, 1, 2, 0], [0, 0, 1, 2, 0]], np.int32), np.array([[0, 1, 0, 1]], np.int32)
NODE_SLOPES, EDGE_SLOPES = np.zeros((2, 2)), np.zeros((1, 2, 2))


def fate_tables_taking(place: int) -> tuple[Callable[[Any], object], np.ndarray[Any, Any]]:
    """Tables that are given their arrays, one of them wrong."""
    arrays: list[Any] = list(FATE_TABLES.parameters())
    arrays[:3] = np.array([1, 5], np.uint32), np.zeros((2, 4)), np.array([3, 4], np.uint32)
    return lambda a: FATE_TABLES.set_parameters(*arrays[:place], a, *arrays[place + 1 :]), arrays[place]


PATCHES = _core.PatchFeatures(3, 3, [1], False, None)
LINEAR = _core.LinearValue(PATCHES, np.zeros(28), False)
RECORD = {
    "moves": np.array([0, 4], np.int16),
    "offsets": np.array([0, 2], np.int64),
    "results": np.ones(1),
    "komi": np.ones(1),
}


def record_with(name: str) -> Callable[[Any], object]:
    return lambda a: LINEAR.learn(**RECORD | {name: a}, alpha=0.1, decay=0.0, logistic=False)


ARRAYS: dict[str, tuple[Callable[[Any], object], np.ndarray[Any, Any]]] = {
    "set_up": (lambda a: Position(3, 3).set_up(a, 1), BOARD),
    "replay": (lambda a: Position(3, 3).replay(a, -1), EVENT.astype(np.int32)),
    "pattern_keys": (lambda a: _core.pattern_keys(a, 3), BOARDS),
    "replay_keys events": (lambda a: _core.replay_keys(3, 3, a, OFFSETS, 3), EVENT),
    "replay_keys offsets": (lambda a: _core.replay_keys(3, 3, EVENT, a, 3), OFFSETS),
    "PatternKeys": (lambda a: PatternKeys(a, 3), BOARD),
    "PatternKeys.update": (lambda a: PatternKeys(BOARD, 3).update(a), BOARD),
    "PatternTable keys": (lambda a: PatternTable(a, np.zeros(2, np.float32)), KEYS),
    "PatternTable values": (lambda a: PatternTable(KEYS, a), np.zeros(2, np.float32)),
    "PatternTable.ownership": (lambda a: table().ownership(a, 3), BOARDS),
    "PatternTable.find": (lambda a: table().find(a), KEYS),
    "PatternTable.learn stones": (lambda a: learn(stones=a), BOARDS),
    "PatternTable.learn targets": (lambda a: learn(targets=a), np.zeros((1, 3, 3), np.float32)),
    "PatternTable.learn importance": (lambda a: learn(importance=a), np.zeros((1, 3, 3), np.float32)),
    "PatternTable.learn weights": (lambda a: learn(weights=a), np.zeros(2)),
    "PatternTable.learn squares": (lambda a: learn(squares=a), np.zeros(2)),
    **{f"move_features {name}": (features_with(name), good) for name, good in FEATURE_ROWS.items()},
    "MovePolicy": (lambda a: _core.MovePolicy(a), POLICY_ROWS),
    **{
        f"MovePolicy.{method} {name}": (policy_with(method, name), good)
        for method in ("levels", "scores")
        for name, good in FEATURE_ROWS.items()
    },
    **{
        f"response_keys {name}": (responses_with(name), good)
        for name, good in {**FEATURE_ROWS, "moves": PLAYED}.items()
    },
    "PlayoutWeights": (
        lambda a: _core.PlayoutWeights(a),
        np.full(sum(_core.PLAYOUT_LEVELS), _core.PLAYOUT_UNIT, np.int32),
    ),
    "move_pattern_keys": (lambda a: _core.move_pattern_keys(a, PLAYER), BOARDS),
    "move_pattern_keys to_play": (lambda a: _core.move_pattern_keys(BOARDS, a), PLAYER),
    "move_pattern_keys moves": (lambda a: _core.move_pattern_keys(BOARDS, PLAYER, a), PLAYED),
    "MovePatterns": (lambda a: _core.MovePatterns(a), KEYS),
    "MovePatterns.largest": (lambda a: PATTERNS.largest(a, PLAYER), BOARDS),
    "MovePatterns.largest to_play": (lambda a: PATTERNS.largest(BOARDS, a), PLAYER),
    "MovePatterns.nested": (lambda a: PATTERNS.nested(a, PLAYER), BOARDS),
    "MovePatterns.nested to_play": (lambda a: PATTERNS.nested(BOARDS, a), PLAYER),
    "Competitions starts": (lambda a: contests(starts=a), CONTESTS["starts"]),
    "Competitions winners": (lambda a: contests(winners=a), CONTESTS["winners"]),
    "Competitions.gradient": (lambda a: contests().gradient(a, 0, 1, True, 1), np.zeros(3)),
    "Competitions.learn factors": (lambda a: factors_with(factors=a), np.zeros((3, 8), np.float32)),
    "Competitions.learn squares": (lambda a: factors_with(squares=a), np.zeros((3, 8), np.float32)),
    "Competitions.learn order": (lambda a: factors_with(order=a), ORDER),
    "Competitions.ranks": (lambda a: contests().ranks(a, 1), np.zeros((3, 8), np.float32)),
    **{
        f"Competitions.{method} {name}": (beliefs_with(method, name), ORDER if name == "order" else BELIEFS)
        for method in ("approximate", "compare")
        for name in ("means", "variances", "order")
    },
    "board_graph": (lambda a: _core.board_graph(a, 0, False), BOARD),
    "FateNet.evaluate": (lambda a: FATE_NET.evaluate(a), BOARDS),
    "FateNet.pushes": (lambda a: FATE_NET.pushes(a), BOARD),
    "FateNet.learn stones": (lambda a: FATE_NET.learn(a, OWNERS, OWNERS, 0.0), BOARDS),
    "FateNet.learn targets": (lambda a: FATE_NET.learn(BOARDS, a, OWNERS, 0.0), OWNERS),
    "FateNet.learn weights of points": (lambda a: FATE_NET.learn(BOARDS, OWNERS, a, 0.0), OWNERS),
    "FateNet keys": fate_net_taking(0),
    "FateNet weights": fate_net_taking(1),
    "FateNet visits": fate_net_taking(2),
    "FateNet biases": fate_net_taking(3),
    "FateNet bias_visits": fate_net_taking(4),
    "FateTables.lookup nodes": (lambda a: FATE_TABLES.lookup(a, EDGES), NODES),
    "FateTables.lookup edges": (lambda a: FATE_TABLES.lookup(NODES, a), EDGES),
    "FateTables.add nodes": (lambda a: FATE_TABLES.add(a, EDGES, NODE_SLOPES, EDGE_SLOPES, 0.0, 0.0), NODES),
    "FateTables.add edges": (lambda a: FATE_TABLES.add(NODES, a, NODE_SLOPES, EDGE_SLOPES, 0.0, 0.0), EDGES),
    "FateTables.add node_slopes": (lambda a: FATE_TABLES.add(NODES, EDGES, a, EDGE_SLOPES, 0.0, 0.0), NODE_SLOPES),
    "FateTables.add edge_slopes": (lambda a: FATE_TABLES.add(NODES, EDGES, NODE_SLOPES, a, 0.0, 0.0), EDGE_SLOPES),
    "FateTables keys": fate_tables_taking(0),
    "FateTables tables": fate_tables_taking(1),
    "FateTables visits": fate_tables_taking(2),
    "FateTables node_tables": fate_tables_taking(3),
    "FateTables node_visits": fate_tables_taking(4),
    "augmented_graphs": (lambda a: _core.augmented_graphs(a), BOARDS),
    "node_labels": (lambda a: _core.node_labels(a, False), np.array([[1, 1, 1, 2, 0]], np.int32)),
    "influence": (lambda a: _core.influence(a, 100, 5, 21), BOARDS),
    "stone_graph": (lambda a: _core.stone_graph(a, PLAYER, 1, 0), BOARDS),
    "stone_graph to_play": (lambda a: _core.stone_graph(BOARDS, a, 1, 0), PLAYER),
    "Forest": (lambda a: _core.Forest(a), np.zeros((2, 5), np.int8)),
    "Forest.leaves": (lambda a: FOREST.leaves(a, PLAYER), BOARDS),
    "Forest.leaves to_play": (lambda a: FOREST.leaves(BOARDS, a), PLAYER),
    "Forest.all_leaves": (lambda a: FOREST.all_leaves(a, PLAYER), BOARDS),
    "Forest.all_leaves to_play": (lambda a: FOREST.all_leaves(BOARDS, a), PLAYER),
    "Forest.trace": (lambda a: FOREST.trace(a, PLAYER, 1, 0), BOARDS),
    "Forest.trace to_play": (lambda a: FOREST.trace(BOARDS, a, 1, 0), PLAYER),
    "ForestGrowth.learn stones": (lambda a: grow(stones=a), BOARDS),
    "ForestGrowth.learn to_play": (lambda a: grow(to_play=a), PLAYER),
    "ForestGrowth.learn ko": (lambda a: grow(ko=a), NO_KO),
    "ForestGrowth.learn moves": (lambda a: grow(moves=a), PLAYED),
    "FateMessages": (lambda a: _core.FateMessages(a), MESSAGES),
    "FateMessages.evaluate": (lambda a: NET.evaluate(a, PLAYER), BOARDS),
    "FateMessages.evaluate turns": (lambda a: NET.evaluate(BOARDS, a), PLAYER),
    "FateMessages.gradient stones": (lambda a: NET.gradient(a, OWNERS, OWNERS, PLAYER), BOARDS),
    "FateMessages.gradient targets": (lambda a: NET.gradient(BOARDS, a, OWNERS, PLAYER), OWNERS),
    "FateMessages.gradient weights": (lambda a: NET.gradient(BOARDS, OWNERS, a, PLAYER), OWNERS),
    "FateMessages.gradient turns": (lambda a: NET.gradient(BOARDS, OWNERS, OWNERS, a), PLAYER),
    "PatchFeatures table": (lambda a: _core.PatchFeatures(3, 3, [1], False, a), np.zeros((3, 2), np.float32)),
    "PatchFeatures.codes": (lambda a: PATCHES.codes(a, PLAYER), BOARDS),
    "PatchFeatures.codes own": (lambda a: PATCHES.codes(BOARDS, a), PLAYER),
    "PatchFeatures.matrix": (lambda a: PATCHES.matrix(a, PLAYER), BOARDS),
    "PatchFeatures.matrix own": (lambda a: PATCHES.matrix(BOARDS, a), PLAYER),
    "LinearValue": (lambda a: _core.LinearValue(PATCHES, a, False), np.zeros(28)),
    "LinearValue.logits": (lambda a: LINEAR.logits(a, PLAYER, np.zeros(1)), BOARDS),
    "LinearValue.logits movers": (lambda a: LINEAR.logits(BOARDS, a, np.zeros(1)), PLAYER),
    "LinearValue.logits komi": (lambda a: LINEAR.logits(BOARDS, PLAYER, a), np.zeros(1)),
    **{f"LinearValue.learn {name}": (record_with(name), good) for name, good in RECORD.items()},
    "Crbm": (lambda a: _core.Crbm(2, 2, a, False), WAYS),
    "Crbm.hidden parameters": (lambda a: CRBM.hidden(a, BOARDS, PLANES), NUMBERS_OF_CRBM),
    "Crbm.hidden stones": (lambda a: CRBM.hidden(NUMBERS_OF_CRBM, a, PLANES), BOARDS),
    "Crbm.hidden planes": (lambda a: CRBM.hidden(NUMBERS_OF_CRBM, BOARDS, a), PLANES),
    "Crbm.reconstruct parameters": (lambda a: CRBM.reconstruct(a, BOARDS, PLANES, 0), NUMBERS_OF_CRBM),
    "Crbm.reconstruct stones": (lambda a: CRBM.reconstruct(NUMBERS_OF_CRBM, a, PLANES, 0), BOARDS),
    "Crbm.reconstruct planes": (lambda a: CRBM.reconstruct(NUMBERS_OF_CRBM, BOARDS, a, 0), PLANES),
    "Crbm.free_energy parameters": (lambda a: CRBM.free_energy(a, BOARDS, PLANES), NUMBERS_OF_CRBM),
    "Crbm.free_energy stones": (lambda a: CRBM.free_energy(NUMBERS_OF_CRBM, a, PLANES), BOARDS),
    "Crbm.free_energy planes": (lambda a: CRBM.free_energy(NUMBERS_OF_CRBM, BOARDS, a), PLANES),
    "Crbm.contrast parameters": (lambda a: CRBM.contrast(a, BOARDS, BOARDS, PLANES), NUMBERS_OF_CRBM),
    "Crbm.contrast stones": (lambda a: CRBM.contrast(NUMBERS_OF_CRBM, a, BOARDS, PLANES), BOARDS),
    "Crbm.contrast others": (lambda a: CRBM.contrast(NUMBERS_OF_CRBM, BOARDS, a, PLANES), BOARDS),
    "Crbm.contrast planes": (lambda a: CRBM.contrast(NUMBERS_OF_CRBM, BOARDS, BOARDS, a), PLANES),
    "Crbm.learn parameters": (lambda a: learn_crbm(parameters=a), NUMBERS_OF_CRBM),
    "Crbm.learn velocities": (lambda a: learn_crbm(velocities=a), NUMBERS_OF_CRBM),
    "Crbm.learn stones": (lambda a: learn_crbm(stones=a), BOARDS),
    "Crbm.learn planes": (lambda a: learn_crbm(planes=a), PLANES),
    "number_regions": (lambda a: _core.number_regions(a), BOARD),
    "replay_positions events": (lambda a: _core.replay_positions(3, 3, a, OFFSETS, TURNS, OFFSETS), EVENT),
    "replay_positions offsets": (lambda a: _core.replay_positions(3, 3, EVENT, a, TURNS, OFFSETS), OFFSETS),
    "replay_positions turns": (lambda a: _core.replay_positions(3, 3, EVENT, OFFSETS, a, OFFSETS), TURNS),
    "replay_positions turn offsets": (lambda a: _core.replay_positions(3, 3, EVENT, OFFSETS, TURNS, a), OFFSETS),
    "point_facts stones": (lambda a: _core.point_facts(a, ROWS[1], ROWS[2], ROWS[3], ROWS[5]), BOARDS),
    "point_facts to_play": (lambda a: _core.point_facts(BOARDS, a, ROWS[2], ROWS[3], ROWS[5]), ROWS[1]),
    "point_facts ko": (lambda a: _core.point_facts(BOARDS, ROWS[1], a, ROWS[3], ROWS[5]), ROWS[2]),
    "point_facts last_moves": (lambda a: _core.point_facts(BOARDS, ROWS[1], ROWS[2], a, ROWS[5]), ROWS[3]),
    "point_facts passes": (lambda a: _core.point_facts(BOARDS, ROWS[1], ROWS[2], ROWS[3], a), ROWS[5]),
    "IsingGraph": (lambda a: IsingGraph(2, a), np.array([[0, 1]], np.int32)),
    "propagate fields": (lambda a: GRAPH.propagate(a, COUPLINGS, 1e-6, 9), FIELDS),
    "propagate couplings": (lambda a: GRAPH.propagate(FIELDS, a, 1e-6, 9), COUPLINGS),
    "double_loop fields": (lambda a: GRAPH.double_loop(a, COUPLINGS, 1e-6, 9), FIELDS),
    "double_loop couplings": (lambda a: GRAPH.double_loop(FIELDS, a, 1e-6, 9), COUPLINGS),
    "gibbs fields": (lambda a: GRAPH.gibbs(a, COUPLINGS, 0, 9, 0), FIELDS),
    "gibbs couplings": (lambda a: GRAPH.gibbs(FIELDS, a, 0, 9, 0), COUPLINGS),
    "swendsen_wang fields": (lambda a: GRAPH.swendsen_wang(a, COUPLINGS, 0, 9, 0), FIELDS),
    "swendsen_wang couplings": (lambda a: GRAPH.swendsen_wang(FIELDS, a, 0, 9, 0), COUPLINGS),
    "eliminate fields": (lambda a: GRAPH.eliminate(a, COUPLINGS), FIELDS),
    "eliminate couplings": (lambda a: GRAPH.eliminate(FIELDS, a), COUPLINGS),
    "log_partition fields": (lambda a: GRAPH.log_partition(a, COUPLINGS), FIELDS),
    "log_partition couplings": (lambda a: GRAPH.log_partition(FIELDS, a), COUPLINGS),
    "best_state fields": (lambda a: GRAPH.best_state(a, COUPLINGS), FIELDS),
    "best_state couplings": (lambda a: GRAPH.best_state(FIELDS, a), COUPLINGS),
    "exact_samples fields": (lambda a: GRAPH.exact_samples(a, COUPLINGS, 2, 0), FIELDS),
    "exact_samples couplings": (lambda a: GRAPH.exact_samples(FIELDS, a, 2, 0), COUPLINGS),
}
OPTIONAL = ("move_pattern_keys moves", "PatchFeatures table")
"""Without moves the keys of all points are returned, and without a table every patch is a feature."""
WRITTEN = (
    "learn weights",
    "learn squares",
    "learn factors",
    " means",
    " variances",
    "learn parameters",
    "learn velocities",
)
"""The ends of the names of arrays that are written to."""
TYPES = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex128 bool object U1".split()


def wrong_arrays(good: np.ndarray[Any, Any]) -> list[Any]:
    """The same numbers in every other type, and the same type in other shapes."""
    other_types = [good.astype(name) for name in TYPES if np.dtype(name) != good.dtype]
    swapped = [good.astype(good.dtype.newbyteorder())] if good.dtype.itemsize > 1 else []
    return [*other_types, *swapped, good[None], good.ravel()[0], good.tolist(), good.tobytes(), "array"]


REFUSAL = r"^[a-z_]+: (an|a contiguous, writable) array of \w+ with \d dimensions? is needed, not "


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_taken_as_they_are_or_refused(name: str) -> None:
    """256 as int64 would become 0 as int8, and NaN anything."""
    call, good = ARRAYS[name]
    call(good.copy())
    for wrong in wrong_arrays(good):
        with pytest.raises(TypeError, match=REFUSAL) as refusal:
            call(wrong)
        assert "\n" not in str(refusal.value)
    if name not in OPTIONAL:
        with pytest.raises(TypeError):
            call(None)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_may_lie_anywhere_unless_they_are_written_to(name: str) -> None:
    """What is learned in a copy would be lost."""
    call, good = ARRAYS[name]
    spread, fixed = np.repeat(good, 2, axis=-1)[..., ::2], good.copy()
    fixed.flags.writeable = False
    for other in (spread, fixed):
        if name.endswith(WRITTEN):
            with pytest.raises(TypeError, match=r"contiguous, writable .*(not contiguous|read-only)$"):
                call(other)
        else:
            np.testing.assert_equal(plain(call(other)), plain(call(good)))


def plain(answer: object) -> object:
    """What can be compared of an answer: arrays and numbers."""
    return answer if isinstance(answer, (tuple, list, int, float, np.ndarray)) else None


def test_no_array_of_the_core_is_missing_in_that_list() -> None:
    count = 0
    for node in ast.walk(ast.parse(Path(tengen.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            kinds = [ast.unparse(each.annotation) for each in node.args.args if each.annotation]
            count += sum("NDArray" in kind and not kind.startswith("list") for kind in kinds)
    assert count == len(ARRAYS)


@pytest.mark.parametrize(
    "name", [name for name, (_, good) in ARRAYS.items() if good.dtype == np.int8 and good.ndim > 1]
)
@pytest.mark.parametrize("value", [2, -2, 127, -128])
def test_stones_are_black_white_or_none(name: str, value: int) -> None:
    call, good = ARRAYS[name]
    wrong = good.copy()
    wrong.flat[good.size // 2] = value
    if name == "number_regions":
        call(wrong)  # any values make regions
        return
    what = next((word for word in ("to_play", "planes") if name.endswith(word)), "stones")
    what = "query" if name == "Forest" else what
    with pytest.raises(ValueError, match=what):
        call(wrong)


def make_search(**others: Any) -> Search:
    return Search(Position(3, 3), True, 0, 1000, **{"komi": 0.5, "territory": False, "knowledge": None, **others})


NUMBERS: list[Callable[[float], object]] = [
    lambda x: make_search(komi=x),
    lambda x: make_search(rave=x),
    lambda x: make_search(lead_weight=x),
    lambda x: make_search(expand_visits=x),
    lambda x: Knowledge(atari=x),
    lambda x: GRAPH.propagate(FIELDS, COUPLINGS, x, 9),
    lambda x: GRAPH.propagate(FIELDS, COUPLINGS, 1e-6, 9, x),
    lambda x: GRAPH.double_loop(FIELDS, COUPLINGS, x, 9),
    lambda x: GRAPH.propagate(FIELDS + x, COUPLINGS, 1e-6, 9),
    lambda x: GRAPH.eliminate(FIELDS, COUPLINGS + x),
    lambda x: table().learn(
        BOARDS, np.zeros((1, 3, 3), np.float32), np.ones((1, 3, 3), np.float32), 3, np.zeros(2), np.zeros(2), x, 0.0
    ),
    lambda x: table().learn(
        BOARDS, np.zeros((1, 3, 3), np.float32), np.ones((1, 3, 3), np.float32), 3, np.zeros(2), np.zeros(2), 0.1, x
    ),
]


@pytest.mark.parametrize("number", range(len(NUMBERS)))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_are_finite(number: int, value: float) -> None:
    with pytest.raises(REFUSALS):
        NUMBERS[number](value)


def test_a_run_may_be_endless_but_not_undefined() -> None:
    assert make_search().run(3, math.inf, 1, []) == 3
    with pytest.raises(ValueError, match="seconds"):
        make_search().run(3, math.nan, 1, [])
