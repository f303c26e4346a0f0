"""What every registered model keeps, with the tolerance it declares."""

import pickle
from functools import cache

import numpy as np
import pytest

import tengen
from tengen.engines.process import find_program
from tengen.go.points import point_name
from tengen.go.positions import Positions
from tengen.go.symmetry import transform
from tengen.models.evaluator import ANSWERS, Evaluator, ask
from tengen.models.registry import find
from tengen.models.state import identity
from tengen.moves.policy import FeatureMoves

from .boards import BOARDS, FINISHED, moved
from .learning import fresh, taught

NEEDS = {"territory/gnugo": "gnugo"}
"""Models that ask another program, with what must be installed for them."""


def parameters(*gives):
    """Every model that gives these answers; one whose program is not installed is skipped."""
    for name in tengen.models():
        program = NEEDS.get(name)
        missing = program is not None and find_program(program) is None
        if find(name).model_class().gives >= set(gives):
            yield pytest.param(name, marks=pytest.mark.skipif(missing, reason=f"{program} is not installed"))


each_evaluator = pytest.mark.parametrize("name", list(parameters()))
each_model = pytest.mark.parametrize("name", list(parameters("ownership")))
each_mover = pytest.mark.parametrize("name", list(parameters("policy")))
each_board = pytest.mark.parametrize("title", BOARDS)
two_symmetries_at_first = pytest.mark.parametrize(
    "symmetries",
    [pytest.param((1, 5), id="generators"), pytest.param((2, 3, 4, 6, 7), marks=pytest.mark.slow, id="others")],
)
"""A mirror image and a turn, of which all others are made; and the others."""


def model_of(name):
    return taught(name)


@cache
def said(name, title):
    return owned(model_of(name), BOARDS[title]())


def owned(model, board):
    """The ownership of one board, as every consumer asks for it."""
    return ask(model, [board], "ownership").ownership[0]


def asks_another_program(name):
    return getattr(find(name).model_class(), "asks_another_program", False)


def skip_without_symmetry(model, title):
    if model.asks_another_program:
        pytest.skip("another program need not keep symmetry")
    if model.finished_only and model.exactness == "sampled" and title not in FINISHED:
        pytest.skip("the errors of a model for finished boards are not those of sampling on others")


def assert_agree(model, one, other):
    """Equal within what the model declares; a sampled one within four standard errors of a difference of two means."""
    if model.exactness == "sampled":
        share = (one + other) / 2 * model.n / (model.n + 4)  # no point is certain after n samples
        tolerance = 4 * np.sqrt(2 * (1 - share**2) / model.n)
    else:
        tolerance = {"exact": 1e-12, "rounding": 1e-5}[model.exactness]
    assert (np.abs(one - other) <= tolerance).all()


@each_evaluator
def test_evaluations_hold_what_the_model_gives(name):
    model, positions = (
        model_of(name),
        Positions.of([BOARDS[title]() for title in ("9x9, 30 moves", "finished-9x9 100%")]),
    )
    assert isinstance(model, Evaluator)
    assert model.gives
    assert model.gives <= set(ANSWERS)
    said = ask(model, positions, *model.gives)
    if said.policy is not None:
        assert np.allclose(said.policy.sum(axis=1), 1)
        assert (said.policy[~positions.legal] == 0).all()


def all_said(model, positions):
    """All answers about positions by name, and the standard deviations of the leads."""
    said = ask(model, positions, *model.gives)
    return {answer: getattr(said, answer) for answer in sorted(model.gives)}, said.lead_sd


def assert_same(model, one, other):
    """Equal answers, within what the model declares."""
    (first, spread), (second, _) = one, other
    for answer in first:
        if answer == "winrate":
            assert_agree(model, 2 * first[answer] - 1, 2 * second[answer] - 1)
        elif answer == "lead" and model.exactness == "sampled":
            assert (np.abs(first[answer] - second[answer]) <= 4 * np.sqrt(2 / model.n) * (spread + 1)).all()
        elif answer == "lead":
            assert np.allclose(first[answer], second[answer], atol=1e-4)
        else:
            assert_agree(model, first[answer], second[answer])


def open_boards():
    return [BOARDS[title]().with_rules(komi=0) for title in ("9x9, 30 moves", "9x9, 75 moves")]


