"""One file and one line of the registry: an evaluator is then available everywhere by its name."""

import io
import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import tengen
from protocols.talking import Talk
from tengen.benchmarks.evaluators import evaluate_models
from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.go.positions import as_positions
from tengen.models import registry
from tengen.models.base import StoredModel
from tengen.models.evaluator import Evaluations
from tengen.models.leads import expected_lead
from tengen.models.registry import register, unregister
from tengen.protocols.analysis import Engine
from tengen.search.player import Player, Settings
from tengen.teachers.labelling import label_store

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

CORNER = "A1"


class Toy(StoredModel):
    """Every stone keeps its column, and everybody wants A1."""

    name = "toys/columns"
    gives = frozenset({"ownership", "policy", "lead"})
    share: float = 0.75

    def evaluate(self, positions):
        positions = as_positions(positions)
        ownership = self.share * np.sign(positions.stones.sum(1, keepdims=True) + np.zeros(positions.stones.shape))
        policy = np.where(positions.legal, 1e-3, 0)
        corner = (positions.height - 1) * positions.width
        policy[:, corner] = np.where(positions.legal[:, corner], 1.0, 0)
        policy /= policy.sum(1, keepdims=True)
        lead = np.array(
            [expected_lead(board, owner) for board, owner in zip(positions.boards(), ownership, strict=True)]
        )
        return Evaluations(ownership=ownership, policy=policy, lead=lead)


@pytest.fixture(autouse=True)
def toy():
    register(Toy)
    yield Toy.name
    unregister(Toy.name)


@pytest.fixture
def board():
    return tengen.Board.from_text([". X . O .", ". X . O .", ". X . O .", ". X . O .", ". X . O ."], komi=0.5)


def test_it_is_listed(toy):
    entry = tengen.models()[toy]
    assert (entry.gives, entry.fitted) == (("ownership", "policy", "lead"), True)


def test_it_estimates(toy, board):
    found = tengen.estimate(board, model=toy)
    assert found.ownership.tolist() == [[0, 0.75, 0, -0.75, 0]] * 5
    assert found.lead == -0.5
    assert found.policy.argmax() == board.index(CORNER)
    assert not pickle.loads(pickle.dumps(found)).policy.flags.writeable
    assert found.explain("B2")


def test_it_scores(toy, board):
    found = tengen.score(board, model=toy)
    assert found.result == "W+0.5"
    assert {verdict.alive for verdict in found.verdicts} <= {0.875, 1.0}


def test_it_guides_a_search_by_name(toy, board):
    plain = Player(board, Settings(playouts=100)).think()
    guided = Player(board, Settings(playouts=100, guide=toy)).think()
    prior = {candidate.move: candidate.prior for candidate in guided.candidates}
    assert max(prior, key=prior.get) == CORNER
    assert {candidate.move: candidate.prior for candidate in plain.candidates} != prior


def test_it_is_a_row_of_evaluate_and_a_teacher(toy, tmp_path):
    shutil.copytree(Path(__file__).parents[2] / "examples/corpus", tmp_path / "corpus")
    store = Store(tmp_path / "corpus")
    done = label_store(store, f"model:name={toy}", name="toy", limit=20, workers=1)
    assert (done.rows, done.failed) == (20, ())
    batch = next(iter(DataSet(Store(store.path), "toy", size=9, split=None)))
    assert set(np.unique(batch.targets)) <= {-0.75, 0.0, 0.75}
    assert np.isfinite(batch.policies).all()
    assert np.isfinite(batch.leads).all()
    rows = evaluate_models([tengen.load(toy)], DataSet(Store(store.path), "toy", size=9, split=None), sample=10)
    assert np.nanmax(rows.answers[0].ownership.errors.vertex) == 0


def test_gtp_shows_it(toy):
    talk = Talk("boardsize 5", "play b B3")
    assert "dboard/Ownership: toys.columns/tengen-ownership toys.columns" in talk("gogui-analyze_commands")
    assert talk("tengen-ownership toys.columns").splitlines()[0].split() == [
        "0.000",
        "0.750",
        "0.000",
        "0.000",
        "0.000",
    ]


def test_gogui_has_a_label_of_its_own_for_every_model(toy, monkeypatch):
    monkeypatch.setattr(registry, "_ENTRIES", registry.listing())
    for name in ("columns", "more/columns"):
        register(type("Other", (Toy,), {"name": name}))
    labels = [line.split("/")[1] for line in Talk()("gogui-analyze_commands").splitlines()]
    assert len({*labels}) == len(labels)
    assert {"Ownership: columns", "Ownership: more.columns", "Ownership: toys.columns"} <= {*labels}


def test_raw_output_is_the_evaluators(toy, monkeypatch):
    asked, evaluate = [], Toy.evaluate
    monkeypatch.setattr(Toy, "evaluate", lambda self, positions: asked.append(1) or evaluate(self, positions))
    talk = Talk("boardsize 5", "play b B3", model=toy)
    lines = talk("kata-raw-nn 0").splitlines()
    assert len(asked) == 1
    policy = [line.split() for line in lines[lines.index("policy") + 1 :][:5]]
    assert float(policy[4][0]) == max(float(share) for row in policy for share in row if share != "NAN")
    owners = lines[lines.index("whiteOwnership") + 1 :]
    assert float(owners[0].split()[1]) == -0.75


@pytest.mark.parametrize("kind", ["strong", "net"])
def test_analysis_is_guided_by_it(toy, kind):
    said = io.StringIO()
    engine = Engine(said.write, settings=Settings(playouts=50, guide=toy, kind=kind), workers=1)
    size = {"boardXSize": 5, "boardYSize": 5}
    engine.feed(json.dumps({"id": "q", **size, "rules": "chinese", "moves": [], "maxVisits": 50}))
    engine.finish()
    engine.close()
    answer = json.loads(said.getvalue())
    best = max(answer["moveInfos"], key=lambda info: info["prior"])
    assert best["move"] == CORNER


def test_a_session_searches_by_it(toy):
    talk = Talk("boardsize 5", settings=Settings(kind="net", guide=toy, playouts=20))
    assert talk("genmove b") == CORNER
    talk.session.waiting = iter([False] * 20 + [True] * 100).__next__
    first = talk("kata-analyze w 1 rootInfo true ownership true").split("\n")[0]
    assert "info move" in first
    owners = [float(word) for word in first.partition("ownership ")[2].split()[:25]]
    assert owners == [-0.75 if column == 0 else 0.0 for _ in range(5) for column in range(5)]
    talk("time_settings 0 1 1")
    talk("genmove w")
    assert talk.session.board.move_number == 2
