"""Sanner et al. run again: the games, the measures, the claims, and the whole on a handful of games."""

import json
import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")
pytest.importorskip("scipy", reason="scipy is not installed (pip install 'tengen[train]')")

import tengen
from tengen.corpus.dataset import DataSet
from tengen.corpus.splits import split_of
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.papers import find
from tengen.papers import sanner as paper
from tengen.papers.pages import side_by_side
from tengen.papers.report import Finding, Row
from tengen.papers.sanner import models as m
from tengen.papers.sanner.answers import Answers, far_from_stones, overconfidence
from tengen.papers.sanner.data import Outcomes, PartOfGames, chosen_games, decided, part_of
from tengen.papers.sanner.findings import lower
from tengen.papers.sanner.pictures import telling_position
from tests.cli.program import run

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
TINY = paper.Scale(games=25, test_games=6, stages=4, test_stages=3, couplings=20, exact=2, sampled=2, timed=1)


@pytest.fixture(scope="module")
def games():
    return chosen_games(CORPUS, "gnugo", 5)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The whole run on 25 games, its stages, and the pictures it drew."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    folder, stages = tmp_path_factory.mktemp("pictures"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "QUICK", TINY)
        patch.setattr(m, "SWEEPS", 200)
        options = {"labels": None, "games": None, "quick": True, "work": None, "pictures": folder}
        reproduce = find("sanner").reproduce
        lines = list(reproduce(CORPUS, **options, progress=lambda stage, share: stages.append(stage)))
    return lines, stages, folder


def test_a_game_is_for_one_thing_only(games):
    parts = {part: games.data(part) for part in ("patterns", "couplings", "test")}
    ids = {part: set(next(iter(data)).games.tolist()) for part, data in parts.items()}
    assert not ids["patterns"] & ids["couplings"]
    assert not ids["patterns"] & ids["test"]
    assert not ids["couplings"] & ids["test"]
    assert {part_of(game.id) for game in games.store if split_of(game.id) != "train"} == {"test"}


def test_what_the_end_says_counts_for_every_stage(games):
    data = replace(games.data("patterns", 3), seed=None)
    batch = data.positions(0)
    ends = DataSet(games.store, "gnugo", size=9, split=None, finals=True).positions(0)
    assert isinstance(data, Outcomes)
    assert len(batch) == 15
    for row in range(len(batch)):
        end = np.flatnonzero(ends.games == batch.games[row])[0]
        assert np.array_equal(batch.targets[row], decided(ends.targets[end]), equal_nan=True)
    first = batch.take(slice(5))
    assert (np.diff(first.turns) > 0).all()
    assert first.turns[-1] < first.lengths[0]
    stored = games.store.games(0)[int(first.games[0])]
    assert (first.boards[2] == stored.board(int(first.turns[2])).stones).all()


def test_a_teacher_who_is_not_sure_has_not_said():
    said = decided(np.array([[0.9, -0.5, 0.3, -0.1, 0.0, np.nan]], np.float32))
    assert np.array_equal(said, [[1, -1, np.nan, np.nan, np.nan, np.nan]], equal_nan=True)


def test_labels_of_positions_are_taken_as_they_are_where_no_game_has_an_end(games):
    data = replace(games, outcomes=False).data("patterns", 4)
    assert type(data) is PartOfGames
    assert len(data.positions(0)) == 4


def test_labels_that_are_not_there_are_named():
    with pytest.raises(TengenError, match="it has gnugo, vote"):
        chosen_games(CORPUS, "katago", 5)


def test_a_limit_counts_games_with_labels_that_count():
    store = Store(CORPUS)
    assert len(DataSet(store, "gnugo", size=9, split=None, finals=True, limit=7).positions(0)) == 7
    assert not DataSet(store, "gnugo", size=9, split=None, finals=False, limit=7).shards


def test_a_sparse_area_is_far_from_every_stone():
    board = tengen.Board.from_text(["X......", ".......", ".......", "......."])
    far = far_from_stones(board.stones[None], 3)[0]
    assert ["".join(".s"[int(point)] for point in row) for row in far] == ["...ssss", "..sssss", ".ssssss", "sssssss"]


def test_overconfidence_is_what_is_claimed_less_what_is_right():
    said = np.array([[[0.8, -0.6]], [[0.8, -0.6]], [[0.2, 0.2]]])
    truth = np.array([[[1.0, 1.0]], [[1.0, -1.0]], [[1.0, 1.0]]])
    among = np.array([[[True, True]], [[True, True]], [[False, False]]])
    found = overconfidence(said, truth, among)
    assert found[:2] == pytest.approx([(0.9 + 0.8) / 2 - 0.5, (0.9 + 0.8) / 2 - 1])
    assert math.isnan(found[2])


