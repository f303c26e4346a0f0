"""Drawings of boards put together on one page."""

from __future__ import annotations

import re
from collections.abc import Sequence

GAP = 12.0
_SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)[^"]*" height="([\d.]+)')


def side_by_side(drawings: Sequence[str]) -> str:
    """Combine drawings side by side."""
    sizes = [_size(drawing) for drawing in drawings]
    width, height = sum(size[0] for size in sizes) + GAP * (len(sizes) - 1), max(size[1] for size in sizes)
    page = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {page}>'
    lefts = [sum(size[0] for size in sizes[:i]) + GAP * i for i in range(len(sizes))]
    inside = [f'<g transform="translate({x:g} 0)">{drawing}</g>' for x, drawing in zip(lefts, drawings, strict=True)]
    return "\n".join([head, *inside, "</svg>\n"])


def _size(drawing: str) -> tuple[float, float]:
    found = _SIZE.search(drawing)
    assert found is not None, "our drawings have a width and a height"
    return float(found[1]), float(found[2])
