"""Estimates: the lead agrees with the count on settled boards, the spread is a spread, reasons are given."""

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError
from tengen.go.counting import count
from tengen.go.positions import Positions
from tengen.go.rules import PRESETS
from tengen.models.base import OwnershipModel
from tengen.models.evaluator import Evaluations
from tengen.models.leads import CORRELATION, expected_lead, winrates_of

# Black owns the left with two eyes, White the right; B5 and F6 are dead, D2 is dame.
FINISHED = """
    . X . X O . O
    X X X X O X .
    . O . X O O O
    . . . X O . O
    X X X X O O O
    . X X . O . .
    X X X X O O .
"""


class Said(OwnershipModel):
    """Says what it is told."""

    name = "territory/said"

    shares: list

    def ownership(self, board):
        return np.array(self.shares)


def played_out(rules, handicap):
    """A game with captures and passes: White loses a stone at B4."""
    board = tengen.Board(7, rules=rules, komi=0.5, handicap=handicap)
    for number in range(2, 8):
        board.play(f"C{number}", "black")
        board.play(f"E{number}", "white")
    for colour, name in [
        ("white", "B4"),
        ("black", "A4"),
        ("black", "B5"),
        ("black", "B3"),
        ("black", "C1"),
        ("white", "E1"),
    ]:
        board.play(name, colour)
    board.play("pass", "black")
    board.play("pass", "white")
    return board


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("handicap", [0, 2, 5])
@pytest.mark.parametrize("dead", [(), ("B5",), ("B5", "F6")])
def test_the_lead_of_a_settled_board_is_the_count(rules, handicap, dead):
    board = tengen.Board.from_text(FINISHED, rules=rules, komi=6.5, handicap=handicap)
    counted = count(board, dead)
    assert expected_lead(board, counted.owner.astype(float)) == counted.lead


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("handicap", [0, 3])
def test_captures_and_the_button_are_counted(rules, handicap):
    board = played_out(rules, handicap)
    assert board.captures == (1, 0)
    counted = count(board)
    assert expected_lead(board, counted.owner.astype(float)) == counted.lead
    found = tengen.estimate(board, model="territory/naive")
    assert found.lead == counted.lead
    assert found.rules == board.rules


def test_a_game_that_ships_is_estimated_as_it_is_counted():
    game = tengen.read("examples/finished-9x9.sgf")
    score = tengen.score(game)
    shares = score.owner.astype(float).tolist()
    assert tengen.estimate(game, model=Said(shares=shares)).lead == score.lead == -8


def test_half_sure_points_count_half():
    board = tengen.Board.from_text(["X.O", "X.O", "X.O"], komi=0.5, rules="chinese")
    shares = [[1, 0.5, -1], [1, 0.5, -1], [1, 0.5, -1]]
    found = tengen.estimate(board, model=Said(shares=shares))
    assert found.lead == 1.0
    assert found.lead_sd == pytest.approx((CORRELATION * 3 * 0.75) ** 0.5)
    assert 0.5 < found.winrate < 1
    assert tengen.estimate(board, model=Said(shares=shares), rules="japanese").lead == 1.0


def test_a_settled_board_has_no_spread():
    board = tengen.Board.from_text(["X.X", "XXX", ".XX"], komi=3.5)
    found = tengen.estimate(board, model="territory/naive")
    assert (found.lead, found.lead_sd, found.winrate) == (5.5, 0.0, 1.0)
    assert tengen.estimate(board, model="territory/naive", komi=9).winrate == 0.5
    assert tengen.estimate(board, model="territory/naive", komi=20).winrate == 0.0


def test_playouts_have_the_spread_of_their_games():
    board = tengen.Board(9, komi=7)
    board.play("E5")
    games = board.playouts(500)
    found = tengen.estimate(board, model="territory/playouts")
    assert found.lead == pytest.approx(games.leads.mean() - 7)
    assert found.lead_sd == pytest.approx(games.leads.std())
    assert found.winrate == ((games.leads > 7).mean() + (games.leads == 7).mean() / 2)


def test_reversing_the_colours_reverses_the_estimate():
    board = tengen.Board.from_text(FINISHED, komi=0)
    other = tengen.Board.from_stones(-board.stones, komi=0)
    for name in ("territory/naive", "territory/influence"):
        one, two = tengen.estimate(board, model=name), tengen.estimate(other, model=name)
        assert (one.lead, one.lead_sd) == (-two.lead, two.lead_sd)
        assert one.winrate == pytest.approx(1 - two.winrate)


