"""Names of shapes: for each a board where it fits and one where it just does not, and what all names have in common."""

import re

import numpy as np
import pytest

import tengen
from tengen.go.symmetry import symmetries, transform, transform_point
from tengen.views.shape_names import SHAPES, shape_name

SIZE, MARGIN = 19, 6

SHAPE_BOARDS = [
    # Black plays *. The rows are in the middle of the board, after ^ at its upper side, after | in its corner.
    ("ko capture", ".XO. / XO*O / .XO.", ".XO. / XO*. / .XO."),
    ("throw-in", ".OO. / O*.O / .OO.", ".OO. / O*.. / .OO."),
    ("throw-in", "^O*.O / .OO.", "^O*.. / .OO."),
    ("throw-in", "^O*O / O.O / .O.", "^O*O / X*O / .O."),
    ("throw-in", "|*.O / OO.", "|*.O / XO."),
    ("connection", "X*X", "XXX / X*X"),
    ("connection", "X. / *X", "XX / *X"),
    ("fills an own eye", "XXX / X*X / XXX", ".X. / X*X / .X."),
    ("fills an own eye", "^X*X / XXX", "^X*X / .X."),
    ("fills an own eye", "|*X / XX", "|*X / X."),
    ("capture", ".X. / XO* / .X.", ".X. / XO* / ..."),
    ("capture", ".X. / XOX / O*.", "... / XOX / O*."),
    ("capture", "^XO* / .X.", "^XO* / ..."),
    ("crosscut", "XO / O*", "XXO / .O*"),
    ("crosscut", "XO / O* / ..O", "XO / O* / .O"),
    ("crosscut", "^XO / O*", "XO / O* / XO"),
    ("cut", "XXO / .O*", "XOOO / O*.O / O..O / OOOO"),
    ("push through", ".X. / O*O", ".X. / O*."),
    ("wedge", "O*O", "OOO / O*O"),
    ("bamboo joint", "X* / .. / XX", "X* / .O / XX"),
    ("hane on the first line", "^.* / XO", "^.. / .* / XO"),
    ("hane on the second line", "^.. / .* / XO", "^.. / .. / .* / XO"),
    ("hane at the head of two", ".* / XO / XO", ".* / XO / X."),
    ("hane at the head of two", ".*. / XO. / XO. / OX.", ".*. / XO. / XO. / XO."),
    ("hane at the head of two", ".*. / XO. / XO. / ...", ".*. / XO. / XOO / ..."),
    ("hane on the first line", "^.*. / XO.", "^.*X / XO."),
    ("hane on the second line", "^... / .*. / XO.", "^.X. / .*. / XO."),
    ("hane", ".* / XO", "X* / XO"),
    ("hane", "... / .*. / XO.", ".X. / .*. / XO."),
    ("hane", "... / .*. / XO.", "... / .*X / XO."),
    ("block", ".X. / .*. / XO.", ".X. / .*. / .O."),
    ("block", "... / .*X / XO.", "... / .*X / XOO"),
    ("block", "..X / OO*", "..X / .O*"),
    ("block", "OO*X", ".O*X"),
    ("block", "^O* / .X", "^.* / .X"),
    ("block", "^.. / O* / .X", "^.. / .. / O* / .X"),
    ("turn", "XX / O*", "XX / .*"),
    ("crawl", "^.. / X* / .O", "^.. / .. / X* / .O"),
    ("crawl", "^X* / OO", "^X* / .."),
    ("push", "X* / OO", "X* / XO"),
    ("push", ".*X / XOO", ".*X / XO."),
    ("push", "X*O / .O.", "X*O / ..."),
    ("bump", "X*O", "X*O / .O."),
    ("descent", "^* / X", "^.* / .."),
    ("descent", "^. / * / X", "^. / . / * / X"),
    ("hanging connection", ".XO / *.X", ".X. / *.X"),
    ("tiger's mouth", ".X. / *.X", ".X. / *.X / .O."),
    ("tiger's mouth", ".*. / X.X", ".*. / X.. "),
    ("peep", "O.O / .*.", "OOO / O.O / .*."),
    ("peep", ".OX / *.O", ".O. / *.O"),
    ("clamp", "XO*", "XO* / ..X"),
    ("diagonal attachment", "X.. / .*. / .O.", "X.. / .*. / ..O"),
    ("attachment", "*O", "*. / .O"),
    ("empty triangle", "*. / XX", "*. / XXX"),
    ("stretch", "X*", "X*O"),
    ("monkey jump", "^...* / X...", "^.... / ...* / X..."),
    ("pincer", "^....... / ....... / X..O..*", "^....... / ....... / ...O..*"),
    ("pincer", "^....... / ....... / X..O..*", "^.......... / .......... / X..O..*..O"),
    ("pincer", "^....... / ....... / X..O..* / .......", "^....... / ....... / X..O..* / .....O."),
    ("pincer", "^...... / ...... / ...... / X.O.*.", "^...... / ...... / ...... / ...... / X.O.*."),
    ("shoulder hit", "^.. / .. / O. / .*", "^.. / .. / .. / .. / O. / .*"),
    ("shoulder hit", "^... / ... / ... / .O. / ..*", "^... / ... / ..* / .O. / ..."),
    ("shoulder hit", "^... / ... / .O. / ..*", "^... / .O. / ..* / ..."),
    ("shoulder hit", "^... / ... / .O. / ..*", "^... / ... / OO. / ..*"),
    ("shoulder hit", "|.... / .... / .... / ..O. / ...*", "|.... / .... / .... / ...O / ..*."),
    ("shoulder hit", "|.... / .... / ..O. / ...*", "|.... / .O.. / ..*. / ...."),
    ("diagonal move", "X. / .*", "XO / .*"),
    ("one-point jump", "X.*", "XO*"),
    ("cap", "^. / . / O / . / *", "^. / . / . / . / O / . / *"),
    ("cap", "^... / ... / .O. / ... / .*.", "^... / ... / .O. / ... / .*O"),
    ("cap", "^... / ... / .O. / ... / .*.", "^... / ... / .OX / ... / .*."),
    ("cap", "^... / ... / .O. / ... / .*.", "^... / ... / .*. / ... / .O."),
    ("cap", "|..... / ..... / ..... / ....O / ..... / ....*", "|..... / ..... / ..O.. / ..... / ..*.."),
    ("knight's move", "X.. / ..*", "XO. / ..*"),
    ("two-space extension", "^.... / .... / X..*", "^.... / .... / .... / .... / X..*"),
    ("two-space jump", "X..*", "X.O*"),
    ("large knight's move", "X... / ...*", "X.O. / ...*"),
    ("elephant's move", "X.. / ... / ..*", "X.. / .O. / ..*"),
    ("extension", "^...... / ...... / X....*", "^........ / ........ / X......*"),
]

