"""The player: legal everywhere, repeatable, right in small puzzles, quick to stop, sensible at the end."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

import tengen
from tengen._core import NODE_BYTES
from tengen.errors import IllegalMove, ModelError, TengenError
from tengen.go.board import Board
from tengen.go.points import as_point
from tengen.go.positions import Positions, PositionsLike, as_positions
from tengen.models.evaluator import Evaluations
from tengen.search.analysis import Analysis, Decision
from tengen.search.clock import Clock
from tengen.search.player import SHRINKAGE, DynamicKomi, Kind, Player, Settings, _Checks
from tengen.search.restrict import allow, avoid


def decide(drawing: str, to_play: str = "black", playouts: int = 1500, **settings: Any) -> Decision:
    komi = settings.pop("komi", 0.0)
    rules = settings.pop("rules", "chinese")
    board = Board.from_text(drawing, to_play, komi=komi, rules=rules)
    return Player(board, Settings(playouts=playouts, **settings)).choose()


# Puzzles: one move decides the game.

THREE_IN_A_ROW = """
    . . . O X . .
    O O O O X . .
    X X X X X . .
    . . . . . . .
    . . . . . . .
"""

BULKY_FIVE = """
    O O O O O O X
    O . . . O O X
    O . . O O X X
    O O O O X X .
    X X X X X . .
    . . . . . . .
    . . X . . . .
