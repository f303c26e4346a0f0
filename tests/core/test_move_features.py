"""Tactical features of moves: boards for every level in both readings, then games against the naive twin."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import tengen
from tengen import _core
from tengen.go.positions import Positions
from tengen.views.move_features import FEATURES, LEVELS
from tests.naive.board import BLACK, WHITE, NaiveBoard, Point
from tests.naive.move_features import Historic, Move, Words
from tests.naive.tactics import TooLong

from . import game_lines
from .pairs import Pair, random_game
from .test_tactics import KO, LADDER, positions, with_stone

EXAMPLES = Path(__file__).parents[2] / "examples"


def found(pair: Pair, oakfoam: bool) -> np.ndarray:
    stones, to_play, ko, last_moves, _, passes = _core.position_rows([pair.core])
    return _core.move_features(stones, to_play, ko, last_moves, passes, oakfoam)[0]


def assert_equal_the_twin(pair: Pair, moves: Iterable[Move]) -> int:
    """Both readings equal the twin's; returns the number of moves whose ladders were too long for it."""
    too_long = 0
    for oakfoam, twin in ((False, Words), (True, Historic)):
        levels, words = found(pair, oakfoam), twin(pair.naive, pair.naive.to_play)
        for move in moves:
            try:
                expected = words.levels(move)
            except TooLong:
                too_long += 1
                continue
            assert levels[pair.index(move)].tolist() == expected, (move, oakfoam)
    return too_long


def level(
    feature: str, drawing: str, name: str, before: str = "", to_play: int = BLACK, *, oakfoam: bool = False
) -> int:
    """The level of a move on a drawn board, after some moves."""
    pair = Pair.of(drawing, to_play)
    pair.moves(before)
    assert_equal_the_twin(pair, [pair.point(name)])
    return int(found(pair, oakfoam)[pair.index(pair.point(name)), FEATURES.index(feature)])


def both(feature: str, drawing: str, name: str, before: str = "", to_play: int = BLACK) -> tuple[int, int]:
    """The level by the paper's words, and as Oakfoam reads it."""
    return (
        level(feature, drawing, name, before, to_play),
        level(feature, drawing, name, before, to_play, oakfoam=True),
    )


EMPTY = "\n".join([". . . . . . . . ."] * 9)


def test_passes() -> None:
    assert both("pass", EMPTY, "pass") == (1, 1)
    assert both("pass", EMPTY, "pass", "E5") == (1, 1)
    assert both("pass", EMPTY, "pass", "E5 pass") == (2, 2)
    assert both("pass", EMPTY, "pass", "E5 pass D5") == (1, 1)
    assert both("pass", EMPTY, "E5") == (0, 0)


PONNUKI = """
    . . . . .
    . X . . .
    X O . . .
    . X . . .
    . . . . .
    """


def test_capture_1_a_chain_in_atari() -> None:
    assert both("capture", PONNUKI, "C3") == (1, 1)
    assert both("capture", PONNUKI, "C4") == (0, 0)


def test_capture_2_a_chain_that_a_ladder_would_catch() -> None:
    """Oakfoam does not ask whether the captured chain is in a ladder."""
    in_atari = with_stone(LADDER, "D3", "X")
    assert both("capture", in_atari, "C4") == (2, 1)
    assert both("capture", with_stone(in_atari, "E6", "O"), "C4") == (1, 1)


def test_capture_2_of_oakfoam_asks_for_an_own_chain_that_no_ladder_catches() -> None:
    """D4 is in atari too; at C4 it connects to C5, so that its ladder does not work."""
    drawing = """
        . . . . . . .
        . . . . . . .
        . X X O . . .
        X O . X O . .
        . X . O . . .
        . . . . . . .
        . . . . . . .
        """
    assert both("capture", drawing, "C4") == (1, 2)


def test_capture_3_a_chain_that_could_connect() -> None:
    assert both("capture", with_stone(PONNUKI, "D3", "O"), "C3") == (3, 3)


