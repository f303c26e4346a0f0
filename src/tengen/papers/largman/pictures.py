"""The filters drawn as boards, and curves of the classification and of the learner's progress."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tengen.extras import need
from tengen.go.files import write_atomically
from tengen.papers.largman.filters import Learned
from tengen.papers.largman.players import Outcome
from tengen.papers.largman.published import WINNERS
from tengen.papers.largman.winners import Accuracy
from tengen.values.filter_pictures import draw_filters


def draw_kinds(folder: Path, filters: Mapping[str, list[Learned]]) -> None:
    """Draw the filters of every kind, of the first seed: Figures 1 to 3."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, found in filters.items():
        write_atomically(folder / f"filters-{kind}.svg", draw_filters(found[0].machine, shaded=True).encode())


def draw_winners(folder: Path, words: str, table: Mapping[str, Accuracy]) -> None:
    """Draw the accuracy by training boards, the paper's dashed."""

    def lines(axes: Any) -> None:
        for name, found in table.items():
            shares = [100 * found.share(place).value for place in range(len(found.sizes))]
            (line,) = axes.plot(found.sizes, shares, marker="o", label=name)
            if name in WINNERS:
                published = [100 * share for share in WINNERS[name][: len(found.sizes)]]
                axes.plot(found.sizes, published, "--", color=line.get_color(), alpha=0.5)
        axes.set(xlabel="training boards", ylabel="winner found (%)", title=f"{words}; dashed: the paper")

    _plot(folder / f"winners-{words.replace(', ', '-').replace(' ', '-')}.png", lines)


def draw_progress(folder: Path, curves: Mapping[str, Mapping[int, Outcome]]) -> None:
    """Draw the share of games that the learner wins against its frozen copy."""

    def lines(axes: Any) -> None:
        for name, curve in curves.items():
            axes.plot(list(curve), [found.share.value for found in curve.values()], marker="o", label=name)
        axes.axhline(50, color="grey", linewidth=0.5)
        axes.set(xlabel="games learned", ylabel="games won against the frozen copy (%)")

    _plot(folder / "progress.png", lines)


def _plot(path: Path, lines: Any) -> None:
    figure = need("matplotlib.figure").Figure(figsize=(7, 5))
    axes = figure.subplots()
    lines(axes)
    axes.legend()
    axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
