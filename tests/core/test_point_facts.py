"""Facts of points: games against the naive twin."""

from __future__ import annotations

import random
from itertools import islice

from tengen import _core
from tests.naive.point_facts import move_facts, safe_facts, stone_facts
from tests.naive.tactics import TooLong

from .pairs import Pair, random_game


def found(pair: Pair) -> dict[tuple[int, int], set[str]]:
    stones, to_play, ko, last_moves, _, passes = _core.position_rows([pair.core])
    words = _core.point_facts(stones, to_play, ko, last_moves, passes)[0]
    return {p: {fact.name for fact in _core.PointFact if words[p] >> fact & 1} for p in pair.naive.points()}


def test_games_equal_the_twin() -> None:
    seen: set[str] = set()
    for side in ((5, 5), (4, 7), (9, 9)):
        for pair in islice(random_game(Pair(*side), 80, random.Random(side[1])), 0, None, 9):
            seen |= compared(pair)
    assert seen == {fact.name for fact in _core.PointFact}


def compared(pair: Pair) -> set[str]:
    """Assert that the facts of every point are those of the twin; return all that occurred."""
    board, player = pair.naive, pair.naive.to_play
    safe = safe_facts(board, player)
    last = {f"last_{i + 1}": move for i, (move, _) in enumerate(board.moves[:-6:-1])}
    every = found(pair)
    for point, facts in every.items():
        try:
            expected = (stone_facts if point in board.stones else move_facts)(board, point, player)
        except TooLong:
            continue
        expected |= {name for name, points in safe.items() if point in points}
        expected |= {name for name, move in last.items() if move == point}
        assert facts == expected, point
    return set().union(*every.values())
