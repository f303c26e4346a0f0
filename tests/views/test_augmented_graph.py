"""The augmented graph as Python sees it: one board out of many, labels in words, pictures."""

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.views.augmented_graph import (
    LABELS,
    RELATIONS,
    SIDED_LABELS,
    augmented_graph,
    augmented_graphs,
    label_words,
    reversed_labels,
)
from tengen.views.graphs import graph_of

# Low's example: a bamboo joint of two black chains against four white stones.
BOARD = Board.from_text("""
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . X . . . . . O .
    . X . . . . . O .
    . X . X . . . O .
    . X . X . . . O .
    . . . . . . . . .
    . . . . . . . . .
""")


def random_boards(count):
    return np.random.default_rng(0).choice(np.array([1, -1, 0], np.int8), (count, 9, 9), p=[0.25, 0.25, 0.5])


def test_the_example_of_the_paper_has_three_chains_one_bamboo_joint_and_two_regions():
    graph = augmented_graph(BOARD)
    assert sorted(graph.sizes[graph.types == 1].tolist()) == [2, 4]
    assert graph.sizes[graph.types == -1].tolist() == [4]
    assert [RELATIONS[relation] for relation in graph.relations if relation] == ["bamboo joint"]
    joined = graph.edges[graph.relations > 0][0]
    assert sorted(graph.sizes[joined].tolist()) == [2, 4]
    regions = (graph.types == 0) & (graph.sides != 0)
    assert sorted(zip(graph.sides[regions].tolist(), graph.sizes[regions].tolist(), strict=True)) == [(-1, 6), (1, 14)]
    assert (graph.sizes[(graph.types == 0) & (graph.sides == 0)] == 1).all()


def test_one_board_of_many_is_its_own_graph():
    boards = random_boards(5)
    graphs = augmented_graphs(boards)
    assert len(graphs) == 5
    for k, board in enumerate(boards):
        here, alone = graphs[k], augmented_graph(board)
        for name in ("node_of", "types", "sides", "sizes", "liberties", "eyes", "edges", "relations", "pairs"):
            np.testing.assert_array_equal(getattr(here, name), getattr(alone, name))
        assert len(here) == len(here.types) == len(here.places)
        assert here.sizes.tolist() == [len(here.points(node)) for node in range(len(here))]
    np.testing.assert_array_equal(graphs[-1].node_of, graphs[4].node_of)
    with pytest.raises(IndexError):
        graphs[5]


@pytest.mark.parametrize(("sides", "count"), [(False, LABELS), (True, SIDED_LABELS)])
def test_labels_swap_with_the_colours(sides, count):
    boards = random_boards(200)
    labels = augmented_graphs(boards).labels(sides)
    assert 0 <= labels.min() <= labels.max() < count
    np.testing.assert_array_equal(reversed_labels(labels), augmented_graphs(-boards).labels(sides))
    every = np.arange(count)
    np.testing.assert_array_equal(reversed_labels(reversed_labels(every)), every)


def test_labels_of_one_board_are_those_of_the_pack():
    board = random_boards(1)
    for sides in (False, True):
        np.testing.assert_array_equal(augmented_graph(board[0]).labels(sides), augmented_graphs(board).labels(sides))


def test_labels_in_words():
    graph = augmented_graph(BOARD)
    plain, sided = graph.labels(), graph.labels(sides=True)
    places = {"B6": (3, 1), "H4": (5, 7), "C3": (6, 2), "J5": (4, 8), "A9": (0, 0)}
    words = {name: label_words(int(sided[graph.node_of[point]])) for name, point in places.items()}
    assert words == {
        "B6": "black chain of 4 stones, 6 or more liberties, no eye",
        "H4": "white chain of 4 stones, 6 or more liberties, no eye",
        "C3": "Black's region of 5 or more points, 6 or more free neighbours, no eye",
        "J5": "White's region of 5 or more points, 4 free neighbours, no eye",
        "A9": "empty point, 2 free neighbours, no eye",
    }
    assert label_words(int(plain[graph.node_of[4, 8]])).startswith("empty region of 5 or more points")


def test_every_label_has_words_of_its_own():
    assert len({label_words(label) for label in range(SIDED_LABELS)}) == SIDED_LABELS
    assert label_words(LABELS + 1) == "Black's point, 1 free neighbour, no eye"
    for label in (-1, SIDED_LABELS):
        with pytest.raises(TengenError, match="a label is a number from 0 to 1049"):
            label_words(label)


def test_the_drawing_names_the_relations_that_are_there():
    drawing = graph_of(BOARD, "augmented").svg(BOARD.stones, legend=True)
    assert "bamboo joint" in drawing
    assert "adjacent" in drawing
    assert "kosumi" not in drawing


@pytest.mark.parametrize("stones", [np.full((9, 9), 2), np.zeros((9, 9)) + 0.5, np.full((9, 9), np.nan)])
def test_what_is_no_stone_is_refused(stones):
    with pytest.raises(TengenError, match="stones are 1"):
        augmented_graph(stones)


@pytest.mark.parametrize("shape", [(9,), (9, 9), (1, 2, 9, 9), (1, 1, 5), (1, 26, 26)])
def test_what_is_no_stack_of_boards_is_refused(shape):
    with pytest.raises(TengenError, match="of 2 to 25 lines are needed"):
        augmented_graphs(np.zeros(shape, np.int8))
