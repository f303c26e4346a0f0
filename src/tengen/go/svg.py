"""Draw a board as SVG.

`draw_svg` paints in layers from the wood up: grid, star points, coordinates, stones, territory, borders of regions,
marks of status, last move, links, labels; legend and notes are below the board. The shapes are in svg_shapes.py.
Territory is a square whose side grows with certainty, black or white with an outline of the other colour, so that
colour-blind readers can tell it apart. The SVG has no element ids, so that one page can hold many pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen.errors import TengenError
from tengen.go.picture import Picture, Points, picture_of
from tengen.go.points import LETTERS, Point, PointLike, as_point
from tengen.go.svg_shapes import (
    CELL,
    DISC,
    DOT,
    STAR,
    THEMES,
    Style,
    Theme,
    circle,
    cross,
    dashes,
    element,
    letters,
    link_style,
    number,
    plain,
    question,
    ring,
    sample,
    square,
    stacked,
    stone,
    text,
    text_width,
    triangle,
    wrapped,
)

__all__ = ["THEMES", "Drawing", "Theme", "draw_svg", "legend_samples"]

FAINT = 0.1  # certainty below which no square is drawn
TITLE, NOTE = 0.5 * CELL, 0.42 * CELL  # font sizes, the smallest that are easy to read
TITLE_STEP, NOTE_STEP, LEGEND_STEP = 0.68 * CELL, 0.6 * CELL, 1.0 * CELL  # from one line to the next
TITLE_LINES, NOTE_LINES = 4, 24  # maximum lines per paragraph of the title and of the notes
ALL_NOTE_LINES = 300  # maximum lines of all notes together
NARROWEST = 9 * CELL  # a page with text is at least this wide

Marks: TypeAlias = Mapping[str, str] | Mapping[Point, str] | Mapping[PointLike, str]
"""Short labels for points, given by name or pair (row, column)."""

Links: TypeAlias = Iterable[tuple[PointLike, PointLike]]
"""Pairs of points to join by lines."""


class Drawing(str):
    """An SVG document as a string; notebooks show it as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self)


_Entry: TypeAlias = tuple[str, list[int], str]
"""A line of the legend: a kind of mark, the sides that have it, and its meaning."""


@dataclass(frozen=True)
class _Sheet:
    """A picture with its theme, texts and layout."""

    picture: Picture
    theme: Theme
    labels: dict[Point, str]
    title: list[str]
    """Paragraphs of the title."""
    margin: float
    """From the outermost line to the edge of the page."""
    regions: NDArray[Any] | None = None
    links: dict[str, list[tuple[Point, Point]]] = field(default_factory=dict)
    """Pairs of points by kind; kinds are named in the legend."""
    legend: bool = False
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        board = (self.picture.width - 1) * CELL + 2 * self.margin
        return max(board, NARROWEST) if self.title or self.legend or self.notes else board

    @cached_property
    def title_lines(self) -> list[str]:
        return [line for part in self.title for line in wrapped(part, self.width - 0.6 * CELL, TITLE, TITLE_LINES)]

    @cached_property
    def note_lines(self) -> list[str]:
        lines = [line for note in self.notes for line in wrapped(note, self.width - CELL, NOTE, NOTE_LINES)]
        return lines if len(lines) <= ALL_NOTE_LINES else [*lines[: ALL_NOTE_LINES - 1], "…"]

    @cached_property
    def legend_rows(self) -> list[list[tuple[float, _Entry]]]:
        """The rows of the legend: every entry with its left edge."""
        rows: list[list[tuple[float, _Entry]]] = []
        x = 0.0
        for entry in filter(lambda entry: entry[1], _legend_entries(self) if self.legend else ()):
            width = (len(entry[1]) + 0.8) * CELL + text_width(entry[2], NOTE)
            if not rows or x + width > self.width - CELL:
                rows.append([])
                x = 0.0
            rows[-1].append((x, entry))
            x += width
        return rows

    @property
    def heading(self) -> float:
        return len(self.title_lines) * TITLE_STEP + 0.42 * CELL if self.title_lines else 0.0

    @property
    def bottom(self) -> float:
        """The y coordinate below the board, where legend and notes begin."""
        return self.heading + (self.picture.height - 1) * CELL + 2 * self.margin

    @property
    def page(self) -> tuple[float, float]:
        below = len(self.legend_rows) * LEGEND_STEP + len(self.note_lines) * NOTE_STEP
        return self.width, self.bottom + below + (0.4 * CELL if below else 0)

    def x(self, column: float) -> float:
        return self.width / 2 + (column - (self.picture.width - 1) / 2) * CELL

    def y(self, row: float) -> float:
        return self.heading + self.margin + row * CELL


