"""The native reader equals its naive twin, keeps its limits, and says where a game is broken."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgf_texts import AWKWARD, SEEDS
from sgf_trees import native_trees, nested

from naive.sgf import read_collection
from tengen import _core

PIECES = ["(", ")", ";", "[", "]", "\\", "B", "W", "AB", "SZ", "GM", "C", "b", "Black", "x1", "[aa]", "[9]", "(;",
          ")(;SZ[9]",
          " ", "\n", "é", "[a\\]b]", "(;GM[1]", ";B[aa]", "?", "3", "_"]  # fmt: skip


def agree(text: str) -> None:
    games, faults = read_collection(text)
    trees, native_faults = native_trees(text)
    outside = {number for number, problem in native_faults.items() if "never ends" not in problem[1]}
    assert trees == [nested(root) for i, (_, root) in enumerate(games) if _number(i, faults) not in outside]
    assert [number for number in native_faults if number not in outside] == [number for number, _ in faults]
    offsets = [len(text[:offset].encode()) for _, offset in faults]
    assert [native_faults[number][0] for number, _ in faults] == offsets


def _number(index: int, faults: list[tuple[int, int]]) -> int:
    """The number in the file of the index-th game that the naive reader could read."""
    broken = {number for number, _ in faults}
    number = 0
    for _ in range(index + 1):
        number += 1
        while number in broken:
            number += 1
    return number


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts(text: str) -> None:
    agree(text)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=500, deadline=None)
def test_random_pieces(text: str) -> None:
    agree(text)


def test_mutated_records() -> None:
    chance = random.Random(1)
    for _ in range(500):
        text = list(chance.choice(SEEDS[:3]).decode())
        for _ in range(chance.randint(1, 5)):
            text[chance.randrange(len(text))] = chance.choice(PIECES)
        agree("".join(text))


def test_one_hundred_thousand_nested_variations() -> None:
    records = _core.parse_sgf(b"(;B[aa]" * 100_000 + b")" * 100_000)
    assert len(records) == 1
    assert len(records.main_line(0)) == 100_000


def test_nesting_has_a_limit() -> None:
    records = _core.parse_sgf(b"(;B[aa]" + b"(" * 1_000_001)
    assert records.faults() == [(1, 7 + 999_999, "variations are nested too deeply")]


def test_a_flood_of_broken_games_is_read_once() -> None:
    times = []
    for count in (20_000, 200_000):
        start = time.process_time()
        assert len(_core.parse_sgf(b"(;GM[" * count).faults()) == count
        times.append(time.process_time() - start)
    assert times[1] < 40 * times[0]  # 10 times if each byte is read once, 100 times if each game reads the rest


def test_setup_has_a_limit() -> None:
    records = _core.parse_sgf(b"(;SZ[52]AB" + b"[aa:ZZ]" * 1000 + b")")
    assert [problem for _, _, problem in records.faults()] == ["too many stones are set up [aa:ZZ]"]


def test_events_of_the_main_line() -> None:
    records = _core.parse_sgf(b"(;SZ[3:2]AB[aa]AW[ca]AE[bb]PL[W];W[bb](;B[])(;B[cb]))")
    black, white, empty, turn, move, passed = records.events(0).tolist()
    assert (black, white, empty) == (1 | 1 << 2 | 0 << 4, 1 | 2 << 2 | 2 << 4, 1 | 0 << 2 | 4 << 4)
    assert turn == 2 | 2 << 2
    assert (move, passed) == (2 << 2 | 4 << 4, 1 << 2 | 6 << 4)


def test_bad_indices_are_index_errors() -> None:
    records = _core.parse_sgf(b"(;B[aa])")
    for call in (records.head, records.events, records.notes, records.main_line, records.children, records.properties):
        for index in (-1, 1, 1 << 40):
            with pytest.raises(IndexError):
                call(index)
