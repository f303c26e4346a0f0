"""Low's random field as a model: equal to its twin and to finite differences, learning, saving, resuming, reasons."""

import pickle
import re
import warnings
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import tengen
from naive.fate_mrf import RELATIONS, NaiveFateMrf
from tengen._core import FateTables
from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.errors import ConvergenceWarning, ModelError, TengenError
from tengen.go.symmetry import transform
from tengen.models.files import read_model, write_model
from tengen.territory.fate_mrf import FateMrf
from tengen.views.augmented_graph import augmented_graph

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KINDS = [{}, {"back_off": False}, {"sides": False}]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def lessons(limit=60, split="train"):
    return DataSet(Store(EXAMPLES / "corpus"), "gnugo", size=9, split=split, limit=limit, batch=16)


def small_boards(random, n=6):
    """Boards of at most nine nodes, which can be enumerated."""
    while n:
        stones = random.integers(-1, 2, (3, 4)).astype(np.int8)
        if len(augmented_graph(stones).sizes) <= 9:
            yield stones
            n -= 1


def owners(random, stones):
    return np.round(random.uniform(-1, 1, stones.shape), 2).astype(np.float32)


def random_field(random, boards, **kind):
    """A field with random tables for all that some boards need."""
    field = FateMrf(shrink=0.0, **kind).network()
    for stones in boards:
        learn(field, stones, owners(random, stones), 0.0)
    keys, tables, visits, nodes, node_visits, counts = field.parameters()
    change = random.normal(0, 0.4, tables.shape), random.normal(0, 0.4, nodes.shape)
    field.set_parameters(keys, tables + change[0], visits, nodes + change[1], node_visits, counts)
    return field


def learn(field, stones, targets, rate=0.1):
    return field.learn(stones[None], targets[None], np.ones_like(targets)[None], rate)[0]


def twin(field, kind):
    keys, tables, _, nodes, _, _ = field.parameters()
    return NaiveFateMrf(keys, tables, nodes, sides=kind.get("sides", True), back_off=kind.get("back_off", True))


def loss(model, data):
    """The mean loss per point on labelled boards, without learning."""
    field = model.network()
    batches = [field.learn(batch.boards, batch.targets, np.ones_like(batch.targets), 0.0) for batch in data]
    return np.concatenate(batches).mean()


def vertex_error(model, data):
    wrong = [np.sign(model.ownership_many(batch.boards)) != np.sign(batch.targets) for batch in data]
    return np.concatenate(wrong).mean()


@each_kind
def test_ownership_equals_enumeration(kind):
    random = np.random.default_rng(1)
    boards = list(small_boards(random))
    field = random_field(random, boards[:4], **kind)
    for stones in boards:
        assert np.allclose(field.evaluate(stones[None])[0], twin(field, kind).ownership(stones), atol=1e-10)


@each_kind
def test_tables_of_a_game_equal_the_twin(kind):
    random, game = np.random.default_rng(9), tengen.read(EXAMPLES / "finished-9x9.sgf")
    boards = [game.board(turn).stones for turn in range(0, len(game.moves), 9)]
    field = random_field(random, boards, **kind)
    naive = twin(field, kind)
    for stones in boards:
        graph = augmented_graph(stones)
        facts = np.stack([graph.types, graph.sides, graph.sizes, graph.liberties, graph.eyes], 1)
        edges = np.column_stack([graph.edges, graph.relations, graph.pairs])
        nodes, pairs = field.tables.lookup(facts, edges)
        labels = naive.labels(graph)
        assert np.allclose(nodes, [[naive.node(*label, x) for x in (0, 1)] for label in labels], atol=1e-12)
        for (i, j, relation, _), table in zip(edges.tolist(), pairs, strict=True):
            assert np.allclose(table, naive.table(labels[i], labels[j], relation), atol=1e-12)


@each_kind
def test_the_gradient_equals_finite_differences(kind):
    random, rate, width = np.random.default_rng(2), 1e-3, 1e-4
    for stones in small_boards(random, 2):
        field, targets = random_field(random, [stones], **kind), owners(random, stones)
        graph = augmented_graph(stones)
        counts = np.bincount(graph.node_of.ravel())
        black = (1 + np.bincount(graph.node_of.ravel(), targets.ravel()) / counts) / 2
        before = field.parameters()
        learn(field, stones, targets, rate)
        after = field.parameters()
        for table, visits in ((1, 2), (3, 4)):
            pace = rate / np.sqrt(np.maximum(after[visits], 1))[:, None]
            slopes = (after[table] - before[table]) / pace
            used = np.argwhere((after[visits] > before[visits])[:, None] & np.ones_like(slopes, bool))
            for row, state in random.permutation(used)[:8]:
                found = []
                for sign in (1, -1):
                    moved = [array.copy() for array in before]
                    moved[table][row, state] += sign * width
                    field.set_parameters(*moved)
                    found.append(twin(field, kind).log_likelihood(stones, black))
                assert slopes[row, state] == pytest.approx((found[0] - found[1]) / (2 * width), abs=1e-6)


