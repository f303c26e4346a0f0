"""Low's network in the core: equal to its twin, to finite differences, and to itself under colours and symmetries."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen._core import FateNet
from tengen.go.symmetry import transform
from tengen.views.augmented_graph import LABELS, SIDED_LABELS, augmented_graph
from tests.naive.fate_net import RELATIONS, SELF, NaiveFateNet

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "finished-9x9.sgf"

KINDS = [
    {"layers": 3},
    {"layers": 4, "sides": True},
    {"layers": 2, "rounds": 3},
    {"layers": 3, "rounds": 3, "through_rounds": True, "sides": True},
    {"layers": 3, "rounds": 40, "tolerance": 1e-3, "sides": True},
]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def network(layers=3, rounds=1, tolerance=0.0, sides=False, through_rounds=False, seed=0):
    return FateNet(layers, rounds, tolerance, sides, through_rounds, seed)


def boards(random, n=6, shape=(5, 4)):
    return random.integers(-1, 2, (n, *shape)).astype(np.int8)


def owners(random, stones):
    targets = np.round(random.uniform(-1, 1, stones.shape), 2).astype(np.float32)
    targets[random.random(stones.shape) < 0.1] = np.nan
    return targets


def taught(kind, random):
    """A network that has seen some boards, with larger weights than a few steps give, and these boards."""
    net, stones = network(**kind), boards(random)
    learn(net, stones, owners(random, stones), 0.0)
    keys, weights, visits, biases, bias_visits = net.parameters()
    change = random.normal(0, 0.3, weights.shape), random.normal(0, 0.5, biases.shape)
    net.set_parameters(keys, weights + change[0], visits, biases + change[1], bias_visits)
    return net, stones


def learn(net, stones, targets, rate=0.1):
    return net.learn(stones, targets, np.ones_like(targets), rate)


def twin(net, kind):
    keys, weights, _, biases, _ = net.parameters()
    names = {"through_rounds": "through"}
    labels = SIDED_LABELS if kind.get("sides") else LABELS
    return NaiveFateNet(keys, weights, biases, labels=labels, **{names.get(k, k): v for k, v in kind.items()})


@each_kind
def test_ownership_equals_the_twin(kind):
    random = np.random.default_rng(1)
    net, known = taught(kind, random)
    for stones in [*known, *boards(random, 4), boards(random, 1, (9, 9))[0]]:
        assert np.allclose(net.evaluate(stones[None])[0], twin(net, kind).ownership(stones), atol=1e-12)


def test_positions_of_a_game_equal_the_twin():
    kind = {"layers": 3, "rounds": 3, "through_rounds": True, "sides": True}
    game, net = tengen.read(EXAMPLE), network(**kind)
    stones = np.stack([game.board(turn).stones for turn in range(0, len(game.moves), 9)])
    targets = np.broadcast_to(np.sign(game.board().stones).astype(np.float32), stones.shape).copy()
    learn(net, stones, targets, 1.0)
    naive = twin(net, kind)
    for board, target, owner in zip(stones, targets, net.evaluate(stones), strict=True):
        assert np.allclose(owner, naive.ownership(board), atol=1e-12)
        loss = naive.loss_and_gradient(board, target)[0] / board.size
        assert learn(net, board[None], target[None], 0.0)[0] == pytest.approx(loss)


@each_kind
def test_a_step_equals_the_twin(kind):
    random = np.random.default_rng(2)
    net, stones = taught(kind, random)
    targets = owners(random, stones)
    for board, target in zip(stones, targets, strict=True):
        before, naive = net.parameters(), twin(net, kind)
        loss, derivatives = naive.loss_and_gradient(board, target)
        assert learn(net, board[None], target[None], 0.3)[0] == pytest.approx(loss / board.size)
        after = net.parameters()
        assert (before[0] == after[0]).all()
        expected = [np.zeros_like(before[1]), np.zeros_like(before[3])]
        labels = len(before[3])
        row = {key: i for i, key in enumerate(before[0].tolist())}
        for key, value in derivatives.items():
            clipped = np.clip(value, -5, 5)
            if len(key) == 2:
                expected[1][key] = clipped
            else:
                u, v, relation, layer = key
                expected[0][row[(u * labels + v) * RELATIONS + relation], layer] = clipped
        for old, new, visits, derivative in zip(before[1::2], after[1::2], after[2::2], expected, strict=True):
            paces = 0.3 / np.sqrt(np.maximum(visits, 1))[:, None]
            assert np.allclose(new, old - paces * derivative, atol=1e-12)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.get("rounds", 1) == 1 or "through_rounds" in kind], ids=str
)
def test_derivatives_equal_finite_differences(kind):
    random = np.random.default_rng(3)
    net, stones = taught(kind, random)
    board, target = stones[:1], owners(random, stones[:1])
    keys, weights, visits, biases, bias_visits = net.parameters()

    def loss(weights, biases):
        other = network(**kind)
        other.set_parameters(keys, weights, visits, biases, bias_visits)
        return learn(other, board, target, 0.0)[0] * board[0].size

    learn(net, board, target, 1e-3)
    _, stepped, now, moved, bias_now = net.parameters()
    found = (weights - stepped) * np.sqrt(now)[:, None] / 1e-3, (biases - moved) * np.sqrt(bias_now)[:, None] / 1e-3
    used, spoken = np.flatnonzero(now > visits), np.flatnonzero(bias_now > bias_visits)
    for _ in range(20):
        row, layer = random.choice(used), random.integers(weights.shape[1])
        change = np.zeros_like(weights)
        change[row, layer] = 1e-5
        slope = (loss(weights + change, biases) - loss(weights - change, biases)) / 2e-5
        assert found[0][row, layer] == pytest.approx(slope, abs=1e-6)
        label, layer = random.choice(spoken), random.integers(biases.shape[1])
        change = np.zeros_like(biases)
        change[label, layer] = 1e-5
        slope = (loss(weights, biases + change) - loss(weights, biases - change)) / 2e-5
        assert found[1][label, layer] == pytest.approx(slope, abs=1e-6)


@each_kind
def test_colours_and_symmetries(kind):
    random = np.random.default_rng(4)
    net, stones = taught(kind, random)
    plain = net.evaluate(stones)
    assert (plain != 0).any()
    assert (np.abs(plain) <= 1).all()
    assert np.array_equal(net.evaluate(-stones), -plain)
    for k in range(8):
        turned = np.stack([transform(board, k) for board in stones])
        assert np.allclose(net.evaluate(turned), np.stack([transform(each, k) for each in plain]), atol=1e-12)


def test_new_weights_depend_on_the_seed_alone():
    random = np.random.default_rng(5)
    stones = boards(random, 40)
    targets = owners(random, stones)
    nets = [network(seed=seed) for seed in (7, 7, 8)]
    for net, order in zip(nets, (slice(None), slice(None, None, -1), slice(None)), strict=True):
        learn(net, np.ascontiguousarray(stones[order]), np.ascontiguousarray(targets[order]), 0.0)
    one, other, third = (net.parameters() for net in nets)
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert (one[0] == third[0]).all()
    assert (one[1] != third[1]).mean() > 0.99
    own = one[0] % RELATIONS == SELF
    for values, mean in ((one[1][~own], 0.0), (one[1][own], 2.0)):
        assert values.mean() == pytest.approx(mean, abs=0.02)
        assert values.std() == pytest.approx(0.1, abs=0.02)
    assert len(nets[0]) == len(one[0])


def test_visits_count_the_uses_of_both_views():
    net = network()
    board = np.array([[[1, 0], [0, 0]]], np.int8)  # a stone, and the region of its influence
    learn(net, board, np.zeros(board.shape, np.float32))
    _, _, visits, _, bias_visits = net.parameters()
    assert visits.sum() == 2 * (2 * 1 + 2)
    assert bias_visits.sum() == 2 * 2
    learn(net, board, np.full(board.shape, np.nan, np.float32))
    assert (net.parameters()[2] == 2 * visits).all()


def test_weights_that_no_board_needed_are_0():
    assert (network().evaluate(boards(np.random.default_rng(6))) == 0).all()


def test_points_without_weight_are_not_learned():
    random = np.random.default_rng(7)
    stones = boards(random)
    targets = owners(random, stones)
    hidden = np.where(random.random(stones.shape) < 0.5, np.float32(np.nan), targets)
    one, other = network(), network()
    losses = learn(one, stones, hidden)
    weights = np.isfinite(hidden).astype(np.float32)
    assert np.array_equal(losses, other.learn(stones, np.nan_to_num(targets), weights, 0.1))
    assert all(np.array_equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_pushes_add_up_to_the_logits():
    random = np.random.default_rng(8)
    net, stones = taught({"layers": 2}, random)
    for board in stones:
        graph, pushes = augmented_graph(board), net.pushes(board)
        (black, white) = (twin(net, {"layers": 2}).run(graph, view)[-1][-1] for view in twin(net, {}).views(graph))
        logits = pushes[2 * len(graph.edges) :].copy()
        np.add.at(logits, graph.edges[:, 0], pushes[: 2 * len(graph.edges) : 2])
        np.add.at(logits, graph.edges[:, 1], pushes[1 : 2 * len(graph.edges) : 2])
        assert np.allclose(logits, (np.array(black) - white) / 2)


def test_parameters_go_out_and_in():
    random = np.random.default_rng(9)
    net, stones = taught({}, random)
    other = network(seed=3)
    other.set_parameters(*net.parameters())
    assert np.array_equal(other.evaluate(stones), net.evaluate(stones))
    assert all(np.array_equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    assert (np.diff(net.parameters()[0].astype(np.int64)) > 0).all()


def test_rounds_end_when_nothing_changes():
    random = np.random.default_rng(11)
    net, stones = taught({"layers": 3}, random)
    once = net.evaluate(stones)
    for rounds, tolerance, same in ((9, 1.5, True), (9, 0.0, False)):
        other = network(rounds=rounds, tolerance=tolerance)
        other.set_parameters(*net.parameters())
        assert np.array_equal(other.evaluate(stones), once) == same


def test_threads_may_ask_while_one_learns():
    random = np.random.default_rng(12)
    net, stones = network(), boards(random, 400, (9, 9))
    targets = owners(random, stones)
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(learn, net, stones, targets), *(pool.submit(net.evaluate, stones) for _ in range(4))]
        assert all(np.isfinite(job.result()).all() for job in jobs)
    alone = network()
    learn(alone, stones, targets)
    assert np.array_equal(alone.evaluate(stones), net.evaluate(stones))


SETTINGS = [(1, 1, 0.0), (9, 1, 0.0), (3, 0, 0.0), (3, 1001, 0.0), (3, 1, -1.0), (3, 1, np.nan)]


@pytest.mark.parametrize("settings", SETTINGS)
def test_impossible_networks(settings):
    with pytest.raises(ValueError):
        FateNet(*settings, False, False, 0)


def test_bad_boards_and_targets():
    net, stones = network(), np.zeros((1, 3, 3), np.int8)
    good = np.zeros((1, 3, 3), np.float32)
    for bad in (stones[0], stones.astype(int), stones + np.int8(2), np.zeros((1, 1, 3), np.int8), None):
        with pytest.raises((TypeError, ValueError)):
            net.evaluate(bad)
        with pytest.raises((TypeError, ValueError)):
            net.learn(bad, good, good, 0.1)
    for targets in (good[:, :2], good.astype(float), good + 2, np.full_like(good, -np.inf)):
        with pytest.raises((TypeError, ValueError)):
            net.learn(stones, targets, good, 0.1)
    for weights in (good - 1, good + np.float32(np.nan), good[:, :, :2]):
        with pytest.raises((TypeError, ValueError)):
            net.learn(stones, good, weights, 0.1)
    for rate in (-1.0, np.nan, np.inf, 1e9):
        with pytest.raises(ValueError):
            net.learn(stones, good, good, rate)
    for bad in (stones, np.zeros((2, 26), np.int8), np.full((3, 3), 4, np.int8)):
        with pytest.raises((TypeError, ValueError)):
            net.pushes(bad)
    assert len(net) == 0
    assert net.evaluate(stones[:0]).shape == (0, 3, 3)


def test_bad_parameters():
    net, _ = taught({}, np.random.default_rng(10))
    good = net.parameters()
    bad = [
        (0, good[0][::-1].copy()),
        (0, np.full_like(good[0], LABELS**2 * RELATIONS)),
        (0, good[0].astype(np.int64)),
        (0, good[0][1:]),
        (1, good[1][:, :1]),
        (1, good[1] * np.nan),
        (2, good[2][1:]),
        (3, good[3][1:]),
        (3, good[3] + np.inf),
        (4, good[4].astype(np.int32)),
    ]
    for place, array in bad:
        with pytest.raises((TypeError, ValueError)):
            net.set_parameters(*good[:place], array, *good[place + 1 :])
    assert all(np.array_equal(a, b) for a, b in zip(good, net.parameters(), strict=True))
