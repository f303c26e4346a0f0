"""The analysis client against something that speaks KataGo's protocol, and against KataGo where there is one."""

import os
import signal

import numpy as np
import pytest

import tengen
from engines.processes import KATAGO, alive, gone
from tengen.engines.katago import KataGoAnalysis
from tengen.engines.process import EngineDied, find_program
from tengen.engines.program import with_restarts
from tengen.errors import EngineError, TengenError


@pytest.fixture
def engine(tmp_path):
    with KataGoAnalysis([*KATAGO, str(tmp_path / "died")], timeout=10, start_timeout=10) as engine:
        pid = engine.pid
        yield engine
    assert gone(pid)


def habit(name):
    return {"settings": {"habit": name}}


BOARD = """
    . X . .
    . X O .
    . . O .
"""


def test_an_answer_is_blacks_and_lies_as_the_board_does(engine):
    board = tengen.Board.from_text(BOARD, komi=1.5)
    answer = engine.query(board, visits=7)
    assert (answer.turn, answer.lead, answer.winrate, answer.visits) == (0, -1.5, 0.25, 7)
    assert np.array_equal(answer.ownership, board.stones)
    assert answer.policy is None
    assert [move.move for move in answer.moves] == ["C3", "pass"]
    assert answer.moves[0].line == ("C3",)


def test_the_policy_is_nothing_where_a_move_is_illegal(engine):
    answer = engine.query(tengen.Board.from_text(BOARD), policy=True, ownership=False)
    assert answer.ownership is None
    assert answer.policy.tolist() == [0.01, 0, 0.01, 0.01, 0.01, 0, 0, 0.01, 0.01, 0.01, 0, 0.01, 0.125]


def test_the_turns_of_a_game_come_in_the_order_asked_for(engine):
    game = tengen.read(b"(;SZ[9]KM[0];B[ee];W[cc];B[gg])")
    answers = engine.collect(engine.submit(game, turns=[3, 0, 1]))
    assert [(answer.turn, answer.lead) for answer in answers] == [(3, 1), (0, 0), (1, 1)]
    with pytest.raises(TengenError, match="turn 4 is not among 0 to 3"):
        engine.submit(game, turns=[4])


def test_turns_count_from_the_start_of_a_game_with_stones_put_down_on_the_way(engine):
    game = tengen.read(b"(;SZ[9]KM[0];B[ee];W[cc];AB[aa][ba];B[gg])")
    assert engine.query(game).turn == 3
    with pytest.raises(TengenError, match="turn 1 is not among 2 to 3"):
        engine.submit(game, turns=[1])


def test_whose_turn_it_is_wins_over_the_moves(engine):
    board = tengen.Board(9)
    board.play("E5")
    board.to_play = "black"
    request = engine._queries[engine.submit(board)].request
    assert (request["initialStones"], request["initialPlayer"], request["moves"]) == ([["B", "E5"]], "B", [])


def test_rules_and_komi_may_be_replaced_and_the_bonus_is_part_of_the_komi(engine):
    board = tengen.Board(9, rules="chinese", komi=0.5)
    board.place_handicap(2)
    request = engine._queries[engine.submit(board)].request
    assert (request["komi"], request["rules"]["whiteHandicapBonus"], request["initialPlayer"]) == (2.5, "0", "W")
    request = engine._queries[engine.submit(board, rules="japanese", komi=6.5)].request
    assert (request["komi"], request["rules"]["scoring"]) == (6.5, "TERRITORY")


def test_answers_may_come_in_any_order(engine):
    first = engine.submit(tengen.Board(5, komi=1), **habit("later"))
    second = engine.submit(tengen.Board(5, komi=2))
    assert engine.collect(first)[0].lead == -1
    assert engine.collect(second)[0].lead == -2
    with pytest.raises(TengenError, match="no query 'tengen-2' in flight"):
        engine.collect(first)


def test_lines_in_pieces_stray_lines_and_reports_during_the_search(engine):
    assert engine.query(tengen.Board(5, komi=3), **habit("in_pieces")).lead == -3


