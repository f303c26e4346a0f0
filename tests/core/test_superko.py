"""Positions that come back: what simple ko, positional and situational superko say of the classic cycles."""

from __future__ import annotations

import random

import pytest

from tests.naive.board import BLACK, LEGAL, POSITIONAL, SIMPLE, SITUATIONAL, SUPERKO, WHITE

from .pairs import Pair, assert_equal, assert_same_moves_allowed, lines, random_game

KO_SHAPE = """
    . X O .
    X O . O
    . X O .
    . . . .
"""

# White adds a stone at A4, Black takes both from C4, White takes that one back from B4: the same stones again.
SENDING_TWO_RETURNING_ONE = """
    . O . O .
    X X O O .
    . . . . .
    . . . . .
"""

TRIPLE_KO = """
    . X O . . X O . . X O .
    X . X O X O . O X . X O
    . X O . . X O . . X O .
    . . . . . . . . . . . .
"""


@pytest.mark.parametrize("rule", [POSITIONAL, SITUATIONAL])
def test_superko_forbids_what_simple_ko_forbids(rule: int) -> None:
    pair = Pair.of(KO_SHAPE, ko=rule)
    pair.moves("C3")
    assert pair.objection("B3") == SUPERKO
    pair.moves("D1 A1")
    assert pair.objection("B3", WHITE) == LEGAL


@pytest.mark.parametrize(("rule", "objection"), [(SIMPLE, LEGAL), (POSITIONAL, SUPERKO), (SITUATIONAL, SUPERKO)])
def test_triple_ko(rule: int, objection: int) -> None:
    pair = Pair.of(TRIPLE_KO, WHITE, ko=rule)
    start = pair.core.hash
    pair.moves("B3 G3 K3 C3 F3")
    assert pair.objection("L3") == objection
    if rule == SIMPLE:
        pair.moves("L3")
        assert pair.text() == lines(TRIPLE_KO)
        assert pair.core.hash == start


@pytest.mark.parametrize(("rule", "objection"), [(SIMPLE, LEGAL), (POSITIONAL, SUPERKO), (SITUATIONAL, LEGAL)])
def test_returning_one_repeats_the_stones_but_not_the_turn(rule: int, objection: int) -> None:
    pair = Pair.of(SENDING_TWO_RETURNING_ONE, WHITE, ko=rule)
    pair.moves("A4 C4")
    assert pair.objection("B4") == objection


@pytest.mark.parametrize(("rule", "objection"), [(SIMPLE, LEGAL), (SITUATIONAL, SUPERKO)])
def test_sending_two_again_repeats_the_turn_too(rule: int, objection: int) -> None:
    pair = Pair.of(SENDING_TWO_RETURNING_ONE, WHITE, ko=rule)
    pair.moves("A4 C4 B4 pass")
    assert pair.text() == lines(SENDING_TWO_RETURNING_ONE)
    assert pair.objection("A4") == objection


def test_a_pass_is_never_a_repetition() -> None:
    pair = Pair(3, 3, ko=POSITIONAL)
    pair.moves("B2 pass pass pass")
    assert pair.core.passes == 3
    assert pair.objection("pass") == LEGAL


@pytest.mark.parametrize(("rule", "objection"), [(SIMPLE, LEGAL), (POSITIONAL, LEGAL), (SITUATIONAL, LEGAL)])
def test_a_suicide_that_changes_the_board(rule: int, objection: int) -> None:
    pair = Pair.of("X . O\nO O .\n. . .", ko=rule, suicide=True)
    assert pair.objection("B3") == objection


@pytest.mark.parametrize(("rule", "objection"), [(SIMPLE, LEGAL), (POSITIONAL, SUPERKO), (SITUATIONAL, LEGAL)])
def test_a_suicide_that_brings_an_old_board_back(rule: int, objection: int) -> None:
    pair = Pair.of(". . O\nO O .\n. . .", ko=rule, suicide=True)
    pair.moves("A3 pass")
    assert pair.objection("B3") == objection


def test_setting_up_forgets_the_past() -> None:
    pair = Pair.of(KO_SHAPE, ko=POSITIONAL)
    pair.moves("C3")
    pair.core.set_up(pair.core.stones(), WHITE)
    assert pair.objection("B3") == LEGAL


def test_undo_forgets_what_it_takes_back() -> None:
    pair = Pair.of(SENDING_TWO_RETURNING_ONE, WHITE, ko=POSITIONAL)
    pair.moves("A4 C4")
    for _ in range(2):
        pair.undo()
    pair.moves("A4 C4")
    assert pair.objection("B4") == SUPERKO


def test_the_rules_can_change_in_mid_game() -> None:
    pair = Pair.of(KO_SHAPE)
    pair.moves("C3 D1 A1")
    pair.core.set_rules(POSITIONAL, False)
    assert pair.objection("B3", WHITE) == LEGAL
    pair.undo()
    pair.undo()
    assert pair.objection("B3", WHITE) == SUPERKO


@pytest.mark.parametrize("rule", [POSITIONAL, SITUATIONAL])
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_long_games_on_tiny_boards_equal_the_twin(rule: int, suicide: bool, seed: int) -> None:
    rng = random.Random(seed)
    pair = Pair(rng.choice((2, 3)), rng.choice((2, 3)), rule, suicide)
    for _ in random_game(pair, 120, rng):
        assert_equal(pair)
        assert_same_moves_allowed(pair)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [POSITIONAL, SITUATIONAL])
@pytest.mark.parametrize("seed", range(60))
def test_very_long_games_equal_the_twin(rule: int, seed: int) -> None:
    rng = random.Random(seed)
    pair = Pair(rng.choice((2, 3, 4)), rng.choice((3, 4)), rule, suicide=seed % 2 == 0)
    for _ in random_game(pair, 800, rng):
        assert_same_moves_allowed(pair)
    assert pair.core.to_play in (BLACK, WHITE)
