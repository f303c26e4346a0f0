"""Models of moves: what they learn, what they say in Go words, and how they are fitted from the command line."""

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.corpus.plays import Plays, PlaySets
from tengen.corpus.store import Store
from tengen.errors import ModelError
from tengen.go.positions import Positions
from tengen.models.fitting import fit_model
from tengen.moves.competitions import Table
from tengen.moves.effects import score_parts
from tengen.moves.policy import CombinedMoves, FactorMoves, PatternMoves, TacticalMoves
from tengen.views.shape_names import shape_name
from tests.cli.program import call
from tests.models.learning import plays, taught

CORPUS = Path(__file__).parents[2] / "examples" / "corpus"

ATARI = """
    . . . . .
    . X . . .
    X O . X .
    . X . . .
    . . . . .
"""


def test_a_capture_is_likely_and_explained():
    board = tengen.Board.from_text(ATARI)
    model = taught("moves/tactical")
    best = tengen.suggest(board, model=model, top=1)[0]
    assert best.move == "C3"
    assert any(reason.sentence.startswith("captures a chain that a ladder would catch, ×") for reason in best.reasons)


def test_the_parts_of_a_score_sum_to_the_score():
    model = taught("moves/factors")
    positions = plays()[0].positions.take(slice(5, 8))
    arrays = positions.stones, positions.to_play, positions.ko, positions.last_moves, positions.passes
    levels, scores = model.policy.levels(*arrays), model.policy.scores(*arrays)
    for i in range(3):
        parts = score_parts(levels[i], model.tables, model.rows)
        legal = positions.legal[i]
        assert np.allclose(parts.sum(axis=1)[legal], scores[i][legal], atol=1e-3)
        assert parts.shape == (positions.points + 1, sum(table.columns for table in model.tables))


@pytest.mark.parametrize("name", ["moves/patterns", "moves/factors"])
def test_patterns_are_named_by_the_shape_of_the_move(name):
    model = taught(name)
    board = tengen.read(Path(__file__).parents[2] / "examples" / "finished-9x9.sgf").board(12)
    for move in board.legal_moves():
        for reason in model.explain_move(board, move):
            if reason.kind == "shape":
                said = shape_name(board, move) or ("pattern of size ", "unusual shape, ")
                assert reason.sentence.startswith(said)


def test_leaves_are_described():
    model = taught("moves/forest")
    board = tengen.Board(9)
    board.play("E5")
    said = [reason.sentence for move in board.legal_moves() for reason in model.explain_move(board, move)]
    assert any(sentence.startswith("leaf: ") for sentence in said)


def test_a_move_that_is_not_legal_is_not_explained():
    board = tengen.Board(9)
    board.play("E5")
    with pytest.raises(tengen.TengenError, match="not a legal move"):
        taught("moves/tactical").explain_move(board, "E5")


SUICIDE = """
    . O X . .
    O X X . .
    X X . . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize("name", ["moves/tactical", "moves/factors"])
def test_suicide_is_never_played_even_where_the_rules_allow_it(name):
    model = taught(name)
    board = tengen.Board.from_text(SUICIDE, to_play="white", rules="new-zealand")
    assert board.is_legal("A5")
    assert model.probabilities(board)[board.index("A5")] == 0
    (reason,) = model.explain_move(board, "A5")
    assert (reason.kind, reason.points) == ("suicide", ("A5",))
    forbidden = tengen.Board.from_text(SUICIDE, to_play="white", rules="japanese")
    assert model.explain_move(board, "E1") == model.explain_move(forbidden, "E1")


def test_several_moves_are_explained_as_each_alone():
    model = taught("moves/factors")
    board = tengen.read(Path(__file__).parents[2] / "examples" / "finished-9x9.sgf").board(30)
    moves = [*board.legal_moves(), "pass"]
    assert model.explain_moves(board, moves) == [model.explain_move(board, move) for move in moves]


def test_a_model_fitted_again_speaks_of_its_new_weights():
    board = tengen.Board.from_text(ATARI)
    model = TacticalMoves().fit(plays())
    model.explain_move(board, "C3")
    model.fit(plays()[:1])
    fresh = TacticalMoves().fit(plays()[:1])
    assert np.array_equal(model.rows, fresh.rows)
    assert model.explain_move(board, "C3") == fresh.explain_move(board, "C3")


def test_a_model_that_learned_nothing_says_so():
    with pytest.raises(ModelError, match="tengen fit moves/combined"):
        CombinedMoves().probabilities(tengen.Board(9))


def test_a_stopped_fit_goes_on_with_what_is_in_the_folder(tmp_path):
    whole = PatternMoves(min_count=3)
    whole.fit_corpus(plays(), work=tmp_path / "whole")

    class Stopped(Exception):
        pass

    class Few:
        def __iter__(self):
            yield from plays()[:2]
            raise Stopped

    again = PatternMoves(min_count=3)
    again.keys_ = whole.keys_
    folder = tmp_path / "again"
    folder.mkdir()
    np.save(folder / "patterns.npy", whole.keys_)
    with pytest.raises(Stopped):
        again.fit_corpus(Few(), work=folder)
    again.fit_corpus(plays(), work=folder)
    assert again.identity == whole.identity


def test_factors_are_kept_in_a_byte_each():
    model = taught("moves/factors")
    assert model.factors_.dtype == np.int8
    assert np.abs(model.factors_).max() == 127
    assert model.weights_.dtype == np.float16
    assert model.keys_.dtype == model.response_keys_.dtype == np.uint32
    assert model.tables[-2:] == [
        Table("pattern", len(model.keys_), 13),
        Table("response", len(model.response_keys_), 8),
    ]


def test_arrays_that_do_not_fit_are_refused(tmp_path):
    model = TacticalMoves().fit(plays())
    model.weights_ = model.weights_[:-1]
    model.save(tmp_path / "x.safetensors")
    with pytest.raises(ModelError, match="not those of moves/tactical"):
        TacticalMoves.load(tmp_path / "x.safetensors")


def test_played_moves_are_learned_from_a_store(tmp_path):
    data = PlaySets((Plays(Store(CORPUS), size=9, sample=0.5, limit=20),))
    metrics = fit_model(FactorMoves(min_count=5, epochs=2), data, tmp_path / "x.safetensors")
    assert metrics["patterns"] > 10
    assert 0 < metrics["top1"] <= metrics["top5"] <= 1
    assert metrics["log_evidence"] > -np.log(82)
    board = tengen.Board(9)
    assert tengen.load(tmp_path / "x.safetensors").probabilities(board).argmax() != 81
    with pytest.raises(ModelError, match="learns from labels"):
        fit_model(tengen.load("territory/largest"), data, tmp_path / "y.safetensors")


def test_fit_from_the_command_line(tmp_path):
    file = tmp_path / "x.safetensors"
    done = call("fit", "moves/tactical", "--on", CORPUS, "--size", 9, "--sample", 0.2, "--even", "-o", file)
    assert "top1" in done.stdout
    positions = Positions.of([tengen.Board(9)])
    assert tengen.load(file).evaluate(positions).policy.shape == (1, 82)
    wrong = call("fit", "moves/tactical", "--on", CORPUS, "--labels", "gnugo", "-o", file, code=2)
    assert "leave out --labels" in wrong.stderr
    wrong = call("fit", "territory/bma", "--on", CORPUS, "-o", file, code=2)
    assert "--labels NAME" in wrong.stderr
