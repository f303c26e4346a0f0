"""Harvesting a corpus and fitting from the command line: the same counts whatever way they are added up."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

import tengen
from cli.program import call
from tengen.corpus.dataset import DataSet, DataSets
from tengen.corpus.importer import import_games
from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.go.lines import game_line
from tengen.models.files import read_card
from tengen.papers.sanner.data import chosen_games
from tengen.teachers.labelling import LabelledTurns, label_store
from tengen.territory import harvest as room
from tengen.territory.bma import BmaTree
from tengen.territory.counts import UNIT, PatternCounts, count_boards
from tengen.territory.harvest import count_data, harvest

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("finished-*.sgf"))
FIELDS = ("keys", "level", "parent", "relation", "neutral", "black", "white")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Ninety beginnings of the example games, labelled by a few playouts, in three shards."""
    folder = tmp_path_factory.mktemp("harvest")
    games = [tengen.read(path) for path in EXAMPLES]
    for shard in range(3):
        lines = [_beginning(game, length) for game in games for length in range(10 + shard, 40, 3)]
        (folder / f"{shard}.tsv").write_text("\n".join(lines) + "\n")
        import_games([folder / f"{shard}.tsv"], folder / "corpus", workers=1)
    made = Store(folder / "corpus")
    label_store(made, "playouts:n=16", name="few", turns=LabelledTurns("final"), workers=1)
    return made


def _beginning(game, length):
    part = tengen.Game.new(game.size, rules="chinese", komi=7)
    for move in game.moves[:length]:
        part.play(move.colour, move.point)
    return game_line(part, id=f"part:{game.size}-{length}")


def data_of(store, **options):
    return DataSet(store, "few", **{"size": 9, "split": None, "seed": None, **options})


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in FIELDS)


def test_a_harvest_counts_what_the_data_holds(store, tmp_path):
    data = data_of(store)
    assert same(harvest(data, tmp_path, workers=1), count_data(data))
    assert same(harvest(data, tmp_path / "hard", workers=2, hard=True), count_data(data, hard=True))


def test_unchanged_patterns_are_counted_once_wherever_a_shard_is_divided(tmp_path, monkeypatch):
    data = chosen_games(CORPUS, "gnugo", 6).data("patterns", 12)
    batch = data.positions(0)
    levels = count_boards(batch.boards, batch.targets, batch.weights, games=batch.games)
    monkeypatch.setattr(room, "BOARDS", 7)
    counts = harvest(data, tmp_path, workers=1, once=True, min_count=0)
    assert same(counts, PatternCounts.joined(levels))
    often = harvest(data, tmp_path, workers=1, once=True, min_count=3)
    rare = counts.level[np.isin(counts.keys, [key for level in levels for key in level.keys[level.met < 3 * UNIT]])]
    assert len(often) < len(counts) - 0.9 * len(rare)  # of the rare ones only parents stay
    assert (often.black + often.white >= 3).all()
    assert counts.black.sum() < harvest(data, tmp_path / "all", workers=1, min_count=0).black.sum()


def test_parts_of_the_keys_add_up_to_the_same(store, tmp_path, monkeypatch):
    whole = harvest(data_of(store), tmp_path, workers=1)
    monkeypatch.setattr(room, "PART", 100)
    assert same(harvest(data_of(store), tmp_path, workers=1), whole)


def test_a_stopped_harvest_goes_on(store, tmp_path):
    data = data_of(store)
    whole = harvest(data, tmp_path, workers=1)
    files = sorted(tmp_path.glob("*.safetensors"))
    assert len(files) == 3
    before = {path: path.stat().st_mtime_ns for path in files[1:]}
    files[0].unlink()
    assert same(harvest(data, tmp_path, workers=1), whole)
    assert {path: path.stat().st_mtime_ns for path in files[1:]} == before