_Layer: TypeAlias = Callable[[_Sheet], Iterator[str]]


def draw_svg(
    stones: ArrayLike,
    *,
    ownership: ArrayLike | None = None,
    owner: ArrayLike | None = None,
    dead: Points | None = None,
    unclear: Points = (),
    seki: Points = (),
    dame: Points = (),
    last_move: PointLike | None = None,
    marks: Marks | None = None,
    regions: ArrayLike | None = None,
    links: Links | Mapping[str, Links] = (),
    coordinates: bool = True,
    title: str | None = None,
    legend: bool = False,
    notes: Iterable[str] = (),
    theme: Theme | str = "wood",
) -> Drawing:
    """Draw a board; `marks` puts short labels on points, `theme` is a Theme or the name of one.

    `regions` is an array [row, column]; a border is drawn between neighbours with different values. `links` are pairs
    of points to be joined by lines, or a dict of kinds of links by their names in the legend. Every line of `title` is
    wrapped separately. `legend` explains the marks below the board, and `notes` are written under it.
    """
    picture = picture_of(
        stones, ownership=ownership, owner=owner, dead=dead, unclear=unclear, seki=seki, dame=dame, last_move=last_move
    )
    margin = (1.15 if coordinates else 0.7) * CELL
    sheet = _Sheet(
        picture,
        _theme(theme),
        _read_marks(marks or {}, picture),
        [part for part in map(plain, (title or "").split("\n")) if part],
        margin,
        _read_regions(regions, picture),
        _read_links(links, picture),
        legend,
        tuple(filter(None, map(plain, notes))),
    )
    layers: list[_Layer] = [_board, _grid, _stones, _territory, _fates, _borders, _last_move, _links, _labels]
    layers += [_legend, _notes]
    if coordinates:
        layers.insert(1, _coordinates)
    body = "\n".join(element for layer in layers for element in layer(sheet))
    return Drawing(f"{_opening(sheet)}\n{body}\n</svg>\n")


def legend_samples(theme: Theme | str = "wood") -> list[tuple[Drawing, str]]:
    """Return a small picture of each mark on a counted board with its meaning, for pages with many boards."""
    chosen = _theme(theme)
    return [
        (_sample_picture(chosen, kind), kind) for kind in ("dead", "unclear", "seki", "territory", "dame", "last move")
    ]


def _sample_picture(theme: Theme, kind: str) -> Drawing:
    sides = [0] if kind == "dame" else [1, -1]
    width = len(sides) * CELL
    shapes = (
        shape
        for index, side in enumerate(sides)
        for shape in sample(theme, kind, (index + 0.5) * CELL, 0.5 * CELL, side)
    )
    wood = element("rect", width=width, height=CELL, fill=theme.wood)
    return Drawing(f"{_root(width, CELL)}{wood}{''.join(shapes)}</svg>")


def _place(point: PointLike, picture: Picture) -> Point:
    return as_point(point, picture.width, picture.height)


def _read_regions(regions: ArrayLike | None, picture: Picture) -> NDArray[Any] | None:
    array = None if regions is None else np.asarray(regions)
    if array is not None and array.shape != picture.stones.shape:
        raise TengenError(f"regions are an array of the board's shape {picture.stones.shape}, not {array.shape}")
    return array


def _read_links(links: Links | Mapping[str, Links], picture: Picture) -> dict[str, list[tuple[Point, Point]]]:
    kinds = links if isinstance(links, Mapping) else {"link": links}
    return {
        plain(kind): [(_place(one, picture), _place(other, picture)) for one, other in pairs]
        for kind, pairs in kinds.items()
    }


def _read_marks(marks: Marks, picture: Picture) -> dict[Point, str]:
    labels = {_place(point, picture): plain(label) for point, label in marks.items()}
    return {point: label for point, label in labels.items() if label}


def _theme(theme: Theme | str) -> Theme:
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise TengenError(f"unknown theme {theme!r}: known are {', '.join(THEMES)}")
    return THEMES[theme]


