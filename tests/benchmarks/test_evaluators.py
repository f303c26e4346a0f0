"""Evaluating models on a corpus."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.benchmarks.evaluators import evaluate_models, fixed_sample
from tengen.corpus.dataset import DataSet
from tengen.corpus.importer import import_games
from tengen.corpus.store import Store
from tengen.models.base import MoveModel, OwnershipModel
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
    label_store(store, "model:name=territory/playouts", name="played", turns=LabelledTurns("random", 8), workers=1)
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
    ownership, leads, values = evaluation.tables()
    assert [row[0] for row in ownership.rows] == ["territory/playouts", "null"]
    assert {row[0] for row in leads.rows} == {"territory/playouts", "test/hopeful", "null"}
    place = {column.name: i for i, column in enumerate(values.columns)}
    brier, lead = place["winrate Brier"], place["lead error"]
    same, other, _ = values.rows
    assert (same[brier].value, same[lead].value) == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-4))
    assert other[brier].value == pytest.approx(((evaluation.sample.winrates - 0.5) ** 2).mean())


def test_the_null_model_is_half_wrong_everywhere(store):
    evaluation = evaluate_models([tengen.load("territory/naive")], data(store, "many"), sample=30)
    null = dict(zip([column.name for column in evaluation.table().columns], evaluation.table().rows[1], strict=True))
    truth = np.nan_to_num(evaluation.sample.targets)
    some = (truth != 0).any((1, 2))
    assert (null["vertex error"].value, null["where sure"].value) == (0.5, 0.5)
    net = np.abs(truth.sum((1, 2)))[some] / (truth != 0).sum((1, 2))[some] / 2
    assert null["net error"].value == pytest.approx(net.mean())
    assert null["log-likelihood"].value == pytest.approx(np.log(0.5))
    assert null["ms"] is None


class Thrice(OwnershipModel):
    """Knows a third of what playouts know."""

    name = "test/thrice"

    def ownership(self, board):
        return tengen.load("territory/playouts").ownership(board) / 3


def test_a_lead_is_fitted_by_phase_and_shown_with_its_bias(store):
    evaluation = evaluate_models([Thrice()], data(store, "played"))
    table = evaluation.leads()
    rows = [dict(zip([column.name for column in table.columns], row, strict=True)) for row in table.rows]
    whole = next(row for row in rows if row["phase"] == "all" and row["model"] == "test/thrice")
    assert (whole["slope"], whole["tempo"]) == (pytest.approx(3, abs=0.01), pytest.approx(0, abs=0.05))
    sample, [said] = evaluation.sample, evaluation.answers
    komi = sample.positions.komi
    assert said.leads == pytest.approx((sample.leads + komi) / 3 - komi, abs=0.02)  # labels are in hundredths
    black = sample.to_play == 1
    assert whole["bias, Black to move"].value == pytest.approx((said.leads - sample.leads)[black].mean())
    assert sum(row["positions"] for row in rows[:-1] if row["model"] == "test/thrice") == 2 * len(sample)


def test_even_and_handicap_games_are_told_apart(store):
    evaluation = evaluate_models([tengen.load("territory/naive")], data(store, "many"), sample=30)
    assert not evaluation.games().rows
    sample = evaluation.sample
    handicap = np.where(np.arange(len(sample)) < 10, 4, 0).astype(np.int16)
    mixed = replace(evaluation, sample=replace(sample, positions=replace(sample.positions, handicap=handicap)))
    rows = mixed.games().rows
    assert [row[:3] for row in rows] == [
        ("territory/naive", "even", 20),
        ("territory/naive", "handicap", 10),
        ("null", "even", 20),
        ("null", "handicap", 10),
    ]
    errors = evaluation.answers[0].ownership.errors.vertex
    assert [row[3].value for row in rows[:2]] == [
        pytest.approx(np.nanmean(errors[10:])),
        pytest.approx(np.nanmean(errors[:10])),
    ]


def test_winrates_are_drawn_if_the_labels_have_them(store, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tengen[train]')")
    paths = evaluate_models([Thrice()], data(store, "played")).plot(tmp_path)
    assert [path.name for path in paths][3:] == ["winrates.svg"]
    assert paths[-1].read_text().startswith("<?xml")


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
    assert rows[2]["model"] == "null"
    assert rows[3]["against"] == "territory/naive"
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
