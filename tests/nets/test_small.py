"""The small network: its arithmetic, its symmetry, its files."""

import numpy as np
import pytest
from tests.models.boards import BOARDS, moved
from tests.naive.small_net import outputs
from tests.nets.tiny import tiny_net, tiny_weights

import tengen
from tengen.errors import ModelError
from tengen.go.positions import Positions
from tengen.models.evaluator import ask
from tengen.nets.graph import onnx_graph
from tengen.nets.inputs import inputs_of, planes_of
from tengen.nets.small import SYMMETRY_BOUND, SmallNet

TITLES = ["9x9, 30 moves", "13x9, 60 moves", "settled"]


def answers(model, board):
    said = ask(model, [board], *model.gives)
    return said.ownership[0], said.policy[0], said.winrate[0], said.lead[0], said.lead_sd[0]


@pytest.mark.parametrize("title", ["2x2, 3 moves", "5x5, 12 moves", "13x9, 60 moves"])
@pytest.mark.parametrize("head", ["teacher", "played"])
def test_answers_equal_those_of_the_naive_twin(title, head):
    board = BOARDS[title]()
    rows = Positions.of([board])
    facts, numbers = inputs_of(rows)
    half = {name: each.astype(np.float16).astype(float) for name, each in tiny_weights().items()}
    owner, moves, result = outputs(half, planes_of(facts)[0], numbers[0])
    sign = 1 if board.to_play == "black" else -1
    own = np.tanh(owner)
    lead = own.sum() + numbers[0, 0] + 5 * result[1]
    chance = 1 / (1 + np.exp(-(result[0] + np.log1p(np.exp(result[3])) * lead / 4)))
    shares = np.exp(moves[("teacher", "played").index(head)]) * rows.legal[0]
    said = answers(tiny_net(head=head), board)
    assert np.allclose(said[0], sign * own, atol=1e-5)
    assert np.allclose(said[1], shares / shares.sum(), atol=1e-5)
    assert said[2] == pytest.approx(chance if sign > 0 else 1 - chance, abs=1e-5)
    assert said[3] == pytest.approx(sign * lead, abs=1e-4)
    assert said[4] == pytest.approx(10 * np.log1p(np.exp(result[2])) + 0.3, abs=1e-4)


@pytest.mark.parametrize("title", TITLES)
def test_reversing_the_colours_changes_nothing_but_the_signs(title):
    board, model = BOARDS[title](), tiny_net()
    one, other = answers(model, board), answers(model, moved(board, reverse=True))
    for here, there in zip(one, (-other[0], other[1], 1 - other[2], -other[3], other[4]), strict=True):
        assert np.allclose(here, there, rtol=0, atol=1e-15)


def test_komi_and_prisoners_count_for_the_player_to_move():
    board = tengen.Board.from_text("X X X\nO O .", to_play="white").with_rules("japanese", komi=6.5)
    _, numbers = inputs_of(Positions.of([board]))
    assert numbers.tolist() == [[7.5, 1, 0]]  # komi, and one stone more to come for White
    board.play("pass")
    assert inputs_of(Positions.of([board.with_rules("chinese", komi=7)]))[1].tolist() == [[-7, 0, 1]]


def test_by_area_no_lead_is_larger_than_the_board():
    for komi in (0, 400):
        board = tengen.Board(5, rules="chinese", komi=komi)
        for turn in ("black", "white"):
            board.to_play = turn
            model = tiny_net()
            lead = answers(model, board)[3]
            assert -25 - komi <= lead <= 25 - komi


def test_an_unknown_turn_is_the_mean_of_both():
    board, model = BOARDS["9x9, 30 moves"](), tiny_net()
    rows = Positions.of([board])
    both = [ask(model, rows.with_turns(np.array([turn], np.int8))).ownership for turn in (1, -1)]
    unknown = ask(model, rows.with_turns(np.zeros(1, np.int8))).ownership
    assert np.allclose(unknown, (both[0] + both[1]) / 2)


