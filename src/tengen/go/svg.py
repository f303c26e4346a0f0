"""Draws a board as SVG: a picture for a page, a notebook or a book.

`draw_svg` paints in layers from the wood up: grid, star points, coordinates, stones, territory, borders of regions,
last move, links, labels.
Territory is a square whose side grows with certainty, black or white with an outline of the other colour, so that it
reads without colour vision. The picture is flat and without identifiers, so that many of them can share one page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen.errors import TengenError
from tengen.go.picture import DeadStones, Picture, picture_of
from tengen.go.points import LETTERS, Point, PointLike, as_point

CELL = 30.0
"""Distance between two lines, in pixels; everything else is a fraction of it."""

STONE, STAR, RING, DISC, DOT = 0.465, 0.085, 0.26, 0.4, 0.15  # radii
SQUARE = 0.42  # side of a square of certain territory
FAINT = 0.1  # certainty below which a square would only be dust
FADED = 0.5  # opacity of a dead stone

Marks: TypeAlias = Mapping[str, str] | Mapping[Point, str] | Mapping[PointLike, str]
"""Short labels for points, given by name or by pair."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Drawing(str):
    """An SVG document as a string; notebooks show it as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Theme:
    """The colours of a picture, in any form SVG knows."""

    wood: str = "#ecc681"
    """The board."""
    line: str = "#6b4a1e"
    """Grid and star points."""
    ink: str = "#54391a"
    """Coordinates, title and labels on empty points."""
    black: str = "#1c1c1e"
    """Black's stones and territory."""
    white: str = "#fcfbf7"
    """White's stones and territory."""
    edge: str = "#2b2118"
    """The outline of stones."""
    link: str = "#1f6fb4"
    """Links between points and borders of regions."""


THEMES = {
    "wood": Theme(),
    "paper": Theme(wood="#ffffff", line="#555555", ink="#333333", black="#111111", white="#ffffff", edge="#111111"),
}
"""The themes known by name: a wooden board, and black on white for printing."""


@dataclass(frozen=True)
class _Sheet:
    """A picture with the theme, the labels and the measures that place it on the page."""

    picture: Picture
    theme: Theme
    labels: dict[Point, str]
    title: str
    margin: float
    """From the outermost line to the edge of the page."""
    regions: NDArray[Any] | None = None
    links: list[tuple[Point, Point]] = field(default_factory=list)

    @property
    def heading(self) -> float:
        return 1.1 * CELL if self.title else 0.0

    @property
    def page(self) -> tuple[float, float]:
        across, down = self.picture.width - 1, self.picture.height - 1
        return across * CELL + 2 * self.margin, down * CELL + 2 * self.margin + self.heading

    def x(self, column: float) -> float:
        return self.margin + column * CELL

    def y(self, row: float) -> float:
        return self.heading + self.margin + row * CELL

    def colour(self, side: float) -> str:
        return self.theme.black if side > 0 else self.theme.white


_Layer: TypeAlias = Callable[[_Sheet], Iterator[str]]
_Style: TypeAlias = dict[str, str | float]


def draw_svg(
    stones: ArrayLike,
    *,
    ownership: ArrayLike | None = None,
    owner: ArrayLike | None = None,
    dead: DeadStones | None = None,
    last_move: PointLike | None = None,
    marks: Marks | None = None,
    regions: ArrayLike | None = None,
    links: Iterable[tuple[PointLike, PointLike]] = (),
    coordinates: bool = True,
    title: str | None = None,
    theme: Theme | str = "wood",
) -> Drawing:
    """Draw a board; `marks` puts short labels on points, `theme` is a Theme or the name of one.

    `regions` is an array [row, column]: a border is drawn where neighbours differ in it. `links` are pairs of points
    that a line joins.
    """
    picture = picture_of(stones, ownership=ownership, owner=owner, dead=dead, last_move=last_move)
    margin = (1.15 if coordinates else 0.7) * CELL
    sheet = _Sheet(
        picture,
        _theme(theme),
        _read_marks(marks or {}, picture),
        _plain(title or ""),
        margin,
        _read_regions(regions, picture),
        [(_place(one, picture), _place(other, picture)) for one, other in links],
    )
    layers: list[_Layer] = [_board, _grid, _stones, _territory, _borders, _last_move, _links, _labels]
    if coordinates:
        layers.insert(1, _coordinates)
    body = "\n".join(element for layer in layers for element in layer(sheet))
    return Drawing(f"{_opening(sheet)}\n{body}\n</svg>\n")


