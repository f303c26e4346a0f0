"""The GTP client with GNU Go itself."""

import os
import signal
from pathlib import Path

import pytest

import tengen
from engines.processes import gone, needs_gnugo
from tengen.engines.gtp import gnugo
from tengen.engines.process import EngineDied
from tengen.engines.program import with_restarts
from tengen.errors import EngineError

pytestmark = needs_gnugo

GAME = Path(__file__).parents[2] / "examples" / "finished-9x9.sgf"


@pytest.fixture
def engine():
    with gnugo(level=5) as engine:
        pid = engine.pid
        yield engine
    assert gone(pid, within=0)


def test_it_says_who_it_is(engine):
    assert (engine.name, engine.version) == ("GNU Go", "3.8")
    assert {"final_status_list", "estimate_score", "loadsgf"} <= engine.known_commands


def test_a_finished_game_is_scored_as_recorded(engine):
    engine.set_position(tengen.read(GAME))
    assert engine.final_score() == -8.0
    assert engine.estimate_score() == -8.0
    assert engine.final_status("dead") == ["H6", "H5", "J5", "C4", "D3"]
    assert engine.final_status("seki") == []
    assert len(engine.final_status("alive")) == 34


def test_stones_alone_have_the_same_dead(engine):
    board = tengen.read(GAME).board()
    engine.set_position(tengen.Board.from_stones(board.stones, rules="chinese", komi=7))
    assert engine.final_score() == -8.0
    assert sorted(engine.final_status("dead")) == ["C4", "D3", "H5", "H6", "J5"]


def test_every_stone_of_a_setup_stands(engine):
    board = tengen.Board.from_text([". X O . .", "X . X O .", "O X O . .", ". O . X X", ". . O X ."])
    engine.set_position(board)
    for colour, sign in (("black", 1), ("white", -1)):
        names = engine.send("list_stones", colour).split()
        assert sorted(names) == sorted(
            tengen.go.points.point_name(row, column, 5)
            for row in range(5)
            for column in range(5)
            if board.stones[row, column] == sign
        )


def test_territory_and_area_are_counted_by_the_rules_on_the_command_line():
    game = tengen.read(GAME)
    with gnugo(rules="japanese") as engine:
        engine.set_position(game)
        territory = engine.final_score()
    score = tengen.score(game, rules="japanese")
    assert territory == score.lead


def test_the_handicap_bonus_counts_under_chinese_rules(engine):
    text = [". X . X O . O", "X X X X O O .", ". X . X O . O"] + [". . X X O O ."] * 4
    lead = []
    for handicap in (0, 3):
        engine.set_position(tengen.Board.from_text(text, rules="chinese", komi=0, handicap=handicap))
        lead.append(engine.final_score())
    assert lead == [7.0, 4.0]


def test_the_same_stones_count_differently_with_other_prisoners():
    """GNU Go repeats its last count while the stones stay the same; a new position must be counted anew."""
    board, other = tengen.Board(5, rules="japanese", komi=0), tengen.Board(5, rules="japanese", komi=0)
    for move in ("C3", "A1", "A2", "pass", "B1"):
        board.play(move)
    for move in ("C3", "pass", "A2", "pass", "B1"):
        other.play(move)
    lead = []
    with gnugo(rules="japanese") as engine:
        for position in (board, other, board):
            engine.set_position(position)
            lead.append(engine.final_score())
    assert lead == [23.0, 22.0, 23.0]


def test_it_moves(engine):
    board = tengen.Board(5, komi=0)
    engine.set_position(board)
    assert engine.genmove("black") == "C3"
    engine.play("white", "pass")
    assert engine.send("list_stones", "black") == "C3"


def test_what_it_cannot_play_is_refused_in_its_words(engine):
    with pytest.raises(EngineError, match=r"gnugo refused 'boardsize 25': unacceptable size"):
        engine.set_position(tengen.Board(25))
    with pytest.raises(EngineError, match="square boards only"):
        engine.set_position(tengen.Board(13, 9))


def test_a_killed_gnugo_says_so(engine):
    engine.set_position(tengen.read(GAME))
    os.kill(engine.pid, signal.SIGKILL)
    with pytest.raises(EngineDied, match="killed by SIGKILL"):
        engine.final_score()


def test_a_killed_gnugo_costs_one_retry(engine):
    game, pids = tengen.read(GAME), []

    def dead(engine):
        engine.set_position(game)
        pids.append(engine.pid)
        if len(pids) == 1:
            os.kill(engine.pid, signal.SIGKILL)
        return engine.final_status("dead")

    assert with_restarts(engine, dead) == ["H6", "H5", "J5", "C4", "D3"]
    assert len(set(pids)) == 2
    assert gone(pids[0])
