"""The board people hold."""

import copy
import pickle

import numpy as np
import pytest

import tengen
from tengen.go.board import Board, handicap_points


def test_a_new_board_is_empty_and_black_begins():
    board = Board(13, 9)
    assert (board.width, board.height, board.size) == (13, 9, 13)
    assert board.stones.shape == (9, 13)
    assert not board.stones.any()
    assert board.to_play == "black"
    assert len(board.legal_moves()) == 13 * 9


def test_row_0_is_the_top_and_black_is_1():
    board = Board(9)
    board.play("A9")
    board.play("J1")
    assert board.stones[0, 0] == 1
    assert board.stones[8, 8] == -1


def test_stones_are_a_read_only_snapshot():
    board = Board(9)
    stones = board.stones
    board.play("E5")
    assert not stones.any()
    with pytest.raises(ValueError, match="read-only"):
        stones[0, 0] = 1


def test_a_capture_is_counted_and_taken_back():
    board = Board.from_text(["OX.", "...", "..."])
    assert board.play("A2") == 1
    assert (board.stones == Board.from_text([".X.", "X..", "..."]).stones).all()
    assert board.captures == (1, 0)
    assert board.undo() == ("black", "A2")
    assert board.stones[0, 0] == -1
    assert board.captures == (0, 0)


def test_an_illegal_move_says_why():
    board = Board.from_text(["XO.", "...", "..."])
    with pytest.raises(tengen.IllegalMove, match="Black may not play A3: there is a stone already"):
        board.play("A3")
    with pytest.raises(tengen.TengenError, match="off the 3×3 board"):
        board.play("D1")
    eye = Board.from_text([".O.", "O..", "..."])
    with pytest.raises(tengen.IllegalMove, match="Black may not play A3: it would be suicide"):
        eye.play("A3")


KO = """
    .XO.
    X.XO
    .XO.
    ....
"""


def test_a_ko_may_not_be_taken_back_at_once():
    board = Board.from_text(KO, to_play="white")
    assert board.play("B3") == 1
    assert board.ko == "C3"
    with pytest.raises(tengen.IllegalMove, match="ko"):
        board.play("C3")
    board.play("A1")
    board.play("D1")
    assert board.play("C3") == 1


def test_superko_forbids_what_simple_ko_allows_later():
    text = [".XO.", "X.XO", ".XO.", "...."]
    simple = Board.from_text(text, to_play="white", rules="japanese")
    super_ = Board.from_text(text, to_play="white", rules="tromp-taylor")
    for board in (simple, super_):
        board.play("B3")
        board.play("pass")
        board.play("pass")
    assert simple.is_legal("C3")
    assert not super_.is_legal("C3")


def test_suicide_follows_the_rules():
    rows = [".XO.", "XXO.", "OO..", "...."]
    assert not Board.from_text(rows, rules="chinese").is_legal("A4")
    board = Board.from_text(rows, rules="new-zealand")
    board.play("A4")
    assert (board.stones == Board.from_text(["..O.", "..O.", "OO..", "...."]).stones).all()
    assert board.captures == (0, 4)


def test_the_other_colour_may_move_out_of_turn():
    board = Board(9)
    board.play("E5", "white")
    assert board.to_play == "black"
    assert board.last_move == ("white", "E5")


def test_two_passes_end_the_game():
    board = Board(9)
    board.play("pass")
    assert not board.is_over
    board.play("PASS")
    assert board.is_over
    board.undo()
    assert not board.is_over


