"""Reasons for moves in Go words: how effects add up to themes, which are named, in which words and in which order."""

from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.go.positions import Positions
from tengen.models.registry import find
from tengen.moves.competitions import Table
from tengen.moves.effects import MOST, column_effects, columns_of, score_parts, strongest_effects, theme_effects
from tengen.moves.policy import FeatureMoves
from tengen.moves.streaming import feature_arrays
from tengen.views.contact_features import CONTACT_LEVELS
from tengen.views.move_features import FEATURES, LEVELS
from tests.models.learning import taught

EXAMPLES = Path(__file__).parents[2] / "examples"
KINDS = {
    *("pass", "capture", "extension", "self-atari", "atari"),
    *("last", "second-last", "place", "contact", "shape", "stage", "leaf"),
}
MODELS = [name for name in tengen.models() if issubclass(find(name).model_class(), FeatureMoves)]


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
                assert {reason.kind for reason in reasons} <= KINDS
                assert len({reason.kind for reason in reasons}) == len(reasons)
                assert all("×" in reason.sentence and not reason.sentence.startswith(",") for reason in reasons)


@pytest.mark.parametrize("name", MODELS)
def test_the_product_of_all_themes_is_the_strength_over_the_geometric_mean(name):
    model = taught(name)
    board = tengen.read(EXAMPLES / "finished-9x9.sgf").board(20)
    positions = Positions.of([board])
    legal, arrays = positions.legal[0], feature_arrays(positions)
    levels, scores = model.policy.levels(*arrays)[0][legal], model.policy.scores(*arrays)[0][legal]
    parts = score_parts(levels, model.tables, model.rows)
    for move, effects in enumerate(parts - parts.mean(axis=0)):
        themes = theme_effects(columns_of(model.tables, levels[move].tolist(), effects.tolist()))
        assert np.prod(np.exp(list(themes.values()))) == pytest.approx(np.exp(scores[move] - scores.mean()), rel=1e-3)
    assert themes.keys() <= KINDS


TABLES = [
    *(Table(name, most) for name, most in LEVELS.items()),
    *(Table(n, most) for n, most in CONTACT_LEVELS.items()),
    Table("pattern", 9),
    Table("response", 9, 8),
]
BOARD = """
    . . . . .
    . . . . .
    . . . . .
    . X O . .
    . . . . .
"""


def reasons_of(
    parts: dict[str, float | tuple[int, float]], board: str = BOARD, move: str = "C1"
) -> list[tengen.Reason]:
    """The reasons for a move if it alone has these ln γ: of level 1, or of the level given first.

    "response 6" is the seventh column of the response patterns.
    """
    rows = np.zeros((1 + sum(table.levels for table in TABLES), 8), np.float32)
    levels = np.zeros((26, sum(table.columns for table in TABLES)), np.uint32)
    row, column = tengen.point(move, 5)
    base = place = 0
    for table in TABLES:
        for number in range(table.columns):
            name = table.name if table.columns == 1 else f"{table.name} {number}"
            if part := parts.get(name):
                level, value = part if isinstance(part, tuple) else (1, part)
                levels[row * 5 + column, place] = level
                rows[base + level, 0] = value
            place += 1
        base += table.levels
    board = tengen.Board.from_text(BOARD)
    effects = column_effects(levels, np.ones(26, bool), TABLES, rows)
    index = board.index(move)
    return strongest_effects(board, move, columns_of(TABLES, levels[index], effects[index]), pattern_size=4)


def sentence(parts: dict[str, float | tuple[int, float]], move: str = "C1") -> str:
    """The only reason for a move, without its factor."""
    (reason,) = reasons_of(parts, move=move)
    return reason.sentence.rpartition(", ×")[0]


def test_effects_are_named_in_the_order_of_their_strength():
    reasons = reasons_of({"capture": 1.0, "border": 3.0, "chains": 2.0, "atari": -2.5})
    assert [reason.kind for reason in reasons] == ["place", "atari", "contact", "capture"]
    assert [reason.points for reason in reasons] == [("C1",)] * 4
    assert reasons[1].sentence == "puts a chain in atari, ×0.09"
    assert reasons[3].sentence == "captures a chain in atari, ×2.6"


def test_features_of_one_theme_are_one_reason():
    near = {"last": (2, 1.0), "fate last": 1.0, "offset last": 1.0, "response 0": (3, 1.0), "response 7": (4, 1.0)}
    assert [reason.sentence for reason in reasons_of(near)] == ["answers the last move, next to it, ×100+"]
    assert [reason.kind for reason in reasons_of({"border": 1.0, "lines": 2.0})] == ["place"]
    assert reasons_of({"border": 1.0, "lines": -1.0}) == []
    both = reasons_of({"pattern": 1.0, "response 6": 1.0})
    assert [(reason.kind, reason.sentence) for reason in both] == [("shape", "hane on the first line, ×6.8")]


