"""examples/make_games.py: games of GNU Go against itself, each with its own seed; a stopped run resumes."""

import runpy
import sys
from pathlib import Path

import pytest

from engines.processes import needs_gnugo
from tengen.go.lines import parse_line

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "make_games.py"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(SCRIPT), run_name="make_games")


def test_a_line_that_was_cut_off_is_made_again(script, tmp_path):
    part = tmp_path / "games.tsv.part"
    part.write_text("gnugo9:0\t9\twhole\ngnugo9:1\t9\tcut", encoding="utf-8")
    assert script["_read_part"](part) == {"gnugo9:0": "gnugo9:0\t9\twhole"}
    assert part.read_text(encoding="utf-8") == "gnugo9:0\t9\twhole\n"
    assert script["_read_part"](tmp_path / "none") == {}


def test_of_equal_games_the_first_is_kept(script):
    games = ["a\t9\t7\tchinese\tB+2\t\tB[ee];W[]\tx", "b\t9\t7\tchinese\tB+2\t\tB[ee];W[]\tx"]
    other = ["c\t9\t7\tchinese\tB+2\t\tB[ef];W[]\tx", "d\t19\t7\tchinese\tB+2\t\tB[ee];W[]\tx"]
    assert script["_different"](games + other) == [games[0], *other]


@needs_gnugo
def test_the_same_number_gives_the_same_game(script, tmp_path, monkeypatch):
    for name in ("one.tsv", "two.tsv"):
        arguments = ["make_games.py", str(tmp_path / name), "--small", "1", "--large", "0", "--level", "1"]
        monkeypatch.setattr(sys, "argv", [*arguments, "--workers", "1"])
        script["main"]()
    (line,) = (tmp_path / "one.tsv").read_text(encoding="utf-8").splitlines()
    assert (tmp_path / "two.tsv").read_text(encoding="utf-8") == line + "\n"
    assert not (tmp_path / "one.tsv.part").exists()
    assert line.startswith("gnugo9-level1:0\t9\t7\tchinese\t")
    game = parse_line(line.encode())
    assert len(game) > 20
    assert game.illegal_moves() == []
