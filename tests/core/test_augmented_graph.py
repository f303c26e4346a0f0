"""The augmented common fate graph: the kernel against its twin, every relation on a board, and its symmetries."""

import itertools

import numpy as np
import pytest

import tengen
from tengen._core import Relation, augmented_graphs, node_labels
from tengen.go.board import Board
from tengen.go.symmetry import transform
from tengen.views.augmented_graph import augmented_graph
from tests.go.records_data import data_file
from tests.naive.augmented_graph import naive_augmented_graph, naive_label


def random_stones(random, height, width):
    """Anything from an empty to a nearly full board; chains need no liberties here."""
    crowd = random.random()
    return random.choice(np.array([1, -1, 0], np.int8), (height, width), p=[crowd / 2, crowd / 2, 1 - crowd])


def assert_same(stones):
    """The graphs of boards [board, row, column] are those of the twin, packed one after another."""
    node_of, first_node, nodes, first_edge, edges = augmented_graphs(stones)
    assert first_node[0] == first_edge[0] == 0
    assert (len(nodes), len(edges)) == (first_node[-1], first_edge[-1])
    for k, board in enumerate(stones):
        expected, described, joined = naive_augmented_graph(board)
        some, links = nodes[first_node[k] : first_node[k + 1]], edges[first_edge[k] : first_edge[k + 1]]
        np.testing.assert_array_equal(node_of[k] - first_node[k], expected)
        assert [tuple(node) for node in some.tolist()] == described
        assert [(u - first_node[k], v - first_node[k], *facts) for u, v, *facts in links.tolist()] == joined
        for sides in (False, True):
            assert node_labels(some, sides).tolist() == [naive_label(node, sides) for node in described]


@pytest.mark.parametrize("seed", range(8))
def test_the_kernel_equals_its_twin(seed):
    random = np.random.default_rng(seed)
    for _ in range(4):
        height, width = random.integers(2, 10, 2)
        assert_same(np.stack([random_stones(random, height, width) for _ in range(3)]))


@pytest.mark.parametrize("shape", [(25, 25), (2, 25), (25, 3), (19, 19), (13, 17)])
def test_large_and_narrow_boards_equal_the_twin(shape):
    assert_same(random_stones(np.random.default_rng(shape[0]), *shape)[None])


@pytest.mark.parametrize("shape", [(2, 2), (25, 25), (2, 25)])
@pytest.mark.parametrize("value", [0, 1, -1])
def test_boards_of_one_kind(shape, value):
    graph = augmented_graph(np.full(shape, value, np.int8))
    assert len(graph) == (1 if value else shape[0] * shape[1])
    assert set(graph.types.tolist()) == set(graph.sides.tolist()) == {value}


def test_a_board_has_the_same_graph_whatever_came_before():
    random = np.random.default_rng(3)
    boards = np.stack([random_stones(random, 7, 9) for _ in range(20)])
    _, first_node, nodes, _, _ = augmented_graphs(np.concatenate([boards, boards[::-1]]))
    for k, board in enumerate(boards):
        for place in (k, 39 - k):
            np.testing.assert_array_equal(
                nodes[first_node[place] : first_node[place + 1]], augmented_graphs(board[None])[2]
            )


