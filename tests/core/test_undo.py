"""Undo, copies and hashes: every step back is exact, copies share nothing, hashes tell positions apart."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tengen._core import Position
from tests.naive.board import BLACK, WHITE, NaiveBoard

from .pairs import Pair, assert_equal, assert_same_moves_allowed, random_game, random_pair, stones_array


@pytest.mark.parametrize("seed", range(60))
def test_undo_all_the_way_back(seed: int) -> None:
    rng = random.Random(seed)
    pair = random_pair(rng, largest=7 if seed else 25)
    for _ in random_game(pair, 60, rng):
        pass
    while pair.naive.moves:
        pair.undo()
        assert_equal(pair)
        if len(pair.naive.moves) % 8 == 0:
            assert_same_moves_allowed(pair)
    assert pair.core.hash == 0


@pytest.mark.parametrize("seed", range(20))
def test_forward_and_back_at_random(seed: int) -> None:
    rng = random.Random(seed)
    pair = random_pair(rng, largest=5)
    for _ in range(30):
        for _ in random_game(pair, rng.randint(1, 8), rng):
            assert_equal(pair)
        for _ in range(rng.randint(0, min(6, len(pair.naive.moves)))):
            pair.undo()
            assert_equal(pair)
        assert_same_moves_allowed(pair)


@pytest.mark.parametrize("seed", range(10))
def test_what_follows_an_undo_equals_a_game_without_it(seed: int) -> None:
    rng = random.Random(seed)
    pair = Pair(5, 5)
    for _ in random_game(pair, 60, rng):
        pass
    for _ in range(60 - 25):
        pair.undo()
    straight = Position(5, 5)
    for point, colour in pair.naive.moves:
        straight.play(pair.index(point), colour)
    same = pair.core.owner_counts(200, seed, 1, 1, 1), straight.owner_counts(200, seed, 1, 1, 1)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(*same, strict=True))


def test_nothing_to_undo() -> None:
    position = Position(9, 9)
    with pytest.raises(ValueError, match="nothing to undo"):
        position.undo()
    position.play(0, BLACK)
    position.set_up(position.stones(), WHITE)
    with pytest.raises(ValueError, match="nothing to undo"):
        position.undo()


def test_set_up_keeps_captures_and_moves() -> None:
    pair = Pair(3, 3)
    pair.moves("A3 B3 C1 A2")
    pair.core.set_up(pair.core.stones(), BLACK)
    assert pair.core.captures(WHITE) == 1
    assert pair.core.move_count == 4
    assert pair.core.undoable == 0


@pytest.mark.parametrize("seed", range(10))
def test_copies_are_independent(seed: int) -> None:
    rng = random.Random(seed)
    pair = random_pair(rng, largest=6)
    for _ in random_game(pair, 30, rng):
        pass
    core, copy = pair.core, pair.core.copy()
    stones = core.stones()
    while copy.undoable:
        copy.undo()
    assert copy.hash == 0
    assert (core.stones() == stones).all()
    assert_equal(pair)
    pair.core = core.copy()
    del core
    for _ in random_game(pair, 20, rng):
        assert_equal(pair)
    while pair.naive.moves:
        pair.undo()
        assert_equal(pair)


def test_arrays_outlive_their_position() -> None:
    position = Position(9, 9)
    position.play(40, BLACK)
    stones, mask = position.stones(), position.legal_mask(WHITE)
    position.play(41, WHITE)
    del position
    assert stones.sum() == 1
    assert mask.sum() == 80


@pytest.mark.parametrize("side", [2, 3, 5])
def test_hashes_are_equal_where_positions_are(side: int) -> None:
    rng = random.Random(side)
    stones_by_hash: dict[int, dict[tuple[int, int], int]] = {}
    hash_by_stones: dict[frozenset[tuple[tuple[int, int], int]], int] = {}
    for _ in range(20):
        pair = Pair(side, side, suicide=True)
        for _ in random_game(pair, 60, rng):
            stones = dict(pair.naive.stones)
            assert stones_by_hash.setdefault(pair.core.hash, stones) == stones
            assert hash_by_stones.setdefault(frozenset(stones.items()), pair.core.hash) == pair.core.hash
    assert len(stones_by_hash) == len(hash_by_stones) > 20


def test_the_hash_does_not_depend_on_how_the_stones_came() -> None:
    pair = Pair(9, 9)
    rng = random.Random(3)
    for _ in random_game(pair, 120, rng):
        fresh = Position(9, 9)
        assert fresh.set_up(stones_array(pair.naive), BLACK) == -1
        assert fresh.hash == pair.core.hash


def test_moves_lists_what_was_played() -> None:
    pair = Pair(3, 2)
    pair.moves("A1 pass C2")
    assert pair.core.moves().tolist() == [BLACK << 2 | 3 << 4, WHITE << 2 | 6 << 4, BLACK << 2 | 2 << 4]


def events(board: NaiveBoard) -> np.ndarray:
    codes = [
        colour << 2 | (board.width * board.height if point is None else point[0] * board.width + point[1]) << 4
        for point, colour in board.moves
    ]
    return np.array(codes, dtype=np.int32)


@pytest.mark.parametrize("seed", range(10))
def test_replay_equals_playing(seed: int) -> None:
    rng = random.Random(seed)
    pair = random_pair(rng, largest=6)
    irregular = []
    for number in range(1, 60):
        before = pair.core.copy()
        next(random_game(pair, 1, rng))
        code = int(pair.core.moves()[-1])
        if before.objection(code >> 4, code >> 2 & 3):
            irregular.append(number)
    replayed = Pair(pair.naive.width, pair.naive.height, pair.naive.ko_rule, pair.naive.suicide)
    assert replayed.core.replay(events(pair.naive), -1) == irregular
    replayed.naive = pair.naive
    assert_equal(replayed)


def test_replay_stops_at_a_limit() -> None:
    moves = np.array([BLACK << 2 | 0 << 4, WHITE << 2 | 1 << 4, BLACK << 2 | 4 << 4], dtype=np.int32)
    position = Position(3, 3)
    assert position.replay(moves, 2) == []
    assert position.move_count == 2
    assert position.to_play == BLACK


def test_replay_sets_up_and_says_who_is_to_play() -> None:
    setup, turn = 1, 2
    codes = [setup | BLACK << 2 | 0 << 4, setup | WHITE << 2 | 1 << 4, setup | 0 << 2 | 0 << 4, turn | WHITE << 2]
    position = Position(2, 2)
    assert position.replay(np.array(codes, dtype=np.int32), -1) == []
    assert position.stones().tolist() == [[0, -1], [0, 0]]
    assert position.to_play == WHITE


def test_replay_onto_a_stone_makes_it_give_way() -> None:
    position = Position(2, 2)
    codes = np.array([BLACK << 2 | 0 << 4, WHITE << 2 | 0 << 4], dtype=np.int32)
    assert position.replay(codes, -1) == [2]
    assert position.stones().tolist() == [[-1, 0], [0, 0]]
    assert position.move_count == 2