def test_copies_are_independent():
    board = Board(9)
    board.play("E5")
    for twin in (board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert twin == board
        assert twin.moves == board.moves
        twin.play("C3")
        assert twin != board
        twin.undo()
        twin.undo()
        assert not twin.stones.any()
    assert board.move_number == 1


def test_a_pickled_board_keeps_its_captures_and_setup():
    board = Board.from_text(["OX.", "...", "..."], rules="japanese", komi=0.5)
    board.play("A2")
    twin = pickle.loads(pickle.dumps(board))
    assert twin == board
    assert (twin.captures, twin.komi, str(twin.rules), twin.past_known) == ((1, 0), 0.5, "japanese", False)


def test_chains_carry_their_liberties():
    board = Board.from_text(["XX.", "O..", "..."])
    black, white = board.chains()
    assert (black.colour, black.points, black.liberties) == ("black", ("A3", "B3"), ("C3", "B2"))
    assert (white.colour, white.points, white.liberties) == ("white", ("A2",), ("B2", "A1"))
    assert board.chain("C1") is None


def test_setup_puts_stones_down_without_capturing():
    board = Board(5)
    board.setup(black=["A1", (0, 0)], white=["B1"])
    assert board.stones[4].tolist() == [1, -1, 0, 0, 0]
    assert board.stones[0, 0] == 1
    board.setup(empty=["A1"])
    assert board.stones[4].tolist() == [0, -1, 0, 0, 0]
    with pytest.raises(tengen.TengenError, match="no move to take back"):
        board.undo()


def test_a_chain_without_liberties_cannot_be_set_up():
    board = Board(3)
    with pytest.raises(tengen.TengenError, match="the chain at A3 has no liberty"):
        board.setup(black=["A3"], white=["A2", "B3"])
    assert not board.stones.any()


HANDICAP = {
    7: ["C3 E5", "C3 E5 C5", "C3 E5 C5 E3"],
    8: ["C3 F6", "C3 F6 C6", "C3 F6 C6 F3"],
    9: [
        "C3 G7", "C3 G7 C7", "C3 G7 C7 G3", "C3 G7 C7 G3 E5", "C3 G7 C7 G3 C5 G5", "C3 G7 C7 G3 C5 G5 E5",
        "C3 G7 C7 G3 C5 G5 E3 E7", "C3 G7 C7 G3 C5 G5 E3 E7 E5",
    ],
    10: ["C3 H8", "C3 H8 C8", "C3 H8 C8 H3"],
    11: [
        "C3 J9", "C3 J9 C9", "C3 J9 C9 J3", "C3 J9 C9 J3 F6", "C3 J9 C9 J3 C6 J6", "C3 J9 C9 J3 C6 J6 F6",
        "C3 J9 C9 J3 C6 J6 F3 F9", "C3 J9 C9 J3 C6 J6 F3 F9 F6",
    ],
    12: ["C3 K10", "C3 K10 C10", "C3 K10 C10 K3"],
    13: [
        "D4 K10", "D4 K10 D10", "D4 K10 D10 K4", "D4 K10 D10 K4 G7", "D4 K10 D10 K4 D7 K7", "D4 K10 D10 K4 D7 K7 G7",
        "D4 K10 D10 K4 D7 K7 G4 G10", "D4 K10 D10 K4 D7 K7 G4 G10 G7",
    ],
    14: ["D4 L11", "D4 L11 D11", "D4 L11 D11 L4"],
    15: [
        "D4 M12", "D4 M12 D12", "D4 M12 D12 M4", "D4 M12 D12 M4 H8", "D4 M12 D12 M4 D8 M8", "D4 M12 D12 M4 D8 M8 H8",
        "D4 M12 D12 M4 D8 M8 H4 H12", "D4 M12 D12 M4 D8 M8 H4 H12 H8",
    ],
    16: ["D4 N13", "D4 N13 D13", "D4 N13 D13 N4"],
    17: [
        "D4 O14", "D4 O14 D14", "D4 O14 D14 O4", "D4 O14 D14 O4 J9", "D4 O14 D14 O4 D9 O9", "D4 O14 D14 O4 D9 O9 J9",
        "D4 O14 D14 O4 D9 O9 J4 J14", "D4 O14 D14 O4 D9 O9 J4 J14 J9",
    ],
    18: ["D4 P15", "D4 P15 D15", "D4 P15 D15 P4"],
    19: [
        "D4 Q16", "D4 Q16 D16", "D4 Q16 D16 Q4", "D4 Q16 D16 Q4 K10", "D4 Q16 D16 Q4 D10 Q10",
        "D4 Q16 D16 Q4 D10 Q10 K10", "D4 Q16 D16 Q4 D10 Q10 K4 K16", "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10",
    ],
    25: [
        "D4 W22", "D4 W22 D22", "D4 W22 D22 W4", "D4 W22 D22 W4 N13", "D4 W22 D22 W4 D13 W13",
        "D4 W22 D22 W4 D13 W13 N13", "D4 W22 D22 W4 D13 W13 N4 N22", "D4 W22 D22 W4 D13 W13 N4 N22 N13",
    ],
}  # fmt: skip
"""By size, the points of 2, 3, … handicap stones as KataGo places them; GNU Go takes the fourth line on 12×12."""


@pytest.mark.parametrize("size", HANDICAP)
def test_handicap_stones_stand_where_gtp_says(size):
    for stones, names in enumerate(HANDICAP[size], 2):
        board = Board(size)
        assert board.place_handicap(stones) == names.split()
        assert (board.to_play, board.handicap) == ("white", stones)
    with pytest.raises(tengen.TengenError, match=f"2 to {stones} fixed handicap stones"):
        Board(size).place_handicap(stones + 1)


def test_boards_that_are_not_square_take_each_edge_distance_from_its_side():
    assert Board(19, 9).place_handicap(4) == ["D3", "Q7", "D7", "Q3"]
    for width, height, stones in [(8, 8, 5), (5, 5, 2), (19, 19, 10), (19, 19, 1), (19, 7, 5), (19, 6, 2)]:
        with pytest.raises(tengen.TengenError, match="handicap"):
            handicap_points(width, height, stones)


def test_benson_sees_two_eyes_and_what_they_enclose():
    board = Board.from_text([".X.XO", "XXXXO", "OOOO.", ".....", "....."])
    safe = board.safe_area()
    assert (safe.alive == np.where(board.stones == 1, 1, 0)).all()
    assert [tuple(p) for p in np.argwhere(safe.territory)] == [(0, 0), (0, 2)]


def test_playouts_are_the_same_for_any_number_of_threads():
    board = Board(9)
    one, three = board.playouts(100, seed=5), board.playouts(100, seed=5, threads=3)
    assert (one.black == three.black).all()
    assert (one.leads == three.leads).all()
    assert (board.playouts(100, seed=6).black != one.black).any()
    assert abs(one.ownership).max() <= 1


@pytest.mark.parametrize("sides", [(1,), (26,), (9, 1), (0,), (-3,), (2.5,), ("9",), (10**30,), (True,)])
def test_a_board_of_an_impossible_size_is_refused(sides):
    with pytest.raises(tengen.TengenError, match="2 to 25 points a side"):
        Board(*sides)


@pytest.mark.parametrize(
    "stones",
    [
        np.full((9, 9), 7),
        np.full((9, 9), np.nan),
        np.zeros((9, 9, 2)),
        np.zeros(9),
        np.zeros((1, 9)),
        np.zeros((0, 0)),
        np.zeros((9, 9), complex),
        np.full((9, 9), "X"),
        np.full((9, 9), None),
        [[0, 1], [0]],
        np.ones((9, 9)),
        np.full((3, 3), 10**18),
    ],
    ids=lambda stones: str(np.shape(stones) if not isinstance(stones, list) else "ragged"),
)
def test_hostile_arrays_are_refused(stones):
    with pytest.raises(tengen.TengenError):
        Board.from_stones(stones)


def test_arrays_of_other_kinds_and_strides_are_read():
    stones = np.zeros((18, 10))[::2, ::2]
    stones[0, 1] = -1.0
    board = Board.from_stones(np.asfortranarray(stones))
    assert (board.width, board.height) == (5, 9)
    assert board.stones[0, 1] == -1


@pytest.mark.parametrize("rows", ["", ["X?"], ["XO", "X"], [1, 2], "X"])
def test_hostile_text_is_refused(rows):
    with pytest.raises(tengen.TengenError):
        Board.from_text(rows)


@pytest.mark.parametrize(
    "call",
    [
        lambda board: board.playouts(-1),
        lambda board: board.playouts(10**12),
        lambda board: board.playouts(10, threads=-1),
        lambda board: board.playouts(10, seed=-1),
        lambda board: board.playouts(10, eye="round"),
        lambda board: board.playouts(10, first="nobody"),
        lambda board: board.play("Z99"),
        lambda board: board.play((9, 0)),
        lambda board: board.play("E5", "red"),
        lambda board: Board(9, komi="many"),
        lambda board: Board(9, komi=float("nan")),
        lambda board: Board(9, rules="backgammon"),
        lambda board: Board(9, handicap=-2),
    ],
)
def test_wrong_arguments_are_tengen_errors(call):
    with pytest.raises(tengen.TengenError):
        call(Board(9))


@pytest.mark.parametrize(("width", "height"), [(9, 9), (3, 5)])
def test_moves_have_numbers_row_by_row(width, height):
    board = Board(width, height)
    names = [board.move_name(index) for index in range(width * height + 1)]
    assert [board.index(name) for name in names] == [*range(width * height + 1)]
    assert (names[0], names[width], names[-1]) == (f"A{height}", f"A{height - 1}", "pass")
    with pytest.raises(tengen.TengenError):
        board.index("Z99")