"""

PUZZLES = {
    "kill three in a row": (THREE_IN_A_ROW, "black", 27, ["B5"]),
    "live with three in a row": (THREE_IN_A_ROW, "white", 27, ["B5"]),
    "kill a bulky five": (BULKY_FIVE, "black", 27, ["C6"]),
    # C6 makes two eyes; B6 and C5 leave four points in a bent line, which live.
    "live with a bulky five": (BULKY_FIVE, "white", 27, ["C6", "B6", "C5"]),
}


@pytest.mark.parametrize("kind", ["strong", "uct"])
@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize("seed", [0, 1])
def test_puzzles(name: str, kind: str, seed: int) -> None:
    drawing, to_play, komi, answers = PUZZLES[name]
    assert decide(drawing, to_play, playouts=2000, komi=komi, kind=kind, seed=seed).move in answers


# A decided search ends.


@pytest.mark.parametrize("kind", ["strong", "uct"])
@pytest.mark.parametrize("name", PUZZLES)
def test_a_decided_search_ends_with_the_move_of_the_whole_one(name: str, kind: Kind) -> None:
    drawing, to_play, komi, _ = PUZZLES[name]
    settings = Settings(playouts=2000, kind=kind)
    board = Board.from_text(drawing, to_play, komi=komi)
    whole = Player(board, settings).think()
    found = Player(board, settings).choose(may_resign=False).analysis
    assert found.candidates[0].move == whole.candidates[0].move
    assert found.visits < whole.visits
    assert found.visits % 100 == 0  # a twentieth of the playouts, whatever the machine
    assert found.candidates[0].visits - found.candidates[1].visits > 2000 - found.visits
    shorter = Player(board, settings).think(playouts=found.visits - 100).candidates
    assert shorter[0].visits - shorter[1].visits <= 2000 - (found.visits - 100)


def test_an_analysis_takes_all_playouts() -> None:
    board = Board.from_text(THREE_IN_A_ROW, komi=27)
    assert Player(board, Settings(playouts=2001)).think().visits == 2001
    assert Player(board, Settings(playouts=2001)).choose().analysis.visits < 2001


def test_the_only_allowed_move_is_decided_at_half_of_the_playouts() -> None:
    player = Player(Board(5), Settings(playouts=1000))
    assert player.choose(restrictions=[allow(["C3"])]).analysis.visits == 550


def test_checks_of_a_decision_know_both_limits() -> None:
    checks = _Checks(1000, math.inf, 16, 0.5)
    assert math.isinf(checks.to_come(49, 1.0))
    assert checks.next == 50
    assert checks.to_come(50, 1.0) == 950
    assert math.isinf(checks.to_come(51, 1.0))
    assert checks.next == 100
    by_time = _Checks(math.inf, 10.0, 0, 0.0)
    assert math.isinf(by_time.to_come(5000, 0.4))
    assert by_time.to_come(6000, 1.0) == pytest.approx(1.5 * 54_000)
    assert by_time.to_come(9000, 2.0) == pytest.approx(1.5 * 48_000)  # the rest may be as fast as the beginning
    assert _Checks(1000, 10.0, 0, 0.0).to_come(500, 1.0) == 500
    assert _Checks(10_000, 2.0, 0, 0.0).to_come(500, 1.0) == pytest.approx(1.5 * 500)


def test_the_time_before_the_first_playouts_does_not_count_for_their_speed() -> None:
    checks = _Checks(math.inf, 1.0, 16, 0.6)  # a guide needed 0.6 seconds for what it had not seen
    assert math.isinf(checks.to_come(16, 0.61))
    assert checks.to_come(1016, 0.7) == pytest.approx(1.5 * 10_000 * 0.3)


def test_nothing_is_decided_while_there_are_no_playouts() -> None:
    assert math.isinf(_Checks(math.inf, 1.0, 16, 0.1).to_come(16, 0.3))
    assert _Checks(40, math.inf, 16, 0.1).to_come(16, 0.1) == 24


def test_playouts_are_whole_numbers() -> None:
    for playouts in (20.5, -1, True, math.nan):
        with pytest.raises(TengenError, match="playouts: a whole number"):
            Player(Board(5)).think(playouts=playouts)


# Everywhere, and always the same.


@pytest.mark.parametrize("kind", ["strong", "uct"])
@pytest.mark.parametrize(("width", "height"), [(2, 2), (2, 25), (3, 3), (7, 5), (9, 9), (13, 13), (19, 19), (25, 25)])
def test_every_size_is_played_legally(width: int, height: int, kind: Kind) -> None:
    player = Player(Board(width, height), Settings(playouts=40, kind=kind))
    for _ in range(min(width * height + 4, 60)):
        decision = player.choose(may_resign=False)
        player.play(decision.move)  # refuses what is not legal
        if player.board.is_over:
            return


@pytest.mark.parametrize("rules", ["japanese", "chinese", "tromp-taylor", "stone", "aga", "new-zealand"])
def test_games_come_to_an_end_under_every_rule(rules: str) -> None:
    player = Player(Board(5, rules=rules), Settings(playouts=150))
    while not player.board.is_over and player.board.move_number < 150:
        player.play(player.choose(may_resign=False).move)
    assert player.board.is_over


def test_one_thread_a_limit_and_a_seed_repeat_the_same_game() -> None:
    games = []
    for seed in (1, 1, 2):
        player = Player(Board(9), Settings(playouts=300, seed=seed))
        for _ in range(8):
            player.play(player.choose().move)
        games.append([move.point for move in player.board.moves])
    assert games[0] == games[1] != games[2]


def test_threads_think_together() -> None:
    analysis = Player(Board(9), Settings(playouts=2000, threads=3)).think()
    assert analysis.visits == 2000


# What an analysis says.


def test_an_analysis_is_consistent() -> None:
    board = Board(9, komi=7.5)
    board.play("E5")
    analysis = Player(board, Settings(playouts=1500)).think()
    assert analysis.to_play == "white"
    assert analysis.visits == sum(candidate.visits for candidate in analysis.candidates) == 1500
    assert analysis.ownership.shape == (9, 9)
    assert np.abs(analysis.ownership).max() <= 1
    assert analysis.lead == pytest.approx(analysis.ownership.sum() - 7.5, abs=0.01)
    assert 5 < analysis.lead_sd < 60
    visits = [candidate.visits for candidate in analysis.candidates]
    assert visits == sorted(visits, reverse=True)
    best = analysis.candidates[0]
    assert best.line[0] == best.move
    assert best.lcb >= best.winrate, "White's pessimism is in Black's favour"
    total = sum(candidate.mean_winrate * candidate.visits for candidate in analysis.candidates)
    assert total / 1500 == pytest.approx(analysis.winrate)
    assert sum(candidate.prior for candidate in analysis.candidates) <= 1 + 1e-9
    with pytest.raises(ValueError, match="read-only"):
        analysis.ownership[0, 0] = 0


@pytest.mark.parametrize("size", [9, 19])
def test_moves_with_few_visits_report_nothing_wild(size: int) -> None:
    """The largest lead and winrate over all moves, which Sabaki draws, are near those of the position."""
    found = Player(Board(size), Settings(playouts=600, moves=None)).think()
    few = [move for move in found.candidates if move.visits <= 10]
    assert len(few) > 5
    for move in found.candidates:
        weight = move.visits / (move.visits + SHRINKAGE)
        assert move.winrate == pytest.approx(found.winrate + weight * (move.mean_winrate - found.winrate))
        assert move.lead == pytest.approx(found.lead + weight * (move.mean_lead - found.lead))
        assert 0 <= move.lcb <= move.winrate <= 1
    assert max(abs(move.mean_lead - found.lead) for move in few) > found.lead_sd / 2
    assert max(abs(move.lead - found.lead) for move in few) < found.lead_sd / 4
    assert max(abs(move.winrate - found.winrate) for move in few) < 0.15


def test_shrinking_changes_neither_the_order_nor_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board(9)
    for point in ("E5", "C5", "G5", "E3", "E7"):
        board.play(point)
    shrunk = Player(board, Settings(playouts=400)).choose()
    monkeypatch.setattr("tengen.search.player.SHRINKAGE", 0)
    plain = Player(board, Settings(playouts=400)).choose()
    assert shrunk.move == plain.move

    def known(decision: Decision) -> list[tuple[object, ...]]:
        return [(each.move, each.visits, each.mean_winrate, each.line) for each in decision.analysis.candidates]

    assert known(shrunk) == known(plain)
    assert [each.winrate for each in plain.analysis.candidates] == [row[2] for row in known(plain)]


def test_colours_are_treated_alike() -> None:
    """The same position with the colours changed: the winrate is its mirror within the noise of sampling."""
    drawing = ". . . . .\n. X . O .\n. X . O .\n. . X . .\n. . . . ."
    black = Player(Board.from_text(drawing, "black", komi=0.5), Settings(playouts=3000)).think()
    changed = drawing.translate(str.maketrans("XO", "OX"))
    white = Player(Board.from_text(changed, "white", komi=-0.5), Settings(playouts=3000)).think()
    assert black.candidates[0].winrate == pytest.approx(1 - white.candidates[0].winrate, abs=0.08)
    assert black.lead == pytest.approx(-white.lead, abs=1.5)


def test_a_move_keeps_what_the_tree_knows() -> None:
    player = Player(Board(9), Settings(playouts=1500))
    best = player.think().candidates[0]
    player.play(best.move)
    after = player.think(playouts=1)
    assert best.visits / 2 < after.visits <= best.visits + 1
    assert after.to_play == "white"


def test_an_unexpected_colour_or_undo_begins_anew() -> None:
    player = Player(Board(9), Settings(playouts=500))
    player.think()
    player.play("E5", "white")
    assert player.nodes == 0
    assert player.board.last_move == ("white", "E5")
    assert player.think(playouts=100).to_play == "black"
    player.undo()
    assert player.nodes == 0
    assert player.board.move_number == 0


def test_the_board_given_and_the_board_shown_are_copies() -> None:
    board = Board(9)
    player = Player(board)
    board.play("E5")
    player.board.play("D4")
    assert player.board.move_number == 0


def test_illegal_moves_are_refused_and_change_nothing() -> None:
    player = Player(Board(9), Settings(playouts=200))
    player.think()
    player.play("E5")
    nodes = player.nodes
    with pytest.raises(IllegalMove):
        player.play("E5")
    assert player.nodes == nodes
    assert player.board.move_number == 1


def test_allow_and_avoid_choose_the_moves_of_the_root() -> None:
    player = Player(Board(9), Settings(playouts=300))
    allowed = player.think(restrictions=[allow(["E5", "C3"]), allow(["pass"])])
    assert {candidate.move for candidate in allowed.candidates} <= {"E5", "C3", "pass"}
    assert allowed.visits == 300
    avoided = player.think(restrictions=[avoid(["E5"]), avoid(["C3", "D4"], "white")])
    assert "E5" not in {candidate.move for candidate in avoided.candidates}
    assert "C3" in {candidate.move for candidate in avoided.candidates}
    player.play("E5")
    with pytest.raises(TengenError, match="allowed"):
        player.think(restrictions=[allow(["E5"])])
    with pytest.raises(TengenError, match="depth"):
        avoid(["E5"], depth=0)


def test_restrictions_reach_into_the_tree() -> None:
    """Black keeps to the left side for five moves of a line, White to the right one for two."""
    left, right = ([f"{column}{row}" for row in range(1, 10)] for column in "CG")
    player = Player(Board(9), Settings(playouts=3000))
    free = player.think()
    kept = player.think(restrictions=[allow(left, "black", 5), allow(right, "white", 2)])
    assert kept.visits == 3000  # the tree that grew without them is gone
    lines = [candidate.line for candidate in kept.candidates if len(candidate.line) > 2]
    assert lines
    assert all({*line[0:5:2]} <= {*left} and line[1] in right for line in lines)
    assert player.think().visits == 3000 == free.visits
    player.think(restrictions=[avoid(["pass"], "white", 10)])
    player.play(kept.candidates[0].move)
    assert player.nodes == 0


def test_a_model_of_moves_draws_the_search() -> None:
    board = Board(19)
    for move in ("D4", "Q16", "Q3", "D17", "O17"):
        board.play(move)
    by_rules, by_model = (
        Player(board, Settings(playouts=300, moves=moves)).think() for moves in (None, "moves/factors")
    )
    likely = {each.move for each in tengen.suggest(board, top=10, explain=False)}
    shares = [
        sum(each.visits for each in found.candidates if each.move in likely) / found.visits
        for found in (by_rules, by_model)
    ]
    assert shares[1] > shares[0] + 0.4


def test_models_without_a_policy_in_the_core_are_refused() -> None:
    with pytest.raises(TengenError, match="territory/naive is not a model of moves"):
        Settings(moves="territory/naive")
    with pytest.raises(TengenError, match="tengen fit territory/largest"):
        Settings(moves="territory/largest")  # ships without weights
    with pytest.raises(TengenError, match="oakfoam"):
        Settings(compat="fuego")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"widening": 0}, "widening is a number of visits above 0"),
        ({"widening": 5, "compat": "oakfoam"}, "leave out widening"),
        ({"prior_weight": 5, "compat": "oakfoam"}, "leave out prior_weight"),
        ({"guide": "territory/bma", "compat": "oakfoam"}, "leave out guide"),
        ({"moves": None, "compat": "oakfoam"}, "needs a model of moves"),
        ({"prior_weight": -1}, "prior_weight"),
    ],
)
def test_bad_settings_of_widening_and_priors_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(TengenError, match=said):
        Settings(**given)


def test_a_model_of_moves_may_only_order_the_moves() -> None:
    priors = {each.prior for each in Player(Board(9), Settings(playouts=50, prior_weight=0)).think().candidates}
    assert len(priors) == 1


def test_priors_count_more_on_larger_boards() -> None:
    weights = {size: Settings().weight_on(Board(size)) for size in (5, 9, 13, 19)}
    assert weights == pytest.approx({5: 100, 9: 100, 13: 173.6, 19: 306.7}, abs=0.1)
    assert Settings(prior_weight=100).weight_on(Board(19)) == 100

    def searched(**given: float) -> list[int]:
        return [each.visits for each in Player(Board(19), Settings(playouts=300, **given)).think().candidates]

    assert searched() == searched(prior_weight=weights[19]) != searched(prior_weight=100)


def test_the_komi_is_adjusted_on_large_boards_where_nothing_else_decides() -> None:
    small, large = Board(9), Board(13)

    def usual(board: Board, **settings: Any) -> str:
        return Settings(**settings).dynamic_komi_on(board).name

    assert (usual(small), usual(large)) == ("off", "ahead")
    for kind in ("off", "ahead", "both"):
        assert (usual(small, dynamic_komi=kind), usual(large, dynamic_komi=kind)) == (kind, kind)
    for other in ({"compat": "oakfoam"}, {"guide": "territory/bma"}, {"kind": "uct"}):
        assert usual(large, **other) == "off"
    assert Settings(guide="territory/bma").weight_on(Board(19)) == 100
    for wrong in (True, False, "yes"):
        with pytest.raises(TengenError, match=f"off or ahead or both, not {wrong!r}"):
            Settings(dynamic_komi=wrong)  # type: ignore[arg-type]


def test_oakfoam_searches_the_likely_moves_first() -> None:
    player = Player(Board(9), Settings(playouts=60, compat="oakfoam"))
    likely = player.priors().argsort()[::-1]
    analysis = player.think()
    visited = [player.board.index(each.move) for each in analysis.candidates if each.visits > 0]
    assert 1 < len(visited) < 8
    assert set(visited) <= set(likely[:8].tolist())
    assert analysis.candidates[0].prior == pytest.approx(player.priors()[visited[0]], abs=0.01)


def test_settings_with_a_file_of_moves(tmp_path: Path) -> None:
    tengen.load("moves/tactical").save(tmp_path / "moves.safetensors")
    settings = Settings(playouts=50, moves=tmp_path / "moves.safetensors")
    assert Player(Board(9), settings).think().visits == 50


def test_widening_opens_moves_that_are_left() -> None:
    player = Player(Board(9), Settings(playouts=30, widening=40))
    best = player.think().candidates[0].move
    assert player.think(restrictions=[avoid([best])]).visits == 30


# Guides.


class Toy:
    """An evaluator: what it says of each board is given as functions; `asked` remembers the batches of boards."""

    name = "toy"

    def __init__(self, **answers: Callable[[Board], object]) -> None:
        self._answers = answers
        self.asked: list[list[Board]] = []

    @property
    def gives(self) -> frozenset[str]:
        return frozenset(self._answers)

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        boards = [*as_positions(positions).boards()]
        self.asked.append(boards)
        return Evaluations(**{key: np.array([say(each) for each in boards]) for key, say in self._answers.items()})


def policy(board: Board, **shares: float) -> npt.NDArray[np.float64]:
    """A policy that is 0 on all other points; what is left over, or illegal, is the pass's."""
    found = np.zeros(board.width * board.height + 1)
    for move, share in shares.items():
        found[board.index(move)] = share if board.is_legal(move) else 0
    found[-1] = 1 - found.sum()
    return found


