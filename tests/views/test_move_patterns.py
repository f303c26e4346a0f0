"""Harvest of patterns around played moves, and their drawings."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen import _core
from tengen.corpus.plays import Plays
from tengen.corpus.store import Store
from tengen.views.move_patterns import SIZES, harvest_moves, move_pattern_keys, pattern_text
from tests.naive.move_pattern import spelled

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"


@pytest.fixture(scope="module")
def plays():
    return Plays(Store(CORPUS), size=9, split="valid", sample=0.6)


def test_a_harvest_counts_the_patterns_of_played_moves(plays):
    counted = Counter()
    for batch in plays:
        for stones, mover, move in zip(batch.positions.stones, batch.positions.to_play, batch.moves, strict=True):
            if move < 81:
                counted.update((size, spelled(stones, mover, *divmod(int(move), 9), size)) for size in SIZES)
    for min_count in (10, 3, 1):
        found = harvest_moves(plays, min_count=min_count)
        expected = sorted((size, count) for (size, _), count in counted.items() if count >= min_count)
        assert sorted(zip(found.sizes.tolist(), found.counts.tolist(), strict=True)) == expected != []


def test_the_size_of_batches_and_the_way_keys_are_added_up_do_not_matter(plays, monkeypatch):
    whole = harvest_moves(plays, min_count=3)
    monkeypatch.setattr("tengen.views.move_patterns.PENDING", 100)
    monkeypatch.setattr("tengen.views.move_patterns.CELLS", 8)
    small = harvest_moves(Plays(plays.store, size=9, split="valid", sample=0.6, batch=7), min_count=3)
    for name in ("keys", "sizes", "counts"):
        assert np.array_equal(getattr(whole, name), getattr(small, name)), name


def test_a_harvested_table_holds_the_smaller_patterns_of_each(plays):
    found = harvest_moves(plays, min_count=3)
    table = _core.MovePatterns(found.keys)
    for batch in plays:
        stones, turns = batch.positions.stones, batch.positions.to_play
        nested, largest = table.nested(stones, turns), table.largest(stones, turns)
        known = np.isin(move_pattern_keys(batch.positions), found.keys)
        assert np.array_equal(nested > 0, known)
        depth = known.sum(axis=2)
        at = np.take_along_axis(nested, np.maximum(depth - 1, 0)[..., None], axis=2)[..., 0]
        assert np.array_equal(largest, at)
        assert (found.sizes[nested[known] - 1] == np.broadcast_to(SIZES, nested.shape)[known]).all()


BOARD = tengen.Board.from_text("""
    . X . . .
    X O . . .
    . . . X .
    . . . . .
    O . . . .
""")


def test_a_pattern_is_drawn_as_its_player_sees_it():
    assert pattern_text(BOARD, 0, 4).splitlines() == ["    #", "  # # #", "# # * X .", "  # X O", "    ."]
    other = BOARD.copy()
    other.to_play = "white"
    assert pattern_text(other, 2, 3).splitlines() == ["# # #", "O * .", "X . ."]
    assert len(pattern_text(BOARD, 12, 15).splitlines()) == 15


@pytest.mark.parametrize(("move", "size"), [(25, 3), (-1, 3), (0, 2), (0, 16)])
def test_a_pattern_that_is_not_there_is_refused(move, size):
    with pytest.raises(tengen.TengenError, match="3 to 15"):
        pattern_text(BOARD, move, size)
