"""Learning weights in the core against its twin, against finite differences, and on bad input."""

from __future__ import annotations

import itertools
import signal
import sys

import numpy as np
import pytest

import naive.bradley_terry as naive
from tengen import _core

SIZES, WIDTHS = (3, 300, 4), (1, 1, 3)
"""Levels and columns of three tables: the second needs uint16, a move has up to three levels of the third."""


def make(positions=40, seed=0, most=9):
    """Random competitions: as the core takes them, and as lists for the twin."""
    random = np.random.default_rng(seed)
    moves = random.integers(1, most, positions)
    starts = np.concatenate([[0], np.cumsum(moves)])
    winners = starts[:-1] + random.integers(0, moves)
    columns = []
    for size, width in zip(SIZES, WIDTHS, strict=True):
        for _ in range(width):
            levels = random.integers(1, min(size, 5) + 1, starts[-1]) * (random.random(starts[-1]) < 0.7)
            levels[levels == 5] = size
            columns.append(levels.astype(np.uint8 if size < 256 else np.uint16))
    twin = []
    for first, last, winner in zip(starts, starts[1:], winners, strict=False):
        rows = [[int(column[row]) for column in columns] for row in range(first, last)]
        grouped = [[[x for x in row[a:b] if x] for a, b in ((0, 1), (1, 2), (2, 5))] for row in rows]
        twin.append((grouped, int(winner - first)))
    return _core.Competitions(starts, winners, columns, SIZES, WIDTHS), twin


def by_table(flat):
    parts = np.split(np.asarray(flat)[1:], np.cumsum(SIZES)[:-1])
    return [[float(flat[0]), *map(float, part)] for part in parts]


@pytest.mark.parametrize("seed", range(3))
def test_an_update_equals_the_twins_and_never_lowers_the_objective(seed):
    native, twin = make(positions=15, seed=seed)
    state = _core.MinorizationMaximization(native, 1)
    objective = state.objective
    assert objective == pytest.approx(naive.objective(twin, by_table(state.gammas())), abs=1e-12)
    for table in (0, 1, 2, 2, 1, 0, 2):
        expected = by_table(state.gammas())
        expected[table] = naive.updated(twin, expected, table)
        gain = state.update(table)
        for found, wanted in zip(by_table(state.gammas()), expected, strict=True):
            assert found == pytest.approx(wanted, rel=1e-9)
        assert gain >= -1e-14
        assert state.objective == pytest.approx(objective + gain, abs=1e-14)
        objective = state.objective
        assert objective == pytest.approx(naive.objective(twin, expected), abs=1e-12)


def test_a_level_that_stands_twice_in_a_move_counts_twice():
    starts, winners = np.array([0, 2, 4]), np.array([0, 3])
    columns = [np.array([1, 2, 2, 1], np.uint8), np.array([1, 0, 1, 2], np.uint8)]
    twin = [([[[1, 1]], [[2]]], 0), ([[[2, 1]], [[1, 2]]], 1)]
    state = _core.MinorizationMaximization(_core.Competitions(starts, winners, columns, [2], [2]), 1)
    expected = naive.updated(twin, [[1.0] * 3], 0)
    assert state.update(0) > 0
    assert state.gammas().tolist() == pytest.approx(expected, rel=1e-9)
    assert state.objective == pytest.approx(naive.objective(twin, [expected]), abs=1e-12)


def test_many_columns_of_one_table_still_gain_with_every_update():
    random = np.random.default_rng(1)
    rows, width = 20 * 50, 13
    columns = [random.integers(0, 7, rows).astype(np.uint8) for _ in range(width)]
    starts = np.arange(0, rows + 1, 20)
    native = _core.Competitions(starts, starts[:-1], columns, [6], [width])
    state = _core.MinorizationMaximization(native, 1)
    gains = [state.update(0) for _ in range(60)]
    assert min(gains) >= -1e-14
    assert max(gains[-5:]) < gains[0] / 10


def test_the_number_of_threads_does_not_change_a_bit():
    native, _ = make(positions=100)
    one, three = (_core.MinorizationMaximization(native, threads) for threads in (1, 3))
    for table in (0, 1, 2, 0):
        assert one.update(table) == three.update(table)
    assert one.gammas().tobytes() == three.gammas().tobytes()
    weights = np.log(one.gammas())
    first, second = (native.gradient(weights, 0, 100, True, threads) for threads in (1, 3))
    assert first[0] == second[0]
    assert first[1].tobytes() == second[1].tobytes()
    assert first[2].tobytes() == second[2].tobytes()


