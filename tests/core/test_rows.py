"""Rows of positions against slow twins: what a replay writes, what positions write, and where players may move."""

import math
import random

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.go.positions import LAST_MOVES, Positions
from tests.naive.board import BLACK, WHITE, NaiveBoard, opponent

SIDES = [(5, 5), (4, 6), (9, 9), (2, 2)]
NAMES = ("stones", "to_play", "ko", "last_moves", "captures", "passes")


def played(width, height, seed, moves=90):
    """A random game with kos, passes and players who move twice: its events, and a naive board before each move."""
    chance = random.Random(seed)
    board = NaiveBoard(width, height)
    setup = [(1 | BLACK << 2 | 1 << 4), (1 | WHITE << 2 | (width * height - 2) << 4)] if seed % 2 else []
    for code in setup:
        board.place(divmod(code >> 4, width), code >> 2 & 3)
    events, rows = list(setup), []
    for _ in range(moves):
        colour = board.to_play if chance.random() < 0.9 else opponent(board.to_play)
        legal = sorted(board.legal(colour))
        point = None if not legal or chance.random() < 0.1 else chance.choice(legal)
        rows.append(row_of(board, colour))
        events.append(colour << 2 | (width * height if point is None else point[0] * width + point[1]) << 4)
        board.play(point, colour)
    rows.append(row_of(board, board.to_play))
    return np.array(events, np.uint16), rows


def row_of(board, to_play):
    """The row of a naive board."""
    stones = np.zeros((board.height, board.width), int)
    for point, colour in board.stones.items():
        stones[point] = 1 if colour == BLACK else -1
    ko = board.ko[0][0] * board.width + board.ko[0][1] if board.ko and board.ko[1] == to_play else -1
    numbers = [board.width * board.height if p is None else p[0] * board.width + p[1] for p, _ in board.moves]
    last = ([-1] * LAST_MOVES + numbers)[: -LAST_MOVES - 1 : -1]
    captures = [board.captures[BLACK], board.captures[WHITE]]
    return stones.tolist(), 1 if to_play == BLACK else -1, ko, last, captures, board.passes


@pytest.mark.parametrize(("width", "height"), SIDES)
def test_a_replay_writes_what_was_on_the_board_at_every_turn(width, height):
    games = [played(width, height, seed) for seed in range(6)]
    events = np.concatenate([events for events, _ in games])
    event_offsets = np.cumsum([0] + [len(events) for events, _ in games])
    turns = np.concatenate([np.arange(len(rows), dtype=np.int32) for _, rows in games])
    turn_offsets = np.cumsum([0] + [len(rows) for _, rows in games])
    found = _core.replay_positions(width, height, events, event_offsets, turns, turn_offsets)
    expected = [row for _, rows in games for row in rows]
    for name, array, values in zip(NAMES, found, zip(*expected, strict=True), strict=True):
        assert array.tolist() == list(values), name
    assert (np.array([row[2] for row in expected]) >= 0).any() or width == 2  # kos were met
    assert max(row[5] for row in expected) >= 2


@pytest.mark.parametrize(("width", "height"), SIDES)
def test_boards_give_the_same_rows_as_a_replay(width, height):
    events, expected = played(width, height, seed=1)
    boards = []
    for turn in range(len(expected)):
        position = _core.Position(width, height, 0, False)
        position.replay(events.astype(np.int32), turn)
        boards.append(position)
    for name, array, values in zip(NAMES, _core.position_rows(boards), zip(*expected, strict=True), strict=True):
        assert array.tolist() == list(values), name


@pytest.mark.parametrize("rules", ["japanese", "chinese", "tromp-taylor", "new-zealand"])
def test_legal_rows_are_what_each_board_answers(rules):
    chance = random.Random(7)
    boards = []
    for _ in range(40):
        board = tengen.Board(4, rules=rules)
        for _ in range(chance.randrange(45)):
            board.play(chance.choice([*board.legal_moves(), "pass"]))
        boards.append(board)
    positions = Positions.of(boards)
    assert (positions.legal[:, :-1] == [board.legal_mask().ravel() for board in boards]).all()
    assert positions.legal[:, -1].all()
    either = positions.with_turns(np.zeros(40))
    both = [board.legal_mask("black") | board.legal_mask("white") for board in either.boards()]
    assert (either.legal[:, :-1] == [mask.ravel() for mask in both]).all()


def test_a_row_makes_the_board_it_came_from():
    chance = random.Random(9)
    board = tengen.Board(5, rules="japanese", komi=0.5)
    boards = []
    for _ in range(80):
        board.play(chance.choice(board.legal_moves() or ["pass"]))
        boards.append(board.copy())
    assert any(each.ko for each in boards)
    rows = Positions.of(boards)
    alone = Positions.join([rows.take(slice(0, 30)), rows.take(np.arange(30, 80))])
    for one, other in zip(boards, alone.boards(), strict=True):
        assert (one.stones == other.stones).all()
        assert (one.to_play, one.ko, one.captures, one.komi) == (other.to_play, other.ko, other.captures, other.komi)
    assert (alone.legal == rows.legal).all()
    assert alone.take(rows.to_play == 1).to_play.tolist() == [1] * int((rows.to_play == 1).sum())


def test_positions_of_different_sizes_are_refused():
    boards = [tengen.Board(5), tengen.Board(6)]
    with pytest.raises(tengen.TengenError, match="one size"):
        Positions.of(boards)
    for kernel in (_core.position_rows, _core.legal_rows, _core.rows_after):
        with pytest.raises(ValueError, match="different sizes"):
            kernel([_core.Position(5, 5, 0, False), _core.Position(6, 5, 0, False)])
        with pytest.raises(ValueError, match="no positions"):
            kernel([])


@pytest.mark.parametrize("rules", ["japanese", "chinese", "tromp-taylor", "new-zealand", "aga"])
def test_rows_after_are_the_positions_after_the_moves_of_a_tree(rules):
    chance = random.Random(11)
    boards = []
    for _ in range(30):
        board = tengen.Board(4, 3, rules=rules)
        for _ in range(chance.randrange(60)):
            board.play(chance.choice([*board.legal_moves(), "pass"]))
        boards.append(board)
    first, moves, rows = _core.rows_after([board.native for board in boards])
    assert first[0] == 0
    assert first[-1] == len(moves) == len(rows[0])
    for board, begin, end in zip(boards, first[:-1], first[1:], strict=True):
        tree = _core.Search(board.native, False, 0, 1000, 0.0, False, None)
        tree.run(1, math.inf, 1, [])
        assert sorted(move.move for move in tree.report().moves) == moves[begin:end].tolist()
        after = [board.copy() for _ in range(begin, end)]
        for each, move in zip(after, moves[begin:end].tolist(), strict=True):
            each.play(each.move_name(move))
        for name, array, expected in zip(
            NAMES, rows, _core.position_rows([each.native for each in after]), strict=True
        ):
            assert (array[begin:end] == expected).all(), name
