"""Packs of the small network: what is in them, how they are read, and that a tiny network learns from them."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (pip install 'tengen[corpus]')")

from tests.cli.program import call
from tests.nets.tiny import tiny_weights

import tengen
from tengen.corpus.dataset import DataSet, DataSets
from tengen.corpus.plays import Plays
from tengen.corpus.replay import SHARD_NUMBERS, moves_at
from tengen.corpus.store import Store
from tengen.errors import ModelError, TengenError
from tengen.models.files import read_card
from tengen.models.fitting import fit_model
from tengen.nets import packs
from tengen.nets.inputs import PLANES, inputs_of, planes_of
from tengen.nets.packs import pack_corpus
from tengen.nets.small import SmallNet

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "examples" / "corpus"
NO_TORCH = "torch is not installed (pip install 'tengen[net]')"
NO_ONNX = "onnx is not installed (pip install 'tengen[net]')"
LABELS = {"ownership", "moves", "shares", "lead", "winrate"}


def corpus(sizes=(9, 19), **how):
    return DataSets(tuple(DataSet(Store(CORPUS), "gnugo", size=size, seed=None, **how) for size in sizes))


def chunks(files):
    """The chunks of packs, in order: board size and columns."""
    for file in files:
        with np.load(file) as pack:
            assert pack["planes"].tolist() == list(PLANES)
            found = {}
            for key in pack.files:
                if key[0].isdigit():
                    number, size, column = key.split(".")
                    found.setdefault((number, size), {})[column] = pack[key]
            yield from ((size, columns) for (_, size), columns in found.items())


def words(columns):
    """The facts of points [n, points]."""
    return np.ascontiguousarray(np.moveaxis(columns["facts"], 0, -1)).view("<u4")[..., 0]


def test_packs_hold_what_the_corpus_holds(tmp_path):
    data = corpus()
    files = pack_corpus(data, tmp_path, plays=0.1)
    assert {name: [file.name for file in some] for name, some in files.items()} == {
        "train": ["train-0.npz"],
        "valid": ["valid-0.npz"],
    }
    found = list(chunks(files["train"]))
    assert [size for size, _ in found] == ["9x9", "19x19", "9x9", "19x19"]
    for (_, columns), part in zip(found, data.parts, strict=False):
        batch = part.positions(0)
        facts, numbers = inputs_of(batch.positions)
        turn = batch.to_play[:, None]
        assert np.array_equal(words(columns), facts.reshape(len(batch), -1))
        assert np.array_equal(columns["numbers"], numbers)
        own = columns["ownership"] / 25 * turn
        expected = batch.targets.reshape(len(batch), -1)
        assert np.array_equal(columns["ownership"] == -128, np.isnan(expected))
        assert np.abs(own - expected)[~np.isnan(expected)].max() <= 0.0201
        assert np.allclose(columns["lead"] * turn[:, 0], batch.leads)
        events = part.store.table(0, ["events"])["events"]
        assert np.array_equal(
            columns["played"], np.minimum(moves_at(events, batch.games % SHARD_NUMBERS, batch.turns), part.size**2)
        )
    for size, columns in found[2:]:
        plays = Plays(data.parts[0].store, size=int(size.split("x")[0]), sample=1.0, games=0.1).positions(0)
        assert not columns.keys() & LABELS
        assert np.array_equal(columns["played"], plays.moves)
        assert np.array_equal(words(columns), inputs_of(plays.positions)[0].reshape(len(plays), -1))


def test_games_for_testing_are_never_packed(tmp_path):
    for split in ("test", None, "valid"):
        with pytest.raises(TengenError, match="training and validation"):
            pack_corpus(corpus(split=split), tmp_path, plays=0)
    files = pack_corpus(corpus(), tmp_path, plays=0)
    count = sum(len(columns["played"]) for _, columns in chunks(files["valid"]))
    assert count == sum(len(replace(part, split="valid").positions(0)) for part in corpus().parts)


def test_a_stopped_job_goes_on_after_its_last_complete_pack(tmp_path, monkeypatch):
    whole = pack_corpus(corpus(), tmp_path / "whole", plays=0.1)
    monkeypatch.setattr(packs, "CHUNK", 100)
    monkeypatch.setattr(packs, "PACK_BYTES", 20_000)
    parts = pack_corpus(corpus(), tmp_path / "parts", plays=0.1)["train"]
    assert len(parts) > 3
    kept = [file.read_bytes() for file in parts]
    for file in parts[2:]:
        file.unlink()
    (tmp_path / "parts" / "train-2.part").write_bytes(b"stopped")
    assert pack_corpus(corpus(), tmp_path / "parts", plays=0.1)["train"] == parts
    assert len(list((tmp_path / "parts").iterdir())) == len(parts) + 1  # and the pack of validation games
    for column in ("facts", "played"):
        for size in ("9x9", "19x19"):
            axis = 1 if column == "facts" else 0
            one, other = (
                np.concatenate([each[column] for at, each in chunks(files) if at == size], axis)
                for files in (whole["train"], parts)
            )
            assert np.array_equal(one, other)
    assert [len(file.read_bytes()) for file in parts] == [len(each) for each in kept]
    with pytest.raises(TengenError, match="packed from other data"):
        pack_corpus(corpus(), tmp_path / "parts", plays=0.2)


def test_weights_from_another_machine_become_a_model(tmp_path):
    pytest.importorskip("onnx", reason=NO_ONNX)
    about = {"blocks": 2, "channels": 4, "steps": 7, "positions": 700, "finished": True, "facts": list(PLANES)}
    file = tmp_path / "network-2x4.npz"
    np.savez(file, about=json.dumps(about), **tiny_weights())
    metrics = fit_model(SmallNet(blocks=2, channels=4), corpus((9,)), tmp_path / "net.safetensors", work=tmp_path)
    card = read_card(tmp_path / "net.safetensors")
    assert (card.settings["steps"], card.metrics["trained_positions"]) == (7, 700)
    assert 0 <= metrics["vertex_error"] <= 1
    assert tengen.estimate(tengen.Board(9), model=tmp_path / "net.safetensors").ownership.shape == (9, 9)
    np.savez(file, about=json.dumps({**about, "facts": ["board"]}), **tiny_weights())
    with pytest.raises(ModelError, match="other planes"):
        SmallNet().take_weights(file)
    file.write_bytes(b"PK\3\4 damaged")
    with pytest.raises(ModelError, match="not the weights"):
        SmallNet().take_weights(file)
    for said, words in (({"blocks": 2}, "does not say channels, steps"), ([], "does not say blocks")):
        np.savez(file, about=json.dumps(said), **tiny_weights())
        with pytest.raises(ModelError, match=words):
            SmallNet().take_weights(file)
    weights = tiny_weights()
    weights.pop("owner.bias")
    np.savez(file, about=json.dumps(about), **weights)
    with pytest.raises(ModelError, match=r"layer 'owner.bias' is missing"):
        SmallNet().take_weights(file)


def test_weights_are_not_taken_for_another_number_of_steps(tmp_path):
    pytest.importorskip("onnx", reason=NO_ONNX)
    about = {"blocks": 2, "channels": 4, "steps": 7, "positions": 700, "finished": True, "facts": list(PLANES)}
    np.savez(tmp_path / "network-2x4.npz", about=json.dumps(about), **tiny_weights())
    asked = SmallNet(blocks=2, channels=4, steps=7)
    assert asked.fit_corpus(corpus((9,)), work=tmp_path)["trained_positions"] == 700
    with pytest.raises(ModelError, match="has 7 steps, more than 6"):
        SmallNet(blocks=2, channels=4, steps=6).fit_corpus(corpus((9,)), work=tmp_path)
    with pytest.raises(ModelError, match="checkpoint is not in the folder"):
        SmallNet(blocks=2, channels=4, steps=8).fit_corpus(corpus((9,)), work=tmp_path)


@pytest.mark.slow
def test_more_steps_than_the_weights_have_go_on_with_the_training(tmp_path):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    pytest.importorskip("onnx", reason=NO_ONNX)
    torch.set_num_threads(1)
    for steps in (2, 3):
        model = SmallNet(blocks=1, channels=4, steps=steps)
        model.fit_corpus(corpus((9,)), work=tmp_path)
        assert model.steps == steps
    assert not list(tmp_path.glob("*.part"))
    (tmp_path / "checkpoint-1x4.pt").write_bytes(b"damaged")
    with pytest.raises(ModelError, match="delete it to start anew"):
        SmallNet(blocks=1, channels=4, steps=4).fit_corpus(corpus((9,)), work=tmp_path)


def test_labels_of_exactly_a_fifth_count_for_the_sign_error():
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    from tengen.nets.training import Positions, measure

    class Wrong(torch.nn.Module):
        """Gives every point to the other side."""

        def forward(self, planes, numbers):
            n, _, height, width = planes.shape
            return -torch.ones(n, height, width), torch.zeros(n, 2, height * width + 1), torch.zeros(n, 4)

    own = np.zeros((1, 4), np.int8)
    own[0] = (5, 4, -5, -128)
    columns = {
        "facts": np.zeros((1, 4), np.uint32),
        "numbers": np.zeros((1, 3), np.float32),
        "played": np.full(1, -1, np.int16),
        "left": np.ones(1, np.int16),
        "ownership": own,
        "moves": np.zeros((1, 8), np.uint16),
        "shares": np.zeros((1, 8), np.uint8),
        "lead": np.full(1, np.nan, np.float32),
        "winrate": np.full(1, np.nan, np.float32),
    }
    found = measure(Wrong(), [Positions(columns, 2, 2, list(PLANES), "cpu")])
    assert found["2×2 mid-game"]["sign_error"] == 0.5  # of the points with 0.2 and −0.2; 0.16 is too small
    assert "lead_error" not in found["2×2 mid-game"]


def test_a_lead_without_a_winrate_is_learned():
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    from tengen.nets.training import Network, loss_of

    network = Network(len(PLANES), 3, 1, 4)
    nothing, policy = torch.full((2,), torch.nan), torch.zeros(2, 2, 10)
    batch = {
        "planes": torch.zeros(2, len(PLANES), 3, 3),
        "numbers": torch.zeros(2, 3),
        "policy": policy,
        "own": torch.full((2, 3, 3), -128.0),
        "ownership": torch.zeros(2, 9),
        "winrate": nothing,
        "lead": torch.tensor([20.0, torch.nan]),
    }
    parts = loss_of(network, batch)[1]
    assert parts["lead"] > 10
    assert parts["winrate"] == parts["spread"] == 0
    parts = loss_of(network, batch | {"winrate": torch.tensor([torch.nan, 0.9]), "lead": nothing})[1]
    assert parts["winrate"] > 0
    assert parts["lead"] == parts["spread"] == 0


def test_packs_are_read_into_tensors(tmp_path):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    from tengen.nets.training import load_packs

    files = pack_corpus(corpus(), tmp_path, plays=0.1)
    read = load_packs(files["train"], "cpu")
    assert [(part.title, part.labelled) for part in read] == [
        ("9×9", False),
        ("9×9", True),
        ("19×19", False),
        ("19×19", True),
    ]
    batch = corpus().parts[0].positions(0)
    rows = torch.arange(len(batch))
    made = read[1].batch(rows, turn=False)
    facts = inputs_of(batch.positions)[0]
    assert np.array_equal(made["planes"].numpy()[:, 1], facts >> 1 & 1)
    assert np.array_equal(made["policy"].numpy()[:, 1].sum(1), (made["played"].numpy() >= 0))
    turned = read[1].batch(rows, turn=True)
    assert torch.equal(turned["planes"][:, 1].sum((1, 2)), made["planes"][:, 1].sum((1, 2)))


@pytest.mark.slow
def test_a_tiny_network_learns_and_goes_on_from_its_checkpoint(tmp_path):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    pytest.importorskip("onnx", reason=NO_ONNX)
    from tengen.nets.training import Network, train_folder

    torch.set_num_threads(1)
    pack_corpus(corpus(), tmp_path, plays=0.1)
    sizes = ["--blocks=2", "--channels=8", "--batch=16", "--rate=0.01"]
    first = train_folder([str(tmp_path), *sizes, "--steps=1"])
    assert first["training"]["steps"] == 1
    last = train_folder([str(tmp_path), *sizes, "--steps=250"])
    assert last["training"]["steps"] == 250
    assert last["9×9 final"]["mse"] < 0.9 * first["9×9 final"]["mse"]

    file = tmp_path / "net.safetensors"
    fit_model(SmallNet(blocks=2, channels=8), corpus((9,)), file, work=tmp_path)  # takes the weights that are there
    model = tengen.load(file)
    assert model.steps == 250
    with np.load(tmp_path / "network-2x8.npz") as found:
        weights = {name: torch.tensor(found[name]) for name in found.files if name != "about"}
    network = Network(len(PLANES), 3, 2, 8)
    network.load_state_dict(weights)
    rows = corpus().parts[0].positions(0).take(slice(0, 20)).positions
    facts, numbers = inputs_of(rows)
    planes = torch.tensor(planes_of(facts))
    own = network(planes, torch.tensor(numbers))[0].tanh().detach().numpy() * rows.to_play[:, None, None]
    assert np.allclose(model.evaluate(rows).ownership, own, atol=5e-3)  # weights in half precision


@pytest.mark.slow
def test_the_training_file_runs_alone(tmp_path):
    pytest.importorskip("torch", reason=NO_TORCH)
    pack_corpus(corpus((9,)), tmp_path, plays=0)
    alone = tmp_path / "training.py"
    alone.write_bytes((ROOT / "src" / "tengen" / "nets" / "training.py").read_bytes())
    command = [sys.executable, "-I", str(alone), str(tmp_path), "--blocks=1", "--channels=4", "--steps=2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["training"]["finished"]
    assert (tmp_path / "network-1x4.npz").exists()


def test_packs_from_the_command_line(tmp_path):
    options = ("--on", CORPUS, "--labels", "gnugo", "--labels", "vote")
    done = call("fit", "net/small", *options, "--set", "plays=0.1", "--pack", tmp_path / "packs", "-f", "json")
    told = json.loads(done.stdout)
    assert (told["train_packs"], told["valid_packs"]) == (1, 1)
    assert told["bytes"] == sum(file.stat().st_size for file in (tmp_path / "packs").iterdir())
    found = [(size, "ownership" in columns) for size, columns in chunks([tmp_path / "packs" / "train-0.npz"])]
    assert found == [("9x9", True), ("19x19", True)] * 2 + [("9x9", False), ("19x19", False)]
    wrong = call("fit", "territory/bma", *options, "--pack", tmp_path / "x", code=2)
    assert "-o FILE instead of --pack" in wrong.stderr
    wrong = call("fit", "net/small", *options, code=2)
    assert "--pack FOLDER" in wrong.stderr
    wrong = call("fit", "net/small", *options, "--split", "all", "--pack", tmp_path / "x", code=2)
    assert "leave out --split" in wrong.stderr
    wrong = call("fit", "net/small", *options, "--set", "plays=x", "--pack", tmp_path / "x", code=2)
    assert "plays is a share" in wrong.stderr
    assert "26" in call("fit", "net/small", *options, "--size", 26, "--pack", tmp_path / "x", code=2).stderr
    wrong = call("fit", "net/small", *options, "--size", 3, "--pack", tmp_path / "y", code=2)
    assert "no labelled position" in wrong.stderr