def test_another_harvest_is_not_mixed_in(store, tmp_path):
    harvest(data_of(store), tmp_path, workers=1)
    with pytest.raises(TengenError, match="counts of another fit"):
        harvest(data_of(store), tmp_path, workers=1, hard=True)
    (tmp_path / "harvest.json").write_text("{")
    with pytest.raises(TengenError, match="counts of another fit"):
        harvest(data_of(store), tmp_path, workers=1)


def test_the_first_games_are_counted_alone(store, tmp_path):
    data = data_of(store, limit=7)
    games = np.concatenate([batch.games for batch in data])
    assert len(np.unique(games)) == 7
    assert len(np.unique(np.concatenate([batch.games for batch in data.epoch(1)]))) == 7
    assert same(harvest(data, tmp_path, workers=1), count_data(data))


def test_no_position_is_an_error_that_names_the_labels(store, tmp_path):
    with pytest.raises(TengenError, match="'few'"):
        harvest(data_of(store, size=5), tmp_path, workers=1)


def test_several_data_sets_are_harvested_as_one(store, tmp_path):
    nine, nineteen = data_of(store), data_of(store, size=19)
    both = DataSets((nine, nineteen))
    assert sum(map(len, both)) == sum(map(len, nine)) + sum(map(len, nineteen))
    assert same(harvest(both, tmp_path, workers=1), count_data([*nine, *nineteen]))
    assert [batch.boards.shape[1] for batch in DataSets((data_of(store, batch=5), nineteen))][:2] == [9, 19]


def run(*arguments):
    command = [sys.executable, "-m", "tengen", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_fit_writes_a_model_with_its_card(store, tmp_path):
    file = tmp_path / "bma.safetensors"
    options = ["--corpus", store.path, "--labels", "few", "--size", 9, "--split", "all", "--workers", 1]
    done = run(
        "fit", "territory/bma", *options, "--set", "templates=5", "--set", "prior=uniform", "-o", file, "-f", "json"
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    model = tengen.load(file)
    assert isinstance(model, BmaTree)
    assert model.templates == 5
    assert facts["model"] == model.identity
    card = read_card(file)
    assert "labels few" in card.sources[0]
    assert card.command.startswith("tengen fit territory/bma")
    assert not list(tmp_path.glob("*.work"))
    expected = BmaTree(templates=5).fit(data_of(store))
    assert np.array_equal(model.values_, expected.values_)


def test_fit_takes_several_sizes_and_keeps_a_small_table(store, tmp_path):
    file = tmp_path / "small.safetensors"
    options = ["--corpus", store.path, "--labels", "few", "--size", 9, "--size", 13, "--size", 7, "--workers", 1]
    done = run("fit", "territory/bma", *options, "--split", "all", "--set", "most=500", "-o", file, "-f", "json")
    assert done.returncode == 0, done.stderr
    card = read_card(file)
    assert [source.split(", ")[1] for source in card.sources] == ["9×9", "13×13"]
    assert 0 < card.metrics["patterns"] <= 500
    assert np.abs(tengen.load(file).ownership(tengen.read(EXAMPLES[0]).board())).max() > 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["territory/naive", "--labels", "few"], "nothing to learn"),
        (["territory/bma", "--labels", "none"], "it has few"),
        (["territory/bma", "--labels", "few", "--set", "depth=3"], "no such settings"),
        (["territory/bma", "--labels", "few", "--size", "7"], "no position of size 7"),
    ],
)
def test_what_cannot_be_fitted_says_why(store, tmp_path, arguments, said):
    done = call("fit", *arguments, "--corpus", store.path, "-o", tmp_path / "x.safetensors", code=2)
    assert said in done.stderr


def test_labels_may_be_in_one_of_several_corpora(store, tmp_path):
    options = ["--corpus", store.path, "--corpus", CORPUS, "--labels", "few", "--labels", "gnugo", "--size", 9]
    done = run("fit", "territory/smallest", *options, "--limit", 20, "--workers", 1, "-o", tmp_path / "x.safetensors")
    assert done.returncode == 0, done.stderr
    sources = read_card(tmp_path / "x.safetensors").sources
    assert [source.split()[1] for source in sources] == ["few", "gnugo"]
