"""Tactical features of moves in Go words."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.views.move_features import (
    FEATURES,
    LEVELS,
    OAKFOAM_PHRASES,
    PHRASES,
    move_features,
    move_levels,
    owner_levels,
)

from .test_tactics import LADDER


def test_a_move_is_described_in_go_words() -> None:
    board = Board.from_text(LADDER, to_play="white")
    board.play("E2")
    features = move_features(board)
    assert (features.colour, features.width, features.height) == ("black", 9, 9)
    assert features.at("D3") == {"atari": 3, "border": 3, "last": 3, "fate last": 2}
    assert features.describe("D3") == (
        "puts a chain in atari that a ladder catches",
        "on the third line",
        "diagonal to the last move",
        "two steps from the chain of the last move",
    )
    assert features.at("pass") == {"pass": 1}
    assert features.at((0, 8)) == features.at("J9") == {"border": 1}
    assert features.at("C3") == {}
    with pytest.raises(ValueError):
        features.levels[0, 0] = 1


def test_oakfoam_has_other_words_where_it_reads_otherwise() -> None:
    features = move_features(Board.from_text(LADDER.replace(". . . . . . . . .", ". . . . O . . . .", 4)), oakfoam=True)
    assert "puts a chain in atari whose ladder does not work" in features.describe("D3")
    assert {feature for feature in FEATURES if PHRASES[feature] != OAKFOAM_PHRASES[feature]} == {"capture", "atari"}


def test_every_level_has_a_phrase_of_its_own() -> None:
    for phrases in (PHRASES, OAKFOAM_PHRASES):
        words = [phrase for feature in FEATURES for phrase in phrases[feature].values()]
        assert len(set(words)) == len(words) == 2 + 6 + 2 + 2 + 3 + 4 + 9 + 9 + 10 + 10
        for feature in FEATURES:
            first = 2 if feature in ("last", "second-last") else 1
            assert sorted(phrases[feature]) == list(range(first, LEVELS[feature] + 1))


def test_many_positions_at_once() -> None:
    boards = [Board.from_text(LADDER, to_play=colour) for colour in ("black", "white")]
    levels = move_levels(boards)
    assert levels.shape == (2, 82, 10)
    assert (levels[1] == move_features(boards[1]).levels).all()
    assert move_levels([]).shape == (0, 1, 10)
    assert move_levels(Positions.of(boards), oakfoam=True).shape == (2, 82, 10)


def test_a_turn_is_needed() -> None:
    stones = np.zeros((1, 9, 9), np.int8)
    for levels in (move_levels, owner_levels):
        with pytest.raises(TengenError, match="whose turn"):
            levels(stones)


def test_what_is_not_there_is_refused() -> None:
    features = move_features(Board(9))
    for move in ("K9", "A10", "nowhere", (9, 0)):
        with pytest.raises(TengenError):
            features.at(move)


def test_owner_levels_follow_the_share_of_playouts() -> None:
    """Black holds the left side, White the right side."""
    rows = [". X . . O ."] * 6
    boards = [Board.from_text(rows, to_play=colour) for colour in ("black", "white")]
    black, white = owner_levels(boards)
    assert black[0] == white[5] == 8
    assert black[5] == white[0] == 1
    assert black[1] == black[-1] == 0
    assert (owner_levels(boards, seed=0) == [black, white]).all()
    for board, levels in zip(boards, (black, white), strict=True):
        counts = board.playouts(63, policy="knowing", first="to_play")
        wins = counts.black if board.to_play == "black" else counts.white
        assert levels[2] == 1 + wins[0, 2] // 8
    assert owner_levels([]).shape == (0, 1)
