"""Graphs of boards: the kernel against its twin, and what must hold of every graph."""

import numpy as np
import pytest

from tengen._core import board_graph
from tests.naive.graphs import naive_graph

DIVISIONS = ["single", "nearest", "liberties", "points"]


def random_stones(random, height, width):
    """Anything from an empty to a nearly full board; chains need no liberties here."""
    crowd = random.random()
    return random.choice(np.array([1, -1, 0], np.int8), (height, width), p=[crowd / 2, crowd / 2, 1 - crowd])


def assert_same(stones, division, grouped):
    node_of, nodes, ends, edges = board_graph(stones, DIVISIONS.index(division), grouped)
    expected, described, pairs, contacts = naive_graph(stones, division, grouped)
    np.testing.assert_array_equal(node_of, expected)
    assert nodes.tolist() == [
        [node[key] for key in ("kind", "colour", "size", "liberties", "eyes")] + node["shape"] for node in described
    ]
    assert [tuple(end) for end in ends.tolist()] == sorted({(min(u, v), max(u, v)) for u, v in pairs})
    for (u, v), facts in zip(ends.tolist(), edges.tolist(), strict=True):
        assert facts[0] == pairs[u, v] == pairs[v, u]
        assert facts[1:5] == [contacts.get((u, v, k), 0) for k in range(1, 5)]
        assert facts[5:] == [contacts.get((v, u, k), 0) for k in range(1, 5)]


@pytest.mark.parametrize("division", DIVISIONS)
@pytest.mark.parametrize("grouped", [False, True])
def test_the_kernel_equals_its_twin(division, grouped):
    random = np.random.default_rng(DIVISIONS.index(division) + 10 * grouped)
    for _ in range(40):
        assert_same(random_stones(random, *random.integers(2, 8, 2)), division, grouped)


@pytest.mark.parametrize("shape", [(2, 2), (25, 25), (2, 25)])
@pytest.mark.parametrize("value", [0, 1, -1])
def test_boards_of_one_kind(shape, value):
    node_of, nodes, ends, _ = board_graph(np.full(shape, value, np.int8), 1, False)
    assert not node_of.any()
    assert nodes[0, :3].tolist() == [0 if value else 2, value, shape[0] * shape[1]]
    assert len(ends) == 0


@pytest.mark.parametrize(("stones", "division"), [((1, 5), 1), ((26, 5), 1), ((9, 9), 4), ((9, 9), -1)])
def test_what_is_no_board_is_refused(stones, division):
    with pytest.raises(ValueError):
        board_graph(np.zeros(stones, np.int8), division, False)