def likes(point: str) -> Callable[[Board], float]:
    """Black wins if he has a stone there, and loses if not."""
    return lambda board: float(board.stones[as_point(point, board.width, board.height)] == 1)


def stones(board: Board) -> int:
    return int(np.abs(board.stones).sum())


def test_a_guide_draws_the_search_to_its_moves() -> None:
    toy = Toy(policy=lambda board: policy(board, B8=0.8))
    player = Player(Board(9), Settings(playouts=200, guide=toy, moves=None))
    assert player.think().candidates[0].move == "B8"
    player.think()
    player.play("B8")
    player.play("E5")
    player.think()
    assert [[stones(board) for board in batch] for batch in toy.asked] == [[0], [2]]


@pytest.mark.parametrize("guided", [1, 2])
def test_a_guide_by_name_guides(guided: int) -> None:
    """Without a policy the positions after all moves of a node are evaluated in one call."""
    board = Board(9)
    named, plain = (
        Player(board, Settings(playouts=300, guide=guide, guided=guided)).think() for guide in ("territory/bma", None)
    )
    assert named != plain
    assert named == Player(board, Settings(playouts=300, guide=tengen.load("territory/bma"), guided=guided)).think()
    with pytest.raises(ModelError, match=r"there is no model 'territory/nothing': known are .*territory/bma"):
        Settings(guide="territory/nothing")