@pytest.mark.parametrize("file", ["pro9-train", "misc13", "tygem-valid"])
def test_positions_of_real_games_equal_the_twin(file):
    games = tengen.read_all(data_file(f"games/{file}.tsv.gz"))
    for k, game in enumerate(itertools.islice(games, 2)):
        moves = len(game.moves)
        assert_same(np.stack([game.board(move).stones for move in (moves // 3 + k, moves)]))


# A is the first chain, B the second (both Black's), x other black stones.
# Each board stands for its eight symmetries and both colours.
CASES = {
    "a bamboo joint": (Relation.bamboo, "......|.AA...|......|.BB...|......|......"),
    "a bamboo joint outranks the one-space jump beside it": (
        Relation.bamboo,
        "......|.AAA..|......|.BBB..|......|......",
    ),
    "a bamboo joint with an enemy in it is a one-space jump": (
        Relation.one_space,
        "......|.AA...|..O...|.BB...|......|......",
    ),
    "a kosumi": (Relation.kosumi, "......|..A...|...B..|......|......|......"),
    "a kosumi with a point filled is a hanging connection": (
        Relation.hanging,
        "......|..AO..|...B..|......|......|......",
    ),
    "a kosumi that is cut": (None, "......|..AO..|..OB..|......|......|......"),
    "a tiger's mouth joins its jaws": (Relation.hanging, "......|..A.O.|.O.x..|..B.O.|......|......"),
    "a tiger's mouth outranks the one-space jump": (Relation.hanging, "......|..A...|.O.xO.|..B...|......|......"),
    "a one-space jump": (Relation.one_space, "......|......|..A.B.|......|......|......"),
    "a one-space jump with one flank taken": (Relation.one_space, "......|...O..|..A.B.|......|......|......"),
    "a one-space jump with both flanks taken": (None, "......|...O..|..A.B.|...O..|......|......"),
    "a one-space jump that is cut": (None, "......|......|..AOB.|......|......|......"),
    "a one-space jump along the edge": (Relation.one_space, ".A.B..|......|......|......|......|......"),
    "a keima": (Relation.keima, "......|..A...|......|...B..|......|......"),
    "a keima with a point taken": (None, "......|..A...|..O...|...B..|......|......"),
    "a keima with the other point taken": (None, "......|..A...|...O..|...B..|......|......"),
    "a connection along the edge": (Relation.edge, "......|.AOB..|......|......|......|......"),
    "one with an enemy at the edge": (None, ".O....|.AOB..|......|......|......|......"),
    "one with an enemy in the middle of the edge": (None, "..O...|.AOB..|......|......|......|......"),
    "one on the third line": (None, "......|......|.AOB..|......|......|......"),
    "one on the first line": (None, ".AOB..|......|......|......|......|......"),
    "two points apart": (None, "......|.A..B.|......|......|......|......"),
    "a large keima": (None, "......|.A....|....B.|......|......|......"),
    "two by two": (None, "......|.A....|......|...B..|......|......"),
}


@pytest.mark.parametrize("k", range(8))
@pytest.mark.parametrize("name", CASES)
def test_relations(name, k):
    relation, rows = CASES[name]
    drawn = np.array([list(row) for row in rows.split("|")])
    stones = np.isin(drawn, ["A", "B", "x"]).astype(np.int8) - (drawn == "O").astype(np.int8)
    turned, letters = transform(stones, k), transform(drawn, k)
    for colours in (turned, -turned):
        graph = augmented_graph(colours)
        pair = sorted(int(graph.node_of[letters == letter][0]) for letter in "AB")
        found = [r for ends, r in zip(graph.edges.tolist(), graph.relations.tolist(), strict=True) if ends == pair]
        assert found == ([] if relation is None else [relation])


def test_a_jump_between_stones_of_two_colours_is_no_relation():
    graph = augmented_graph(Board.from_text("......\n.XX...\n......\n.OO...\n..XO..\n......"))
    assert not graph.relations[(graph.types[graph.edges].prod(1) < 0)].any()


def test_a_chain_is_not_related_to_itself():
    graph = augmented_graph(Board.from_text("......\n.XXX..\n.X.X..\n......\n......\n......"))
    assert not graph.relations.any()


def facts(stones):
    """The graph without the numbers of nodes: what every point is, and every edge as what its ends are."""
    graph = augmented_graph(stones)
    nodes = np.stack([graph.types, graph.sides, graph.sizes, graph.liberties, graph.eyes], 1)
    edges = sorted(
        (sorted(nodes[ends].tolist()), relation, pairs)
        for ends, relation, pairs in zip(graph.edges, graph.relations.tolist(), graph.pairs.tolist(), strict=True)
    )
    return nodes[graph.node_of], edges


@pytest.mark.parametrize("k", range(8))
def test_turning_the_board_turns_the_graph(k):
    random = np.random.default_rng(k)
    for _ in range(20):
        stones = random_stones(random, *random.integers(2, 12, 2))
        points, edges = facts(stones)
        turned, joined = facts(np.ascontiguousarray(transform(stones, k)))
        np.testing.assert_array_equal(turned, np.stack([transform(points[..., i], k) for i in range(5)], -1))
        assert joined == edges


def test_swapping_the_colours_swaps_types_and_sides_and_nothing_else():
    random = np.random.default_rng(9)
    boards = np.stack([random_stones(random, 9, 9) for _ in range(200)])
    here, there = augmented_graphs(boards), augmented_graphs(-boards)
    for k in (0, 1, 3, 4):
        np.testing.assert_array_equal(here[k], there[k])
    np.testing.assert_array_equal(here[2] * [-1, -1, 1, 1, 1], there[2])


@pytest.mark.parametrize("shape", [(3, 1, 5), (3, 26, 5), (2, 9, 0)])
def test_what_is_no_board_is_refused(shape):
    with pytest.raises(ValueError, match="a side has 2 to 25 points"):
        augmented_graphs(np.zeros(shape, np.int8))


@pytest.mark.parametrize("shape", [(0, 9, 9), (0, 0, 0), (0, 99, 1)])
def test_no_boards_have_no_nodes(shape):
    node_of, first_node, nodes, first_edge, edges = augmented_graphs(np.zeros(shape, np.int8))
    assert (node_of.shape, nodes.shape, edges.shape) == (shape, (0, 5), (0, 4))
    assert first_node.tolist() == first_edge.tolist() == [0]


@pytest.mark.parametrize(
    "node", [[2, 0, 1, 0, 0], [1, -2, 1, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, -1, 0], [1, 1, 1, 0, -1]]
)
def test_what_is_no_node_has_no_label(node):
    with pytest.raises(ValueError, match="types and sides"):
        node_labels(np.array([node], np.int32), False)
    with pytest.raises(ValueError, match="five numbers"):
        node_labels(np.zeros((1, 4), np.int32), False)
