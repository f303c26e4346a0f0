"""Tactics in Go words."""

from __future__ import annotations

import pytest

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.views.tactics import FACTS, move_facts, read_ladder, read_ladders

LADDER = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . X . . . . . . .
    . X O . . . . . .
    . . X . . . . . .
    . . . . . . . . .
    """


def test_a_ladder_is_told_with_its_first_move() -> None:
    ladder = read_ladder(Board.from_text(LADDER), "C3")
    assert (ladder.attack, ladder.capture) == ("captured", "D3")
    assert ladder.defence == "escapes"
    assert ladder.escape in ("C4", "D3")
    assert ladder.chain.points == ("C3",)
    assert not ladder.in_atari


def test_after_the_atari_there_is_no_escape() -> None:
    board = Board.from_text(LADDER)
    board.play("D3")
    ladder = read_ladder(board, "C3")
    assert (ladder.capture, ladder.defence, ladder.escape, ladder.in_atari) == ("C4", "captured", None, True)


def test_a_chain_of_many_liberties_needs_no_move() -> None:
    ladder = read_ladder(Board.from_text(LADDER), "B3")
    assert (ladder.attack, ladder.capture, ladder.defence, ladder.escape) == ("escapes", None, "escapes", None)


def test_only_chains_in_danger_are_listed() -> None:
    assert [ladder.chain.points for ladder in read_ladders(Board.from_text(LADDER))] == [("C3",)]
    assert read_ladders(Board(9)) == []


def test_facts_of_moves_by_name_and_as_masks() -> None:
    board = Board.from_text(LADDER, to_play="black")
    facts = move_facts(board)
    assert facts.colour == "black"
    assert facts.at("D3") == ("legal", "atari", "ladder")
    assert facts.at("C3") == ()
    assert facts.mask("ladder").sum() == 1
    assert (facts.mask("legal") == board.legal_mask()).all()
    assert (int(facts.stones[6, 0]), int(facts.liberties[6, 0])) == (3, 5)
    assert not facts.mask("captures").any()
    with pytest.raises(ValueError):
        facts.bits[0, 0] = 1


def test_the_colour_may_be_named() -> None:
    assert move_facts(Board.from_text(LADDER), "white").at("D3") == ("legal",)


def test_what_is_not_there_is_refused() -> None:
    board = Board.from_text(LADDER)
    with pytest.raises(TengenError, match="no stone at A1"):
        read_ladder(board, "A1")
    with pytest.raises(TengenError, match="choose legal, captures"):
        move_facts(board).mask("nonsense")  # type: ignore[arg-type]
    with pytest.raises(TengenError):
        move_facts(board, "red")


def test_the_facts_have_their_bits() -> None:
    assert len(FACTS) == 11
    assert move_facts(Board(2)).bits.max() < 1 << len(FACTS)