def test_edges_that_look_alike_share_a_table():
    """Turned and reversed boards use the tables of the original, and give the same answers."""
    random = np.random.default_rng(3)
    boards = list(small_boards(random, 4))
    field = random_field(random, boards)
    rows = len(field)
    for stones in boards:
        owner = field.evaluate(stones[None])[0]
        assert np.array_equal(field.evaluate(-stones[None])[0], -owner)
        for k in range(8):
            turned = np.ascontiguousarray(transform(stones, k))
            assert np.allclose(field.evaluate(turned[None])[0], transform(owner, k), atol=1e-10)
            learn(field, -turned, owners(random, turned), 0.0)
    assert len(field) == rows


@pytest.mark.parametrize("shape", [(9, 9), (13, 13), (6, 11)])
def test_wide_boards_have_the_same_answers_in_every_orientation(shape):
    """Also where one orientation is narrow enough for elimination and another is not, or a board is symmetric."""
    random = np.random.default_rng(4)
    boards = random.choice(np.array([0, 0, 0, 1, -1], np.int8), (30, *shape))
    boards[0], boards[1], boards[2] = 0, 0, 0
    boards[1, 1, 1], boards[1, -2, -2] = 1, -1
    boards[2, shape[0] // 2, shape[1] // 2] = 1
    field = tengen.load("territory/fate-mrf").network()
    owners = field.evaluate(boards)
    assert np.array_equal(field.evaluate(-boards), -owners)
    for k in range(8):
        turned = field.evaluate(np.ascontiguousarray(transform(boards, k)))
        assert np.allclose(turned, transform(owners, k), atol=1e-12)


def test_learning_a_board_and_its_reversal_are_one():
    random = np.random.default_rng(4)
    stones = next(small_boards(random, 1))
    field, targets = random_field(random, [stones]), owners(random, stones)
    other = FateMrf(shrink=0.0).network()
    other.set_parameters(*field.parameters())
    assert learn(field, stones, targets) == pytest.approx(learn(other, -stones, -targets))
    for one, two in zip(field.parameters(), other.parameters(), strict=True):
        assert np.allclose(one, two, atol=1e-12)


def test_an_empty_board_belongs_to_nobody():
    model = FateMrf(epochs=1, min_visits=0).fit(lessons(5))
    assert np.array_equal(model.ownership(tengen.Board(9)), np.zeros((9, 9)))


def test_propagation_equals_elimination_on_trees():
    """Chains in stripes have no cycle, and neither has a wall between two regions."""
    random = np.random.default_rng(5)
    stripes, wall = (np.repeat(np.array([rows], np.int8).T, 4, 1) for rows in ([1, -1, -1, 1, -1, 1], [0, 0, 1, 0, 0]))
    for stones in (stripes, wall):
        graph = augmented_graph(stones)
        assert len(graph.edges) == len(graph.sizes) - 1
        field = random_field(random, [stones])
        found = []
        for how in ({"inference": "exact"}, {"inference": "bp", "step": 1.0}, {"inference": "bp", "step": 0.5}):
            other = FateMrf(**how).network()
            other.set_parameters(*field.parameters())
            found.append(other.evaluate(stones[None]))
        assert np.allclose(found[1], found[0], atol=1e-5)
        assert np.allclose(found[2], found[0], atol=1e-5)


def test_learning_lowers_loss_and_error_on_other_games():
    data, others = lessons(200), lessons(40, "valid")
    model = FateMrf(epochs=2, min_visits=0).fit(data)
    assert loss(model, others) < 0.5 * np.log(2)
    assert vertex_error(model, others) < 0.1


@pytest.mark.parametrize("kind", [*KINDS[1:], {"inference": "bp", "step": 0.5}, {"inference": "bp", "step": 1.0}])
def test_every_kind_learns(kind):
    data = lessons(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = FateMrf(epochs=2, min_visits=0, **kind).fit(data)
        assert loss(model, data) < 0.8 * np.log(2)


def test_boards_without_convergence_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.territory.ising.SWEEPS", {"bp": 1})
    with pytest.warns(ConvergenceWarning):
        facts = FateMrf(epochs=1, inference="bp").fit_corpus(lessons(5), work=tmp_path)
    assert 0 < facts["not_converged"] <= 1
    monkeypatch.undo()
    assert FateMrf(epochs=1).fit_corpus(lessons(5), work=tmp_path / "other")["not_converged"] == 0


def test_points_without_a_label_or_weight_teach_nothing():
    random = np.random.default_rng(6)
    stones = next(small_boards(random, 1))
    field, targets = random_field(random, [stones]), owners(random, stones)
    before = field.parameters()
    field.learn(stones[None], np.full_like(targets, np.nan)[None], np.ones_like(targets)[None], 0.1)
    field.learn(stones[None], targets[None], np.zeros_like(targets)[None], 0.1)
    for place in (1, 3):
        assert np.array_equal(before[place], field.parameters()[place])


def test_numbers_shrink_and_are_bounded():
    random = np.random.default_rng(7)
    stones = next(small_boards(random, 1))
    field = FateMrf(shrink=0.1).network()
    field.set_parameters(*random_field(random, [stones]).parameters())
    before = np.abs(field.parameters()[1]).sum()
    field.learn(stones[None], np.full((1, *stones.shape), np.nan, np.float32), np.ones((1, *stones.shape)), 1.0)
    assert np.abs(field.parameters()[1]).sum() < before
    for _ in range(50):
        learn(field, stones, np.ones(stones.shape, np.float32), 100.0)
    assert np.abs(field.parameters()[1]).max() <= 6
    assert np.abs(field.parameters()[3]).max() == 6


def test_rarely_visited_tables_are_dropped():
    data = lessons(20)
    whole, small = (FateMrf(epochs=1, min_visits=least).fit(data) for least in (0, 30))
    kept = whole.visits_ >= 30
    assert 0 < kept.sum() < len(kept)
    assert np.array_equal(whole.keys_[kept], small.keys_)
    assert np.array_equal(whole.tables_[kept], small.tables_)


def test_a_stopped_fit_resumes_without_loss(tmp_path, monkeypatch):
    monkeypatch.setattr("tengen.territory.fate_training.KEEP_EVERY", 2)
    data = lessons(20)
    whole, parts = FateMrf(epochs=2), FateMrf(epochs=2)
    facts = whole.fit_corpus(data, work=tmp_path / "one")

    class Stops:
        parts = data.parts

        def epoch(self, number):
            yield from islice(data.epoch(number), 3 if number else None)
            if number:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.fit_corpus(Stops(), work=tmp_path / "two")
    assert parts.fit_corpus(data, work=tmp_path / "two") == facts
    assert parts.identity == whole.identity
    assert facts["learned_positions"] == 2 * sum(len(batch) for batch in data)


def test_work_files_of_another_fit_are_refused(tmp_path):
    data = lessons(5)
    FateMrf(epochs=1).fit_corpus(data, work=tmp_path)
    with pytest.raises(ModelError, match="another fit"):
        FateMrf(epochs=1, back_off=False).fit_corpus(data, work=tmp_path)
    (tmp_path / "fate-mrf.npz").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="delete it"):
        FateMrf(epochs=1).fit_corpus(data, work=tmp_path)


def test_a_field_learns_apart_from_its_model():
    data = next(iter(lessons(10)))
    model = FateMrf(epochs=1, min_visits=0).fit([data])
    before, field = model.identity, model.network()
    field.learn(data.boards, data.targets, np.ones_like(data.targets), 0.1)
    assert model.identity == before
    assert model.take(field).identity != before


def test_files(tmp_path):
    data = lessons(10)
    model, path = FateMrf(epochs=1, min_visits=5).fit(data), tmp_path / "mrf.safetensors"
    model.save(path)
    boards = next(iter(data)).boards
    for again in (tengen.load(path), pickle.loads(pickle.dumps(model))):
        assert again.identity == model.identity
        assert np.array_equal(again.ownership_many(boards), model.ownership_many(boards))
    card, arrays = read_model(path)
    for name, array in {"keys_": arrays["keys_"][::-1].copy(), "node_tables_": arrays["node_tables_"][1:]}.items():
        write_model(path, card, arrays | {name: array})
        with pytest.raises(ModelError, match="arrays"):
            tengen.load(path)
    write_model(path, card, {"keys_": arrays["keys_"]})
    with pytest.raises(ModelError, match="arrays"):
        tengen.load(path)


def test_reasons_name_the_neighbours_that_push():
    model = FateMrf(epochs=2, min_visits=0).fit(lessons(60))
    board = tengen.read(EXAMPLES / "finished-9x9.sgf").board()
    reasons = [reason for point in ("A9", "E5", "G3") for reason in model.explain(board, point)]
    assert {reason.kind for reason in reasons} == {"ownership", "node", "neighbour"}
    for reason in reasons:
        if reason.kind == "neighbour":
            what, place = re.match(r"(?:The )?(.*) at (\w\d) \(", reason.sentence).groups()
            assert place in reason.points
            colour = {1: "black", -1: "white"}.get(int(board.stones[tengen.point(place, 9)]), "")
            assert what.startswith(colour)
            assert re.search(
                r" multiplies (Black|White)'s odds (by [\d.]+|more than a thousandfold)\.$", reason.sentence
            )


def test_a_push_is_what_leaving_out_a_table_changes():
    random = np.random.default_rng(8)
    stones = np.array([[1, 1, 0], [0, 0, 0], [0, -1, -1]], np.int8)
    field, graph = random_field(random, [stones]), augmented_graph(stones)
    own, *near = field.pushes(stones, 0)
    assert len(near) == (graph.edges == 0).any(1).sum()
    share = field.evaluate(stones[None])[0, 0, 0]
    naive, labels = twin(field, {}), graph.labels(True)
    naive.node = lambda one, other, x, node=naive.node: 0.0 if one == labels[0] else node(one, other, x)
    alone = naive.ownership(stones)[0, 0]
    assert (labels == labels[0]).sum() == 1
    assert own == pytest.approx(2 * (np.arctanh(share) - np.arctanh(alone)))


def test_settings_and_questions_before_learning():
    with pytest.raises(ModelError, match="not been fitted"):
        FateMrf().ownership(tengen.Board(9))
    bad_settings = [
        {"inference": "gibbs"},
        {"inference": "guess"},
        {"step": 0.0},
        {"rate": -1},
        {"shrink": 2},
        {"sides": 1},
        {"back_off": "no"},
        {"epochs": 0},
        {"min_visits": -1},
    ]
    for bad in bad_settings:
        with pytest.raises(TengenError):
            FateMrf(**bad)


def test_bad_lessons_are_refused():
    field, stones = FateMrf().network(), np.zeros((1, 3, 3), np.int8)
    good = np.zeros((1, 3, 3), np.float32)
    for targets, weights, rate in [(good[:, :2], good, 0.1), (good + 2, good, 0.1), (good, good - 1, 0.1)]:
        with pytest.raises(TengenError):
            field.learn(stones, targets, weights, rate)
    for weights, rate in ((good * np.nan, 0.1), (good, -1.0), (good, np.nan)):
        with pytest.raises(TengenError):
            field.learn(stones, good, weights, rate)
    with pytest.raises(TengenError, match="boards"):
        field.evaluate(stones[0])
    assert field.learn(stones[:0], good[:0], good[:0], 0.1).shape == (0,)
    assert field.evaluate(stones[:0]).shape == (0, 3, 3)


def test_bad_graphs_and_numbers_are_refused():
    tables = FateTables(True, True)
    nodes, edges = np.array([[1, 1, 1, 2, 0]] * 2, np.int32), np.array([[0, 1, 1, 0]], np.int32)
    slopes = np.zeros((2, 2)), np.zeros((1, 2, 2))
    assert [part.shape for part in tables.lookup(nodes, edges)] == [(2, 2), (1, 2, 2)]
    for column, value in ((0, 2), (1, -2), (2, 0), (3, -1), (4, -1)):
        wrong = nodes.copy()
        wrong[0, column] = value
        with pytest.raises(ValueError, match="nodes"):
            tables.lookup(wrong, edges)
    for column, value in ((0, -1), (1, 2), (2, RELATIONS)):
        wrong = edges.copy()
        wrong[0, column] = value
        with pytest.raises(ValueError, match="edges"):
            tables.lookup(nodes, wrong)
    refused = {
        "node_slopes": (slopes[0][:1], slopes[1], 0.1, 0.0),
        "edge_slopes": (slopes[0], slopes[1] + np.nan, 0.1, 0.0),
        "rate": (*slopes, -1.0, 0.0),
        "shrink": (*slopes, 0.1, 2.0),
    }
    for word, numbers in refused.items():
        with pytest.raises(ValueError, match=word):
            tables.add(nodes, edges, *numbers)
