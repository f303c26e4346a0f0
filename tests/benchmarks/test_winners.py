"""Models on the winners of the games that ship."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.benchmarks.winners import NULL, SHARES, STAGES, chosen_winners, evaluate_winners
from tengen.corpus.plays import Plays
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.measure.winners import winner_measures
from tengen.models.base import ValueModel
from tests.cli.program import call

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
PLAYS = Plays(Store(CORPUS), size=9, split=None)


class MoreStones(ValueModel):
    """Who has more stones wins."""

    name = "test/more-stones"

    def winrate(self, board):
        return 0.5 + 0.4 * float(np.sign(board.stones.sum()))


def records():
    """Return the 9×9 games of the corpus, by their numbers."""
    store, found = Store(CORPUS), {}
    for shard in store.shards:
        for row, game in enumerate(store.games(shard)):
            if game.width == game.height == 9 and game.result[:1] in ("B", "W"):
                found[shard * 1_000_000 + row] = game
    return found


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_positions_are_those_after_a_share_of_the_moves(share):
    games = chosen_winners(PLAYS, share, 10_000)
    known = records()
    assert sorted(games.games.tolist()) == sorted(known)
    for number, won, stones, turn in zip(
        games.games, games.won, games.positions.stones, games.positions.to_play, strict=True
    ):
        game = known[int(number)]
        board = game.board(int(game.length * share))
        assert np.array_equal(stones, board.stones)
        assert (turn == 1) == (board.to_play == "black")
        assert won == (game.result[0] == "B")


def test_a_sample_has_the_same_games_at_every_stage_and_is_part_of_a_larger_one():
    few = [set(chosen_winners(PLAYS, share, 15).games.tolist()) for share in SHARES]
    assert len(few[0]) == 15
    assert all(each == few[0] for each in few)
    assert few[0] < set(chosen_winners(PLAYS, 0.5, 40).games.tolist())


def test_accuracy_brier_and_likelihood_of_known_winrates():
    found = winner_measures([0.9, 0.9, 0.5, 0.2], [1, 0, 1, 0])
    assert found["accuracy"].tolist() == [1, 0, 0.5, 1]
    assert np.allclose(found["brier"], [0.01, 0.81, 0.25, 0.04])
    assert np.allclose(found["log_likelihood"], np.log([0.9, 0.1, 0.5, 0.8]))
    for said, won in (([1.2], [1]), ([0.5, 0.5], [1])):
        with pytest.raises(TengenError):
            winner_measures(said, won)


def test_tables_have_every_stage_a_null_row_and_comparisons():
    seen = []
    models = [MoreStones(), tengen.load("territory/naive")]
    found = evaluate_winners(models, PLAYS, sample=30, progress=lambda *n: seen.append(n))
    assert seen[-1] == (240, 240)
    table, compared = found.tables()
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert [(row["after"], row["model"]) for row in rows] == [
        (stage, name) for stage in STAGES for name in (NULL, "test/more-stones", "territory/naive")
    ]
    black = found.games.won.mean()
    assert rows[0]["winner right"].value == pytest.approx(max(black, 1 - black))
    end = found.answers[0].winrates[-1]
    stones = np.sign(chosen_winners(PLAYS, 1.0, 30).positions.stones.sum(axis=(1, 2)))
    assert np.allclose(end, 0.5 + 0.4 * stones)
    right = np.where(stones == 0, 0.5, (stones > 0) == found.games.won).mean()
    assert rows[-2]["winner right"].value == pytest.approx(right)
    assert [row[:3] for row in compared.rows] == [(stage, "territory/naive", "test/more-stones") for stage in STAGES]


def test_models_and_games_that_do_not_fit_are_refused():
    with pytest.raises(ModelError, match="does not say who wins"):
        evaluate_winners([tengen.load("moves/tactical")], PLAYS)
    with pytest.raises(TengenError, match=r"no 13×13 game with a winner in split 'all'"):
        evaluate_winners([MoreStones()], replace(PLAYS, size=13))


def test_winners_from_the_command_line(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    given = ["evaluate", "territory/influence", "--on", CORPUS, "--size", 9, "--winners"]
    done = call(*given, "--split", "all", "--sample", 12, "--even", "-f", "json", "--plot", tmp_path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["after"] for row in rows] == [stage for stage in STAGES for _ in range(2)]
    assert all(row["games"] == 12 for row in rows)
    for name, words in (("winner.svg", "winner right"), ("winner-calibration.svg", "territory/influence")):
        assert f"drawn: {tmp_path / name}" in done.stderr
        assert words in (tmp_path / name).read_text(encoding="utf-8")
    assert "leave out --labels" in call(*given, "--labels", "gnugo", code=2).stderr
    assert "measures models" in call("evaluate", "judge", "--on", CORPUS, "--winners", code=2).stderr
