"""The native search: it grows the twin's tree; nodes stay within their bound; nonsense is refused."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tengen._core import Knowledge, Position, Search
from tests.naive.board import BLACK, WHITE
from tests.naive.knowing_playout import NaiveKnowledge
from tests.naive.search import NaiveStrong, NaiveUct, line_of

from .dev import local_patterns
from .pairs import Pair, random_game

PLENTY = 1_000_000
DRAWINGS, _ = local_patterns()
KNOWLEDGE = Knowledge(ladder=95)
TWIN = NaiveKnowledge(95, 95, 95, 95, 95)


def search(
    position: Position,
    *,
    strong: bool = True,
    seed: int = 0,
    nodes: int = PLENTY,
    komi: float = 0.5,
    **others: Any,
) -> Search:
    return Search(position, strong, seed, nodes, komi, False, KNOWLEDGE if strong else None, **others)


def assert_twins(
    pair: Pair,
    seed: int,
    komi: float,
    playouts: int,
    *,
    strong: bool = False,
    moving_komi: bool = False,
    barred: Sequence[int] = (),
) -> None:
    core = search(pair.core, strong=strong, seed=seed, komi=komi, moving_komi=moving_komi)
    twin = NaiveStrong(pair.naive, seed, komi, TWIN, DRAWINGS) if strong else NaiveUct(pair.naive, seed, komi)
    twin.moving_komi = moving_komi
    width = pair.naive.width
    passing = width * pair.naive.height

    def point_of(index: int) -> tuple[int, int] | None:
        return None if index == passing else divmod(index, width)

    assert core.run(playouts, math.inf, 1, [*barred]) == playouts
    for number, depth in enumerate(barred):
        side, index = divmod(number, passing + 1)
        twin.barred[(BLACK, WHITE)[side], point_of(index)] = depth
    twin.run(playouts)
    total = sum(child.prior[1] for child in twin.root.children)
    expected = [
        (child.move, child.visits, child.wins, child.lead, pytest.approx(child.prior[1] / total if strong else 1 / n))
        for n in [len(twin.root.children)]
        for child in twin.root.children
    ]
    found = core.moves()
    assert [(point_of(move), visits, wins, lead, prior) for move, visits, wins, lead, prior, *_ in found] == expected
    assert [([*map(point_of, move[5])], move[6]) for move in found] == [*map(line_of, twin.root.children)]


SLOW_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 12)]


@pytest.mark.parametrize("seed", [*range(5), *SLOW_SEEDS])
def test_the_strong_search_equals_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(3, 3), (4, 3), (5, 5), (7, 7)])
    pair = Pair(width, height, ko=seed % 3)
    for _ in random_game(pair, rng.randint(0, width * height + 4), rng):
        pass
    assert_twins(pair, seed, rng.choice([0.0, 0.5, -3.5]), 100 if width < 7 else 20, strong=True)


@pytest.mark.parametrize("moves", [0, pytest.param(1, marks=pytest.mark.slow), 6, 12])
def test_the_priors_of_a_large_board_equal_the_twins(moves: int) -> None:
    rng = random.Random(moves)
    pair = Pair(13, 15)
    for _ in random_game(pair, moves, rng):
        pass
    assert_twins(pair, 1, 7.5, 1, strong=True)


@pytest.mark.parametrize("strong", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("komi", [-12.5, 0.5, 20.5])
def test_a_moving_komi_moves_as_the_twins(komi: float, strong: bool) -> None:
    assert_twins(Pair(4, 4), 3, komi, 450, strong=strong, moving_komi=True)


@pytest.mark.parametrize(("width", "height", "komi"), [(2, 2, 0.5), (3, 3, 7.5), (2, 5, 0.0), (4, 4, 0.0), (5, 5, 3.5)])
def test_plain_uct_equals_the_twin_on_empty_boards(width: int, height: int, komi: float) -> None:
    assert_twins(Pair(width, height), 3, komi, 300)


@pytest.mark.parametrize("seed", range(16))
def test_plain_uct_equals_the_twin_in_mid_game(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(3, 3), (4, 3), (5, 5), (9, 9)])
    pair = Pair(width, height, ko=seed % 3)
    for _ in random_game(pair, rng.randint(1, width * height + 4), rng):
        pass
    assert_twins(pair, seed, rng.choice([0.0, 0.5, -3.5]), 120 if width < 9 else 30)


@pytest.mark.parametrize("strong", [False, True])
def test_slices_do_not_change_the_tree(strong: bool) -> None:
    whole, sliced = (search(Position(9, 9), strong=strong, seed=5) for _ in range(2))
    whole.run(900, math.inf, 1, [])
    for playouts in (1, 250, 649):
        sliced.run(playouts, math.inf, 1, [])
    assert whole.moves() == sliced.moves()
    assert whole.nodes == sliced.nodes


@pytest.mark.parametrize("strong", [False, True])
def test_a_full_tree_stops_growing_and_goes_on_counting(strong: bool) -> None:
    tree = search(Position(9, 9), strong=strong, nodes=1000)
    assert tree.run(3000, math.inf, 1, []) == 3000
    assert tree.nodes <= 1000
    assert sum(move[1] for move in tree.moves()) == 3000


def test_a_played_move_keeps_its_subtree_and_the_counts_agree() -> None:
    position = Position(9, 9)
    tree = search(position)
    tree.run(2000, math.inf, 1, [])
    best = max(tree.moves(), key=lambda move: move[1])
    before = tree.nodes
    assert tree.advance(best[0])
    assert tree.nodes < before
    replies = tree.moves()
    assert 0 < sum(move[1] for move in replies) <= best[1]
    assert best[5][1] == max(replies, key=lambda move: move[1])[0]
    assert tree.owners()[0] == 0
    tree.run(100, math.inf, 1, [])
    assert tree.owners()[0] == 100


def test_a_kept_subtree_leaves_room_to_grow() -> None:
    tree = search(Position(9, 9), nodes=3000)
    tree.run(5000, math.inf, 1, [])
    assert tree.advance(max(tree.moves(), key=lambda move: move[1])[0])
    kept = tree.nodes
    assert kept <= 1500
    tree.run(5000, math.inf, 1, [])
    assert kept < tree.nodes <= 3000


def test_a_move_the_tree_does_not_know_is_not_kept() -> None:
    tree = search(Position(9, 9))
    assert not tree.advance(40)
    tree.run(50, math.inf, 1, [])
    assert tree.advance(40)
    assert 40 not in [move[0] for move in tree.moves()]


@pytest.mark.parametrize("ko", [0, 1, 2])
def test_the_tree_never_offers_a_move_that_repeats_a_position(ko: int) -> None:
    """Through the whole tree's expected lines and the root: every move is legal under positional superko."""
    rng = random.Random(ko)
    for _ in range(8):
        pair = Pair(3, 3, ko=ko)
        for _ in random_game(pair, rng.randint(4, 24), rng):
            pass
        tree = search(pair.core, strong=False, seed=1)
        tree.run(400, math.inf, 1, [])
        for *_, line, _ in tree.moves():
            game = pair.core.copy()
            for move in line:
                assert game.objection(move, game.to_play) == 0
                game.play(move, game.to_play)


