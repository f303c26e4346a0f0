"""How near reviews are to labels, measured."""

import gzip
import json

import pytest

import tengen
from tengen.benchmarks.review import evaluate_review, read_labels
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
    assert swings.rows[0][3] == 1.0


def test_the_command_prints_both_tables(labelled):
    options = ("--labels", labelled / "own", "--size", 9, "--playouts", 2, "-f", "json")
    said = call("evaluate", "review", "--on", labelled / "games.tsv", *options).stdout
    names = [json.loads(line).get("evaluator") for line in said.splitlines()]
    assert names == ["review", "model", "search", None]


def test_missing_and_broken_labels_are_refused(labelled):
    labels = read_labels(labelled / "own.meta.tsv.gz", 19)
    with pytest.raises(TengenError, match="no game has labels"):
        evaluate_review(tengen.read_all(labelled / "games.tsv"), labels, Reviewer(playouts=0), sample=5)
    (labelled / "bad.meta.tsv.gz").write_bytes(gzip.compress(b"g\tx\n"))
    with pytest.raises(TengenError, match="line 1 needs id"):
        read_labels(labelled / "bad.meta.tsv.gz", 9)
    done = call("evaluate", "review", "--on", labelled / "games.tsv", code=2)
    assert "review needs labels" in done.stderr
