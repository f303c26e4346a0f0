"""A game in the terminal."""

import tengen
from cli.program import run


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
    said = run("play", "--size", 2, "--playouts", 30, "--komi", 0.5, stdin="pass\n" * 30).stdout
    assert "komi: Black 0, White 0.5" in said


def test_white_moves_second_and_may_take_handicap():
    said = run("play", "--size", 9, "--colour", "white", "--handicap", 2, "--playouts", 30, stdin="E5\nresign\n").stdout
    assert said.index("white to play") < said.index("Tengen plays")
    assert "you resign" in said


def test_the_end_of_the_input_ends_the_game():
    assert "left unfinished" in run("play", "--size", 5, "--playouts", 30, stdin="").stdout
