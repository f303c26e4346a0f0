"""Positions as arrays: what boards, stones and data sets become before an evaluator sees them."""

import numpy as np
import pytest

import tengen
from tengen.go.positions import LAST_MOVES, Positions, as_positions

KO = [". X O .", "X . X O", ". X O .", ". . . ."]


def ko_board(**settings):
    """White has just taken a ko at B3; Black may not take back at C3."""
    board = tengen.Board.from_text(KO, to_play="white", **settings)
    assert board.play("B3") == 1
    assert board.ko == "C3"
    return board


def test_a_row_holds_what_the_board_knows():
    board = tengen.Board(5, 4, rules="japanese", komi=5.5, handicap=2)
    for move in ("C3", "A1", "B2", "pass", "pass"):
        board.play(move)
    positions = Positions.of([board])
    assert np.array_equal(positions.stones[0], board.stones)
    assert (positions.width, positions.height, positions.points, len(positions)) == (5, 4, 20, 1)
    assert positions.to_play.tolist() == [-1]
    assert positions.last_moves[0].tolist() == [20, 20, 11, 15, 7][:LAST_MOVES]
    assert positions.passes.tolist() == [2]
    assert (positions.komi[0], positions.handicap[0], positions.rules[0]) == (5.5, 2, board.rules)
    assert positions.board(0) is board


def test_ko_and_captures_come_along_and_a_board_can_be_made_from_them():
    board = ko_board()
    positions = Positions.of([board])
    assert (positions.ko[0], positions.captures[0].tolist()) == (6, [0, 1])
    again = positions.take(np.array([0])).with_turns(positions.to_play).board(0)
    assert again is not board
    assert (again.ko, again.to_play, again.captures) == (board.ko, board.to_play, board.captures)
    assert np.array_equal(again.stones, board.stones)
    assert not positions.with_turns(np.array([-1])).board(0).ko


def test_legal_moves_are_the_boards_with_superko():
    board = ko_board(rules="tromp-taylor")
    board.play("pass")
    board.play("pass")
    assert not board.is_legal("C3")  # no simple ko any more, but the position would be repeated
    legal = Positions.of([board]).legal[0]
    assert np.array_equal(legal[:-1].reshape(4, 4), board.legal_mask())
    assert legal[-1]


def test_without_a_turn_a_move_is_legal_if_either_colour_may_play_it():
    stones = tengen.Board.from_text([". X", "X ."]).stones
    legal = as_positions(stones[None]).legal[0]
    assert as_positions(stones[None]).to_play.tolist() == [0]
    expected = [tengen.Board.from_stones(stones, colour).legal_mask() for colour in ("black", "white")]
    assert np.array_equal(legal[:-1].reshape(2, 2), expected[0] | expected[1])


def test_positions_are_joined_and_taken_in_any_order():
    boards = [tengen.Board(3, komi=komi) for komi in (0.5, 6.5, 7.5)]
    joined = Positions.join([Positions.of(boards[:1]), Positions.of(boards[1:])])
    assert joined.komi.tolist() == [0.5, 6.5, 7.5]
    assert joined.take(np.array([2, 0])).komi.tolist() == [7.5, 0.5]
    assert joined.take(slice(1, None)).board(0).komi == 6.5
    assert len(as_positions([])) == 0


def test_the_bonus_is_that_of_the_rules():
    positions = Positions.of([tengen.Board(9, rules=rules, handicap=3) for rules in ("chinese", "aga", "japanese")])
    assert positions.bonus.tolist() == [tengen.Rules.parse(rules).bonus(3) for rules in ("chinese", "aga", "japanese")]


def test_boards_of_several_sizes_are_refused():
    with pytest.raises(tengen.TengenError, match="one size"):
        Positions.of([tengen.Board(5), tengen.Board(5, 6)])


def test_a_board_made_from_a_row_knows_the_last_moves():
    board = tengen.Board(5, 4)
    for move in ("C3", "A1", "B2", "C1", "A4", "pass", "pass"):
        board.play(move)
    [again] = Positions.join([Positions.of([board])]).boards()
    assert again.moves == board.moves[-LAST_MOVES:]
    assert again.last_move == board.last_move
    assert again.is_over
    assert np.array_equal(Positions.of([again]).last_moves, Positions.of([board]).last_moves)
    again.play("D2")
    again.undo()
    assert again.last_move == board.last_move
    with pytest.raises(tengen.TengenError):
        again.undo()  # of the earlier moves only the points are known
