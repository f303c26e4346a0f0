"""How near reviews are to labels, measured."""

import gzip
import json

import pytest

import tengen
from tengen.benchmarks.review import evaluate_review, read_labels
from tengen.corpus.splits import SPLITS, split_of
from tengen.errors import TengenError
from tengen.go.lines import game_line
from tengen.search.review import Reviewer
from tests.cli.program import call

GAME = "examples/finished-9x9.sgf"


@pytest.fixture
def labelled(tmp_path):
    """A game with the labels that a review of its own would give."""
    game = tengen.read(GAME)
    (tmp_path / "games.tsv").write_text(game_line(game, id="g") + "\n")
    moves = game.review(playouts=0).moves
    rows = [f"g\t{move.move}\t9\t{move.lead}\t{move.winrate}\t1\n" for move in moves]
    with gzip.open(tmp_path / "own.meta.tsv.gz", "wt") as file:
        file.writelines(rows)
    return tmp_path


def test_a_review_agrees_with_its_own_labels(labelled):
    labels = read_labels(labelled / "own.meta.tsv.gz", 9)
    games = tengen.read_all(labelled / "games.tsv")
    evaluations, swings = evaluate_review(games, labels, Reviewer(playouts=0), sample=5)
    rows = {row[0]: row for row in evaluations.rows}
    assert rows["review"][1] == len(games[0])
    assert rows["review"][2].value == pytest.approx(0, abs=1e-9)
    assert rows["model"][2].value > 0.5
    assert rows["review"][6:8] == (1.0, 1.0)  # within one and two standard deviations
    assert swings.rows[0][0] == len(games[0].review(playouts=0).swings)


@pytest.mark.parametrize(
    ("model", "ways"),
    [([], ["review", "model"]), (["territory/pattern-crf"], ["review", "model", "search"])],
)
def test_the_command_prints_both_tables(labelled, model, ways):
    options = ("--labels", labelled / "own", "--size", 9, "--split", "all", "--playouts", 2, "-f", "json")
    said = call("evaluate", "review", *model, "--on", labelled / "games.tsv", *options).stdout
    names = [json.loads(line).get("evaluator") for line in said.splitlines()]
    assert names == [*ways, None]


def test_only_games_of_the_split_are_measured(labelled):
    file = labelled / "own.meta.tsv.gz"
    assert [split for split in SPLITS if read_labels(file, 9, split)] == [split_of("g")]
    with pytest.raises(TengenError, match="split is one of train, valid, test or all"):
        read_labels(file, 9, "dev")


def test_missing_and_broken_labels_are_refused(labelled):
    labels = read_labels(labelled / "own.meta.tsv.gz", 19)
    with pytest.raises(TengenError, match="no game of this split has labels"):
        evaluate_review(tengen.read_all(labelled / "games.tsv"), labels, Reviewer(playouts=0), sample=5)
    (labelled / "bad.meta.tsv.gz").write_bytes(gzip.compress(b"g\tx\n"))
    with pytest.raises(TengenError, match="line 1 needs id"):
        read_labels(labelled / "bad.meta.tsv.gz", 9)
    done = call("evaluate", "review", "--on", labelled / "games.tsv", code=2)
    assert "review needs labels" in done.stderr
