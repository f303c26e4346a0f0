"""What every point of a finished board is, on boards drawn for it.

In the drawings X and O are living stones, x and o dead ones. The answers use the same grid: X and O for the points of
Black and White, # for points in question, dots elsewhere.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tengen.go.counting import find_territory
from tengen.go.symmetry import transform
from tengen.judge.settle import settle


def rows(drawing):
    return [line.split() for line in drawing.strip().splitlines()]


def settled(drawing):
    letters = np.array(rows(drawing))
    stones = np.isin(letters, ["X", "x"]).astype(np.int8) - np.isin(letters, ["O", "o"]).astype(np.int8)
    return settle(stones, np.isin(letters, ["x", "o"]))


def drawn(owner):
    return [[".XO"[value] for value in row] for row in np.asarray(owner, int)]


def counted(settlement):
    """The territory that is left without false eyes and eyes in seki."""
    gone = (settlement.false_eyes != 0) | (settlement.seki != 0)
    return drawn(np.where(gone, 0, settlement.territory))


BORDER = """
    . . X O . .
    . X X O . o
    X X . O O .
    . . X X O .
    . . . X O O
    . o . X . .
"""


def test_territory_and_dame():
    found = settled(BORDER)
    assert counted(found) == rows("""
        X X . . O O
        X . . . O O
        . . . . . O
        X X . . . O
        X X X . . .
        X X X . . .
    """)
    assert drawn(found.dame) == rows("""
        . . . . . .
        . . . . . .
        . . X . . .
        . . . . . .
        . . . . . .
        . . . . X .
    """)
    assert found.loose[5, 5] == -1  # White closes the border at E1 and then has F1
    assert not found.seki.any()
    assert not found.false_eyes.any()


FALSE_EYE = """
    . . . X O . .
    X X X X O . O
    O O X . X O .
    . O O X X O .
    O . O X O O O
    . O O O X X X
    O O . O X . .
