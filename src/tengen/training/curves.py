"""Curves of a training run: the loss and the results of its games, smoothed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.go.counting import lead_of
from tengen.measure.plots import running_plot


def draw_curves(folder: Path, rows: Sequence[dict[str, Any]]) -> Path | None:
    """Draw the loss and how the learner played: share of games won and points ahead, Black's in self-play.

    Return the path of the picture, or None without a game.
    """
    found: dict[str, list[tuple[int, float]]] = {"loss": [], "share of games won": [], "points ahead": []}
    for row in rows:
        for series, value in zip(found.values(), (row.get("loss"), row.get("score"), _ahead(row)), strict=True):
            if value is not None:
                series.append((row["iteration"] + 1, value))
    drawn = {name: tuple(zip(*series, strict=True)) for name, series in found.items() if series}
    if not drawn:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return running_plot(folder / "training.svg", {name: (x, y) for name, (x, y) in drawn.items()}, across="games")


def _ahead(row: dict[str, Any]) -> float | None:
    lead = lead_of(row.get("result", ""))
    return None if lead is None or "colour" not in row else lead if row["colour"] == "black" else -lead
