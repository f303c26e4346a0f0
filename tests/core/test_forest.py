"""Stone graphs and decision forests: the paper's rules on small boards, then everything against the naive twin."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest

from tengen._core import Forest, ForestGrowth, stone_graph
from tengen.go.symmetry import transform
from tests.naive.board import BLACK, WHITE, NaiveBoard, Point
from tests.naive.forest import (
    DISTANCE,
    LEAF,
    LIBERTIES,
    NEW,
    SIZE,
    NaiveGraph,
    NaiveGrowth,
    Query,
    descend,
    leftmost,
    read_trees,
)

from .game_lines import files, games
from .pairs import COLUMNS, Pair, array_of, random_game, random_pair, stones_array

STONES, CHAINS = 0, 1
OWN, ENEMY, SIDE, ANY = 1, 2, 4, 7  # sets of statuses
END: Query = (LEAF, 0, 0, 0, 0)


def turn(colour: int) -> np.ndarray:
    return np.array([1 if colour == BLACK else -1], np.int8)


def forest_of(*queries: Query, nodes: int = STONES) -> Forest:
    return Forest(np.array(queries, np.int8).reshape(-1, 5), nodes)


def index(name: str, stones: np.ndarray) -> int:
    return (stones.shape[0] - int(name[1:])) * stones.shape[1] + COLUMNS.index(name[0])


def discover(*queries: Query) -> list[Query]:
    """A tree that asks these queries one after the other, whatever the answers are."""
    if not queries:
        return [END]
    count = queries[0][1].bit_count() + 1 if queries[0][0] == NEW else 2
    rest = discover(*queries[1:])
    return [queries[0], *rest * (count - 1), *(discover() if queries[0][0] == NEW else rest)]


def found(drawing: str, move: str, *queries: Query, colour: int = BLACK, nodes: int = STONES) -> list[str]:
    """The places of the nodes that a descent discovers, by their first stones."""
    stones = array_of(drawing)
    _, discovered = forest_of(*discover(*queries), nodes=nodes).trace(
        stones[None], turn(colour), index(move, stones), 0
    )
    attributes, _ = stone_graph(stones[None], turn(colour), index(move, stones), nodes)
    return [place(node, attributes, stones) for node in discovered[1:]]


def place(node: int, attributes: np.ndarray, stones: np.ndarray) -> str:
    side = node - (len(attributes) - 4)
    if side >= 0:
        return ["top", "left", "right", "bottom"][side]
    row, column = divmod(int(attributes[node, 1]), stones.shape[1])
    return f"{COLUMNS[column]}{stones.shape[0] - row}"


def leaf(drawing: str, move: str, *queries: Query, colour: int = BLACK, nodes: int = STONES) -> int:
    stones = array_of(drawing)
    return int(forest_of(*queries, nodes=nodes).leaves(stones[None], turn(colour))[0, index(move, stones), 0])


def new(statuses: int, distance: int) -> Query:
    return (NEW, statuses, 0, 0, distance)


# --- the graph ---

CORNER = """
    . X X . .
    . O O . .
    O . . . .
    . . . . X
    """


def test_the_nodes_are_the_move_the_stones_and_the_sides() -> None:
    attributes, distances = stone_graph(array_of(CORNER)[None], turn(WHITE), 11, STONES)
    assert attributes.tolist() == [
        [-1, 11, 0, 0],  # the move
        [1, 1, 2, 2],  # Black's chain of two has two empty neighbours, White is to move
        [1, 2, 2, 2],
        [0, 6, 2, 4],  # White's: A3, B2, C2 and D3
        [0, 7, 2, 4],
        [0, 10, 1, 3],
        [1, 19, 1, 2],
        *[[2, -1, 0, 0]] * 4,
    ]
    assert distances[0].tolist() == [0, 2, 3, 1, 2, 1, 4, 2, 1, 3, 1]
    assert distances[1].tolist() == [2, 0, 1, 1, 2, 3, 6, 0, 1, 3, 3]
    assert (distances == distances.T).all()


def test_opposite_sides_are_a_board_apart_and_neighbouring_ones_meet() -> None:
    _, distances = stone_graph(array_of(CORNER)[None], turn(BLACK), 11, STONES)
    assert distances[-4:, -4:].tolist() == [[0, 0, 0, 4], [0, 0, 5, 0], [0, 5, 0, 0], [4, 0, 0, 0]]


def test_a_chain_in_atari_has_one_liberty_however_often_it_touches_it() -> None:
    drawing = """
        X X O
        X . O
        O O .
        """
    attributes, _ = stone_graph(array_of(drawing)[None], turn(BLACK), 8, STONES)
    assert attributes[1:4].tolist() == [[0, 0, 3, 1], [0, 1, 3, 1], [1, 2, 2, 2]]


def test_chains_as_nodes_are_as_far_as_their_nearest_stones() -> None:
    attributes, distances = stone_graph(array_of(CORNER)[None], turn(BLACK), 11, CHAINS)
    assert attributes.tolist() == [
        [-1, 11, 0, 0],
        [0, 1, 2, 2],
        [1, 6, 2, 4],
        [1, 10, 1, 3],
        [0, 19, 1, 2],
        *[[2, -1, 0, 0]] * 4,
    ]
    assert distances[0].tolist() == [0, 2, 1, 1, 4, 2, 1, 3, 1]
    assert distances[1].tolist() == [2, 0, 1, 3, 5, 0, 1, 2, 3]


def random_boards(seed: int, count: int, largest: int = 7) -> list[NaiveBoard]:
    """Positions of random games, some of them with odd shapes."""
    rng = random.Random(seed)
    boards = []
    for _ in range(count):
        pair = random_pair(rng, largest)
        boards.append(list(random_game(pair, rng.randint(1, 30), rng))[-1].naive)
    return boards


def empty_points(board: NaiveBoard) -> list[Point]:
    return [point for point in board.points() if point not in board.stones]


@pytest.mark.parametrize("nodes", [STONES, CHAINS])
def test_graphs_equal_the_twin(nodes: int) -> None:
    rng = random.Random(5)
    for board in random_boards(1, 40):
        for point in rng.sample(empty_points(board), min(2, len(empty_points(board)))):
            naive = NaiveGraph(board, point, WHITE, nodes == CHAINS)
            attributes, distances = stone_graph(
                stones_array(board)[None], turn(WHITE), point[0] * board.width + point[1], nodes
            )
            assert [row[[0, 2, 3]].tolist() for row in attributes] == [
                [node.status, node.size, node.liberties] for node in naive.nodes
            ]
            every = range(len(naive.nodes))
            assert distances.tolist() == [[naive.distance(x, y) if x != y else 0 for y in every] for x in every]


# --- which node is discovered (Appendix A) ---


def test_the_nearest_node_comes_first() -> None:
    drawing = """
        . . . . . . .
        . O . . . . .
        . . . . . . .
        . . . . . X .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """
    assert found(drawing, "D4", new(OWN | ENEMY, 9), new(OWN | ENEMY, 9)) == ["F4", "B6"]
    assert found(drawing, "D4", new(OWN | ENEMY, 1)) == []
    assert found(drawing, "D4", new(ENEMY, 9), new(OWN, 9)) == ["B6", "F4"]
    assert found(drawing, "D4", new(ENEMY, 3)) == []


def test_own_stones_come_before_the_opponents_and_those_before_sides() -> None:
    drawing = """
        . . . . .
        . . X . .
        . O . . .
        . . . . .
        . . . . .
        """
    assert found(drawing, "C3", *[new(ANY, 9)] * 2, colour=BLACK) == ["C4", "B3"]
    assert found(drawing, "C3", *[new(ANY, 9)] * 2, colour=WHITE) == ["B3", "C4"]
    assert found(drawing, "C5", new(ANY, 9), colour=BLACK) == ["top"]
    assert found(drawing, "C5", new(OWN | SIDE, 9), new(OWN | SIDE, 9)) == ["top", "C4"]


def test_then_the_nodes_next_to_those_discovered_last() -> None:
    drawing = """
        . . . . . . .
        . . . X . . .
        . . . . . . .
        . X . . . X .
        . . . . . . .
        . . . X . . .
        . . O . . . .
        """
    # A white stone first, then the black stones: C1 is nearest to D2, and D2 as near to B4 as to F4.
    assert found(drawing, "D4", new(ENEMY, 9), new(OWN, 9)) == ["C1", "D2"]
    second = found(drawing, "D4", new(ENEMY, 9), *[new(OWN, 9)] * 2)
    assert second == ["C1", "D2", "B4"]  # as near to D2 as F4, but nearer to C1


def test_then_the_larger_chain_and_then_more_liberties() -> None:
    drawing = """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . X . . . X .
        . . . . . X .
        . . . . . . .
        . . . . . . .
        """
    assert found(drawing, "D4", new(OWN, 2)) == ["F4"]
    drawing = """
        . . . . .
        . . . . .
        X . . . X
        . . . . O
        . . . . .
        """
    assert found(drawing, "C3", new(OWN, 2)) == ["A3"]


TWINS = """
    . . . . .
    . . . . .
    . X . X .
    . . . . .
    . O . . .
    """
ASK_THE_ENEMY = [new(OWN, 1), new(ENEMY, 9), (DISTANCE, 1, 2, 0, 3), END, END, END, END]


def test_nodes_that_cannot_be_told_apart_are_all_followed() -> None:
    """From C3 the stones B3 and D3 are twins; the white stone is 2 from the one and 4 from the other."""
    stones = array_of(TWINS)
    forest = forest_of(*ASK_THE_ENEMY)
    offsets, leaves, ways = forest.all_leaves(stones[None], turn(BLACK))
    at = index("C3", stones)
    assert leaves[offsets[at] : offsets[at + 1]].tolist() == [1, 2]
    assert ways[0, at].tolist() == [2]
    assert leaf(TWINS, "C3", *ASK_THE_ENEMY) == 1
    at = index("C2", stones)
    assert leaves[offsets[at] : offsets[at + 1]].tolist() == [4]
    assert forest.trace(stones[None], turn(BLACK), index("C3", stones), 0) == (1, [0, 1, 3])


def test_the_figure_of_the_paper_fourth_line_nothing_within_eight() -> None:
    """A side within 5? yes; no stone within 8; less than 3 from the side? no; exactly 3? yes."""
    tree = [new(SIDE, 5), new(OWN | ENEMY, 8), END, END, (DISTANCE, 0, 1, 0, 3), END, (DISTANCE, 0, 1, 1, 3), END, END]
    board = "\n".join(" ".join("." * 19) for _ in range(19))
    assert leaf(board, "D4", *tree, END) == 4
    assert leaf(board, "C4", *tree, END) == 3
    assert leaf(board, "E5", *tree, END) == 5
    assert leaf(board, "K10", *tree, END) == 6


def test_queries_about_size_and_liberties() -> None:
    atari = [new(ENEMY, 1), (LIBERTIES, 1, 0, 1, 1), END, END, END]
    assert leaf(CORNER, "D4", *[new(ENEMY, 3), (SIZE, 1, 0, 1, 2), END, END, END]) == 1
    assert leaf("X O .\n. X .\n. . .", "C3", *atari) == 1
    assert leaf("X O .\n. X .\n. . .", "C3", *atari, colour=WHITE) == 3


# --- trees against the twin ---


def random_tree(rng: random.Random, depth: int, found: int = 0) -> list[Query]:
    if depth == 0 or rng.random() < 0.1:
        return [END]
    kind = rng.choice([NEW, NEW, NEW, DISTANCE, SIZE, LIBERTIES]) if found else NEW
    if kind == NEW:
        query = new(rng.randint(1, 7), rng.randint(0, 8))
        more = [found + 1] * query[1].bit_count() + [found]
    else:
        x, y = sorted(rng.sample(range(found + 1), 2)) if kind == DISTANCE else (rng.randint(1, found), 0)
        query = (kind, x, y, rng.randint(0, 1), rng.randint(0, 5))
        more = [found, found]
    return [query, *(part for count in more for part in random_tree(rng, depth - 1, count))]


def assert_leaves_equal(queries: list[Query], board: NaiveBoard, colour: int, nodes: int, points: list[Point]) -> int:
    """The core's leaves and discovered nodes are the twin's; returns how many descents were not unique."""
    forest, trees = forest_of(*queries, nodes=nodes), read_trees(queries)
    stones = stones_array(board)[None]
    numbers = [{leaf.path: i for i, leaf in enumerate(tree.leaves(), start=1)} for tree in trees]
    leaves = forest.leaves(stones, turn(colour))[0]
    offsets, reached, ways = forest.all_leaves(stones, turn(colour))
    several = 0
    for point in points:
        graph, at = NaiveGraph(board, point, colour, nodes == CHAINS), point[0] * board.width + point[1]
        for t, tree in enumerate(trees):
            first, discovered = leftmost(tree, graph)
            assert forest.trace(stones, turn(colour), at, t) == (numbers[t][first.path], discovered)
            assert leaves[at, t] == numbers[t][first.path]
            expected = sorted({numbers[t][leaf.path] for leaf, _ in descend(tree, graph)})
            assert ways[0, at, t] == len(descend(tree, graph))
            place = at * len(trees) + t
            assert reached[offsets[place] : offsets[place + 1]].tolist() == expected
            several += len(expected) > 1
    for row, column in board.stones:
        assert not leaves[row * board.width + column].any()
    return several


@pytest.mark.parametrize("nodes", [STONES, CHAINS])
def test_leaves_equal_the_twin_on_random_boards(nodes: int) -> None:
    rng = random.Random(7)
    for board in random_boards(2, 25):
        queries = [query for _ in range(3) for query in random_tree(rng, 6)]
        points = empty_points(board)
        assert_leaves_equal(queries, board, rng.choice([BLACK, WHITE]), nodes, rng.sample(points, min(4, len(points))))


@pytest.mark.parametrize("nodes", [STONES, CHAINS])
def test_leaves_equal_the_twin_where_nodes_cannot_be_told_apart(nodes: int) -> None:
    """A few stones with their mirror images, and others that break the symmetry; moves on the axis."""
    rng = random.Random(13)
    several = 0
    for _ in range(30):
        stones = {}
        for colour in (BLACK, WHITE):
            row, column = rng.randrange(7), rng.randrange(3)
            stones |= {(row, column): colour, (row, 6 - column): colour}
        stones |= {(rng.randrange(7), rng.choice([0, 1, 2, 4, 5, 6])): rng.choice([BLACK, WHITE]) for _ in range(3)}
        pairs = [(DISTANCE, 1, 2, 0, rng.randint(2, 5)), (DISTANCE, 1, 3, 1, rng.randint(2, 5))]
        queries = discover(*(new(statuses, 9) for statuses in (3, 3, 3)), *pairs)
        points = [(row, 3) for row in rng.sample(range(7), 3)]
        several += assert_leaves_equal(queries, NaiveBoard(7, 7, stones=stones), BLACK, nodes, points)
    assert several >= 5


def test_leaves_equal_the_twin_on_regular_boards_with_very_many_ways() -> None:
    """From the centre of the pattern a descent that discovers six stones has thousands of ways."""
    stones = {(r, c): BLACK for r in range(7) for c in range(7) if (r + c) % 2}
    queries = discover(*[new(OWN, 9)] * 6, (DISTANCE, 1, 6, 0, 3))
    assert_leaves_equal(queries, NaiveBoard(7, 7, stones=stones), BLACK, STONES, [(3, 3), (0, 0)])


@pytest.mark.parametrize("nodes", [STONES, CHAINS])
def test_leaves_equal_the_twin_in_real_games(nodes: int) -> None:
    rng = random.Random(9)
    path = next(path for path in files() if path.name.startswith("tygem-train"))
    for game in islice(games(path, step=40), 3):
        pair = Pair(19, 19)
        for code in game.moves[: rng.randint(40, 160)]:
            pair.play(divmod(code >> 4, 19), code >> 2 & 3)
        queries = [query for _ in range(2) for query in random_tree(rng, 7)]
        points = rng.sample(empty_points(pair.naive), 6)
        assert_leaves_equal(queries, pair.naive, pair.naive.to_play, nodes, points)


@pytest.mark.parametrize("nodes", [STONES, CHAINS])
def test_turned_boards_and_exchanged_colours_reach_the_same_leaves(nodes: int) -> None:
    rng = random.Random(11)
    for board in random_boards(4, 15):
        stones = stones_array(board)
        forest = forest_of(*(query for _ in range(3) for query in random_tree(rng, 6)), nodes=nodes)
        leaves = forest.leaves(stones[None], turn(BLACK))[0].T.reshape(-1, *stones.shape)
        for symmetry in range(8):
            turned = np.ascontiguousarray(transform(stones, symmetry))
            again = forest.leaves(-turned[None], turn(WHITE))[0].T.reshape(-1, *turned.shape)
            assert (again == transform(leaves, symmetry)).all()


# --- growth ---

SMALL = {"split_after": 40, "test_every": 10, "sample": 0.5, "max_leaves": 2**24, "max_depth": 5, "max_found": 3}


def plays(seed: int, count: int, size: int = 5) -> list[tuple[NaiveBoard, int, Point | None]]:
    """Random positions, and moves next to the left side, which a tree can find out."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        board = list(random_game(Pair(size, size), rng.randint(1, 12), rng))[-1].naive
        legal = sorted(board.legal(board.to_play), key=lambda point: (point[1], point[0]))
        found.append((board, board.to_play, rng.choice(legal[:5]) if legal and rng.random() < 0.9 else None))
    return found


