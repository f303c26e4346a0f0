"""Models of moves on the moves played in the games that ship."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.benchmarks.plays import evaluate_plays, fixed_plays
from tengen.corpus.plays import Plays
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.measure.compare import mean
from tengen.models.base import MoveModel
from tengen.moves.policy import TacticalMoves
from tests.benchmarks.toys import FirstPoint
from tests.cli.program import call
from tests.models.learning import plays as examples

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
PLAYS = Plays(Store(CORPUS), size=9, split="test")


class Even(MoveModel):
    """Spreads its moves evenly."""

    name = "test/even"

    def probabilities(self, board):
        legal = np.append(board.legal_mask().ravel(), True)
        return legal / legal.sum()


def test_moves_are_drawn_from_all_games_and_are_always_the_same():
    every = replace(PLAYS, sample=1.0)
    games = {int(game) for batch in every for game in batch.games}
    sample = fixed_plays(PLAYS, 200)
    assert len(sample) == 200
    assert {int(game) for game in sample.games} == games
    again = fixed_plays(replace(PLAYS, batch=7, sample=0.01), 200)
    assert np.array_equal(sample.moves, again.moves)
    assert np.array_equal(sample.positions.stones, again.positions.stones)
    assert len(fixed_plays(PLAYS, 10_000)) == sum(map(len, every))


def test_ranks_and_evidence_are_among_the_legal_moves():
    found = evaluate_plays([Even(), FirstPoint()], PLAYS, sample=50)
    even, first = (each.scores for each in found.predictions)
    count = found.sample.positions.legal.sum(axis=1)
    assert np.allclose(even.rank, (count + 1) / 2)
    assert np.allclose(even.log_evidence, -np.log(count))
    hit = found.sample.positions.legal.argmax(axis=1) == found.sample.moves
    assert np.array_equal(first.rank == 1, hit)
    assert np.allclose(first.rank[~hit], (count[~hit] + 2) / 2)


def test_tables_have_every_model_and_stage_with_intervals():
    seen = []
    found = evaluate_plays(
        [tengen.load("moves/tactical"), Even()], PLAYS, sample=120, progress=lambda *n: seen.append(n)
    )
    assert seen == [(64, 240), (120, 240), (184, 240), (240, 240)]
    overall, stages, compared = found.tables()
    names = [column.name for column in overall.columns]
    assert names == "model,positions,top-1,top-5,top-20,mean rank,log-evidence,perplexity,ms".split(",")
    tactical, even = (dict(zip(names, row, strict=True)) for row in overall.rows)
    assert tactical["top-1"] == mean(found.predictions[0].scores.rank <= 1, found.sample.games)
    assert tactical["top-1"].low <= tactical["top-1"].value <= tactical["top-5"].value <= tactical["top-20"].value
    assert tactical["log-evidence"].value > even["log-evidence"].value
    assert tactical["perplexity"] == pytest.approx(np.exp(-tactical["log-evidence"].value))
    assert [row[:2] for row in stages.rows] == [
        (name, stage) for name in ("moves/tactical", "test/even") for stage in ("opening", "middle game", "endgame")
    ]
    assert sum(row[2] for row in stages.rows) == 240
    weighted = sum(row[2] * row[-1].value for row in stages.rows[:3]) / 120
    assert weighted == pytest.approx(tactical["log-evidence"].value)
    (row,) = compared.rows
    assert row[:2] == ("test/even", "moves/tactical")
    assert row[4].high < 0 < row[5] < 0.01


def test_two_files_of_one_kind_are_told_apart(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    other = TacticalMoves().fit(examples())
    found = evaluate_plays([tengen.load("moves/tactical"), other], PLAYS, sample=20)
    first, second = (each.name for each in found.predictions)
    assert first != second
    assert first.startswith("moves/tactical@")
    (path,) = found.plot(tmp_path / "plots")
    assert path.name == "top-k.svg"
    picture = path.read_text(encoding="utf-8")
    assert first in picture
    assert second in picture


def test_models_and_games_that_do_not_fit_are_refused():
    with pytest.raises(ModelError, match="policy"):
        evaluate_plays([tengen.load("territory/naive")], PLAYS)
    for plays, words in (
        (replace(PLAYS, size=13), r"no 13×13 game in split 'test'"),
        (replace(PLAYS, even=False, split=None), r"no 9×9 game with handicap in split 'all'"),
    ):
        with pytest.raises(TengenError, match=words):
            evaluate_plays([Even()], plays)


def test_evaluate_from_the_command_line(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    given = ["evaluate", "moves/tactical", "--on", CORPUS, "--size", 9, "--sample", 40]
    done = call(*given, "--even", "-f", "json", "--plot", tmp_path)
    overall, *stages = map(json.loads, done.stdout.splitlines())
    assert overall["model"] == "moves/tactical"
    assert overall["positions"] == 40 == sum(row["positions"] for row in stages)
    assert (tmp_path / "top-k.svg").is_file()
    assert f"drawn: {tmp_path / 'top-k.svg'}" in done.stderr


@pytest.mark.parametrize(
    ("names", "options", "words"),
    [
        (["moves/tactical"], ["--labels", "gnugo"], "without labels it is measured on the moves played"),
        (["territory/naive"], [], "territory/naive needs labels to compare with: --labels NAME"),
        (["moves/tactical", "territory/naive"], [], "territory/naive needs labels"),
        (["territory/naive"], ["--labels", "gnugo", "--even"], "--even is for moves and winners"),
        (["moves/tactical"], ["--positions", "final"], "leave out --positions"),
    ],
)
def test_options_of_another_kind_of_model_are_refused(names, options, words):
    assert words in call("evaluate", *names, "--on", CORPUS, "--size", 9, *options, code=2).stderr
