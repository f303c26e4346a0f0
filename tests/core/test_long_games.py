"""Games far longer than any that are played: superko, captures, undo and copies stay exact."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

import tengen
from tengen._core import Position, Search
from tests.naive.board import BLACK, POSITIONAL, SIMPLE, SITUATIONAL, SUPERKO, WHITE

from .pairs import Pair
from .test_superko import KO_SHAPE

SIDE = 4
NO_LIMIT = 2**31


def code(colour: int, index: int) -> int:
    """A move as the core packs it."""
    return colour << 2 | index << 4


def random_game(length: int, seed: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Moves on a small board that break no rule but superko, and the hash after each."""
    rng = random.Random(seed)
    position, colour = Position(SIDE, SIDE, SIMPLE, False), BLACK
    moves, hashes = [], []
    while len(moves) < length:
        index = rng.randrange(SIDE * SIDE + 1)
        if position.objection(index, colour) != 0:
            continue
        position.play(index, colour)
        moves.append((index, colour))
        hashes.append(position.hash)
        colour = BLACK + WHITE - colour
    return moves, hashes


def repetitions(moves: list[tuple[int, int]], hashes: list[int], rule: int) -> list[int]:
    """The numbers of the moves that lead back to an earlier situation; a pass never breaks the rule."""
    seen = {(0, BLACK if rule == SITUATIONAL else None)}
    found = []
    for number, ((index, colour), after) in enumerate(zip(moves, hashes, strict=True), start=1):
        situation = after, BLACK + WHITE - colour if rule == SITUATIONAL else None
        if situation in seen and index < SIDE * SIDE:
            found.append(number)
        seen.add(situation)
    return found


@pytest.mark.parametrize("rule", [POSITIONAL, SITUATIONAL])
def test_superko_in_a_long_game_equals_a_set_of_all_situations(rule: int) -> None:
    moves, hashes = random_game(20_000, seed=rule)
    position = Position(SIDE, SIDE, rule, False)
    events = np.array([code(colour, index) for index, colour in moves], np.int32)
    expected = repetitions(moves, hashes, rule)
    assert len(expected) > 100
    assert position.replay(events, NO_LIMIT) == expected

    copy = position.copy()
    for _ in range(1000):
        position.undo()
    again = [number - 19_000 for number in expected if number > 19_000]
    assert position.replay(events[19_000:], NO_LIMIT) == again
    assert all(
        copy.objection(index, colour) == position.objection(index, colour)
        for index in range(SIDE * SIDE)
        for colour in (BLACK, WHITE)
    )


def test_undo_forgets_a_situation_but_not_an_equal_earlier_one() -> None:
    pair = Pair.of(KO_SHAPE, ko=POSITIONAL)
    pair.moves("pass pass")
    pair.undo()
    pair.undo()
    pair.moves("C3")
    assert pair.objection("B3") == SUPERKO  # leads back to the stones from before the passes
    pair.undo()
    pair.moves("C3")  # is no repetition after it was taken back


def test_captures_pass_65536() -> None:
    """Black fills a 25×25 board except one point, where White takes all 624 stones."""
    position = Position(25, 25)
    position.set_captures(WHITE, 65_000)
    events = [code(BLACK, index) for index in range(1, 625)] + [code(WHITE, 0)]
    position.replay(np.array(events, np.int32), NO_LIMIT)
    assert position.captures(WHITE) == 65_624
    assert position.copy().captures(WHITE) == 65_624
    position.undo()
    assert position.captures(WHITE) == 65_000


def test_many_captures_are_pickled() -> None:
    position = tengen.Board(9)
    position._position.set_captures(BLACK, 70_000)
    assert pickle.loads(pickle.dumps(position)).captures == position.captures
    assert position.captures.black == 70_000


def test_counts_of_a_search_are_wide() -> None:
    search = Search(Position(5, 5), True, 1, 1000, 0.5, False, None)
    search.run(20, 1e9, 1, [])
    report = search.report()
    assert [counts.dtype for counts in (report.black, report.white)] == [np.int64, np.int64]
