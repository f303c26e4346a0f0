"""Games one per line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from records_data import data_file

from tengen.errors import RecordError, TengenError
from tengen.go.files import unpacked
from tengen.go.lines import game_line, iter_lines, parse_line
from tengen.go.record import Game, read_all

EIGHT = "a:1\t9\t7\tChinese\tB+9.5\t\tB[fd];W[df];B[];W[]\tsomewhere"
NINE = "a:2\t19\t0.50\tJapanese\tW+Resign\tAB[pd][dp]AW[aa]\tW[cd];B[ed]\tsomewhere\t5d/8d"
TWELVE = "a:3\t9\t0.5\tAGA\tB+2\tAB[gc][cg]\tW[ee];B[];W[]\taa ba\tii\tok\tsomewhere\t1k/?"
RECTANGLE = "a:4\t13:9\t6.5\tjapanese\t?\t\tB[mi]\there"


def test_eight_columns() -> None:
    game = parse_line(EIGHT.encode())
    assert (game.id, game.size, game.komi, game.result, game.source) == ("a:1", 9, 7.0, "B+9.5", "somewhere")
    assert [move.point for move in game.moves] == ["F6", "D4", "pass", "pass"]


def test_nine_columns() -> None:
    game = parse_line(NINE.encode())
    assert (game.ranks, game.result, game.handicap) == ("5d/8d", "W+R", 0)
    assert game.setup == [("black", "Q16"), ("black", "D4"), ("white", "A19")]


def test_twelve_columns() -> None:
    game = parse_line(TWELVE.encode())
    assert (game.check, game.source, game.ranks, game.handicap) == ("ok", "somewhere", "1k/?", 2)
    assert game.territory == (["A9", "B9"], ["J1"])


@pytest.mark.parametrize("line", [EIGHT, NINE, TWELVE, RECTANGLE])
def test_lines_are_written_as_they_were(line: str) -> None:
    assert game_line(parse_line(line.encode())) == line


def test_a_game_becomes_a_line() -> None:
    game = Game.new(9, rules="chinese", komi=7.5)
    game.play("black", "E5")
    assert game_line(game, id="x", source="here") == "x\t9\t7.5\tchinese\t\t\tB[ee]\there"
    game.main_line()[-1].add_child().set_points("AB", ["A1"])
    with pytest.raises(TengenError, match="set up after the first move"):
        game_line(game)


@pytest.mark.parametrize("packed", [True, False])
def test_bad_lines_are_errors_and_the_rest_is_read(tmp_path: Path, packed: bool) -> None:
    bad = ["only\tthree\tcolumns", EIGHT.replace("B[fd]", "B[fd"), EIGHT.replace("B[fd]", "C[fd]"),
           EIGHT.replace("B[fd]", "B[f\\]d]"), NINE.replace("AB[pd]", "AB[pd];B[aa]")]  # fmt: skip
    data = "\n".join([EIGHT, *bad, NINE, ""]).encode()
    path = tmp_path / "games.tsv"
    path.write_bytes(gzip.compress(data) if packed else data)
    games = read_all(path)
    assert [game.id for game in games] == ["a:1", "a:2"]
    assert [(error.file, error.game) for error in games.errors] == [(str(path), number) for number in range(2, 7)]
    assert games.errors[0].offset == len(EIGHT) + 1
    assert games.errors[0].problem == "a line has 8, 9 or 12 columns, not 3"


def test_a_point_outside_the_board_costs_that_point() -> None:
    game = parse_line(NINE.replace("W[cd]", "W[zz]").replace("[dp]", "[dz]").encode())
    assert (game.moves, game.setup) == ([("black", "E16")], [("black", "Q16"), ("white", "A19")])
    assert len(game.warnings) == 2
    assert game_line(game) == NINE.replace("W[cd];", "").replace("[dp]", "")


def test_values_are_mended_in_a_line() -> None:
    game = Game.from_sgf("(;SZ[9]KM[375]RU[Chinese]RE[黑中盘胜];B[ee])")
    assert game_line(game, id="x", source="here") == "x\t9\t7.5\tChinese\tB+R\t\tB[ee]\there"


def test_without_a_list_the_first_bad_line_is_raised() -> None:
    lines = iter_lines(f"{EIGHT}\nbad".encode())
    assert next(lines).id == "a:1"
    with pytest.raises(RecordError, match="game 2"):
        next(lines)


def test_gzip_cut_short_is_an_error() -> None:
    packed = gzip.compress(EIGHT.encode())
    assert unpacked(packed + packed) == 2 * EIGHT.encode()
    for data in (packed[:-9], packed[:12], b"\x1f\x8b" + b"x" * 30):
        with pytest.raises(RecordError, match="gzip"):
            unpacked(data)


@pytest.mark.parametrize(
    "name", ["kgs19-territory-train", "goquest9-train", "kgs19-counted-train", "ogs9-checked-train"]
)
def test_real_lines_are_written_as_they_were(name: str) -> None:
    lines = unpacked(data_file(f"games/{name}.tsv.gz").read_bytes()).split(b"\n")[:200]
    for line in filter(None, lines):
        assert game_line(parse_line(line)).encode() == line
