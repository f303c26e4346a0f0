"""What the names of the package promise whoever types them: copies, frozen answers, and refusals in Tengen's words."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tengen

FINISHED = """
    . X . X O . O
    X X X X O X .
    . O . X O O O
    . . . X O . O
    X X X X O O O
    . X . X O . .
    X X X X O O .
"""
RECORD = "junk(;SZ[9]KM[6.5]PB[\u53e4\u529b];b[ee](;W[ec])(;W[gc]C[other]))"


def copies(thing):
    return copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))


def finished(**settings):
    return tengen.Board.from_text(FINISHED, **settings)


def test_every_promised_name_is_there_and_nothing_else():
    assert all(getattr(tengen, name) is not None for name in tengen.__all__)
    assert dir(tengen) == sorted([*tengen.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'suggestion'"):
        tengen.suggestion  # noqa: B018


@pytest.mark.parametrize(
    "array",
    [
        lambda board: board.stones,
        lambda board: tengen.score(board).owner,
        lambda board: tengen.estimate(board).ownership,
        lambda board: board.safe_area().alive,
        lambda board: board.safe_area().territory,
        lambda board: board.playouts(3).black,
        lambda board: board.playouts(3).white,
        lambda board: board.playouts(3).leads,
    ],
)
def test_answers_cannot_be_changed_by_accident(array):
    with pytest.raises(ValueError, match="read-only"):
        array(finished())[0] = 1


def test_equal_scores_are_equal_and_can_be_keys():
    one, other = tengen.score(finished()), tengen.score(finished())
    assert one == other
    assert len({one, other, tengen.score(finished(komi=0.5))}) == 2
    assert all(again == one for again in copies(one))
    assert finished().playouts(3) != finished().playouts(3)  # arrays: no single truth, but no error either


def test_copies_of_a_game_are_independent_and_say_the_same():
    game = tengen.Game.from_sgf(RECORD.encode("gbk"))
    for other in copies(game):
        assert (other.sgf(), other.warnings, other.moves) == (game.sgf(), game.warnings, game.moves)
        other.play("black", "C3")
        assert len(other) == len(game) + 1


def test_copies_of_the_games_of_a_collection_keep_their_place(tmp_path):
    path = tmp_path / "two.sgf"
    path.write_text("(;SZ[9]KM[0];B[ee])(;SZ[99]KM[0];B[ee];W[cc])")
    for games in copies(tengen.read_all(path)):
        assert [(game.file, game.index, len(game)) for game in games] == [(str(path), 1, 1), (str(path), 2, 2)]
        assert sum("SZ is no board size" in warning for warning in games[1].warnings) == 1


def test_moves_of_boards_and_games_are_the_same_thing():
    game = tengen.Game.from_sgf("(;SZ[9]KM[0];B[ee])")
    assert isinstance(game.moves[0], tengen.Move)
    assert game.moves == game.board().moves


def test_threads_share_the_machine_and_not_their_answers():
    boards = [finished() for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        owners = list(pool.map(lambda board: board.playouts(200, seed=7).black, boards))
    assert all((owner == owners[0]).all() for owner in owners)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: tengen.score("game.sgf"),
        lambda: tengen.score(None),
        lambda: tengen.estimate(np.zeros((9, 9))),
        lambda: tengen.estimate(finished(), model=3),
        lambda: tengen.load(3),
        lambda: tengen.score(finished(), dead=5),
        lambda: tengen.score(finished(), captures=(1.5, 2)),
        lambda: tengen.point(5, 19),
        lambda: tengen.point("D4", "nine"),
        lambda: tengen.point("D4", (9,)),
        lambda: tengen.read(None),
        lambda: tengen.read_all(["a.sgf"]),
        lambda: tengen.Game.from_sgf(5),
        lambda: tengen.Game.new("9"),
        lambda: tengen.Game.new(9.5),
        lambda: tengen.Game.new(9, komi=float("nan")),
        lambda: tengen.Game.new(9, handicap="two"),
        lambda: tengen.Game.new(9).board("last"),
        lambda: tengen.Game.new(9).play("black", 5),
        lambda: tengen.Game.new(9).play("black", (9, 0)),
        lambda: tengen.Game.new(9).root.set_points("TB", [5]),
        lambda: tengen.Board.from_text(5),
        lambda: tengen.Board(9).place_handicap("two"),
        lambda: tengen.Board(9).place_handicap(2.5),
        lambda: tengen.Board(9).setup(black=5),
        lambda: tengen.Rules.parse(None),
    ],
)
def test_every_wrong_argument_is_refused_in_one_sentence(mistake):
    with pytest.raises(tengen.TengenError) as refused:
        mistake()
    assert "\n" not in str(refused.value)


def test_several_points_may_be_named_in_one_string():
    board = tengen.Board(9)
    board.setup(black="D4, E5", white="G7")
    assert (board.stones != 0).sum() == 3
    assert tengen.score(finished(), dead="B5 F6").dead == tengen.score(finished(), dead=["B5", (1, 5)]).dead
