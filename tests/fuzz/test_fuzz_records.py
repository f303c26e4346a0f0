"""Broken bytes give games or a RecordError, and nothing else."""

from __future__ import annotations

import random
import re
import time

import pytest

from go.sgf_texts import AWKWARD, SEEDS
from tengen.errors import RecordError, TengenError
from tengen.go.record import Game, read_all

ALL = [*SEEDS, *(text.encode() for text in AWKWARD)]
HEAD = re.compile(r"\(;(FF|GM|SZ|CA|AP)\[")  # a variation that begins so is read as the next game
LINE = b"id\t9\t7\tChinese\tB+9.5\tAB[aa]\tB[fd];W[df];B[];W[]\tsource\t1d/2k\nid\t9\t7\t\t\t\tB[fd]\tsource\t"


def mutate(chance: random.Random) -> bytes:
    """A record with a few wounds: cut, flipped, spliced, nested, overgrown."""
    data = bytearray(chance.choice([*ALL, LINE]))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        wound = chance.randrange(7)
        if wound == 0:
            del data[at:]
        elif wound == 1 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif wound == 2:
            data[at:at] = chance.choice(ALL)
        elif wound == 3:
            data[at:at] = chance.choice([b"(", b"(;", b")", b"[", b"\\"]) * chance.choice([1, 3, 500])
        elif wound == 4:
            data[at:at] = chance.choice(
                [b"SZ[99999999999]", b"KM[1e999]", b"HA[-5]", b"KM[nan]", b"RE[B+1e9]", b"AB[aa:ZZ]"]
            )
        elif wound == 5:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(8)))
        else:
            del data[at : at + chance.randrange(6)]
    return bytes(data)


def use(game: Game) -> None:
    """Ask a game for everything."""
    facts = (game.komi, game.rules, game.handicap, game.result, game.players, game.moves, game.setup, game.warnings)
    assert facts
    text = game.sgf()
    if not HEAD.search(text, 1):
        assert Game.from_sgf(text).moves == game.moves
    if max(game.width, game.height) <= 25 and min(game.width, game.height) >= 2:
        try:
            game.board()
        except TengenError:
            assert not -1000 < game.komi < 1000  # the board asks for a sensible komi


def fuzz(cases: int, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(cases):
        data = mutate(chance)
        start = time.perf_counter()
        try:
            games = read_all(data)
        except RecordError:
            continue
        for game in games:
            use(game)
        assert time.perf_counter() - start < 5, data


def test_broken_records() -> None:
    fuzz(300, seed=1)


@pytest.mark.slow
def test_many_broken_records() -> None:
    fuzz(5000, seed=2)