def test_moves_that_are_barred_at_the_root_are_not_visited() -> None:
    barred = [1] * 82 + [0] * 82
    barred[10] = barred[81] = 0
    tree = search(Position(9, 9))
    tree.run(200, math.inf, 1, barred)
    assert {move[0] for move in tree.moves() if move[1] > 0} == {10, 81}


@pytest.mark.parametrize("strong", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_moves_are_barred_as_deep_as_the_twin_bars_them(strong: bool) -> None:
    rng = random.Random(3)
    for depth in (1, 2, 3, 100):
        pair = Pair(4, 4)
        for _ in random_game(pair, 3, rng):
            pass
        barred = [depth * (rng.random() < 0.6) for _ in range(2 * 17)]
        assert_twins(pair, depth, 0.5, 200, strong=strong, barred=barred)


def test_where_all_is_barred_the_playouts_begin() -> None:
    tree = search(Position(3, 3), strong=False)
    assert tree.run(50, math.inf, 1, [0] * 10 + [9] * 10) == 50
    assert {len(move[5]) for move in tree.moves()} == {1}
    assert tree.owners()[0] == 50


@pytest.mark.parametrize("before", [0, 50])
def test_probabilities_of_a_guide_draw_the_search(before: int) -> None:
    belief = [0.0] * 82
    belief[20] = 0.9
    tree, plain = search(Position(9, 9)), search(Position(9, 9))
    tree.run(before, math.inf, 1, [])
    tree.run(400, math.inf, 1, [], lambda line: (belief, None, None))
    plain.run(400, math.inf, 1, [])
    visits = [next(move[1] for move in either.moves() if move[0] == 20) for either in (tree, plain)]
    assert visits[0] > 4 * visits[1]


def test_a_guide_that_comes_late_keeps_what_was_counted() -> None:
    """Moves are put in order anew: each keeps its numbers and its line."""
    tree = search(Position(9, 9))
    tree.run(500, math.inf, 1, [])
    before = {move[0]: move for move in tree.moves()}
    probabilities = [index / 100 for index in range(82)]
    assert tree.run(0, math.inf, 1, [], lambda line: (probabilities, None, None)) == 0
    after = {move[0]: move for move in tree.moves()}
    assert [*after] != [*before]
    assert all(after[move][:4] == before[move][:4] and after[move][5:] == before[move][5:] for move in before)
    assert after[70][4] > before[70][4]


def test_a_guide_is_asked_with_the_moves_from_the_root() -> None:
    lines: list[list[int]] = []
    tree = search(Position(5, 5), guided=3)
    tree.run(500, math.inf, 1, [], lambda line: (lines.append(line), None, None))
    assert lines[0] == []
    assert {len(line) for line in lines} == {0, 1, 2}
    assert len({tuple(line) for line in lines}) == len(lines)
    asked = len(lines)
    best = max(tree.moves(), key=lambda move: move[1])[0]
    assert tree.advance(best)
    tree.run(100, math.inf, 1, [], lambda line: (lines.append(line), None, None))
    assert all([best, *line] not in lines[:asked] for line in lines[asked:])
    assert any(len(line) == 2 for line in lines[asked:])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strong", [False, True])
def test_the_answer_of_a_guide_is_never_lost(strong: bool, threads: int) -> None:
    """However small and full the tree is: moves that the guide prunes are gone, and the guide is asked once."""
    for size in (5, 9, 13):
        for nodes in (1000, 1100, 1333, 2000):
            moves = size * size + 1
            keep = [move % 7 == 0 for move in range(moves)]
            asked: list[tuple[int, ...]] = []

            def guide(line: list[int], keep: list[bool] = keep, asked: list[tuple[int, ...]] = asked) -> Any:
                asked.append(tuple(line))
                return None, keep, 0.5

            tree = search(Position(size, size), strong=strong, nodes=nodes, guided=2)
            tree.run(600, math.inf, threads, [])
            tree.run(300, math.inf, threads, [], guide)
            assert {move[0] for move in tree.moves()} <= {move for move in range(moves) if keep[move]}
            assert tree.nodes <= nodes
            assert tree.caught_up
            for *_, line, _ in tree.moves():
                assert len(line) < 2 or keep[line[1]]
            assert len(asked) == len(set(asked)) > 0


def test_moves_that_a_guide_prunes_take_no_room() -> None:
    keep = [move == 40 for move in range(82)]
    tree = search(Position(9, 9))
    tree.run(1, math.inf, 1, [], lambda line: (None, keep, None))
    assert [move[0] for move in tree.moves()] == [40]
    assert tree.nodes == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_a_guide_cannot_use_its_own_search(threads: int) -> None:
    uses: list[Any] = [
        lambda tree: tree.moves(),
        lambda tree: tree.owners(),
        lambda tree: tree.nodes,
        lambda tree: tree.caught_up,
        lambda tree: tree.advance(0),
        lambda tree: tree.run(1, math.inf, 1, []),
    ]
    for use in uses:
        tree = search(Position(5, 5), guided=2)
        with pytest.raises(RuntimeError, match="this search is running: neither its guide"):
            tree.run(500, math.inf, threads, [], lambda line, use=use, tree=tree: use(tree))
        assert tree.run(500, math.inf, threads, []) == 500


def test_a_guide_may_use_another_search_and_that_its_guide() -> None:
    inner, other, tree = (search(Position(5, 5)) for _ in range(3))

    def guide(line: list[int]) -> tuple[None, None, None]:
        assert inner.run(10, math.inf, 1, [], lambda line: (None, None, None)) == 10
        with pytest.raises(RuntimeError, match="this search is running"):
            other.run(1, math.inf, 1, [], lambda line: tree.moves())
        return None, None, None

    assert tree.run(10, math.inf, 1, [], guide) == 10


def test_catching_up_ends_with_the_time_and_goes_on_later() -> None:
    lines: list[tuple[int, ...]] = []

    def slow(line: list[int]) -> tuple[None, None, None]:
        lines.append(tuple(line))
        time.sleep(0.02)
        return None, None, None

    tree = search(Position(5, 5), guided=3)
    assert tree.run(2000, math.inf, 1, []) == 2000
    assert tree.run(100, 0.01, 1, [], slow) == 0
    assert lines == [()]  # the root is always asked about
    assert not tree.caught_up
    assert tree.run(5, 0.0, 1, [], slow, least=3) == 3
    assert lines == [()]
    assert tree.run(0, 0.03, 1, [], slow) == 0
    assert 2 <= len(lines) <= 4
    assert tree.run(0, math.inf, 1, [], lambda line: (lines.append(tuple(line)), None, None)) == 0
    assert tree.caught_up
    assert len(lines) == len(set(lines))
    assert [len(line) for line in lines] == sorted(len(line) for line in lines)
    assert {len(line) for line in lines} == {0, 1, 2}


@pytest.mark.parametrize(
    "answer", [None, 0.5, (None, None), ("x", None, None), (None, [1], None), (None, None, "x"), []]
)
def test_an_answer_of_another_kind_is_named(answer: Any) -> None:
    with pytest.raises(TypeError, match=r"^a guide returns \(list of probabilities, .* not \w+$"):
        search(Position(5, 5)).run(1, math.inf, 1, [], lambda line: answer)


def test_widening_opens_moves_one_by_one() -> None:
    tree = search(Position(9, 9), komi=7.5, widening=True)
    for playouts, most in ((40, 1), (56, 2), (78, 3)):  # the second opens at 40 visits, the third at 96
        tree.run(playouts, math.inf, 1, [])
        assert 1 <= sum(move[1] > 0 for move in tree.moves()) <= most
    assert sum(move[1] > 0 for move in tree.moves()) > 1


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_share_the_tree_and_lose_no_playout(threads: int) -> None:
    tree = search(Position(9, 9))
    assert tree.run(2000, math.inf, threads, []) == 2000
    assert sum(move[1] for move in tree.moves()) == 2000
    assert tree.owners()[0] == 2000
    for _, visits, wins, *_ in tree.moves():
        assert 0 <= wins <= visits


def test_time_ends_a_run() -> None:
    tree = search(Position(9, 9))
    assert 0 < tree.run(10**9, 0.05, 1, []) < 10**6
    assert tree.run(100, 0.0, 1, []) == 0


def test_nonsense_is_refused() -> None:
    position = Position(9, 9)
    with pytest.raises(ValueError, match="nodes"):
        search(position, nodes=10)
    with pytest.raises(ValueError, match="komi"):
        search(position, komi=math.nan)
    tree = search(position)
    with pytest.raises(ValueError, match="threads"):
        tree.run(1, 1.0, 0, [])
    with pytest.raises(ValueError, match="barred"):
        tree.run(1, 1.0, 1, [1] * 82)
    for wrong in (([0.5], None, None), ([math.nan] * 82, None, None), (None, [True], None), (None, None, -1.0)):
        with pytest.raises(ValueError, match=r"every point|probability"):
            tree.run(1, 1.0, 1, [], lambda line, wrong=wrong: wrong)
    with pytest.raises(IndexError):
        tree.advance(82)