def arrays(given: list[tuple[NaiveBoard, int, Point | None]]) -> tuple[np.ndarray, ...]:
    def number(board: NaiveBoard, point: Point | None, none: int) -> int:
        return none if point is None else point[0] * board.width + point[1]

    kos = [board.ko[0] if board.ko and board.ko[1] == colour else None for board, colour, _ in given]
    return (
        np.stack([stones_array(board) for board, *_ in given]),
        np.concatenate([turn(colour) for _, colour, _ in given]),
        np.array([number(board, ko, -1) for (board, *_), ko in zip(given, kos, strict=True)], np.int16),
        np.array([number(board, move, board.width * board.height) for board, _, move in given], np.int32),
    )


def grown(given: tuple[np.ndarray, ...], batch: int = 1000, threads: int = 1, **options: object) -> list[Query]:
    settings = {"trees": 2, "nodes": STONES, "criterion": 0, "threshold": 0.4, "seed": 0, **SMALL, **options}
    growth = ForestGrowth(**settings)
    for first in range(0, len(given[0]), batch):
        growth.learn(*(array[first : first + batch] for array in given), threads=threads)
    return [tuple(row) for row in growth.queries().tolist()]


@pytest.mark.parametrize("nodes", [STONES, CHAINS])
@pytest.mark.parametrize(("criterion", "threshold"), [(0, 0.4), (0, 0.9), (1, 0.0), (1, 4.0)])
def test_growth_equals_the_twin(nodes: int, criterion: int, threshold: float) -> None:
    given = plays(3, 60)
    queries = []
    for number in range(2):
        naive = NaiveGrowth(number, nodes == CHAINS, criterion == 1, threshold=threshold, seed=4, **SMALL)
        for board, colour, move in given:
            naive.learn(board, colour, move)
        queries += naive.tree.preorder()
    assert grown(arrays(given), nodes=nodes, criterion=criterion, threshold=threshold, seed=4) == queries
    assert len(queries) > 4


