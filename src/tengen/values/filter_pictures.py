"""Filters of a convolutional restricted Boltzmann machine drawn as small boards.

As in the pictures of Largman & Pham, every cell shows the colour with the largest weight: a black stone for own, a
white one for the other's, nothing for empty. Adding a number to the three weights of a cell changes the bias only, so
nothing but their differences can be drawn; a shaded picture fades stones whose weight is hardly the largest.
"""

from __future__ import annotations

import math

import numpy as np

from tengen.errors import TengenError
from tengen.go.svg_shapes import CELL, STONE, THEMES, circle, element, number
from tengen.values.crbm import COLOURS, Crbm, Floats

GAP = 0.6
"""Distance between two filters, in cells."""


def draw_filters(model: Crbm, *, columns: int = 15, shaded: bool = False, theme: str = "wood") -> str:
    """Return an SVG of all filters, the one that differs most from a constant first."""
    if columns < 1 or theme not in THEMES:
        raise TengenError(f"at least one column is needed, and a theme of {', '.join(THEMES)}")
    weights = model.weights[:COLOURS]
    step = (model.side + GAP) * CELL
    order = np.argsort(-weights.std((0, 1, 2)), kind="stable").tolist()
    width, height = (step * n + GAP * CELL for n in (min(columns, len(order)), math.ceil(len(order) / columns)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(width)} {number(height)}">'
    ]
    for place, k in enumerate(order):
        left, top = (GAP * CELL + step * i for i in (place % columns, place // columns))
        parts += _drawn(weights[..., k], left, top, shaded, theme)
    return "".join([*parts, "</svg>"])


def _drawn(weights: Floats, left: float, top: float, shaded: bool, theme: str) -> list[str]:
    colours, side = THEMES[theme], weights.shape[1]
    parts = [element("rect", x=left, y=top, width=side * CELL, height=side * CELL, fill=colours.wood)]
    shares = np.exp(weights - weights.max(0))
    shares /= shares.sum(0)
    for r in range(side):
        for c in range(side):
            x, y = left + (c + 0.5) * CELL, top + (r + 0.5) * CELL
            cross = (
                f"M{number(x - CELL / 2)} {number(y)}h{number(CELL)}M{number(x)} {number(y - CELL / 2)}v{number(CELL)}"
            )
            parts.append(element("path", d=cross, fill="none", stroke=colours.line, stroke_width=0.03 * CELL))
            best = int(weights[:, r, c].argmax())
            if best == 0:
                continue
            sure = float(1.5 * shares[best, r, c] - 0.5) if shaded else 1.0
            fill = colours.colour(1 if best == 1 else -1)
            parts.append(circle(x, y, STONE, fill=fill, stroke=colours.edge, stroke_width=0.04 * CELL, opacity=sure))
    return parts
