"""The hyper-parameters and learned arrays of a model, which may be any object, and a hash of both."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError

Arrays = dict[str, npt.NDArray[Any]]

LEARNED = re.compile(r"[a-z][a-z0-9_]*_")

_HASH_DIGITS = 12
_REMEMBERED = "_identity"


def settings(model: object) -> dict[str, Any]:
    """Return a model's hyper-parameters: the fields of its class, as given."""
    kept = fields(model) if is_dataclass(model) else ()
    return {each.name: getattr(model, each.name) for each in kept if each.init}


def learned(model: object) -> Arrays:
    """Return a model's learned arrays by name, in alphabetical order."""
    kept = getattr(model, "__dict__", {}).items()
    return {key: value for key, value in sorted(kept) if LEARNED.fullmatch(key) and isinstance(value, np.ndarray)}


def identity(model: object) -> str:
    """Return name@hash: the same for the same hyper-parameters, learned arrays and version of the algorithm.

    Hashing large tables is slow, so a model caches its hash for as long as it has the same array objects.
    """
    arrays, version = learned(model), getattr(model, "version", 1)
    head = canonical_json([_name(model), version, settings(model)])
    known = getattr(model, _REMEMBERED, None)
    if known is None or known[0] != head or not _same(known[1], arrays):
        known = head, arrays, content_hash(_name(model), version, settings(model), arrays)
        if hasattr(model, "__dict__"):
            setattr(model, _REMEMBERED, known)
    return f"{_name(model)}@{known[2]}"


def _same(one: Arrays, other: Arrays) -> bool:
    return one.keys() == other.keys() and all(one[key] is other[key] for key in one)


def content_hash(name: str, version: int, settings: Mapping[str, Any], arrays: Arrays) -> str:
    """Return the hash of a model's content, the same on every machine."""
    head = [name, version, settings, {key: [array.dtype.name, array.shape] for key, array in arrays.items()}]
    digest = hashlib.sha256(canonical_json(head))
    for key in sorted(arrays):
        array = arrays[key]
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()[:_HASH_DIGITS]


def canonical_json(value: object) -> bytes:
    """Return a value as canonical JSON; raise ModelError if JSON cannot hold it."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode()
    except (TypeError, ValueError) as problem:
        raise ModelError(f"hyper-parameters are numbers, texts, lists and dicts of them: {problem}") from None


def _name(model: object) -> str:
    name = getattr(model, "name", None)
    return name if isinstance(name, str) else type(model).__name__
