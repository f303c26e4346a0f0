"""Evaluators: what base classes add, and what is refused."""

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError
from tengen.go.positions import as_positions
from tengen.models.base import MoveModel, OwnershipModel, ValueModel
from tengen.models.evaluator import Evaluations, ask


class FirstPoint(MoveModel):
    """Plays the first legal point."""

    name = "moves/first"

    def probabilities(self, board):
        shares = np.zeros(board.width * board.height + 1)
        shares[np.append(np.flatnonzero(board.legal_mask()), len(shares) - 1)[0]] = 1
        return shares


class MoverWins(ValueModel):
    """Whoever is to move wins."""

    name = "values/mover"

    def winrate(self, board):
        return float(board.to_play == "black")


class Given:
    """Answers with what it was made with."""

    name = "given"

    def __init__(self, **answers):
        self.gives = frozenset(answers)
        self.answers = answers

    def evaluate(self, positions):
        return Evaluations(**self.answers)


def test_a_model_of_moves_gives_a_policy():
    said = ask(FirstPoint(), [tengen.Board(2), tengen.Board(2)], "policy")
    assert said.policy.tolist() == [[1, 0, 0, 0, 0]] * 2
    assert said.ownership is None


def test_without_a_turn_the_answer_is_the_mean_over_both():
    stones = np.zeros((1, 3, 3), np.int8)
    assert ask(MoverWins(), stones).winrate.tolist() == [0.5]
    assert ask(MoverWins(), [tengen.Board(3)]).winrate.tolist() == [1]
    one_way = np.array([[[0, 1], [1, 0]]], np.int8)  # White may play at neither point
    assert ask(FirstPoint(), one_way).policy.tolist() == [[0.5, 0, 0, 0, 0.5]]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"ownership": np.zeros((1, 2, 3))}, r"given: ownership has shape \(1, 2, 3\), not \(1, 2, 2\)"),
        ({"ownership": np.full((1, 2, 2), 1.5)}, "given: ownership has values that are not from -1 to 1"),
        ({"policy": np.full((1, 4), 0.25)}, r"given: policy has shape \(1, 4\), not \(1, 5\)"),
        ({"winrate": np.array([np.nan])}, "given: winrate has values"),
        ({"lead": np.array([np.inf])}, "given: lead has values"),
    ],
)
def test_a_wrong_answer_is_named(answers, words):
    with pytest.raises(ModelError, match=words):
        ask(Given(**answers), [tengen.Board(2)])


def test_what_is_not_given_is_refused():
    with pytest.raises(ModelError, match="moves/first does not give ownership: it gives policy"):
        tengen.estimate(tengen.Board(3), model=FirstPoint())
    with pytest.raises(ModelError, match="gave no ownership, which it lists"):
        ask(Given(ownership=None), [tengen.Board(2)], "ownership")
    with pytest.raises(ModelError, match="is not a model"):
        tengen.estimate(tengen.Board(3), model=3)


def test_an_estimate_takes_the_lead_and_the_winrate_of_an_evaluator_that_gives_them():
    answers = {"lead": np.array([3.5]), "lead_sd": np.array([2.0]), "winrate": np.array([0.75])}
    found = tengen.estimate(tengen.Board(2), model=Given(ownership=np.zeros((1, 2, 2)), **answers))
    assert (found.lead, found.lead_sd, found.winrate) == (3.5, 2.0, 0.75)
    assert str(found.explain("A1")[0]) == "A1 is as likely to be Black's as White's."


def test_constructors_are_written_as_fields():
    with pytest.raises(TypeError, match="write hyper-parameters as fields"):

        class Old(OwnershipModel):
            def __init__(self, *, n=1):
                self.n = n


def test_fields_are_inherited_and_may_have_other_defaults():
    class Parent(OwnershipModel):
        name = "parent"
        n: int = 1
        rate: float = 0.5

    class Child(Parent):
        n: int = 2

    assert repr(Child(rate=0.25)) == "Child(n=2, rate=0.25)"
    with pytest.raises(TypeError, match="speed"):
        Child(speed=1)


def test_stones_alone_are_positions_without_a_past():
    positions = as_positions(np.zeros((2, 3, 4), np.int8))
    assert (positions.ko.tolist(), positions.passes.tolist(), positions.last_moves.max()) == ([-1, -1], [0, 0], -1)


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        ([[1, 0, 0, 0, 1]], "sums to 2, not 1"),
        ([[0, 0, 0, 0, 0]], "sums to 0, not 1"),
        ([[1, 0, 0, 0, 0]], "illegal move"),
        ("text", "not an array of numbers"),
        ([[{}] * 5], "not an array of numbers"),
    ],
)
def test_policies_that_cannot_be_are_refused(policy, complaint):
    board = tengen.Board.from_text(["X .", ". X"], to_play="black")
    with pytest.raises(ModelError, match=complaint):
        ask(Given(policy=policy), [board], "policy")


def test_what_it_gives_is_a_set():
    toy = Given(winrate=[0.5])
    toy.gives = ("winrate",)
    with pytest.raises(ModelError, match="gives is a set"):
        ask(toy, [tengen.Board(3)])


def test_an_answer_that_is_listed_and_missing_ends_a_search():
    from tengen.search.player import Player, Settings

    toy = Given(ownership=None)
    with pytest.raises(ModelError, match="gave no ownership"):
        Player(tengen.Board(5), Settings(playouts=20, guide=toy)).think()


def test_any_evaluator_of_ownership_may_be_the_unary_model():
    from tengen.territory.coupling import PatternCrf

    toy = Given(ownership=np.full((1, 5, 5), 0.5))
    board = tengen.Board(5)
    assert ask(PatternCrf(unary=toy), [board]).ownership.min() > 0.5
    assert PatternCrf(unary=toy).explain(board, "C3")
