"""What theory says about counting, whatever the position: area and territory, marks and captures, colours and sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.go.board import Board
from tengen.go.counting import count, dead_mask
from tengen.go.record import Game
from tengen.go.rules import PRESETS
from tengen.go.symmetry import transform

# White's three stones in the corner have one eye and are dead: Black plays C5, B5 and A4 and takes them.
ENCLOSED = """
    . . . X .
    O O O X X
    X X X X .
    . X . X X
    X X X . X
"""


@st.composite
def played(draw, **options):
    """A board after a random game on a random size, with passes, captures and any chains marked dead."""
    board = Board(draw(st.integers(2, 7)), draw(st.integers(2, 7)), komi=0, **options)
    for choice in draw(st.lists(st.integers(0, 10_000), max_size=90)):
        moves = [*board.legal_moves(), "pass"]
        board.play(moves[choice % len(moves)])
    heads = [chain.points[0] for chain in board.chains()]
    return board, draw(st.lists(st.sampled_from(heads), unique=True)) if heads else []


@settings(max_examples=150, deadline=None)
@given(played(rules="japanese"))
def test_area_and_territory_differ_by_the_stones_each_side_has_played(game):
    board, dead = game
    placed = {"black": 0, "white": 0}
    for move in board.moves:
        placed[move.colour] += move.point != "pass"
    area, territory = (count(board, dead, rules=rules).lead for rules in ("chinese", "japanese"))
    assert area - territory == placed["black"] - placed["white"]


@settings(max_examples=60, deadline=None)
@given(played(rules="tromp-taylor"), st.sampled_from(sorted(PRESETS)))
def test_colours_reversed_reverse_the_lead_and_symmetries_keep_it(game, rules):
    board, dead = game
    stones, marked = board.stones, dead_mask(board, dead)
    options = {"rules": rules, "komi": 0}
    counted = count(Board.from_stones(stones), dead, captures=(3, 1), **options)
    assert count(Board.from_stones(-stones), dead, captures=(1, 3), **options).lead == -counted.lead
    for symmetry in range(8):
        turned = count(
            Board.from_stones(transform(stones, symmetry)),
            np.argwhere(transform(marked, symmetry)).tolist(),
            captures=(3, 1),
            **options,
        )
        assert (turned.owner == transform(counted.owner, symmetry)).all()
        assert turned.lead == counted.lead


@settings(max_examples=60, deadline=None)
@given(played(rules="chinese"), st.sampled_from(sorted(PRESETS)), st.sampled_from([0, 0.5, 7, -5.5, -3]))
def test_every_point_is_somebodys_or_dame_and_the_lines_sum(game, rules, komi):
    board, dead = game
    counted = count(board, dead, rules=rules, komi=komi)
    assert sum(line.black - line.white for line in counted.lines) == counted.lead
    assert int((counted.owner != 0).sum()) + len(counted.dame) == board.width * board.height
    without = count(board, dead, rules=rules, komi=0)
    assert counted.lead == without.lead - komi


def test_taking_dead_stones_off_by_play_or_by_mark_is_the_same_area():
    board = Board.from_text(ENCLOSED, rules="chinese", komi=0)
    marked = count(board, ["A4"])
    for point in ("C5", "pass", "B5", "pass", "A5"):
        board.play(point)
    assert board.captures.black == 3
    assert count(board).lead == marked.lead == 25


def test_under_territory_taking_them_off_costs_a_point_a_move():
    board = Board.from_text(ENCLOSED, rules="japanese", komi=0)
    marked = count(board, ["A4"])
    for point in ("C5", "pass", "B5", "pass", "A5"):
        board.play(point)
    assert count(board).lead == marked.lead - 3


def test_a_dead_stone_added_and_answered_changes_nothing():
    board = Board.from_text(ENCLOSED, to_play="white", komi=0)
    before = [count(board, ["A4"], rules=rules).lead for rules in ("japanese", "chinese")]
    board.play("B5")
    board.play("C5")
    assert [count(board, ["A4"], rules=rules).lead for rules in ("japanese", "chinese")] == before


BONUS = {
    "japanese": "0",
    "chinese": "N",
    "aga": "N-1",
    "new-zealand": "0",
    "tromp-taylor": "0",
    "ing": "0",
    "stone": "0",
}


@pytest.mark.parametrize("rules", BONUS)
@pytest.mark.parametrize("stones", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_the_bonus_of_every_ruleset_and_handicap_from_a_record(rules, stones):
    points = "pd dp dd pp jj dj pj jd jp".split()[:stones]
    setup = "AB" + "".join(f"[{point}]" for point in points) if stones >= 2 else ""
    game = Game.from_sgf(f"(;SZ[19]KM[0.5]RU[{rules}]HA[{stones}]{setup};W[qf])")
    bonus = {"0": 0, "N": stones, "N-1": stones - 1}[BONUS[rules]] if stones >= 2 else 0
    lines = {line.label: (line.black, line.white) for line in count(game.board()).lines}
    assert lines.get("handicap", (0, 0)) == (0, bonus)
    assert lines["komi"] == (0, 0.5)


@pytest.mark.parametrize(("komi", "result"), [(0, "B+5"), (4.5, "B+0.5"), (5, "Draw"), (5.5, "W+0.5"), (-3, "B+8")])
def test_komi_of_every_kind(komi, result):
    board = Board.from_text(["..XO."] * 5, komi=komi)
    assert count(board, rules="chinese").result == result


@pytest.mark.parametrize(("width", "height"), [(2, 2), (2, 25), (25, 2), (13, 9), (24, 25), (25, 25)])
def test_boards_of_every_size(width, height):
    stones = np.zeros((height, width), np.int8)
    stones[:, 0] = 1
    assert count(Board.from_stones(stones, komi=0), rules="chinese").lead == width * height
    if width > 2:
        stones[:, -1] = -1
        counted = count(Board.from_stones(stones, komi=0), rules="chinese")
        assert (counted.result, len(counted.dame)) == ("Draw", (width - 2) * height)