def _opening(sheet: _Sheet) -> str:
    title = ": ".join(sheet.title) or f"Go board, {sheet.picture.width}×{sheet.picture.height}"
    return f"{_root(*sheet.page)}\n{element('title', title)}"


def _root(width: float, height: float) -> str:
    """Return the opening tag of a picture."""
    wide, high = number(width), number(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img" font-family="Helvetica, Arial, sans-serif" text-anchor="middle">'
    )


def _board(sheet: _Sheet) -> Iterator[str]:
    """Draw the background and the title."""
    width, height = sheet.page
    yield element("rect", width=width, height=height, rx=0.1 * CELL, fill=sheet.theme.wood)
    yield from stacked(sheet.title_lines, width / 2, 0.6 * CELL, TITLE, TITLE_STEP, sheet.theme.ink)


def _grid(sheet: _Sheet) -> Iterator[str]:
    """Draw the lines as one path, a thicker border, and the star points."""
    rows, columns = sheet.picture.height, sheet.picture.width
    left, right, top, bottom = sheet.x(0), sheet.x(columns - 1), sheet.y(0), sheet.y(rows - 1)
    across = (f"M{number(left)} {number(sheet.y(row))}H{number(right)}" for row in range(rows))
    down = (f"M{number(sheet.x(column))} {number(top)}V{number(bottom)}" for column in range(columns))
    pen: Style = {"fill": "none", "stroke": sheet.theme.line}
    yield element("path", d="".join((*across, *down)), stroke_width=0.03 * CELL, **pen)
    yield element("rect", x=left, y=top, width=right - left, height=bottom - top, stroke_width=0.06 * CELL, **pen)
    for row, column in sorted(sheet.picture.stars):
        yield circle(sheet.x(column), sheet.y(row), STAR, fill=sheet.theme.line)


def _coordinates(sheet: _Sheet) -> Iterator[str]:
    rows, columns = sheet.picture.height, sheet.picture.width
    size, gap = 0.4 * CELL, 0.72
    beside = gap if rows < 10 else 0.78  # numbers of two digits would touch stones on the edge
    for column in range(columns):
        for row in (-gap, rows - 1 + gap):
            yield text(LETTERS[column], sheet.x(column), sheet.y(row), size, sheet.theme.ink)
    for row in range(rows):
        for side in (-beside, columns - 1 + beside):
            yield text(str(rows - row), sheet.x(side), sheet.y(row), size, sheet.theme.ink)


def _stones(sheet: _Sheet) -> Iterator[str]:
    picture = sheet.picture
    for row, column in _points(picture):
        side = picture.stones[row, column]
        if side:
            yield stone(sheet.theme, sheet.x(column), sheet.y(row), side, dead=bool(picture.dead[row, column]))


def _territory(sheet: _Sheet) -> Iterator[str]:
    """Mark territory by squares, and dead stones even if their points are neutral.

    A label or a question mark takes the place of the square on its point.
    """
    for row, column in _points(sheet.picture):
        share = float(sheet.picture.territory[row, column])
        if sheet.picture.dead[row, column] and not share:
            share = -float(sheet.picture.stones[row, column])
        if abs(share) < FAINT or (row, column) in sheet.labels or sheet.picture.unclear[row, column]:
            continue
        yield square(sheet.theme, sheet.x(column), sheet.y(row), share)


def _fates(sheet: _Sheet) -> Iterator[str]:
    """Mark unclear stones, stones in seki and dame, except under labels."""
    picture = sheet.picture
    for row, column in _points(picture):
        if (row, column) in sheet.labels:
            continue
        x, y, side = sheet.x(column), sheet.y(row), picture.stones[row, column]
        if picture.unclear[row, column]:
            yield question(sheet.theme, x, y, side)
        elif picture.seki[row, column] and not picture.dead[row, column]:
            yield triangle(sheet.theme, x, y, side)
        elif picture.dame[row, column]:
            yield cross(sheet.theme, x, y)


