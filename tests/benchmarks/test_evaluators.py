"""Evaluating models on a corpus."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.benchmarks.evaluators import evaluate_models, fixed_sample
from tengen.corpus.dataset import DataSet
from tengen.corpus.importer import import_games
from tengen.corpus.store import Store
from tengen.models.base import MoveModel
from tengen.models.evaluator import Evaluations
from tengen.models.registry import register, unregister
from tengen.teachers.labelling import LabelledTurns, label_store
from tests.benchmarks.toys import FirstPoint
from tests.cli.program import call

ROOT = Path(__file__).resolve().parents[2]


class Hopeful(MoveModel):
    """Spreads its moves evenly, and gives Black half the games and no lead."""

    name = "test/hopeful"
    gives = frozenset({"policy", "winrate", "lead"})

    def evaluate(self, positions):
        policy = positions.legal / positions.legal.sum(1, keepdims=True)
        return Evaluations(policy=policy, winrate=np.full(len(policy), 0.5), lead=np.zeros(len(policy)))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate") / "corpus"
    import_games(sorted((ROOT / "examples").glob("finished-*.sgf")), folder, workers=1)
    store = Store(folder)
    label_store(store, "playouts", name="vote", workers=1)
    label_store(store, "playouts:n=20", name="many", turns=LabelledTurns("random", 30), workers=1)
    label_store(store, "model:name=territory/playouts", name="played", turns=LabelledTurns("random", 3), workers=1)
    register(FirstPoint)
    label_store(store, "model:name=test/first", name="first", turns=LabelledTurns("random", 10), workers=1)
    unregister(FirstPoint.name)
    return store


def data(store, labels, **options):
    return DataSet(store, labels, size=9, split=None, seed=None, **options)


def test_the_naive_model_errs_where_stones_are_dead(store):
    evaluation = evaluate_models([tengen.load("territory/naive")], data(store, "vote"))
    answers = evaluation.answers[0].ownership
    game = tengen.read(ROOT / "examples" / "finished-9x9.sgf")
    owner = tengen.score(game).owner
    naive = tengen.load("territory/naive").ownership(game.board())
    wrong = np.where(naive == 0, 0.5, naive != owner)[owner != 0].mean()
    assert answers.errors.vertex.tolist() == [pytest.approx(wrong)]
    assert answers.wrong_chains.tolist() == [3]
    assert answers.chains.tolist() == [len(game.board().chains())]


def test_every_model_sees_the_same_sample_whatever_the_order(store):
    one = fixed_sample(data(store, "many"), 10)
    other = fixed_sample(DataSet(store, "many", size=9, split=None, seed=3, batch=4), 10)
    assert len(one) == 10
    assert sorted(map(bytes, one.boards)) == sorted(map(bytes, other.boards))


def test_models_of_one_name_are_told_apart_by_what_was_given(store):
    given = ["a.safetensors", "b.safetensors", "territory/naive"]
    models = [tengen.load(f"territory/{name}") for name in ("influence", "influence", "naive")]
    evaluation = evaluate_models(models, data(store, "vote"), given=given)
    assert [answers.name for answers in evaluation.answers] == given


def test_the_better_model_wins_the_paired_comparison(store):
    models = [tengen.load("territory/naive"), tengen.load("territory/playouts")]
    evaluation = evaluate_models(models, data(store, "many"), sample=30)
    naive, playouts = (np.nanmean(answers.ownership.errors.vertex) for answers in evaluation.answers)
    assert playouts < naive
    assert "territory/playouts" in evaluation.comparisons().text()


def test_moves_and_values_are_compared_with_what_the_labels_hold(store):
    evaluation = evaluate_models([FirstPoint(), Hopeful()], data(store, "first"))
    [table] = evaluation.tables()
    assert [column.name for column in table.columns][2:-1] == ["top-1", "top-5", "policy log-likelihood"]
    first, hopeful = ([cell.value for cell in row[2:-1]] for row in table.rows)
    assert first == [1, 1, 0]
    assert hopeful[0] == 0
    legal = evaluation.sample.positions.legal.sum(1)
    assert hopeful[2] == pytest.approx(-np.log(legal).mean())
    with pytest.raises(tengen.TengenError, match="labels 'first' hold policy, none of which territory/naive gives"):
        evaluate_models([FirstPoint(), tengen.load("territory/naive")], data(store, "first"))
    with pytest.raises(tengen.TengenError, match="plots show ownership"):
        evaluation.plot(store.path / "plots")


def test_a_model_of_games_to_the_end_has_a_row_for_its_leads_and_winrates(store):
    evaluation = evaluate_models([tengen.load("territory/playouts"), Hopeful()], data(store, "played"))
    ownership, values = evaluation.tables()
    assert [row[0] for row in ownership.rows] == ["territory/playouts"]
    place = {column.name: i for i, column in enumerate(values.columns)}
    brier, lead = place["winrate Brier"], place["lead error"]
    same, other = values.rows
    assert (same[brier].value, same[lead].value) == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-4))
    assert other[brier].value == pytest.approx(((evaluation.sample.winrates - 0.5) ** 2).mean())


def test_progress_is_told(store):
    told = []
    models = [tengen.load("territory/naive")] * 2
    evaluate_models(models, data(store, "many"), sample=30, progress=lambda done, total: told.append((done, total)))
    assert told == [(30, 60), (60, 60)]


def test_the_command_prints_rows_and_draws(store, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    options = ["--on", store.path, "--labels", "many", "--size", "9", "--split", "all"]
    done = call(
        "evaluate", "territory/naive", "territory/influence", *options, "-f", "json", "--plot", tmp_path / "plots"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0]["model"] == "territory/naive"
    assert 0 < rows[0]["vertex error"]["value"] < 1
    assert rows[2]["against"] == "territory/naive"
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        "by-phase.svg",
        "calibration.svg",
        "vertex-error.svg",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["territory/naive", "--labels", "nothing"], "it has first, many, played, vote"),
        (["territory/wizard", "--labels", "vote"], "territory/naive"),
        (["territory/naive"], "--labels"),
        (["territory/naive", "--labels", "vote", "--size", "13", "--split", "valid"], "no position of size 13"),
        (["territory/naive", "--labels", "vote", "--positions", "some"], "mid-game"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_line(store, arguments, said):
    done = call("evaluate", *arguments, "--on", store.path, code=2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