def test_the_gradient_equals_finite_differences():
    native, twin = make(seed=5)
    weights = np.random.default_rng(5).normal(size=native.levels)
    weights[0] = 0
    loss, gradient, nothing = native.gradient(weights, 0, 40, False, 2)
    assert len(nothing) == 0
    assert loss == pytest.approx(naive.loss(twin, by_table(weights)), rel=1e-12)
    for level in (1, 3, 4, 303, 304, 307):
        losses = []
        for step in (1e-5, -1e-5):
            moved = weights.copy()
            moved[level] += step
            losses.append(naive.loss(twin, by_table(moved)))
        assert gradient[level] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-7)
    parts = [native.gradient(weights, first, last, False, 1) for first, last in ((0, 13), (13, 40))]
    assert parts[0][0] + parts[1][0] == pytest.approx(loss, rel=1e-12)
    assert parts[0][1] + parts[1][1] == pytest.approx(gradient, abs=1e-12)


def test_the_curvature_equals_finite_differences_where_levels_stand_once():
    random = np.random.default_rng(2)
    starts = np.arange(0, 301, 10)
    columns = [random.integers(0, 4, 300).astype(np.uint8) for _ in range(2)]
    native = _core.Competitions(starts, starts[:-1] + 3, columns, [3, 3], [1, 1])
    weights = np.append(0, random.normal(size=6))
    curvature = native.gradient(weights, 0, 30, True, 1)[2]
    for level in range(1, 7):
        slopes = [native.gradient(weights + step * np.eye(7)[level], 0, 30, True, 1)[1] for step in (1e-5, -1e-5)]
        assert curvature[level] == pytest.approx((slopes[0] - slopes[1])[level] / 2e-5, abs=1e-6)


def test_the_gradient_of_factors_equals_finite_differences():
    """The first step of AdaGrad leaves the squared gradient behind, and goes against its sign."""
    native, twin = make(positions=8, seed=3)
    random = np.random.default_rng(3)
    rows = np.zeros((native.levels, 8), np.float32)
    rows[1:, :4] = random.normal(0, 0.5, (native.levels - 1, 4))
    for j in range(8):
        after, squares = rows.copy(), np.zeros_like(rows)
        native.learn(after, squares, np.array([j]), 1e-4, 0.0)
        gradient = np.sqrt(squares) * np.sign(rows - after)
        used = {(t, x) for move in twin[j][0] for t, some in enumerate(move) for x in some}
        for (table, level), f in itertools.product(used, range(4)):
            number = level + (0, 3, 303)[table]
            losses = []
            for step in (1e-4, -1e-4):
                moved = rows.astype(float)
                moved[number, f] += step
                losses.append(naive.loss(twin[j : j + 1], by_table(moved[:, 0]), vectors(moved[:, 1:4])))
            assert gradient[number, f] == pytest.approx((losses[0] - losses[1]) / 2e-4, abs=2e-5)
        assert not gradient[:, 4:].any()
        assert not gradient[0].any()


def vectors(flat):
    parts = np.split(flat[1:], np.cumsum(SIZES)[:-1])
    return [[flat[0].tolist(), *part.tolist()] for part in parts]


def test_ranks_and_evidence_of_winners():
    native, twin = make(seed=7)
    rows = np.zeros((native.levels, 8), np.float32)
    rows[1:, :6] = np.random.default_rng(7).normal(0, 0.5, (native.levels - 1, 6))
    ranks, losses = native.ranks(rows, 2)
    exact = rows.astype(float)
    for j, (moves, winner) in enumerate(twin):
        scores = np.array([naive.score(m, by_table(exact[:, 0]), vectors(exact[:, 1:6])) for m in moves])
        equal = np.isclose(scores, scores[winner], atol=1e-5)
        assert ranks[j] == ((scores > scores[winner]) & ~equal).sum() + (equal.sum() + 1) / 2
        assert losses[j] == pytest.approx(np.log(np.exp(scores - scores[winner]).sum()), abs=1e-5)


def test_a_zero_order_learns_nothing():
    native, _ = make()
    rows = np.ones((native.levels, 8), np.float32)
    assert native.learn(rows, np.zeros_like(rows), np.zeros(0, np.int64), 0.1, 0.1) == 0
    assert (rows == 1).all()


def test_no_position_at_all():
    native = _core.Competitions(np.zeros(1, np.int64), np.zeros(0, np.int64), [np.zeros(0, np.uint8)], [3], [1])
    state = _core.MinorizationMaximization(native, 1)
    assert state.update(0) == 0
    assert state.gammas().tolist() == [1] * 4
    assert native.gradient(np.zeros(4), 0, 0, False, 1)[0] == 0


