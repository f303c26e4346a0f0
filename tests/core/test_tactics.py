"""Ladders and the facts of moves: cases from a Go book, then random boards against the naive twin."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tengen import _core
from tengen.views.tactics import FACTS
from tests.naive.board import BLACK, WHITE, NaiveBoard, Point
from tests.naive.tactics import CAPTURED, ESCAPES, UNKNOWN, NaiveReader, TooLong, facts

from .pairs import Pair, random_game

NAMES = {ESCAPES: "escapes", CAPTURED: "captured", UNKNOWN: "unknown"}


def read(drawing: str, name: str, before: str = "", to_play: int = BLACK) -> tuple[str, str]:
    """The fate of a chain if its enemy moves first, and if its owner does; after some moves."""
    pair = Pair.of(drawing, to_play)
    pair.moves(before)
    attack, _, defence, _ = _core.ladders(pair.core)
    point = pair.point(name)
    assert_readings_equal(pair, [point])
    return NAMES[int(attack[point])], NAMES[int(defence[point])]


def assert_readings_equal(pair: Pair, stones: list[Point]) -> int:
    """The core's readings are the twin's, and its moves are among the twin's; returns how many were too long."""
    attack, capture, defence, escape = _core.ladders(pair.core)
    too_long = 0
    for stone in stones:
        reader = NaiveReader()
        try:
            captures, defended, escapes = (
                reader.captures(pair.naive, stone),
                reader.defended(pair.naive, stone),
                reader.escapes(pair.naive, stone),
            )
        except TooLong:
            too_long += 1
            continue
        if UNKNOWN in (attack[stone], defence[stone]):
            too_long += 1
            continue
        assert attack[stone] == (CAPTURED if captures else ESCAPES), stone
        assert defence[stone] == (ESCAPES if defended else CAPTURED), stone
        assert capture[stone] in ({pair.index(move) for move in captures} or {-1})
        if escape[stone] >= 0:
            assert escape[stone] in {pair.index(move) for move in escapes}
        else:
            assert not defended or not captures
    return too_long


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


def with_stone(drawing: str, name: str, letter: str) -> str:
    rows = [row.split() for row in drawing.strip().splitlines()]
    rows[len(rows) - int(name[1:])]["ABCDEFGHJKLMNOPQRST".index(name[0])] = letter
    return "\n".join(" ".join(row) for row in rows)


def test_a_stone_of_two_liberties_is_caught_in_a_ladder() -> None:
    assert read(LADDER, "C3") == ("captured", "escapes")


@pytest.mark.parametrize("breaker", ["E5", "F6", "G7", "H8"])
def test_a_stone_in_its_way_breaks_the_ladder(breaker: str) -> None:
    assert read(with_stone(LADDER, breaker, "O"), "C3") == ("escapes", "escapes")


@pytest.mark.parametrize("elsewhere", ["A9", "J1", "A1"])
def test_a_stone_elsewhere_does_not(elsewhere: str) -> None:
    assert read(with_stone(LADDER, elsewhere, "O"), "C3") == ("captured", "escapes")


def test_a_ladder_across_the_whole_board() -> None:
    rows = [["."] * 19 for _ in range(19)]
    for row, column, letter in [(16, 2, "O"), (16, 1, "X"), (17, 2, "X"), (15, 1, "X")]:
        rows[row][column] = letter
    drawing = "\n".join(" ".join(row) for row in rows)
    assert read(drawing, "C3") == ("captured", "escapes")
    assert read(with_stone(drawing, "Q16", "O"), "C3") == ("escapes", "escapes")
    assert read(with_stone(drawing, "Q16", "X"), "C3") == ("captured", "escapes")


def test_in_atari_at_the_edge_there_is_no_escape() -> None:
    assert read("O X . . .\n. X . . .\n. . . . .", "A3") == ("captured", "captured")


def test_in_atari_an_extension_to_three_liberties_escapes() -> None:
    assert read(". . . . .\n. X . . .\nX O . . .\n. X . . .\n. . . . .", "B3") == ("captured", "escapes")


def test_a_net_is_not_a_ladder() -> None:
    net = """
        . . . . . . .
        . . . . . . .
        . X X . . . .
        . X O . . . .
        . . . . X . .
        . . . . . . .
        . . . . . . .
        """
    assert read(net, "C4")[1] == "escapes"


