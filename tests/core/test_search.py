"""The native search: it grows the twin's tree; nodes stay within their bound; nonsense is refused."""

from __future__ import annotations

import gc
import itertools
import math
import random
import threading
import time
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from tengen._core import DynamicKomi, Knowledge, MovePolicy, Position, Search, Widening, position_rows
from tengen.views.move_features import LEVELS
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
    turns: int = 1,
    dynamic_komi: str = "off",
    barred: Sequence[int] = (),
    widening: tuple[float, float, float, bool] | None = None,
    policy: MovePolicy | None = None,
    bias: float = 0.0,
) -> None:
    """Compare the trees after some playouts; with more turns the move with most visits is played, and so on."""
    schedule = Widening(*widening) if widening else None
    others = {"dynamic_komi": DynamicKomi[dynamic_komi], "widening": schedule, "policy": policy, "bias": bias}
    core = search(pair.core, strong=strong, seed=seed, komi=komi, **others)
    twin = NaiveStrong(pair.naive, seed, komi, TWIN, DRAWINGS) if strong else NaiveUct(pair.naive, seed, komi)
    twin.dynamic_komi, twin.widening, twin.policy, twin.bias = dynamic_komi, widening, policy, bias
    width = pair.naive.width
    passing = width * pair.naive.height

    def point_of(index: int) -> tuple[int, int] | None:
        return None if index == passing else divmod(index, width)

    for number, depth in enumerate(barred):
        side, index = divmod(number, passing + 1)
        twin.barred[(BLACK, WHITE)[side], point_of(index)] = depth
    for turn in range(turns):
        if turn > 0:
            best = max(twin.root.children, key=lambda child: child.visits).move
            assert core.advance(pair.index(best))
            twin.advance(best)
            pair.play(best, pair.naive.to_play)
        assert core.run(playouts, math.inf, 1, [*barred]) == playouts
        twin.run(playouts)
        total = sum(child.prior[1] for child in twin.root.children)
        number = len(twin.root.children)
        expected = [
            (
                child.move,
                child.visits,
                child.wins,
                child.lead,
                pytest.approx(child.prior[1] / total if strong else 1 / number),
            )
            for child in twin.root.children
        ]
        found = core.report().moves
        assert [(point_of(move.move), move.visits, move.wins, move.lead, move.prior) for move in found] == expected
        lines = [([*map(point_of, move.line)], move.line_visits) for move in found]
        assert lines == [*map(line_of, twin.root.children)]


SLOW_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 12)]


@pytest.mark.parametrize("seed", [*range(5), *SLOW_SEEDS])
def test_the_strong_search_equals_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    width, height = rng.choice([(3, 3), (4, 3), (5, 5), (7, 7)])
    pair = Pair(width, height, ko=seed % 3)
    for _ in random_game(pair, rng.randint(0, width * height + 4), rng):
        pass
    assert_twins(pair, seed, rng.choice([0.0, 0.5, -3.5]), 60 if width < 7 else 12, strong=True)


@pytest.mark.parametrize("moves", [0, 6, *(pytest.param(moves, marks=pytest.mark.slow) for moves in (1, 12))])
def test_the_priors_of_a_large_board_equal_the_twins(moves: int) -> None:
    rng = random.Random(moves)
    pair = Pair(13, 15)
    for _ in random_game(pair, moves, rng):
        pass
    assert_twins(pair, 1, 7.5, 1, strong=True)


