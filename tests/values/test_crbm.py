"""The convolutional restricted Boltzmann machine: the kernel against its twin, its energy, and what it learns."""

from functools import cache
from itertools import product

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.corpus.plays import Plays
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.go.symmetry import transform
from tengen.values.crbm import Crbm, all_patches, own_stones, shuffled_points
from tengen.values.crbm_pooling import PoolingLayer
from tengen.values.filter_pictures import draw_filters
from tengen.views.liberties import liberty_counts

from ..models.boards import EXAMPLES, random_board
from ..models.learning import plays
from ..naive.crbm import NaiveCrbm

KINDS = [
    {},
    {"visible": "real"},
    {"invariant": True},
    {"invariant": True, "visible": "real", "filters": 2},
    {"reversal": True},
    {"invariant": True, "reversal": True, "filters": 2},
    {"liberties": True, "edges": True},
    {"invariant": True, "reversal": True, "liberties": True, "filters": 2},
    {"persistent": True},
    {"side": 3, "filters": 4},
]
STEP = {"rate": 0.3, "momentum": 0.5, "decay": 0.01, "sparsity": 0.2, "target": 0.1, "seed": 5}


def small(**kind):
    """A machine with random parameters, large enough that units differ."""
    model = Crbm(**{"side": 2, "filters": 3, "batch": 3, **kind})
    model.parameters_ = np.random.default_rng(1).normal(0, 0.7, model.machine().parameters).astype(np.float32)
    if model.reversal:
        model.parameters_[-1] = model.parameters_[-2]
    return model