def _borders(sheet: _Sheet) -> Iterator[str]:
    """Draw a line between neighbours that are in different regions, as one path."""
    if sheet.regions is None:
        return
    across = np.argwhere(sheet.regions[:, :-1] != sheet.regions[:, 1:])
    down = np.argwhere(sheet.regions[:-1] != sheet.regions[1:])
    upright = (f"M{number(sheet.x(c + 0.5))} {number(sheet.y(r - 0.5))}v{number(CELL)}" for r, c in across.tolist())
    flat = (f"M{number(sheet.x(c - 0.5))} {number(sheet.y(r + 0.5))}h{number(CELL)}" for r, c in down.tolist())
    path = "".join((*upright, *flat))
    if path:
        pen: Style = {"fill": "none", "stroke": sheet.theme.link, "stroke_width": 0.05 * CELL}
        yield element("path", d=path, stroke_dasharray=dashes(), **pen)


def _links(sheet: _Sheet) -> Iterator[str]:
    """Join pairs of points by lines, one path for each kind, with a dot at each end of the first kind."""
    for kind, links in enumerate(sheet.links.values()):
        ends = [[(sheet.x(column), sheet.y(row)) for row, column in link] for link in links]
        path = "".join(f"M{number(x)} {number(y)}L{number(u)} {number(v)}" for (x, y), (u, v) in ends)
        if path:
            yield element("path", d=path, opacity=0.8, **link_style(sheet.theme, kind))
        for row, column in sorted({place for link in links for place in link} if kind == 0 else ()):
            yield circle(sheet.x(column), sheet.y(row), DOT, fill=sheet.theme.link)


def _last_move(sheet: _Sheet) -> Iterator[str]:
    """Draw a ring on the last move, unless it has a label."""
    move = sheet.picture.last_move
    if move is not None and move not in sheet.labels:
        yield ring(sheet.theme, sheet.x(move[1]), sheet.y(move[0]), sheet.picture.stones[move])


def _labels(sheet: _Sheet) -> Iterator[str]:
    """Write labels on stones in the other colour, and on empty points over a disc that hides the lines."""
    for (row, column), label in sheet.labels.items():
        side = sheet.picture.stones[row, column]
        if not side:
            yield circle(sheet.x(column), sheet.y(row), DISC, fill=sheet.theme.wood)
        size = min(0.55, 1.25 / letters(label)) * CELL
        colour = sheet.theme.colour(-side) if side else sheet.theme.ink
        yield text(label, sheet.x(column), sheet.y(row), size, colour)


def _legend(sheet: _Sheet) -> Iterator[str]:
    """Draw a sample of every mark with its meaning."""
    for index, entries in enumerate(sheet.legend_rows):
        y = sheet.bottom + (index + 0.45) * LEGEND_STEP
        for left, (kind, sides, meaning) in entries:
            x = left + 0.5 * CELL
            for side in sides:
                yield from sample(sheet.theme, kind, x + 0.5 * CELL, y, side)
                x += CELL
            yield text(meaning, x + 0.2 * CELL, y, NOTE, sheet.theme.ink, text_anchor="start")


def _legend_entries(sheet: _Sheet) -> Iterator[_Entry]:
    """Yield the kinds of marks on the board, with the sides that have them."""
    picture = sheet.picture
    move, shares = picture.last_move, np.where(np.abs(picture.territory) < FAINT, 0, picture.territory)
    larger = ", larger where surer" if (np.abs(shares) < 1)[shares != 0].any() else ""
    stones = {
        "dead": picture.dead & ~picture.unclear,
        "unclear": picture.unclear,
        "seki": picture.seki & ~picture.dead,
    }
    for kind, mask in stones.items():
        yield kind, [side for side in (1, -1) if (mask & (picture.stones == side)).any()], kind
    yield "territory", [side for side in (1, -1) if (shares * side > 0).any()], f"territory{larger}"
    yield "dame", [0] if picture.dame.any() else [], "dame"
    yield "last move", [] if move is None or move in sheet.labels else [int(picture.stones[move])], "last move"
    yield "border", [] if sheet.regions is None or (sheet.regions == sheet.regions[0, 0]).all() else [0], "border"
    for index, (name, links) in enumerate(sheet.links.items()):
        yield "link", [index] if links else [], name


def _notes(sheet: _Sheet) -> Iterator[str]:
    y = sheet.bottom + len(sheet.legend_rows) * LEGEND_STEP + 0.4 * NOTE_STEP
    yield from stacked(sheet.note_lines, 0.5 * CELL, y, NOTE, NOTE_STEP, sheet.theme.ink, text_anchor="start")


def _points(picture: Picture) -> Iterator[Point]:
    return ((row, column) for row in range(picture.height) for column in range(picture.width))
