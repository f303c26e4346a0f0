"""Scoring finished games."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.judge.verdicts import UNCLEAR_BELOW
from tengen.models.evaluator import Evaluations
from tengen.views.tactics import read_ladders

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


@pytest.mark.parametrize("size", [2, 9])
def test_an_empty_board_is_no_finished_game(size):
    score = tengen.score(tengen.Board(size))
    assert not score.safe
    assert score.warnings == ("there is no stone on the board: the game has not begun",)


def test_one_colour_owns_everything_and_a_tiny_board_is_counted():
    assert tengen.score(tengen.Board.from_text(["XX", "X."], komi=0)).result == "B+4"
    assert tengen.score(tengen.Board.from_text([".O.", "OOO", ".O."], komi=0)).result == "W+9"


def test_stones_of_one_colour_alone_are_no_finished_game_even_if_both_have_passed():
    board = tengen.Board.from_text(["." * 19, *["...X" + "." * 15] * 2, *["." * 19] * 16])
    assert not tengen.score(board).safe
    assert "hardly begun" in tengen.score(board).warnings[0]
    board.play("pass")
    board.play("pass")
    assert not tengen.score(board).safe
    assert tengen.score(board).lead > 300


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


def test_verdicts_say_how_sure_they_are_and_why():
    board = tengen.Board.from_text([".XXOO", "XX.OO", "OOX.O", "O.OXX", "OO.X."])
    for verdict in tengen.score(board).verdicts:
        assert 0 <= verdict.alive <= 1
        assert (verdict.status == "unclear") == (verdict.p < UNCLEAR_BELOW)
        assert verdict.reasons[-1].kind in ("judged", "two eyes", "enclosed", "seki")


class Owners:
    """An evaluator that gives the ownership it is made with."""

    name = "toy/owners"
    gives = frozenset({"ownership"})

    def __init__(self, ownership):
        self.ownership = np.asarray(ownership, float)

    def evaluate(self, positions):
        return Evaluations(ownership=np.broadcast_to(self.ownership, positions.stones.shape))


class Winners(Owners):
    name = "toy/winners"
    gives = frozenset({"winrate"})

    def evaluate(self, positions):
        return Evaluations(winrate=np.ones(len(positions)))


# Each side has one large eye; C4 and E4 may be dead or alive, which only a model can tell.
OPEN = """
    . . . X O . .
    . . . X O . .
    . . . X O . .
    . O . X O . X
    . . . X O . .
    . . . X O . .
    . . . X O . .