def _place(point: PointLike, picture: Picture) -> Point:
    return as_point(point, picture.width, picture.height)


def _read_regions(regions: ArrayLike | None, picture: Picture) -> NDArray[Any] | None:
    array = None if regions is None else np.asarray(regions)
    if array is not None and array.shape != picture.stones.shape:
        raise TengenError(f"regions are an array of the board's shape {picture.stones.shape}, not {array.shape}")
    return array


def _read_marks(marks: Marks, picture: Picture) -> dict[Point, str]:
    labels = {_place(point, picture): _plain(label) for point, label in marks.items()}
    return {point: label for point, label in labels.items() if label}


def _theme(theme: Theme | str) -> Theme:
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise TengenError(f"unknown theme {theme!r}: known are {', '.join(THEMES)}")
    return THEMES[theme]


def _opening(sheet: _Sheet) -> str:
    width, height = map(_number, sheet.page)
    title = _element("title", sheet.title or f"Go board, {sheet.picture.width}×{sheet.picture.height}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="Helvetica, Arial, sans-serif" text-anchor="middle">\n{title}'
    )


def _board(sheet: _Sheet) -> Iterator[str]:
    """Lay the wood and write the title on it, smaller where it is long."""
    width, height = sheet.page
    yield _element("rect", width=width, height=height, rx=0.1 * CELL, fill=sheet.theme.wood)
    if sheet.title:
        size = min(0.55 * CELL, 1.5 * width / _letters(sheet.title))
        yield _text(sheet.title, width / 2, 0.75 * CELL, size, sheet.theme.ink)


def _grid(sheet: _Sheet) -> Iterator[str]:
    """Draw the lines as one path, a stronger edge around them, and the star points."""
    rows, columns = sheet.picture.height, sheet.picture.width
    left, right, top, bottom = sheet.x(0), sheet.x(columns - 1), sheet.y(0), sheet.y(rows - 1)
    across = (f"M{_number(left)} {_number(sheet.y(row))}H{_number(right)}" for row in range(rows))
    down = (f"M{_number(sheet.x(column))} {_number(top)}V{_number(bottom)}" for column in range(columns))
    pen: _Style = {"fill": "none", "stroke": sheet.theme.line}
    yield _element("path", d="".join((*across, *down)), stroke_width=0.03 * CELL, **pen)
    yield _element("rect", x=left, y=top, width=right - left, height=bottom - top, stroke_width=0.06 * CELL, **pen)
    for row, column in sorted(sheet.picture.stars):
        yield _circle(sheet, row, column, STAR, fill=sheet.theme.line)


def _coordinates(sheet: _Sheet) -> Iterator[str]:
    rows, columns = sheet.picture.height, sheet.picture.width
    size, gap = 0.4 * CELL, 0.72
    for column in range(columns):
        for row in (-gap, rows - 1 + gap):
            yield _text(LETTERS[column], sheet.x(column), sheet.y(row), size, sheet.theme.ink)
    for row in range(rows):
        for side in (-gap, columns - 1 + gap):
            yield _text(str(rows - row), sheet.x(side), sheet.y(row), size, sheet.theme.ink)


def _stones(sheet: _Sheet) -> Iterator[str]:
    picture = sheet.picture
    outline: _Style = {"stroke": sheet.theme.edge, "stroke_width": 0.04 * CELL}
    for row, column in _points(picture):
        stone = picture.stones[row, column]
        if stone:
            fading: _Style = {"opacity": FADED} if picture.dead[row, column] else {}
            yield _circle(sheet, row, column, STONE, fill=sheet.colour(stone), **outline, **fading)


