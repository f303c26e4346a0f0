"""Suites of other projects, on boards of ours written in their forms; and the count with the dead stones known."""

import json

import numpy as np
import pytest

import tengen
from tengen.benchmarks.counting import STEPS, evaluate_counting, leads
from tengen.benchmarks.finals import Final, read_finals
from tengen.benchmarks.suites import read_suite, suite_table
from tengen.go.board import Board

MAPS = """BOARD:
.x.xo.o
xxxxooo
ooooob.
TERRITORY:
zxzxoao
xxxxooo
ooooo{owner}{owner}
SEKI:
.......
.......
.......
FALSE EYES:
.x.xo.o
xxxxooo
ooooob.
UNSCORABLE FALSE EYES:
.x.xo.o
xxxxooo
ooooob.
DAME:
.x.xo.o
xxxxooo
ooooob.
EYEVALUE:
1x1xo1o
xxxxooo
ooooo11
"""

REMOVALS = """# 1=black -1=white 0=open
height 3
width 7
player_to_move 1
 0  1  0  1 -1  0 -1
 1  1  1  1 -1 -1 -1
-1 -1 -1 -1 -1  {stone}  0

 0  0  0  0  0  0  0
 0  0  0  0  0  0  0
 0  0  0  0  0  {removed}  0
"""


@pytest.mark.parametrize(("owner", "passes"), [("a", 1), (".", 0)])
def test_maps(tmp_path, owner, passes):
    (tmp_path / "board.txt").write_text(MAPS.format(owner=owner))
    (tmp_path / "LICENSE.txt").write_text("words")
    (case,) = read_suite(tmp_path)
    assert case.name == "board"
    assert case.passes == bool(passes)
    assert suite_table([case]).rows[0] == ("territory", 1, passes)
    assert suite_table([case]).rows[-1] == ("everything", 1, passes)
    if not passes:
        assert case.text().splitlines()[0] == "board: territory at 2"
        assert case.text().splitlines()[-1] == "  O O O O O B ?"


@pytest.mark.parametrize(("stone", "removed", "passes"), [(1, 1, True), (1, 0, False), (0, 0, True)])
def test_removals(tmp_path, stone, removed, passes):
    (tmp_path / "easy").mkdir()
    (tmp_path / "easy" / "one.game").write_text(REMOVALS.format(stone=stone, removed=removed))
    (case,) = read_suite(tmp_path)
    assert (case.name, case.passes) == ("easy/one", passes)


@pytest.mark.parametrize(("corner", "passes"), [("WW", True), ("**", True), ("BB", False), ("  ", False)])
def test_owners(tmp_path, corner, passes):
    row = {"board": [" b bW W", "bbbbWWW", "WWWWWb "], "correct_ownership": ["BBBBWWW", "BBBBWWW", "WWWWW" + corner]}
    (tmp_path / "game.json").write_text(json.dumps(row))
    (case,) = read_suite(tmp_path)
    assert case.passes == passes


def test_a_folder_without_boards_is_an_error(tmp_path):
    with pytest.raises(tengen.TengenError, match=r"no \.txt"):
        list(read_suite(tmp_path))


def final(rules="japanese"):
    """A false eye at D4; a dead white stone leaves Black one eye in the corner, so that Black is in seki."""
    board = Board.from_text(
        [". O . X O . .", "X X X X O . O", "O O X . X O .", ". O O X X O .", "O . O X O O O", ". O O O O . O"],
        rules=rules,
        komi=0,
    )
    owner = board.stones.astype(float)
    owner[0, 1] = 1
    return Final("one", board, owner, (0, 0), -9.0)


def test_each_step_of_the_count():
    assert dict(leads(final())) == dict(zip(STEPS, [-4.0, -5.0, -9.0, -9.0], strict=True))
    assert len({lead for _, lead in leads(final("chinese"))}) == 1
    table = evaluate_counting([final()])
    assert table.rows[0][:2] == ("japanese", 1)
    assert [cell.value for cell in table.rows[0][2:]] == [0, 0, 1, 1]


def test_games_with_marked_territory_are_finals(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("(;SZ[3]KM[0]RE[B+3];B[bb];W[aa];B[ba];W[];B[ab];W[];TB[ac][bc][cc][ca][cb][aa])")
    (found,) = read_finals(path)
    assert found.recorded == 3
    assert np.sign(found.owner).sum() == 9
    path.write_text("(;SZ[3];B[bb])")
    with pytest.raises(tengen.TengenError, match="without marked territory"):
        list(read_finals(path))
