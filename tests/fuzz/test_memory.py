"""Hostile files: the memory for reading one is at most a constant times its length, whatever is in it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest

from tengen.errors import RecordError
from tengen.go import files
from tengen.go.files import unpacked
from tengen.go.record import Game, read_all

BYTES = 120_000
PER_BYTE = 150
FREE = 24 << 20

#: What stands before, what is repeated, and what stands after.
SHAPES = {
    "rectangles in many games": ("", "(;SZ[52]AB[aa:ZZ])", ""),
    "rectangles in one game": ("(;SZ[52]AB", "[aa:ZZ]", ")"),
    "many rectangles in many games": ("", "(;SZ[52]" + "AB[aa:ZZ]" * 300 + ")", ""),
    "territory": ("(;SZ[52];TB", "[aa:ZZ]", ")"),
    "games": ("", "(;)", ""),
    "nodes": ("(", ";", ")"),
    "nested variations": ("", "(;", ""),
    "empty variations": ("(;", "()", ")"),
    "properties": ("(;", "A[]", ")"),
    "values": ("(;A", "[]", ")"),
    "moves outside the board": ("(;B", "[z]", ")"),
    "stones outside the board": ("(;AB", "[z]", ")"),
    "a long value": ("(;C[黑", "x", "])"),
    "an escaped value": ("(;C[黑", "\\]", "])"),
    "a long result": ("(;RE[", "一", "])"),
    "a long name": ("(;", "a", "[])"),
    "values that never end": ("(;)", "(;GM[", ""),
    "other games": ("(;)", "(;GM[2])", ""),
    "lines": ("a\t9\t\t\t\t\t\t\n", "\t9\t\t\t\t\t\t\n", ""),
    "bad lines": ("a\t9\t\t\t\t\t\t\n", "xx\n", ""),
}

READER = """
import contextlib, json, sys
from tengen.errors import RecordError
from tengen.go.record import read_all

def memory(name):
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith(name))

def growth(data):
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before = memory("VmRSS")
    with contextlib.suppress(RecordError):
        games = read_all(data)
        game = games[0]
        game.moves, game.setup, game.territory, game.warnings, game.result, game.mend(), game.sgf()
    return memory("VmHWM") - before

growth("(;GM[1]C[\u9ed1])".encode("gbk"))
print(json.dumps({name: growth(text.encode("gbk")) for name, text in json.load(sys.stdin).items()}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer takes memory of its own")
def test_memory_is_bounded_by_the_length_of_a_file() -> None:
    texts = {
        name: before + repeated * (BYTES // len(repeated)) + after for name, (before, repeated, after) in SHAPES.items()
    }
    done = subprocess.run(
        [sys.executable, "-c", READER], input=json.dumps(texts), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    growth = json.loads(done.stdout)
    assert growth.keys() == SHAPES.keys()
    assert {name: grown for name, grown in growth.items() if grown > FREE + PER_BYTE * BYTES} == {}


def test_rectangles_are_limited_over_a_whole_collection() -> None:
    games = read_all(
        b"(;SZ[52]AB" + b"[aa:ZZ]" * 100 + b")" + b"(;SZ[52]AB[aa:ZZ][bb])" * 1000 + b"(;SZ[9]AB[aa][bb];W[cc])"
    )
    assert len(games) + len(games.errors) == 1002
    assert sum(len(game.events) for game in games) < 1_000_000 + 8 * 25_000
    assert {error.problem for error in games.errors} == {"too many stones are set up [aa:ZZ]"}
    assert games[-1].index == 1002, "stones set up one by one are not limited"


def test_ordinary_collections_with_rectangles_are_read() -> None:
    problem = "(;SZ[19]AE[aa:ss]AB[dd][dp][pd]AW[pp][qq][rr]C[Black to play and live];B[cc];W[dc];B[cd])"
    assert not read_all(problem.encode() * 5000).errors


def test_archives_may_not_grow_beyond_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FREE_UNPACKED", 1 << 20)
    game = Game.from_sgf("(;SZ[9];B[aa])").sgf().encode()
    packed = gzip.compress(game * 60_000)
    assert len(unpacked(gzip.compress(os.urandom(1 << 18)) + packed)) > 1 << 20
    with pytest.raises(RecordError, match=r"unpacks to more than 1 MiB, too much for its size"):
        unpacked(gzip.compress(b" " * (1 << 23)))
    with pytest.raises(RecordError, match=r"unpacks to more than 1 MiB"):
        unpacked(gzip.compress(b" " * 20_000) * 200)


def test_a_damaged_archive_is_not_taken_for_a_short_one() -> None:
    packed = bytearray(gzip.compress(os.urandom(1 << 18)))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(RecordError, match="gzip"):
        unpacked(bytes(packed))
    assert unpacked(gzip.compress(b"x") + b"\0" * 512) == b"x"
