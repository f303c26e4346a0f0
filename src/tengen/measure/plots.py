"""Plots of measures, saved as SVG or PNG by the suffix of the path.

Every function takes a path and measures, and returns the path. Colours are Okabe and Ito's palette for colour-blind
readers; lines also differ in their markers. Needs matplotlib, which is imported on first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.extras import need
from tengen.measure.calibration import Reliability
from tengen.measure.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", ":", "-.")
GREY, TINT = "#767676", "#7FB8D8"
_LOOK: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "tengen",
}


def reliability_diagram(
    path: str | Path, tables: Mapping[str, Reliability], *, title: str = "", event: str = "it happened"
) -> Path:
    """Draw observed shares against predicted probabilities, one line per model, above the numbers of predictions."""
    _checked(tables)
    with picture(path, 5.0, 6.0) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
        above.plot([0, 1], [0, 1], color=GREY, linestyle=(0, (4, 3)), linewidth=1, label="perfect")
        for i, (name, table) in enumerate(tables.items()):
            _reliability_line(above, below, i, f"{name} (error {table.error:.3f})", table)
        _percent(above, "xy")
        above.set(xlim=(0, 1), ylim=(0, 1), ylabel=f"share in which {event}", title=title)
        above.grid(True)
        above.legend(loc="upper left")
        below.set(xlabel="predicted probability", ylabel="predictions")
        _decades(below, np.concatenate([table.count for table in tables.values()]))
    return Path(path)


def phase_plot(
    path: str | Path,
    series: Mapping[str, Mapping[str, Interval]],
    *,
    measure: str,
    across: str = "phase of the game",
    title: str = "",
    percent: bool = True,
) -> Path:
    """Draw a measure over the phases of the game, or other classes, one line per model, with bands for intervals."""
    _checked(series)
    names = list(next(iter(series.values())))
    if any(list(values) != names for values in series.values()):
        raise TengenError("every model needs a value for the same phases")
    with picture(path, 7.0, 4.0) as figure:
        axes = figure.subplots()
        for i, (name, values) in enumerate(series.items()):
            value, low, high = np.array(list(values.values()), float).T
            colour, marker = _look(i)
            axes.fill_between(range(len(names)), low, high, color=colour, alpha=0.18, linewidth=0)
            axes.plot(range(len(names)), value, color=colour, marker=marker, markersize=4.5, label=name)
        crowded = len(names) > 6
        axes.set_xticks(range(len(names)), names, rotation=30 * crowded, ha="right" if crowded else "center")
        _measure_axis(axes, "y", percent)
        axes.set(xlabel=across, ylabel=measure, title=title)
        axes.grid(True, axis="y")
        if len(series) > 1:
            axes.legend()
    return Path(path)


def top_k_plot(path: str | Path, curves: Mapping[str, npt.NDArray[np.float64]], *, title: str = "") -> Path:
    """Draw the share of positions whose move is among the first k, one line per model."""
    _checked(curves)
    most = max(map(len, curves.values()))
    with picture(path, 7.0, 4.5) as figure:
        axes = figure.subplots()
        for i, (name, curve) in enumerate(curves.items()):
            colour, line = COLOURS[i % len(COLOURS)], LINES[i % len(LINES)]
            axes.plot(range(1, len(curve) + 1), curve, label=name, color=colour, linestyle=line)
        axes.set(xlabel="number of moves, best first", ylabel="played move among them", title=title)
        axes.set(xlim=(1, most), ylim=(0, 1))
        _percent(axes, "y")
        axes.grid(True)
        axes.legend(loc="lower right")
    return Path(path)


def bar_plot(
    path: str | Path, values: Mapping[str, Interval], *, measure: str, title: str = "", percent: bool = True
) -> Path:
    """Draw one bar per model, the first on top, with its interval and its value beside it."""
    _checked(values)
    value, low, high = np.array(list(values.values()), float).T
    places = np.arange(len(values))
    with picture(path, 7.0, 1.3 + 0.42 * len(values)) as figure:
        axes = figure.subplots()
        axes.barh(places, value, color=TINT, height=0.62)
        reach = np.nan_to_num(np.maximum([value - low, high - value], 0))
        axes.errorbar(value, places, xerr=reach, fmt="none", ecolor="#222222", elinewidth=1.2, capsize=3)
        for place, middle, right in zip(places, value, np.fmax(high, value), strict=True):
            text = (f"{middle:.2%}" if percent else f"{middle:.3g}").replace("-", "−")
            axes.annotate(text, (max(right, 0.0), place), xytext=(6, 0), textcoords="offset points", va="center")
        axes.set_yticks(places, list(values))
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.14)
        axes.axvline(0, color=GREY, linewidth=0.8)
        _measure_axis(axes, "x", percent)
        axes.set(xlabel=measure, title=title)
        axes.grid(True, axis="x")
    return Path(path)


def scatter_plot(
    path: str | Path, models: Mapping[str, tuple[Interval, Interval]], *, across: str, up: str, title: str = ""
) -> Path:
    """Draw one measure against another, one point per model with its intervals; a list of the models beside it."""
    _checked(models)
    with picture(path, 10.0, max(4.5, 1.0 + 0.24 * len(models))) as figure:
        axes = figure.subplots()
        for i, (name, (x, y)) in enumerate(models.items()):
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i // len(COLOURS) % len(MARKERS)]
            reach = [np.nan_to_num(np.maximum([[m.value - m.low], [m.high - m.value]], 0)) for m in (x, y)]
            axes.errorbar(
                x.value, y.value, xerr=reach[0], yerr=reach[1], color=colour, marker=marker, linestyle="", label=name
            )
        axes.set(xlabel=across, ylabel=up, title=title)
        axes.grid(True)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return Path(path)


def running_plot(
    path: str | Path, series: Mapping[str, tuple[Sequence[float], Sequence[float]]], *, across: str, title: str = ""
) -> Path:
    """Draw values of a long run as dots, with their running mean: a panel for each series of places and values.

    The mean is over a tenth of the values before each place, at least ten.
    """
    _checked(series)
    with picture(path, 7.0, 0.6 + 2.2 * len(series)) as figure:
        panels = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, (places, values)) in zip(panels, series.items(), strict=True):
            sums = np.cumsum([0.0, *values])
            ends = np.arange(1, len(values) + 1)
            begins = np.maximum(0, ends - max(10, len(values) // 10))
            axes.plot(places, values, ".", color=TINT, markersize=2, rasterized=True)
            axes.plot(places, (sums[ends] - sums[begins]) / (ends - begins), color=COLOURS[0], linewidth=1.5)
            axes.set(ylabel=name)
            axes.grid(True)
        panels[0].set_title(title)
        panels[-1].set_xlabel(across)
    return Path(path)


@contextmanager
def picture(path: str | Path, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, and save it after drawing."""
    ending = Path(path).suffix.lower()
    if ending not in (".svg", ".png"):
        raise TengenError(f"a picture is saved as .svg or .png, not {ending or 'without a suffix'}")
    with need("matplotlib").rc_context(_LOOK):
        drawing = need("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
        yield drawing
        drawing.savefig(path, dpi=160, metadata={"Date": None} if ending == ".svg" else None)


def _reliability_line(above: Axes, below: Axes, i: int, label: str, table: Reliability) -> None:
    """Draw one model: its bins with their bounds above, their numbers of predictions below."""
    colour, marker = _look(i)
    full = table.count > 0
    x, y = table.predicted[full], table.happened[full]
    reach = np.maximum([y - table.low[full], table.high[full] - y], 0)
    above.errorbar(
        x, y, yerr=reach, color=colour, marker=marker, markersize=4.5, linewidth=1.3, elinewidth=1, label=label
    )
    counts = np.where(full, table.count, np.nan)
    below.stairs(counts, table.edges, color=colour, linewidth=1.3, linestyle=LINES[i % len(LINES)])


def _measure_axis(axes: Axes, axis: str, percent: bool) -> None:
    """Start an axis of errors at 0 if no value is negative; label it in percent if asked."""
    if percent:
        _percent(axes, axis)
    low = (axes.get_xlim if axis == "x" else axes.get_ylim)()[0]
    drawn = axes.dataLim.x0 if axis == "x" else axes.dataLim.y0
    if drawn >= 0 and low != 0:
        (axes.set_xlim if axis == "x" else axes.set_ylim)(0, None)


def _percent(axes: Axes, which: str) -> None:
    """Label the ticks of an axis (x, y or both) in percent, with as many digits as they need."""
    for name in which:
        axis = axes.xaxis if name == "x" else axes.yaxis
        axis.set_major_formatter(lambda share, _: f"{100 * share:g}%".replace("-", "−"))


def _decades(axes: Axes, counts: npt.NDArray[np.int64]) -> None:
    some = counts[counts > 0] if counts.any() else np.array([1])
    low, high = np.floor(np.log10(some.min())), np.ceil(np.log10(some.max() + 1))
    axes.set_yscale("log")
    axes.set_ylim(10.0**low, 10.0**high)
    axes.set_yticks([10.0**k for k in range(int(low), int(high) + 1)])
    axes.minorticks_off()
    axes.grid(True, axis="y")


def _look(i: int) -> tuple[str, str]:
    return COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]


def _checked(models: Mapping[str, Any]) -> None:
    if not models:
        raise TengenError("there is nothing to draw")
