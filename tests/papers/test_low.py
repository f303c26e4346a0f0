"""Low run again: games, hand-made positions, rare weights, owners of chains, matches, and the whole on a few games."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")
pytest.importorskip("scipy", reason="scipy is not installed (pip install 'tengen[train]')")
pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install 'tengen[train]')")
pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")

from scipy.sparse import csr_matrix

from tengen.corpus.dataset import DataSet, join_batches
from tengen.corpus.store import Store
from tengen.engines.process import find_program
from tengen.errors import TengenError
from tengen.measure.intervals import Interval
from tengen.models.convergence import report as warn_of
from tengen.models.evaluator import Evaluations
from tengen.papers import low as paper
from tengen.papers.draws import spread
from tengen.papers.low import checkpoints as c
from tengen.papers.low import far_ahead as f
from tengen.papers.low import networks as n
from tengen.papers.low import pruning as p
from tengen.papers.low.answers import Answers
from tengen.papers.low.data import LAST, DrawnGames, chosen_games, draw_of
from tengen.papers.low.findings import hand_made_findings, pruning_findings
from tengen.papers.low.owners import boosted, chains_of, known, matrix, support_vectors, verdicts
from tengen.papers.low.positions import BAMBOO, CENTRE, POSITIONS, QUIET
from tengen.papers.low.published import PRUNING
from tengen.papers.low.rare import BINS, Nodes, node_visits
from tengen.papers.report import Finding, Row, json_lines
from tengen.search.match import Played, Standing
from tengen.search.player import Player, Settings
from tengen.territory.fate_net import FateNet
from tengen.views.augmented_graph import augmented_graphs
from tests.cli.program import run

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
TINY = paper.Scale(
    games=4,
    draws=2,
    test_positions=24,
    chain_positions=8,
    ahead_positions=2,
    ahead_playouts=16,
    judged=16,
    pruning=p.Pruning(
        games=2, other_games=2, playouts=16, tuning_games=0, positions=2, searched=16, guides=("network",)
    ),
)


@pytest.fixture(scope="module")
def games():
    return chosen_games(CORPUS, None)


# Games


def test_labels_of_final_positions_are_used_for_the_last_ten(games):
    assert games.outcomes
    batch = join_batches(list(games.training(0, 3)))
    assert len(batch) == 3 * LAST
    for number in np.unique(batch.games):
        here = batch.games == number
        length = int(batch.lengths[here][0])
        assert sorted(batch.turns[here].tolist()) == list(range(length - LAST + 1, length + 1))
        targets = batch.targets[here]
        assert (targets == targets[0]).all()


def test_the_last_position_is_the_labelled_one(games):
    ends = join_batches(list(DataSet(games.store, games.labels, 9, finals=True)))
    by_game = dict(zip(ends.games.tolist(), ends.boards, strict=True))
    batch = join_batches(list(games.last_ten(0, 5)))
    last = batch.take(np.flatnonzero(batch.turns == batch.lengths))
    assert len(last) == 5
    for board, number in zip(last.boards, last.games.tolist(), strict=True):
        np.testing.assert_array_equal(board, by_game[number])


def test_searches_start_in_the_middle_of_each_game(games):
    batch = games.halfway("test", 100)
    assert len(batch) == len(np.unique(batch.games)) == 12
    np.testing.assert_array_equal(batch.turns, batch.lengths // 2)
    stones = np.abs(batch.boards).sum((1, 2))
    assert (stones <= batch.turns).all()
    assert (stones > batch.turns - 10).all()  # few stones are captured in the first half


def test_draws_and_test_games_have_no_game_in_common(games):
    drawn = [{int(number) for batch in games.training(draw) for number in batch.games} for draw in range(3)]
    assert all(len(each) > 60 for each in drawn)
    others = [set(games.held_out(split, 1000).games.tolist()) for split in ("valid", "test")]
    every = [*drawn, *others]
    assert sum(map(len, every)) == len(set().union(*every))


def test_one_draw_is_all_games():
    assert {draw_of(str(i), 1) for i in range(20)} == {0}
    assert {draw_of(str(i), 3) for i in range(50)} == {0, 1, 2}
    whole = DrawnGames(Store(CORPUS), "gnugo", 9)
    assert sum(map(len, whole)) == sum(map(len, DataSet(Store(CORPUS), "gnugo", 9)))


def test_a_corpus_without_labels_is_refused(tmp_path):
    Store.create(tmp_path / "empty")
    with pytest.raises(TengenError, match="no labels"):
        chosen_games(tmp_path / "empty", None)


# Boards of the paper


def test_every_point_of_the_hand_made_positions_has_an_owner():
    for position in POSITIONS:
        assert (position.owners != 0).all(), position.name
    assert (QUIET.board.stones * QUIET.owners >= 0).all()


def test_the_dead_stones_of_the_centre_are_blacks():
    dead = CENTRE.board.stones * CENTRE.owners < 0
    assert dead.sum() == 3
    assert (CENTRE.owners[dead] == 1).all()
    np.testing.assert_array_equal(POSITIONS[2].owners, CENTRE.owners)
    assert (POSITIONS[2].board.stones[dead] == 0).all()


# Rare weights


def test_learned_boards_have_visited_weights_and_others_not():
    boards = np.stack([QUIET.board.stones, CENTRE.board.stones])
    network = FateNet(rounds=1, sides=False, min_visits=0).network()
    target = np.ones((1, 9, 9), np.float32)
    for _ in range(3):
        network.learn(boards[:1], target, target, 0.1)
    model = FateNet(rounds=1, sides=False, min_visits=0).take(network)
    graphs = augmented_graphs(boards)
    visits = node_visits(model, graphs)
    quiet = visits[: graphs.first_node[1]]
    assert quiet.min() >= 3
    assert visits[graphs.first_node[1] :].min() == 0


def test_errors_are_grouped_by_visits_and_weighted_by_points():
    visits, points = np.array([0, 5, 5, 200]), np.array([1.0, 3.0, 1.0, 2.0])
    nodes = Nodes(np.arange(4), points, visits, {"a": np.array([100.0, 0, 100, 50]), "b": np.zeros(4)})
    found = nodes.by_visits("a")
    assert list(found) == ["never", "1 to 9", "100 to 999"]
    assert [each.value for each in found.values()] == [100, 25, 50]
    assert nodes.share("1 to 9") == pytest.approx(400 / 7)
    assert sum(nodes.share(words) for words in BINS) == pytest.approx(100)
    assert nodes.excess("a", "b").value == pytest.approx(200 / 5 - 50)


# Answers


def test_errors_and_own_stones(games):
    test = games.held_out("test", 20)
    answers = Answers(test)

    class Says:
        def __init__(self, owners):
            self.owners = owners

        def ownership_many(self, boards):
            return self.owners(boards.stones)

    def stones(boards):
        warn_of("it did not converge")
        return boards.astype(float)

    answers.ask({"stones": Says(stones), "white": Says(lambda boards: -np.ones(boards.shape))})
    assert answers.unconverged == {"stones": 1, "white": 0}
    assert answers.own_stones("stones") == (1, 1, 1)
    wrong = answers.error("white").value
    assert wrong == pytest.approx(100 * (test.targets > 0).mean() + 50 * (test.targets == 0).mean())
    assert answers.gap("white", "white") == (0, 0, 0)
    assert answers.own_stones_gap("stones").value == pytest.approx(1 - answers.own_stones().value)


def test_a_spread_holds_games_and_draws():
    number = np.repeat(np.arange(50), 4)
    half = (np.arange(200) % 2).astype(float)
    assert spread([half], number) == (0.5, 0.5, 0.5)
    assert spread([np.ones(200), half], number, np.ones(200)).value == 0.75
    weighted = spread([half], number, 1.0 + half)
    assert weighted.value == pytest.approx(2 / 3)


def test_the_recurrent_network_is_not_learned_again():
    names = [configuration.name for configuration in n.configurations(0)]
    assert names == [name for name in n.NAMES if name not in (n.RECURRENT, n.CONVERGED)]


def test_more_rounds_keep_the_weights():
    network = FateNet(rounds=1, sides=False, min_visits=0).network()
    ones = np.ones((1, 9, 9), np.float32)
    network.learn(BAMBOO.stones[None], ones, ones, 0.5)
    model = FateNet(rounds=1, sides=False, min_visits=0).take(network)
    other = n.run_for(model, 3)
    np.testing.assert_array_equal(model.weights_, other.weights_)
    assert (model.rounds, other.rounds) == (1, 3)
    assert not np.array_equal(model.ownership(BAMBOO), other.ownership(BAMBOO))


# Owners of chains


def test_chains_are_labelled_from_their_own_side(games):
    batch = games.held_out("test", 3)
    chains = chains_of(batch)
    for game, owned, (k, stones) in zip(chains.games, chains.owned, chains.places, strict=True):
        assert game == batch.games[k]
        assert owned == np.sign((batch.targets[k] * batch.boards[k])[stones].mean())
    assert len(chains) == len(chains.features["paths"]) > 10


def test_the_matrix_has_the_features_that_several_chains_have(games):
    chains = chains_of(games.held_out("test", 3))
    features = known(chains, "paths", 3)
    table = matrix(chains, "paths", features)
    assert table.shape == (len(chains), len(features))
    assert table.sum(0).min() >= 3
    for row in range(0, len(chains), 5):
        here = set(chains.features["paths"][row].tolist()) & set(features.tolist())
        assert {int(features[i]) for i in table[row].indices} == here


@pytest.fixture(scope="module")
def toy():
    random = np.random.default_rng(0)
    table = (random.random((200, 12)) < 0.5).astype(float)
    return table, np.where(table[:, 2] + table[:, 5] + table[:, 7] >= 2, 1.0, -1.0)


def test_boosting_finds_the_features_that_count(toy):
    table, owned = toy
    classifier = boosted(csr_matrix(table), owned, 30)
    assert (classifier.predict(table) == owned).all()
    assert set(np.argsort(-classifier.feature_importances_)[:3].tolist()) == {2, 5, 7}


def test_support_vectors_are_at_the_minimum(toy):
    table, owned = toy
    classifier = support_vectors(csr_matrix(table), owned, 0.1)
    weights = classifier.coef_[0]
    missing = np.maximum(0, 1 - owned * (table @ weights + classifier.intercept_))
    assert np.abs(weights - 0.2 * table.T @ (missing * owned)).max() < 1e-3


def test_chains_of_one_kind_teach_nothing(games):
    batch = games.held_out("test", 1)
    batch = replace(batch, targets=batch.boards.astype(np.float32))
    with pytest.raises(TengenError, match="learn from more games"):
        verdicts(batch, batch, batch, {}, lambda stage: None)


# Decided games


def test_losses_are_measured_from_the_best_chosen_move():
    found = f.losses(QUIET.board, 16, 16)
    every = {f"{player}/{condition}" for player in f.players(1) for condition in f.CONDITIONS}
    assert set(found) == every | {f"{f.RANDOM}/even"}
    assert min(found.values()) == 0


def test_komi_is_never_a_whole_number():
    assert [f.half_point(komi) for komi in (6.9, 7.0, 7.5, -0.2)] == [6.5, 7.5, 7.5, -0.5]


def test_losses_are_kept(games, tmp_path):
    test = games.halfway("test", 2)
    first = f.measured(test, 8, 8, tmp_path, lambda stage: None)
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(files) == 2
    path = next(iter(files))
    path.write_text(json.dumps(dict.fromkeys(json.loads(path.read_text()), 5.0)))
    again = f.measured(test, 8, 8, tmp_path, lambda stage: None)
    assert 5.0 in again.lost[f.PLAIN, "even"]
    assert len(first.games) == len(set(first.games.tolist())) == 2


# Pruning


def test_variations_are_those_of_the_paper():
    names = [p.Variation(*each).name for each in PRUNING]
    assert names[:2] == ["Random Opening 0 Ply Eval", "No Random Opening 0 Ply Eval"]
    match = p.Variation(True, 1, "knowing").match(Path("net.safetensors"), 0.3, 200, 20_000)
    assert match.second.text == "tengen:kind=uct,playouts=20000,policy=knowing"
    assert match.first.text == f"{match.second.text},guide=net.safetensors,keep=0.3,guide-plies=1"
    assert (match.central, match.opening_moves, match.games) == (True, 1, 200)
    plain = p.Variation(False, 0, "uniform", 0.2).match(Path("net.safetensors"), 0.5, 2, 20_000)
    assert plain.first.text == "tengen:kind=uct,seconds=0.2,policy=uniform,guide=net.safetensors,keep=0.5"
    assert (plain.central, plain.opening_moves) == (False, 0)


def test_the_share_is_chosen_by_games_or_by_best_moves():
    standings = {0.1: Standing(3, 7, 0), 0.3: Standing(8, 2, 0), 0.5: Standing(6, 4, 0)}
    assert p.chosen_share(standings, np.ones(3)) == 0.3
    needed = np.array([0.0] * 8 + [0.25, 0.6])
    assert p.chosen_share({}, needed) == 0.3
    assert p.chosen_share({}, np.ones(3)) == 0.7
    assert p.kept(needed, 0.1).value == 80


class Corner:
    """An evaluator that likes black stones near A1."""

    name, gives = "corner", frozenset({"ownership"})

    def evaluate(self, positions):
        size = positions.stones.shape[1]
        near = (1.01 * np.arange(size)[:, None] + size - 1 - np.arange(size)) / (2 * size)
        value = (positions.stones * near).sum((1, 2), keepdims=True) / size**2
        return Evaluations(ownership=np.broadcast_to(np.tanh(value), positions.stones.shape).copy())


def test_the_share_needed_is_the_rank_of_the_best_move():
    board = BAMBOO.copy()
    assert board.to_play == "black"
    assert p.shares_needed([(board, "A1")], Corner(), 0).tolist() == [0.0]
    worst = p.shares_needed([(board, "J9")], Corner(), 0)[0]
    assert worst > 0.9


@pytest.mark.parametrize("plies", [0, 1])
def test_the_share_needed_says_which_moves_the_search_keeps(plies):
    for board in (BAMBOO, CENTRE.board):
        settings = Settings(playouts=500, kind="uct", guide=Corner(), keep=0.3, guide_plies=plies)
        kept = {candidate.move for candidate in Player(board, settings).think().candidates} - {"pass"}
        moves = [move for move in board.legal_moves() if move != "pass"]
        needed = p.shares_needed([(board, move) for move in moves], Corner(), plies)
        assert {move for move, share in zip(moves, needed, strict=True) if share < 0.3} == kept


KEEPS = {"uniform": 0.5, "knowing": 0.5}


def test_every_kind_of_playouts_has_its_own_share(monkeypatch, tmp_path):
    played = []
    monkeypatch.setattr(p.Match, "play", lambda match, folder, **_: played.append((match, folder)) or Standing(1, 1, 0))
    scale = p.Pruning(playouts=50, tuning_games=6)
    standings = p.tuned(Path("x"), "knowing", scale, tmp_path, lambda stage: None)
    assert list(standings) == list(p.SHARES)
    first, second = played[0][0].first.text, played[0][0].second.text
    assert second == "tengen:kind=uct,playouts=50,policy=knowing"
    assert first == f"{second},guide=x,keep=0.1"
    assert {match.games for match, _ in played} == {6}
    played.clear()
    keeps = {"uniform": 0.2, "knowing": 0.7}
    list(p.pruning_rows(Path("x"), "message network", keeps, scale, tmp_path, lambda stage: None))
    for match, folder in played:
        assert f"keep={0.7 if 'knowing' in match.first.text else 0.2:g}" in match.first.text
        assert ("knowing" in match.first.text) == ("knowing" in folder.name)
    assert len({folder for _, folder in played}) == len(played) == 14


def test_rows_that_are_not_played_say_why():
    rows, others = (
        list(p.pruning_rows(Path("x"), name, KEEPS, p.Pruning(), None, lambda stage: None)) for name in p.GUIDES
    )
    assert [row.published for row in rows[:4]] == list(PRUNING.values())
    assert {row.note for row in rows} == {"not played: the games take hours, name a folder for them with --work"}
    assert len(rows) == 14
    plain = "No Random Opening 0 Ply Eval"
    further = ["by territory/naive", "2 levels pruned", "3 levels pruned", "by territory/naive"]
    assert [row.row for row in rows if row.published is None][:4] == [f"{plain}, {words}" for words in further]
    assert [row.row for row in others if row.published is None] == [*(f"{plain}, {x}" for x in further[1:3]), plain]


def shares(*numbers):
    names = [p.Variation(*each).name for each in PRUNING]
    return [Row("t", name, 75.0, each, (each - 5, each + 5)) for name, each in zip(names, numbers, strict=True)]


def test_findings_of_pruning_are_decided_by_intervals():
    found = list(pruning_findings(shares(60.0, 80.0, 52.0, 70.0)))
    assert [each.held for each in found] == [True, True, None, True, True, True, True, True]
    assert found[6].evidence.startswith("+20.00 [+12.93, +27.07] points")
    assert list(pruning_findings(shares(60.0, 80.0, 52.0, 70.0)[:3])) == []


# Training


def test_checkpoints_are_sorted_by_their_games(tmp_path):
    for name in ("checkpoint-000400", "checkpoint-1000", "checkpoint-90", "model", "checkpoint-x"):
        (tmp_path / f"{name}.safetensors").touch()
    assert list(c.checkpoints(tmp_path)) == [90, 400, 1000]
    match = c.checkpoint_match(tmp_path / "checkpoint-90.safetensors", 2)
    assert match.first.text == f"tengen:kind=2-ply,guide={(tmp_path / 'checkpoint-90.safetensors').resolve()}"
    assert (match.games, match.second.text, match.opening_moves) == (60, "gnugo:level=1", 0)


class Simulated(c.TrainedRuns):
    """Runs whose games have results by number: the games up to `wins` of each hundred are won."""

    def __init__(self, wins, folder):
        super().__init__(None, c.Training(tested=50), folder, lambda stage: None)
        self.wins = wins
        for name in wins:
            self.files[name] = dict.fromkeys(wins[name], folder)
            self.curves[name] = c.Curve(name, {games: self.played(name, games) for games in wins[name]})

    def played(self, run, iterations, way=""):
        return played(self.wins[run][iterations][way], 50)


def played(wins, games=40):
    return [Played(i, "black", "B+10.5" if (7 * i) % 10 < wins else "W+30.5", 60) for i in range(games)]


def strength(plain, **others):
    return {way: others.get(name, plain) for way, name in zip(c.WAYS, ("plain", "drawn", "openings"), strict=True)}


def test_training_is_judged_by_varied_games_and_fixed_checkpoints(tmp_path):
    network = {400: strength(1), 1600: strength(7, drawn=7, openings=4), 4000: strength(2, drawn=2, openings=7)}
    others = {"four-layers": {4000: strength(9)}, "self-play": {1650: strength(2)}, "flat": {1500: strength(4)}}
    runs = Simulated({"network": network, **others}, tmp_path)
    assert runs.curves["network"].best == 1600
    lines = list(runs.findings())
    found = [line for line in lines if isinstance(line, Finding)]
    wins, points = found[::2], found[1::2]
    assert [each.held for each in wins] == [True, True, True, False, True, True, None]
    assert [each.held for each in points] == [each.held for each in wins]
    assert "40 % after 1,600 games against 10 % after 400 games" in wins[0].evidence  # and not 70, by which it is best
    assert "(self-play network, 2-ply)" in wins[-2].evidence
    assert "70 % after 1,600 games against 20 % after 4,000 games" in wins[1].evidence
    assert points[1].evidence.startswith("−2 [")
    assert "points a game after 1,600 games against −22 [" in points[1].evidence
    assert [each.claim.partition("iterations")[2] for each in wins[1:4]] == [
        "",
        ", ours drawn by value",
        ", ours drawn by value, random openings",
    ]
    assert len(lines) - len(found) == 4  # rows of randomised play


def test_a_checkpoint_is_not_better_because_it_was_chosen(tmp_path):
    """Ten equal players: the best of ten wins more of the games by which it is chosen, and not of the others."""
    dice, held = np.random.default_rng(1), []
    for _ in range(100):
        won = dice.random((10, 2, 50)) < 0.25
        lucky = {
            400 * (i + 1): [
                [Played(k, "black", "B+R" if w else "W+R", 60) for k, w in enumerate(games)] for games in both
            ]
            for i, both in enumerate(won)
        }
        runs = Simulated({}, tmp_path)
        runs.files["field"] = dict.fromkeys(lucky, tmp_path)
        runs.played = lambda run, games, way="", lucky=lucky: lucky[games][way == c.VARIED]
        runs.curves["field"] = c.Curve("field", {games: runs.played("field", games) for games in lucky})
        held += [each.held for each in runs.findings()]
    assert held.count(True) <= 8


def test_training_may_make_the_evaluator_weaker(tmp_path):
    runs = Simulated({"field": {220: strength(7), 440: strength(2), 660: strength(1)}}, tmp_path)
    assert runs.curves["field"].best == 440
    assert [each.held for each in runs.findings()] == [False, False]


def test_both_games_of_a_pair_are_resampled_together():
    """Two players that win and lose whole pairs have an interval √2 times as wide as with independent games."""
    pairs = np.random.default_rng(2).random(200) < 0.5
    first = [Played(i, "black", "B+1.5" if pairs[i // 2] else "W+1.5", 60) for i in range(400)]
    second = [Played(i, "black", "W+1.5", 60) for i in range(400)]
    found = c.against(first, second).difference
    assert found.high - found.low == pytest.approx(2 * 1.96 * 50 / 200**0.5, rel=0.1)


def test_points_are_the_first_players_and_choose_between_equal_wins():
    games = [Played(0, "black", "W+88.5", 60), Played(1, "white", "B+3.5", 60), Played(2, "white", "W+R", 60)]
    assert list(map(c.points, games)) == [-88.5, -3.5, 0]
    lost = {400: games[:1], 800: games[1:2], 1200: games[:1]}
    assert c.Curve("network", lost).best == 800


def test_a_curve_of_one_checkpoint_says_nothing(tmp_path):
    assert list(Simulated({"network": {400: strength(3)}}, tmp_path).findings()) == []


def test_runs_that_are_not_trained_are_rows_without_numbers():
    assert c.why_not_trained(None).startswith("not played")
    rows = list(c.rows_not_trained(c.Training(), c.why_not_trained(None)))
    assert [row.ours for row in rows] == [None] * 5
    assert "2,200 games" in rows[2].note


def test_randomised_play_differs_from_the_papers(tmp_path):
    matches = [c.checkpoint_match(tmp_path / "x.safetensors", 2, way=way) for way in c.WAYS]
    assert ["temperature" in match.first.text for match in matches] == [False, True, True]
    assert [match.opening_moves for match in matches] == [0, 0, 2]


# Findings


def test_claims_about_one_board_need_all_draws():
    errors = {name: {position.name: [0.0, 0.0] for position in POSITIONS} for name in (n.NETWORK, n.RECURRENT, n.FIELD)}
    errors[n.NETWORK][CENTRE.name] = [4.0, 4.0]
    found = list(hand_made_findings(errors, {n.NETWORK: [-0.5, 0.5], n.RECURRENT: [0.1, 0.2], n.FIELD: [-0.1, -0.2]}))
    assert [each.held for each in found] == [True, None, True, True, False, False]


# The whole


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    work, pictures = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("pictures")
    games = chosen_games(CORPUS, None, TINY.draws)
    lines = list(paper.report(games, TINY, work, pictures, lambda stage, share: None, played=False))
    return lines, work, pictures


def test_the_tables_come_in_order(report):
    titles = list(dict.fromkeys(line.table.partition(":")[0].partition(",")[0] for line in report[0]))
    assert titles == [
        "Games",
        "Figures 1 and 2",
        "position 1",
        "position 2",
        "position 2 without its white centre",
        "Held-out positions",
        "Rare weights",
        "Mean ownership of own stones",
        "Future work",
        "Points lost per move",
        "findings",
        "Best moves kept by the network",
        "Pruned UCT against UCT",
        "Training",
    ]


def test_numbers_lie_in_their_intervals(report):
    for row in report[0]:
        if isinstance(row, Row) and row.interval is not None:
            assert row.interval[0] - 1e-9 <= row.ours <= row.interval[1] + 1e-9, row
    assert len(list(json_lines(report[0]))) == len(report[0])


def test_every_claim_is_checked(report):
    found = [line for line in report[0] if isinstance(line, Finding)]
    assert len(found) == 17
    ahead = [each.held for each in found if "UCT" in each.claim]
    assert ahead == [None, None]  # two positions decide nothing


def test_pictures_are_drawn(report):
    names = {path.name for path in report[2].iterdir()}
    boards = {"position-1.svg", "position-2.svg", "position-2-without-its-white-centre.svg"}
    assert names == {"figure-1.svg", "figure-2.svg", "rare-weights.svg", "kept-share.svg"} | boards
    assert ">+13<" in (report[2] / "figure-2.svg").read_text(encoding="utf-8")


def test_a_second_run_takes_what_is_there(report, monkeypatch):
    monkeypatch.setattr(FateNet, "fit_corpus", None)
    games = chosen_games(CORPUS, None, TINY.draws)
    again = list(paper.report(games, TINY, report[1], None, lambda stage, share: None, played=False))
    assert again == report[0]


@pytest.mark.slow
def test_matches_are_played_kept_and_resumed(report, tmp_path):
    guide = next(report[1].glob("*/network.safetensors"))
    only = {"guides": ("network",), "policies": ("uniform",), "plies": (0,), "levels": (2,)}
    scale = p.Pruning(games=4, other_games=2, playouts=16, seconds=None, **only)

    def rows():
        return list(p.pruning_rows(guide, "network", KEEPS, scale, tmp_path, lambda stage: None))

    first = rows()
    assert [row.ours is None for row in first] == [False, False, True, True, False, False]
    records = {path: path.read_bytes() for path in tmp_path.rglob("*.sgf")}
    assert len(records) == 2 * 4 + 2 * 2
    assert rows() == first
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.sgf")} == records


@pytest.mark.slow
def test_runs_are_trained_and_their_checkpoints_play(tmp_path):
    if find_program("gnugo") is None:
        pytest.skip("GNU Go is not installed")
    games = chosen_games(CORPUS, None, TINY.draws)
    scale = c.Training(runs=("field", "self-play"), games=2, checkpoints=2, tested=2)
    runs = c.TrainedRuns(games, scale, tmp_path, lambda stage: None)
    rows = [row for run in scale.runs for row in runs.rows(run)]
    assert [row.row for row in rows] == ["1 games", "2 games"] * 2
    assert all(isinstance(share, Interval) for share in runs.curves["field"].shares.values())
    assert list(runs.models) == [c.RUNS[run].name for run in scale.runs]
    again = c.TrainedRuns(games, scale, tmp_path, lambda stage: None)
    assert [row for run in scale.runs for row in again.rows(run)] == rows


@pytest.mark.slow
def test_the_quick_run_of_the_command_line():
    result = run("reproduce", "low", "--quick", "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    ours = {line["row"]: line["ours"] for line in lines if line["table"] == "Held-out positions: vertex error (%)"}
    assert ours[n.MESSAGES] < ours[n.NETWORK] < ours["nothing learned: territory/naive"]