OPENINGS = [
    # name, size, move, own and enemy stones, stones of the near miss
    ("tengen", 19, "K10", "", "", "K12", ""),
    ("3-3 point", 19, "C3", "", "", "F6", ""),
    ("star point", 19, "Q16", "", "", "", "R14"),
    ("4-4 point", 9, "D4", "", "", "B2", ""),
    ("3-4 point", 13, "K3", "", "", "J5", ""),
    ("3-5 point", 19, "C5", "", "", "", "D3"),
    ("4-5 point", 19, "E4", "", "", "", "C3"),
    ("3-3 invasion", 19, "R17", "", "Q16", "", "Q17"),
    ("corner approach", 19, "F3", "", "D4", "", "D4 C6"),
    ("corner approach", 13, "C6", "", "D4", "", "F3"),
    ("corner enclosure", 19, "E3", "C4", "", "C6", ""),
]


def drawn(drawing):
    """Return the stones and the move of a drawing."""
    top = 0 if drawing[0] in "^|" else MARGIN
    left = 0 if drawing[0] == "|" else MARGIN
    stones, move = np.zeros((SIZE, SIZE), np.int8), (0, 0)
    for r, row in enumerate(drawing.lstrip("^|").split("/")):
        for c, sign in enumerate(row.strip()):
            stones[top + r, left + c] = {"X": 1, "O": -1}.get(sign, 0)
            move = (top + r, left + c) if sign == "*" else move
    return stones, move


