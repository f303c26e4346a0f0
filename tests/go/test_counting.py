"""Counting finished boards."""

import pytest

import tengen
from tengen.go.board import Board
from tengen.go.counting import count, lead_of, result_string

# Black lives on the left, White on the right; C1 is dame, the white stone at A1 is dead.
FINISHED = """
    . X O . .
    X X O O .
    . X O . O
    . X O O O
    O X . O .
"""


def lines(counted):
    return {line.label: (line.black, line.white) for line in counted.lines}


def test_area_counts_living_stones_and_territory():
    counted = count(Board.from_text(FINISHED, rules="chinese", komi=2.5), dead=["A1"])
    assert lines(counted) == {"stones": (6, 9), "territory": (4, 5), "komi": (0, 2.5)}
    assert counted.lead == -6.5
    assert counted.result == "W+6.5"
    assert counted.dame == ("C1",)


def test_territory_counts_prisoners_twice_where_they_died():
    board = Board.from_text(FINISHED, rules="japanese", komi=0.5)
    counted = count(board, dead=["A1"], captures=(3, 1))
    assert lines(counted) == {"territory": (4, 5), "captures": (3, 1), "dead stones": (1, 0), "komi": (0, 0.5)}
    assert counted.result == "B+1.5"


def test_a_mark_takes_the_whole_chain():
    counted = count(Board.from_text(FINISHED), dead=["C5"])
    assert "C3" in counted.dead
    assert "E2" in counted.dead
    with pytest.raises(tengen.TengenError, match="no stone at C1"):
        count(Board.from_text(FINISHED), dead=["C1"])


def test_stone_scoring_taxes_each_group_two_points():
    counted = count(Board.from_text(FINISHED, rules="stone", komi=0), dead=["A1"])
    assert lines(counted)["group tax"] == (-2, -2)


@pytest.mark.parametrize(
    ("rules", "bonus"),
    [("chinese", 3), ("aga", 2), ("japanese", 0), ("new-zealand", 0), ("tromp-taylor", 0), ("ing", 0)],
)
def test_the_handicap_bonus_is_a_line_of_its_own(rules, bonus):
    board = Board(19, rules=rules, komi=0.5)
    board.place_handicap(3)
    assert lines(count(board)).get("handicap", (0, 0)) == (0, bonus)


def test_the_button_goes_to_the_first_to_pass():
    board = Board(9, rules="aga-button")
    board.play("E5")
    board.play("pass")
    board.play("pass")
    assert lines(count(board))["button"] == (0, 0.5)


def test_an_empty_board_is_nobodys():
    counted = count(Board(9, komi=7))
    assert counted.result == "W+7"
    assert len(counted.dame) == 81


@pytest.mark.parametrize(("lead", "said"), [(3.5, "B+3.5"), (-12, "W+12"), (0, "Draw"), (0.25, "B+0.25")])
def test_results_are_written_as_in_records(lead, said):
    assert result_string(lead) == said


@pytest.mark.parametrize("captures", [(1,), (1, -2), "ab", (None, 1)])
def test_wrong_captures_are_refused(captures):
    with pytest.raises(tengen.TengenError, match="captures"):
        count(Board(9), captures=captures)


@pytest.mark.parametrize(
    ("result", "lead"), [("B+3.5", 3.5), ("W+12", -12), ("Draw", 0), ("B+R", None), ("?", None), ("", None)]
)
def test_results_are_read_back(result, lead):
    assert lead_of(result) == lead