def test_the_defender_takes_a_stone_in_atari() -> None:
    position = with_stone(with_stone(with_stone(LADDER, "D2", "O"), "C1", "O"), "E3", "X")
    assert read(position, "C3") == ("escapes", "escapes")
    assert read(with_stone(position, "B2", "X"), "C3") == ("captured", "escapes")


def test_a_stone_of_the_ladder_comes_into_atari_on_the_way() -> None:
    assert read(with_stone(with_stone(LADDER, "D2", "O"), "E3", "O"), "C3") == ("escapes", "escapes")


def test_a_snapback() -> None:
    snapback = """
        X O . . O
        X O X O O
        X X X X X
        . . . . .
        """
    assert read(snapback, "D3")[0] == "captured"


def test_a_throw_in_that_makes_a_ko_does_not_capture() -> None:
    position = """
        . O X .
        O X X .
        . O O X
        . . . .
        """
    pair = Pair.of(position, WHITE)
    assert_readings_equal(pair, [(0, 1), (1, 0), (1, 1), (2, 1)])


KO = """
    . X O . .
    X . X O .
    . X O . .
    . . . . .
    """


def test_a_ko_may_not_be_taken_back_at_once() -> None:
    """White has taken the ko: his stone is in atari, but Black may not take it now."""
    assert read(KO, "B3", "B3", WHITE) == ("escapes", "escapes")
    assert read(KO, "B3", "B3 E1 E2", WHITE)[0] == "captured"


@pytest.mark.parametrize(
    "drawing", ["O .\n. .", "X O\n. .", "X .\nO O", ". O\nX O\n. .", "O O O O O .\nX X X X X .", "O X\n. .\nO ."]
)
def test_tiny_and_narrow_boards_equal_the_twin(drawing: str) -> None:
    pair = Pair.of(drawing)
    assert assert_readings_equal(pair, sorted(pair.naive.stones)) == 0
    assert_facts_equal(pair)


def test_a_reading_without_moves_is_unknown() -> None:
    pair = Pair.of(LADDER)
    assert _core.ladders(pair.core, 5, 400)[0][6, 2] == UNKNOWN
    assert _core.ladders(pair.core, 1000, 3)[0][6, 2] == UNKNOWN
    assert _core.ladders(pair.core, 1000, 400)[0][6, 2] == CAPTURED
    assert (_core.ladders(pair.core, 0, 0)[0][pair.core.stones() == 0] == -1).all()


def test_reading_leaves_the_position_alone() -> None:
    pair = Pair.of(LADDER)
    before = pair.core.hash, pair.core.stones().tolist(), pair.core.undoable
    _core.ladders(pair.core)
    _core.move_facts(pair.core, BLACK)
    assert (pair.core.hash, pair.core.stones().tolist(), pair.core.undoable) == before


@pytest.mark.parametrize("arguments", [(-1, 5), (5, -1), (5, 1001), (2**70, 1)])
def test_limits_are_checked(arguments: tuple[int, int]) -> None:
    with pytest.raises((ValueError, TypeError)):
        _core.ladders(Pair(5, 5).core, *arguments)


def words(bits: int) -> set[str]:
    return {fact for i, fact in enumerate(FACTS) if bits >> i & 1}


def assert_facts_equal(pair: Pair, points: list[Point] | None = None) -> None:
    for colour in (BLACK, WHITE):
        bits, liberties, stones, taken = _core.move_facts(pair.core, colour)
        for point in points or pair.naive.points():
            try:
                expected = facts(pair.naive, point, colour)
            except TooLong:
                continue
            found = words(int(bits[point])), int(liberties[point]), int(stones[point]), int(taken[point])
            assert found == expected, (point, colour)


def fact_words(drawing: str, name: str, colour: int) -> set[str]:
    pair = Pair.of(drawing)
    assert_facts_equal(pair, [pair.point(name)])
    return words(int(_core.move_facts(pair.core, colour)[0][pair.point(name)])) - {"legal"}


def test_an_atari_that_starts_a_ladder_and_one_that_does_not() -> None:
    assert fact_words(LADDER, "D3", BLACK) == {"atari", "ladder"}
    assert fact_words(LADDER, "C4", BLACK) == {"atari"}
    assert fact_words(with_stone(LADDER, "F6", "O"), "D3", BLACK) == {"atari"}


