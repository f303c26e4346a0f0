"""Response patterns: boards as text for each column, then games on boards of every shape against the naive twin."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.go.positions import Positions
from tengen.go.symmetry import transform
from tengen.views.move_patterns import MARKED_SIZES, response_keys
from tests.naive import response_pattern as naive

from .pairs import Pair, random_game

EXAMPLES = Path(__file__).parents[2] / "examples"
STONES, ANSWER = 6, 7
"""The columns of the stones around the move and their liberties, and of the same with the last move."""


def rows_of(pair: Pair):
    stones, to_play, ko, last_moves, _, passes = _core.position_rows([pair.core])
    return stones, to_play, ko, last_moves, passes


def keys_of(rows, moves):
    """The keys of several moves in one position [move, column]."""
    many = (np.repeat(row, len(moves), axis=0) for row in rows)
    return _core.response_keys(*many, np.array(moves, np.int32))


def keys_at(drawing: str, move: str, before: str = "", to_play: int = 1) -> list[int]:
    """The keys of a move on a drawn board, after the moves `before`."""
    pair = Pair.of(drawing, to_play)
    pair.moves(before)
    return keys_of(rows_of(pair), [pair.index(pair.point(move))])[0].tolist()


def differing(one, other) -> list[int]:
    return [column for column in range(8) if one[column] != other[column]]


CORNER = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def test_the_last_of_two_stones_is_marked():
    first = keys_at(CORNER, "E5", "A1 D5 A2 F6")
    second = keys_at(CORNER, "E5", "A1 F6 A2 D5")
    assert differing(first, second) == [0, 1, 2, 3, 4, 5, ANSWER]
    assert first[STONES] == second[STONES] != 0


@pytest.mark.parametrize(
    ("last", "columns"),
    [
        ("E6", [0, 1, 2, 3, 4, 5, ANSWER]),
        ("F6", [0, 1, 2, 3, 4, 5, ANSWER]),
        ("E7", [0, 1, 2, 3, 4, 5, ANSWER]),
        ("F7", [1, 2, 3, 4, 5, ANSWER]),
        ("G7", [2, 3, 4, 5, ANSWER]),
        ("E8", [2, 3, 4, 5, ANSWER]),
        ("F8", [3, 4, 5, ANSWER]),
        ("G8", [4, 5, ANSWER]),
        ("E9", [4, 5, ANSWER]),
        ("H8", [5, ANSWER]),
        ("F9", [5, ANSWER]),
        ("G9", []),
        ("J9", []),
    ],
)
def test_the_last_move_is_seen_within_the_size(last, columns):
    keys = keys_at(CORNER, "E5", f"A1 {last}")
    assert [column for column in range(8) if keys[column]] == sorted([*columns, STONES])


def test_offsets_of_the_last_move_differ_up_to_symmetry():
    keys = {last: keys_at(CORNER, "E5", f"A1 {last}")[ANSWER] for last in "E6 D5 F6 D4 E7 F7 C4 D3 E8 G8".split()}
    assert len(set(keys.values())) == 6
    assert keys["E6"] == keys["D5"]
    assert keys["F6"] == keys["D4"]
    assert keys["F7"] == keys["C4"] == keys["D3"]


def test_a_pass_has_no_keys_and_leaves_no_mark():
    assert keys_at(CORNER, "pass", "E4 E6") == [0] * 8
    keys = keys_at(CORNER, "E5", "E4 E6 A1 pass", 1)
    assert [column for column in range(8) if keys[column]] == [STONES]
    start = keys_at(CORNER, "E5")
    assert [column for column in range(8) if start[column]] == [STONES]


LIBERTIES = """
    . . . . . . .
    . . . . . . .
    . X X X . . .
    X O O O . . .
    . X X X . . .
    . . . . . . .
    . . . . . . .
