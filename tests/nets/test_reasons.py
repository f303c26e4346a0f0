"""Reasons for what a network says, with an evaluator whose knowledge is one sentence."""

import numpy as np
import pytest

import tengen
from tengen.go.points import as_point
from tengen.models.evaluator import Evaluations
from tengen.nets.reasons import NEAR, move_reasons, owner_reasons

CORNER = """
. . . . . . .
. O O O . . .
. O X X O . .
. O O . . . .
. . . X . . .
. . . . X . .
. . . . . . .
"""


class Told:
    """All points are Black's if Black has a stone at a point, and White's otherwise."""

    name = "test/told"
    gives = frozenset({"ownership", "lead"})

    def __init__(self, point):
        self.point, self.asked = point, []

    def evaluate(self, positions):
        self.asked.append(len(positions))
        row, column = as_point(self.point, 7, 7)
        share = np.where(positions.stones[:, row, column] > 0, 0.9, -0.9)
        return Evaluations(np.tile(share[:, None, None], (1, 7, 7)), lead=10 * share)


def sentences(reasons):
    return [reason.sentence for reason in reasons]


def test_a_chain_matters_if_the_point_changes_its_owner_without_it():
    told = Told("D3")
    found = owner_reasons(told, tengen.Board.from_text(CORNER), "G1")
    assert sentences(found) == [
        "G1 is Black's with an ownership of 0.90 out of 1.",
        "Without the black stone at D3, G1 would be White's (0.90).",
    ]
    assert [reason.kind for reason in found] == ["ownership", "without"]
    assert found[1].points == ("D3",)


def test_the_chain_at_a_point_is_described():
    found = sentences(owner_reasons(Told("D3"), tengen.Board.from_text(CORNER), "C5"))
    assert found[1:3] == [
        "It is in a black chain of 2 stones with 1 liberty; its group has no small eyes.",
        "It is in atari, and can escape by D4.",
    ]
    found = sentences(owner_reasons(Told("D3"), tengen.Board.from_text(CORNER), "E5"))
    assert found[1] == "It is a single white stone with 3 liberties; its group has no small eyes."


def test_unconditional_life_is_named():
    board = tengen.Board.from_text("\n".join([". O . O . . .", "O O O O . . .", *[". . . . . . ."] * 5]))
    for point in ("A7", "B6"):
        assert "It is certainly White's" in " ".join(sentences(owner_reasons(Told("G1"), board, point)))


def test_a_move_is_its_shape_what_it_does_and_whom_it_saves():
    told, board = Told("D4"), tengen.Board.from_text(CORNER)
    saving, passing = move_reasons(told, board, ["D4", "pass"])
    assert sentences(saving)[-5:] == [
        "extends a chain in atari",
        "kills 6 stones at B6",
        "saves 2 stones at C5",
        "kills 1 stone at E5",
        "Black leads by 9.0 after it",
    ]
    assert sentences(passing) == ["passes", "White leads by 9.0 after it"]
    assert passing[0].points == ()


class Shares(Told):
    """An evaluator that gives all points a share after a stone of Black at a point, and another otherwise."""

    def __init__(self, point, after, before):
        super().__init__(point)
        self.after, self.before = after, before

    def evaluate(self, positions):
        row, column = as_point(self.point, 7, 7)
        share = np.where(positions.stones[:, row, column] > 0, self.after, self.before)
        return Evaluations(np.tile(share[:, None, None], (1, 7, 7)), lead=0 * share)


@pytest.mark.parametrize(("after", "before"), [(-0.2, -0.9), (0.9, 0.2), (0.2, -0.3)])
def test_stones_that_keep_their_owner_are_neither_saved_nor_killed(after, before):
    [found] = move_reasons(Shares("D4", after, before), tengen.Board.from_text(CORNER), ["D4"])
    assert not {"saves", "kills"} & {reason.kind for reason in found}
    assert sentences(found)[-1] == "the game is even after it"


def test_moves_may_be_named_in_any_way():
    told, board = Told("D4"), tengen.Board.from_text(CORNER)
    named = move_reasons(told, board, ["D4", "pass"])
    assert move_reasons(told, board, ["d4", "PASS"]) == named


def test_a_suicide_is_called_one():
    board = tengen.Board(7, rules="tromp-taylor")
    board.setup(white=["A7"], black=["A6", "B6", "C7"])
    board.to_play = "white"
    [found] = move_reasons(Told("D4"), board, ["B7"])
    assert sentences(found) == ["suicide", "White leads by 9.0 after it"]


def test_everything_is_asked_at_once():
    told, board = Told("D4"), tengen.Board.from_text(CORNER)
    move_reasons(told, board, ["D4", "A1", "G7"])
    owner_reasons(told, board, "A1")
    assert told.asked == [4, 2 + len(board.chains())]
    crowd = tengen.Board(7)
    for point in ("A1", "C1", "E1", "G1", "A3", "C3", "E3", "G3", "A5", "C5"):
        crowd.play(point)
    owner_reasons(told, crowd, "A1")
    assert told.asked[-1] == 2 + NEAR