def test_growth_does_not_depend_on_batches_and_threads_but_on_the_seed() -> None:
    given = arrays(plays(6, 120))
    once = grown(given, trees=3)
    assert once == grown(given, trees=3, batch=7)
    assert once == grown(given, trees=3, batch=50, threads=3)
    assert once != grown(given, trees=3, seed=1)
    assert once[: len(grown(given, trees=1))] == grown(given, trees=1)


def test_growth_keeps_its_limits() -> None:
    given = arrays(plays(8, 100))
    assert grown(given, trees=1, sample=0.0) == [END]
    assert grown(given, trees=1, max_depth=0) == [END]
    tree = grown(given, trees=1, max_leaves=5)
    assert 5 <= sum(query == END for query in tree) <= 7
    trees = read_trees(grown(given, trees=2, max_found=2, max_depth=4))
    leaves = [leaf for tree in trees for leaf in tree.leaves()]
    assert max(leaf.found for leaf in leaves) == 2
    assert max(len(leaf.path) for leaf in leaves) == 4


# --- nonsense ---

BOARD = np.zeros((1, 5, 5), np.int8)
ONE = np.ones(1, np.int8)


@pytest.mark.parametrize(
    "queries",
    [
        [new(ANY, 3)],  # ends too early
        [END, new(OWN, 3), END],  # so does the second tree
        [(9, 0, 0, 0, 0)],
        [(-1, 0, 0, 0, 0)],
        [(LEAF, 1, 0, 0, 0)],
        [new(0, 3), END],
        [new(8, 3), END, END],
        [new(-1, 3), END, END],
        [new(OWN, -1), END, END],
        [new(OWN, 101), END, END],
        [(NEW, OWN, 1, 0, 3), END, END],
        [(NEW, OWN, 0, 1, 3), END, END],
        [(DISTANCE, 0, 1, 0, 3), END, END],  # nothing is discovered yet
        [new(OWN, 3), (DISTANCE, 1, 1, 0, 3), END, END, END],
        [new(OWN, 3), (DISTANCE, 1, 0, 0, 3), END, END, END],
        [new(OWN, 3), (DISTANCE, -1, 1, 0, 3), END, END, END],
        [new(OWN, 3), (DISTANCE, 0, 2, 0, 3), END, END, END],
        [new(OWN, 3), (DISTANCE, 0, 1, 2, 3), END, END, END],
        [new(OWN, 3), (SIZE, 0, 0, 0, 3), END, END, END],
        [new(OWN, 3), (LIBERTIES, 2, 0, 0, 3), END, END, END],
        [new(OWN, 3), (SIZE, 1, 1, 0, 3), END, END, END],
        [new(OWN, 3), END, (SIZE, 1, 0, 0, 3), END, END],  # not discovered on this side
        discover(*[new(OWN, 9)] * 13),
    ],
)
def test_malformed_trees_are_refused(queries: list[Query]) -> None:
    with pytest.raises(ValueError, match=r"valid there|not complete"):
        forest_of(*queries)