def test_all_moves_of_a_node_are_evaluated_in_one_call() -> None:
    toy = Toy(winrate=likes("C4"))
    player = Player(Board(5), Settings(playouts=300, guide=toy, guided=2, moves=None))
    found = player.think()
    assert found.candidates[0].move == "C4"
    assert len(toy.asked[0]) == 26
    assert {stones(board) for board in toy.asked[0]} == {0, 1}  # 25 moves and the pass
    assert all(22 <= len(batch) <= 26 for batch in toy.asked)
    assert len(toy.asked) > 1


def test_positions_carry_the_terms_and_the_past_of_the_game() -> None:
    board = Board(5, rules="japanese", komi=3.5)
    for move in ("B1", "A1", "A2"):  # takes a stone
        board.play(move)
    toy = Toy(policy=lambda board: policy(board, C3=1.0), winrate=lambda board: 0.5)
    seen: list[Positions] = []

    class Spy(Toy):
        def evaluate(self, positions: PositionsLike) -> Evaluations:
            seen.append(as_positions(positions))
            return toy.evaluate(positions)

    Player(board, Settings(playouts=60, guide=Spy(**toy._answers), guided=2)).think()
    first = seen[0]
    assert (first.komi[0], first.rules[0], first.handicap[0]) == (3.5, board.rules, 0)
    assert first.captures.tolist() == [[1, 0]]
    assert first.last_moves.tolist() == [[15, 20, 21, -1, -1]]
    assert first.to_play.tolist() == [-1]
    assert seen[1].last_moves.tolist() == [[12, 15, 20, 21, -1]]