def seen(model, boards, k=0, *, reverse=False):
    """The answers about moved boards, moved back."""
    answers, spread = all_said(model, [moved(board, k, reverse=reverse).with_rules(komi=0) for board in boards])
    sign = -1 if reverse else 1
    back = transform(np.arange(81).reshape(9, 9), k).ravel()  # the original point of each point
    for answer, values in answers.items():
        if answer == "policy":
            answers[answer] = np.empty_like(values)
            answers[answer][:, back] = values[:, :-1]
            answers[answer][:, -1] = values[:, -1]
        elif answer == "ownership":
            answers[answer] = np.empty_like(values).reshape(len(values), -1)
            answers[answer][:, back] = sign * values.reshape(len(values), -1)
            answers[answer] = answers[answer].reshape(values.shape)
        elif reverse:
            answers[answer] = 1 - values if answer == "winrate" else -values
    return answers, spread


@each_evaluator
def test_every_answer_keeps_symmetry_and_colours(name):
    model = model_of(name)
    skip_without_symmetry(model, "9x9, 30 moves")
    boards = open_boards()
    plain = all_said(model, boards)
    assert_same(model, plain, seen(model, boards, reverse=True))
    for k in range(1, 8):
        assert_same(model, plain, seen(model, boards, k))


@each_evaluator
def test_every_answer_depends_on_the_position_alone(name, tmp_path):
    if asks_another_program(name):
        pytest.skip("another program need not repeat itself")
    model, boards = model_of(name), open_boards()
    batch = all_said(model, boards)
    assert_same(model, batch, all_said(model, Positions.join([Positions.of(boards)])))
    for i, board in enumerate(boards):
        one, spread = all_said(model, [board])
        assert_same(model, ({a: values[i : i + 1] for a, values in batch[0].items()}, spread), (one, spread))
    model.save(tmp_path / "model.safetensors")
    assert_same(model, batch, all_said(tengen.load(tmp_path / "model.safetensors"), boards))
    assert all(len(values) == 0 for values in all_said(model, Positions.of(boards).take(slice(0, 0)))[0].values())


def models_on_boards():
    """Every model of ownership with every board; GNU Go takes ten seconds to read the many random stones of one."""
    for param in parameters("ownership"):
        for title in BOARDS:
            long = param.values[0] in NEEDS and title == "19x19, 150 moves"
            yield pytest.param(*param.values, title, marks=[*param.marks, *([pytest.mark.slow] if long else [])])


@pytest.mark.parametrize(("name", "title"), [*models_on_boards()])
def test_ownership_is_finite_and_between_the_colours(name, title):
    board = BOARDS[title]()
    if asks_another_program(name) and board.width != board.height:
        pytest.skip("another program may play on square boards only")
    ownership = said(name, title)
    assert ownership.shape == (board.height, board.width)
    assert ownership.dtype == np.float64
    assert np.isfinite(ownership).all()
    assert (np.abs(ownership) <= 1).all()


@each_model
@each_board
def test_reversing_the_colours_negates_ownership(name, title):
    model = model_of(name)
    skip_without_symmetry(model, title)
    assert_agree(model, said(name, title), -owned(model, moved(BOARDS[title](), reverse=True)))


@each_model
@each_board
@two_symmetries_at_first
def test_the_eight_symmetries_commute_with_it(name, title, symmetries):
    model = model_of(name)
    skip_without_symmetry(model, title)
    for k in symmetries:
        assert_agree(model, transform(said(name, title), k), owned(model, moved(BOARDS[title](), k)))


@each_model
def test_a_single_board_equals_the_batch(name):
    model = model_of(name)
    alike = [title for title in BOARDS if "9x9" in title and "13" not in title]
    many = ask(model, [BOARDS[title]() for title in alike]).ownership
    assert many.shape == (len(alike), 9, 9)
    for title, one in zip(alike, many, strict=True):
        assert_agree(model, said(name, title), one)


@each_model
def test_stones_alone_will_do_for_a_batch(name):
    model = model_of(name)
    boards = [tengen.Board.from_stones(BOARDS[title]().stones) for title in ("9x9, 30 moves", "9x9, 75 moves")]
    stones = np.stack([board.stones for board in boards])
    turn_unknown = Positions.of(boards).with_turns(np.zeros(len(boards), np.int8))
    assert_agree(model, ask(model, turn_unknown).ownership, ask(model, stones).ownership)
    assert ask(model, []).ownership.shape[0] == 0


@each_model
@each_board
def test_the_same_seed_gives_the_same_answer(name, title):
    if asks_another_program(name):
        pytest.skip("another program need not repeat itself")
    assert np.array_equal(said(name, title), owned(fresh(name), BOARDS[title]().copy()))


