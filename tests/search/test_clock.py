"""Clocks: whatever the system, thinking as long as the clock says never lets the flag fall."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.search.clock import LAG, LONGEST_MOVE, Clock, moves_to_come
from tengen.search.player import Player, Settings

seconds = st.floats(0.5, 3600)
systems = st.one_of(
    st.builds(Clock.absolute, st.floats(20, 7200)),
    st.builds(Clock.byo_yomi, st.floats(0, 3600), st.floats(1, 120), st.integers(1, 9)),
    st.builds(Clock.canadian, st.floats(0, 3600), st.floats(20, 900), st.integers(1, 40)),
    st.builds(Clock.fischer, st.floats(5, 3600), st.floats(0.5, 60)),
)


@given(systems, st.integers(1, 200), st.lists(st.floats(0, 1), min_size=40, max_size=40))
def test_the_flag_never_falls(clock: Clock, moves: int, lags: list[float]) -> None:
    """Every move takes what the clock gave and a lag up to the one it keeps back."""
    for share in lags:
        time = clock.thinking_time(moves)
        left = clock.after(time + share * min(LAG, time))
        assert left is not None
        clock = left


@given(systems, st.integers(1, 200))
def test_time_is_never_negative_and_within_what_is_left(clock: Clock, moves: int) -> None:
    time = clock.thinking_time(moves)
    assert 0 <= time <= clock.main + clock.period
    assert clock.after(time) is not None


@given(st.floats(100, 7200), st.integers(10, 100))
def test_absolute_time_is_shared_among_the_moves_to_come(main: float, moves: int) -> None:
    share = min(main / moves, LONGEST_MOVE)
    assert Clock.absolute(main).thinking_time(moves) == pytest.approx(share - min(LAG, share / 2))


DAY = 86_400


@pytest.mark.parametrize(
    "clock",
    [
        Clock.absolute(7200),
        Clock.absolute(2**31 - 1),
        Clock.fischer(3 * DAY, DAY),
        Clock.fischer(3 * DAY, DAY, 7 * DAY),
        Clock.byo_yomi(3600, 3600, 5),
        Clock.byo_yomi(0, DAY, 5),
        Clock.canadian(0, 7 * DAY, 10),
    ],
)
@pytest.mark.parametrize("size", [9, 19])
def test_no_move_takes_over_30_seconds_unless_told(clock: Clock, size: int) -> None:
    board = Board(size)
    assert 25 < Player(board).planned_seconds(clock) <= 30
    assert Player(board, Settings(seconds=5)).planned_seconds(clock) <= 5
    assert Player(board, Settings(seconds=DAY)).planned_seconds(clock) > 35
    assert Player(board, Settings(playouts=1000)).planned_seconds(clock) <= 30


def test_short_times_are_planned_as_without_a_limit() -> None:
    player = Player(Board(9))
    for clock in (Clock.absolute(60), Clock.byo_yomi(0, 10, 5), Clock.fischer(30, 2)):
        assert player.planned_seconds(clock) == clock.thinking_time(moves_to_come(Board(9)), longest=math.inf)


def test_capped_fischer_does_not_grow_beyond_its_limit() -> None:
    clock = Clock.fischer(120, 30, main_limit=130, move_limit=5)
    assert clock.thinking_time(10) < 5
    assert clock.after(10) == replace(clock, main=130)
    assert clock.after(100) == replace(clock, main=50)
    assert Clock.fischer(500, 30, main_limit=300).main == 300
    told = replace(clock, main=200.0)  # what is left is believed, and does not grow
    assert told.after(10) == replace(clock, main=190)


def test_many_short_periods_are_lost_at_once() -> None:
    clock = Clock.byo_yomi(0, 1e-6, 2**31 - 1)
    after = clock.after(100.0)
    assert after is not None
    assert after.periods == pytest.approx(2**31 - 1 - 1e8, abs=2)
    assert clock.after(1e5) is None


def test_a_game_of_400_moves_at_ten_stones_a_second() -> None:
    """200 own moves at 1 s per 10 stones: half of it is thought, the rest is there for the way."""
    clock = Clock.canadian(0, 1, 10)
    for _ in range(200):
        assert clock.thinking_time(20) >= 0.045
        left = clock.after(clock.thinking_time(20) + 0.045)
        assert left is not None
        clock = left


def test_byo_yomi_uses_its_period_and_keeps_it() -> None:
    clock = Clock.byo_yomi(0, 30, 5)
    assert clock.in_overtime
    assert 25 < clock.thinking_time(50) < 30
    after = clock.after(29)
    assert after is not None
    assert (after.periods, after.period_left) == (5, 30)
    lost = clock.after(65)
    assert lost is not None
    assert lost.periods == 3
    assert clock.after(151) is None


def test_main_time_flows_into_overtime() -> None:
    clock = Clock.byo_yomi(10, 30, 2).after(35)
    assert clock is not None
    assert clock.main == 0
    assert clock.in_overtime
    assert clock.periods == 2


def test_canadian_stones_are_counted() -> None:
    clock = Clock.canadian(0, 60, 3)
    for expected in ((50, 2), (40, 1), (60, 3)):
        after = clock.after(10)
        assert after is not None
        clock = after
        assert (clock.period_left, clock.stones_left) == expected


def test_fischer_grows() -> None:
    after = Clock.fischer(10, 5).after(3)
    assert after is not None
    assert after.main == 12
    assert Clock.fischer(10, 5).after(10.5) is None


def test_nonsense_is_refused() -> None:
    for wrong in (
        lambda: Clock(-1),
        lambda: Clock(float("nan")),
        lambda: Clock(float("inf")),
        lambda: Clock(1, periods=-1),
        lambda: Clock(1, 5, 1, stones=0),
        lambda: Clock(1, 5, 1, 5, 5.0, stones_left=0),
    ):
        with pytest.raises(TengenError):
            wrong()


def test_moves_to_come_shrink_to_a_reserve() -> None:
    board = Board(19)
    assert moves_to_come(board) == 135
    for _ in range(300):
        board.play("pass")
    assert moves_to_come(board) == 30
    assert moves_to_come(Board(2)) == 5
