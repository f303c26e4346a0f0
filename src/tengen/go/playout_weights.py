"""The weights of learned playouts that ship with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tengen._core import PlayoutWeights

LEARNED_POLICIES = ("learned", "balanced")
"""Policies of playouts with weights: fitted to the moves of strong players, and balanced to agree with winrates."""


@cache
def playout_weights(policy: str) -> PlayoutWeights:
    """Return the shipped weights of a learned policy."""
    from safetensors.numpy import load_file

    path = Path(__file__).resolve().parent.parent / "weights" / "playouts.safetensors"
    return PlayoutWeights(load_file(path)[f"{policy}_"])
