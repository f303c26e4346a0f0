"""The judge's network: its arithmetic, its symmetry, its files."""

import dataclasses

import numpy as np
import pytest

import naive.network
import tengen
from tengen.errors import ModelError
from tengen.nets.chains import ChainJudge, shapes
from tengen.nets.sight import PLANES, Sight, look, planes, reversed_planes

NO_TORCH = "torch is not installed (pip install 'tengen[net]')"


def untaught(channels=5, blocks=2, seed=0):
    """A network with random numbers."""
    random = np.random.default_rng(seed)
    model = ChainJudge(channels=channels, blocks=blocks)
    for name, shape in shapes(channels, blocks).items():
        setattr(model, name, random.normal(0, 0.4, shape).astype(np.float16))
    return model


def some_board(width, height, seed=1):
    random = np.random.default_rng(seed)
    board = tengen.Board(width, height)
    for _ in range(width * height // 2):
        board.play(str(random.choice([move for move in board.legal_moves() if move != "pass"])))
    return board


@pytest.mark.parametrize("size", [(2, 2), (5, 4), (9, 9)])
def test_the_network_is_its_naive_twin(size):
    model, sight = untaught(), look(some_board(*size), playouts=20)
    weights = {name: getattr(model, name).astype(float) for name in shapes(5, 2)}
    shown = planes(sight)
    expected = naive.network.logits(weights, 2, shown, reversed_planes(shown), sight.regions)
    assert np.allclose(model.logits(sight), expected, atol=1e-4)


def test_exchanging_the_colours_reverses_the_answer():
    model, board = untaught(), some_board(9, 9)
    sight, other = look(board, playouts=20), look(tengen.Board.from_stones(-board.stones), playouts=20)
    reversed_sight = dataclasses.replace(other, played=-sight.played, fought=-sight.fought)
    assert np.array_equal(planes(reversed_sight), reversed_planes(planes(sight)))
    assert np.allclose(model.logits(reversed_sight), -model.logits(sight), atol=1e-5)


def test_a_sight_says_what_the_board_is():
    board = some_board(9, 9)
    sight = look(board, playouts=10)
    for chain in board.chains():
        for name in chain.points:
            place = tengen.point(name, 9)
            assert sight.liberties[place] == min(4, len(chain.liberties))
            assert sight.regions[place] == sight.regions[tengen.point(chain.points[0], 9)]
    assert (sight.liberties[board.stones == 0] == 0).all()
    assert planes(sight).shape == (PLANES, 9, 9)
    assert look(tengen.Board(9), playouts=10).liberties.max() == 0


def test_a_judge_is_saved_and_loaded(tmp_path):
    model, sight = untaught(), look(some_board(9, 9), playouts=20)
    model.save(tmp_path / "judge.safetensors")
    assert np.array_equal(ChainJudge.load(tmp_path / "judge.safetensors").logits(sight), model.logits(sight))
    model.near_ = model.near_[:1]
    model.save(tmp_path / "broken.safetensors")
    with pytest.raises(ModelError, match="near_ of judge/chains"):
        ChainJudge.load(tmp_path / "broken.safetensors")


def test_a_judge_that_has_learned_nothing_says_so():
    with pytest.raises(ModelError, match="tengen fit judge/chains"):
        ChainJudge().logits(look(tengen.Board(5), playouts=2))


def test_training_and_run_time_agree_on_the_weights_that_ship():
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    from tengen.nets.learning import twin_logits

    model = tengen.load("judge/chains")
    weights = {name: torch.tensor(getattr(model, name).astype(np.float32)) for name in shapes(48, 6)}
    final = tengen.read("examples/finished-9x9.sgf").board()
    sights = [look(board, playouts=20) for board in (final, some_board(9, 9))]
    together = Sight.stacked(sights)
    shown = torch.tensor(planes(together).swapaxes(0, 1))
    trained, _ = twin_logits(torch, weights, shown, torch.tensor(together.regions.astype(np.int64)))
    assert np.abs(np.tanh(trained.numpy() / 2) - [np.tanh(model.logits(sight) / 2) for sight in sights]).max() < 1e-5


def test_it_learns_what_it_is_shown():
    pytest.importorskip("torch", reason=NO_TORCH)
    from tengen.nets.learning import ChainExamples

    boards = [some_board(9, 9, seed) for seed in range(32)]
    sights = [look(board, playouts=10) for board in boards]
    owners = np.stack([np.where(sight.liberties == 1, -sight.stones, sight.stones) for sight in sights])
    examples = [ChainExamples(type(sights[0]).stacked(sights), owners.astype(np.int8))]
    model = ChainJudge(channels=8, blocks=1, epochs=120, rate=0.02).fit_examples(examples)
    said = np.stack([model.logits(sight) for sight in sights])
    assert (np.sign(said) == owners)[owners != 0].mean() > 0.98
