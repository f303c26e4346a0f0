"""Events have one layout, the core's; every number of the core's enums has its word in Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen import _core
from tengen.go import board, header
from tengen.go.events import MOVE, SETUP, TO_PLAY, at_points, colour_of, kind_of, packed, point_of, table_index
from tengen.views import graphs, tactics

EVENTS = st.tuples(st.sampled_from([MOVE, SETUP, TO_PLAY]), st.integers(0, 2), st.integers(0, 52 * 52))


@given(st.lists(EVENTS, min_size=1), st.integers(0, 81))
def test_what_is_packed_is_unpacked(events, point):
    codes = np.array([packed(*event) for event in events], np.int32)
    assert list(zip(kind_of(codes), colour_of(codes), point_of(codes), strict=True)) == events
    assert [(kind_of(code), colour_of(code), point_of(code)) for code in codes.tolist()] == events
    assert at_points(codes, np.full(len(codes), point)).tolist() == [packed(*event[:2], point) for event in events]
    assert [table_index(code) for code in codes.tolist()] == [colour + 4 * place for _, colour, place in events]


def test_the_core_has_the_same_layout():
    position = _core.Position(3, 3)
    setup = [packed(SETUP, _core.BLACK, 0), packed(SETUP, _core.WHITE, 4), packed(SETUP, 0, 0)]
    moves = [packed(MOVE, _core.WHITE, 8), packed(MOVE, _core.BLACK, 9)]
    assert position.replay(np.array([*setup, packed(TO_PLAY, _core.WHITE, 0), *moves], np.int32), 9) == []
    assert position.moves().tolist() == moves
    assert position.stones().tolist() == [[0, 0, 0], [0, -1, 0], [0, 0, -1]]
    read = _core.parse_sgf(b"(;SZ[3]AB[aa]PL[W];W[cc];B[])").events(0).tolist()
    assert read == [packed(SETUP, _core.BLACK, 0), packed(TO_PLAY, _core.WHITE, 0), *moves]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (header.MENDED, _core.Mend),
        (board._KO_RULES.values(), _core.Ko),
        (tactics._FATES, _core.Fate),
        (tactics._BITS.values(), _core.Fact),
        (graphs._DIVISIONS.values(), _core.Division),
        ([graphs.STONE, graphs.SURROUND, graphs.NEUTRAL], _core.NodeKind),
        ({_core.Objection.none, _core.Objection.off_board} | board._OBJECTIONS.keys(), _core.Objection),
    ],
)
def test_every_number_has_its_word(words, numbers):
    assert sorted(words) == sorted(numbers)
