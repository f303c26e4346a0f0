"""The paper's figures from our numbers, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tengen.go.files import write_atomically
from tengen.go.svg import draw_svg
from tengen.measure.arrays import FloatArray
from tengen.measure.intervals import Interval
from tengen.measure.plots import phase_plot
from tengen.papers.low.positions import BAMBOO, HandMade
from tengen.papers.pages import side_by_side
from tengen.views.augmented_graph import augmented_graph
from tengen.views.influence import influence

Curves = Mapping[str, Mapping[str, Interval]]


def draw_bamboo(folder: Path) -> None:
    """Draw Figure 1 with the graph over it, and Figure 2: the influence of every point."""
    stones = BAMBOO.stones
    values = influence(stones)
    marks = {
        (row, column): f"{values[row, column]:+d}"
        for row, column in np.argwhere((stones == 0) & (values != 0)).tolist()
    }
    graph = augmented_graph(BAMBOO).svg(stones, title="Figure 1: the augmented common fate graph")
    drawing = draw_svg(stones, marks=marks, title="Figure 2: Bouzy's 5/21 influence")
    _write(folder / "figure-1.svg", str(graph))
    _write(folder / "figure-2.svg", str(drawing))


def draw_position(folder: Path, position: HandMade, ownership: Mapping[str, FloatArray]) -> None:
    """Draw a hand-made position as judged by us and by each model."""
    stones = position.board.stones
    drawings = [draw_svg(stones, owner=position.owners, title=f"{position.name}, our verdict")]
    drawings += [draw_svg(stones, ownership=said, title=name) for name, said in ownership.items()]
    _write(folder / f"{position.name.replace(' ', '-')}.svg", side_by_side(drawings))


def draw_rare(folder: Path, curves: Curves) -> None:
    """Draw errors against the visits of the rarest weight."""
    phase_plot(
        folder / "rare-weights.svg",
        curves,
        measure="vertex error (%)",
        across="visits of the rarest weight",
        percent=False,
    )


def draw_kept(folder: Path, curves: Curves) -> None:
    """Draw what each kept share keeps and wins."""
    phase_plot(folder / "kept-share.svg", curves, measure="%", across="share of the moves kept", percent=False)


def draw_training(folder: Path, run: str, shares: Mapping[int, Interval]) -> None:
    """Draw the share of games won against the number of training games."""
    curve = {f"{games:,}": share for games, share in shares.items()}
    phase_plot(folder / f"training-{run}.svg", {run: curve}, measure="games won", across="games of training")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
