"""Scoring finished games."""

import numpy as np
import pytest

import tengen
from tengen.judge.vote import survival, vote

# Black owns the left with two eyes, White the right; the white stone at B5 cannot live, the black one at F6 neither.
FINISHED = """
    . X . X O . O
    X X X X O X .
    . O . X O O O
    . . . X O . O
    X X X X O O O
    . X . X O . .
    X X X X O O .
"""


def test_living_and_dead_chains_are_told_apart():
    score = tengen.score(tengen.Board.from_text(FINISHED))
    assert score.dead == ("F6", "B5")
    assert score.safe
    assert {verdict.status for verdict in score.verdicts} == {"alive", "dead"}


def test_unconditional_life_is_certain_and_says_so():
    verdict = tengen.score(tengen.Board.from_text(FINISHED)).verdicts[0]
    assert (verdict.points[0], verdict.status, verdict.p) == ("B7", "alive", 1.0)
    assert verdict.reasons[0].kind == "two eyes"
    assert "two eyes" in str(verdict.reasons[0])


def test_the_lines_sum_to_the_lead_under_every_ruleset():
    board = tengen.Board.from_text(FINISHED)
    for rules in "japanese korean chinese aga new-zealand tromp-taylor ing stone aga-button".split():
        score = tengen.score(board, rules=rules, captures=(3, 5))
        assert sum(line.black - line.white for line in score.lines) == score.lead
        assert score.result == tengen.go.counting.result_string(score.lead)


def test_a_persons_marks_win_over_ours():
    board = tengen.Board.from_text(FINISHED)
    score = tengen.score(board, dead=["E1"])
    assert "E7" in score.dead
    assert "B5" not in score.dead
    assert score.verdicts[0].reasons[0].kind == "marked"
    assert tengen.score(board, dead=[]).dead == ()
    with pytest.raises(tengen.TengenError, match="no stone at A5"):
        tengen.score(board, dead=["A5"])


def test_an_unfinished_game_is_not_safe_and_says_where():
    board = tengen.Board(9)
    board.play("E5")
    score = tengen.score(board)
    assert score.owner.sum() == 81  # one stone alone on the board: all of it would be Black's
    board.play("C3")
    score = tengen.score(board)
    assert not score.safe
    assert "79 points" in score.warnings[0]


def test_unknown_captures_are_mentioned_under_territory_rules():
    board = tengen.Board.from_text(FINISHED, rules="japanese")
    assert any("captures are not known" in warning for warning in tengen.score(board).warnings)
    assert not tengen.score(board, captures=(0, 0)).warnings
    assert not tengen.score(board, rules="chinese").warnings


def test_the_same_position_gives_the_same_score():
    board = tengen.Board.from_text(FINISHED)
    assert tengen.score(board).verdicts == tengen.score(board.copy()).verdicts


def test_reversing_the_colours_reverses_the_owner():
    board = tengen.Board.from_text(FINISHED, komi=0)
    other = tengen.Board.from_stones(-board.stones, komi=0)
    assert (tengen.score(board).owner == -tengen.score(other).owner).all()


def test_scores_are_frozen():
    score = tengen.score(tengen.Board.from_text(FINISHED))
    with pytest.raises(AttributeError):
        score.safe = False


def test_a_chain_that_holds_half_of_the_playouts_is_unclear():
    assert survival(0.0) < 0.05
    assert 0.4 < survival(0.48) < 0.6
    assert survival(1.0) > 0.99
    held = np.linspace(0, 1, 50)
    assert (np.diff([survival(share) for share in held]) > 0).all()


def test_a_ladder_stone_in_a_dying_group_is_not_called_safe():
    board = tengen.Board.from_text([".XXOO", "XX.OO", "OOX.O", "O.OXX", "OO.X."])
    for verdict in vote(board):
        assert 0 <= verdict.alive <= 1
        assert verdict.reasons


# Black's two chains in the middle and the white ring round them share E5 and E6: whoever plays there dies.
SEKI = """
    . . . . . . . . .
    X X X X X X X X X
    X O O O O O O O X
    X O X X . X X O X
    X O X X . X X O X
    X O O O O O O O X
    X X X X X X X X X
    . . . . . . . . .
    . X . X . X . X .
"""


def test_a_seki_is_not_called_safe_and_marking_nothing_leaves_its_dame():
    board = tengen.Board.from_text(SEKI, komi=0)
    score = tengen.score(board)
    assert not score.safe
    assert "C6" in score.unclear
    alive = tengen.score(board, dead=[], rules="japanese", captures=(0, 0))
    assert alive.safe
    assert alive.dame == ("E6", "E5")
    assert alive.result == "B+23"