"""


def test_a_chains_mean_ownership_is_its_odds_of_living():
    board = tengen.Board.from_text(OPEN)
    owners = np.where(np.arange(7) < 4, 0.84, -0.84) * np.ones((7, 1))
    owners[3, 1], owners[0, 3] = -0.5, 1.0
    score = tengen.score(board, model=Owners(owners))
    black, white, left, right = (
        next(v for v in score.verdicts if name in v.points) for name in ("D7", "E7", "B4", "G4")
    )
    assert black.alive == pytest.approx((1 + (6 * 0.84 + 1) / 7) / 2)
    assert (white.alive, right.alive) == (pytest.approx(0.92), pytest.approx(0.08))
    assert (left.alive, left.status) == (0.75, "unclear")
    assert score.dead == ("G4",)
    assert right.reasons[-1].sentence == "toy/owners expects its points to be White's in the end: it is dead (92%)."
    assert score.unclear == ("B4",)
    assert not score.safe


def test_unconditional_life_comes_before_any_model():
    board = tengen.Board.from_text(FINISHED)
    settled = [v for v in tengen.score(board).verdicts if v.reasons[0].kind in ("two eyes", "enclosed")]
    wrong = tengen.score(board, model=Owners(-board.stones)).verdicts
    assert len(settled) == 3
    assert all(verdict in wrong for verdict in settled)


@pytest.mark.parametrize("model", ["territory/playouts", "territory/influence", "territory/pattern-crf"])
def test_models_of_ownership_judge_by_name(model):
    game = tengen.read("examples/finished-9x9.sgf")
    score, ours = tengen.score(game, model=model), tengen.score(game)
    assert score.model.startswith(f"{model}@")
    assert sum(line.black - line.white for line in score.lines) == score.lead
    assert len(score.verdicts) == len(ours.verdicts)
    assert any(reason.sentence.startswith(model) for verdict in score.verdicts for reason in verdict.reasons)


def test_a_score_names_its_judge():
    game = tengen.read("examples/finished-9x9.sgf")
    ours = tengen.score(game)
    assert ours.model.startswith("judge/net@")
    assert ours.toggle("H6").model == ours.model
    assert tengen.score(game, model="judge/chains").model.startswith("judge/chains@")
    assert tengen.score(game, dead=[]).model == ""


def test_a_model_that_gives_no_ownership_is_refused():
    with pytest.raises(tengen.ModelError, match="toy/winners does not give ownership: it gives winrate"):
        tengen.score(tengen.Board.from_text(FINISHED), model=Winners([]))
    with pytest.raises(tengen.ModelError, match="there is no model 'toy/none'"):
        tengen.score(tengen.Board.from_text(FINISHED), model="toy/none")


def test_ladders_are_read_once_on_each_board(monkeypatch):
    board, ladders, read = tengen.Board.from_text(FINISHED), _core.ladders, []
    monkeypatch.setattr(_core, "ladders", lambda position: read.append(position.stones()) or ladders(position))
    score = tengen.score(board)
    assert [stones.tolist() for stones in read] == [board.stones.tolist(), score.settlement.living.tolist()]


def test_a_dead_chain_says_that_it_can_be_caught():
    board = tengen.read("examples/finished-19x19.sgf").board()
    caught = {ladder.chain.points: ladder for ladder in read_ladders(board) if ladder.attack == "captured"}
    said = {
        verdict.points: reason.sentence
        for verdict in tengen.score(board).verdicts
        for reason in verdict.reasons
        if reason.kind == "ladder"
    }
    assert said
    for points, sentence in said.items():
        assert ("even if it moves first" in sentence) == (caught[points].defence == "captured")


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


def test_a_seki_is_seen_and_its_dame_are_nobodys():
    board = tengen.Board.from_text(SEKI, komi=0)
    score = tengen.score(board)
    assert score.safe
    assert {"C6", "F6", "B7"} <= set(score.seki)
    alive = tengen.score(board, dead=[], rules="japanese", captures=(0, 0))
    assert alive.safe
    assert alive.dame == ("E6", "E5")
    assert alive.result == "B+23"
    assert set(alive.seki) == {
        name for verdict in alive.verdicts if verdict.status == "seki" for name in verdict.points
    }
    assert "C6" in alive.seki
    assert "B7" in alive.seki
    assert "A8" not in alive.seki
    verdict = next(verdict for verdict in alive.verdicts if "C6" in verdict.points)
    assert verdict.reasons[-1].kind == "seki"


# Both sides have one eye in the upper left, and share C8 and C9; the rest is alive.
EYES_IN_SEKI = """
    . X . O . O X . .
    X X . O O O X X .
    O O O X X X X . X
    . O . O O O O X X
    O O O O . . O X .
    . . . . . . O X X
"""


def test_eyes_in_seki_count_by_area_and_not_by_territory():
    board = tengen.Board.from_text(EYES_IN_SEKI, komi=0)
    japanese = tengen.score(board, dead=[], rules="japanese", captures=(0, 0))
    assert {"A6", "B6", "A5", "B5"} & set(japanese.seki) == {"B6", "A5", "B5"}
    assert japanese.owner[0, 0] == 0
    assert any("eyes in seki do not count: A6" in warning for warning in japanese.warnings)
    chinese = tengen.score(board, dead=[], rules="chinese")
    assert chinese.owner[0, 0] == 1
    assert chinese.seki == japanese.seki
    assert not chinese.warnings


# D5 is a false eye: the three black stones round it have no other liberty.
FALSE_EYE = """
    . . . X O . .
    X X X X O . O
    O O X . X O .
    . O O X X O .
    O . O X O O O
    . O O O O . O
