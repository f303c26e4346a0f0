"""GNU Go as a model of ownership."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tengen
from engines.processes import needs_gnugo
from tengen.errors import EngineError
from tengen.territory.gnugo import GnuGo

GAME = "examples/finished-9x9.sgf"


@pytest.fixture
def model():
    model = GnuGo(level=1)
    yield model
    model.close()


@needs_gnugo
def test_a_finished_game_is_owned_as_it_is_counted(model):
    game = tengen.read(GAME)
    assert np.array_equal(model.ownership(game.board()), tengen.score(game).owner)
    found = tengen.estimate(game, model=model)
    assert (found.lead, found.lead_sd, found.winrate) == (-8.0, 0.0, 0.0)
    assert [str(reason) for reason in found.explain("H6")] == ["GNU Go considers H6 dead."]
    assert [str(reason) for reason in found.explain("A1")] == ["GNU Go considers A1 Black's territory."]
    assert [str(reason) for reason in found.explain("E2")] == ["GNU Go considers E2 alive."]


@needs_gnugo
def test_an_open_border_is_nobodys(model):
    board = tengen.Board.from_text(["X.O"] * 3)
    assert model.ownership(board)[:, 1].tolist() == [0, 0, 0]
    assert [str(reason) for reason in model.explain(board, "B2")] == ["GNU Go is not sure about B2."]


@needs_gnugo
def test_it_comes_back_after_it_was_closed(model):
    board = tengen.read(GAME).board(20)
    before = model.ownership(board)
    model.close()
    assert not model.ownership(tengen.Board(9)).any()
    model.ownership(tengen.read(GAME).board(30))
    assert np.array_equal(model.ownership(board), before)


@needs_gnugo
def test_boards_it_cannot_play_on_are_refused(model):
    for board in (tengen.Board(9, 7), tengen.Board(21)):
        board.play("C3")
        with pytest.raises(EngineError):
            model.ownership(board)


@needs_gnugo
def test_threads_share_it(model):
    boards = [tengen.read(GAME).board(number) for number in range(10, 26)]
    alone = [model.ownership(board) for board in boards]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(model.ownership, boards, timeout=60))
    assert np.array_equal(together, alone)
    assert pickle.loads(pickle.dumps(model)).identity == model.identity


def test_without_gnu_go_it_says_where_to_get_it(monkeypatch):
    monkeypatch.setattr("tengen.engines.gtp.find_program", lambda name: None)
    with pytest.raises(EngineError, match="apt install gnugo"):
        tengen.load("territory/gnugo").ownership(tengen.read(GAME).board())
