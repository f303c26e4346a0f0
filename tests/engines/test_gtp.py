"""The GTP client against an engine with every bad habit."""

import gc
import os
import signal
import subprocess
import sys
import time

import pytest

import tengen
from engines.processes import GTP, alive, gone
from tengen.engines.gtp import GtpEngine
from tengen.engines.process import EngineDied
from tengen.engines.program import with_restarts
from tengen.errors import EngineError, TengenError


@pytest.fixture
def engine():
    with GtpEngine(GTP, timeout=10) as engine:
        pid = engine.pid
        yield engine
    assert gone(pid, within=0)


# Answers.


def test_an_answer_comes_without_its_sign_and_number(engine):
    assert engine.send("echo", "komi", 7.5) == "komi 7.5"
    assert engine.name == "Double"


def test_a_refusal_names_the_command_and_gives_the_engines_words(engine):
    with pytest.raises(EngineError, match=r"refused 'refuse Q16': not today"):
        engine.send("refuse", "Q16")
    assert engine.send("echo", "next") == "next"


def test_what_is_printed_between_answers_is_skipped(engine):
    assert engine.send("chatter") == "done"
    assert engine.send("late") == "today's"
    assert engine.send("without_number") == "who asked?"


def test_answers_of_several_lines_with_any_line_ends(engine):
    assert engine.send("windows") == "A1\nB2"
    assert engine.send("blank") == "above\n\nbelow"


def test_megabytes_are_read_whole(engine):
    answer = engine.send("megabytes", 8)
    assert len(answer) == 8 * 1_000_000 - 1


def test_a_noisy_stderr_does_not_block(engine):
    assert engine.send("noise") == "calm"


def test_a_command_is_one_line(engine):
    with pytest.raises(TengenError, match="one line"):
        engine.send("play", "black\nquit")


def test_a_command_line_may_be_one_text():
    with GtpEngine(f"'{GTP[0]}' '{GTP[1]}' 'two words'") as engine:
        assert engine.argv == [*GTP, "two words"]
        assert "two" in engine.known_commands


# Engines that fail.


def test_an_engine_that_hangs_is_stopped(engine):
    pid, start = engine.pid, time.monotonic()
    with pytest.raises(EngineDied, match="did not answer in time and was stopped while answering 'hang'"):
        engine.send("hang", timeout=0.2)
    assert time.monotonic() - start < 2
    assert not alive(pid)


def test_an_engine_that_talks_without_end_is_stopped(engine):
    with pytest.raises(EngineDied, match="did not answer in time"):
        engine.send("flood", timeout=0.5)


def test_an_engine_that_stops_listening_does_not_block_us(engine):
    engine.send("deaf")
    with pytest.raises(EngineDied, match="did not answer in time"):
        engine.send("echo", "x" * 1_000_000, timeout=0.3)


def test_an_engine_that_dies_gives_its_status_and_last_words(engine):
    with pytest.raises(EngineDied, match=r"ended while answering 'die' \(exit status 3\); stderr: out of memory"):
        engine.send("die")


def test_an_engine_that_closes_its_output_counts_as_dead(engine):
    pid = engine.pid
    with pytest.raises(EngineDied, match="ended while answering 'close'"):
        engine.send("close")
    assert not alive(pid)


def test_a_dead_engine_stays_dead_until_it_is_restarted(engine):
    with pytest.raises(EngineDied):
        engine.send("die")
    with pytest.raises(EngineDied, match=r"has ended; restart\(\)"):
        engine.send("name")
    engine.restart()
    assert engine.name == "Double"


def test_a_program_that_is_not_there_is_named_with_where_to_get_it():
    with pytest.raises(EngineError, match=r"katago was not found .*lightvector/KataGo/releases"):
        GtpEngine(["/nowhere/katago", "gtp"]).send("name")
    with pytest.raises(EngineError, match=r"no-such-engine.* whole path"):
        GtpEngine("no-such-engine").start()
    with pytest.raises(EngineError, match="is empty"):
        GtpEngine("")
    with pytest.raises(EngineError, match="cannot be split"):
        GtpEngine("gnugo 'half")


def test_a_program_that_ends_at_once_says_why():
    with pytest.raises(EngineDied, match=r"exit status 2.*can't open file"):
        GtpEngine([sys.executable, "no-such-file.py"]).send("name")


# Restarts.


def test_a_killed_engine_costs_one_retry():
    kills = [True]

    def job(engine):
        engine.send("echo", "set up")
        if kills:
            kills.pop()
            os.kill(engine.pid, signal.SIGKILL)
        return engine.send("echo", "scored")

    with GtpEngine(GTP, timeout=10) as engine:
        assert with_restarts(engine, job) == "scored"


