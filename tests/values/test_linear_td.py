"""Linear values as models: learning from records and by self-play, resuming, saving, other features."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen import Board
from tengen.corpus.plays import WholeGames
from tengen.errors import ModelError, TengenError
from tengen.models.base import ValueModel
from tengen.values.crbm import Crbm
from tengen.values.features import PatchFeatures
from tengen.values.linear_td import CrbmValue, InvariantCrbmValue, PatchValue, TemplateValue, drawn_boards

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TABLE = np.random.default_rng(3).random((3**9, 6)).astype(np.float32)


class TableValue(PatchValue):
    """Features of a random table, as those of trained filters would be."""

    name = "test/table"

    def window_sizes(self):
        return (3,)

    def feature_table(self):
        return TABLE


def small(**given):
    return TemplateValue(**{"size": 4, "windows": [1, 2], **given})


def test_the_model_gives_winrates_of_its_size_only():
    model = small()
    with pytest.raises(ModelError, match="has not been fitted"):
        model.winrate(Board(4))
    model.self_play(20, komi=0.5)
    assert isinstance(model, ValueModel)
    assert 0 < model.winrate(Board(4)) < 1
    for call in (model.winrate, model.after_moves):
        with pytest.raises(ModelError, match="boards of 4×4, not 5×5"):
            call(Board(5))


def test_colours_and_komi_change_sides_together():
    model = small()
    model.self_play(50, komi=3.5)
    board = Board.from_text(". X O .\n X X O .\n . O . .\n . . . X", to_play="white", komi=2.5)
    other = Board.from_stones(-board.stones, "black", komi=-2.5)
    assert model.winrate(board) == pytest.approx(1 - model.winrate(other), abs=1e-12)
    assert model.weights_[-1] != 0


def test_after_moves_are_the_chances_of_the_player_to_move():
    model = small()
    model.self_play(50, komi=0.5)
    board = Board.from_text("X X . .\n. . . .\n. . . .\n. . . O", to_play="white", komi=0.5)
    chances = model.after_moves(board)
    assert np.isnan(chances[board.index("A4")])
    assert np.isfinite(chances[[board.index(move) for move in board.legal_moves()]]).all()
    after = board.copy()
    after.play("B2")
    logits = model.value().logits(after.stones[None], np.array([-1], np.int8), np.array([0.5]))
    assert chances[board.index("B2")] == pytest.approx(1 - 1 / (1 + np.exp(-logits[0])), abs=1e-12)


def test_self_play_goes_on_where_it_ended(tmp_path):
    whole, parts = small(decay=0.5), small(decay=0.5)
    fixed = {"epsilon": 0.1, "last_epsilon": 0.1, "komi": 0.5}
    games = whole.self_play(30, **fixed)
    first = parts.self_play(12, **fixed)
    parts.save(tmp_path / "half.safetensors")
    parts = TemplateValue.load(tmp_path / "half.safetensors")
    rest = parts.self_play(18, **fixed)
    assert np.array_equal(games.moves, np.concatenate([first.moves, rest.moves]))
    assert np.array_equal(whole.weights_, parts.weights_)
    assert whole.games_[0] == parts.games_[0] == 30
    assert len(games) == len(games.leads) == 30
    assert pickle.loads(pickle.dumps(whole)).identity == whole.identity == parts.identity


def test_a_learner_beats_its_frozen_start():
    model = small(size=3, decay=0.8, seed=2)
    start = copy.deepcopy(model)
    model.self_play(1500, opponent=start, komi=0.5)
    match = {"epsilon": 0.1, "last_epsilon": 0.1, "opponent_epsilon": 0.1, "komi": 0.5, "learn": False}
    weights = model.weights_.copy()
    games = model.self_play(400, opponent=start, **match)
    assert games.decided == 400
    assert games.wins > 300
    assert np.array_equal(weights, model.weights_)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("perspective", ["mover", "black"])
def test_recorded_games_teach_who_wins(loss, perspective):
    """Random games on 4×4: the final boards of new games are told apart."""
    games = small().self_play(400, learn=False, epsilon=1, last_epsilon=1, komi=0.5)
    records = WholeGames(4, games.moves, games.offsets, (games.leads > 0) * 1.0, np.full(400, 0.5))
    model = small(loss=loss, perspective=perspective, decay=0.8, epochs=3, rate=1.0).fit([records])
    others = small(seed=1).self_play(100, learn=False, epsilon=1, last_epsilon=1, komi=0.5)
    right = 0
    for game in range(100):
        board = Board(4, komi=0.5)
        for move in others.moves[others.offsets[game] : others.offsets[game + 1]].tolist():
            board.play(board.move_name(move))
        right += (model.winrate(board) > 0.5) == (others.leads[game] > 0)
    assert right > 80


def test_one_game_at_a_time_equals_all_at_once():
    records = small().self_play(5, learn=False, komi=0.5)
    one, all_ = small(), small()
    for game in range(5):
        moves = records.moves[records.offsets[game] : records.offsets[game + 1]].tolist()
        one.learn_game(moves, 1.0, komi=0.5)
    all_.learn_games(WholeGames(4, records.moves, records.offsets, np.ones(5), np.full(5, 0.5)))
    assert np.array_equal(one.weights_, all_.weights_)


def test_a_table_gives_other_features():
    model = TableValue(size=5)
    model.self_play(10, komi=0.5)
    assert len(model.weights_) == 9 * 6 + 1
    assert 0 < model.winrate(Board(5)) < 1
    templates = TemplateValue(size=5)
    assert len(templates.self_play(6, opponent=model, komi=0.5)) == 6


def test_the_step_size_divides_by_the_length_of_the_features():
    binary, real = small(windows=[2]), TableValue(size=5)
    binary.self_play(1)
    real.self_play(1)
    assert binary.alpha_[0] == pytest.approx(0.1 / 9)
    squares = (TABLE.astype(float) ** 2).sum(1)
    assert 0.1 / (9 * squares.max()) < real.alpha_[0] < 0.1 / (9 * squares.min())


def test_features_of_a_board_for_other_learners():
    boards = np.stack([Board.from_text("X O .\n. . .\n. . X").stones, np.zeros((3, 3), np.int8)])
    own = np.ones(2, np.int8)
    templates = PatchFeatures(2)
    assert templates.codes(boards, own).tolist() == [[7, 2, 0, 27], [0, 0, 0, 0]]
    assert templates.matrix(boards, own).sum(1).tolist() == [4, 4]
    assert templates.matrix(boards, own).shape == (2, 4 * 81)
    assert PatchFeatures(2, shared=True).matrix(boards, own)[1, 0] == 4
    assert np.array_equal(PatchFeatures(3, TABLE).matrix(boards, own)[1], TABLE[0])


@pytest.mark.parametrize(
    "given",
    [
        {"size": 1},
        {"windows": [4]},
        {"windows": [3], "size": 2},
        {"windows": [2, 1]},
        {"windows": 2},
        {"windows": []},
        {"perspective": "white"},
        {"loss": "hinge"},
        {"decay": 1.5},
        {"rate": -1.0},
        {"shared": 1},
        {"epochs": 0},
    ],
    ids=str,
)
def test_bad_settings_are_refused(given):
    with pytest.raises(TengenError):
        small(**given)


def test_bad_input_is_refused():
    model = small()
    for call in (
        lambda: model.self_play(-1),
        lambda: model.self_play(1, epsilon=2),
        lambda: model.self_play(1, komi=float("nan")),
        lambda: model.learn_game([3, 3], 1.0, komi=0.5),
        lambda: model.learn_game([99], 1.0, komi=0.5),
        lambda: model.learn_game([3], 7.0, komi=0.5),
        lambda: model.self_play(1, opponent=small(size=7)),
        lambda: model.self_play(1, opponent="another"),
        lambda: model.fit([]),
        lambda: CrbmValue(filters=20_000),
        lambda: CrbmValue(size=2, side=3),
        lambda: PatchFeatures(2, TABLE),
        lambda: PatchFeatures((1, 3), TABLE),
    ):
        with pytest.raises(TengenError):
            call()
    assert not hasattr(model, "weights_")


def test_a_file_with_weights_of_other_features_is_refused(tmp_path):
    model = small()
    model.self_play(1)
    model.weights_ = model.weights_[:-1]
    model.save(tmp_path / "short.safetensors")
    with pytest.raises(ModelError, match="one for each feature"):
        TemplateValue.load(tmp_path / "short.safetensors")


@pytest.mark.parametrize(("key", "value"), [("alpha_", [np.nan]), ("alpha_", []), ("games_", [-5]), ("games_", [1, 2])])
def test_a_file_with_an_odd_step_size_or_number_of_games_is_refused(key, value, tmp_path):
    model = small()
    model.self_play(1)
    setattr(model, key, np.array(value, getattr(model, key).dtype))
    model.save(tmp_path / "odd.safetensors")
    with pytest.raises(ModelError, match="a number from 0"):
        TemplateValue.load(tmp_path / "odd.safetensors")


def test_it_is_listed_and_must_be_fitted():
    assert not tengen.models()["values/templates"].fitted
    assert tengen.load("values/templates").windows == (2,)


def test_a_corpus_of_games_with_results_is_learned(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")
    from tengen.corpus.plays import Plays, PlaySets
    from tengen.corpus.store import Store
    from tengen.models.files import read_card
    from tengen.models.fitting import fit_model

    part = Plays(Store(EXAMPLES / "corpus"), size=9, limit=100)
    path = tmp_path / "templates.safetensors"
    metrics = fit_model(TemplateValue(), PlaySets((part,)), path)
    assert metrics["games"] > 50
    assert metrics["positions"] > 0
    assert 0 <= metrics["winner_accuracy"] <= 1
    assert read_card(path).metrics == metrics
    assert 0 < tengen.load(path).winrate(Board(9)) < 1
    with pytest.raises(ModelError, match="9×9, not 19×19"):
        fit_model(TemplateValue(), PlaySets((Plays(part.store),)), path)


# Learned filters


def recorded(count=8, size=5):
    """Games of random moves as a corpus would give them."""
    played = small(size=size).self_play(count, learn=False, epsilon=1, last_epsilon=1, komi=0.5)
    return WholeGames(size, played.moves, played.offsets, (played.leads > 0).astype(float), np.full(count, 0.5))


FILTERS = {"size": 5, "filters": 6, "filter_epochs": 2, "boards": 60}


@pytest.mark.parametrize("cls", [CrbmValue, InvariantCrbmValue])
@pytest.mark.parametrize("visible", ["multinomial", "real"])
def test_filters_are_learned_before_the_weights(cls, visible, tmp_path):
    model = cls(**FILTERS, visible=visible).fit([recorded()])
    assert model.feature_table().shape == (3**9, 6)
    assert model.weights_.shape == (9 * 6 + 1,)
    model.save(tmp_path / "model.safetensors")
    again = tengen.load(tmp_path / "model.safetensors")
    assert type(again) is cls
    board = Board.from_text(". X . O .\n" * 5, komi=0.5)
    assert again.winrate(board) == model.winrate(board) == pickle.loads(pickle.dumps(model)).winrate(board)
    assert np.array_equal(again.self_play(3).moves, model.self_play(3).moves)


def test_the_value_equals_that_of_the_hidden_units():
    model = CrbmValue(**FILTERS).fit([recorded()])
    machine = model.machine()
    machine.parameters_ = model.filters_
    board = Board.from_text(". X . O .\n" * 5, to_play="white", komi=0.5)
    features = machine.features(board.stones[None]).ravel()  # Black moved last
    logit = model.value().logits(board.stones[None], np.array([1], np.int8), np.array([0.5]))[0]
    assert logit == pytest.approx(features @ model.weights_[:-1] - 0.05 * model.weights_[-1], abs=1e-6)


def test_other_filters_are_refused_and_new_ones_start_anew():
    model = CrbmValue(**FILTERS)
    with pytest.raises(ModelError, match="has not been fitted"):
        model.self_play(1)
    with pytest.raises(ModelError, match="filters of another kind"):
        model.use_filters(Crbm(filters=7, epochs=1).fit([np.zeros((2, 5, 5), np.int8)]))
    for other in ({"reversal": True}, {"perspective": "black"}, {"edges": True}):
        with pytest.raises(ModelError, match="filters of another kind"):
            model.use_filters(Crbm(filters=6, epochs=1, **other).fit([np.zeros((2, 5, 5), np.int8)]))
    model.fit([recorded()])
    model.use_filters(Crbm(filters=6, epochs=1).fit([np.zeros((2, 5, 5), np.int8)]))
    with pytest.raises(ModelError, match="has not been fitted"):
        model.winrate(Board(5))
    with pytest.raises(TengenError, match="no whole games"):
        model.fit([recorded(0)])


def test_new_filters_take_the_place_of_used_ones():
    random = np.random.default_rng(0).choice(np.array([0, 1, -1], np.int8), (60, 5, 5))
    one, other = (Crbm(filters=6, epochs=2, seed=seed).fit([random]) for seed in (0, 1))
    model, fresh = CrbmValue(**FILTERS), CrbmValue(**FILTERS)
    model.use_filters(one)
    model.self_play(1, learn=False)
    for each in (model, fresh):
        each.use_filters(other)
        each.self_play(3)
    assert np.array_equal(model.weights_, fresh.weights_)


def test_drawn_boards_are_those_after_moves():
    games = recorded(3)
    stones = drawn_boards([games], 10**6, "mover", 0)
    assert len(stones) == len(games.moves)
    replayed = []
    for start, end in zip(games.offsets[:-1], games.offsets[1:], strict=True):
        board = Board(5)
        for move in games.moves[start:end].tolist():
            sign = 1 if board.to_play == "black" else -1
            board.play(board.move_name(move))
            replayed.append((sign * board.stones).tobytes())
    assert sorted(replayed) == sorted(each.tobytes() for each in stones)