def test_a_connection_into_atari_is_no_extension() -> None:
    drawing = """
        . . . . . .
        . X X X . .
        X O . O . .
        . X X X . .
        . . . . . .
        """
    assert both("capture", drawing, "C3") == (2, 1)


def test_capture_4_the_stone_just_played() -> None:
    before = with_stone(PONNUKI, "B3", ".")
    assert both("capture", before, "C3", "B3", WHITE) == (4, 4)
    assert both("capture", PONNUKI, "C3", "E1", WHITE) == (1, 1)
    assert both("capture", PONNUKI, "C3", "pass", WHITE) == (1, 1)


SEMEAI = """
    . . . . .
    . X O . .
    X O X O .
    X O X O .
    . . . . .
    """


def test_capture_5_next_to_a_chain_in_atari() -> None:
    assert both("capture", SEMEAI, "B1") == (5, 5)
    assert both("capture", with_stone(SEMEAI, "D2", "."), "B1")[0] < 5


def test_capture_5_goes_before_the_stone_just_played() -> None:
    assert both("capture", with_stone(SEMEAI, "B2", "."), "B1", "B2", WHITE) == (5, 5)


@pytest.mark.parametrize(("stones", "expected"), [(9, 5), (10, 6)])
def test_capture_6_ten_stones_next_to_a_chain_in_atari(stones: int, expected: int) -> None:
    rows = [". " * (stones + 2), *(letter + " " for letter in ("X", "O", "X"))]
    drawing = "\n".join([rows[0], *(row * stones + ". ." for row in rows[1:])])
    name = f"{'ABCDEFGHJKLM'[stones]}2"
    assert both("capture", drawing, name) == (expected, expected)


def test_extension_1_of_a_chain_in_atari() -> None:
    assert both("extension", PONNUKI, "C3", to_play=WHITE) == (1, 1)
    assert both("extension", PONNUKI, "C3") == (0, 0)
    assert both("extension", with_stone(PONNUKI, "D3", "O"), "C3", to_play=WHITE) == (1, 1)


def test_extension_2_of_a_chain_in_a_ladder() -> None:
    in_atari = with_stone(LADDER, "D3", "X")
    assert both("extension", in_atari, "C4", to_play=WHITE) == (2, 2)
    assert both("extension", with_stone(in_atari, "E6", "O"), "C4", to_play=WHITE) == (1, 1)


def test_an_extension_by_a_capture_counts_the_captured_points() -> None:
    """C1 takes two stones; with their points as its liberties the chain is one throw-in from capture."""
    drawing = """
        O O O O .
        X X X O .
        O O . O .
        """
    assert both("extension", drawing, "C1") == (2, 0)


def test_a_stone_taken_gives_a_liberty() -> None:
    """Oakfoam does not count it, and so calls B1 a self-atari."""
    drawing = """
        . . . .
        X O O .
        O . . .
        """
    assert both("self-atari", drawing, "B1") == (0, 1)


def test_self_atari_by_the_stones_of_the_chain() -> None:
    assert both("self-atari", ". O .\n. . .\n. . .", "A3") == (1, 1)
    assert both("self-atari", "O O O O O O . .\nX X X X . . O .", "E1") == (1, 1)
    assert both("self-atari", "O O O O O O O .\nX X X X X . . O", "F1") == (2, 2)
    assert both("self-atari", ". . .\n. . .\n. . .", "A3") == (0, 0)


def test_taking_a_ko_is_self_atari() -> None:
    assert both("self-atari", KO, "B3", to_play=WHITE) == (1, 1)


def test_atari_1() -> None:
    assert both("atari", LADDER, "C4") == (1, 1)
    assert both("atari", LADDER, "D4") == (0, 0)


