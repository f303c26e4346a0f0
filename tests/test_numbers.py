"""Numbers from outside: NaN, infinity and what is no number at all are refused wherever a setting takes one."""

from __future__ import annotations

import inspect
import math
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.engines.gtp import GtpEngine
from tengen.errors import ModelError, TengenError
from tengen.go.arrays import as_stones
from tengen.measure.sprt import Sprt
from tengen.models.base import StoredModel
from tengen.models.registry import find
from tengen.numbers import checked_count, checked_komi, checked_number, rounded
from tengen.search.clock import Clock
from tengen.search.match import Contestant, Match
from tengen.search.player import Player, Settings
from tengen.teachers.teacher import PlayoutTeacher
from tengen.territory.ising import Solver as Inference
from tests.cli.program import call

ENDLESS = [math.nan, math.inf, -math.inf, np.float32("nan"), np.float64("inf")]


def test_a_number_is_finite_and_within_its_bounds() -> None:
    assert checked_number(3, "x") == 3.0
    assert checked_number(np.float32(0.5), "x", 0, 1) == 0.5
    for wrong in (*ENDLESS, "3", b"3", True, None, [], 2**5000, 1j):
        with pytest.raises(TengenError, match=r"^x: a finite number, not "):
            checked_number(wrong, "x")  # type: ignore[arg-type]
    with pytest.raises(TengenError, match=r"x: a finite number from 0 to 1, not 1\.5"):
        checked_number(1.5, "x", 0, 1)
    with pytest.raises(ModelError, match="x: a finite number of at least 0, not -1"):
        checked_number(-1, "x", 0, error=ModelError)


def test_komi_and_counts() -> None:
    assert checked_komi(-7.5) == -7.5
    assert checked_count(np.int64(3), "games") == 3
    for wrong in (1000.5, "6_5", None):
        with pytest.raises(TengenError, match="komi: a finite number from -1000 to 1000"):
            checked_komi(wrong)  # type: ignore[arg-type]
    for wrong_count in (-1, 10_001, 1.0, True, math.inf):
        with pytest.raises(TengenError, match="games: a whole number from 0 to 10,000"):
            checked_count(wrong_count, "games")  # type: ignore[arg-type]


SETTINGS: dict[str, Callable[[Any], object]] = {
    "Board komi": lambda x: tengen.Board(9, komi=x),
    "with_rules": lambda x: tengen.Board(9).with_rules(komi=x),
    "estimate": lambda x: tengen.estimate(tengen.Board(5), model="territory/naive", komi=x),
    "score": lambda x: tengen.score(tengen.Board(5), komi=x),
    "Settings seconds": lambda x: Settings(seconds=x),
    "Settings resign_below": lambda x: Settings(resign_below=x),
    "Settings playouts": lambda x: Settings(playouts=x),
    "Clock main": lambda x: Clock(x),
    "Clock period": lambda x: Clock(1.0, period=x),
    "Clock period_left": lambda x: Clock(1.0, 1.0, 1, period_left=x),
    "Clock increment": lambda x: Clock.fischer(1.0, x),
    "Match": lambda x: Match(Contestant("tengen"), Contestant("tengen"), 2, komi=x).start(),
    "Sprt": lambda x: Sprt(0.0, x),
    "teacher": lambda x: PlayoutTeacher(within=x),
    "engine": lambda x: GtpEngine("true", timeout=x),
    "inference": lambda x: Inference(tolerance=x),
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("value", ENDLESS)
def test_settings_are_finite(name: str, value: float) -> None:
    with pytest.raises(TengenError) as refusal:
        SETTINGS[name](value)
    assert "\n" not in str(refusal.value)


def test_only_thinking_itself_may_be_endless() -> None:
    player = Player(tengen.Board(5))
    with pytest.raises(TengenError, match="seconds"):
        player.think(seconds=math.nan)
    assert player.think(seconds=math.inf, playouts=20).visits == 20


def hyper_parameters() -> list[tuple[type[StoredModel], str]]:
    """Every keyword argument of every model in the package that takes a float."""
    for name in tengen.models():
        find(name).model_class()  # imports it

    def below(cls: type[StoredModel]) -> list[type[StoredModel]]:
        return [cls, *(each for child in cls.__subclasses__() for each in below(child))]

    found = [
        (cls, parameter.name)
        for cls in below(StoredModel)
        if cls.__module__.startswith("tengen.")
        for parameter in inspect.signature(cls.__init__).parameters.values()
        if isinstance(parameter.default, float)
    ]
    return sorted(set(found), key=lambda pair: (pair[0].__qualname__, pair[1]))


def test_hyper_parameters_are_finite() -> None:
    assert len(hyper_parameters()) > 10
    for cls, name in hyper_parameters():
        for value in ENDLESS:
            with pytest.raises(ModelError, match=f"{name}: a finite number, not "):
                cls(**{name: value})


@pytest.mark.parametrize(
    "command",
    [
        ["score", "examples/finished-9x9.sgf", "--komi"],
        ["estimate", "examples/finished-9x9.sgf", "--komi"],
        ["gtp", "--seconds"],
        ["analysis", "--seconds"],
        ["play", "--komi"],
        ["play", "--seconds"],
        ["match", "tengen", "tengen", "--games", "2", "--komi"],
    ],
)
def test_the_command_line_takes_finite_numbers(command: list[str]) -> None:
    for value in ("nan", "inf"):
        done = call(*command, value, code=2)
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


def test_stones_are_never_narrowed() -> None:
    assert as_stones([[1, 0], [0, -1]]).tolist() == [[1, 0], [0, -1]]
    assert as_stones(np.eye(2, dtype=bool)).dtype == np.int8
    for wrong in (256, 257, -255, 2**40, 0.5, math.nan, math.inf, 2):
        with pytest.raises(TengenError, match="stones are 1"):
            as_stones(np.array([[wrong, 0]]))
    for other in ([["X"]], [[None]], [[1j]]):
        with pytest.raises(TengenError, match="stones must be an array of numbers"):
            as_stones(other)


@pytest.mark.parametrize(
    "wrong", [np.full((1, 9, 9), 256), np.full((1, 9, 9), np.nan), np.full((1, 9, 9), 2**64 - 1, np.uint64)]
)
def test_no_view_and_no_model_takes_narrowed_stones(wrong: Any) -> None:
    from tengen.go.counting import find_territory
    from tengen.views.graphs import block_graph
    from tengen.views.patterns import pattern_keys

    for ask in (pattern_keys, lambda boards: block_graph(boards[0]), lambda boards: find_territory(boards[0])):
        with pytest.raises(TengenError, match="stones are 1"):
            ask(wrong)
    for name in tengen.models():
        if name == "territory/gnugo" and shutil.which("gnugo", path="/usr/games") is None:
            continue
        with pytest.raises(TengenError, match="stones are 1"):
            tengen.load(name).evaluate(wrong)


def test_numbers_go_out_rounded_and_without_negative_zeros() -> None:
    assert str(rounded(-0.00001, 4)) == "0.0"
    assert str(rounded(np.array([[0.12345, -0.00004], [-1, 2]]), 4)) == "[[0.1234, 0.0], [-1.0, 2.0]]"