"""


def test_a_chain_in_atari_after_the_dame_has_to_connect():
    # Black's two stones at D4 and E4, E5 have D5 as their only liberty in the end.
    found = settled(FALSE_EYE)
    assert found.false_eyes[2, 3] == 1
    assert (found.false_eyes != 0).sum() == 1
    assert not found.seki[:3, :4].any()


def test_eyes_round_a_cycle_of_chains_are_real():
    # No eye belongs to one chain alone, but each chain keeps two liberties whatever White does.
    found = settled("""
        . X X X X X .
        X O O O O O X
        X O . O . O X
        X O O O O O X
        . X X X X X .
    """)
    assert not found.false_eyes.any()
    assert not found.seki.any()
    assert (found.territory == 1).sum() == 4


def test_a_row_of_false_eyes_falls_one_after_the_other():
    # The cycle is broken at the lower right: from both ends the chains must connect, until no eye is left.
    found = settled("""
        . X X X X X .
        X O O O O O X
        X O . O . O X
        X O O O O O O
        . X X X X O .
    """)
    assert drawn(found.false_eyes) == rows("""
        X . . . . . X
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X . . . . . .
    """)
    assert (found.seki[found.living == 1] == 1).all()
    assert not (found.seki == -1).any()


def test_a_dead_stone_on_a_false_eye_costs_its_liberties():
    found = settled("""
        . . . o X X .
        X X X X O O O
        O O O O O . O
        . O . O . O .
    """)
    assert found.false_eyes[0].tolist() == [0, 0, 1, 1, 0, 0, 0]


def test_dead_stones_on_a_false_eye_cost_two_points_one_or_two_of_them():
    # To capture the dead stone Black fills its liberty, to connect the stone at G4 its point; two stones cost no more.
    one = settled("""
        . X . X . o X .
        X X X X X X O O
        O O O O O O O .
        . O . O . O . O
    """)
    two = settled("""
        . X . X . o o X .
        X X X X X X X O O
        O O O O O O O O .
        . O . O . O . O O
    """)
    assert np.argwhere(one.false_eyes).tolist() == [[0, 4], [0, 5]]
    assert np.argwhere(two.false_eyes).tolist() == [[0, 5], [0, 6]]
    assert not one.seki.any()
    assert not two.seki.any()


def test_a_false_eye_of_two_points():
    # Three chains meet at D4 and E4; White cuts off one of them wherever Black leaves a point.
    found = settled("""
        . X X . . X .
        X X O X X O O
        O O O O O O .
        . O . O . O O
    """)
    assert drawn(found.false_eyes)[0] == [".", ".", ".", "X", "X", ".", "."]
    assert (found.seki[found.living == 1] == 1).all()


def test_a_dragon_with_two_heads_keeps_its_false_eyes():
    # A real eye at each end: White can play neither D4 nor F4, because no chain beside them is ever in atari.
    found = settled("""
        . X X . X . X . X
        X X O X X O X X X
        O O O O O O O O O
        . O . O . O . O O
    """)
    assert not found.false_eyes.any()
    assert not found.seki.any()


def test_the_only_eye_of_a_group_is_not_false():
    # A3 and E3 connect; A5 has nothing to connect, but it is the only eye.
    found = settled("""
        . X O O . O .
        X X O X X O O
        . X X X . X O
        X O O O X X O
        O O . O O O .
    """)
    assert np.argwhere(found.false_eyes).tolist() == [[2, 0], [2, 4]]
    assert (found.seki[found.living == 1] == 1).all()


def test_an_eye_behind_an_open_border_loses_the_point_that_closes_it():
    three = settled("""
        . . . . O O .
        X X X X O . O
        O O O O O O .
        . O . O . O O
    """)
    four = settled("""
        . . . . . O O .
        X X X X X O . O
        O O O O O O O .
        . O . O . O O O
    """)
    assert (three.loose == 1).sum() == 3
    assert (three.seki[three.living == 1] == 1).all()
    assert (four.loose == 1).sum() == 4
    assert not four.seki.any()


def test_a_border_at_the_edge_needs_two_stones_beside_an_enemy():
    closed = """
        . . . . X O .
        . . {} O O O O
        . O O X X X X
        . O X X . X .
    """
    assert drawn(settled(closed.format("O")).loose)[0] == ["O", "O", "O", ".", ".", ".", "."]
    assert drawn(settled(closed.format(".")).loose)[0] == [".", ".", ".", ".", ".", ".", "."]


SEKI = """
    . O X X . O X .
    O O X . O O X X
    X X X . O X X .
    O O O O O X . X
    X X X X X X X X
    . X . X . X . X
"""


def test_groups_that_share_their_last_liberties_live_in_seki():
    found = settled(SEKI)
    assert drawn(found.seki) == rows("""
        O O X X . O . .
        O O X . O O . .
        X X X . O . . .
        O O O O O . . .
        . . . . . . . .
        . . . . . . . .
    """)
    assert found.dame.sum() == 3


def test_nobody_passes_between_two_enemy_stones_in_seki():
    # C3 and D3 lie inside White's bamboo joint: it connects White's stones, not Black's groups with one eye each.
    found = settled("""
        . X O O X .
        X X . . X X
        O O O O O O
        . O . O . O
    """)
    assert (found.seki[found.living == 1] == 1).all()
    assert not (found.seki == -1).any()


def test_one_eye_each_and_shared_liberties():
    found = settled(". X . O .\nX X . O O")
    assert drawn(found.seki) == rows("X X . O O\nX X . O O")
    assert counted(found) == rows(". . . . .\n. . . . .")


def test_dead_stones_in_an_eye_count_for_its_size():
    alive = settled("""
        . . . X O .
        X X X X O O
        O O O O O .
        . O . O . O
    """)
    dead_in_the_middle = settled("""
        . o . X O .
        X X X X O O
        O O O O O .
        . O . O . O
    """)
    assert not alive.seki.any()
    assert dead_in_the_middle.seki[1, 0] == 1
    assert dead_in_the_middle.seki[0, 1] == 1


UNSEALED = """
    . . . X O .
    . . . . O O
    X X X X O .
    O O O O O O
    . O . O . O