"""


def test_false_eyes_count_by_area_and_not_by_territory():
    board = tengen.Board.from_text(FALSE_EYE, komi=0)
    japanese = tengen.score(board, dead=[], rules="japanese", captures=(0, 0))
    assert japanese.false_eyes == ("D4",)
    assert japanese.lines[0] == tengen.go.counting.CountLine("territory", 3, 9)
    assert any("false eyes do not count" in warning and "D4" in warning for warning in japanese.warnings)
    chinese = tengen.score(board, dead=[], rules="chinese")
    assert chinese.lines[1] == tengen.go.counting.CountLine("territory", 4, 9)


# The board above as a record, with the property that names where it was played.
FALSE_EYE_RECORD = """(;SZ[7:6]KM[0]RU[{rules}]{server}
    AB[da][ab][bb][cb][db][cc][ec][dd][ed][de]AW[ea][eb][gb][ac][bc][fc][bd][cd][fd][ae][ce][ee][fe][ge][bf][cf][df][ef][gf]
    ;B[];W[])"""


@pytest.mark.parametrize(
    ("server", "counted"),
    [
        ("", False),
        ("PC[OGS: https://online-go.com/game/1]", True),
        ("SO[https://online-go.com]", True),
        ("US[OGS]", True),
        ("PC[The KGS Go Server at http://www.gokgs.com/]", False),
    ],
)
def test_false_eyes_count_as_the_records_server_counts_them(server, counted):
    game = tengen.Game.from_sgf(FALSE_EYE_RECORD.format(rules="Japanese", server=server))
    for source in (game, game.board()):
        scored = tengen.score(source, dead=[])
        assert scored.false_eyes == ("D4",)
        assert scored.lines[0].black == 3 + counted
        assert (scored.rules.name == "japanese-ogs") == counted
        assert any("false eyes do not count" in warning for warning in scored.warnings) != counted
        assert tengen.score(source, dead=[], rules="korean").lines[0].black == 3 + counted
        assert tengen.score(source, dead=[], false_eyes="counted").lines[0].black == 4
        assert tengen.score(source, dead=[], false_eyes="uncounted").lines[0].black == 3
        assert tengen.score(source, dead=[], rules="japanese-ogs").lines[0].black == 4
        assert tengen.score(source, dead=[], rules="chinese", false_eyes="counted").rules.name == "chinese"


def test_area_rules_of_a_server_keep_their_name():
    game = tengen.Game.from_sgf(FALSE_EYE_RECORD.format(rules="Chinese", server="PC[OGS]"))
    assert (game.server, game.rules.name) == ("OGS", "chinese")


def test_toggling_a_chain_counts_again_without_judging():
    board = tengen.Board.from_text(FINISHED, rules="japanese")
    score = tengen.score(board, captures=(1, 2))
    other = score.toggle("B5")
    assert other.dead == ("F6",)
    assert other.lead < score.lead
    assert [verdict.reasons for verdict in other.verdicts if "B5" not in verdict.points] == [
        verdict.reasons for verdict in score.verdicts if "B5" not in verdict.points
    ]
    assert other.toggle("B5").lead == score.lead
    assert other == score.toggle((2, 1))
    assert sum(line.black - line.white for line in other.lines) == other.lead
    with pytest.raises(tengen.TengenError, match="no stone at A5"):
        score.toggle("A5")


def test_an_open_border_is_named():
    score = tengen.score(
        tengen.Board.from_text([". . . X O .", ". . . . O O", "X X X X O .", "O O O O O O", ". O . O . O"]), dead=[]
    )
    assert score.unsealed == ("D4",)
    assert not score.safe
    assert any("the border is open at D4" in warning for warning in score.warnings)


@pytest.mark.parametrize("rows", [["..", ".."], ["X.", ".."], ["XO", "X."], ["X.", ".O"], ["XX", "X."]])
def test_the_smallest_boards_are_answered(rows):
    for rules in ("japanese", "chinese", "stone"):
        score = tengen.score(tengen.Board.from_text(rows, komi=0.5), rules=rules, captures=(0, 0))
        assert sum(line.black - line.white for line in score.lines) == score.lead
        assert score.owner.shape == (2, 2)


def test_an_empty_board_is_not_finished():
    score = tengen.score(tengen.Board(9, komi=6.5))
    assert score.result == "W+6.5"
    assert not score.safe
    assert len(score.dame) == 81


def test_a_full_board_has_no_territory():
    score = tengen.score(tengen.Board.from_text([".XOOO", "XXO.O", "XXOOO"], komi=0), dead=[], rules="chinese")
    assert (score.lines[0].black, score.lines[0].white) == (5, 8)


MIDDLE_GAME = "(;SZ[9]KM[6.5]RU[Japanese]RE[{}];B[ee];W[cc];B[gc])"


@pytest.mark.parametrize(
    ("recorded", "reason"), [("W+R", "resigned"), ("B+T", "lost on time"), ("B+Forfeit", "forfeited")]
)
def test_a_result_that_is_no_count_leads_the_headline(recorded, reason):
    score = tengen.score(tengen.Game.from_sgf(MIDDLE_GAME.format(recorded)))
    assert (score.state, score.agrees) == (reason, None)
    assert score.headline.startswith(f"{reason} (the record says {recorded[:3]}): the board as it stands would count ")
    assert score.headline.endswith("tengen estimate tells who is ahead")
    assert score.toggle("E5").state == reason


def test_an_open_board_leads_with_not_finished():
    score = tengen.score(tengen.Game.from_sgf(MIDDLE_GAME.format("W+2.5")))
    assert (score.state, score.agrees) == ("not finished", None)
    assert score.headline.startswith("not finished: the board as it stands would count ")
    assert "the record says W+2.5" in score.headline
    assert "tengen estimate" in score.headline


def test_a_recorded_result_without_a_margin_is_shown_beside_the_count():
    for recorded in ("Void", "B+"):
        text = Path("examples/finished-9x9.sgf").read_text().replace("RE[W+8.0]", f"RE[{recorded}]")
        score = tengen.score(tengen.Game.from_sgf(text))
        assert (score.state, score.agrees) == ("safe", None)
        assert score.headline == f"W+8 (chinese, komi 7); the record says {recorded}"


def test_unclear_chains_lead_with_not_safe():
    board = tengen.Board.from_text(FINISHED, komi=0)
    score = tengen.score(board)
    unsure = replace(score.verdicts[0], status="unclear")
    score = replace(score, verdicts=(unsure, *score.verdicts[1:]), unclear=unsure.points, safe=False)
    assert score.state == "not safe"
    assert score.headline == f"not safe: the likeliest count is {score.result} (chinese, komi 0); unclear: B7"


def test_a_safe_score_is_its_result_compared_with_the_record():
    game = tengen.read("examples/finished-9x9.sgf")
    score = tengen.score(game)
    assert (score.state, score.agrees, score.recorded) == ("safe", True, "W+8")
    assert score.headline == str(score) == "W+8 (chinese, komi 7), as recorded"
    assert tengen.score(game.board()).headline == "W+8 (chinese, komi 7)"
    assert tengen.score(game, komi=6).headline == "W+7 (chinese, komi 6); the record says W+8"


def test_a_score_is_one_line_in_the_interpreter():
    game = tengen.read("examples/finished-9x9.sgf")
    assert repr(tengen.score(game)) == "<Score W+8, chinese, komi 7>"
    assert repr(tengen.score(game.board(20))).startswith("<Score not finished: ")


def test_marks_cycle_a_chain_through_alive_dead_and_seki():
    score = tengen.score(tengen.Board.from_text(FINISHED), rules="japanese", captures=(0, 0))
    dead, alive = score.marked({"B5": "dead"}), score.marked({"B5": "alive"})
    assert dead.lead == score.lead
    assert alive.lead == score.toggle("B5").lead < score.lead
    seki = score.marked({"B7": "seki"})
    assert seki.seki == score.verdicts[0].points
    assert [verdict.reasons[0].sentence for verdict in seki.verdicts if verdict.status == "seki"] == [
        "It was marked as seki."
    ]
    lines = {line.label: line for line in seki.lines}
    assert lines["territory"].black == 0  # all of Black's points are next to the marked chain
    assert seki.marked({"A6": "alive"}).lead == score.lead
    assert score.lead == score.marked({"B5": "seki"}).marked({"B5": "dead"}).lead


def test_a_chain_marked_alive_leaves_the_seki_it_was_found_in():
    rows = ".XO.XO. XXOOXO. .OOXXOO OO.XOO. XXXXO.O .X.XOOO X.XXO.O".split()
    score = tengen.score(tengen.Board.from_text(rows, rules="japanese"), dead=[], captures=(0, 0))
    assert "B7" in score.seki
    alive = score.marked({"B7": "alive"})
    assert "B7" not in alive.seki
    assert alive.lead == score.lead + 1  # its eye at A7 counts
    with pytest.raises(tengen.TengenError, match="marked alive, dead, seki, not 'gone'"):
        score.marked({"B7": "gone"})
    with pytest.raises(tengen.TengenError, match="no stone at A7"):
        score.marked({"A7": "dead"})
