"""The notebook in examples/, run cell by cell without Jupyter, and what values show there."""

import ast
import json
import pickle
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tengen

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(cell, names):
    """Run a cell and return the value of its last line, as Jupyter shows it."""
    *before, last = ast.parse("".join(cell["source"])).body
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return exec(compile(ast.Module([last], []), "cell", "exec"), names)


def test_the_notebook_runs(monkeypatch, capsys):
    monkeypatch.chdir(EXAMPLES)
    notebook = json.loads((EXAMPLES / "tengen.ipynb").read_text(encoding="utf-8"))
    names, pictures = {}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # pictures are not committed
            shown = run(cell, names)
            if hasattr(shown, "_repr_svg_"):
                assert ElementTree.fromstring(shown._repr_svg_()).tag.endswith("svg")
                pictures += 1
    assert pictures == 7
    assert "Black" in capsys.readouterr().out


@pytest.fixture(scope="module")
def game():
    return tengen.read(EXAMPLES / "finished-9x9.sgf")


def test_scores_and_estimates_are_short_in_words_and_drawn(game):
    score, estimate = tengen.score(game), tengen.estimate(game)
    assert repr(score) == "<Score W+8, chinese, komi 7>"
    assert repr(estimate).startswith("<Estimate White leads by ")
    assert len(repr(estimate)) < 120
    assert score.headline[:20] in score.svg()
    assert "another title" in estimate.svg(title="another title", theme="paper")


def test_suggestions_are_drawn_on_their_board(game):
    board = game.board(20)
    moves = tengen.suggest(board, top=3)
    drawn = moves.svg(notes=["a further note"])
    board.play("pass")  # the board they were made for is kept
    assert moves.svg(notes=["a further note"]) == drawn
    assert all(f">{letter}<" in drawn for letter in "ABC")
    assert "a further note" in drawn
    assert repr(moves[0]) == f"<Suggestion {moves[0].move} {moves[0].probability:.0%}>"
    assert moves[0].move in moves[0]._repr_svg_()
    assert pickle.loads(pickle.dumps(moves)) == moves
    assert isinstance(pickle.loads(pickle.dumps(moves)), type(moves))