def test_atari_2_during_a_ko() -> None:
    ko_and_ladder = """
        . X O . . . . . .
        X . X O . . . . .
        . X O . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . X . . . . . . .
        . X O . . . . . .
        . . X . . . . . .
        . . . . . . . . .
        """
    assert both("atari", ko_and_ladder, "C4", "B8", WHITE) == (2, 2)
    assert both("atari", ko_and_ladder, "C4", "B8 J1 J2", WHITE) == (1, 1)
    assert both("atari", ko_and_ladder, "D3", "B8", WHITE) == (3, 2)


def test_atari_3_in_a_ladder() -> None:
    """Oakfoam has it the other way round: the ladder that does not work."""
    assert both("atari", LADDER, "D3") == (3, 1)
    assert both("atari", with_stone(LADDER, "E6", "O"), "D3") == (1, 3)
    assert both("atari", with_stone(with_stone(LADDER, "E6", "O"), "E5", "X"), "D3")[1] == 1


def test_lines_from_the_border() -> None:
    assert [both("border", EMPTY, name)[0] for name in ("A1", "J5", "B5", "C3", "D6", "E5")] == [1, 1, 2, 3, 4, 0]


CIRCULAR = {
    "E6": 2,
    "F6": 3,
    "E7": 4,
    "F7": 5,
    "G7": 6,
    "E8": 6,
    "H4": 7,
    "H3": 8,
    "A5": 8,
    "H2": 9,
    "J4": 9,
    "J3": 10,
    "J2": 0,
}


@pytest.mark.parametrize("name", CIRCULAR)
def test_circular_distance(name: str) -> None:
    assert both("last", EMPTY, name, "E5") == (CIRCULAR[name],) * 2
    assert both("second-last", EMPTY, name, "E5 A1") == (CIRCULAR[name],) * 2