"""


def test_an_open_border_is_named_and_what_lies_behind_is_nobodys():
    found = settled(UNSEALED)
    assert found.unsealed[1, 3] == 1
    assert (found.unsealed != 0).sum() == 1
    assert (found.loose == 1).sum() == 6
    assert drawn(found.dame)[1] == [".", ".", ".", "X", ".", "."]
    assert not (found.territory == 1).any()
    assert not found.seki.any()


def test_dame_that_matter_name_the_protection():
    # If Black plays C1, White's two stones are in atari and have to connect at D2; now C1 would connect them as well.
    found = settled("""
        X O O . . O .
        X X . O O O O
    """)
    assert drawn(found.protections) == rows("""
        . . . O . . .
        . . . . . . .
    """)
    assert not found.false_eyes.any()


def test_two_dame_that_connect_need_no_protection():
    found = settled("""
        X . O . . O .
        X O O . O O O
        X . . O O . O
        X X X X O O O
    """)
    assert not found.protections.any()


def test_a_large_open_region_is_marked():
    assert settled(". . . .\n. X . .\n. . O .\n. . . .").open.sum() == 14
    assert not settled(BORDER).open.any()


@pytest.mark.parametrize("drawing", ["X .\n. X", "X X\n. .", ". .\n. .", "X X\nX ."])
def test_one_colour_owns_everything_and_is_never_in_seki(drawing):
    found = settled(drawing)
    assert not found.seki.any()
    assert not found.false_eyes.any()
    assert (found.territory == (found.living == 0) * ("X" in drawing)).all()


boards = arrays(np.int8, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.integers(-1, 1))


@settings(max_examples=200, deadline=None)
@given(boards, st.integers(0, 2**49 - 1), st.integers(0, 7))
def test_colours_and_symmetries(stones, marks, symmetry):
    dead = np.array([marks >> i & 1 for i in range(stones.size)], bool).reshape(stones.shape) & (stones != 0)
    found = settle(stones, dead)
    other = settle(-stones, dead)
    turned = settle(transform(stones, symmetry), transform(dead, symmetry))
    for name in ("territory", "false_eyes", "seki", "unsealed", "loose"):
        assert (getattr(found, name) == -getattr(other, name)).all(), name
        assert (transform(getattr(found, name), symmetry) == getattr(turned, name)).all(), name
    assert (transform(found.dame, symmetry) == turned.dame).all()
    assert (found.protections == -other.protections).all()


@settings(max_examples=200, deadline=None)
@given(boards, st.integers(0, 2**49 - 1))
def test_every_empty_point_is_one_thing(stones, marks):
    dead = np.array([marks >> i & 1 for i in range(stones.size)], bool).reshape(stones.shape) & (stones != 0)
    found = settle(stones, dead)
    territory, neutral = find_territory(found.living)
    assert (found.territory == territory).all()
    assert (found.dame | (found.loose != 0) == neutral).all()
    assert (found.territory[found.false_eyes != 0] == found.false_eyes[found.false_eyes != 0]).all()
    assert (found.territory[found.protections != 0] == found.protections[found.protections != 0]).all()
    assert not (found.dame & (found.loose != 0)).any()
    assert (neutral | ~found.open).all()


LADDER = """
    . O . O X
    O O O O X
    X X O X X
    . {} X . X
    . . . . X
    . . . . X
"""


def test_a_chain_that_is_caught_inside_its_territory_needs_a_protection():
    # White at B3 cuts off the two stones at A4 and B4, which then cannot escape along the edge.
    found = settled(LADDER.format("."))
    assert np.argwhere(found.protections == 1).tolist() in ([[3, 0]], [[3, 1]])
    assert not (found.protections == -1).any()
    assert found.territory[3, 1] == 1
    assert not settled(LADDER.format("X")).protections.any()
