"""Commands that GNU Go has as well answer what GNU Go answers, which is asked over GTP where it is installed."""

import random

import pytest

from engines.processes import needs_gnugo
from protocols.talking import Talk
from tengen.engines.gtp import GtpEngine
from tengen.engines.process import find_program
from tengen.errors import EngineError

pytestmark = needs_gnugo


@pytest.fixture(scope="module")
def gnugo():
    with GtpEngine([find_program("gnugo"), "--mode", "gtp", "--level", "1"]) as engine:
        yield engine


def answer(engine, line):
    """The words of an answer, None for a refusal."""
    try:
        return engine.send(*line.split()).split()
    except EngineError:
        return None


def ours(talk, line):
    said = talk.raw(line)
    return said[1:].split() if said.startswith("=") else None


@pytest.mark.parametrize("size", [*range(5, 12), *range(13, 20)])
def test_fixed_handicap(gnugo, size):
    talk = Talk()
    for stones in range(1, 11):
        for line in (f"boardsize {size}", "clear_board"):
            gnugo.send(*line.split())
            talk(line)
        theirs, own = answer(gnugo, f"fixed_handicap {stones}"), ours(talk, f"fixed_handicap {stones}")
        assert (own and sorted(own)) == (theirs and sorted(theirs))


def test_stones_liberties_captures_and_undo(gnugo):
    talk, dice = Talk("boardsize 5"), random.Random(5)
    gnugo.send("boardsize", "5")
    names = [f"{letter}{number}" for letter in "ABCDE" for number in range(1, 6)]
    for count in range(120):
        line = f"play {'bw'[count % 2]} {dice.choice(names)}" if dice.random() < 0.9 else dice.choice(UNDOS)
        own = ours(talk, line)
        if (own is None) != (answer(gnugo, line) is None):  # superko differs: start again
            for clear in (talk, gnugo.send):
                clear("clear_board")
        for asked in (*ASKED, f"countlib {dice.choice(names)}"):
            assert ours(talk, asked) == answer(gnugo, asked), (line, asked)


UNDOS = ["undo", "undo 0", "undo 2", "undo many", "gg-undo", "gg-undo 0", "gg-undo 2", "gg-undo -1"]
ASKED = [
    "list_stones black", "list_stones white", "list_stones x", "list_stones", "captures b", "captures w", "captures",
    "countlib", "countlib F6", "countlib pass", "query_boardsize",
]  # fmt: skip


@pytest.mark.parametrize("line", ["level", "level x", "level 3", "level -5", "level 1", "play x d4", "play o e4"])
def test_what_gnugo_refuses_is_refused(gnugo, line):
    gnugo.send("clear_board")
    assert (ours(Talk(), line) is None) == (answer(gnugo, line) is None)


def test_top_moves_are_points_with_values(gnugo):
    for engine in (Talk("boardsize 5").__call__, gnugo.send):
        engine("clear_board")
        for command in ("top_moves_black", "top_moves_white"):
            words = engine(command).split()
            assert 2 <= len(words) <= 20
            assert all(name[0] in "ABCDE" for name in words[::2])
            values = [float(word) for word in words[1::2]]
            assert len(values) == len(words) // 2
