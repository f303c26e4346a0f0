"""The simple models of ownership, on boards one can read."""

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError, TengenError
from tengen.territory.influence import Influence
from tengen.territory.naive import Naive
from tengen.territory.playouts import KnowingPlayoutOwner, PlayoutOwner
from tengen.views.influence import influence

BOARD = """
    . X . O .
    X X . O O
    . X . O .
    O X . O O
    . X . O .
"""


def sentences(reasons):
    return [str(reason) for reason in reasons]


def test_naive_gives_each_region_to_the_colour_it_touches():
    shares = Naive().ownership(tengen.Board.from_text(BOARD))
    assert shares.astype(int).tolist() == [
        [1, 1, 0, -1, -1],
        [1, 1, 0, -1, -1],
        [0, 1, 0, -1, -1],
        [-1, 1, 0, -1, -1],
        [0, 1, 0, -1, -1],
    ]


def test_naive_says_which_stones_it_means():
    board, model = tengen.Board.from_text(BOARD), Naive()
    assert sentences(model.explain(board, "E1")) == ["Only White's stones touch the empty point E1."]
    assert sentences(model.explain(board, "A1")) == ["Stones of both colours touch the empty point A1."]
    assert sentences(model.explain(board, "C3")) == ["Stones of both colours touch the 5 empty points around C5."]
    assert sentences(model.explain(board, "A2")) == ["White has a stone there, and all stones count as alive."]
    assert model.explain(board, "B1")[0].points == ("B5", "A4", "B4", "B3", "B2", "B1")
    assert sentences(model.explain(tengen.Board(2), "A1")) == ["There is no stone on the board."]


def corner():
    board = tengen.Board(19)
    for name in ("D4", "F3", "C7", "D10", "K4"):
        board.play(name, "black")
    return board


def test_influence_makes_a_moyo_and_leaves_the_far_corner_empty():
    shares = Influence().ownership(corner())
    assert shares[tengen.point("E5", 19)] == 1
    assert shares[tengen.point("Q16", 19)] == 0
    assert set(np.unique(shares)) == {0, 1}


def test_a_scale_makes_influence_soft():
    board = corner()
    soft = Influence(scale=20).ownership(board)
    assert np.allclose(soft, np.tanh(influence(board.stones) / 20))
    assert 0 < soft[tengen.point("E5", 19)] < 1
    assert np.array_equal(np.sign(soft), Influence().ownership(board))


def test_influence_names_the_nearest_stones():
    board = corner()
    reason = Influence().explain(board, "H4")[0]
    assert reason.points == ("K4",)
    assert str(reason) == "Black's influence on H4 is 8 after 5 dilations and 21 erosions; the nearest stone is K4."
    far = Influence(dilations=1, erosions=0).explain(board, "Q16")
    assert sentences(far) == ["There is no influence on Q16 after 1 dilations and 0 erosions."]


def test_playouts_are_those_of_the_board():
    board = tengen.Board.from_text(BOARD)
    model = PlayoutOwner(n=40, eye="simple", seed=3)
    games = board.playouts(40, eye="simple", seed=3, first="both")
    assert np.array_equal(model.ownership(board), games.ownership)
    said = model.evaluate([board])
    assert np.array_equal(said.ownership[0], games.ownership)
    assert said.lead[0] == pytest.approx(games.leads.mean() - board.komi)
    assert said.lead_sd[0] == pytest.approx(games.leads.std())
    assert said.winrate[0] == (games.leads > board.komi).mean()


@pytest.mark.parametrize("model", [PlayoutOwner(), KnowingPlayoutOwner()])
def test_playouts_of_no_board_are_empty_arrays(model):
    found = model.evaluate(np.zeros((0, 5, 7), np.int8))
    assert found.ownership.shape == (0, 5, 7)
    assert [array.shape for array in (found.lead, found.lead_sd, found.winrate)] == [(0,)] * 3


def test_playouts_say_how_often_and_what_is_beyond_doubt():
    board = tengen.Board.from_text([".X.X", "XXXX", "....", "...."])
    settled, counted = PlayoutOwner(n=10).explain(board, "A4")
    assert str(settled) == "It is certainly Black's: unconditionally alive, or inside such stones."
    assert str(counted) == "Black owns it in 100% and White in 0% of 10 random continuations."
    assert len(PlayoutOwner(n=10).explain(board, "A1")) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: PlayoutOwner(n=0),
        lambda: Influence(scale=0),
        lambda: Influence(scale=float("nan")),
        lambda: Influence(dilations=-1),
        lambda: Influence(stone=0),
    ],
)
def test_senseless_hyper_parameters_are_refused(make):
    with pytest.raises(ModelError):
        make()


def test_a_wrong_eye_is_refused_when_it_is_used():
    with pytest.raises(TengenError, match="eye is 'simple' or 'diagonal'"):
        PlayoutOwner(eye="false").ownership(tengen.Board(5))


def test_a_batch_of_mixed_sizes_is_refused():
    for model in (Naive(), Influence(), PlayoutOwner(n=2)):
        with pytest.raises(tengen.TengenError, match="must have one size"):
            model.ownership_many([tengen.Board(5), tengen.Board(9)])