@pytest.mark.parametrize("strong", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dynamic_komi", ["ahead", "both"])
@pytest.mark.parametrize("komi", [-12.5, 0.5, 20.5])
def test_the_komi_is_adjusted_as_the_twins(komi: float, dynamic_komi: str, strong: bool) -> None:
    assert_twins(Pair(3, 3), 3, komi, 450, strong=strong, dynamic_komi=dynamic_komi)


@pytest.mark.parametrize("dynamic_komi", ["ahead", "both"])
@pytest.mark.parametrize("komi", [-3.5, 3.5])
def test_each_player_has_an_aim_of_its_own(komi: float, dynamic_komi: str) -> None:
    """Turns are not multiples of the period after which an aim moves."""
    assert_twins(Pair(3, 3), 3, komi, 150, turns=6, dynamic_komi=dynamic_komi)


@pytest.mark.parametrize("komi", [-36.5, 36.5])
def test_an_aim_is_thirty_points_at_most(komi: float) -> None:
    assert_twins(Pair(2, 2), 3, komi, 4200, dynamic_komi="both")


def test_an_adjusted_komi_while_ahead_changes_nothing_behind() -> None:
    def searched(dynamic_komi: str, komi: float) -> list[int]:
        core = search(Pair(5, 5).core, strong=True, seed=1, komi=komi, dynamic_komi=DynamicKomi[dynamic_komi])
        core.run(2000, math.inf, 1, [])
        return [move.visits for move in core.report().moves]

    assert searched("ahead", 40.5) == searched("off", 40.5) != searched("both", 40.5)
    assert searched("ahead", -10.5) == searched("both", -10.5) != searched("off", -10.5)


@pytest.mark.parametrize(("width", "height", "komi"), [(2, 2, 0.5), (3, 3, 7.5), (2, 5, 0.0), (4, 4, 0.0), (5, 5, 3.5)])
def test_plain_uct_equals_the_twin_on_empty_boards(width: int, height: int, komi: float) -> None:
    assert_twins(Pair(width, height), 3, komi, 150)


@pytest.mark.parametrize("seed", [*range(7), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(7, 16))])
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
    assert whole.report().moves == sliced.report().moves
    assert whole.nodes == sliced.nodes


@pytest.mark.parametrize("strong", [False, True])
def test_a_full_tree_stops_growing_and_goes_on_counting(strong: bool) -> None:
    tree = search(Position(9, 9), strong=strong, nodes=1000)
    assert tree.run(3000, math.inf, 1, []) == 3000
    assert tree.nodes <= 1000
    assert sum(move.visits for move in tree.report().moves) == 3000


def test_a_played_move_keeps_its_subtree_and_the_counts_agree() -> None:
    position = Position(9, 9)
    tree = search(position)
    tree.run(2000, math.inf, 1, [])
    best = max(tree.report().moves, key=lambda move: move.visits)
    before = tree.nodes
    assert tree.advance(best.move)
    assert tree.nodes < before
    replies = tree.report().moves
    assert 0 < sum(move.visits for move in replies) <= best.visits
    assert best.line[1] == max(replies, key=lambda move: move.visits).move
    assert tree.report().playouts == 0
    tree.run(100, math.inf, 1, [])
    assert tree.report().playouts == 100


def test_a_kept_subtree_leaves_room_to_grow() -> None:
    tree = search(Position(9, 9), nodes=3000)
    tree.run(5000, math.inf, 1, [])
    assert tree.advance(max(tree.report().moves, key=lambda move: move.visits).move)
    kept = tree.nodes
    assert kept <= 1500
    tree.run(5000, math.inf, 1, [])
    assert kept < tree.nodes <= 3000


def test_a_move_the_tree_does_not_know_is_not_kept() -> None:
    tree = search(Position(9, 9))
    assert not tree.advance(40)
    tree.run(50, math.inf, 1, [])
    assert tree.advance(40)
    assert 40 not in [move.move for move in tree.report().moves]


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
        for found in tree.report().moves:
            game = pair.core.copy()
            for move in found.line:
                assert game.objection(move, game.to_play) == 0
                game.play(move, game.to_play)


def test_moves_that_are_barred_at_the_root_are_not_visited() -> None:
    barred = [1] * 82 + [0] * 82
    barred[10] = barred[81] = 0
    tree = search(Position(9, 9))
    tree.run(200, math.inf, 1, barred)
    assert {move.move for move in tree.report().moves if move.visits > 0} == {10, 81}