def test_what_a_move_captures_is_named_among_many_stronger_effects():
    more = {"border": 3.0, "chains": 3.1, "pattern": 3.2, "last": (2, 3.3), "second-last": (2, 3.4)}
    assert [r.kind for r in reasons_of(more)] == ["second-last", "last", "shape", "contact"]
    assert [r.kind for r in reasons_of({**more, "capture": 1.0})] == ["second-last", "last", "shape", "capture"]
    assert [r.kind for r in reasons_of({**more, "capture": 0.05})] == ["second-last", "last", "shape", "contact"]


@pytest.mark.parametrize(
    ("factor", "words"),
    [(3, "3.0"), (12.4, "12"), (99.9, "100"), (100.1, "100+"), (1e5, "100+"), (0.5, "0.5"), (0.0099, "<0.01")],
)
def test_factors_have_two_digits_up_to_a_hundred(factor, words):
    # the effect is relative to the mean over 26 moves, of which only this one has the level
    (reason,) = reasons_of({"capture": np.log(factor) * 26 / 25})
    assert reason.sentence == f"captures a chain in atari, ×{words}"


def test_a_small_share_of_the_strongest_effect_is_left_out_unless_tactical():
    assert [r.kind for r in reasons_of({"pattern": 3.0, "border": 0.5, "atari": 0.2})] == ["shape", "place", "atari"]
    assert [r.kind for r in reasons_of({"pattern": 6.0, "border": 0.5, "atari": 0.2})] == ["shape", "atari"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"last": (2, 2.0)}, "next to the last move"),
        ({"last": (5, 2.0)}, "a knight's move from the last move"),
        ({"last": (8, 2.0)}, "near the last move"),
        ({"last": (8, 1.0), "response 7": 1.0}, "answers the last move, near it"),
        ({"last": (3, -1.0), "response 0": 0.2}, "diagonal to the last move"),
        ({"fate second-last": (1, 2.0)}, "touches the chain of the second-last move"),
        ({"fate second-last": (3, 2.0)}, "near the chain of the second-last move"),
        ({"fate last": (8, 2.0)}, "far from the last move"),
        ({"offset second-last": (4, 2.0)}, "far from the second-last move"),
        ({"chains": (6, 1.0), "enemy chain": (5, 2.0)}, "touches an enemy chain with two liberties"),
        ({"chains": (6, 1.0), "own chain": (1, 2.0)}, "touches an own chain in atari"),
        ({"chains": (6, 1.0), "own chain": (16, 2.0)}, "touches an own chain with many liberties"),
        ({"chains": (6, 2.0), "enemy chain": (5, 1.0)}, "touches one own chain and one enemy chain"),
        ({"chains": (6, -1.0), "liberties": (2, 0.5)}, "touches one own chain and one enemy chain"),
        ({"liberties": (4, 2.0)}, "touches no stone"),
        ({"stones": (4, 2.0)}, "typical of this stage of the game"),
        ({"stones": (4, -2.0)}, "untypical of this stage of the game"),
    ],
)
def test_themes_in_words(parts, words):
    assert sentence(parts) == words


def test_shapes_and_places_in_words():
    assert sentence({"pattern": 2.0}) == "hane on the first line"
    assert sentence({"pattern": 2.0}, move="E5") == "pattern of size 4"
    assert sentence({"border": 2.0}, move="B1") == "on the first line"
    assert sentence({"lines": 2.0}, move="C3") == "in the centre"


def test_a_table_without_words_is_not_named():
    rows = np.zeros((2 + sum(LEVELS.values()), 8), np.float32)
    rows[-1, 0] = 2
    levels = np.zeros((26, len(FEATURES) + 1), np.uint32)
    levels[20, -1] = 1
    tables = [*(Table(name, most) for name, most in LEVELS.items()), Table("unknown", 1)]
    effects = column_effects(levels, np.ones(26, bool), tables, rows)
    assert strongest_effects(tengen.Board(5), "A1", columns_of(tables, levels[20], effects[20])) == []


def test_a_move_back_to_a_captured_stone_is_not_far_from_it():
    moves = (
        "dg dd fc fd ff cf ed ee ec fe dc ef de cd df ce cg eg eh cc cb bb db fg ba bg bh bf ci ac ae fh dh ei ah ad "
        "af ag be bd"
    ).split()
    board = tengen.Board(9)
    for move in moves:
        board.play(f"{'ABCDEFGHJ'[ord(move[0]) - 97]}{9 - (ord(move[1]) - 97)}")
    assert (board.moves[-2].point, board.stones[4, 1]) == ("B5", 0)
    said = {reason.kind: reason.sentence for reason in tengen.load("moves/tactical").explain_move(board, "B5")}
    assert said["second-last"].startswith("at the point of the second-last move, ×")


def test_an_edge_of_the_smallest_board_is_its_first_line():
    said = {
        reason.kind: reason.sentence for reason in tengen.load("moves/tactical").explain_move(tengen.Board(2), "A1")
    }
    assert "centre" not in said.get("place", "")