@pytest.mark.parametrize("kind", ["uct", "strong"])
def test_only_the_best_moves_of_a_guide_are_kept(kind: Kind) -> None:
    """At the root before and after a move, and one move deeper; the pass always stays."""
    toy = Toy(
        policy=lambda board: (
            policy(board, C3=0.5, G7=0.4, A1=0.1) if board.to_play == "black" else policy(board, E5=0.6, F6=0.4)
        )
    )
    player = Player(Board(9), Settings(playouts=300, kind=kind, guide=toy, guided=2, keep=2))
    found = player.think()
    assert {candidate.move for candidate in found.candidates} <= {"C3", "G7", "pass"}
    assert {candidate.line[1] for candidate in found.candidates if len(candidate.line) > 1} <= {"E5", "F6", "pass"}
    player.play("C3")
    assert {candidate.move for candidate in player.think().candidates} <= {"E5", "F6", "pass"}


@pytest.mark.parametrize("to_play", ["black", "white"])
def test_without_a_policy_the_moves_with_the_best_values_are_kept(to_play: str) -> None:
    def value(board: Board) -> float:
        sign = 1 if to_play == "black" else -1
        return 0.5 + 0.4 * sign * (board.stones[2, 2] == sign) + 0.2 * sign * (board.stones[4, 4] == sign)

    board = Board(9)
    board.to_play = to_play
    found = Player(board, Settings(playouts=200, guide=Toy(winrate=value), keep=2, moves=None)).think()
    assert {candidate.move for candidate in found.candidates} - {"pass"} == {"C7", "E5"}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_guide_may_come_late_and_is_asked_once_about_a_position(threads: int) -> None:
    toy = Toy(policy=lambda board: policy(board, E5=1.0))
    player = Player(Board(9), Settings(playouts=300, threads=threads))
    player.think()
    player.settings = Settings(threads=threads, guide=toy, keep=1)
    assert {found.move for found in player.think(playouts=50).candidates} <= {"E5", "pass"}
    player.think(playouts=50)
    assert len(toy.asked) == 1


def test_a_player_passes_though_its_guide_wants_other_moves() -> None:
    game = tengen.read("examples/finished-9x9.sgf")
    board = game.board(len(game.moves) - 2)  # before the two passes
    uniform = Toy(policy=lambda board: np.where(np.append(board.legal_mask(), False), 1 / board.legal_mask().sum(), 0))
    assert Player(board, Settings(playouts=300)).choose().move == "pass"
    assert Player(board, Settings(playouts=300, guide=uniform, keep=3)).choose().move == "pass"


@pytest.mark.parametrize("answer", ["winrate", "lead", "ownership"])
def test_a_guide_gives_values_by_winrate_lead_or_ownership(answer: str) -> None:
    """Who hears that a point wins for Black looks there. The position itself is evaluated when it grows."""

    def visits(point: str) -> dict[str, int]:
        says: dict[str, Callable[[Board], object]] = {
            "winrate": likes(point),
            "lead": lambda board: 400 * likes(point)(board) - 200,
            "ownership": lambda board: np.full((9, 9), 0.8 * likes(point)(board) - 0.4),
        }
        toy = Toy(**{answer: says[answer]})
        player = Player(Board(9), Settings(playouts=1000, moves=None, guide=toy, guided=2, guide_as="values"))
        found = {candidate.move: candidate.visits for candidate in player.think().candidates}
        assert {len(batch) for batch in toy.asked} == {1}
        return found

    first, second = visits("C4"), visits("G6")
    assert first["C4"] > 2 * second["C4"]
    assert second["G6"] > 2 * first["G6"]