def test_rules_and_komi_may_be_replaced_and_the_board_stays():
    board = tengen.Board.from_text(FINISHED, komi=7, rules="chinese")
    found = tengen.estimate(board, model="territory/naive", rules="aga", komi=0.5)
    assert (str(found.rules), found.komi) == ("aga", 0.5)
    assert found.lead == tengen.estimate(board, model="territory/naive").lead + 6.5
    assert (str(board.rules), board.komi) == ("chinese", 7)


def test_an_estimate_explains_itself_even_after_the_board_moved_on():
    board = tengen.Board.from_text(FINISHED)
    found = tengen.estimate(board, model="territory/naive")
    before = found.explain("D2")
    assert [str(reason) for reason in before] == ["Stones of both colours touch the empty point D2."]
    board.play("D2")
    assert found.explain("D2") == before


def test_neutral_points_are_named():
    found = tengen.estimate(tengen.Board.from_text(FINISHED), model="territory/naive")
    assert found.neutral == ("F7", "G6", "A5", "C5", "A4", "B4", "C4", "D2")


def test_an_estimate_is_frozen_and_names_its_model():
    found = tengen.estimate(tengen.Board(5), model="territory/naive")
    assert found.model == tengen.load("territory/naive").identity
    assert len(found.model.partition("@")[2]) == 12
    with pytest.raises(AttributeError):
        found.lead = 3
    with pytest.raises(ValueError, match="read-only"):
        found.ownership[0, 0] = 1
    assert str(found) == "White leads by 7.5 ± 7.1, Black wins 14%"


@pytest.mark.parametrize("shares", [[[0.0]], [[2.0] * 3] * 3, [[float("nan")] * 3] * 3])
def test_what_is_no_ownership_is_refused(shares):
    class Wrong(OwnershipModel):
        name = "territory/wrong"

        def ownership(self, board):
            return np.array(shares)

    with pytest.raises(ModelError, match="territory/wrong: ownership has"):
        tengen.estimate(tengen.Board(3), model=Wrong())


def test_any_object_with_the_right_names_will_do():
    class Plain:
        name = "mine"
        gives = frozenset({"ownership"})

        def evaluate(self, positions):
            return Evaluations(ownership=np.zeros(positions.stones.shape))

    assert tengen.estimate(tengen.Board(5, komi=0.5), model=Plain()).lead == -0.5


OPEN_BOARD = """
    . . . . . . . . .
    . . . . . . . . .
    . . X . . . O . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . X . . . O . .
    . . . . . . . . .
    . . . . . . . . .
"""


@pytest.mark.parametrize("model", ["territory/block", "territory/naive"])
def test_a_model_of_finished_boards_warns_on_an_open_one(model):
    (warning,) = tengen.estimate(tengen.Board.from_text(OPEN_BOARD), model=model).warnings
    assert warning.startswith(f"{model} was made for finished boards and 95% of this one is open")
    assert tengen.estimate(tengen.Board.from_text(FINISHED), model=model).warnings == ()
    assert tengen.estimate(tengen.Board.from_text(OPEN_BOARD)).warnings == ()


def test_two_passes_finish_a_board():
    board = tengen.Board.from_text(OPEN_BOARD)
    board.play("pass")
    board.play("pass")
    assert tengen.estimate(board, model="territory/naive").warnings == ()


@pytest.mark.parametrize("rules", [*PRESETS])
def test_winrates_of_many_positions_are_those_of_the_estimates(rules):
    """From rows without a past as well, as a search asks about them."""
    game = tengen.read("examples/finished-9x9.sgf")
    boards = [game.board(moves).with_rules(rules, 3.5) for moves in (10, 30, len(game.moves) - 2)]
    model = tengen.load("territory/bma")
    positions = Positions.of(boards)
    for asked in (positions, positions.take(slice(None)), Positions.join([positions])):
        found = winrates_of(model.evaluate(asked), asked)
        expected = [tengen.estimate(board, model=model).winrate for board in boards]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_winrate_follows_from_a_lead_alone():
    positions = Positions.of([tengen.Board(9)] * 3)
    winrates = winrates_of(Evaluations(lead=np.array([-200.0, 0.0, 200.0])), positions)
    np.testing.assert_allclose(winrates, [0, 0.5, 1], atol=1e-12)
    certain = winrates_of(Evaluations(lead=np.array([-1.0, 0.0, 1.0]), lead_sd=np.zeros(3)), positions)
    assert certain.tolist() == [0, 0.5, 1]
