"""Weights of playouts: fitted to played moves, and balanced to agree with winrates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tengen._core import PLAYOUT_LEVELS, PLAYOUT_MOST, PLAYOUT_UNIT, PlayoutWeights
from tengen.corpus.plays import PlayBatch
from tengen.go.board import Board
from tengen.go.playout_weights import LEARNED_POLICIES, playout_weights
from tengen.go.positions import Positions
from tengen.models.files import Card, read_model
from tengen.moves.balancing import Balancing, balance, mean_result
from tengen.moves.playouts import EQUAL, LEVELS, TABLES, fit_playouts, whole_weights, write_playout_weights

RACE = Board.from_text(
    """
    . X . O X
    X X X O X
    O O O O X
    . . . . X
    . . . . .
    """,
    to_play="black",
)
"""Black has an eye in the corner."""


def plays(board: Board, moves: list[str]) -> PlayBatch:
    rows = Positions.of([board] * len(moves))
    played = [index_of(move, board) for move in moves]
    counts = np.zeros(len(moves), np.int32)
    return PlayBatch(rows, np.array(played, np.int32), counts.astype(np.int64), counts, counts)


def index_of(move: str, board: Board) -> int:
    if move == "pass":
        return board.width * board.height
    return (board.height - int(move[1:])) * board.width + "ABCDE".index(move[0])


def test_fitted_weights_prefer_what_was_played() -> None:
    board = Board(5)
    board.play("C3")
    beside, far = fit_playouts([plays(board, ["C4"] * 12 + ["A1"] * 2)]), fit_playouts([plays(board, ["A1"] * 14)])
    last = PLAYOUT_LEVELS[0]  # the first level of the second table: beside the last move
    assert beside[last] > 1.5 > 1 > far[last]


def test_passes_and_moves_into_own_eyes_are_left_out() -> None:
    gammas = fit_playouts([plays(RACE, ["pass", "A5"])])
    assert (gammas == 1).all()


def test_whole_weights_are_in_range_and_scaled_by_the_empty_neighbourhood() -> None:
    gammas = np.full(LEVELS, 2.0)
    gammas[1:3] = 1e9, 0
    whole = whole_weights(gammas)
    assert whole[0] == whole[5] == PLAYOUT_UNIT
    assert whole[1:3].tolist() == [PLAYOUT_MOST, 1]
    assert (whole[-PLAYOUT_LEVELS[-1] :] == PLAYOUT_UNIT).all()
    assert whole[PLAYOUT_LEVELS[0]] == 2 * PLAYOUT_UNIT
    assert [table.levels for table in TABLES] == list(PLAYOUT_LEVELS)


def test_balancing_moves_the_mean_result_towards_the_winrate() -> None:
    positions = Positions.of([Board.from_text(". . .\n. X O\n. O .", to_play="black", komi=0.5)] * 160)
    start = np.ones(LEVELS)
    before = mean_result(PlayoutWeights(EQUAL), positions, 0, 4000, 1)
    for wanted in (before - 0.3, before + 0.3):
        found = balance(start, positions, np.full(160, wanted), settings=Balancing(playouts=50, batch=8, rate=0.1))
        after = mean_result(PlayoutWeights(whole_weights(found)), positions, 0, 4000, 1)
        assert abs(after - wanted) < abs(before - wanted) - 0.05


def test_shipped_weights_are_played_by() -> None:
    leads = {policy: Board(9).playouts(50, policy=policy).leads.tolist() for policy in (*LEARNED_POLICIES, "knowing")}
    assert leads["learned"] != leads["balanced"] != leads["knowing"]
    assert playout_weights("learned") is playout_weights("learned")


def test_a_file_of_weights_needs_both_policies(tmp_path: Path) -> None:
    path = tmp_path / "playouts.safetensors"
    with pytest.raises(ValueError, match="balanced"):
        write_playout_weights(path, Card("playouts"), {"learned": EQUAL})
    write_playout_weights(path, Card("playouts"), {"learned": EQUAL, "balanced": EQUAL})
    assert (read_model(path)[1]["balanced_"] == EQUAL).all()