@pytest.mark.parametrize("strong", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_moves_are_barred_as_deep_as_the_twin_bars_them(strong: bool) -> None:
    rng = random.Random(3)
    for depth in (1, 2, 3, 100):
        pair = Pair(4, 4)
        for _ in random_game(pair, 3, rng):
            pass
        barred = [depth * (rng.random() < 0.6) for _ in range(2 * 17)]
        assert_twins(pair, depth, 0.5, 100, strong=strong, barred=barred)


def test_where_all_is_barred_the_playouts_begin() -> None:
    tree = search(Position(3, 3), strong=False)
    assert tree.run(50, math.inf, 1, [0] * 10 + [9] * 10) == 50
    assert {len(move.line) for move in tree.report().moves} == {1}
    assert tree.report().playouts == 50


# Guides are called with rows of positions and return a policy, the winrates of the rows, and a winrate.

Row: TypeAlias = npt.NDArray[Any]
NOTHING = None, None, None


def line_to(last_moves: Row) -> tuple[int, ...]:
    """The moves before a position, oldest first, of which there were fewer than are kept."""
    return tuple(int(move) for move in last_moves[::-1] if move >= 0)


class Listener:
    """A guide that says one and the same, and remembers the moves that led to each position."""

    def __init__(self, *said: Any) -> None:
        self.said: Any = said or NOTHING
        self.lines: list[tuple[int, ...]] = []

    def __call__(self, stones: Row, to_play: Row, ko: Row, last_moves: Row, captures: Row, passes: Row) -> Any:
        self.lines += map(line_to, last_moves)
        return self.said


@pytest.mark.parametrize("before", [0, 50])
def test_the_policy_of_a_guide_draws_the_search(before: int) -> None:
    belief = np.zeros(82)
    belief[20] = 0.9
    tree, plain = search(Position(9, 9)), search(Position(9, 9))
    tree.run(before, math.inf, 1, [])
    tree.run(400, math.inf, 1, [], lambda *rows: (belief, None, None))
    plain.run(400, math.inf, 1, [])
    visits = [next(move.visits for move in each.report().moves if move.move == 20) for each in (tree, plain)]
    assert visits[0] > 4 * visits[1]


def test_a_guide_that_comes_late_keeps_what_was_counted() -> None:
    """Moves are put in order anew: each keeps its numbers and its line."""
    tree = search(Position(9, 9))
    tree.run(500, math.inf, 1, [])
    before = {move.move: move for move in tree.report().moves}
    policy = np.arange(82) / 100
    assert tree.run(0, math.inf, 1, [], lambda *rows: (policy, None, None)) == 0
    after = {move.move: move for move in tree.report().moves}
    assert [*after] != [*before]
    for name in ("visits", "wins", "lead", "line", "line_visits"):
        assert all(getattr(after[move], name) == getattr(before[move], name) for move in before)
    assert after[70].prior > before[70].prior


def test_a_guide_is_asked_about_positions_near_the_root() -> None:
    guide = Listener()
    tree = search(Position(5, 5))
    tree.run(500, math.inf, 1, [], guide, guided=3)
    lines = guide.lines
    assert lines[0] == ()
    assert {len(line) for line in lines} == {0, 1, 2}
    assert len({*lines}) == len(lines)
    asked = len(lines)
    best = max(tree.report().moves, key=lambda move: move.visits).move
    assert tree.advance(best)
    tree.run(100, math.inf, 1, [], guide, guided=3)
    assert not {*lines[asked:]} & {*lines[:asked]}
    assert any(len(line) == 3 for line in lines[asked:])
    assert all(line[0] == best for line in lines[asked:])


def test_a_guide_asked_deeper_than_before_catches_up() -> None:
    guide = Listener()
    tree = search(Position(5, 5))
    tree.run(500, math.inf, 1, [], guide)
    assert guide.lines == [()]
    tree.run(0, math.inf, 1, [], guide, guided=2)
    assert len(guide.lines) > 1
    assert {len(line) for line in guide.lines[1:]} == {1}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("after_moves", [False, True])
def test_a_guide_sees_what_a_replay_shows(after_moves: bool, late: bool) -> None:
    """Stones, turn, ko, last moves, captures of the game and of the tree, passes: for the leaf or all its children."""
    pair = Pair(5, 5)
    for _ in random_game(pair, 30, random.Random(3)):
        pass
    root = pair.core
    assert root.captures(BLACK) + root.captures(WHITE) > 0
    seen: set[int] = set()

    def replayed(line: list[int]) -> Any:
        game = root.copy()
        for move in line:
            if game.objection(move, game.to_play):
                return None
            game.play(move, game.to_play)
        return position_rows([game])

    def guide(*rows: Row) -> Any:
        for i, last_moves in enumerate(rows[3]):
            for depth in range(3):
                expected = replayed(last_moves[:depth][::-1].tolist())
                if expected and all(np.array_equal(a[i], b[0]) for a, b in zip(rows, expected, strict=True)):
                    seen.add(depth)
                    break
            else:
                raise AssertionError(f"no position of the tree: {last_moves}")
        return NOTHING

    tree = search(root)
    tree.run(300 if late else 0, math.inf, 1, [])
    tree.run(300, math.inf, 1, [], guide, guided=2, after_moves=after_moves)
    assert seen == ({1, 2} if after_moves else {0, 1})


def test_the_values_after_moves_are_their_priors() -> None:
    """All children of a node in one call; the better the position for the player to move, the higher the prior."""
    for to_play in (BLACK, WHITE):
        position = Position(5, 5)
        position.to_play = to_play
        calls: list[int] = []

        def guide(*rows: Row, calls: list[int] = calls) -> Any:
            calls.append(len(rows[0]))
            return None, np.where(rows[3][:, 0] == 7, 0.9, 0.4), None

        tree = search(position)
        tree.run(1, math.inf, 1, [], guide, after_moves=True)
        assert calls == [26]
        priors = {move.move: move.prior for move in tree.report().moves}
        assert priors[7] == (max if to_play == BLACK else min)(priors[move] for move in (7, 11, 13, 17))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strong", [False, True])
def test_the_answer_of_a_guide_is_never_lost(strong: bool, threads: int) -> None:
    """However small and full the tree is: moves that the guide prunes are gone, and the guide is asked once."""
    for size in (5, 9, 13):
        for nodes in (1000, 1100, 1333, 2000):
            points = size * size
            good = np.arange(points + 1) % 7 == 0
            guide = Listener(good / good.sum(), None, 0.5)
            keep = int(good[:points].sum()) // 2  # after two moves at least this many good ones are left
            tree = search(Position(size, size), strong=strong, nodes=nodes)
            tree.run(600, math.inf, threads, [])
            tree.run(300, math.inf, threads, [], guide, guided=2, keep=keep)
            moves = tree.report().moves
            assert all(good[move.move] or move.move == points for move in moves)
            assert len(moves) <= keep + 1
            assert tree.nodes <= nodes
            assert tree.caught_up
            assert all(len(move.line) < 2 or good[move.line[1]] or move.line[1] == points for move in moves)
            assert len(guide.lines) == len({*guide.lines}) > 0


@pytest.mark.parametrize("after_moves", [False, True])
def test_moves_that_are_not_kept_take_no_room(after_moves: bool) -> None:
    def guide(*rows: Row) -> Any:
        if after_moves:
            return None, np.where(rows[3][:, 0] == 40, 0.9, 0.4), None
        return np.eye(82)[40], None, None

    tree = search(Position(9, 9))
    tree.run(1, math.inf, 1, [], guide, after_moves=after_moves, keep=1)
    assert {move.move for move in tree.report().moves} == {40, 81}  # the pass is always kept
    assert tree.nodes == 3


def test_two_threads_ask_at_the_same_time() -> None:
    """Each of the first two questions below the root waits until the other is asked as well."""
    both, waited = threading.Barrier(2), itertools.count()

    def guide(*rows: Row) -> Any:
        if rows[3][0][0] >= 0 and next(waited) < 2:
            both.wait(timeout=120)
        return NOTHING

    tree = search(Position(9, 9))
    assert tree.run(4000, math.inf, 2, [], guide, guided=2) == 4000
    assert next(waited) > 2


def test_the_first_failure_of_several_threads_is_raised() -> None:
    both, failures = threading.Barrier(2), itertools.count()

    def guide(*rows: Row) -> Any:
        if rows[3][0][0] >= 0:
            both.wait(timeout=120)
            raise RuntimeError(f"failure {next(failures)}")
        return NOTHING

    tree = search(Position(9, 9))
    with pytest.raises(RuntimeError, match=r"failure [01]"):
        tree.run(4000, math.inf, 2, [], guide, guided=2)
    assert next(failures) == 2
    assert tree.run(500, math.inf, 2, []) == 500


def test_threads_that_wait_to_ask_give_up_when_the_time_is_over() -> None:
    """Every answer takes longer than its run. What was given up loses no playout and takes no room for good."""
    answers = itertools.count()

    def guide(*rows: Row) -> Any:
        end = time.perf_counter() + 0.01
        while time.perf_counter() < end:
            pass
        next(answers)
        return NOTHING

    tree = search(Position(9, 9))
    tree.run(500, math.inf, 2, [], guide)
    for _ in range(30):
        tree.run(10**6, 0.002, 2, [], guide, guided=50)
    report = tree.report()
    assert sum(move.visits for move in report.moves) == report.playouts
    before = 1 + 82 * (1 + 500 // 8)
    assert tree.nodes <= before + 82 * (next(answers) + 2)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_guide_cannot_use_its_own_search(threads: int) -> None:
    uses: list[Any] = [
        lambda tree: tree.report(),
        lambda tree: tree.nodes,
        lambda tree: tree.caught_up,
        lambda tree: tree.advance(0),
        lambda tree: tree.run(1, math.inf, 1, []),
    ]
    for use in uses:
        tree = search(Position(5, 5))
        with pytest.raises(RuntimeError, match="this search is running: neither its guide"):
            tree.run(500, math.inf, threads, [], lambda *rows, use=use, tree=tree: use(tree), guided=2)
        assert tree.run(500, math.inf, threads, []) == 500


def test_a_guide_may_use_another_search_and_that_its_guide() -> None:
    inner, other, tree = (search(Position(5, 5)) for _ in range(3))

    def guide(*rows: Row) -> tuple[None, None, None]:
        assert inner.run(10, math.inf, 1, [], lambda *rows: NOTHING) == 10
        with pytest.raises(RuntimeError, match="this search is running"):
            other.run(1, math.inf, 1, [], lambda *rows: tree.report())
        return NOTHING

    assert tree.run(10, math.inf, 1, [], guide) == 10


def test_catching_up_ends_with_the_time_and_goes_on_later() -> None:
    quick = Listener()
    lines = quick.lines

    def slow(*rows: Row) -> Any:
        time.sleep(0.02)
        return quick(*rows)

    tree = search(Position(5, 5))
    assert tree.run(2000, math.inf, 1, []) == 2000
    assert tree.run(100, 0.01, 1, [], slow, guided=3) == 0
    assert lines == [()]  # the root is always asked about
    assert not tree.caught_up
    assert tree.run(5, 0.0, 1, [], slow, guided=3, least=3) == 3
    assert lines == [()]
    assert tree.run(0, 0.03, 1, [], slow, guided=3) == 0
    assert len(lines) <= 4  # fewer if the machine is busy
    assert tree.run(0, math.inf, 1, [], quick, guided=3) == 0
    assert tree.caught_up
    assert len(lines) == len(set(lines))
    assert [len(line) for line in lines] == sorted(len(line) for line in lines)
    assert {len(line) for line in lines} == {0, 1, 2}


@pytest.mark.parametrize("answer", [None, 0.5, (None, None), [None, None, None], []])
def test_an_answer_of_another_kind_is_named(answer: Any) -> None:
    with pytest.raises(TypeError, match=r"^a guide returns \(policy, values, winrate\), .* not \w+$"):
        search(Position(5, 5)).run(1, math.inf, 1, [], lambda *rows: answer)


def test_widening_opens_moves_one_by_one() -> None:
    tree = search(Position(9, 9), komi=7.5, widening=Widening())
    for playouts, most in ((40, 1), (56, 2), (78, 3)):  # the second opens at 40 visits, the third at 96
        tree.run(playouts, math.inf, 1, [])
        assert 1 <= sum(move.visits > 0 for move in tree.report().moves) <= most
    assert sum(move.visits > 0 for move in tree.report().moves) > 1


def test_when_a_move_is_opened() -> None:
    coulom, oakfoam = Widening(40, 1.4), Widening(20, 1.4, 0.67, by_wins=True)
    assert [coulom.open(visits, 0, 9) for visits in (0, 39, 40, 95, 96, 10**6)] == [1, 1, 2, 2, 3, 9]
    # With 40 wins of 100 the steps are 0.732 times as long: moves open at 14.6, 35.1, 63.9 wins. With 80 wins of 100
    # they are 0.464 times as long: 9.3, 22.3, 40.5, 65.9, 101.5 wins.
    assert [oakfoam.open(100, wins, 9) for wins in (0, 10, 40, 80)] == [1, 1, 3, 5]


@pytest.mark.parametrize("widening", [(6, 1.4, 0.0, False), (3, 1.3, 0.67, True)])
@pytest.mark.parametrize("strong", [False, True])
def test_a_widened_tree_equals_the_twins(widening: tuple[float, float, float, bool], strong: bool) -> None:
    assert_twins(Pair(3, 3), 5, 0.5, 60, strong=strong, widening=widening)


@pytest.mark.parametrize("bias", [0.0, 10.0])
@pytest.mark.parametrize("seed", range(4))
def test_priors_by_a_model_of_moves_equal_the_twins(seed: int, bias: float) -> None:
    rng = random.Random(seed)
    pair = Pair(*rng.choice([(4, 3), (5, 5), (7, 7)]))
    for _ in random_game(pair, rng.randint(0, 20), rng):
        pass
    rows = np.zeros((1 + sum(LEVELS.values()), 8), np.float32)
    rows[1:, :3] = np.random.default_rng(seed).normal(size=(len(rows) - 1, 3))
    widening = (3, 1.3, 0.67, True) if bias else None
    assert_twins(pair, seed, 0.5, 60, strong=True, policy=MovePolicy(rows), bias=bias, widening=widening)


def test_a_model_without_weight_only_orders_the_moves() -> None:
    rows = np.zeros((1 + sum(LEVELS.values()), 8), np.float32)
    rows[1:, 0] = np.random.default_rng(1).normal(size=len(rows) - 1)
    policy, position = MovePolicy(rows), Position(7, 7)
    tree = search(position, policy=policy, policy_weight=0)
    tree.run(1, math.inf, 1, [])
    moves = tree.report().moves
    stones, to_play, ko, last_moves, _, passes = position_rows([position])
    scores = policy.scores(stones, to_play, ko, last_moves, passes)[0]
    assert len({move.prior for move in moves[:-1]}) == 1
    assert moves[-1].move == 49  # the pass comes last
    assert np.diff([scores[move.move] for move in moves[:-1]]).max() <= 0


def test_a_bias_needs_a_policy_and_no_guide() -> None:
    rows = np.zeros((1 + sum(LEVELS.values()), 8), np.float32)
    for bias, policy in ((10.0, None), (-1.0, MovePolicy(rows)), (math.nan, MovePolicy(rows))):
        with pytest.raises(ValueError, match="bias"):
            search(Position(5, 5), bias=bias, policy=policy)
    tree = search(Position(5, 5), bias=10.0, policy=MovePolicy(rows))
    with pytest.raises(ValueError, match="no guide"):
        tree.run(1, math.inf, 1, [], lambda *rows: (None, None, 0.5))
    assert tree.run(10, math.inf, 1, []) == 10


def test_a_tree_keeps_its_model_of_moves() -> None:
    rows = np.zeros((1 + sum(LEVELS.values()), 8), np.float32)
    tree = search(Position(9, 9), policy=MovePolicy(rows))
    gc.collect()
    assert tree.run(200, math.inf, 2, []) == 200


def test_bad_schedules_are_refused() -> None:
    for first, growth, ease in ((0, 1.4, 0), (40, 0.9, 0), (40, 1.4, 1), (40, 1.4, -0.1)):
        with pytest.raises(ValueError, match="first is positive, growth at least 1"):
            Widening(first, growth, ease)
    with pytest.raises(ValueError, match="growth"):
        Widening(40, math.nan)


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_share_the_tree_and_lose_no_playout(threads: int) -> None:
    tree = search(Position(9, 9))
    assert tree.run(2000, math.inf, threads, []) == 2000
    assert sum(move.visits for move in tree.report().moves) == 2000
    assert tree.report().playouts == 2000
    for move in tree.report().moves:
        assert 0 <= move.wins <= move.visits


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
    for wrong in (
        (np.full(1, 0.5), None, None),
        (np.full(82, math.nan), None, None),
        (None, np.ones(81), None),
        (None, np.full(82, -0.1), None),
        (None, None, -1.0),
        (None, None, "good"),
    ):
        with pytest.raises(ValueError, match=r"each point|probability|winrate"):
            tree.run(1, 1.0, 1, [], lambda *rows, wrong=wrong: wrong)
    with pytest.raises(TypeError, match="policy: an array of float64"):
        tree.run(1, 1.0, 1, [], lambda *rows: ([0.5] * 82, None, None))
    with pytest.raises(ValueError, match="guided"):
        tree.run(1, 1.0, 1, [], guided=-1)
    for keep in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="keep"):
            tree.run(1, 1.0, 1, [], keep=keep)
    with pytest.raises(IndexError):
        tree.advance(82)
