"""The paper's figures from our numbers: the trade-off of errors (Figure 5), and boards side by side (Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.go.files import write_atomically
from tengen.go.svg import draw_svg
from tengen.measure.plots import scatter_plot
from tengen.papers.pages import side_by_side
from tengen.papers.sanner import models as m
from tengen.papers.sanner.answers import MEASURES, Answers

PAIRS = {
    "figure-6a.svg": (m.EXPONENTIAL, m.PATTERN_SUPW, "vertex"),
    "figure-6b.svg": (m.BOLTZMANN5, m.BOLTZMANN5_SW, "net"),
    "figure-6c.svg": (m.PATTERN_PW, m.PATTERN_PW_EXACT, "net"),
}
"""The comparisons of Figure 6, each on the test position where the second gains most over the first."""


def draw_all(folder: Path, said: Mapping[str, Answers], sample: Batch) -> list[Path]:
    """Draw every figure into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [_trade_off(folder / f"figure-5-{measure}.svg", said, measure) for measure in ("vertex", "surprise")]
    for name, (first, second, measure) in PAIRS.items():
        place = telling_position(said[first], said[second], measure)
        stones, shares = sample.boards[place], [said[model].ownership[place] for model in (first, second)]
        boards = [
            draw_svg(stones, ownership=share, title=model) for share, model in zip(shares, (first, second), strict=True)
        ]
        write_atomically(folder / name, side_by_side(boards).encode())
        paths.append(folder / name)
    return paths


def telling_position(first: Answers, second: Answers, measure: str) -> int:
    """Return the position where the second model's error is lowest relative to the first's."""
    gains = getattr(first, measure) - getattr(second, measure)
    return int(np.nanargmax(gains))


def _trade_off(path: Path, said: Mapping[str, Answers], measure: str) -> Path:
    points = {
        name: (answers.mean(measure), answers.mean("net")) for name, answers in said.items() if name not in m.EXACT
    }
    return scatter_plot(path, points, across=MEASURES[measure], up=MEASURES["net"])
