"""The split of games for training and testing, decided by the game's id alone."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal, TypeAlias

Split: TypeAlias = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
"""90 %, 5 % and 5 % of the games."""


def split_of(id: str) -> Split:
    """Return the split of a game. It depends only on the id and never changes as the corpus grows."""
    bucket = _number(id, b"tengen-split") % 100
    return "train" if bucket < 90 else "valid" if bucket < 95 else "test"


def share_of(id: str) -> float:
    """Return a number from 0 to 1 for a game, as if drawn at random and independent of its split."""
    return _number(id, b"tengen-share") / 2**64


def _number(id: str, purpose: bytes) -> int:
    return int.from_bytes(blake2b(id.encode(), digest_size=8, person=purpose).digest(), "little")
