"""The rows of `tengen bench territory`: what is measured is the same work as the reference's."""

import numpy as np

from tengen import _core
from tengen.benchmarks import territory as room


def test_every_case_has_a_row_with_a_reference():
    rows = list(room.bench_territory(seconds=0.02))
    cases = [row["case"] for row in rows]
    assert cases[:2] == ["largest, 0.3 M patterns", "largest, 3.6 M patterns"]
    assert cases[4:] == ["keys after one stone", "keys of games"]
    assert all(row["ratio"] > 0 and row["reference"] for row in rows)
    assert all(row["megabytes"] <= 80 for row in rows if "megabytes" in row)


def test_the_table_knows_every_pattern_of_the_boards():
    events, positions = room.random_game(0)
    boards = positions[::60]
    model = room.Largest().fit_counts(room.known_counts(boards))
    keys, values = room.filled(model, 50_000)
    assert len(keys) >= 50_000
    met, signs = _core.pattern_keys(boards, room.TEMPLATES)
    expected = signs[..., -1] * values[np.searchsorted(keys, met[..., -1])]
    assert np.array_equal(_core.PatternTable(keys, values).ownership(boards, room.TEMPLATES), expected)
    replayed, *_ = _core.replay_positions(
        room.SIZE, room.SIZE, events, np.array([0, len(events)]), np.array([len(events)], np.int32), np.array([0, 1])
    )
    assert np.array_equal(replayed[0], positions[-1])