def test_one_view_and_the_mean_of_eight_differ():
    board = BOARDS["9x9, 30 moves"]()
    one, eight = answers(tiny_net(), board)[0], answers(tiny_net(symmetries=8), board)[0]
    views = [answers(tiny_net(), moved(board, k))[0].sum() for k in range(8)]
    assert one.sum() == pytest.approx(views[0])
    assert eight.sum() == pytest.approx(np.mean(views), abs=1e-4)


def test_without_weights_it_is_refused_by_name():
    with pytest.raises(ModelError, match="net/small has not been fitted: tengen fit net/small"):
        tengen.estimate(tengen.Board(9), model=SmallNet())


def test_the_shipped_network_sees_turned_boards_alike():
    model = tengen.load("net/small")
    eight = SmallNet(symmetries=8)
    eight.graph_ = model.graph_
    boards = [BOARDS[title]() for title in BOARDS if title.startswith("finished")]
    far = [np.abs(answers(model, board)[0] - answers(eight, board)[0]).mean() for board in boards]
    assert np.mean(far) <= SYMMETRY_BOUND


def test_a_damaged_graph_is_a_model_error(tmp_path):
    model, file, board = tiny_net(), tmp_path / "net.safetensors", tengen.Board(9)
    whole = model.graph_
    for damaged in (whole[: len(whole) // 2], whole[:0], np.zeros(100, np.uint8)):
        model = tiny_net()
        model.graph_ = damaged.copy()
        model.save(file)
        with pytest.raises(ModelError, match="graph is damaged"):
            tengen.estimate(board, model=file)
    model.graph_ = whole.astype(np.int32)
    model.save(file)
    with pytest.raises(ModelError, match="bytes of an ONNX file"):
        tengen.load(file)


def test_a_graph_with_other_answers_is_a_model_error():
    onnx = pytest.importorskip("onnx", reason="onnx is not installed (pip install 'tengen[net]')")

    def changed(change):
        graph = onnx.load_model_from_string(tiny_net().graph_.tobytes())
        change(graph)
        model = tiny_net()
        model.graph_ = np.frombuffer(graph.SerializeToString(), np.uint8).copy()
        return model

    def unsqueezed(graph):
        node = next(node for node in graph.graph.node if node.op_type == "Squeeze")
        node.op_type = "Identity"
        del node.input[1:]
        del graph.graph.output[0].type.tensor_type.shape.dim[:]

    def not_numbers(graph):
        part = next(each for each in graph.graph.initializer if each.data_type == onnx.TensorProto.FLOAT16)
        part.CopyFrom(onnx.numpy_helper.from_array(np.full_like(onnx.numpy_helper.to_array(part), np.nan), part.name))

    def reordered(graph):
        graph.graph.output.extend([graph.graph.output[0]])
        del graph.graph.output[0]

    for change in (unsqueezed, not_numbers, reordered):
        with pytest.raises(ModelError, match="net/small: its graph"):
            changed(change).evaluate([tengen.Board(9)])


def test_the_first_search_has_all_its_time():
    from tengen.search.player import Settings

    model = tiny_net()
    assert getattr(model, "_running", None) is None
    assert Settings(kind="net", guide=model).guide is model
    assert model._running is not None


def test_a_graph_for_other_planes_is_a_model_error():
    weights = tiny_weights()
    weights["stem.weight"] = weights["stem.weight"][:, 1:]
    model = tiny_net()
    model.graph_ = np.frombuffer(onnx_graph(weights), np.uint8).copy()
    with pytest.raises(ModelError, match="other inputs"):
        model.evaluate([tengen.Board(9)])


@pytest.mark.parametrize(
    "settings",
    [
        {"symmetries": 4},
        {"symmetries": 1.0},
        {"symmetries": True},
        {"head": "best"},
        {"blocks": 0},
        {"steps": 1.5},
        {"plays": 2.0},
        {"plays": "x"},
    ],
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ModelError, match="net/small"):
        SmallNet(**settings)
