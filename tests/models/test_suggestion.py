"""Suggestions of moves: order, top, reasons, and what is refused."""

import json

import numpy as np
import pytest

import tengen
from tengen.models.base import MoveModel
from tengen.models.registry import register, unregister
from tengen.models.suggestion import suggest
from tengen.models.verdict import percent
from tests.cli.program import call


class Central(MoveModel):
    """Prefers the middle of the board, says so, and never passes if it can move."""

    name = "test/central"

    def probabilities(self, board):
        row, column = np.indices((board.height, board.width))
        far = np.hypot(row - (board.height - 1) / 2, column - (board.width - 1) / 2)
        weights = np.append(np.where(board.legal_mask(), np.exp(-far), 0).ravel(), 1e-9)
        return weights / weights.sum()

    def explain_move(self, board, move):
        return [tengen.Reason("centre", (move,), f"{move} is near the middle.")]


@pytest.fixture
def central():
    yield register(Central)()
    unregister(Central.name)


def test_moves_come_likeliest_first_with_reasons(central):
    board = tengen.Board(5)
    found = suggest(board, model=central, top=3)
    assert [each.move for each in found] == ["C3", "C4", "B3"]
    assert len(found) == 3
    assert found[0].probability == pytest.approx(central.probabilities(board).max())
    assert str(found[0]).startswith("C3 ")
    assert str(found[0]).endswith("C3 is near the middle.")
    assert found[0].model.startswith("test/central@")
    assert suggest(board, model="test/central", top=1, explain=False)[0].reasons == ()


@pytest.mark.parametrize(
    ("p", "text"),
    [(0, "0%"), (1e-9, "<1%"), (0.005, "<1%"), (0.0051, "1%"), (0.62, "62%"), (0.9999, "99.9%"), (1, "100%")],
)
def test_only_what_is_impossible_has_0_percent_and_only_what_is_certain_100(p, text):
    assert percent(p) == text


def test_an_evaluator_may_explain_one_move_or_none():
    class Bare:
        """An evaluator that is no `MoveModel`."""

        name, gives, evaluate = "test/bare", Central.gives, Central().evaluate

    class Speaking(Bare):
        """The same with reasons for one move at a time."""

        explain_move = Central.explain_move

    assert [each.reasons for each in suggest(tengen.Board(5), model=Bare(), top=2)] == [(), ()]
    assert str(suggest(tengen.Board(5), model=Speaking(), top=1)[0]).endswith("C3 is near the middle.")


def test_only_legal_moves_are_suggested_and_the_pass_counts(central):
    board = tengen.Board.from_text(["X .", ". X"], to_play="white")
    assert [each.move for each in suggest(board, model=central)] == ["pass"]
    assert len(suggest(tengen.Board(9), model=central, top=100)) == 82


@pytest.mark.parametrize("wrong", [{"top": 0}, {"top": 2.5}, {"model": "territory/naive"}, {"model": "moves/wizard"}])
def test_what_cannot_be_suggested_is_refused(central, wrong):
    with pytest.raises(tengen.TengenError):
        suggest(tengen.Board(9), **{"model": central} | wrong)


def test_the_command_line_lists_moves(central, tmp_path):
    record = tmp_path / "game.sgf"
    record.write_text("(;SZ[5]KM[0];B[cc];W[bb])")
    asked = ("moves", record, "--model", "test/central", "--top", 2, "--workers", 1)
    row = json.loads(call(*asked, "--move", 1, "-f", "json").stdout)
    assert (row["schema"], row["move"], row["to_play"]) == (1, 1, "white")
    assert [each["move"] for each in row["moves"]] == ["C4", "B3"]
    assert row["moves"][0]["reasons"][0]["kind"] == "centre"
    text = call(*asked).stdout
    assert "  1  " in text
    assert "is near the middle." in text
    drawing = call(*asked, "-f", "svg").stdout
    assert drawing.count(">A<") == 3  # two coordinates and the mark
    assert "is near the middle." in drawing
    assert "does not give policy" in call("moves", record, "--model", "territory/naive", code=2).stderr
    assert "komi" in call(*asked, "--komi", "nan", code=2).stderr


def test_the_command_line_takes_rules_and_komi(tmp_path):
    record = tmp_path / "game.sgf"
    record.write_text("(;SZ[9]KM[0];B[ee];W[cc])")
    leads = [call("moves", record, "--top", 1, *more).stdout for more in ((), ("--komi", 40), ("--rules", "chinese"))]
    assert "Black leads by" in leads[0]
    assert "White leads by" in leads[1]
    assert leads[2] != leads[0]
