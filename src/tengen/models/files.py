"""Model files: one safetensors file with a model card inside. Nothing in it is ever executed.

Start at `write_model` and `read_model`. The card is JSON under the single metadata key "tengen": the order of several
keys is not fixed, and the same model must give the same bytes. The hash in the card covers name, version,
hyper-parameters and arrays, and reveals damaged files.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tengen.errors import ModelError
from tengen.go.files import write_atomically
from tengen.models.state import LEARNED, Arrays, canonical_json, content_hash

FORMAT = 1
"""The format version that this release writes. It does not read newer ones."""

MAX_BYTES = 1 << 30
"""Maximum size of a model file."""

_KEY = "tengen"
_KINDS = {
    b"PK\x03\x04": "a zip archive (a PyTorch checkpoint or numpy's npz?)",
    b"\x80": "a Python pickle, which is never loaded",
    b"\x1f\x8b": "a gzip file",
    b"\x93NUMPY": "a numpy array",
    b"(;": "a game record",
    b"{": "a JSON text",
    b"version https://git-lfs": "a Git LFS pointer, not the file itself",
}


@dataclass(frozen=True)
class Card:
    """The model card: content and origin of a model file."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    version: int = 1
    """Version of the algorithm, raised when the same parameters give different answers."""
    sources: list[str] = field(default_factory=list)
    """Where the training data came from."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Metrics measured after fitting."""
    command: str = ""
    created_by: str = ""
    """The release that wrote it."""
    hash: str = ""
    """The hash of the content, set on writing."""
    format: int = FORMAT

    @property
    def identity(self) -> str:
        """The model as name@hash."""
        return f"{self.name}@{self.hash}"


def write_model(path: str | PathLike[str], card: Card, arrays: Arrays) -> Card:
    """Write a model atomically; return the card with its hash. The same model gives the same bytes."""
    from safetensors.numpy import save

    from tengen import __version__

    digest = content_hash(card.name, card.version, card.settings, arrays)
    known = {"created_by": f"tengen {__version__}", "hash": digest, "format": FORMAT}
    whole = Card(**{**asdict(card), **known})
    tensors = {key: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for key, array in arrays.items()}
    write_atomically(Path(path), save(tensors, {_KEY: canonical_json(asdict(whole)).decode()}))
    return whole


def read_model(path: str | PathLike[str]) -> tuple[Card, Arrays]:
    """Read the card and arrays of a model file; for any other file raise a ModelError that names its kind."""
    path = Path(path)
    if path.stat().st_size > MAX_BYTES:
        raise ModelError(f"{path}: too large for a model file ({path.stat().st_size >> 20} MiB)")
    data = path.read_bytes()
    card = _card(_header(data, path), path)
    arrays = _arrays(data, path)
    if card.hash != content_hash(card.name, card.version, card.settings, arrays):
        raise ModelError(f"{path}: damaged, the content of {card.name} does not have the hash in its card")
    return card, arrays


def read_card(path: str | PathLike[str]) -> Card:
    """Read only the card of a model file."""
    return read_model(path)[0]


def _header(data: bytes, path: Path) -> dict[str, Any]:
    """Return the header of a safetensors file: its length in eight bytes, then JSON."""
    length = int.from_bytes(data[:8], "little")
    if not data:
        raise ModelError(f"{path}: an empty file, not a model")
    if data[8:9] != b"{":
        raise ModelError(f"{path}: {_kind(data)}, not a model file of Tengen")
    if length > len(data) - 8:
        raise ModelError(f"{path}: a safetensors file cut short")
    try:
        header = json.loads(data[8 : 8 + length])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise ModelError(f"{path}: a damaged safetensors file, its header is not JSON")
    return header


def _kind(data: bytes) -> str:
    return next((kind for start, kind in _KINDS.items() if data.startswith(start)), "a file of unknown kind")


def _card(header: dict[str, Any], path: Path) -> Card:
    notes = header.get("__metadata__")
    text = notes.get(_KEY) if isinstance(notes, dict) else None
    if text is None:
        raise ModelError(f"{path}: a safetensors file of another program, it has no model card of Tengen")
    try:
        values = json.loads(text)
        format = int(values["format"])
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
        raise ModelError(f"{path}: the model card is damaged") from None
    if format > FORMAT:
        maker = values.get("created_by") or "a newer release"
        raise ModelError(
            f"{path}: {values.get('name')} in format {format}, made by {maker}; this release reads {FORMAT}"
        )
    return _checked_card(values, path)


def _checked_card(values: dict[str, Any], path: Path) -> Card:
    """Make a card from JSON; each field must have the type of its default."""
    card = Card(name="")
    kinds = {entry.name: type(getattr(card, entry.name)) for entry in fields(Card)}
    if values.keys() != kinds.keys() or any(not isinstance(values[key], kind) for key, kind in kinds.items()):
        raise ModelError(f"{path}: the model card is damaged")
    return Card(**values)


def _arrays(data: bytes, path: Path) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays: Arrays = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ModelError(f"{path}: a damaged or shortened model file ({problem})") from None
    strange = [key for key in arrays if not LEARNED.fullmatch(key)]
    if strange:
        raise ModelError(f"{path}: {strange[0]!r} is not the name of a learned array")
    return dict(sorted(arrays.items()))