"""


@pytest.mark.parametrize("to_play", [1, 2])
def test_liberties_of_a_stone_next_to_the_move_are_one_two_or_more(to_play):
    """The move is E4, and the chain of D4 gets more liberties at A4, B5 and B3, which small patterns do not see."""
    keys = []
    for opened in ("", "A4", "A4 B5", "A4 B5 B3"):
        pair = Pair.of(LIBERTIES, 3 - to_play)
        stones = pair.core.stones()
        for name in opened.split():
            stones[pair.point(name)] = 0
        assert pair.core.set_up(stones, 3 - to_play) == -1
        assert pair.core.liberty_counts()[pair.point("D4")] == len(opened.split()) + 1
        pair.core.play(pair.index(pair.point("F4")), 3 - to_play)
        keys.append(keys_of(rows_of(pair), [pair.index(pair.point("E4"))])[0].tolist())
    one, two, three, four = keys
    for pair_of_keys in ((one, two), (two, three), (one, three)):
        assert [c for c in differing(*pair_of_keys) if c not in (3, 4, 5)] == [STONES, ANSWER]
    assert [c for c in differing(three, four) if c not in (3, 4, 5)] == []


def test_liberties_of_stones_across_the_corner_do_not_count():
    apart = """
        . . . . .
        . O . . .
        . . . . .
        . . . . .
        . . . . .
    """
    surrounded = """
        . X . . .
        X O . . .
        . . . . .
        . . . . .
        . . . . .
    """
    assert keys_at(apart, "C3")[STONES] == keys_at(surrounded, "C3")[STONES]
    assert keys_at(apart, "B3")[STONES] != keys_at(surrounded, "B3")[STONES]


def test_own_and_enemy_stones_are_told_apart():
    assert keys_at(LIBERTIES, "E4", "", 1)[STONES] != keys_at(LIBERTIES, "E4", "", 2)[STONES]


def sampled_games():
    """Games on boards of every kind of shape; passes, moves out of turn and suicides occur."""
    for width, height, moves, every in (
        (2, 2, 40, 1),
        (2, 25, 60, 9),
        (3, 5, 60, 3),
        (7, 4, 60, 6),
        (9, 9, 120, 12),
        (13, 13, 150, 50),
        (19, 19, 240, 80),
        (25, 25, 200, 100),
    ):
        for number, pair in enumerate(random_game(Pair(width, height), moves, random.Random(width))):
            if number % every == every - 1:
                yield pair


def real_games():
    for name, every in (("finished-9x9", 10), ("finished-13x13", 40), ("finished-19x19", 90)):
        game = tengen.read(EXAMPLES / f"{name}.sgf")
        size = game.board().width
        pair = Pair(size, size)
        for number, move in enumerate(game.moves):
            board = game.board(number + 1)
            index = int(Positions.of([board]).last_moves[0, 0])
            pair.play(None if index == size * size else divmod(index, size), 1 if move.colour == "black" else 2)
            if number % every == every // 2:
                yield pair


@pytest.mark.parametrize("games", [sampled_games, real_games])
def test_keys_are_equal_exactly_where_the_twin_sees_the_same(games):
    seen, named = {}, {}
    for pair in games():
        board = pair.naive
        empty = [point for point in board.points() if point not in board.stones]
        keys = keys_of(rows_of(pair), [pair.index(point) for point in empty]).tolist()
        for point, found in zip(empty, keys, strict=True):
            for column, (key, sight) in enumerate(zip(found, naive.responses(board, point), strict=True)):
                assert (key == 0) == (sight is None), (column, point)
                if key:
                    name = column, sight
                    assert seen.setdefault(key, name) == name
                    assert named.setdefault(name, key) == key
    assert len(seen) == len(named) > 500


def turned(rows, k):
    """A position under a symmetry, and the new index of each point; the pass stays."""
    stones, to_play, ko, last_moves, passes = rows
    places = np.arange(stones.size).reshape(stones.shape[1:])
    moved = np.append(np.argsort(transform(places, k).ravel()), [stones.size, -1])
    turned = np.ascontiguousarray(transform(stones[0], k))[None]
    return (turned, to_play, moved[ko].astype(np.int16), moved[last_moves].astype(np.int16), passes), moved


@pytest.mark.parametrize("k", range(1, 8))
def test_keys_turn_with_the_board(k):
    for rows in (rows_of(pair) for pair in sampled_games() if pair.naive.width < 10):
        empty = np.flatnonzero(rows[0].ravel() == 0)
        other, moved = turned(rows, k)
        assert np.array_equal(keys_of(rows, empty), keys_of(other, moved[empty]))


def test_both_players_see_the_same_in_each_others_place():
    for stones, to_play, ko, last_moves, passes in map(rows_of, sampled_games()):
        empty = np.flatnonzero(stones.ravel() == 0)
        one = keys_of((stones, to_play, ko, last_moves, passes), empty)
        assert np.array_equal(one, keys_of((-stones, -to_play, ko, last_moves, passes), empty))


def test_many_positions_have_the_keys_of_each():
    game = tengen.read(EXAMPLES / "finished-9x9.sgf")
    positions = Positions.of([game.board(turn) for turn in range(10, 40)])
    moves = np.array([int(np.flatnonzero(legal)[i % 7]) for i, legal in enumerate(positions.legal)], np.int32)
    keys = response_keys(positions, moves)
    assert keys.shape == (30, len(MARKED_SIZES) + 2) == (30, _core.RESPONSES)
    for i in range(30):
        one = positions.take(slice(i, i + 1))
        assert np.array_equal(response_keys(one, moves[i : i + 1])[0], keys[i])


def test_moves_that_make_no_sense_are_refused():
    rows = rows_of(Pair.of(LIBERTIES))
    for moves, problem in (([-1], "not on the board"), ([50], "not on the board"), ([21], "occupied"), ([0, 1], "one")):
        with pytest.raises(ValueError, match=problem):
            _core.response_keys(*rows, np.array(moves, np.int32))
    full = np.ones_like(rows[0])
    full[0, 0, 0] = 0
    full[0, 3, 3] = -1
    with pytest.raises(ValueError, match="no liberties"):
        _core.response_keys(full, *rows[1:], np.array([0], np.int32))


def test_keys_stay_as_shipped_weights_have_them():
    digest = hashlib.sha256()
    for pair in sampled_games():
        rows = rows_of(pair)
        digest.update(keys_of(rows, np.flatnonzero(rows[0].ravel() == 0)).astype("<u8").tobytes())
    assert digest.hexdigest()[:32] == "836144f4585cd5a9b8f559c6e428ac12"