def test_priors_and_values_are_used_together_or_alone() -> None:
    toy = Toy(policy=lambda board: policy(board, B8=1.0), winrate=likes("C4"))
    both, priors, values = (
        Player(Board(9), Settings(playouts=400, guide=toy, guided=2, guide_as=use)).think()
        for use in (None, "priors", "values")
    )
    assert both != priors != values != both
    assert {candidate.move: candidate for candidate in values.candidates}.get("B8", values.candidates[-1]).visits < 50
    for use, gives in (("values", "policy"), ("priors", "nothing")):
        with pytest.raises(TengenError, match=rf"toy cannot guide a search as {use}: it gives {gives}"):
            Settings(guide=Toy(**{gives: policy} if gives == "policy" else {}), guide_as=use)


def test_priors_are_those_of_the_guide_or_of_the_tree() -> None:
    board = Board(9)
    board.play("E5")
    assert Player(board).priors().tolist() == tengen.load("moves/factors").probabilities(board).tolist()
    player = Player(board, Settings(playouts=100, moves=None))
    priors = player.priors()
    assert player.nodes == 0  # no search
    assert priors.sum() == pytest.approx(1)
    assert priors[board.index("E5")] == 0
    expected = {candidate.move: candidate.prior for candidate in player.think().candidates}
    assert {move: priors[board.index(move)] for move in expected} == expected
    toy = Toy(policy=lambda board: policy(board, B8=0.75, C3=0.25))
    guided = Player(board, Settings(guide=toy)).priors()
    assert {board.move_name(index): guided[index] for index in np.flatnonzero(guided).tolist()} == {
        "B8": 0.75,
        "C3": 0.25,
    }
    by_value = Player(
        board, Settings(guide=Toy(winrate=lambda board: float(board.stones[0, 0] == 0)), moves=None)
    ).priors()
    assert by_value[0] > 2 * priors[0]  # White wins with a stone there


@pytest.mark.parametrize("threads", [1, 3])
def test_a_guide_that_fails_says_so_and_the_player_lives_on(threads: int) -> None:
    def clumsy(board: Board) -> float:
        if stones(board) == 1:
            raise RuntimeError("tripped")
        return 0.5

    settings = Settings(playouts=500, threads=threads, guide=Toy(winrate=clumsy), guided=2, guide_as="values")
    player = Player(Board(9), settings)
    with pytest.raises(RuntimeError, match="tripped"):
        player.think()
    player.settings = Settings(playouts=500)
    assert player.think().visits >= 500


@pytest.mark.parametrize(
    "wrong",
    [
        Evaluations(policy=np.zeros((1, 9))),
        Evaluations(policy=np.full((1, 82), np.nan)),
        Evaluations(winrate=np.array([2.0])),
        Evaluations(winrate=np.array([math.nan])),
        Evaluations(),
        None,
        0.5,
        (None, None, None),
    ],
)
def test_what_is_no_answer_is_refused(wrong: Any) -> None:
    class Wrong(Toy):
        def evaluate(self, positions: PositionsLike) -> Evaluations:
            return cast(Evaluations, wrong)

    toy = Wrong(policy=lambda board: None, winrate=lambda board: None)
    with pytest.raises(ModelError, match=r"^toy"):
        Player(Board(9), Settings(guide=toy)).think()


