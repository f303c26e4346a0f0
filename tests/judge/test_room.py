"""The judge is not sure of an open board, and stays sure of finished ones."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.judge.room import open_regions
from tengen.judge.settle import settle
from tengen.search.ending import settled_game
from tengen.search.player import Player, Settings

SPARSE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . X . .
    . . . . . . . . .
    . . . X O . . . .
    . . . . . . . . .
    . . X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def test_scattered_stones_surround_nothing():
    score = tengen.score(tengen.Board.from_text(SPARSE))
    assert score.dead == ("E5",)
    assert score.result == "B+73.5"
    assert not score.safe
    assert score.warnings == (
        "78 points around A9 are not surrounded by Black: the game is open there",
        "living stones cover 3 of 81 points: the game has hardly begun",
    )


def test_the_player_does_not_pass_on_an_open_board():
    board = tengen.Board.from_text(SPARSE)
    assert settled_game(board) is None
    board.play("A1")
    board.play("pass")
    assert Player(board, Settings(playouts=100, seed=1)).choose().move != "pass"


# Early positions of random play that were called safe because the judge gave one colour's stones up.
EARLY = [
    "... XO. ...",
    ".X. ... ... .XO",
    "...O .... X..X ...O",
    "O... .... ..X. .... ..X. .O.. ..X. .O..",
    "...X. ..O.X .O... ..... XO...",
    "O.... ..... ....X ..X.. ..... .....",
    ".O.X. .O... X.... X.... .OO.O ..... ..X.X",
    "....XX .....X ..O... ...... X..O.. .OO...",
    "O..... ...... ..X... .XOOXO ...... O.XX.. ...XOO ....X.",
    "....... .O..... X..X... ....... ....... ...X... .O.....",
    "O....... ........ ...X.... ........ ........ ........ ........ .....X..",
    "O....X... O...X...X",
    "..X.O.... .XX.O....",
    "X.O.....O....... XO.X....O.....X.",
    "..O........O ......X.O... ...OXX...X..",
]


@pytest.mark.parametrize("rows", EARLY)
def test_early_positions_are_not_safe(rows):
    assert not tengen.score(tengen.Board.from_text(rows.split())).safe


def test_a_region_of_more_than_half_of_the_board_is_open():
    stones = tengen.Board.from_text(["XXO..", "XXXX.", ".X.X.", "XXXX.", "....."]).stones
    assert not open_regions(settle(stones, stones == -1))
    wider = tengen.Board.from_text(["X....", ".X...", "XX...", "X....", "X...."]).stones
    ((colour, region),) = open_regions(settle(wider, wider == -1))
    assert (colour, len(region)) == (1, 18)


def test_an_invader_has_room_far_from_all_walls():
    rows = ["." * 9 + "XO" + "O." * 4] * 19
    stones = tengen.Board.from_text(rows).stones
    ((colour, region),) = open_regions(settle(stones, np.zeros_like(stones)))
    assert colour == 1
    assert len(region) == 5 * 19  # columns A to E, five steps and more from the wall at K
    assert not open_regions(settle(stones[:, 5:], np.zeros_like(stones[:, 5:])))


FINISHED = [
    [".XO.", "XXOO", ".XO.", "XXOO"],
    [".XO.", "XXOO", ".XO."],
    ["XX", "X."],
    [".O.", "OOO", ".O."],
    [". . . X O . ."] * 7,
    [". . . . X O . . ."] * 9,
]


@pytest.mark.parametrize("rows", FINISHED)
def test_small_boards_and_bare_walls_are_finished(rows):
    assert tengen.score(tengen.Board.from_text(rows), dead=[]).safe


@pytest.mark.parametrize("path", ["examples/finished-9x9.sgf", "examples/finished-19x19.sgf"])
def test_finished_games_stay_safe(path):
    game = tengen.read(path)
    assert tengen.score(game).safe
    for share in (0.05, 0.1, 0.2, 0.3):
        assert not tengen.score(game.board(round(share * len(game)))).safe


@pytest.mark.slow
def test_no_early_position_of_random_play_is_safe_on_any_size():
    rng = random.Random(0)
    for _ in range(1000):
        width, height = rng.choice([(rng.randint(2, 25), rng.randint(2, 25)), (rng.randint(2, 9), rng.randint(2, 9))])
        board = tengen.Board(width, height)
        for _ in range(max(1, int(0.3 * rng.random() * width * height))):
            if moves := board.legal_moves():
                board.play(rng.choice(moves))
        assert not tengen.score(board).safe, board


@pytest.mark.slow
@pytest.mark.skipif("TENGEN_DATA" not in os.environ, reason="TENGEN_DATA is not set: no real games to look at")
@pytest.mark.parametrize(
    "name", ["kgs19-counted-train", "ogs9-counted-train", "goquest9-train", "misc13", "misc9", "selfplay"]
)
def test_no_early_position_of_a_real_game_is_safe(name):
    games = tengen.read_all(Path(os.environ["TENGEN_DATA"], "games", f"{name}.tsv.gz"))
    rng = random.Random(0)
    for game in rng.sample(games, min(len(games), 200)):
        board = game.board(max(1, round(rng.uniform(0.01, 0.3) * len(game))))
        if (board.stones != 0).mean() <= 0.35:  # later positions may well be finished, such as problems set up
            assert not tengen.score(board).safe, board
