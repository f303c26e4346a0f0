"""Players of one and two plies: the moves of a naive twin, few evaluations, draws by value, games that end."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.positions import PositionsLike, as_positions
from tengen.models.estimate import evaluator_of
from tengen.models.evaluator import Evaluations, ask
from tengen.models.leads import expected_leads
from tengen.search.clock import Clock
from tengen.search.player import Player, Settings
from tengen.search.plies import afterstates, choose, distinct_winrates, evaluate, read, shares, winrates_after_replies
from tengen.search.restrict import allow, avoid
from tests.naive.plies import moves_of, values_of


class Hashed:
    """An evaluator with a random value for each position, in whole points, so that many are equal."""

    name = "hashed"

    def __init__(self, answer: str = "lead", spread: int = 7) -> None:
        self.gives = frozenset({answer})
        self.spread = spread
        self.asked: list[int] = []

    def value(self, board: Board) -> float:
        """The value for Black, about −1 to 1."""
        drawn = random.Random(repr((board.stones.tolist(), board.to_play))).randrange(self.spread) - self.spread // 2
        points = board.width * board.height
        return drawn / (points if "lead" in self.gives else self.spread)

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        given = as_positions(positions)
        self.asked.append(len(given))
        values = np.array([self.value(board) for board in given.boards()])
        if "lead" in self.gives:
            return Evaluations(lead=values * given.points)
        return Evaluations(winrate=(values + 1) / 2)


def boards(n: int, width: int = 4, height: int = 3, **settings: Any) -> list[Board]:
    chance, found = random.Random(n), []
    for _ in range(n):
        board = Board(width, height, **settings)
        for _ in range(chance.randrange(40)):
            board.play(chance.choice([*board.legal_moves(), "pass"]))
        found.append(board)
    return found


@pytest.mark.parametrize("answer", ["lead", "winrate"])
@pytest.mark.parametrize("rules", ["chinese", "tromp-taylor", "aga"])
def test_values_are_those_of_the_naive_twin(rules: str, answer: str) -> None:
    toy: Any = Hashed(answer)
    for seed, board in enumerate(boards(5, rules=rules)):
        for plies in (1, 2):
            expected = values_of(board, toy.value, plies)
            full = read(board, toy, plies, exact=True, seed=seed)
            assert dict(zip(full.moves, full.values, strict=True)) == pytest.approx(expected, abs=1e-6)
            best = max(expected, key=lambda move: (round(expected[move], 6), full.rank[full.moves.index(move)]))
            fast = read(board, toy, plies, seed=seed)
            assert (
                fast.moves[fast.order[0]]
                == full.moves[full.order[0]]
                == best
                == choose(board, toy, plies=plies, seed=seed)[0]
            )
            known = ~np.isnan(fast.values)
            assert (fast.values[known] == full.values[known]).all()
            assert fast.evaluated.sum() <= full.evaluated.sum()


def test_the_moves_are_those_of_the_naive_twin() -> None:
    for rules in ("chinese", "japanese", "tromp-taylor", "aga"):
        for board in boards(15, rules=rules):
            after = afterstates([board])
            assert [board.move_name(move) for move in after.moves.tolist()] == moves_of(board)
            assert (after.positions.komi == board.komi).all()


def test_two_plies_choose_as_at_full_width_with_a_tenth_of_the_evaluations() -> None:
    evaluator, board, counts = evaluator_of("territory/influence"), Board(9), np.zeros(2)
    for seed in range(2):
        for _ in range(12):
            board.play(choose(board, evaluator, temperature=1.6, seed=(seed, board.move_number))[0])
        fast, full = (read(board, evaluator, 2, exact=exact, seed=seed) for exact in (False, True))
        assert fast.order[0] == full.order[0]
        counts += fast.evaluated.sum(), full.evaluated.sum()
    assert counts[0] < counts[1] / 8


def test_one_ply_is_one_call() -> None:
    toy: Any = Hashed()
    choose(Board(4, 3), toy)
    assert toy.asked == [13]


def test_an_ownership_gives_the_lead_under_the_rules_of_the_board() -> None:
    board = Board.from_text(". X . O . / X X . O O / . X . O .".split(" / "), komi=3.5, rules="japanese")
    evaluator = evaluator_of("territory/naive")
    after = afterstates([board])
    ownership = ask(evaluator, after.positions, "ownership").ownership
    assert ownership is not None
    reading = read(board, evaluator, 1)
    assert reading.leads == pytest.approx(expected_leads(after.positions, ownership))
    assert reading.values == pytest.approx(reading.leads / 15, abs=1e-6)


# The choice.


def test_equal_moves_are_drawn_by_the_seed() -> None:
    toy: Any = Hashed(spread=1)
    drawn = {seed: choose(Board(3), toy, seed=seed)[0] for seed in range(60)}
    assert len(set(drawn.values())) == 10
    assert all(choose(Board(3), toy, seed=seed)[0] == move for seed, move in drawn.items())


class Imprecise(Hashed):
    """Gives all positions the same value but for errors as of single precision."""

    def value(self, board: Board) -> float:
        """The value for Black."""
        return 0.2500002 + 1e-7 * super().value(board)


def test_moves_that_differ_by_the_errors_of_single_precision_are_equal() -> None:
    toy: Any = Imprecise("winrate")
    assert len({toy.value(after) for after in afterstates([Board(3)]).positions.boards()}) > 1
    assert len({choose(Board(3), toy, seed=seed)[0] for seed in range(60)}) == 10


def test_moves_are_drawn_by_their_values() -> None:
    toy: Any = Hashed("winrate")
    board, generator = Board(2), np.random.default_rng(0)
    drawn = [choose(board, toy, temperature=1.4, seed=generator) for _ in range(500)]
    values = drawn[0][1].values
    expected = np.exp(values / 0.35) / np.exp(values / 0.35).sum()
    assert shares(4 * values, 1.4) == pytest.approx(expected)
    assert shares(values) == pytest.approx(expected)
    counts = Counter(move for move, _ in drawn)
    assert [counts[move] / 500 for move in drawn[0][1].moves] == pytest.approx(expected.tolist(), abs=0.06)


def test_draws_with_two_plies_know_all_values() -> None:
    toy: Any = Hashed()
    _, reading = choose(Board(3), toy, plies=2, temperature=0.35)
    assert not np.isnan(reading.values).any()


def test_nonsense_is_refused() -> None:
    toy: Any = Hashed()
    for wrong in ({"plies": 0}, {"plies": 3}, {"temperature": -1.0}, {"temperature": math.nan}):
        with pytest.raises(TengenError):
            choose(Board(3), toy, **wrong)


# As a player.


def player(board: Board, kind: Any = "1-ply", guide: Any = "territory/influence", **settings: Any) -> Player:
    return Player(board, Settings(kind=kind, guide=guide, **settings))


@pytest.mark.parametrize("kind", ["1-ply", "2-ply"])
@pytest.mark.parametrize("rules", ["japanese", "tromp-taylor"])
@pytest.mark.parametrize("guide", ["territory/naive", "hashed"])
def test_games_end(kind: str, rules: str, guide: str) -> None:
    one = player(Board(5, 4, rules=rules), kind, Hashed() if guide == "hashed" else guide)
    while not one.board.is_over and one.board.move_number < 400:
        one.play(one.choose(may_resign=False).move)
    assert one.board.is_over


def test_own_eyes_are_not_filled_though_the_evaluator_wants_it() -> None:
    class Filler(Hashed):
        def value(self, board: Board) -> float:
            return float(board.stones.sum()) / 25 - (board.last_move is not None and board.last_move.point == "pass")

    board = Board.from_text([". X X .", "X X X X", ". X X ."])
    toy: Any = Filler()
    assert read(board, toy, 1).moves == ("pass",)
    assert player(board, guide=toy).choose().move == "pass"


FINISHED = ". . X O . . / . X X O . . / . . X O O . / X X X O . . / . . X O . .".split(" / ")


@pytest.mark.parametrize("rules", ["chinese", "japanese", "tromp-taylor"])
def test_a_finished_game_is_passed(rules: str) -> None:
    board = Board.from_text(FINISHED, komi=0.5, rules=rules)
    assert player(board, guide="territory/naive").choose().move == "pass"
    board.play("pass")
    assert player(board, guide="territory/naive").choose().move == "pass"


def test_dead_stones_are_taken_before_passing() -> None:
    board = Board.from_text(". O X O . . / . X X O . . / . . X O O . / X X X O . . / . . X O . .".split(" / "))
    assert player(board, guide="territory/naive").choose(cleanup=True).move == "A5"


def resigned_at(gives: str) -> int | None:
    """The move at which a player resigns who expects to lose."""

    class Pessimist(Hashed):
        def value(self, board: Board) -> float:
            return -0.99

    toy: Any = Pessimist(gives)
    one = player(Board(5), guide=toy)
    for _ in range(20):
        move = one.choose().move
        if move == "resign":
            return one.board.move_number
        one.play(move)
        one.play("pass")
    return None


def test_a_lost_game_is_resigned() -> None:
    found = resigned_at("winrate")
    assert found is not None
    assert found >= 25 // 4


def test_without_a_winrate_nothing_is_resigned() -> None:
    assert resigned_at("lead") is None


@pytest.mark.parametrize("kind", ["1-ply", "2-ply"])
def test_an_analysis_lists_all_moves_with_their_values(kind: str) -> None:
    board = Board(5)
    board.play("C3")
    one = player(board, kind)
    found = one.think()
    assert found.to_play == "white"
    assert len(found.candidates) == 25
    leads = [candidate.lead for candidate in found.candidates]
    assert leads == sorted(leads)
    assert found.lead == leads[0]
    assert found.visits == sum(candidate.visits for candidate in found.candidates)
    assert found.ownership.shape == (5, 5)
    assert sum(candidate.prior for candidate in found.candidates) == pytest.approx(1)
    assert {len(candidate.line) for candidate in found.candidates} == {1 if kind == "1-ply" else 2}
    assert one.choose().move == found.candidates[0].move
    assert one.choose().analysis.visits <= found.visits
    assert one.priors().sum() == pytest.approx(1)
    assert one.nodes == 0


def test_the_same_seed_repeats_the_same_game() -> None:
    games = []
    for seed in (1, 1, 2):
        one = player(Board(7), seed=seed)
        for _ in range(10):
            one.play(one.choose().move)
        games.append([move.point for move in one.board.moves])
    assert games[0] == games[1] != games[2]


def test_restrictions_hold_for_moves_and_replies() -> None:
    toy: Any = Hashed()
    one = player(Board(4), "2-ply", toy)
    assert {move.move for move in one.think(restrictions=[allow(["A1", "B2"])]).candidates} == {"A1", "B2"}
    best = one.choose().move
    assert one.choose(restrictions=[avoid([best])]).move != best
    lines = [move.line for move in one.think(restrictions=[allow(["C3", "pass"], "white", depth=2)]).candidates]
    assert {line[1] for line in lines if line[0] != "C3"} <= {"C3", "pass"}
    one.play("A1")
    with pytest.raises(TengenError, match="none of the allowed moves"):
        one.think(restrictions=[allow(["A1"])])


def test_an_analysis_without_a_limit_reports_until_it_is_stopped() -> None:
    reports: list[Any] = []
    found = player(Board(3)).think(seconds=math.inf, stop=lambda: len(reports) >= 3, report=reports.append, every=0.0)
    assert reports == [found] * 3


def test_two_plies_stop_early_with_the_moves_read_so_far() -> None:
    toy: Any = Hashed()
    found = player(Board(5), "2-ply", toy).think(stop=lambda: True)
    assert [len(candidate.line) for candidate in found.candidates] == [2]
    quick = player(Board(5), "2-ply", toy).choose(clock=Clock.absolute(0.01))
    assert quick.analysis.visits == 26 + 25


def test_an_evaluator_cannot_use_the_player_that_asks_it() -> None:
    class Curious(Hashed):
        def value(self, board: Board) -> float:
            one.choose()
            return 0.0

    toy: Any = Curious()
    one = player(Board(3), guide=toy)
    for use in (one.think, one.choose, one.priors):
        with pytest.raises(TengenError, match="a guide cannot use the player"):
            use()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"guide": None}, "needs a guide"),
        ({"guide": "moves/tactical"}, "it gives policy"),
        ({"keep": 4}, "keep is for searches"),
        ({"guide_plies": 1}, "guide_plies is for searches"),
        ({"guide_as": "priors"}, "guide_as is for searches"),
        ({"guided": 2}, "guided is for searches"),
        ({"widening": 40}, "widening is for searches"),
        ({"policy": "uniform"}, "policy is for searches"),
        ({"dynamic_komi": "both"}, "dynamic_komi is for searches"),
    ],
)
def test_settings_of_a_tree_are_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(TengenError, match=reason):
        player(Board(3), **wrong)


# Pruning a tree.


@pytest.mark.parametrize(("keep", "kept"), [(0.5, 13), (0.1, 8), (0.9, 23), (3, 3), (1, 1)])
def test_a_share_of_the_moves_is_kept(keep: float, kept: int) -> None:
    toy: Any = Hashed("winrate")
    one = Player(Board(5), Settings(playouts=400, kind="uct", guide=toy, keep=keep))
    assert len({move.move for move in one.think().candidates} - {"pass"}) == kept


def test_some_moves_are_random() -> None:
    toy: Any = Hashed("winrate", spread=10**6)
    best = player(Board(5), guide=toy).choose().move
    drawn = [player(Board(5), guide=toy, epsilon=0.5, seed=seed).choose().move for seed in range(40)]
    assert 10 < drawn.count(best) < 30
    assert len(set(drawn)) > 10
    assert "pass" not in drawn
    assert drawn[3] == player(Board(5), guide=toy, epsilon=0.5, seed=3).choose().move
    with pytest.raises(TengenError, match="epsilon is for players without a tree"):
        Settings(epsilon=0.1)


def test_a_player_draws_its_moves_by_their_values() -> None:
    toy: Any = Hashed("lead", spread=20)
    values = {move: value for move, value in values_of(Board(5), toy.value, 1).items() if move != "pass"}
    chances = np.exp(25 * np.array(list(values.values())) / 5)
    expected = dict(zip(values, chances / chances.sum(), strict=True))
    drawn = [player(Board(5), guide=toy, temperature=5, seed=seed).choose().move for seed in range(400)]
    assert set(drawn) <= set(values)
    likely = sorted(expected, key=lambda move: -expected[move])[:12]
    share = sum(expected[move] for move in likely)
    assert 0.55 < share < 0.95
    assert abs(sum(drawn.count(move) for move in likely) / 400 - share) < 0.1
    cold = {player(Board(5), guide=toy, temperature=2.5e-3, seed=seed).choose().move for seed in range(5)}
    assert cold == {player(Board(5), guide=toy).choose().move}
    with pytest.raises(TengenError, match="temperature is for players without a tree"):
        Settings(temperature=0.1)


def test_leads_tell_moves_apart_where_all_of_them_win() -> None:
    toy: Any = Hashed("lead", spread=20)
    positions = afterstates([Board(5)]).positions
    for far in (-300.0, 300.0):
        decided: Any = Hashed("lead", spread=20)
        decided.evaluate = lambda asked, far=far: Evaluations(lead=toy.evaluate(asked).lead + far)
        _, leads, winrates = evaluate(decided, positions)
        found = distinct_winrates(decided, positions)
        assert len(set(leads)) > 10
        assert set(winrates) == {float(far > 0)}
        assert ((found >= 0) & (found <= 1)).all()
        assert (np.less.outer(found, found) == np.less.outer(leads, leads)).all()


def test_moves_are_kept_by_their_values_after_the_best_replies() -> None:
    toy: Any = Hashed("winrate", spread=1001)
    for board in boards(6, 4, 4):
        expected = values_of(board, toy.value, 2)
        expected.pop("pass")
        best = sorted(expected, key=lambda move: -expected[move])[:3]
        one = Player(board, Settings(playouts=300, kind="uct", guide=toy, guide_plies=1, keep=3))
        assert {move.move for move in one.think().candidates} - {"pass"} == set(best)


def test_winrates_after_replies_stay_where_the_game_is_over() -> None:
    toy: Any = Hashed("winrate")
    board = Board(3)
    board.play("pass")
    after = afterstates([board])
    found = winrates_after_replies(toy, after.positions)
    assert found[-1] == pytest.approx((toy.value(after.positions.board(9)) + 1) / 2, abs=1e-5)
    expected = values_of(board, toy.value, 2)
    replies = [expected[board.move_name(i)] for i in range(9)]
    assert (1 - 2 * found[:-1]).tolist() == pytest.approx(replies, abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"keep": 1.5}, "keep is a number of moves from 1, or a share"),
        ({"keep": 0}, "keep is a number of moves from 1, or a share"),
        ({"keep": math.nan}, "keep"),
        ({"guide_plies": 2}, "guide_plies"),
        ({"guide_plies": 1, "guide_as": "values"}, "guide_plies is about the guide's priors"),
        ({"guide_plies": 1, "guide": "moves/tactical"}, "it gives policy"),
        ({"guide_plies": 1, "guide": None}, "need a guide"),
        ({"kind": "uct", "keep": None}, "uses a guide only to prune"),
    ],
)
def test_nonsense_about_pruning_is_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(TengenError, match=reason):
        Settings(**{"guide": "territory/naive", **wrong})