WALL = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    X X X X X X X X .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    """


def test_fate_distance_runs_along_chains() -> None:
    assert both("fate last", WALL, "A6", "J5") == (1, 1)
    assert both("last", WALL, "A6", "J5") == (0, 0)
    assert both("fate last", WALL, "A8", "J5") == (3, 3)
    assert both("fate second-last", WALL, "A6", "J5 J9") == (1, 1)
    assert both("fate last", EMPTY, "J1", "E5") == (8, 8)
    assert both("fate last", EMPTY, "J1", "A7") == (0, 0)
    assert both("fate last", EMPTY, "J2", "A4") == (10, 10)


def test_distance_from_a_captured_stone_begins_at_its_point() -> None:
    drawing = with_stone(PONNUKI, "B3", ".")
    assert both("fate second-last", drawing, "A2", "B3 C3", WHITE) == (2, 2)


def test_after_a_pass_there_is_no_distance() -> None:
    names = ("last", "second-last", "fate last", "fate second-last")
    assert [both(name, EMPTY, "E6", "E5 pass") for name in names] == [(0, 0), (2, 2), (0, 0), (1, 0)]
    assert [both(name, EMPTY, "E6", "pass E5") for name in names] == [(2, 2), (0, 0), (1, 1), (0, 0)]
    assert [both(name, EMPTY, "E6") for name in names] == [(0, 0)] * 4


def test_illegal_moves_have_no_levels() -> None:
    pair = Pair.of(KO, WHITE)
    pair.moves("B3")
    for oakfoam in (False, True):
        levels = found(pair, oakfoam)
        assert not levels[pair.index(pair.point("C3"))].any()  # the ko
        assert not levels[pair.index(pair.point("B3"))].any()  # a stone
    assert_equal_the_twin(pair, [*pair.naive.points(), None])


@pytest.mark.parametrize("seed", range(24))
def test_random_games_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(2, 2), (3, 3), (5, 5), (4, 7), (6, 5), (9, 9)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(4, width * height), rng):
        pass
    assert assert_equal_the_twin(pair, [*pair.naive.points(), None]) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_many_games_equal_the_twin(seed: int) -> None:
    rng = random.Random(seed + 1000)
    width, height = rng.choice([(rng.randint(2, 12), rng.randint(2, 12)), (9, 9), (13, 13), (19, 19)])
    pair = Pair(width, height)
    for _ in random_game(pair, rng.randint(4, width * height), rng):
        pass
    assert_equal_the_twin(pair, rng.sample([*pair.naive.points(), None], min(40, width * height)))


@settings(deadline=None, max_examples=60)
@given(positions())
def test_any_stones_equal_the_twin(pair: Pair) -> None:
    assert_equal_the_twin(pair, [*pair.naive.points(), None])


def tactical_points(board: NaiveBoard) -> list[Point]:
    """Liberties of chains of one or two liberties, where the levels differ most."""
    short = [board.liberties(min(chain)) for chain in board.chains()]
    return sorted(set().union(*(liberties for liberties in short if len(liberties) < 3)))


def assert_game_equals_the_twin(
    size: int, moves: list[tuple[int, int]], setup: list[tuple[int, int]], step: int
) -> None:
    """Every step-th position of a game, at the tactical points and some others; moves and setup as (index, colour)."""
    pair, rng = Pair(size, size), random.Random(len(moves))
    stones = np.zeros((size, size), np.int8)
    for index, colour in setup:
        stones[divmod(index, size)] = 1 if colour == BLACK else -1
    assert pair.core.set_up(stones, BLACK) == -1
    pair.naive.stones = {divmod(index, size): colour for index, colour in setup}
    for number, (index, colour) in enumerate(moves):
        pair.play(None if index == size * size else divmod(index, size), colour)
        if number % step == step - 1:
            some = rng.sample(pair.naive.points(), 10)
            assert_equal_the_twin(pair, [*tactical_points(pair.naive), *some, None])


@pytest.mark.parametrize(("name", "step"), [("finished-9x9", 9), ("finished-13x13", 40), ("finished-19x19", 120)])
def test_games_that_ship_equal_the_twin(name: str, step: int) -> None:
    board = tengen.read(EXAMPLES / f"{name}.sgf").board()
    moves = [(board.index(move.point), BLACK if move.colour == "black" else WHITE) for move in board.moves]
    assert_game_equals_the_twin(board.width, moves, [], step)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tygem-valid", "kgs19-other", "ogs9-counted", "goquest9"])
def test_real_games_equal_the_twin(name: str) -> None:
    path = next((path for path in game_lines.files() if path.name.startswith(name)), None)
    if path is None:
        pytest.skip(f"no {name} in the folder of games")
    for game in game_lines.games(path, limit=3, step=100):
        moves, setup = ([(code >> 4, code >> 2 & 3) for code in codes] for codes in (game.moves, game.setup))
        assert_game_equals_the_twin(game.size, moves, setup, 5 if game.size == 9 else 25)


def random_positions(n: int, size: int, seed: int) -> Positions:
    chance = random.Random(seed)
    boards = []
    for _ in range(n):
        board = tengen.Board(size)
        for _ in range(chance.randrange(10, size * size)):
            board.play(chance.choice([*board.legal_moves(), "pass"] if board.legal_moves() else ["pass"]))
        boards.append(board)
    return Positions.of(boards)


def arrays(positions: Positions) -> tuple[np.ndarray, ...]:
    return positions.stones, positions.to_play, positions.ko, positions.last_moves, positions.passes


@pytest.mark.parametrize("oakfoam", [False, True])
@pytest.mark.parametrize("size", [7, 9])
def test_symmetries_and_colours_leave_the_levels_alone(size: int, oakfoam: bool) -> None:
    rows = random_positions(20, size, seed=size)
    stones, to_play, ko, last_moves, passes = arrays(rows)
    levels = _core.move_features(stones, to_play, ko, last_moves, passes, oakfoam)
    numbers = np.arange(size * size).reshape(size, size)
    for turn in range(8):
        source = np.rot90(numbers if turn < 4 else numbers.T, turn % 4).ravel()  # the old point of every new one
        new = np.append(np.argsort(source), [size * size, -1]).astype(np.int16)  # of every old one, the pass and none
        turned = stones.reshape(20, -1)[:, source].reshape(stones.shape)
        again = _core.move_features(-turned, -to_play, new[ko], new[last_moves], passes, oakfoam)
        assert (again == levels[:, np.append(source, size * size)]).all()


def test_levels_are_in_their_range() -> None:
    rows = random_positions(60, 9, seed=3)
    for oakfoam in (False, True):
        most = _core.move_features(*arrays(rows), oakfoam).max((0, 1))
        assert (most <= [LEVELS[feature] for feature in FEATURES]).all()


def test_a_batch_equals_its_positions() -> None:
    rows = random_positions(12, 13, seed=1)
    levels = _core.move_features(*arrays(rows), False)
    assert levels.shape == (12, 170, 10)
    for i in range(12):
        assert (_core.move_features(*arrays(rows.take(slice(i, i + 1))), False)[0] == levels[i]).all()


def test_strided_arrays_are_copied() -> None:
    rows = random_positions(6, 9, seed=2)
    doubled = [np.repeat(array, 2, axis=0)[::2] for array in arrays(rows)]
    assert (_core.move_features(*doubled) == _core.move_features(*arrays(rows))).all()


BAD = [
    ("stones", np.full((2, 9, 9), 2, np.int8)),
    ("stones", np.zeros((2, 9, 9), np.int16)),
    ("stones", np.zeros((2, 81), np.int8)),
    ("stones", np.zeros((2, 1, 81), np.int8)),
    ("stones", np.zeros((2, 26, 9), np.int8)),
    ("stones", np.zeros((3, 9, 9), np.int8)),
    ("stones", np.ones((2, 9, 9), np.int8)),
    ("stones", None),
    ("to_play", np.zeros(2, np.int8)),
    ("to_play", np.full(2, 2, np.int8)),
    ("to_play", np.ones(3, np.int8)),
    ("to_play", np.ones(2)),
    ("ko", np.full(2, 81, np.int16)),
    ("ko", np.full(2, -2, np.int16)),
    ("ko", np.full(2, 40, np.int16)),
    ("ko", np.full(1, -1, np.int16)),
    ("ko", np.full(2, -1, np.int32)),
    ("last_moves", np.full((2, 5), 82, np.int16)),
    ("last_moves", np.full((2, 5), -2, np.int16)),
    ("last_moves", np.full((2, 4), -1, np.int16)),
    ("last_moves", np.full((1, 5), -1, np.int16)),
    ("last_moves", np.full((2, 5), np.nan)),
    ("passes", np.full(2, -1, np.int8)),
    ("passes", np.zeros(1, np.int8)),
    ("passes", [0, 0]),
    ("oakfoam", 2),
    ("oakfoam", "yes"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_nonsense_is_refused(name: str, value: object) -> None:
    stones = np.zeros((2, 9, 9), np.int8)
    stones[:, 4, 4] = 1
    given = {
        "stones": stones,
        "to_play": np.ones(2, np.int8),
        "ko": np.full(2, -1, np.int16),
        "last_moves": np.full((2, 5), -1, np.int16),
        "passes": np.zeros(2, np.int8),
        "oakfoam": False,
    }
    assert _core.move_features(**given).shape == (2, 82, 10)
    with pytest.raises((ValueError, TypeError)) as refusal:
        _core.move_features(**given | {name: value})
    if name != "oakfoam" and value is not None:
        assert len(str(refusal.value).splitlines()) == 1


def test_a_last_move_on_an_empty_point_is_no_stone() -> None:
    """Arrays need not come from a game: the distance is measured from the point."""
    last_moves = np.full((1, 5), -1, np.int16)
    last_moves[0, 0] = 40
    none = np.full(1, -1, np.int16)
    zero = np.zeros(1, np.int8)
    levels = _core.move_features(np.zeros((1, 9, 9), np.int8), np.ones(1, np.int8), none, last_moves, zero)
    assert levels[0, 40].tolist() == [0] * 10
    assert levels[0, 41].tolist() == [0, 0, 0, 0, 0, 4, 2, 0, 1, 0]
