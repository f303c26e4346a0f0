"""Pictures: what must be written on them, and that they can be opened."""

import math
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from tengen.errors import MissingExtra, TengenError
from tengen.measure.calibration import reliability
from tengen.measure.intervals import Interval
from tengen.measure.plots import bar_plot, phase_plot, reliability_diagram, running_plot, scatter_plot


def words(path):
    """Every text in an SVG."""
    return [
        "".join(node.itertext()).strip() for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    ]


def test_a_reliability_diagram_names_its_models_and_axes(tmp_path):
    pytest.importorskip("matplotlib")
    random = np.random.default_rng(0)
    p = random.random(2_000)
    tables = {"bma": reliability(p, p > 0.5), "crf": reliability(p, random.random(2_000) < p)}
    path = reliability_diagram(tmp_path / "r.svg", tables, title="Calibration", event="Black owned the point")
    text = words(path)
    for expected in ("Calibration", "predicted probability", "share in which Black owned the point", "predictions"):
        assert expected in text
    assert f"bma (error {tables['bma'].error:.3f})" in text
    assert "80%" in text


def test_a_phase_plot_names_its_phases_and_survives_gaps(tmp_path):
    pytest.importorskip("matplotlib")
    gap = Interval(math.nan, math.nan, math.nan)
    series = {
        "bma": {"opening": Interval(0.3, 0.2, 0.4), "endgame": Interval(0.1, 0.05, 0.15)},
        "crf": {"opening": gap, "endgame": Interval(0.1, 0.05, 0.15)},
    }
    text = words(phase_plot(tmp_path / "p.svg", series, measure="vertex error"))
    for expected in ("opening", "endgame", "bma", "crf", "vertex error", "phase of the game", "0%", "40%"):
        assert expected in text


def test_points_are_listed_beside_the_axes(tmp_path):
    pytest.importorskip("matplotlib")
    models = {f"model {i}": (Interval(i, i - 1, i + 1), Interval(1.0, math.nan, math.nan)) for i in range(9)}
    text = words(scatter_plot(tmp_path / "s.svg", models, across="vertex error", up="net error", title="Trade-off"))
    for expected in ("Trade-off", "vertex error", "net error", *models):
        assert expected in text
    with pytest.raises(TengenError, match="nothing to draw"):
        scatter_plot(tmp_path / "s.svg", {}, across="", up="")


def test_a_run_has_a_panel_for_each_series(tmp_path):
    series = {"loss": (range(1, 31), [0.5] * 30), "won": ([2, 9], [0.0, 1.0])}
    text = words(running_plot(tmp_path / "r.svg", series, across="games", title="A run"))
    assert {"loss", "won", "games", "A run"} <= set(text)


def test_bars_carry_their_values(tmp_path):
    pytest.importorskip("matplotlib")
    values = {"naive": Interval(0.1757, 0.17, 0.18), "alone": Interval(0.05, math.nan, math.nan)}
    text = words(bar_plot(tmp_path / "b.svg", values, measure="block error"))
    assert {"naive", "alone", "17.57%", "5.00%", "block error"} <= set(text)
    text = words(bar_plot(tmp_path / "e.svg", {"a": Interval(-12, -30, 5)}, measure="Elo", percent=False))
    assert "−12" in text


def test_png_by_the_ending_and_the_same_svg_twice(tmp_path):
    pytest.importorskip("matplotlib")
    values = {"naive": Interval(0.2, 0.1, 0.3)}
    assert bar_plot(tmp_path / "b.png", values, measure="error").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    first, second = (bar_plot(tmp_path / name, values, measure="error").read_bytes() for name in ("1.svg", "2.svg"))
    assert first == second


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(TengenError, match="nothing to draw"):
        bar_plot(tmp_path / "b.svg", {}, measure="error")
    with pytest.raises(TengenError, match=r"\.svg or \.png"):
        bar_plot(tmp_path / "b.gif", {"a": Interval(1, 0, 2)}, measure="error")
    with pytest.raises(TengenError, match="same phases"):
        phase_plot(tmp_path / "p.svg", {"a": {"x": Interval(1, 0, 2)}, "b": {}}, measure="error")


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install tengen\[train\]"):
        bar_plot(tmp_path / "b.svg", {"a": Interval(1, 0, 2)}, measure="error")


def test_the_room_loads_numpy_only():
    rooms = "arrays calibration compare finals intervals moves ownership phases plots sprt tables".split()
    loads = "; ".join(f"import tengen.measure.{room}" for room in rooms)
    heavy = "matplotlib", "scipy", "tengen.go", "tengen._core"
    check = f"import sys; {loads}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout == "[]\n"
