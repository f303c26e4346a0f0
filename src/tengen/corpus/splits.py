"""Which games are for learning and which for testing: decided by the game's id alone, and so for ever."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal, TypeAlias

Split: TypeAlias = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
"""Ninety, five and five games in a hundred."""


def split_of(id: str) -> Split:
    """Return the split of a game: by nothing but its id, the same in every file, however the corpus grows."""
    bucket = int.from_bytes(blake2b(id.encode(), digest_size=8, person=b"tengen-split").digest(), "little") % 100
    return "train" if bucket < 90 else "valid" if bucket < 95 else "test"