def placed(size, own, enemy):
    """Return an array with these stones."""
    board = tengen.Board(size)
    board.setup(black=own.split(), white=enemy.split())
    return board.stones


def names(stones, move):
    """Return the names of a move under all symmetries, for both colours."""
    height, width = stones.shape
    found = set()
    for k in symmetries(width, height):
        place = transform_point(move, k, width, height)
        for colour, sign in (("black", 1), ("white", -1)):
            board = tengen.Board.from_stones(np.ascontiguousarray(transform(stones, k)) * sign, colour)
            before = board.copy()
            found.add(shape_name(board, place))
            assert board == before
    return found


@pytest.mark.parametrize(("name", "fits", "misses"), SHAPE_BOARDS)
def test_a_shape_has_its_name_under_all_symmetries(name, fits, misses):
    assert names(*drawn(fits)) == {name}
    assert name not in names(*drawn(misses))


@pytest.mark.parametrize(("name", "size", "move", "own", "enemy", "own_miss", "enemy_miss"), OPENINGS)
def test_an_opening_move_has_its_name_under_all_symmetries(name, size, move, own, enemy, own_miss, enemy_miss):
    place = tengen.point(move, size)
    assert names(placed(size, own, enemy), place) == {name}
    assert name not in names(placed(size, own_miss, enemy_miss), place)


def test_every_shape_has_a_board_and_a_meaning():
    assert {shape.name for shape in SHAPES} == {name for name, *_ in [*SHAPE_BOARDS, *OPENINGS]}
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
    assert all(shape.meaning.endswith(".") and (shape.drawings or shape.test) for shape in SHAPES)


def test_a_capture_says_the_number_of_stones_from_two_on():
    assert names(*drawn(".XX. / XOO* / .XX.")) == {"capture of 2 stones"}
    assert names(*drawn("^XOOO* / .XXX.")) == {"capture of 3 stones"}
    assert names(*drawn(".XO. / XO*O / .XO.")) == {"ko capture"}


def test_a_pass_and_a_move_that_is_not_legal_have_no_name():
    board = tengen.Board(9)
    board.play("E5")
    assert shape_name(board, "pass") == shape_name(board, "E5") == ""
    with pytest.raises(tengen.TengenError, match="off the"):
        shape_name(board, "T19")


def random_game(width, height, moves):
    """Return a board after some random moves; the seed is its size."""
    random, board = np.random.default_rng(width * height), tengen.Board(width, height)
    for _ in range(moves):
        legal = board.legal_moves()
        board.play(str(random.choice(legal)) if legal else "pass")
    return board


@pytest.mark.parametrize(("width", "height"), [(2, 2), (2, 25), (3, 5), (4, 4), (7, 7), (9, 9), (13, 8), (25, 25)])
def test_names_on_random_boards_do_not_depend_on_symmetry_or_colour(width, height):
    for share in (0.2, 0.6):
        board = random_game(width, height, int(share * width * height) & ~1)
        for move in board.legal_moves()[:: 1 + width * height // 25]:
            assert len(names(board.stones, tengen.point(move, (width, height)))) == 1


def test_all_moves_on_boards_of_all_sizes_can_be_named():
    known = {shape.name for shape in SHAPES} | {""}
    for size in range(2, 26):
        board = random_game(size, size, 3 * size)
        for move in board.legal_moves()[:: max(1, size // 5)]:
            assert re.sub(r" of \d+ stones", "", shape_name(board, move)) in known
