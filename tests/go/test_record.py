"""Reading records: what a good one says, and what a broken one must have meant."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from tengen.errors import RecordError, TengenError
from tengen.go.record import Game, Move, PlayerInfo, read, read_all
from tengen.go.rules import Rules

GAME = (
    "(;FF[4]GM[1]SZ[9]KM[5.5]RU[Chinese]RE[W+3.50]PB[Shusaku]BR[4d]PW[Gennan]WR[8d]DT[1846-07-21]EV[Ear]"
    ";B[ee];W[gc];B[cg];W[])"
)


def warned(game: Game, words: str) -> bool:
    return any(words in warning for warning in game.warnings)


def test_the_head_of_a_record() -> None:
    game = Game.from_sgf(GAME)
    assert (game.width, game.height, game.size) == (9, 9, 9)
    assert (game.komi, game.handicap, game.result) == (5.5, 0, "W+3.5")
    assert game.rules == Rules.parse("chinese")
    assert game.players.black == PlayerInfo("Shusaku", "4d")
    assert game.players.white == ("Gennan", "8d")
    assert (game.date, game.event, game.place) == ("1846-07-21", "Ear", "")
    assert game.warnings == []


def test_moves_have_gtp_names() -> None:
    game = Game.from_sgf(GAME)
    assert game.moves == [Move("black", "E5"), ("white", "G7"), ("black", "C3"), ("white", "pass")]
    assert len(game) == 4


def test_the_board_after_each_move() -> None:
    game = Game.from_sgf("(;SZ[3];B[ba];W[aa];B[ab])")
    assert game.board(0).stones.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert game.board(2).stones.tolist() == [[-1, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert game.board().stones.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("n", [-1, 5])
def test_there_is_no_board_beyond_the_moves(n: int) -> None:
    with pytest.raises(TengenError, match="the game has 4 moves"):
        Game.from_sgf(GAME).board(n)


def test_the_board_carries_rules_komi_and_handicap() -> None:
    board = Game.from_sgf("(;SZ[9]RU[AGA]KM[0.5]HA[2]AB[gc][cg];W[ee])").board()
    assert (board.rules, board.komi, board.handicap) == (Rules.parse("aga"), 0.5, 2)


def test_setup_stones() -> None:
    game = Game.from_sgf("(;SZ[9]AB[aa:ba]AW[cc]AE[ba];AW[dd];B[ee];AB[ff])")
    assert game.setup == [("black", "A9"), ("white", "C7"), ("white", "D6")]


def test_stones_set_up_in_the_middle_of_a_game() -> None:
    game = Game.from_sgf("(;SZ[5]AB[aa];AE[aa]AW[bb];B[cc];W[dd];AB[aa]AE[dd];B[ee])")
    assert [stone.point for stone in game.setup] == ["B4"]
    assert game.later_setup == [(2, "black", "A5"), (2, "empty", "D2")]
    assert game.board(2).stones[0, 0] == 1  # they come before the next move is looked at


def test_rectangular_board() -> None:
    game = Game.from_sgf("(;SZ[13:9];B[mi];W[aa])")
    assert (game.width, game.height, game.size) == (13, 9, 13)
    assert [move.point for move in game.moves] == ["N1", "A9"]


def test_points_up_to_52() -> None:
    game = Game.from_sgf("(;SZ[52];B[ZZ];W[aA])")
    assert game.moves == [("black", "BB1"), ("white", "A26")]


def test_tt_is_a_pass_up_to_19_and_a_point_beyond() -> None:
    assert Game.from_sgf("(;SZ[19];B[tt])").moves == [("black", "pass")]
    assert Game.from_sgf("(;SZ[21];B[tt])").moves == [("black", "U2")]


def test_long_names_of_ff3() -> None:
    game = Game.from_sgf("(;GaMe[1]FileFormat[3]SiZe[9]KoMi[5.5];Black[aa];White[bb])")
    assert (game.size, game.komi, len(game)) == (9, 5.5, 2)


@pytest.mark.parametrize(
    ("raw", "result"),
    [
        ("B+R", "B+R"), ("W+Resign", "W+R"), ("B+T", "B+T"), ("W+Time", "W+T"), ("B+F", "B+F"), ("b+3.50", "B+3.5"),
        ("W+4.0", "W+4"), ("B+3,5", "B+3.5"), ("B+3 1/2", "B+3.5"), ("0", "Draw"), ("Jigo", "Draw"), ("Void", "Void"),
        ("?", "?"), ("", ""), ("B+", "B+"), ("Black wins by resignation", "B+R"),
        ("黑中盘胜", "B+R"),
        ("白胜3目半", "W+3.5"),
        ("B+R (move 99)", "B+R"),
        ("White wins on time", "W+T"),
        ("unfinished", "?"), ("broken", "?"),
        ("White resigns", "B+R"), ("Black lost on time", "W+T"), ("White won by 3.5 points", "W+3.5"),
        ("黒中押し勝ち", "B+R"), ("白番半目勝ち", "W+0.5"), ("白両目半勝", "W+2.5"), ("白投了", "B+R"),
        ("黑超时负", "W+T"),
        ("黑胜3/4子", "B+1.5"), ("白胜1又3/4子", "W+3.5"), ("黑胜一又四分之三子", "B+3.5"), ("黑胜十二目半", "B+12.5"),
        ("白胜黑", "W+"), ("共188手，黑中盘胜", "B+R"), ("白先黑死", "?"), ("黑先胜", "?"), ("和棋", "Draw"),
        ("흑 불계승", "B+R"), ("백 3집반승", "W+3.5"), ("흑반집승", "B+0.5"), ("백 시간승", "W+T"),
        ("Ｂ＋３．５", "B+3.5"), ("W+3½", "W+3.5"), ("B+2.75", "B+5.5"),
    ],
)  # fmt: skip
def test_results(raw: str, result: str) -> None:
    assert Game.from_sgf(f"(;RE[{raw}];B[aa])").result == result


def test_an_unknown_result_is_a_warning() -> None:
    assert warned(Game.from_sgf("(;RE[who knows];B[aa])"), "result 'who knows' is not known")


@pytest.mark.parametrize(
    ("head", "komi", "words"),
    [
        ("KM[6,5]", 6.5, "KM[6,5] was read as 6.5"),
        ("KO[6.5]", 6.5, "komi 6.5 was taken from KO"),
        ("KM[375]", 7.5, "KM[375] counts hundredths; komi is 7.5"),
        ("KM[650]", 6.5, "KM[650] counts hundredths; komi is 6.5"),
        ("KM[750]", 7.5, "KM[750] counts hundredths; komi is 7.5"),
        ("KM[3.75]", 7.5, "KM[3.75] counts stones; komi is 7.5 points"),
        ("KM[six]", 6.5, "KM[six] is not a number"),
        ("", 6.5, "no komi is recorded"),
        ("RU[Chinese]", 7.5, "komi 7.5 was assumed"),
        ("AP[foxwq]KM[0]HA[0]RU[Chinese]", 7.5, "Fox writes KM[0] in even games too; komi 7.5 was assumed"),
        ("AP[GNU Go:3.8]AP[foxwq]KM[0]HA[0]RU[Japanese]", 6.5, "komi 6.5 was assumed"),
    ],
)
def test_mended_komi(head: str, komi: float, words: str) -> None:
    game = Game.from_sgf(f"(;{head};B[aa];W[bb])")
    assert game.komi == komi
    assert warned(game, words)


@pytest.mark.parametrize("komi", [0, -999, 101, -3.5])
def test_odd_komi_is_believed_elsewhere(komi: float) -> None:
    game = Game.from_sgf(f"(;KM[{komi}]RU[Japanese];B[aa];W[bb])")
    assert game.komi == komi
    assert game.warnings == []


def test_fox_handicap_games_have_no_komi() -> None:
    assert Game.from_sgf("(;AP[foxwq]KM[0]HA[2]AB[dd][pp];W[aa])").komi == 0


@pytest.mark.parametrize(
    ("komi", "rules"), [("7.5", "chinese"), ("375", "chinese"), ("7", "chinese"), ("6.5", "japanese")]
)
def test_missing_rules_are_guessed_from_komi(komi: str, rules: str) -> None:
    game = Game.from_sgf(f"(;KM[{komi}];B[aa])")
    assert game.rules == Rules.parse(rules)
    assert warned(game, f"no rules are recorded; {rules} rules were assumed")


def test_unknown_rules_are_a_warning() -> None:
    assert warned(Game.from_sgf("(;KM[6.5]RU[Calvinball];B[aa])"), "rules 'Calvinball' are not known")


@pytest.mark.parametrize(
    ("text", "handicap", "words"),
    [
        ("HA[3];B[dd];B[pp];B[pd];W[dp]", 3, "HA[3] without AB: Black's first 3 moves are the handicap"),
        ("HA[4];W[dd];B[pp]", 4, "HA[4] but no handicap stones are placed"),
        ("HA[2]AB[dd][pp][pd];W[aa]", 2, "HA[2] but 3 black stones are set up"),
        ("HA[0];B[dd];B[pp];W[dp]", 2, "Black's first 2 moves are the handicap"),
        ("AB[dd][pp];W[dp]", 2, "Black's 2 stones before White's first move are the handicap"),
        ("HA[two];B[dd];W[pp]", 0, "HA[two] is not a number of stones"),
    ],
)
def test_mended_handicap(text: str, handicap: int, words: str) -> None:
    game = Game.from_sgf(f"(;{text})")
    assert game.handicap == handicap
    assert warned(game, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(SZ[9];B[aa])", "a node began without its ; (byte 1)"),
        ("(;sz[9];b[aa])", "lower case were read as capitals (byte 2)"),
        ("(;SZ[9];B[aa]", "ended without its ) (byte 13)"),
        ("(;SZ[9];B[aa])\nthanks", "text after the game was skipped (byte 14)"),
        ("From: me\n(;SZ[9];B[aa])", "text before the first game was skipped"),
        ("(;SZ[9]AB[bb]AB[cc];B[aa])", "stood twice in one node and its values were joined (byte 13)"),
        ("(;SZ[9];B[aa] oops)", "stray text between properties was skipped (byte 14)"),
        ("(;SZ[9]AB[zz][bb];B[aa])", "AB[zz]: points outside the board were ignored in a setup (byte 10)"),
        ("(;SZ[9];B[aa]W[bb])", "several moves in one node were all played, in order (byte 15)"),
        ("(;SZ[nine];B[aa])", "SZ is no board size from 1 to 52; 19x19 was assumed (byte 5)"),
    ],
)
def test_mended_syntax(text: str, words: str) -> None:
    game = Game.from_sgf(text)
    assert game.moves[0].point in ("A9", "A19")
    assert warned(game, words)


def test_joined_values_of_a_repeated_property() -> None:
    game = Game.from_sgf("(;SZ[9]AB[bb]AB[cc];B[aa])")
    assert game.root.values("AB") == ["bb", "cc"]
    assert len(game.setup) == 2


def test_a_byte_order_mark_is_no_junk() -> None:
    assert Game.from_sgf(b"\xef\xbb\xbf" + GAME.encode()).warnings == []


@pytest.mark.parametrize("value", ["zz", "a", "jj", "a1", "aaa", "é"])
def test_a_move_outside_the_board_costs_that_move(value: str) -> None:
    game = Game.from_sgf(f"(;SZ[9]KM[6.5]RU[Japanese];B[ee];W[{value}];B[cc];W[gg])")
    assert game.moves == [("black", "E5"), ("black", "C7"), ("white", "G3")], "colours are as recorded"
    assert game.warnings == [f"W[{value}] after move 1: a move outside the board was ignored (byte 35)"]
    assert (len(game), game.board().to_play) == (3, "black")


def test_the_turn_passes_after_a_move_outside_the_board() -> None:
    game = Game.from_sgf("(;SZ[9];B[ee];W[zz])")
    assert (game.board().to_play, game.board(1).to_play) == ("black", "black")
    game = Game.from_sgf("(;SZ[9];B[ee];W[gg];B[zz])")
    assert game.board().to_play == "white"


def test_many_moves_outside_the_board_are_named_in_brief() -> None:
    game = Game.from_sgf("(;SZ[9]KM[6.5]RU[Japanese]AB[zz][aa:zz];" + ";".join(["B[qq]", "W[cc]"] * 20) + ")")
    assert (len(game), len(game.setup)) == (20, 81)
    assert game.warnings[:2] == [
        "AB[zz]: points outside the board were ignored in a setup (byte 29)",
        "AB[aa:zz]: points outside the board were ignored in a setup (byte 33)",
    ]
    assert [w for w in game.warnings if "B[qq]" in w] == [
        f"B[qq] after move {n}: a move outside the board was ignored (byte {42 + 12 * n})" for n in range(5)
    ]
    assert warned(game, "15 more moves outside the board, 20 in all")


def test_illegal_moves_are_warnings() -> None:
    ko = "AB[ba][ab][bc]AW[ca][bb][cc][db];B[cb];W[bb]"
    game = Game.from_sgf(f"(;SZ[5]KM[0]RU[Japanese]{ko};B[bb];W[ee];W[aa])")
    played = "is illegal and was played all the same"
    assert game.illegal_moves() == [2, 3, 5]
    assert game.warnings == [
        f"move 2 {played}: White may not play B4: it would take back the ko at once",
        f"move 3 {played}: Black may not play B4: there is a stone already",
        f"move 5 {played}: White may not play A5: it would be suicide",
    ]
    repeated = Game.from_sgf(f"(;SZ[5]KM[0]RU[New Zealand]{ko})")
    assert warned(repeated, "White may not play B4: it would repeat an earlier position (superko)")


def test_many_illegal_moves_are_named_in_brief() -> None:
    game = Game.from_sgf("(;SZ[9]KM[0]RU[Japanese]" + ";B[aa];W[aa]" * 10 + ")")
    assert [warning.split()[1] for warning in game.warnings[:5]] == ["2", "3", "4", "5", "6"]
    assert game.warnings[5:] == ["14 more illegal moves, 19 in all"]


def test_moves_are_replayed_once_for_the_board_and_its_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    replays = []
    replay = Game._replay
    monkeypatch.setattr(Game, "_replay", lambda game, n: replays.append(n) or replay(game, n))
    game = Game.from_sgf(GAME)
    assert game.board().move_number == 4
    assert (game.warnings, game.illegal_moves()) == ([], [])
    assert replays == [None]


def test_boards_too_large_to_play_on_have_no_illegal_moves() -> None:
    assert Game.from_sgf("(;SZ[52]KM[0]RU[Japanese];B[aa];W[aa])").warnings == []


def test_a_game_is_its_moves() -> None:
    game = Game.from_sgf(GAME)
    assert list(game) == game.moves
    assert len(list(game)) == len(game)
    assert [move.point for move in game] == ["E5", "G7", "C3", "pass"]


def test_another_game_is_an_error() -> None:
    with pytest.raises(RecordError, match="not a game of Go"):
        Game.from_sgf("(;GM[2];B[aa])")


def test_the_rest_of_a_collection_is_read(tmp_path: Path) -> None:
    path = tmp_path / "club.sgf"
    path.write_text("(;SZ[9];B[aa])\n(;SZ[9]C[oops)\n(;SZ[9];GM[1])\n(;GM[2];B[zz])\n(;SZ[9];B[dd])")
    games = read_all(path)
    assert [game.index for game in games] == [1, 3, 5]
    assert [(error.file, error.game, error.offset) for error in games.errors] == [
        (str(path), 2, 23),
        (str(path), 4, 50),
    ]


def test_errors_count_bytes_of_the_original_file() -> None:
    text = "(;CA[GB2312]SZ[9]C[黑中盘胜];B[aa])\n(;GM[77];B[zz])"
    data = text.encode("gb18030")
    assert read_all(data).errors[0].offset == data.index(b"77")
    utf16 = text.encode("utf-16")
    assert read_all(utf16).errors[0].offset == utf16.index("77".encode("utf-16-le"))


def test_many_errors_of_a_transcoded_file_are_found_quickly() -> None:
    times = []
    for count in (2_000, 20_000):
        data = ("(;CA[GB2312]C[黑中盘胜];B[aa])" + "(;C[黑中]GM[77])" * count).encode("gb18030")
        start = time.process_time()
        errors = read_all(data).errors
        times.append(time.process_time() - start)
        assert errors[-1].offset == data.rindex(b"77")
    assert times[1] < 40 * times[0]  # 10 times if each byte is read once, 100 times if each error reads the file


def test_read_takes_the_first_game_that_can_be_read() -> None:
    game = read(b"(;GM[2];B[zz])(;SZ[9];B[aa])")
    assert game.index == 2
    assert warned(game, "not a game of Go: GM is not 1 [2] (game 1)")


def test_nothing_to_read() -> None:
    for data in (b"", b"   ", b"just (some) text", b"\x00\xff\xfe"):
        with pytest.raises(RecordError, match="holds no game"):
            read_all(data)


def test_read_all_takes_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.SGF").write_text(GAME)
    (tmp_path / "a.sgf").write_text(GAME + "(;GM[2])")
    (tmp_path / "c.sgf").write_text("nothing")
    (tmp_path / "notes.txt").write_text(GAME)
    for folder in (tmp_path, str(tmp_path)):
        games = read_all(folder)
        assert [game.file for game in games] == [str(tmp_path / "a.sgf"), str(tmp_path / "b" / "one.SGF")]
        assert [(error.file, error.game) for error in games.errors] == [
            (str(tmp_path / "a.sgf"), 2),
            (str(tmp_path / "c.sgf"), None),
        ]
    with pytest.raises(IsADirectoryError):
        read(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="empty: holds no game record"):
        read_all(tmp_path / "empty")


def test_a_missing_file_stays_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.sgf")


def test_records_from_open_files() -> None:
    assert len(read(io.BytesIO(GAME.encode()))) == 4
    assert len(read(io.StringIO(GAME))) == 4


def test_reading_is_lazy() -> None:
    games = read_all((GAME * 1000).encode())
    assert len(games) == 1000
    assert not any(game._known for game in games)


def test_a_board_from_a_record_can_be_undone_to_its_start() -> None:
    game = Game.from_sgf("(;SZ[5]AB[cc];B[ba];W[aa];B[ab];W[];B[dd])")
    board = game.board()
    board.play("E5")
    board.undo()
    for n in range(len(game) - 1, -1, -1):
        board.undo()
        assert board.stones.tolist() == game.board(n).stones.tolist()
        assert (board.to_play, board.captures) == (game.board(n).to_play, game.board(n).captures)


@pytest.mark.parametrize("name", ["KM", "RE", "RU", "HA"])
def test_a_monstrous_value_is_quoted_in_brief(name):
    game = Game.from_sgf(f"(;SZ[9]{name}[{'B+' if name == 'RE' else ''}{'9' * 5000}];B[ee])")
    assert max(map(len, game.warnings)) < 200
    assert game.result in ("", "?")
