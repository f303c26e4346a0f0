"""The stone graph as plain objects."""

import pytest

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.views.stone_graph import Node, stone_graph

BOARD = Board.from_text("""
    . . . . .
    . X X . .
    . . O . .
    . . . . .
""")


def test_nodes_are_the_move_the_stones_and_the_sides():
    graph = stone_graph(BOARD, "B2")
    assert graph.nodes == (
        Node("move", "B2", 0, 0),
        Node("own", "B3", 2, 5),
        Node("own", "C3", 2, 5),
        Node("opponent", "C2", 1, 3),
        *(Node("side", side, 0, 0) for side in ("top", "left", "right", "bottom")),
    )
    assert graph.distances[0].tolist() == [0, 1, 2, 1, 2, 1, 3, 1]


def test_chains_may_be_the_nodes():
    graph = stone_graph(BOARD, (0, 0), nodes="chains")
    assert [node.place for node in graph.nodes] == ["A4", "B3", "C2", "top", "left", "right", "bottom"]
    assert graph.distances[1].tolist() == [2, 0, 1, 1, 1, 2, 2]


@pytest.mark.parametrize(("move", "nodes"), [("B3", "stones"), ("Z9", "stones"), ("A1", "groups")])
def test_nonsense_is_refused(move, nodes):
    with pytest.raises(TengenError):
        stone_graph(BOARD, move, nodes=nodes)
