"""The models that ship, on the games that ship: they keep what was measured when they were made."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from tengen.corpus.dataset import DataSet
from tengen.corpus.store import Store
from tengen.judge.score import score
from tengen.measure.ownership import ownership_errors
from tengen.models.files import read_card
from tengen.models.registry import find

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
WEIGHTS = Path(tengen.__file__).parent / "weights"


def sample(size, finals=None, count=150):
    data = DataSet(Store(CORPUS), "gnugo", size=size, split=None, finals=finals, seed=0, batch=count)
    return next(iter(data))


def errors(name, batch):
    said = tengen.load(name).ownership_many(batch.boards)
    targets = np.nan_to_num(batch.targets)
    return ownership_errors(said, targets, np.isfinite(batch.targets).astype(float), soft=True)


@pytest.mark.parametrize(("size", "worst"), [(9, 0.02), (19, 0.03)])
def test_the_default_estimate_beats_the_simple_ones_on_the_games_that_ship(size, worst):
    batch = sample(size)
    found = {
        name: errors(name, batch) for name in ("default", "territory/bma", "territory/naive", "territory/influence")
    }
    assert found["default"].vertex.mean() < worst
    for name in ("territory/bma", "territory/naive", "territory/influence"):
        assert found["default"].log_likelihood.mean() > found[name].log_likelihood.mean()


@pytest.mark.parametrize("kind", ["net", "mrf", "messages"])
def test_models_on_the_fate_graph_beat_the_simple_ones_on_the_games_that_ship(kind):
    batch = sample(9)
    found, *others = (errors(f"territory/{name}", batch) for name in (f"fate-{kind}", "naive", "influence"))
    assert found.vertex.mean() < 0.03
    assert all(found.log_likelihood.mean() > other.log_likelihood.mean() for other in others)


@pytest.mark.parametrize(
    ("file", "limit"),
    [
        ("bma", 2_000_000),
        ("pattern-crf", 10_000),
        ("judge", 1_000_000),
        ("fate-net", 500_000),
        ("fate-mrf", 500_000),
        ("fate-messages", 500_000),
    ],
)
def test_weights_are_small_and_say_where_they_come_from(file, limit):
    path = WEIGHTS / f"{file}.safetensors"
    assert path.stat().st_size <= limit
    card = read_card(path)
    assert find(card.name).weights == path.name
    assert card.command.startswith(f"tengen fit {card.name} ")
    assert card.sources
    assert card.metrics


def test_the_judge_agrees_with_gnugo_on_the_games_that_ship():
    batch = sample(9, finals=True, count=100)
    wrong = chains = 0
    for stones, target in zip(batch.boards, batch.targets, strict=True):
        board = tengen.Board.from_stones(stones)
        for verdict in score(board).verdicts:
            owner = target[tengen.point(verdict.points[0], 9)] * (1 if verdict.colour == "black" else -1)
            chains += 1
            wrong += (verdict.alive >= 0.5) != (owner >= 0)
    assert chains > 500
    assert wrong / chains < 0.01
