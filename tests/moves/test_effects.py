"""Reasons for moves in Go words: what response patterns are called, which effects are named, and in which order."""

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.models.registry import find
from tengen.moves.competitions import Table
from tengen.moves.effects import MOST, response_phrase, strongest_effects
from tengen.moves.policy import FactorMoves
from tengen.views.contact_features import CONTACT_LEVELS
from tengen.views.move_features import FEATURES, LEVELS, PHRASES
from tests.models.learning import plays, taught

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = [name for name in tengen.models() if "policy" in find(name).model_class().gives]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_gives_reasons_for_every_move_of_real_games(name):
    model = taught(name)
    assert hasattr(model, "explain_move")
    for file, turns in (("finished-9x9", (0, 1, 15, 30, 45)), ("finished-13x13", (60,))):
        game = tengen.read(EXAMPLES / f"{file}.sgf")
        for turn in turns:
            board = game.board(turn)
            for move in (*board.legal_moves()[::2], "pass"):
                reasons = model.explain_move(board, move)
                assert len(reasons) <= MOST
                assert all("×" in reason.sentence and not reason.sentence.startswith(",") for reason in reasons)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ((0, 1, 2, 6, 7), "known answer next to the last move: pattern of size 6"),
        ((5, 6, 7), "known answer next to the last move: pattern of size 9"),
        ((6, 7), "known answer next to the last move: stones around the move, with liberties of those next to it"),
        ((6,), "stones around the move, with liberties of those next to it"),
    ],
)
def test_the_largest_response_pattern_is_named(columns, words):
    levels = np.isin(np.arange(8), columns).astype(np.uint32)
    assert response_phrase(levels, "next to the last move") == words


def test_a_known_answer_is_a_reason():
    model = FactorMoves(min_count=3, epochs=1, factors=0).fit(plays())
    weights = np.zeros_like(model.weights_)
    weights[-len(model.response_keys_) :] = 2
    model.weights_ = weights
    model.__dict__.pop("policy", None)
    game = tengen.read(EXAMPLES / "finished-9x9.sgf")
    said = {
        reason.sentence.rpartition(":")[0]
        for turn in range(4, 40, 4)
        for move in game.board(turn).legal_moves()
        for reason in model.explain_move(game.board(turn), move)
        if reason.kind == "response"
    }
    assert "known answer a knight's move from the last move" in said
    assert all(words.removeprefix("known answer ") in {"", *PHRASES["last"].values()} for words in said)


TABLES = [
    *(Table(name, most) for name, most in LEVELS.items()),
    *(Table(n, most) for n, most in CONTACT_LEVELS.items()),
]


def effects_of(parts: dict[str, float]) -> list[tengen.Reason]:
    """The reasons for A1 on an empty board if it alone has level 1 of these features, with these ln γ."""
    rows = np.zeros((1 + sum(table.levels for table in TABLES), 8), np.float32)
    levels = np.zeros((26, len(TABLES)), np.uint32)
    index, base = 20, 0
    for column, table in enumerate(TABLES):
        if table.name in parts:
            levels[index, column] = 1
            rows[base + 1, 0] = parts[table.name]
        base += table.levels
    return strongest_effects(tengen.Board(5), "A1", levels, np.ones(26, bool), TABLES, rows)


def test_effects_are_named_in_the_order_of_their_strength():
    reasons = effects_of({"capture": 1.0, "border": 3.0, "chains": 2.0, "atari": -2.5})
    assert [reason.kind for reason in reasons] == ["border", "atari", "chains", "capture"]
    assert reasons[1].sentence == "puts a chain in atari, ×0.09"
    assert reasons[3].sentence == "captures a chain in atari, ×2.6"


def test_what_a_move_captures_is_named_among_many_stronger_effects():
    more = {"border": 3.0, "chains": 3.1, "liberties": 3.2, "own chain": 3.3, "enemy chain": 3.4}
    strongest = ["enemy chain", "own chain", "liberties"]
    assert [reason.kind for reason in effects_of(more)] == [*strongest, "chains"]
    assert [reason.kind for reason in effects_of({**more, "capture": 1.0})] == [*strongest, "capture"]
    assert [reason.kind for reason in effects_of({**more, "capture": 0.05})] == [*strongest, "chains"]


def test_features_that_say_the_same_count_together():
    (joined,) = effects_of({"border": 1.0, "lines": 0.5})
    assert joined.sentence == "on the first line, ×4.2"
    (alone,) = effects_of({"lines": 0.5})
    assert alone.sentence == "on the first line of two sides, ×1.6"


def test_a_table_without_words_is_not_named():
    rows = np.zeros((2 + sum(LEVELS.values()), 8), np.float32)
    rows[-1, 0] = 2
    levels = np.zeros((26, len(FEATURES) + 1), np.uint32)
    levels[20, -1] = 1
    tables = [*(Table(name, most) for name, most in LEVELS.items()), Table("unknown", 1)]
    assert strongest_effects(tengen.Board(5), "A1", levels, np.ones(26, bool), tables, rows) == []
