"""Contact features of moves: boards as text, then games against the naive twin."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen import _core
from tengen.views.contact_features import CONTACT_FEATURES, CONTACT_LEVELS, contact_phrase
from tengen.views.move_features import LEVELS
from tests.naive.board import LEGAL
from tests.naive.contact_features import contact_levels

from .pairs import Pair, random_game

ROWS = np.zeros((1 + sum(LEVELS.values()) + sum(CONTACT_LEVELS.values()), 8), np.float32)
POLICY = _core.MovePolicy(ROWS, contact=True)


def found(pair: Pair) -> np.ndarray:
    stones, to_play, ko, last_moves, _, passes = _core.position_rows([pair.core])
    return POLICY.levels(stones, to_play, ko, last_moves, passes)[0, :, len(LEVELS) :]


def said(drawing: str, name: str, before: str = "") -> dict[str, str]:
    pair = Pair.of(drawing)
    pair.moves(before)
    levels = found(pair)[pair.index(pair.point(name))].tolist()
    return {feature: contact_phrase(feature, n) for feature, n in zip(CONTACT_FEATURES, levels, strict=True) if n}


CONTACT = """
    . . . . . . .
    . X X . . . .
    . O X . . . .
    . O O X . . .
    . X . . . . .
    . . . X X . .
    . . . . . . .
"""


def test_levels_in_words():
    assert said(CONTACT, "C3") == {
        "liberties": "its chain then has four liberties",
        "enemy chain": "touches an enemy chain of three or four stones with three liberties",
        "own chain": "touches an own chain of one stone with three liberties",
        "chains": "touches one own chain and one enemy chain",
        "lines": "on the third line of two sides",
        "stones": "",
    }
    assert said(CONTACT, "D5")["chains"] == "touches two own chains"
    assert said(CONTACT, "D5", "G1 G7")["offset last"] == "3 by 2 points from the last move"
    assert said(CONTACT, "D5", "G1 G7")["offset second-last"] == "4 by 3 points from the second-last move"
    assert said(CONTACT, "G2")["lines"] == "on the first and second line"
    assert set(said(CONTACT, "pass")) == {"stones"}


def test_every_level_has_words():
    for feature, most in CONTACT_LEVELS.items():
        phrases = [contact_phrase(feature, level) for level in range(1, most + 1)]
        if feature != "stones":
            assert all(phrases)
            assert len(set(phrases)) == most


@pytest.mark.parametrize("side", [(5, 5), (9, 9), (4, 11), (19, 19)])
def test_games_equal_the_twin(side: tuple[int, int]) -> None:
    rng = random.Random(side[1])
    for number, pair in enumerate(random_game(Pair(*side), 120, rng)):
        if number % {5: 3, 4: 3, 9: 10, 19: 40}[side[0]]:
            continue
        levels, board = found(pair), pair.naive
        for move in [*board.points(), None]:
            legal = board.objection(move, board.to_play) == LEGAL
            expected = contact_levels(board, board.to_play, move) if legal else [0] * len(CONTACT_FEATURES)
            assert levels[pair.index(move)].tolist() == expected, move
