"""Nonsense at the core's door: a Python exception every time, never a crash, and the position stays as it was."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tengen._core import Position, ladders, move_facts

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
    lambda p: p.set_captures(1, 65536),
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
    np.zeros((18, 18), np.int8)[::2, ::2],
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
    np.array([4, 20, 36, 52], np.int32)[::2],
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