@each_model
def test_a_saved_model_is_the_same_model(name, tmp_path):
    if asks_another_program(name):
        pytest.skip("another program cannot be saved")
    model, path = model_of(name), tmp_path / "model.safetensors"
    model.save(path)
    for again in (type(model).load(path), tengen.load(path), tengen.load(str(path))):
        assert type(again) is type(model)
        assert identity(again) == identity(model)
        for title in ("9x9, 30 moves", "13x9, 60 moves"):
            assert_agree(model, said(name, title), owned(again, BOARDS[title]()))


@each_model
@pytest.mark.parametrize("title", ["2x2, 0 moves", "2x2, 3 moves", "5x5, 12 moves", "9x9, 30 moves", "full", "settled"])
def test_every_point_has_a_reason(name, title):
    board, model = BOARDS[title](), model_of(name)
    if asks_another_program(name) and board.width != board.height:
        pytest.skip("another program may play on square boards only")
    explain = tengen.estimate(board, model=model).explain
    for row, column in np.ndindex(board.height, board.width):
        reasons = explain(point_name(row, column, board.height))
        assert reasons
        assert row or explain((row, column)) == reasons
        for reason in reasons:
            assert reason.kind
            assert reason.sentence.endswith(".")
            assert all(tengen.point(name, (board.width, board.height)) for name in reason.points)


@each_model
def test_the_board_is_left_alone(name):
    board = BOARDS["9x9, 30 moves"]()
    before = board.copy()
    owned(model_of(name), board)
    tengen.estimate(board, model=model_of(name)).explain("E5")
    assert board == before
    assert board.moves == before.moves


@each_model
def test_the_registry_tells_the_truth(name):
    model = model_of(name)
    assert model.name == name
    assert model.exactness in ("exact", "rounding", "sampled")
    assert tengen.models()[name]
    if not asks_another_program(name):
        assert model.fit is not None


@cache
def chances(name, title):
    return model_of(name).probabilities(BOARDS[title]())


def turned(chances, board, k):
    points = transform(chances[:-1].reshape(board.height, board.width), k)
    return np.append(points.ravel(), chances[-1])


@each_mover
@each_board
def test_the_legal_moves_share_all_probability(name, title):
    board = BOARDS[title]()
    found, legal = chances(name, title), Positions.of([board]).legal[0]
    assert found.shape == legal.shape
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1)
    assert (found[~legal] == 0).all()
    assert (found[legal] > 0).all() or board.rules.suicide


@each_mover
@each_board
@two_symmetries_at_first
def test_moves_turn_with_the_board_and_change_with_the_colours(name, title, symmetries):
    board, model = BOARDS[title](), model_of(name)
    assert_agree(model, chances(name, title), model.probabilities(moved(board, reverse=True)))
    for k in symmetries:
        assert_agree(model, turned(chances(name, title), board, k), model.probabilities(moved(board, k)))


@each_mover
def test_moves_of_a_batch_equal_those_of_single_boards(name):
    model, titles = model_of(name), ["9x9, 0 moves", "9x9, 30 moves", "9x9, 75 moves"]
    many = model.probabilities_many(Positions.of([BOARDS[title]() for title in titles]))
    for title, one in zip(titles, many, strict=True):
        assert_agree(model, chances(name, title), one)
    assert model.probabilities_many(Positions.of([])).shape[0] == 0


@each_mover
def test_a_saved_model_of_moves_is_the_same_model(name, tmp_path):
    model, path = model_of(name), tmp_path / "model.safetensors"
    model.save(path)
    for again in (type(model).load(path), tengen.load(path), pickle.loads(pickle.dumps(model))):
        assert identity(again) == identity(model)
        for title in ("9x9, 30 moves", "13x9, 60 moves"):
            assert np.array_equal(chances(name, title), again.probabilities(BOARDS[title]()))


@each_mover
@pytest.mark.parametrize("title", ["2x2, 3 moves", "5x5, 12 moves", "13x9, 60 moves"])
def test_every_legal_move_can_be_explained(name, title):
    board, model = BOARDS[title](), model_of(name)
    before = board.copy()
    for move in [*board.legal_moves(), "pass"]:
        reasons = model.explain_move(board, move)
        weighed = isinstance(model, FeatureMoves)
        assert len(reasons) <= (4 if weighed else 8)
        for reason in reasons:
            assert reason.kind
            assert ("×" in reason.sentence) == weighed
            assert all(board.index(point) < board.width * board.height for point in reason.points)
            assert not weighed or reason.points == (() if move == "pass" else (move,))
    assert board == before
