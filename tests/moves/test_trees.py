"""Forests from played moves, and what their trees say in words."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tengen._core import QueryKind
from tengen.errors import ModelError, TengenError
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.moves.tree_words import describe, draw, text
from tengen.moves.trees import Forest, grow, unique_shares

LEAF, NEW, DISTANCE, SIZE, LIBERTIES = (int(kind) for kind in QueryKind)
OWN, ENEMY, SIDE = 1, 2, 4
END = (LEAF, 0, 0, 0, 0)


def forest(*queries, nodes="stones"):
    return Forest(np.array(queries, np.int8), nodes)


FIGURE = forest(  # the paper's example: fourth line, no stone within eight points
    (NEW, SIDE, 0, 0, 5),
    (NEW, OWN | ENEMY, 0, 0, 8),
    (LIBERTIES, 1 + 1, 0, 1, 1),
    END,
    (SIZE, 2, 0, 0, 4),
    END,
    END,
    END,
    (DISTANCE, 0, 1, 0, 3),
    END,
    (DISTANCE, 0, 1, 1, 3),
    END,
    END,
    END,
)


def test_a_tree_reads_as_a_list_of_questions():
    assert text(FIGURE, notes=[f"×{i}" for i in range(1, 9)]).splitlines() == [
        "is there a side within five points?",
        "  side 1: is there a stone within eight points?",
        "    own stone 2: is own stone 2 in atari?",
        "      yes: leaf 1 ×1",
        "      no: does own stone 2 have fewer than four stones?",
        "        yes: leaf 2 ×2",
        "        no: leaf 3 ×3",
        "    enemy stone 2: leaf 4 ×4",
        "    none: is the move on the third line or lower from side 1?",
        "      yes: leaf 5 ×5",
        "      no: is the move on the fourth line from side 1?",
        "        yes: leaf 6 ×6",
        "        no: leaf 7 ×7",
        "  none: leaf 8 ×8",
    ]


@pytest.mark.parametrize(
    ("leaf", "words"),
    [
        (1, "sixth line or lower (1), own stone (2) at most eight points away (in atari)"),
        (2, "sixth line or lower (1), own stone (2) at most eight points away (at most three stones; not in atari)"),
        (5, "third line or lower, no stone within eight points"),
        (6, "fourth line, no stone within eight points"),
        (7, "fifth line to sixth line, no stone within eight points"),
        (8, "seventh line or higher"),
    ],
)
def test_a_leaf_in_words(leaf, words):
    assert describe(FIGURE, leaf) == words


def test_what_is_near_and_what_is_not():
    tree = forest(
        (NEW, ENEMY, 0, 0, 2),
        END,
        (NEW, OWN | ENEMY, 0, 0, 6),
        END,
        (NEW, ENEMY, 0, 0, 9),
        (DISTANCE, 1, 2, 0, 3),
        END,
        END,
        END,
        (NEW, OWN, 0, 0, 7),
        END,
        END,
        nodes="chains",
    )
    assert describe(tree, 1) == "enemy chain at most two points away"
    assert describe(tree, 2) == "own chain at most six points away, no enemy chain within two points"
    assert describe(tree, 3).startswith(
        "enemy chain (1) three to six points away, enemy chain (2) three to nine points"
    )
    assert describe(tree, 3).endswith("(1) and (2) at most two points apart, no other enemy chain within two points")
    assert describe(tree, 7) == "no own chain within seven points, no enemy chain within six points"


def test_what_is_ruled_out():
    tree = forest((NEW, OWN, 0, 0, 3), (SIZE, 1, 0, 1, 4), END, (LIBERTIES, 1, 0, 1, 1), END, END, END)
    assert describe(tree, 1) == "own stone at most three points away (four stones)"
    assert describe(tree, 3) == "own stone at most three points away (not four stones; not in atari)"


def test_no_such_leaf_or_tree():
    for call in (lambda: describe(FIGURE, 9), lambda: describe(FIGURE, 0), lambda: text(FIGURE, 1)):
        with pytest.raises(TengenError):
            call()


def test_a_descent_is_drawn_with_the_discovered_nodes_numbered():
    board = Board(19)
    board.play("Q16")
    for move, expected in [("D4", {"0", "1"}), ("O17", {"0", "1", "2"})]:
        svg = draw(FIGURE, board, move)
        labels = {element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}
        assert expected <= labels
    assert "no stone within eight points" in draw(FIGURE, board, "D4")
    with pytest.raises(TengenError):
        draw(FIGURE, board, "Q16")


def test_malformed_arrays_are_no_forest():
    with pytest.raises(ModelError, match="not complete"):
        forest((NEW, 7, 0, 0, 3))
    with pytest.raises(ModelError):
        Forest(np.zeros((3, 5)))


def played(count, seed):
    """Random 9×9 positions of a few stones, and moves on the third line."""
    rng = np.random.default_rng(seed)
    third = [r * 9 + c for r in range(9) for c in range(9) if min(r, c, 8 - r, 8 - c) == 2]
    stones = rng.choice([0, 1, -1], (count, 9, 9), p=[0.9, 0.05, 0.05]).astype(np.int8)
    stones.reshape(count, -1)[:, moves := rng.choice(third)] = 0
    return Positions.of_stones(stones, rng.choice([1, -1], count)), np.full(count, moves)


def test_trees_grow_from_batches_and_say_what_is_played():
    batches = [played(20, seed) for seed in range(6)]
    even = grow(batches, trees=2, sample=0.9)
    assert len(even) == 2
    assert min(even.leaf_counts) >= 5
    joined = Positions.join([positions for positions, _ in batches]), np.concatenate([moves for _, moves in batches])
    assert (grow([joined], trees=2, sample=0.9, threads=1).queries == even.queries).all()
    assert even.leaves(joined[0]).max(axis=(0, 1)).tolist() <= even.leaf_counts
    gain = grow(batches, trees=1, sample=1.0, criterion="gain")
    leaves = gain.leaves(joined[0])[np.arange(len(joined[1])), joined[1], 0]
    assert "third line" in describe(gain, int(np.bincount(leaves).argmax()))


def test_the_share_of_unique_descents():
    """From C3 the black stones are twins, but only one of them is near the white stone."""
    board = Board.from_text("""
        . . . . .
        . . . . .
        . X . X .
        . . . . .
        . O . . .
    """)
    twins = forest((NEW, OWN, 0, 0, 1), (NEW, ENEMY, 0, 0, 9), (DISTANCE, 1, 2, 0, 3), END, END, END, END)
    assert unique_shares(twins, Positions.of([board])) == (21 / 22, 21 / 22)
    same = forest((NEW, OWN, 0, 0, 1), END, END)
    assert unique_shares(same, Positions.of([board])) == (1, 21 / 22)


@pytest.mark.parametrize("option", [{"criterion": "luck"}, {"nodes": "eyes"}, {"sample": 2.0}, {"trees": 0}])
def test_growth_refuses_nonsense(option):
    with pytest.raises(TengenError):
        grow([], **option)