USES: list[Callable[[Player], object]] = [
    lambda player: player.think(playouts=1),
    lambda player: player.choose(),
    lambda player: player.play("C3"),
    lambda player: player.undo(),
    lambda player: player.nodes,
    lambda player: player.priors(),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("use", USES)
def test_a_guide_cannot_use_the_player_that_asks_it(use: Callable[[Player], object], threads: int) -> None:
    def says(board: Board) -> float:
        assert player.board.move_number == 0
        use(player)
        return 0.5

    player = Player(Board(9), Settings(playouts=300, threads=threads, guide=Toy(winrate=says), guided=2))
    with pytest.raises(TengenError, match="cannot use the player that calls it"):
        player.think()
    player.settings = Settings()
    player.play("C3")
    assert player.think(playouts=300).visits >= 300


def test_a_guide_may_use_another_player() -> None:
    inner = Player(Board(9), Settings(playouts=50, moves=None))
    best = inner.think().candidates[0].move
    toy = Toy(policy=lambda board: policy(board, **{inner.think().candidates[0].move: 1.0}))
    player = Player(Board(9), Settings(playouts=50, guide=toy, keep=1))
    assert {candidate.move for candidate in player.think().candidates} <= {best, "pass"}


def test_threads_ask_at_the_same_time() -> None:
    """Two questions meet sooner or later on any machine; under one lock for all threads they never would."""
    both, met = threading.Barrier(2), threading.Event()

    def meets(board: Board) -> float:
        if stones(board) and not met.is_set():
            try:
                both.wait(timeout=0.1)
                met.set()
            except threading.BrokenBarrierError:
                both.reset()
        return 0.5

    settings = Settings(playouts=400, threads=2, moves=None, guide=Toy(winrate=meets), guided=2, guide_as="values")
    for _ in range(100):
        assert Player(Board(9), settings).think().visits >= 400
        if met.is_set():
            break
    assert met.is_set()


def test_catching_up_with_a_guide_takes_the_time_that_is_given() -> None:
    """Each answer takes longer than all the time there is: the root is asked about, the rest later."""
    asked: list[int] = []

    def slow(board: Board) -> float:
        asked.append(stones(board))
        time.sleep(0.02)
        return 0.5

    player = Player(Board(5), Settings(playouts=2000))
    player.think()
    player.settings = Settings(guide=Toy(winrate=slow), guided=2, guide_as="values")
    assert player.think(seconds=0.001).visits >= 16
    assert asked == [0]
    player.think(playouts=1)
    assert len(asked) > 5
    assert {*asked[1:]} <= {0, 1}
    several = len(asked)
    player.think(seconds=0.001)
    assert len(asked) == several


def test_the_policy_is_that_of_the_kind_unless_told() -> None:
    def leads(**settings: Any) -> float:
        return Player(Board(9), Settings(playouts=300, **settings)).think().lead_sd

    assert leads() == leads(policy="knowing") != leads(policy="uniform")
    assert leads(kind="uct") == leads(kind="uct", policy="uniform") != leads(kind="uct", policy="knowing")


@pytest.mark.parametrize(("kind", "sign"), [("both", -1), ("both", 1), ("ahead", 1)])
def test_dynamic_komi_tells_the_truth(kind: DynamicKomi, sign: int) -> None:
    """Black is far behind or ahead: the search goes on looking for points, and says all the same who wins."""
    board = Board(9, komi=-47.5 * sign)
    still, moving = (Player(board, Settings(playouts=5000, dynamic_komi=each)).think() for each in ("off", kind))
    assert still != moving
    for analysis in (still, moving):
        assert sign * (analysis.winrate - 0.5) > 0.25
    assert 25 < sign * moving.lead < 80


def test_the_memory_is_bounded() -> None:
    player = Player(Board(9), Settings(playouts=30_000, memory=1))
    player.think()
    assert player.nodes * NODE_BYTES < 2**20


def test_nonsense_is_refused() -> None:
    player = Player(Board(9))
    for seconds in (-1.0, math.nan):
        with pytest.raises(TengenError, match="of at least 0"):
            player.think(seconds=seconds)
    for wrong in (
        {"threads": 0},
        {"seed": -1},
        {"kind": "weak"},
        {"memory": 0},
        {"playouts": -3},
        {"seconds": -1},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"resign_below": math.nan},
        {"guided": -1},
        {"keep": 3},
        {"guide_as": "priors"},
        {"guide": "territory/bma", "keep": 0},
        {"guide": "territory/bma", "keep": 3, "guide_as": "values"},
        {"guide": "territory/bma", "guide_as": "both"},
        {"guide": lambda board: None},
    ):
        with pytest.raises(TengenError):
            Settings(**wrong)


# Stopping.


@pytest.mark.parametrize("size", [9, 19, 25])
def test_a_search_stops_within_50_ms(size: int) -> None:
    player = Player(Board(size))
    player.think(seconds=0.2)
    assert stops_within_50_ms(player)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_with_a_slow_guide_stops_within_50_ms(threads: int) -> None:
    """Each answer takes 25 ms of Python: threads that wait for the lock do not ask any more."""

    def slow(board: Board) -> float:
        end = time.perf_counter() + 0.025
        while time.perf_counter() < end:
            pass
        return 0.5

    settings = Settings(threads=threads, guide=Toy(winrate=slow), guided=100, guide_as="values")
    player = Player(Board(19), settings)
    assert stops_within_50_ms(player)


def stops_within_50_ms(player: Player) -> bool:
    """Whether one of twenty tries does: the others also measure what else runs on the machine."""
    return any(lateness(player) < 0.05 for _ in range(20))


def lateness(player: Player) -> float:
    """How long after it was stopped a search comes back."""
    stop, asked = threading.Event(), []

    def ask() -> None:
        asked.append(time.monotonic())
        stop.set()

    threading.Timer(0.1, ask).start()
    player.think(seconds=math.inf, stop=stop.is_set)
    return time.monotonic() - asked[0]


def test_time_and_reports() -> None:
    reports: list[Analysis] = []
    start, used = time.monotonic(), time.process_time()
    last = Player(Board(9)).think(seconds=0.5, report=reports.append, every=0.1)
    # A busy machine fails none of these: the search ends by the same clock, and waiting costs no processor time.
    assert time.monotonic() - start >= 0.5
    assert time.process_time() - used < 1.5
    assert len(reports) <= 5
    visits = [report.visits for report in [*reports, last]]
    assert visits == sorted(visits)
    before = len(reports)
    Player(Board(9)).think(seconds=math.inf, report=reports.append, every=0.01, stop=lambda: len(reports) >= before + 2)
    assert len(reports) == before + 2


def test_a_clock_sets_the_time() -> None:
    used = time.process_time()
    Player(Board(9), Settings(seconds=60)).choose(clock=Clock.absolute(20))
    assert time.process_time() - used < 3


# The end of a game.

FINISHED = """
    . X . X O . O
    X X X X O O .
    . X . X O O O
    X . X X O . O
    . X X O O O .
    X . X O . O O
    . X X O O . O
"""


