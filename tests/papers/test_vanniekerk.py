"""van Niekerk & Kroon run again: the games, competitions without features, intervals, and the whole on a few games."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")
pytest.importorskip("scipy", reason="scipy is not installed (pip install 'tengen[train]')")

from tengen._core import MovePatterns
from tengen.corpus.store import Store
from tengen.engines.process import find_program
from tengen.errors import TengenError
from tengen.measure.intervals import wilson
from tengen.moves.competitions import Table
from tengen.moves.factors import move_scores
from tengen.moves.trees import grow
from tengen.papers import find
from tengen.papers import vanniekerk as paper
from tengen.papers.report import Finding, Row, json_lines
from tengen.papers.vanniekerk import experiments as e
from tengen.papers.vanniekerk import published as p
from tengen.papers.vanniekerk import strength
from tengen.papers.vanniekerk.data import Choices, Features, Games, chosen_games
from tengen.papers.vanniekerk.findings import strength_findings
from tengen.papers.vanniekerk.measures import gap, share
from tengen.papers.vanniekerk.pictures import descent
from tengen.papers.vanniekerk.strength import Matches, play, player
from tengen.papers.vanniekerk.study import Ranks, Scale, Study, Trained, of_all_leaves, of_forest, scored, tactical
from tengen.views.move_features import FEATURES, LEVELS, move_levels
from tengen.views.move_patterns import move_pattern_keys
from tests.cli.program import run

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
TINY = Scale(
    games=8, sample=0.5, draws=2, leaves=64, forest_sample=0.5, split_after=60, test_games=5, few=3, matches=None
)


@pytest.fixture(scope="module")
def games():
    return chosen_games(Store(CORPUS))


def numbers(batches):
    return {int(number) for batch in batches for number in batch.games}


def test_games_are_of_the_largest_size_that_has_enough(games):
    assert games.size == 9  # of 19×19 there are only 30


def test_draws_and_test_games_have_no_game_in_common(games):
    draws = [numbers(games.training(20, sample=1.0, draw=draw, of=3)) for draw in range(3)]
    assert sum(map(len, draws)) == 60
    assert not draws[0] & draws[1]
    assert not draws[1] & draws[2]
    assert not draws[0] & draws[2]
    test = games.test(1000)
    assert len(numbers(test)) == 21
    assert not numbers(test) & (draws[0] | draws[1] | draws[2])


def test_choices_are_the_legal_moves_with_the_one_played(games):
    batch = games.test(2)[0]
    choices = Choices([batch])
    base = tactical()
    data = choices.competitions([base])
    levels = move_levels(batch.positions)
    for i in range(0, len(batch), 7):
        legal = np.flatnonzero(batch.positions.legal[i])
        rows = slice(data.starts[i], data.starts[i + 1])
        assert legal[data.winners[i] - data.starts[i]] == batch.moves[i]
        for column, place in zip(data.columns, range(len(FEATURES)), strict=True):
            assert column[rows].tolist() == levels[i, legal, place].tolist()


def test_ranks_are_those_of_the_measures_but_for_ties(games):
    choices = Choices(games.test(2))
    base = tactical()
    data = choices.competitions([base])
    weights = np.random.default_rng(0).normal(0, 1, data.native.levels)
    weights[0] = 0
    ranks, expected = scored(choices, [base], weights), move_scores(data, data.by_table(weights))
    assert (ranks.better + (ranks.equal + 1) / 2).tolist() == expected.rank.tolist()
    assert ranks.log_evidence == pytest.approx(expected.log_evidence, abs=1e-4)
    assert (ranks.equal > 1).any()


def test_moves_of_equal_strength_are_in_random_order():
    ranks = Ranks(np.array([0, 0, 2, 5]), np.array([1, 4, 2, 1]), np.zeros(4))
    assert ranks.within(1).tolist() == [1, 0.25, 0, 0]
    assert ranks.within(3).tolist() == [1, 0.75, 0.5, 0]
    assert ranks.curve(3)[-1] == 2.25 / 4


def test_the_first_games_are_cut_off_with_their_positions(games):
    choices = Choices(games.training(6, sample=0.5))
    whole = choices.competitions([tactical()])
    cut = choices.competitions([tactical()], 2)
    assert 0 < len(cut) < len(whole)
    assert len(np.unique(choices.games[: len(cut)])) == 2
    assert choices.games[len(cut)] not in choices.games[: len(cut)]


def test_all_leaves_contain_the_left_most_one_and_the_pass_has_none(games):
    batch = games.test(2)[0]
    forest = grow([(batch.positions, batch.moves)], trees=2, split_after=60, sample=0.9, max_leaves=12, threads=1)
    choices = Choices([batch])
    left = choices.columns(of_forest(forest, "left"))
    every = choices.columns(of_all_leaves(forest, "every"))
    several = np.zeros(len(left[0]), bool)
    for tree in range(2):
        pair = every[2 * tree : 2 * tree + 2]
        assert ((left[tree] == pair[0]) | (left[tree] == pair[1]) | (pair[1] > 0)).all()
        several |= pair[1] > 0
    assert several.any()
    assert not several.all()
    passes = choices.starts[1:] - 1
    assert not np.concatenate([*left, *every]).reshape(6, -1)[:, passes].any()


def trained(hits):
    ranks = Ranks(np.where(hits, 0, 1), np.ones(len(hits), np.int64), np.zeros(len(hits)))
    return Trained("x", ranks, np.zeros(1), 0.0, 0.0, 0)


def test_an_interval_holds_the_spread_of_games_and_of_draws():
    number = np.repeat(np.arange(50), 4)
    always, half = trained(np.ones(200, bool)), trained(np.arange(200) % 2 == 0)
    assert share([half], number) == (50, 50, 50)  # every game has the same share
    found = share([always, half, half], number)
    assert found.value == pytest.approx(200 / 3)
    assert (found.low, found.high) == (50, 100)
    assert gap([always, half], [half, half], number).value == 25
    uneven = share([trained(number < 25)], number)
    assert 30 < uneven.low < 50 < uneven.high < 70
    assert share([trained(number < 25)], number, rows=number < 10).value == 100


def test_a_descent_is_the_way_to_a_leaf_with_the_other_answers():
    tree = "a?\n  yes: leaf 1 ×2\n  no: b?\n    yes: c?\n      yes: leaf 2\n      no: leaf 3\n    no: leaf 4 ×7"
    assert descent(tree, 4) == "> a?\n    yes: leaf 1 ×2\n>   no: b?\n      yes: c?\n>     no: leaf 4 ×7\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    work, pictures = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("pictures")
    lines = list(paper.report(Store(CORPUS), TINY, work, pictures, lambda stage, share: None))
    return lines, work, pictures


def test_the_tables_come_in_order(report):
    titles = list(dict.fromkeys(line.table.partition(":")[0] for line in report[0]))
    assert titles == [
        "Games",
        "Figure 2, one tree, first draw",
        "Figure 2, eight trees, first draw",
        "Figure 3",
        "Figure 4",
        "Table 1",
        "Table 2",
        "Descents, eight trees",
        "Beyond the paper, first draw",
        "Beyond the paper, weights trained with more games",
        "Trainers on T + P, first draw",
        "findings",
    ]
    wins = [(row.row, row.published, row.ours, row.note) for row in report[0][-5:]]
    rows = zip((*e.MAIN, e.TPDT), (*p.WINS, p.WINS[-1]), strict=True)
    assert wins == [(name, published, None, "not played with --quick") for name, published in rows]


def test_every_published_number_has_ours_beside_it(report):
    rows = [row for row in report[0] if isinstance(row, Row)]
    weights = [row.published for row in rows if row.table.startswith("Table 1: γ with patterns")]
    assert weights == [pair[0] for levels in p.WEIGHTS.values() for pair in levels.values()]
    assert len(weights) == 38
    accuracy = [(row.row, row.published) for row in rows if row.table == "Table 2: MP accuracy (%)"]
    assert accuracy[2:] == list(zip(e.MAIN, p.ACCURACY, strict=True))
    for row in rows:
        if row.published is not None and not {"handicap", "GNU"} & set(row.table.split()):
            assert row.ours is not None or row.note == paper.UNMET, row
        if row.interval is not None:
            assert row.interval[0] <= row.ours <= row.interval[1], row


def test_patterns_beat_tactics_and_these_beat_guessing(report):
    ours = {row.row: row.ours for row in report[0] if row.table == "Table 2: MP accuracy (%)"}
    assert ours[paper.NULL] < 4 < ours[e.NEAR] < ours[e.T] < ours[e.TP]


def test_more_games_are_those_of_all_draws_and_more(games):
    study = Study(games, TINY, 0, Choices(games.test(TINY.test_games)), None)
    results = e.Results(study.test)
    base, patterns = tactical(), study.largest_patterns()
    stages = []
    e.with_more_games(study, results, {e.T: [base], e.TP: [base, patterns]}, stages.append)
    assert stages == [e.MORE[e.T], e.MORE[e.TP]]
    assert results.more_games == 5 * TINY.games
    [wide], once = results.found[e.MORE[e.TP]], study.trained(e.TP, [base, patterns])
    assert wide.positions > 4 * once.positions
    assert wide.scores.log_evidence.mean() > once.scores.log_evidence.mean() + 0.1  # patterns need many games


def test_rowswith_more_games_name_their_number(report):
    rows = [row for row in report[0] if row.table.startswith("Beyond the paper, weights")]
    assert [(row.row, row.published) for row in rows] == list(zip(e.MAIN, p.ACCURACY, strict=True))
    assert all(row.note.startswith(f"{5 * TINY.games} games") for row in rows)


def test_json_is_one_object_for_each_line(report):
    lines = [json.loads(line) for line in json_lines(report[0])]
    assert len(lines) == len(report[0])
    assert {"table", "row", "published", "ours", "interval", "note"} <= set(lines[0])


def test_pictures_are_drawn(report):
    names = {path.name for path in report[2].iterdir()}
    figures = {"figure-2-1.png", "figure-2-8.png", "figure-3.png", "figure-4.png"}
    assert names == {"figure-1.svg", "figure-1.txt"} | figures
    assert (report[2] / "figure-1.txt").read_text(encoding="utf-8").count(">") >= 2


def test_a_second_run_takes_what_is_there(report):
    lines, work, _ = report
    stages = []
    again = list(paper.report(Store(CORPUS), TINY, work, None, lambda stage, share: stages.append(stage)))
    timed = "milliseconds"
    assert [x for x in again if timed not in str(x)] == [x for x in lines if timed not in str(x)]
    assert stages[-1] == "draw 2: 16 trees, all games"


def test_findings_are_decided_or_not(report):
    found = [line for line in report[0] if isinstance(line, Finding)]
    assert len(found) == 15
    assert next(each.held for each in found if "training time" in each.claim) is None


def test_players_rank_moves_as_their_weights_do(games):
    batch = games.test(2)[0]
    forest = grow([(batch.positions, batch.moves)], trees=2, split_after=60, sample=0.9, max_leaves=12, threads=1)
    keys = np.unique(move_pattern_keys(batch.positions, batch.moves)[:, 0])[1:]
    keys = np.concatenate([keys, keys[:1] + np.uint64(1)])  # two keys with the same upper half
    keys.sort()
    table = MovePatterns(keys)
    patterns = Features(
        "P", (Table("patterns", len(keys)),), lambda at: table.largest(at.stones, at.to_play)[..., None]
    )
    trees = of_forest(forest, "DT")
    choices = Choices([batch])
    for features, known, grown in (
        ([tactical()], None, None),
        ([tactical(), patterns], keys, None),
        ([tactical(), trees], None, forest),
        ([tactical(), patterns, trees], keys, forest),
    ):
        levels = 1 + sum(table.levels for each in features for table in each.tables)
        weights = np.random.default_rng(0).integers(-8, 9, levels) / 4  # exact in two bytes
        if known is not None:  # the second of the two is the first for a player
            weights[1 + sum(LEVELS.values()) + 1] = weights[1 + sum(LEVELS.values())]
        ranks = scored(choices, features, weights)
        model = player(weights, known, grown)
        scores = model.probabilities_many(batch.positions)
        own = scores[np.arange(len(batch)), batch.moves]
        assert (scores > own[:, None] * (1 + 1e-9)).sum(axis=1).tolist() == ranks.better.tolist(), model.name
        assert np.log(own) == pytest.approx(ranks.log_evidence, abs=1e-5)


def test_rows_that_are_not_played_say_why(games, monkeypatch):
    players = dict.fromkeys(e.MAIN)

    def notes(matches, folder):
        return {row.note for row in play(players, p.WINS, matches, 9, folder, lambda stage: None)}

    assert notes(None, Path("unused")) == {"not played with --quick"}
    assert notes(Matches(), None) == {"not played: the games take hours, name a folder for them with --work"}
    monkeypatch.setattr(strength, "find_program", lambda name: None)
    assert notes(Matches(), Path("unused")) == {"not played: GNU Go is not installed"}


def strengths(*won, games=60):
    shares = [wilson(wins, games) for wins in won]
    title = "Table 2: games won against GNU Go 3.8, level 10, 2,000 playouts per move, 19×19 (%)"
    rows = zip(e.MAIN, shares, strict=True)
    return [Row(title, name, 1.0, 100 * x.value, (100 * x.low, 100 * x.high)) for name, x in rows]


def test_claims_about_strength_are_decided_by_intervals():
    trees, patterns, every = strength_findings(strengths(3, 29, 18, 30))
    assert (trees.held, patterns.held, every.held) == (True, True, None)
    assert trees.evidence.startswith("games won against GNU Go 3.8, level 10, 2,000 playouts per move, 19×19: 30.0 aga")
    trees, patterns, every = strength_findings(strengths(18, 18, 3, 40))
    assert (trees.held, patterns.held, every.held) == (False, True, False)
    many = strength_findings(strengths(50, 500, 300, 500, games=1000))
    assert [each.held for each in many] == [True, True, True]


def test_rows_that_lose_all_games_are_not_found_equal():
    assert [each.held for each in strength_findings(strengths(0, 0, 0, 0))] == [None, None, None]


def test_strength_is_compared_only_where_all_rows_were_played():
    rows = strengths(3, 29, 18, 30)
    assert list(strength_findings(rows[:3])) == []
    for not_played in (replace(rows[3], ours=None, interval=None), replace(rows[3], ours=float("nan"))):
        assert list(strength_findings([*rows[:3], not_played])) == []


@pytest.mark.slow
def test_matches_are_played_kept_and_resumed(games, tmp_path, monkeypatch):
    if find_program("gnugo") is None:
        pytest.skip("GNU Go is not installed")
    monkeypatch.setattr(strength, "GNU_GO", "gnugo:level=1")
    weights = np.zeros(1 + sum(LEVELS.values()))
    players = {e.T: player(weights, None, None)}

    def rows(count):
        matches = Matches(games=count, playouts=20, last_games=2, last_playouts=40)
        return list(play(players, (5.0,), matches, 9, tmp_path, lambda stage: None))

    first = rows(2)
    assert [row.note.partition(";")[0].partition(" ")[2] for row in first] == ["of 2 games", "of 2 games"]
    records = {path: path.read_bytes() for path in tmp_path.rglob("*.sgf")}
    assert len(records) == 4
    again = rows(4)
    assert again[0].note.partition(";")[0].endswith("of 4 games")
    assert again[1] == first[1]
    assert {path: path.read_bytes() for path in records} == records  # what was played stays
    assert len(list(tmp_path.rglob("*.sgf"))) == 6


def test_a_corpus_without_games_is_refused(tmp_path):
    Store.create(tmp_path / "empty")
    options = {"labels": None, "games": None, "quick": True, "work": None, "pictures": None}
    with pytest.raises(TengenError, match="no even games"):
        list(find("vanniekerk").reproduce(tmp_path / "empty", **options, progress=lambda stage, share: None))


def test_handicap_games_are_apart(games):
    assert Games(games.store, 9).test(10, even=False) == []


def test_handicap_games_are_scored_alone_and_with_as_many_even_games(games):
    results = e.Results(Choices(games.test(3)))
    even, one, none = len(results.test), np.ones(10, np.int64), np.zeros(10, np.int64)
    for name in (e.NEAR, *e.MAIN):
        ranks = Ranks(np.ones(even, np.int64), np.ones(even, np.int64), np.zeros(even))
        results.found[name] = [Trained(name, ranks, np.zeros(1), 0.0, 0.0, 0)]
        results.handicap[name] = Ranks(none, one, np.zeros(10))
    results.handicap_games = np.repeat([7, 9], 5)
    rows = [row for row in paper.table_2(results, TINY) if "handicap" in row.table]
    assert [row.ours for row in rows[:4]] == [100.0] * 4
    assert [row.ours for row in rows[4:]] == [pytest.approx(1000 / (10 + even))] * 4
    assert rows[4].note == "5 games"


@pytest.mark.slow
def test_the_quick_run_of_the_command_line():
    result = run("reproduce", "vanniekerk", "--quick", "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    ours = {line["row"]: line["ours"] for line in lines if line["table"] == "Table 2: MP accuracy (%)"}
    assert ours["T"] < ours["T + DT"] < ours["T + P"]