def test_a_job_that_kills_every_engine_is_given_up(engine):
    tried = []
    with pytest.raises(EngineDied, match="exit status 3"):
        with_restarts(engine, lambda engine: tried.append(1) or engine.send("die"), tries=3)
    assert len(tried) == 3


def test_a_refusal_is_no_reason_to_try_again(engine):
    tried = []
    with pytest.raises(EngineError, match="not today"):
        with_restarts(engine, lambda engine: tried.append(1) or engine.send("refuse"))
    assert len(tried) == 1


# Nothing is left behind.


def test_what_the_engine_started_ends_with_it():
    with GtpEngine(GTP, timeout=10) as engine:
        grandchild = int(engine.send("child"))
        assert alive(grandchild)
    assert gone(grandchild)


def test_an_engine_that_ignores_quit_and_terminate_is_killed():
    engine = GtpEngine(GTP, timeout=10)
    engine.send("stubborn")
    pid = engine.pid
    engine.close()
    assert not alive(pid)
    engine.close()  # twice does no harm


def test_a_forgotten_engine_ends():
    engine = GtpEngine(GTP, timeout=10)
    engine.send("name")
    pid = engine.pid
    del engine
    gc.collect()
    assert gone(pid, within=0)


OWNER = """
import sys, time
from tengen.engines.gtp import GtpEngine
engine = GtpEngine(sys.argv[1:])
engine.send("name")
print(engine.pid, flush=True)
"""


def test_engines_end_when_python_ends():
    answer = subprocess.run([sys.executable, "-c", OWNER, *GTP], capture_output=True, check=True, text=True)
    assert gone(int(answer.stdout))


def test_engines_end_when_their_owner_is_killed():
    command = [sys.executable, "-c", OWNER + "time.sleep(1000)", *GTP]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        pid = int(owner.stdout.readline())
        assert alive(pid)
        owner.kill()
    assert gone(pid)


# What an engine is told of a position.


def told(position, *knows, moves=None):
    with GtpEngine([*GTP, *knows], timeout=10) as engine:
        engine.set_position(position, moves)
        return [line for line in engine.send("dialogue").split("\n") if line not in ("list_commands", "name")]


def test_moves_are_told_as_they_were_played():
    board = tengen.Board(9, komi=6.5)
    board.play("E5")
    board.play("pass")
    board.play("C3")
    assert told(board) == [
        "boardsize 9",
        "clear_board",
        "komi 6.5",
        "play black E5",
        "play white pass",
        "play black C3",
    ]


def test_a_game_is_told_up_to_a_move():
    game = tengen.read(b"(;SZ[9]KM[7];B[ee];W[cc];B[gg])")
    assert told(game, moves=2)[3:] == ["play black E5", "play white C7"]
    with pytest.raises(TengenError, match="a number of moves goes with a Game"):
        told(tengen.Board(9), moves=2)


def test_stones_that_were_set_up_are_played_where_nothing_better_is_known():
    board = tengen.Board.from_text([". X O", "X O .", "O . ."], komi=0)
    assert told(board)[3:] == ["play black B3", "play black A2", "play white C3", "play white B2", "play white A1"]
    assert told(board, "set_position")[3:] == ["set_position black B3 black A2 white C3 white B2 white A1"]


def test_handicap_stones_are_called_so_and_their_bonus_goes_into_the_komi():
    board = tengen.Board(9, rules="chinese", komi=0.5)
    board.place_handicap(2)
    board.play("E5")
    assert told(board, "set_free_handicap")[2:] == ["komi 2.5", "set_free_handicap G7 C3", "play white E5"]
    assert told(board)[2:] == ["komi 2.5", "play black G7", "play black C3", "play white E5"]


def test_rules_are_told_to_engines_that_can_be_told():
    board = tengen.Board(9, rules="aga")
    assert told(board, "kgs-rules")[2] == "kgs-rules aga"
    rules = tengen.Rules.parse(told(board, "kata-set-rules", "kgs-rules")[2].removeprefix("kata-set-rules "))
    assert (rules.ko, rules.scoring, rules.handicap_bonus) == ("SITUATIONAL", "AREA", "0")


def test_only_engines_that_know_them_play_on_oblong_boards():
    assert told(tengen.Board(13, 9), "rectangular_boardsize")[0] == "rectangular_boardsize 13 9"
    with pytest.raises(EngineError, match="Double plays on square boards only, not on 13×9"):
        told(tengen.Board(13, 9))


def test_nonsense_is_not_taken_for_moves_or_points(engine):
    with pytest.raises(EngineError, match="genmove with nonsense: Z99 is off"):
        engine.genmove("black")
    with pytest.raises(EngineError, match="final_status_list dead with nonsense"):
        engine.final_status("dead")
    assert engine.final_score() is None
