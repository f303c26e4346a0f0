"""The player that searches by a network: it reads tactics, ends its games and refuses what it cannot use."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from tengen.errors import FallbackWarning, TengenError
from tengen.go.board import Board
from tengen.go.positions import PositionsLike, as_positions
from tengen.models.evaluator import Evaluations
from tengen.models.registry import Entry
from tengen.search.clock import Clock
from tengen.search.player import Player, Settings
from tengen.search.restrict import avoid


class Counter:
    """An evaluator that counts stones: it likes all moves alike, and does not see what they take."""

    name = "counter"
    gives = frozenset({"policy", "winrate"})

    def __init__(self, *, slow: float = 0.0) -> None:
        self.calls, self.slow = 0, slow

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        here = as_positions(positions)
        self.calls += len(here)
        time.sleep(self.slow)
        lead = here.stones.sum((1, 2)) - here.komi
        return Evaluations(policy=here.legal / here.legal.sum(1, keepdims=True), winrate=1 / (1 + np.exp(-lead / 4)))


CAPTURE = """
    . . . . . . .
    . X X X . . .
    X O O O X . .
    X O O O X . .
    . X X . . O .
    . . . . . O .
    . . . . . . .
"""


def player(board: Board, guide: Any = None, **settings: Any) -> Player:
    return Player(board, Settings(kind="net", guide=guide or Counter(), **settings))


def test_the_search_finds_the_capture() -> None:
    board = Board.from_text(CAPTURE, komi=0)
    decision = player(board, playouts=300).choose()
    assert decision.move == "D3"  # takes six stones
    board.play("pass")
    assert decision.analysis.candidates[0].winrate > player(board, playouts=300).think().winrate


def test_what_an_analysis_says() -> None:
    counter = Counter()
    one = player(Board.from_text(CAPTURE, komi=0), counter, playouts=200)
    found = one.think()
    assert found.visits == sum(each.visits for each in found.candidates) == 200
    assert counter.calls == 200 + 2  # the root, and once more for its ownership
    assert found.ownership.shape == (7, 7)
    assert found.candidates[0].winrate > 0.5
    assert one.think(playouts=1).visits == 201
    assert one.priors() == pytest.approx(Counter().evaluate([one.board]).policy[0])
    one.play(found.candidates[0].move)
    assert one.nodes > 1
    restricted = player(Board.from_text(CAPTURE, komi=0), playouts=20).think(restrictions=[avoid(["D3"])])
    assert "D3" not in [each.move for each in restricted.candidates]


@pytest.mark.parametrize("rules", ["japanese", "chinese", "tromp-taylor"])
def test_games_end(rules: str) -> None:
    one = player(Board(5, 4, rules=rules), playouts=30)
    while not one.board.is_over and one.board.move_number < 200:
        one.play(one.choose(may_resign=False).move)
    assert one.board.is_over


def test_limits_and_stops() -> None:
    one = player(Board(9), Counter(slow=0.005))
    for limit in ({"seconds": 0.1}, {"seconds": math.inf, "stop": iter([False, True]).__next__}):
        begun = time.monotonic()
        assert 0 < one.think(**limit).visits < 100
        assert time.monotonic() - begun < 60  # a tenth of a second, and whatever else the machine does
    assert one.choose(clock=Clock.absolute(2)).move in one.board.legal_moves()


def test_an_interrupt_in_the_evaluator_ends_the_search() -> None:
    class Interrupted(Counter):
        def evaluate(self, positions: PositionsLike) -> Evaluations:
            if self.calls == 20:
                self.calls += 1
                raise KeyboardInterrupt
            return super().evaluate(positions)

    one = player(Board(9), Interrupted(), playouts=1000)
    with pytest.raises(KeyboardInterrupt):
        one.think()
    assert one.think(playouts=10).visits == 29


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"guide": "territory/bma"}, "a search by territory/bma needs a policy and a value from it: it gives"),
        ({"guide": "moves/tactical"}, "a search by moves/tactical needs a policy and a value from it: it gives policy"),
        ({"guide": "nothing"}, "nothing"),
        ({"widening": 40}, "widening is for searches by playouts, not for kind net"),
        ({"dynamic_komi": "both"}, "dynamic_komi is for searches by playouts"),
        ({"guided": 2}, "guided is for searches by playouts"),
        ({"guide_as": "values"}, "guide_as is for searches by playouts"),
        ({"policy": "knowing"}, "policy is for searches by playouts"),
        ({"mix": 2}, "mix"),
        ({"kind": "strong", "mix": 0.5}, "mix is for the search by a network"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(TengenError, match=problem):
        Settings(**{"kind": "net", "guide": Counter(), **settings})


def test_the_small_network_reads_a_capture() -> None:
    pytest.importorskip("onnxruntime")
    decision = Player(Board.from_text(CAPTURE, komi=6.5), Settings(kind="net", playouts=40)).choose()
    assert decision.move == "D3"
    assert decision.analysis.ownership[2, 1] > 0.8  # White's stones are Black's


@pytest.mark.parametrize(
    ("settings", "size", "kind"),
    [
        ({}, 9, "net"),
        ({"playouts": 50, "threads": 2, "keep": None}, 25, "net"),
        ({}, 4, "strong"),  # the network is not for such boards
        ({"policy": "uniform"}, 9, "strong"),
        ({"widening": 40}, 9, "strong"),
        ({"moves": None}, 9, "strong"),
        ({"guide": "territory/bma", "keep": 4}, 9, "strong"),
    ],
)
@pytest.mark.filterwarnings("ignore::tengen.errors.FallbackWarning")
def test_auto_is_the_network_where_nothing_speaks_against_it(settings: dict[str, Any], size: int, kind: str) -> None:
    pytest.importorskip("onnxruntime")
    assert Player(Board(size), Settings(kind="auto", **settings)).settings.kind == kind


def test_auto_without_the_network_is_the_search_by_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Entry, "missing", property(lambda entry: "onnxruntime was taken away"))
    with pytest.warns(FallbackWarning, match="a search by playouts is used instead of net/fast: onnxruntime was taken"):
        assert Player(Board(9), Settings(kind="auto")).settings.kind == "strong"


def test_settings_that_are_changed_are_settled_too() -> None:
    pytest.importorskip("onnxruntime")
    one = Player(Board(9), Settings(kind="auto", playouts=10))
    one.think()
    one.settings = Settings(kind="auto", playouts=20)
    assert one.settings.kind == "net"
    assert one.think().visits == 30  # the tree is kept
    one.settings = Settings(kind="strong", playouts=40)
    assert one.nodes == 0  # a tree of another kind is not
    assert one.think().visits == 40