def answers(name, vertex, net=None):
    values = np.asarray(vertex, float)
    other = values if net is None else np.asarray(net, float)
    return Answers(name, np.arange(len(values)), np.zeros((len(values), 2, 2)), values, other, values, values)


def test_a_claim_holds_fails_or_is_not_decided():
    spread = np.random.default_rng(0).normal(0, 1, 50)
    said = {
        "good": answers("good", 10 + spread),
        "bad": answers("bad", 12 + spread),
        "same": answers("same", 10 + spread[::-1]),
    }
    assert lower("", said, [("good", "bad", "vertex")]).held is True
    assert lower("", said, [("bad", "good", "vertex")]).held is False
    assert lower("", said, [("good", "same", "vertex")]).held is None
    assert lower("", said, [("good", "bad", "vertex"), ("good", "same", "vertex")]).held is None
    assert lower("", said, [("bad", "good", "vertex"), ("good", "same", "vertex")]).held is False
    assert "−2" in lower("", said, [("good", "bad", "net")]).evidence


def test_the_telling_position_is_where_the_second_gains_most():
    assert telling_position(answers("a", [5, 9, 9]), answers("b", [5, 8, np.nan]), "net") == 1


def test_piecewise_patterns_say_the_same_again_and_again(games):
    data = [games.sample("patterns", 200)]
    boards = games.sample("test", 20).boards
    sure = np.abs(m.Piecewise().fit(data).ownership_many(boards)).mean()
    assert sure > np.abs(m.Largest().fit(data).ownership_many(boards)).mean() + 0.1


def test_boards_stand_side_by_side():
    board = tengen.Board(5).svg()
    page = ElementTree.fromstring(side_by_side([board, board]))
    assert float(page.get("width")) == 2 * float(ElementTree.fromstring(board).get("width")) + 12


def test_every_table_is_there_in_order(report):
    titles = list(dict.fromkeys(line.table for line in report[0]))
    assert [title.partition(":")[0] for title in titles] == [
        *("Games", "Table 1", "Table 2", "Memory", "Figure 5", "Figure 5", "Figure 5", "Beyond the paper", "findings"),
    ]


def test_published_numbers_are_the_papers(report):
    rows = [line for line in report[0] if isinstance(line, Row)]
    table = {row.row: row for row in rows if row.table.startswith("Table 2")}
    assert [row.published for row in table.values()] == [1.7, 6.0, 6.0, 101.0, 214.6, 2967.5, 10568.7, None]
    assert all(row.ours > 0 for row in table.values())
    assert [row.published for row in rows if row.table.startswith("Table 1")] == [
        *("< 45 min", "< 45 min", "~ 2 h", "~ 5 h", "~ 12 h", "> 2 days"),
    ]
    assert next(row.ours for row in rows if row.table == "Games") == 25
    assert {row.published for row in rows if row.table.startswith("Figure")} == {None}


def test_errors_are_errors(report):
    for line in report[0]:
        if line.table.startswith("Figure 5"):
            low, high = line.interval
            assert 0 <= low <= line.ours <= high <= 100
    by_name = {line.row: line.ours for line in report[0] if line.table == "Figure 5: vertex error (%)"}
    assert by_name[m.SMALLEST[0]] > by_name[m.EXPONENTIAL]


def test_every_finding_has_its_numbers(report):
    findings = [line for line in report[0] if isinstance(line, Finding)]
    assert len(findings) > 10
    assert all(any(letter.isdigit() for letter in finding.evidence) for finding in findings)


def test_figures_are_drawn(report):
    names = sorted(path.name for path in report[2].iterdir())
    assert names == ["figure-5-surprise.svg", "figure-5-vertex.svg", *(f"figure-6{part}.svg" for part in "abc")]
    for path in report[2].iterdir():
        ElementTree.parse(path)


def test_it_says_what_it_is_doing(report):
    assert report[1][0] == "counting patterns"
    assert f"training {m.EXPONENTIAL}" in report[1]


@pytest.mark.slow
def test_the_quick_run_ends_within_five_minutes(tmp_path):
    done = run("reproduce", "sanner", "--quick", "--format", "json", "--work", tmp_path)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert all({"schema", "table", "row", "published", "ours", "interval"} <= set(line) for line in lines)
    held = {line["row"]: line["ours"] for line in lines if line["table"] == "findings"}
    assert held["The exponential prior is likelier than the uniform one, and that than the largest pattern"] is True
    assert (tmp_path / "gnugo-9-4524-20").is_dir()