def update_for_ever(state):
    for table in itertools.cycle((0, 1)):
        state.update(table)


@pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX timer")
def test_an_interrupt_leaves_the_weights_whole():
    random = np.random.default_rng(0)
    rows = 2_000_000
    columns = [random.integers(0, 5, rows).astype(np.uint8) for _ in range(2)]
    starts = np.arange(0, rows + 1, 200)
    native = _core.Competitions(starts, starts[:-1] + 7, columns, [4, 4], [1, 1])

    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    state = _core.MinorizationMaximization(native, 2)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(Alarm):
                update_for_ever(state)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        order = np.zeros(1_000_000, np.int64)
        factors = np.zeros((native.levels, 8), np.float32)
        with pytest.raises(Alarm):
            native.learn(factors, np.zeros_like(factors), order, 0.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    state.update(0)
    after = state.objective
    state.refresh()
    assert state.objective == pytest.approx(after, abs=1e-12)


STARTS, WINNERS, COLUMN = np.array([0, 2]), np.array([1]), np.array([1, 2], np.uint8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((STARTS.astype(np.int32), WINNERS, [COLUMN], [2], [1]), "starts: an array of int64"),
        ((STARTS, WINNERS, [COLUMN.astype(np.int64)], [2], [1]), "uint8, uint16 or uint32, not int64"),
        ((STARTS, WINNERS, [COLUMN[None]], [2], [1]), "one dimension"),
        ((STARTS, WINNERS, [COLUMN], [1], [1]), "column 0 holds level 2, its table ends at 1"),
        ((STARTS, WINNERS, [COLUMN[:1]], [2], [1]), "one level for each row"),
        ((STARTS, WINNERS, [COLUMN], [2], [2]), "one array for each column"),
        ((STARTS, WINNERS, [COLUMN], [2, 2], [1]), "one number of columns for each table"),
        ((STARTS, WINNERS, [COLUMN], [0], [1]), "at least one level"),
        ((STARTS, WINNERS, [COLUMN] * 41, [2], [41]), "at most 40 columns"),
        ((STARTS, WINNERS, [COLUMN], [1 << 30], [1]), "at most 16,777,215 levels"),
        ((STARTS, np.array([2]), [COLUMN], [2], [1]), "a winner is a row of its position"),
        ((STARTS, np.array([-1]), [COLUMN], [2], [1]), "a winner is a row of its position"),
        ((np.array([0, 0, 2]), np.array([0, 1]), [COLUMN], [2], [1]), "at least one move"),
        ((np.array([1, 2]), WINNERS, [COLUMN], [2], [1]), "begins with 0"),
        ((np.array([0, 1, 2]), WINNERS, [COLUMN], [2], [1]), "one number more than winners"),
    ],
)
def test_bad_competitions_are_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        _core.Competitions(*arguments)


def test_bad_arguments_are_refused():
    native = _core.Competitions(STARTS, WINNERS, [COLUMN], [2], [1])
    zeros, rows, order = np.zeros(3), np.zeros((3, 8), np.float32), np.zeros(1, np.int64)
    refused = [
        (lambda: native.gradient(np.zeros(2), 0, 1, False, 1), "one number for each level"),
        (lambda: native.gradient(np.array([0, np.nan, 0]), 0, 1, False, 1), "finite"),
        (lambda: native.gradient(zeros, 0, 2, False, 1), "range of positions"),
        (lambda: native.gradient(zeros, 0, 1, False, 0), "threads"),
        (lambda: native.learn(rows, rows, order, 0.1, 0), "two arrays"),
        (lambda: native.learn(rows, rows[:2].copy(), order, 0.1, 0), "eight numbers"),
        (lambda: native.learn(rows, rows.copy(), order + 1, 0.1, 0), "no position"),
        (lambda: native.learn(rows, rows.copy(), order, -0.1, 0), "at least 0"),
        (lambda: native.ranks(rows[:, :7].copy(), 1), "eight numbers"),
        (lambda: native.approximate(zeros, zeros, order), "two arrays"),
        (lambda: native.compare(zeros, np.zeros(3), order), "positive"),
        (lambda: _core.MinorizationMaximization(native, 1).update(1), "no such table"),
        (lambda: _core.MinorizationMaximization(native, 300), "threads"),
    ]
    for call, message in refused:
        with pytest.raises((TypeError, ValueError), match=message):
            call()