def test_very_deep_trees_are_read_and_followed() -> None:
    deep = [new(SIDE, 9), *[(DISTANCE, 0, 1, 1, 100), END] * 100_000, END, END]
    assert forest_of(*deep).leaves(BOARD, ONE)[0, 0, 0] == 100_001


def test_wrong_arguments_of_forests_and_growth() -> None:
    forest = forest_of(new(OWN, 3), END, END)
    assert forest_of().leaves(BOARD, ONE).shape == (1, 25, 0)
    assert forest.leaves(BOARD[:0], ONE[:0]).shape == (0, 25, 1)
    for call in [
        lambda: Forest(np.zeros((1, 4), np.int8)),
        lambda: Forest(np.zeros((1, 5), np.int16)),
        lambda: Forest(np.zeros(5, np.int8)),
        lambda: Forest(np.zeros((1, 5), np.int8), 2),
        lambda: Forest(None),
        lambda: forest.leaves(BOARD, np.zeros(1, np.int8)),
        lambda: forest.leaves(BOARD, np.ones(2, np.int8)),
        lambda: forest.leaves(BOARD + np.int8(2), ONE),
        lambda: forest.leaves(np.zeros((1, 26, 5), np.int8), ONE),
        lambda: forest.leaves(BOARD[0], ONE),
        lambda: forest.all_leaves(BOARD, ONE.astype(np.int16)),
        lambda: forest.trace(BOARD, ONE, 25, 0),
        lambda: forest.trace(BOARD, ONE, -1, 0),
        lambda: forest.trace(BOARD, ONE, 0, 1),
        lambda: forest.trace(np.zeros((2, 5, 5), np.int8), np.ones(2, np.int8), 0, 0),
        lambda: forest.trace(np.ones((1, 5, 5), np.int8), ONE, 0, 0),
        lambda: stone_graph(BOARD, ONE, 25, 0),
        lambda: stone_graph(BOARD, ONE, 0, 5),
    ]:
        with pytest.raises((ValueError, TypeError, IndexError)):
            call()


@pytest.mark.parametrize(
    "option",
    [
        {"trees": 0},
        {"criterion": 2},
        {"nodes": -1},
        {"split_after": 0},
        {"test_every": 0},
        {"threshold": float("nan")},
        {"threshold": -1.0},
        {"sample": 1.5},
        {"sample": float("nan")},
        {"max_leaves": 0},
        {"max_depth": -1},
        {"max_found": 13},
        {"seed": -1},
    ],
)
def test_growth_refuses_wrong_settings(option: dict[str, float]) -> None:
    with pytest.raises((ValueError, TypeError)):
        grown(arrays(plays(1, 1)), **option)


def test_growth_refuses_wrong_positions() -> None:
    good = arrays(plays(1, 3))
    wrong = {
        0: [good[0][:, :1], good[0].astype(np.int16), good[0][0]],
        1: [good[1][:2], good[1] * 0],
        2: [good[2][:2], good[2].astype(np.int32)],
        3: [good[3][:2], good[3] * 0 - 1, good[3] * 0 + 26],
    }
    for place_, values in wrong.items():
        for value in values:
            with pytest.raises((ValueError, TypeError)):
                grown(tuple(value if i == place_ else array for i, array in enumerate(good)))