def _territory(sheet: _Sheet) -> Iterator[str]:
    """Mark territory by squares; a label takes the place of the square on its point."""
    for row, column in _points(sheet.picture):
        share = float(sheet.picture.territory[row, column])
        if abs(share) < FAINT or (row, column) in sheet.labels:
            continue
        side = SQUARE * CELL * abs(share)
        x, y = sheet.x(column) - side / 2, sheet.y(row) - side / 2
        outline: _Style = {"stroke": sheet.colour(-share), "stroke_width": 0.03 * CELL}
        yield _element("rect", x=x, y=y, width=side, height=side, fill=sheet.colour(share), **outline)


def _borders(sheet: _Sheet) -> Iterator[str]:
    """Draw a line between neighbours that are in different regions, as one path."""
    if sheet.regions is None:
        return
    across = np.argwhere(sheet.regions[:, :-1] != sheet.regions[:, 1:])
    down = np.argwhere(sheet.regions[:-1] != sheet.regions[1:])
    upright = (f"M{_number(sheet.x(c + 0.5))} {_number(sheet.y(r - 0.5))}v{_number(CELL)}" for r, c in across.tolist())
    flat = (f"M{_number(sheet.x(c - 0.5))} {_number(sheet.y(r + 0.5))}h{_number(CELL)}" for r, c in down.tolist())
    path = "".join((*upright, *flat))
    if path:
        dashed: _Style = {"stroke_dasharray": f"{_number(0.1 * CELL)} {_number(0.1 * CELL)}"}
        yield _element("path", d=path, fill="none", stroke=sheet.theme.link, stroke_width=0.05 * CELL, **dashed)


def _links(sheet: _Sheet) -> Iterator[str]:
    """Join pairs of points by lines as one path, with a dot at each end."""
    if not sheet.links:
        return
    ends = [[(sheet.x(column), sheet.y(row)) for row, column in link] for link in sheet.links]
    path = "".join(f"M{_number(x)} {_number(y)}L{_number(u)} {_number(v)}" for (x, y), (u, v) in ends)
    yield _element("path", d=path, fill="none", stroke=sheet.theme.link, stroke_width=0.08 * CELL, opacity=0.8)
    for row, column in sorted({place for link in sheet.links for place in link}):
        yield _circle(sheet, row, column, DOT, fill=sheet.theme.link)


def _last_move(sheet: _Sheet) -> Iterator[str]:
    """Ring the last move, unless it carries a label."""
    move = sheet.picture.last_move
    if move is not None and move not in sheet.labels:
        stone = sheet.picture.stones[move]
        colour = sheet.colour(-stone) if stone else sheet.theme.ink
        yield _circle(sheet, *move, RING, fill="none", stroke=colour, stroke_width=0.07 * CELL)


def _labels(sheet: _Sheet) -> Iterator[str]:
    """Write labels on stones in the other colour, and on empty points over a disc of wood that hides the lines."""
    for (row, column), label in sheet.labels.items():
        stone = sheet.picture.stones[row, column]
        if not stone:
            yield _circle(sheet, row, column, DISC, fill=sheet.theme.wood)
        size = min(0.55, 1.25 / _letters(label)) * CELL
        colour = sheet.colour(-stone) if stone else sheet.theme.ink
        yield _text(label, sheet.x(column), sheet.y(row), size, colour)


def _points(picture: Picture) -> Iterator[Point]:
    return ((row, column) for row in range(picture.height) for column in range(picture.width))


def _circle(sheet: _Sheet, row: int, column: int, radius: float, **style: str | float) -> str:
    return _element("circle", cx=sheet.x(column), cy=sheet.y(row), r=radius * CELL, **style)


def _text(text: str, x: float, y: float, size: float, colour: str) -> str:
    return _element("text", text, x=x, y=y, dy=".35em", font_size=size, fill=colour)


def _element(tag: str, text: str = "", /, **attributes: str | float) -> str:
    """Return an XML element; everything that came from outside is escaped here."""
    written = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{tag}{written}>{escape(text)}</{tag}>" if text else f"<{tag}{written}/>"


def _value(value: str | float) -> str:
    return escape(_plain(value), {'"': "&quot;"}) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return f"{round(value, 2):g}"


def _plain(text: str) -> str:
    """Return a text in one line, without the characters that XML cannot carry."""
    return " ".join(_NOT_XML.sub("", str(text)).split())


def _letters(text: str) -> int:
    """Return the length of a text in Latin letters; a Chinese or Korean one is as wide as two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
