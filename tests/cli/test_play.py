"""A game in the terminal."""

import io
import os
import signal
import subprocess
import sys

import pytest

import tengen
from cli.program import ROOT, call, run
from tengen.cli.play import Sitting
from tengen.search.player import Player


def test_a_person_plays_takes_back_and_leaves(tmp_path):
    file = tmp_path / "game.sgf"
    said = run(
        "play", "--size", 5, "--playouts", 30, "-o", file, stdin="C3\nundo\nB2\nz9\nB2\nhint\nscore\nhelp\nquit\n"
    ).stdout
    assert said.count("Tengen plays") == 2
    assert "'z9' is not" in said or "is off the 5×5 board" in said
    assert "there is a stone already" in said
    assert "Tengen would play" in said
    assert "territory: Black" in said
    assert said.rstrip().endswith("the game is left unfinished")
    game = tengen.read(file)
    assert game.moves[0] == ("black", "B2")
    assert len(game) == 2
    assert game.players.white.name == "Tengen"


def test_two_passes_end_the_game_with_the_score():
    said = call("play", "--size", 2, "--playouts", 30, "--komi", 0.5, stdin="pass\n" * 30).stdout
    assert "komi: Black 0, White 0.5" in said


def test_white_moves_second_and_may_take_handicap():
    said = call(
        "play", "--size", 9, "--colour", "white", "--handicap", 2, "--playouts", 30, stdin="E5\nresign\n"
    ).stdout
    assert said.index("white to play") < said.index("Tengen plays")
    assert "you resign" in said


def test_a_player_without_a_tree_answers():
    said = call("play", "--size", 5, "--kind", "1-ply", "--guide", "territory/naive", stdin="C3\nhint\nquit\n").stdout
    assert said.count("Tengen plays") == 1
    assert "Tengen would play" in said
    assert "needs a guide" in call("play", "--kind", "2-ply", code=2).stderr


def test_the_end_of_the_input_ends_the_game():
    assert "left unfinished" in call("play", "--size", 5, "--playouts", 30, stdin="").stdout


def test_the_result_is_saved(tmp_path):
    file = tmp_path / "game.sgf"
    call("play", "--size", 5, "--playouts", 30, "-o", file, stdin="C3\nresign\n")
    assert tengen.read(file).result == "W+R"
    unfinished = tmp_path / "unfinished.sgf"
    call("play", "--size", 5, "--playouts", 30, "-o", unfinished, stdin="C3\n")
    assert tengen.read(unfinished).result == ""


@pytest.mark.parametrize(("name", "result"), [("finished-9x9.sgf", "W+8"), ("unfinished", "?")])
def test_a_count_is_saved_as_the_result_if_it_is_safe(tmp_path, monkeypatch, name, result):
    board = tengen.Board(9) if name == "unfinished" else tengen.read(ROOT / "examples" / name).board()
    if name == "unfinished":
        board.play("E5")
        board.play("pass")
    else:
        board.undo()  # the closing pass
    monkeypatch.setattr(sys, "stdin", io.StringIO("pass\n"))
    game = Sitting(Player(board), board.to_play, tmp_path / "game.sgf")
    game.play()
    game.save()
    assert tengen.read(tmp_path / "game.sgf").result == result


@pytest.mark.parametrize("place", ["missing/game.sgf", "folder"])
def test_a_path_that_cannot_be_written_is_refused_before_the_game(tmp_path, place):
    (tmp_path / "folder").mkdir()
    done = call("play", "--size", 5, "--playouts", 30, "-o", tmp_path / place, stdin="C3\nquit\n", code=2)
    assert done.stdout == ""
    assert done.stderr.startswith(f"tengen play: {tmp_path / place}: ")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_an_earlier_file_is_not_overwritten(tmp_path):
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9];B[ee])")
    refused = call("play", "--size", 5, "--playouts", 30, "-o", file, stdin="C3\nquit\n", code=2)
    assert refused.stdout == ""
    assert f"{file} exists and would be overwritten: choose another name" in refused.stderr
    assert file.read_text() == "(;SZ[9];B[ee])"


def test_an_empty_file_is_filled_and_stays_empty_if_the_game_never_began(tmp_path):
    file = tmp_path / "game.sgf"
    file.touch()
    call("play", "--size", 5, "--playouts", 30, "-o", file, stdin="quit\n")
    assert file.read_text() == ""
    call("play", "--size", 5, "--playouts", 30, "-o", file, stdin="C3\nquit\n")
    assert tengen.read(file).moves[0].point == "C3"


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_the_game_is_on_disk_after_every_move(tmp_path, number, code):
    file = tmp_path / "game.sgf"
    argv = [sys.executable, "-m", "tengen", "play", "--size", "5", "--playouts", "30", "-o", str(file)]
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    process.stdin.write("C3\n")
    process.stdin.flush()
    printed = ""
    while printed.count("black to play: ") < 2 and (more := process.stdout.read(1)):  # until it waits for the next line
        printed += more
    assert len(tengen.read(file)) == 2
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == code
    assert said == ("tengen play: stopped\n" if code == 130 else "")
    assert tengen.read(file).moves[0].point == "C3"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("verb", ["play", "match"])
def test_the_help_of_games_without_a_record_speaks_of_none(verb):
    text = call(verb, "--help").stdout
    assert "Points White receives" in text
    assert "record's" not in text
