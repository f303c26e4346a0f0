"""Curves of a training run: the loss and the results of its games, smoothed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.measure.plots import running_plot


def draw_curves(folder: Path, rows: Sequence[dict[str, Any]]) -> Path | None:
    """Draw the loss and, where games have a winner, the score of the learner; return the path of the picture."""
    names = {"loss": "loss", "score": "share of games won", "moves": "moves"}
    series = {
        title: ([row["iteration"] + 1 for row in rows if key in row], [row[key] for row in rows if key in row])
        for key, title in names.items()
    }
    series = {title: values for title, values in series.items() if values[0]}
    if not series:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return running_plot(folder / "training.svg", series, across="games")
