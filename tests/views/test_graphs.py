"""The graphs of the paper, looked at on small boards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.symmetry import transform
from tengen.views.graphs import (
    CHAIN_FEATURES,
    NEUTRAL,
    STONE,
    SURROUND,
    block_graph,
    chain_features,
    fate_graph,
    graph_of,
    group_graph,
)

# White's stone in the corner is caught; the middle column is as near to both.
BOARD = Board.from_text("""
    . O . . . . .
    O X X . O O O
    X . X . O . O
    . X X . O O .
""")

boards = arrays(np.int8, st.tuples(st.integers(2, 9), st.integers(2, 9)), elements=st.sampled_from([0, 0, 1, -1]))


def drawn(graph):
    return ["".join("abcdefghijklmnop"[node] for node in row) for row in graph.node_of.tolist()]


def test_the_block_graph_draws_chains_surrounds_and_neutral_points_together():
    graph = block_graph(BOARD)
    assert drawn(graph) == ["abccddd", "effcggg", "hifcgjg", "kffcggl"]
    assert {(int(k), int(c)) for k, c in zip(graph.kinds, graph.colours, strict=True)} == {
        (STONE, 1),
        (STONE, -1),
        (SURROUND, 1),
        (SURROUND, -1),
        (NEUTRAL, 0),
    }


def test_the_common_fate_graph_keeps_empty_points_apart():
    graph = fate_graph(BOARD)
    empty = BOARD.stones == 0
    assert sorted(graph.node_of[empty]) == sorted(set(graph.node_of[empty]))
    assert set(graph.kinds[graph.node_of[empty]]) == {NEUTRAL}
    assert (graph.kinds == STONE).sum() == len(BOARD.chains())


def test_the_group_graph_joins_chains_that_share_a_surround():
    stones = Board.from_text("X . X . . O . O\n" * 2).stones
    assert len(block_graph(stones)) == 8
    assert drawn(group_graph(stones)) == ["aaaabbbb"] * 2


def test_a_region_of_nine_points_has_the_shape_of_the_papers_figure():
    rows = """
        . . . . . .
        . . X X . .
        . X X X X .
        . X X O . .
        . X O . . .
        . . . . . .
    """
    graph = block_graph(Board.from_text(rows))
    chain, white = graph.node_of[2, 2], graph.node_of[3, 3]
    assert graph.shapes[chain].tolist() == [0, 2, 4, 2, 1]
    edge = graph.edges.tolist().index([chain, white])
    assert graph.contacts[edge].tolist() == [[2, 0, 0, 0], [0, 1, 0, 0]]
    assert graph.pairs[edge] == 2


def test_chains_know_their_room_and_their_enemies():
    block, group = block_graph(BOARD), group_graph(BOARD)
    facts = dict(zip(CHAIN_FEATURES, chain_features(block, group)[block.node_of[1, 1]], strict=True))
    chain = BOARD.chain("B3")
    assert facts["size"] == len(chain.points)
    assert facts["liberties"] == len(chain.liberties)
    assert facts["eyes"] == 2  # B2 and the corner
    assert facts["enemies"] == 2
    assert facts["liberties of the weakest enemy"] == 1
    assert facts["size of the group"] >= facts["size"] + facts["room"]


@given(boards)
@settings(deadline=None)
def test_the_types_of_neighbours_are_those_of_the_paper(stones):
    graph = block_graph(stones)
    for one, other in graph.edges:
        kinds, colours = sorted(graph.kinds[[one, other]]), graph.colours[[one, other]]
        assert kinds != [NEUTRAL, NEUTRAL]
        if kinds in ([STONE, STONE], [SURROUND, SURROUND]):
            assert colours.sum() == 0
        elif kinds == [STONE, SURROUND]:
            assert colours[0] == colours[1]


@given(boards, st.integers(0, 7), st.sampled_from(["nearest", "liberties", "points"]))
@settings(deadline=None)
def test_turning_the_board_or_its_colours_turns_the_graph(stones, k, division):
    graph, turned = block_graph(stones, division), block_graph(np.ascontiguousarray(-transform(stones, k)), division)
    for fact in ("sizes", "liberties", "eyes", "kinds"):
        there = getattr(graph, fact)[graph.node_of]
        np.testing.assert_array_equal(transform(there, k), getattr(turned, fact)[turned.node_of])
    np.testing.assert_array_equal(transform(graph.colours[graph.node_of], k), -turned.colours[turned.node_of])
    assert sorted(graph.pairs) == sorted(turned.pairs)


@given(boards, st.sampled_from(["fate", "block", "group"]))
@settings(deadline=None)
def test_shapes_and_contacts_count_every_pair_of_neighbours_once(stones, name):
    graph = graph_of(stones, name)
    height, width = stones.shape
    inside = (graph.shapes @ np.arange(5)).sum() / 2
    assert inside + graph.pairs.sum() == 2 * height * width - height - width
    assert (graph.contacts @ np.arange(1, 5) == graph.pairs[:, None]).all()


def test_a_graph_is_drawn_over_its_board():
    graph = block_graph(BOARD)
    drawing = graph.svg(BOARD.stones, title="blocks")
    assert drawing.count("L") >= len(graph.edges)
    assert "stroke-dasharray" in drawing


@pytest.mark.parametrize("wrong", [lambda: graph_of(BOARD, "stone"), lambda: block_graph(BOARD, "halves")])
def test_unknown_names_are_refused(wrong):
    with pytest.raises(TengenError, match="is one of"):
        wrong()