def turned(model):
    rows = np.arange((model.weights.size // model.filters), dtype=int).reshape(model.weights.shape[:3])
    swapped = rows[[0, 2, 1, *range(3, len(rows))]]
    ways = product([rows, swapped][: 1 + model.reversal], range(8 if model.invariant else 1))
    return np.stack([transform(each, k).ravel() for each, k in ways]).astype(np.uint16)


def naive(model):
    return NaiveCrbm(model.side, model.filters, turned(model), model.visible == "real", model.parameters_)


def native(model):
    return _core.Crbm(model.side, model.filters, turned(model), model.visible == "real")


def boards(count=4, width=5, height=4):
    return np.stack([random_board(seed, width, height, 4 * seed).stones for seed in range(count)])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_hidden_units_and_free_energy_equal_the_twin(kind):
    model, stones = small(**kind), boards()
    twin, planes = naive(model), model.planes(boards())
    shown = [twin.visible(*each) for each in zip(stones, planes, strict=True)]
    expected = np.array([twin.hidden(each) for each in shown])
    assert np.allclose(model.hidden(stones).reshape(expected.shape), expected, atol=1e-6)
    assert np.allclose(model.free_energy(stones), [twin.free_energy(each) for each in shown], atol=1e-4)


def test_real_games_equal_the_twin():
    model, stones = small(side=3, filters=4, invariant=True, liberties=True), corpus()[1][::60]
    twin = naive(model)
    shown = [twin.visible(*each) for each in zip(stones, model.planes(stones), strict=True)]
    expected = np.array([twin.hidden(each) for each in shown])
    assert np.allclose(model.hidden(stones).reshape(expected.shape), expected, atol=1e-5)
    assert np.allclose(model.free_energy(stones), [twin.free_energy(each) for each in shown], atol=1e-3)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_steps_equal_the_twin(kind):
    """The twin draws the same random numbers, so it takes the same samples."""
    model, stones = small(**kind), boards(7)
    twin, planes = naive(model), model.planes(boards(7))
    velocities, chains = np.zeros_like(model.parameters_), boards(3) if model.persistent else None
    twin_velocities, twin_chains = velocities.astype(float), None if chains is None else chains.copy()
    said = native(model).learn(
        model.parameters_, velocities, stones, planes, batch=3, first=11, threads=2, chains=chains, **STEP
    )
    told = []
    for first in (0, 3, 6):
        rows = slice(first, first + 3)
        told.append(
            twin.step(stones[rows], planes[rows], twin_velocities, first=11 + first, chains=twin_chains, **STEP)
        )
    assert np.allclose(model.parameters_, twin.parameters, atol=2e-5)
    assert np.allclose(velocities, twin_velocities, atol=2e-5)
    assert np.allclose(said, np.average(told, 0, [3, 3, 1]), atol=1e-5)
    assert chains is None or (chains == twin_chains).all()


@pytest.mark.parametrize("kind", KINDS[:8], ids=str)
def test_the_gradient_of_the_free_energy_equals_finite_differences(kind):
    """Weights and hidden biases have means over locations, colours over points."""
    model, stones, others = small(**kind), boards(3), boards(6)[3:]
    planes, twin = model.planes(boards(3)), naive(model)
    slopes = native(model).contrast(model.parameters_, stones, others, planes)
    scales = np.full(len(slopes), 3.0 * model.hidden(stones)[0, ..., 0, 0].size)
    scales[-3:] = 3 * stones[0].size
    random, exact = np.random.default_rng(2), model.parameters_.astype(float)

    def difference(parameters):
        twin.set(parameters)
        return sum(
            twin.free_energy(twin.visible(other, plane)) - twin.free_energy(twin.visible(board, plane))
            for board, other, plane in zip(stones, others, planes, strict=True)
        )

    for _ in range(3):
        way = random.choice([-1.0, 1.0], len(exact))
        if model.reversal:
            way[-1] = way[-2]
        ends = [difference(exact + step * way) for step in (1e-6, -1e-6)]
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(float((slopes * scales) @ way), rel=1e-4, abs=1e-3)


def likelihood(model, stones):
    return -model.free_energy(stones).mean() - np.logaddexp.reduce(-model.free_energy(all_patches(3)))


@pytest.mark.parametrize("kind", [{}, {"invariant": True}, {"persistent": True}], ids=str)
def test_contrastive_divergence_raises_the_exact_likelihood(kind):
    """On 3×3 points with two 2×2 filters all 19,683 boards can be enumerated."""
    random = np.random.default_rng(3)
    shapes = np.array([[[1, 1, 0], [1, 0, 0], [0, 0, -1]], [[0, 1, -1], [0, 1, -1], [0, 1, -1]]], np.int8)
    clean = np.stack([transform(shapes[i % 2], random.integers(8)) for i in range(400)])
    noise = random.integers(-1, 2, clean.shape, np.int8)
    stones = np.where(random.random(clean.shape) < 0.3, noise, clean)
    settings = {"side": 2, "filters": 2, "batch": 20, "rate": 0.1, "sparsity": 0, "seed": 1, **kind}
    found = [likelihood(Crbm(epochs=n, **settings).fit([stones], threads=1), stones) for n in (1, 5, 10, 40)]
    assert -9 * np.log(3) < found[0] < found[1] < found[2] < found[3]
    assert found[3] - found[0] > 0.3


@pytest.mark.parametrize("kind", [each for each in KINDS if each.get("invariant")], ids=str)
def test_the_invariant_machine_does_not_see_how_a_board_lies(kind):
    model = small(**kind)
    stones = random_board(3, 6, 6, 20).stones[None]
    features = model.features(stones)
    for k in range(8):
        moved = np.ascontiguousarray(transform(stones, k))
        assert np.allclose(model.free_energy(moved), model.free_energy(stones), atol=1e-4)
        assert np.allclose(
            model.features(moved), np.moveaxis(transform(np.moveaxis(features, 3, 1), k), 1, 3), atol=1e-6
        )
    if model.reversal:
        assert np.allclose(model.free_energy(-stones), model.free_energy(stones), atol=1e-4)
        assert np.allclose(model.features(-stones), -features, atol=1e-6)


@cache
def corpus():
    """Positions of the shipped games, and others."""
    stream = Plays(Store(EXAMPLES[0].parent / "corpus"), size=9, split=None, sample=0.5)
    stones = np.concatenate([own_stones(batch, "mover") for batch in stream])
    return stones[200:], stones[:200]


@cache
def fitted(**kind):
    return Crbm(**{"filters": 20, "epochs": 6, "rate": 3.0, **kind}).fit([corpus()[0]])


@pytest.mark.parametrize("kind", [{}, {"invariant": True, "filters": 8}], ids=str)
def test_it_learns_to_reconstruct_the_shipped_games(kind):
    model, (_, held_out) = fitted(**kind), corpus()
    right = (np.array([0, 1, -1])[model.reconstruct(held_out).argmax(-1)] == held_out).mean()
    assert right > 0.1 + (held_out == 0).mean()
    assert model.free_energy(held_out).mean() < model.free_energy(shuffled_points(held_out)).mean() - 1
    assert 0.02 < model.features(held_out).mean() < 0.15


def test_real_valued_units_learn_as_well():
    reports = []
    model = Crbm(filters=20, epochs=4, visible="real").fit([corpus()[0]], report=reports.append)
    assert reports[-1].cost < 0.9 * reports[0].cost
    assert reports[-1].gap > 2
    assert model.reconstruct(corpus()[1]).shape == (200, 9, 9, 3)


def test_the_result_depends_on_the_seed_and_not_on_threads():
    stones = corpus()[0][:120]
    fits = [
        Crbm(filters=5, epochs=2, seed=seed).fit([stones], threads=n) for seed, n in ((0, 1), (0, 3), (0, 9), (1, 1))
    ]
    assert (fits[0].parameters_ == fits[1].parameters_).all()
    assert (fits[0].parameters_ == fits[2].parameters_).all()
    assert (fits[0].parameters_ != fits[3].parameters_).any()


@pytest.mark.parametrize("kind", [{}, {"persistent": True}], ids=str)
def test_a_stopped_fit_resumes(tmp_path, kind):
    stones, reports = corpus()[0][:100], []

    class Stop(Exception):
        pass

    def stop(report):
        reports.append(report)
        if report.epoch == 2:
            raise Stop

    model = Crbm(filters=4, epochs=4, **kind)
    with pytest.raises(Stop):
        model.fit([stones], work=tmp_path, report=stop)
    again = Crbm(filters=4, epochs=4, **kind).fit([stones], work=tmp_path, report=reports.append)
    assert [report.epoch for report in reports] == [1, 2, 3, 4]
    assert (again.parameters_ == Crbm(filters=4, epochs=4, **kind).fit([stones]).parameters_).all()
    Crbm(filters=4, epochs=4, **kind).fit([stones[:50]], work=tmp_path, report=reports.append)
    assert [report.epoch for report in reports[4:]] == [1, 2, 3, 4]  # other boards


def test_it_reads_streams_of_several_sizes():
    model = Crbm(filters=4, epochs=1, side=2).fit(plays())
    assert np.isfinite(model.parameters_).all()


def test_own_stones_are_those_of_the_player_who_just_moved():
    batch = plays()[0]
    assert (own_stones(batch, "black") == batch.positions.stones).all()
    mover = own_stones(batch, "mover")
    for i, to_play in enumerate(batch.positions.to_play):
        assert (mover[i] == -to_play * batch.positions.stones[i]).all()


def test_the_table_lists_the_features_of_every_window():
    model = fitted()
    table, stones = model.table(), corpus()[1][:3]
    assert table.shape == (3**9, model.filters)
    assert table.dtype == np.float32
    colours = stones % 3
    for r, c in ((0, 0), (3, 5), (6, 6)):
        codes = colours[:, r : r + 3, c : c + 3].reshape(len(stones), 9) @ 3 ** np.arange(9)
        assert np.allclose(table[codes], model.features(stones)[:, r, c], atol=1e-6)


def test_patches_are_numbered_row_by_row_from_the_top_left():
    assert all_patches(2)[1 + 2 * 27].tolist() == [[1, 0], [0, -1]]
    assert len(all_patches(1)) == 3
    with pytest.raises(TengenError, match="1 to 3"):
        all_patches(4)


def test_liberties_of_chains():
    board = tengen.Board.from_text(["X.OO", "XXO.", ".O..", "...X"])
    assert liberty_counts(board.stones[None])[0].tolist() == [[2, 0, 3, 3], [2, 2, 3, 0], [0, 3, 0, 0], [0, 0, 0, 2]]


def test_planes_show_liberties_and_lines():
    model = Crbm(liberties=True, edges=True)
    planes = model.planes(tengen.Board.from_text([".X...", "..O..", ".....", ".....", "X...."]).stones[None])[0]
    assert planes[0, 0, 1] == 5
    assert planes[0, 4, 0] == 4
    assert planes[0, 2, 2] == -1
    assert planes[1, 2].tolist() == [6, 7, 8, 7, 6]


def test_files_keep_the_filters(tmp_path):
    model = fitted()
    model.save(tmp_path / "filters.safetensors", sources=["the shipped games"])
    again = Crbm.load(tmp_path / "filters.safetensors")
    assert again.identity == model.identity
    assert (again.table() == model.table()).all()
    model = Crbm(filters=3)
    model.parameters_ = np.zeros(5, np.float32)
    model.save(tmp_path / "wrong.safetensors")
    with pytest.raises(ModelError, match="87 numbers are needed"):
        Crbm.load(tmp_path / "wrong.safetensors")


def test_filters_are_drawn_as_boards():
    model = Crbm(side=2, filters=2, epochs=1)
    model.parameters_ = np.zeros(2 * 12 + 5, np.float32)
    model.weights[0, 0, 0] = model.weights[1, 0, 1] = model.weights[2, 1] = 1  # . X over O O
    picture = draw_filters(model, columns=1)
    assert picture.count("<rect") == 2
    assert picture.count("<circle") == 6
    assert picture.count('fill="#1c1c1e"') == 2
    assert draw_filters(model, shaded=True).count('opacity="0.36"') == 6
    assert model.empty_share == 0.25
    with pytest.raises(TengenError, match="column"):
        draw_filters(model, columns=0)


def naive_pooling(layer, features):
    """P(h | v) of a layer, unit by unit."""
    n, rows, columns = len(features), *(m - layer.side + 1 for m in features.shape[1:3])
    block, found = (
        layer.block,
        np.zeros((n, rows // layer.block * layer.block, columns // layer.block * layer.block, layer.filters)),
    )
    for i, r, c, k in np.ndindex(found.shape):
        a = [
            layer.biases_[k] + (features[i, x : x + layer.side, y : y + layer.side] * layer.weights_[..., k]).sum()
            for x in range(r // block * block, r // block * block + block)
            for y in range(c // block * block, c // block * block + block)
        ]
        found[i, r, c, k] = np.exp(a[r % block * block + c % block]) / (1 + np.exp(a).sum())
    return found


def test_units_of_the_second_layer_are_pooled_in_blocks():
    layer = PoolingLayer(filters=3, side=2, block=2, epochs=1)
    features = np.random.default_rng(0).random((4, 6, 5, 2), np.float32)
    layer.learn([features])
    layer.weights_ *= 100
    hidden = layer.hidden(features)
    assert np.allclose(hidden, naive_pooling(layer, features), atol=1e-5)
    assert np.allclose(layer.pooled(features)[1, 1, 0], hidden[1, 2:4, 0:2].sum((0, 1)), atol=1e-6)
    assert layer.reconstruct(hidden, np.random.default_rng(0)).shape == (4, 5, 5, 2)
    with pytest.raises(TengenError, match="too few"):
        layer.hidden(features[:, :2])


def test_the_second_layer_learns_from_the_first():
    features = fitted().features(corpus()[0][:600])
    held_out = fitted().features(corpus()[1])[:, :7, :7]
    errors = []
    for epochs in (1, 8):
        layer = PoolingLayer(filters=10, epochs=epochs, rate=0.5).learn([features])
        again = layer.reconstruct(layer.hidden(held_out), np.random.default_rng(0))
        errors.append(float(((again - held_out[:, :7, :7]) ** 2).mean()))
    assert errors[1] < errors[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"side": 0},
        {"side": 8},
        {"filters": 0},
        {"filters": 9000, "invariant": True},
        {"visible": "binary"},
        {"perspective": "white"},
        {"rate": 0.0},
        {"target": 1.0},
        {"decay": float("nan")},
        {"persistent": True, "visible": "real"},
        {"rate": 101.0},
        {"decay": 1.5},
        {"sparsity": 101.0},
        {"invariant": "x"},
        {"filters": 100_000},
    ],
    ids=str,
)
def test_bad_settings(wrong):
    with pytest.raises(TengenError):
        Crbm(**wrong)


def test_filters_that_are_alike_count_once():
    model = Crbm(filters=4, side=1)
    own, other = [0.0, 3.0, 0.0], [0.0, 0.0, 2.0]
    filters = np.array([own, other, [0.1, 3.1, 0.0], [1.0, 3.9, 1.0]], np.float32).T  # the last two are like the first
    model.parameters_ = np.concatenate([filters.ravel(), np.zeros(4 + 3)]).astype(np.float32)
    assert model.used == 2


def test_bad_input():
    with pytest.raises(TengenError, match="no board to learn from"):
        Crbm().fit([])
    with pytest.raises(ModelError, match="fit"):
        Crbm().table()
    with pytest.raises(TengenError, match="stones are"):
        fitted().features(np.full((1, 9, 9), 2))
    with pytest.raises(ModelError, match="as large as a window"):
        fitted().features(np.zeros((1, 2, 2), np.int8))
    with pytest.raises(ModelError, match="depend on the board"):
        small(edges=True).table()
    assert fitted().features(np.zeros((0, 9, 9), np.int8)).shape == (0, 7, 7, 20)


def bad_calls():
    model = small()
    core, planes, p = native(model), np.zeros((2, 0, 4, 5), np.int8), model.parameters_
    stones, ways = boards(2), turned(model)
    step = {**STEP, "batch": 2, "first": 0, "threads": 1, "chains": None}
    one = np.zeros((2, 1, 4, 5), np.int8)

    def learn(**wrong):
        return lambda: core.learn(p.copy(), np.zeros_like(p), stones, planes, **{**step, **wrong})

    yield "every row once", lambda: _core.Crbm(2, 3, ways * 0, False)
    yield "channels", lambda: _core.Crbm(2, 3, ways[:, :8].copy(), False)
    yield "one channel", lambda: _core.Crbm(2, 3, np.roll(ways, 1, 1), False)
    yield "orientations", lambda: _core.Crbm(2, 3, ways[:0].copy(), False)
    yield "numbers are needed", lambda: core.hidden(p[:-1].copy(), stones, planes)
    yield "finite", lambda: core.hidden(p * np.float32(np.nan), stones, planes)
    yield "stones are", lambda: core.hidden(p, stones * 3, planes)
    yield "as large as a window", lambda: core.hidden(p, stones[:, :1].copy(), planes[:, :, :1].copy())
    yield "one number for each point", lambda: core.hidden(p, stones, planes[:1].copy())
    yield "a channel after the colours", lambda: core.hidden(p, stones, one)
    yield "others", lambda: core.contrast(p, stones, stones[:1].copy(), planes)
    yield "at least one board", lambda: core.contrast(p, stones[:0].copy(), stones[:0].copy(), planes[:0].copy())
    yield "two arrays", lambda: core.learn(p, p, stones, planes, **step)
    yield "at least one board", learn(batch=0)
    yield "threads", learn(threads=0)
    yield "rate", learn(rate=-1.0)
    yield "momentum", learn(momentum=float("nan"))
    yield "target", learn(target=2.0)
    yield "chains", learn(chains=stones[:1].copy())
    yield "stones are", learn(chains=stones * 5)


@pytest.mark.parametrize(("why", "call"), [pytest.param(*each, id=str(i)) for i, each in enumerate(bad_calls())])
def test_the_core_refuses_nonsense(why, call):
    with pytest.raises(ValueError, match=why) as refusal:
        call()
    assert "\n" not in str(refusal.value)
