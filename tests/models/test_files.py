"""Model files: what they hold, that they repeat, and what is said of files that are something else."""

import json
import pickle
import struct

import numpy as np
import pytest

import tengen
from tengen.errors import ModelError
from tengen.models.base import OwnershipModel
from tengen.models.files import Card, read_card, read_model, write_model
from tengen.models.state import identity
from tengen.territory.block import BlockCrf


class Constant(OwnershipModel):
    """Gives every point the same share."""

    name = "territory/constant"

    gain: float = 1.0
    words: tuple = ("a", "b")

    def __post_init__(self):
        self.share_ = np.array([0.25, -0.5])

    def ownership(self, board):
        return np.full((board.height, board.width), self.gain * self.share_[0])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "constant.safetensors"
    Constant(gain=0.5).save(path, sources=["games we made"], metrics={"brier": 0.125}, command="tengen fit constant")
    return path


def header_of(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def rewrite(path, card, rest=None):
    """Put another model card into a file."""
    header, tensors = header_of(path)
    header["__metadata__"] = {"tengen": card if isinstance(card, str) else json.dumps(card)}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + (tensors if rest is None else rest))


def card_of(path):
    return json.loads(header_of(path)[0]["__metadata__"]["tengen"])


def test_the_card_says_what_the_file_is_and_how_it_was_made(path):
    card = read_card(path)
    assert (card.name, card.version, card.format) == ("territory/constant", 1, 1)
    assert card.settings == {"gain": 0.5, "words": ["a", "b"]}
    assert (card.sources, card.metrics, card.command) == (["games we made"], {"brier": 0.125}, "tengen fit constant")
    assert card.created_by == f"tengen {tengen.__version__}"
    assert card.identity == identity(Constant.load(path))


def test_learned_arrays_and_hyper_parameters_come_back(path):
    model = Constant.load(path)
    assert model.gain == 0.5
    assert model.share_.tolist() == [0.25, -0.5]
    assert model.ownership(tengen.Board(2)).tolist() == [[0.125, 0.125], [0.125, 0.125]]


def test_the_same_model_gives_the_same_bytes(path, tmp_path):
    other = tmp_path / "other.safetensors"
    Constant.load(path).save(other, sources=["games we made"], metrics={"brier": 0.125}, command="tengen fit constant")
    assert other.read_bytes() == path.read_bytes()


def test_identity_follows_the_content():
    model = Constant()
    assert identity(model) == identity(Constant())
    assert identity(model) != identity(Constant(gain=0.5))
    before = identity(model)
    model.share_ = model.share_ + 1
    assert identity(model) != before
    assert identity(model).startswith("territory/constant@")


def test_arrays_of_every_order_are_stored_as_they_are(tmp_path):
    arrays = {"a_": np.arange(6, dtype=">i4").reshape(2, 3).T, "b_": np.zeros((0, 3), np.float32)}
    write_model(tmp_path / "m", Card("x"), arrays)
    _, back = read_model(tmp_path / "m")
    assert back["a_"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (back["b_"].shape, back["b_"].dtype) == ((0, 3), np.float32)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "an empty file"),
        (b"abc", "a file of unknown kind"),
        (pickle.dumps({"weights": [1.0] * 9}), "a Python pickle, which is never loaded"),
        (b"PK\x03\x04" + bytes(60), "a zip archive"),
        (b"(;GM[1]SZ[9];B[ee])", "a game record"),
        (b'{"weights": [1, 2, 3]}', "a JSON text"),
        (b"\xff" * 8 + b"{}", "cut short"),
        (struct.pack("<Q", 4) + b"{nil", "header is not JSON"),
        (struct.pack("<Q", 2) + b"{}", "a safetensors file of another program"),
    ],
)
def test_other_files_are_named_for_what_they_are(tmp_path, data, said):
    path = tmp_path / "m.safetensors"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=said):
        read_model(path)
    with pytest.raises(ModelError, match="safetensors"):
        tengen.load(path)


def test_a_missing_file_stays_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        tengen.load(tmp_path / "nothing.safetensors")
    with pytest.raises(FileNotFoundError):
        tengen.load("nothing.safetensors")


def test_a_file_cut_anywhere_is_refused(path):
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ModelError):
            read_model(path)


def test_a_flipped_bit_is_found_or_harmless(path):
    data = path.read_bytes()
    card, arrays = read_model(path)
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        try:
            found, back = read_model(path)
        except ModelError:
            continue
        assert (found.name, found.settings, found.version) == (card.name, card.settings, card.version)
        assert all((arrays[key] == back[key]).all() for key in arrays)


def test_a_newer_format_is_named(path):
    rewrite(path, {**card_of(path), "format": 2, "created_by": "tengen 9.0"})
    with pytest.raises(ModelError, match=r"territory/constant in format 2, made by tengen 9\.0; this release reads 1"):
        read_model(path)


@pytest.mark.parametrize(
    "card",
    ["[]", "{}", "not json", '{"format": 1}', '{"format": 1e999}', "[" * 100_000, '{"format": "one"}', "1"],
)
def test_a_damaged_card_is_refused(path, card):
    rewrite(path, card)
    with pytest.raises(ModelError, match="card is damaged"):
        read_model(path)


def test_a_card_that_lies_is_found_out(path):
    rewrite(path, {**card_of(path), "settings": {"gain": 0.75, "words": []}})
    with pytest.raises(ModelError, match="damaged"):
        read_model(path)


def test_a_model_of_another_kind_is_not_loaded(path):
    with pytest.raises(ModelError, match="holds territory/constant version 1, not territory/naive version 1"):
        type(tengen.load("territory/naive")).load(path)
    with pytest.raises(ModelError, match="no model 'territory/constant'"):
        tengen.load(path)


def test_a_file_cannot_replace_what_a_class_has(tmp_path):
    path = tmp_path / "m.safetensors"
    write_model(path, Card("territory/naive", {"depth": 3}), {})
    with pytest.raises(ModelError, match="no such hyper-parameters: depth"):
        tengen.load(path)
    write_model(path, Card("territory/naive"), {"Ownership": np.zeros(1)})
    with pytest.raises(ModelError, match="'Ownership' is not the name of a learned array"):
        tengen.load(path)


def test_what_json_cannot_hold_is_refused_and_leaves_no_file(tmp_path):
    path = tmp_path / "m.safetensors"
    for gain in (object(), float("nan")):
        with pytest.raises(ModelError, match=r"hyper-parameters are|gain: a finite number"):
            Constant(gain=gain).save(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["false", 1, None])
def test_a_switch_is_true_or_false(given, tmp_path):
    path = tmp_path / "m.safetensors"
    write_model(path, Card("territory/block", {"neighbours": given}), {})
    for made in (lambda: BlockCrf(neighbours=given), lambda: tengen.load(path)):
        with pytest.raises(ModelError, match="territory/block: neighbours is true or false, not"):
            made()


def test_a_failed_write_leaves_the_old_file(path):
    before = path.read_bytes()
    with pytest.raises(ModelError):
        Constant(gain=object()).save(path)
    assert path.read_bytes() == before
