"""The network in whole numbers of 8 bits."""

from pathlib import Path

import numpy as np
import pytest
from tests.models.boards import BOARDS
from tests.nets.tiny import tiny_fast, tiny_net

import tengen
from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.errors import ModelError
from tengen.models.evaluator import ask
from tengen.nets.fast import FastNet
from tengen.nets.quantise import LEVELS, WEIGHT_LEVELS

TITLES = ["9x9, 30 moves", "13x9, 60 moves", "settled"]


@pytest.mark.parametrize("title", TITLES)
def test_answers_are_close_to_those_of_single_precision(title):
    board, small = BOARDS[title](), tiny_net()
    exact, rounded = (ask(model, [board], *small.gives) for model in (small, tiny_fast()))
    assert np.abs(rounded.ownership - exact.ownership).mean() < 0.03
    assert np.abs(rounded.policy - exact.policy).max() < 0.01
    assert not np.array_equal(rounded.ownership, exact.ownership)


def test_only_the_blocks_have_whole_numbers_and_no_old_weights_are_left():
    onnx = pytest.importorskip("onnx")
    graph = onnx.load_from_string(tiny_fast().graph_.tobytes()).graph
    kinds = [node.op_type for node in graph.node]
    assert (kinds.count("Conv"), kinds.count("QuantizeLinear")) == (8, 8)  # stem, four in two blocks, three heads
    constants = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    whole = [each for each in constants.values() if each.dtype == np.int8 and each.ndim == 4]
    assert len(whole) == 4
    assert {int(np.abs(each).max()) for each in whole} == {WEIGHT_LEVELS}
    assert 2 * LEVELS * WEIGHT_LEVELS < 2**15  # pairs of products fit into 16 bits
    read = {name for node in graph.node for name in node.input}
    assert {*constants} <= read


def test_a_batch_equals_single_boards_exactly():
    boards = [tengen.Board(9), BOARDS["9x9, 30 moves"]()]
    model = tiny_fast()
    together = model.evaluate(boards).ownership
    assert np.array_equal(together, np.concatenate([model.evaluate([board]).ownership for board in boards]))


def test_it_is_made_from_a_network_and_a_corpus(tmp_path):
    small, file = tiny_net(), tmp_path / "small.safetensors"
    small.save(file)
    data = DataSet(Store(Path(__file__).parents[2] / "examples/corpus"), "gnugo", size=9)
    facts = FastNet(base=str(file), samples=20).fit_corpus(data, work=tmp_path)
    assert facts["samples"] >= 20
    with pytest.raises(ModelError, match="made from a fitted network such as net/small, not from territory/naive"):
        FastNet(base="territory/naive").fit_corpus(data, work=tmp_path)
    with pytest.raises(ModelError, match="samples"):
        FastNet(samples=0)


def test_the_shipped_network_agrees_with_the_one_it_was_made_from():
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    small, fast = tengen.load("net/small"), tengen.load("net/fast")
    boards = [BOARDS[title]() for title in BOARDS if title.startswith("finished")]
    for board in boards:
        one, other = (ask(model, [board], "ownership").ownership for model in (small, fast))
        assert np.abs(one - other).mean() < 0.03