def test_many_positions_stay_in_order_and_errors_take_their_place(engine):
    boards = (tengen.Board(5, komi=komi) for komi in range(200))
    assert [answer.lead for answer in engine.query_many(boards, ahead=16)] == [-komi for komi in range(200)]
    refused = list(engine.query_many([tengen.Board(5)] * 2, **habit("error")))
    assert [str(error) for error in refused] == [str(refused[0])] * 2
    assert "refused a query: Illegal move 0: C3 (moves)" in str(refused[0])


def test_queries_nobody_waits_for_any_more_are_stopped(engine):
    answers = engine.query_many([tengen.Board(5)] * 10, ahead=4)
    next(answers)
    answers.close()
    assert engine._queries == {}


def test_errors_warnings_and_answers_that_make_no_sense(engine):
    board = tengen.Board(5)
    with pytest.raises(EngineError, match=r"Illegal move 0: C3 \(moves\)"):
        engine.query(board, **habit("error"))
    with pytest.raises(EngineError, match="reported an error: Could not parse"):
        engine.query(board, **habit("complain"))
    with pytest.raises(EngineError, match="stopped a query"):
        engine.query(board, **habit("stop"))
    with pytest.raises(EngineError, match="cannot be read: ValueError"):
        engine.query(board, **habit("short"))
    assert engine.query(board, **habit("warn")).lead == -7.5
    assert list(engine.warnings) == ["komi is unusual (komi)"]


def test_an_engine_that_cannot_take_blacks_side_is_not_believed(engine):
    with pytest.raises(EngineError, match="set reportAnalysisWinratesAs = BLACK"):
        engine.query(tengen.Board(5), **habit("partial_to_white"))


def test_a_dying_engine_gives_its_last_words(engine):
    with pytest.raises(EngineDied, match=r"ended while analysing \(exit status 134\); stderr: CUDA error"):
        engine.query(tengen.Board(5), **habit("die"))
    with pytest.raises(EngineDied, match=r"restart\(\)"):
        engine.query(tengen.Board(5))
    engine.restart()
    assert engine.query(tengen.Board(5)).lead == -7.5


def test_a_silent_engine_is_stopped(engine):
    pid = engine.pid
    with pytest.raises(EngineDied, match="did not answer in time"):
        engine.query(tengen.Board(5), timeout=0.2, **habit("hang"))
    assert not alive(pid)


def test_a_death_costs_one_retry_and_no_answer(engine):
    boards = (tengen.Board(5, komi=komi) for komi in range(20))
    answers = list(engine.query_many(boards, ahead=8, **habit("die_once")))
    assert [answer.lead for answer in answers] == [-komi for komi in range(20)]


def test_a_killed_engine_costs_one_retry(engine):
    engine.query(tengen.Board(5))
    os.kill(engine.pid, signal.SIGKILL)
    assert with_restarts(engine, lambda engine: engine.query(tengen.Board(5, komi=2))).lead == -2
    assert engine._queries == {}


def test_an_engine_that_always_dies_is_given_up(engine):
    with pytest.raises(EngineDied, match="exit status 134"):
        list(engine.query_many([tengen.Board(5)], tries=2, **habit("die")))


def test_the_version_is_known_where_the_engine_tells(engine):
    assert engine.version == "1.15.3"
    with KataGoAnalysis([*KATAGO, "old"], timeout=10) as old:
        assert old.version == ""
        assert old.query(tengen.Board(5)).lead == -7.5


CONFIG, MODEL = os.environ.get("KATAGO_CONFIG"), os.environ.get("KATAGO_MODEL")


@pytest.mark.skipif(
    not (find_program("katago") and CONFIG and MODEL),
    reason="needs KataGo on PATH, its analysis config in KATAGO_CONFIG and a network in KATAGO_MODEL",
)
def test_katago_itself():
    board = tengen.Board.from_text([". X . X O . O", "X X X X O O .", ". X . X O . O"] + [". . X X O O ."] * 4, komi=0)
    with KataGoAnalysis(["katago", "analysis", "-config", CONFIG, "-model", MODEL]) as engine:
        answer = engine.query(board, visits=20)
    assert answer.lead == pytest.approx(7, abs=2)
    assert answer.ownership[:, :4].min() > 0.5
    assert answer.ownership[:, 4:].max() < -0.5