def test_capturing_saves_the_chain_in_atari() -> None:
    drawing = """
        . . . . .
        . X O . .
        X O X O .
        X O X O .
        . . . . .
        """
    assert fact_words(drawing, "C1", WHITE) == {"captures", "extends", "saves"}
    assert fact_words(drawing, "B1", BLACK) == {"captures", "extends", "saves"}
    assert fact_words(drawing, "B1", WHITE) == {"extends", "saves"}
    assert fact_words(drawing, "C1", BLACK) == {"extends", "saves"}


def test_an_extension_that_stays_in_the_ladder_does_not_save() -> None:
    after_the_atari = with_stone(LADDER, "D3", "X")
    assert fact_words(after_the_atari, "C4", WHITE) == {"extends"}
    assert fact_words(with_stone(after_the_atari, "E6", "O"), "C4", WHITE) == {"extends", "saves"}


def test_real_and_false_eyes() -> None:
    assert fact_words(". X .\nX X .\n. . .", "A3", BLACK) == {"connects", "fills eye"} - {"connects"}
    false = ". X O .\nX O . .\n. . . .\n. . . ."
    assert "false eye" in fact_words(false, "A4", BLACK)


EYES = {
    # The space of White's group, X where Black has stones, * where he plays next; then whether that is a sacrifice.
    "throw-in": ("*.", True),
    "two of three": ("*X.", True),
    "three of four": ("*XX.", True),
    "four in a row": ("*XXX.", False),
    "a square": ("*X. XX#", True),
    "a T": ("*XX #X.", True),
    "a bent four": ("*XX X##", False),
    "a bulky five": ("*XX. #XX#", True),
    "a crossed five": ("#X## *XX. #X##", True),
    "a long T": ("*XXX. #X###", False),
    "a rabbity six": ("#X## *XX. #XX#", True),
    "six in a block": ("*XX. XXX#", False),
}


@pytest.mark.parametrize("name", EYES)
def test_sacrifices_inside_an_eye(name: str) -> None:
    """The rest of the board is White's; his group has no other liberty but what the drawing leaves."""
    space, is_sacrifice = EYES[name]
    rows = [list("OOOOOOOO") for _ in range(5)]
    for r, row in enumerate(space.split()):
        for c, sign in enumerate(row):
            rows[r + 1][c + 1] = {"*": ".", "#": "O"}.get(sign, sign)
    r, c = next((r, row.index("*")) for r, row in enumerate(space.split()) if "*" in row)
    drawing = "\n".join(" ".join(row) for row in rows)
    point = f"{'ABCDEFGH'[c + 1]}{5 - r - 1}"
    assert ("sacrifice" in fact_words(drawing, point, BLACK)) == is_sacrifice


@pytest.mark.parametrize("seed", range(30))
def test_random_games_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(3, 3), (5, 5), (4, 7), (6, 5), (9, 9), (9, 9)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(4, width * height), rng):
        pass
    too_long = assert_readings_equal(pair, sorted(min(chain) for chain in pair.naive.chains()))
    assert too_long <= 1
    assert_facts_equal(pair)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400))
def test_many_games_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed + 1000)
    width, height = rng.choice([(rng.randint(2, 12), rng.randint(2, 12)), (9, 9), (13, 13), (19, 19)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(4, width * height), rng):
        pass
    assert_readings_equal(pair, sorted(min(chain) for chain in pair.naive.chains()))
    assert_facts_equal(pair, rng.sample(pair.naive.points(), min(30, width * height)))


@st.composite
def positions(draw: st.DrawFn) -> Pair:
    """Any stones whatever, chains without liberties taken off."""
    height, width = draw(st.integers(2, 7)), draw(st.integers(2, 7))
    cells = draw(st.lists(st.sampled_from([0, 0, BLACK, WHITE]), min_size=height * width, max_size=height * width))
    naive = NaiveBoard(width, height)
    naive.stones = {divmod(i, width): colour for i, colour in enumerate(cells) if colour}
    for point in list(naive.stones):
        if point in naive.stones and not naive.liberties(point):
            naive.take_off(point)
    assume(naive.stones)
    pair = Pair(width, height)
    stones = np.zeros((height, width), np.int8)
    for point, colour in naive.stones.items():
        stones[point] = 1 if colour == BLACK else -1
    assert pair.core.set_up(stones, BLACK) == -1
    pair.naive = naive
    return pair


@settings(deadline=None, max_examples=50)
@given(positions())
def test_any_stones_equal_the_twin(pair: Pair) -> None:
    assert_readings_equal(pair, sorted(min(chain) for chain in pair.naive.chains()))
    assert_facts_equal(pair)
