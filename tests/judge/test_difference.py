"""Why a record gives another result than the count."""

import pytest

import tengen
from tengen.judge.difference import explain_difference, explanations

# D4 is a false eye: the three black stones round it have no other liberty.
FALSE_EYE = """
    . . . X O . .
    X X X X O . O
    O O X . X O .
    . O O X X O .
    O . O X O O O
    . O O O O . O
"""

# Black owns the left, White the right; the white stone at B5 and the black one at F6 are dead.
FINISHED = """
    . X . X O . O
    X X X X O X .
    . O . X O O O
    . . . X O . O
    X X X X O O O
    . X . X O . .
    X X X X O O .
"""

# Both sides have one eye in the upper left, and share C5 and C6; the rest is alive.
EYES_IN_SEKI = """
    . X . O . O X . .
    X X . O O O X X .
    O O O X X X X . X
    . O . O O O O X X
    O O O O . . O X .
    . . . . . . O X X
"""

OPEN_BORDER = """
    . . X O .
    . . . O O
    X X X O .
    O O O O O
    . O . O .
"""


def count(drawing, rules="japanese", dead=(), komi=0.5, **settings):
    captures = None if rules == "chinese" else (0, 0)
    return tengen.score(
        tengen.Board.from_text(drawing, komi=komi, **settings), rules=rules, dead=dead, captures=captures
    )


def test_a_record_that_agrees_needs_no_explanation():
    score = count(FALSE_EYE)
    assert explain_difference(score, score.result) == ()
    for result in ("", "?", "B+R", "W+T", "Void"):
        assert explain_difference(score, result) == ()


def test_a_difference_that_nothing_explains_is_left_alone():
    assert explain_difference(count(FINISHED, dead=["B5", "F6"]), "B+113.5") == ()


def test_false_eyes_counted_or_not():
    score = count(FALSE_EYE)
    assert score.result == "W+6.5"
    assert explain_difference(score, "W+5.5", server="OGS") == ("OGS counts the false eye at D4.",)
    assert explain_difference(score, "W+5.5") == ("The record counts the false eye at D4.",)
    counted = count(FALSE_EYE, rules="japanese-ogs")
    assert counted.result == "W+5.5"
    assert explain_difference(counted, "W+6.5", server="KGS")[0] == "KGS does not count the false eye at D4."


def test_a_group_judged_the_other_way_round():
    score = count(FINISHED, dead=["B5", "F6"])
    lives = score.toggle("B5").result
    assert explain_difference(score, lives) == ("The record is right if the white stone at B5 lives.",)
    dead = score.toggle("B7").result
    assert "The record is right if the black group at B7 is dead." in explain_difference(score, dead)
    (found,) = explanations(score, lives)
    assert dict(found.marks) == {"B5": "alive"}
    assert score.marked(found.marks).result == lives


def test_eyes_in_seki_counted_or_not():
    japanese = count(EYES_IN_SEKI)
    other = count(EYES_IN_SEKI, rules=tengen.Rules("SIMPLE", "TERRITORY", "NONE", suicide=False))
    assert japanese.lead != other.lead
    assert explain_difference(japanese, other.result, server="OGS") == ("OGS counts eyes in seki.",)
    assert explain_difference(other, japanese.result) == ("The record does not count eyes in seki.",)


def test_an_open_border():
    score = count(OPEN_BORDER, komi=20.5)
    points = int(score.settlement.loose.sum())
    assert score.unsealed == ("C4",)
    recorded = f"W+{-score.lead - points:g}"
    assert explain_difference(score, recorded)[0] == "The record counts the points behind the open border at C4."


def test_dame_count_by_area():
    score = count([".XX.OO.", "XX..O.O", ".XX.OOO", "XXX.OO."], rules="chinese", komi=0.5)
    assert len(score.dame) == 5
    white = f"W+{5 - score.lead:g}" if score.lead < 5 else f"B+{score.lead - 5:g}"
    assert explain_difference(score, white) == ("The record is right if White fills 5 of the 5 dame.",)


@pytest.mark.parametrize(
    ("komi", "recorded_komi", "said"),
    [
        (7.5, 0.0, "The record is right with komi 0 instead of 7.5."),
        (6.5, 7.5, "The record is right with komi 7.5 instead of 6.5."),
    ],
)
def test_another_komi(komi, recorded_komi, said):
    score = count(FINISHED, dead=["B5", "F6"], komi=komi, rules="chinese")
    recorded = count(FINISHED, dead=["B5", "F6"], komi=recorded_komi, rules="chinese").result
    assert explain_difference(score, recorded) == (said,)


def test_points_for_handicap_stones():
    score = count(FINISHED, dead=["B5", "F6"], komi=20.5, rules="chinese", handicap=9)
    recorded = f"W+{-score.lead - 9:g}"
    assert explain_difference(score, recorded) == ("The record is right if White receives 0 points for handicap.",)