@pytest.mark.parametrize("rules", ["chinese", "japanese", "tromp-taylor"])
def test_a_finished_game_is_passed(rules: str) -> None:
    for to_play in ("black", "white"):
        assert decide(FINISHED, to_play, rules=rules, komi=0.5, playouts=600).move == "pass"


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
@pytest.mark.parametrize("to_play", ["black", "white"])
def test_the_lead_of_a_finished_game_is_its_count(rules: str, to_play: str) -> None:
    """By territory too, though playouts are counted by area; a needless move of the search may cost a point."""
    for drawing in (FINISHED, WITH_A_DEAD_STONE):
        board = Board.from_text(drawing, to_play, komi=0.5, rules=rules)
        best = Player(board, Settings(playouts=1000)).think().candidates[0]
        assert best.lead == pytest.approx(tengen.score(board).lead, abs=1.6)


WITH_A_DEAD_STONE = """
    . . X X O . .
    . X . X O . .
    . . . X O . O
    . O . X O O .
    X . X X O . .
    . X X O O . .
    . . X O . . .
"""


def test_dead_stones_are_left_where_players_agree_and_taken_where_they_do_not() -> None:
    board = Board.from_text(WITH_A_DEAD_STONE, "white", komi=0.5, rules="chinese")
    board.play("pass")
    assert tengen.score(board).dead == ("B4",)
    assert Player(board, Settings(playouts=600)).choose().move == "pass"
    # Counted as it stands, Black must take the stone to win.
    strict = board.with_rules("tromp-taylor", komi=0.5)
    player = Player(strict, Settings(playouts=800))
    moves = []
    while "B4" in {name for chain in player.board.chains() if chain.colour == "white" for name in chain.points}:
        moves.append(player.choose(may_resign=False).move)
        player.play(moves[-1])
        player.play("pass")
        assert len(moves) < 30
    assert "pass" not in moves


def test_cleaning_up_takes_dead_stones_before_passing() -> None:
    board = Board.from_text(WITH_A_DEAD_STONE, "black", komi=0.5, rules="japanese")
    player = Player(board, Settings(playouts=400))
    while (decision := player.choose(cleanup=True)).move != "pass":
        player.play(decision.move)
        player.play("pass")
        assert player.board.move_number < 20
    assert player.board.captures.black == 1
    assert player.board.stones[3, 1] != -1


def test_own_territory_is_not_filled_when_it_costs() -> None:
    """By territory a needless move loses a point, and here the game."""
    board = Board.from_text(WITH_A_DEAD_STONE, "black", komi=0.5, rules="japanese")
    count = tengen.score(board).lead
    close = board.with_rules(komi=count)  # komi was half a point: Black is half a point ahead
    assert tengen.score(close).lead == 0.5
    for seed in range(3):
        assert Player(close, Settings(playouts=1000, seed=seed)).choose().move == "pass"


def test_a_lost_game_is_resigned_after_some_moves_and_not_at_once() -> None:
    board = Board(7)
    moves = "D4 C3 D3 C4 D5 C5 D2 C2 D6 C6 B6 E5 E4 E6".split()
    for move in moves:
        board.play(move)
    for name in ("F4", "F5", "F3", "E3", "E2", "F6"):
        board.play(name)
    player = Player(board.with_rules(komi=200.5), Settings(playouts=200))
    seen = []
    for _ in range(4):
        decision = player.choose()
        seen.append(decision.move)
        if decision.move == "resign":
            break
        player.play(decision.move)
        player.play(player.think(playouts=20, restrictions=[avoid(["pass"])]).candidates[0].move)
    assert seen[-1] == "resign"
    assert len(seen) == 3
    assert player.choose(may_resign=False).move != "resign"


def test_without_a_seed_every_tree_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games in one process differ, also against an opponent who always plays the same."""
    drawn = iter(range(100))
    monkeypatch.setattr("secrets.randbits", lambda bits: next(drawn))
    first, second = (Player(Board(9), Settings(playouts=50, seed=None)).think() for _ in range(2))
    assert first == Player(Board(9), Settings(playouts=50, seed=0)).think()
    assert second == Player(Board(9), Settings(playouts=50, seed=1)).think()
    assert first != second


@pytest.mark.parametrize("pause", [math.nan, -1.0])
def test_pauses_between_reports_are_checked(pause: float) -> None:
    for pauses in ({"every": pause}, {"first": pause}):
        with pytest.raises(TengenError, match=next(iter(pauses))):
            Player(Board(9)).think(playouts=1, **pauses)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "uct", "widening": 40}, "widening is for the strong search"),
        ({"kind": "uct", "compat": "oakfoam"}, "compat is for the strong search"),
        ({"kind": "uct", "prior_weight": 5.0}, "prior_weight is for the strong search"),
        ({"kind": "uct", "moves": "moves/tactical"}, "moves is for the strong search, not for kind uct"),
        ({"kind": "2-ply", "guide": "territory/influence", "moves": "moves/tactical"}, "not for kind 2-ply"),
        ({"kind": "net", "moves": "moves/tactical"}, "not for kind net"),
        ({"moves": None, "prior_weight": 7.0}, "prior_weight is the weight of a model of moves"),
        ({"prior_weight": ""}, "prior_weight"),
        ({"seconds": ""}, "seconds"),
    ],
)
def test_settings_without_effect_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(TengenError, match=words):
        Settings(**settings)
