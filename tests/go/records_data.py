"""Where real games are, if they are here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("TENGEN_DATA") or Path(__file__).resolve().parents[2].parent / "shared" / "data")


def data_file(name: str) -> Path:
    """A file of the data folder; the test is skipped without it."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"real games are not here: {path} (set TENGEN_DATA)")
    return path
