"""The shapes that SVG drawings of boards are made of: stones, marks and lines of text.

Every function returns an SVG element as text. Stones and marks look the same on the board and in the legend. Text
widths are estimates, because the viewer's font is unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

CELL = 30.0
"""Distance between two lines, in pixels; everything else is a fraction of it."""

STONE, STAR, RING, DISC, DOT = 0.465, 0.085, 0.26, 0.4, 0.15  # radii
SQUARE = 0.42  # side of a square of certain territory
TRIANGLE = 0.3  # from the centre of a triangle to its corners
CROSS = 0.14  # half the side of a cross
FADED = 0.5  # opacity of a dead stone

Style: TypeAlias = dict[str, str | float]

_LETTER = 0.53  # width of an average letter in units of the font size
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    special_links: tuple[str, ...] = ("#e01e37", "#0f9d58", "#9b5de5", "#e0218a", "#0096a7", "#c75000")
    """Further kinds of links, in turn."""

    def colour(self, side: float) -> str:
        """Return the colour of Black (above 0) or White."""
        return self.black if side > 0 else self.white


THEMES = {
    "wood": Theme(),
    "paper": Theme(wood="#ffffff", line="#555555", ink="#333333", black="#111111", white="#ffffff", edge="#111111"),
}
"""The themes known by name: a wooden board, and black on white for printing."""


def stone(theme: Theme, x: float, y: float, side: float, *, dead: bool = False) -> str:
    """Draw a stone; a dead one is faded."""
    fading: Style = {"opacity": FADED} if dead else {}
    outline: Style = {"stroke": theme.edge, "stroke_width": 0.04 * CELL}
    return circle(x, y, STONE, fill=theme.colour(side), **outline, **fading)


def square(theme: Theme, x: float, y: float, share: float) -> str:
    """Draw a square of territory, larger where it is surer, with an outline of the other colour."""
    side = SQUARE * CELL * abs(share)
    outline: Style = {"stroke": theme.colour(-share), "stroke_width": 0.03 * CELL}
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, fill=theme.colour(share), **outline)


def ring(theme: Theme, x: float, y: float, side: float) -> str:
    """Draw the ring of the last move, on a stone of this side or on an empty point (0)."""
    colour = theme.colour(-side) if side else theme.ink
    return circle(x, y, RING, fill="none", stroke=colour, stroke_width=0.07 * CELL)


def question(theme: Theme, x: float, y: float, side: float) -> str:
    """Draw the question mark of an unclear stone."""
    return text("?", x, y, 0.7 * CELL, theme.colour(-side), font_weight="bold")


def triangle(theme: Theme, x: float, y: float, side: float) -> str:
    """Draw the triangle of a stone in seki."""
    high, wide = TRIANGLE * CELL, TRIANGLE * CELL * 0.866
    path = f"M{number(x)} {number(y - high)}l{number(wide)} {number(1.5 * high)}h{number(-2 * wide)}z"
    return element("path", d=path, fill="none", stroke=theme.colour(-side), stroke_width=0.07 * CELL)


def cross(theme: Theme, x: float, y: float) -> str:
    """Draw the cross of a neutral point."""
    half = CROSS * CELL
    down, up = f"l{number(2 * half)} {number(2 * half)}", f"l{number(2 * half)} {number(-2 * half)}"
    path = f"M{number(x - half)} {number(y - half)}{down}M{number(x - half)} {number(y + half)}{up}"
    return element("path", d=path, fill="none", stroke=theme.ink, stroke_width=0.09 * CELL)


def sample(theme: Theme, kind: str, x: float, y: float, side: int) -> list[str]:
    """Draw a mark for the legend, on a stone of this side if the mark is one of stones; for links, of this kind."""
    on = [stone(theme, x, y, side, dead=kind == "dead")] if side and kind not in ("territory", "link") else []
    across = f"M{number(x - 0.3 * CELL)} {number(y)}h{number(0.6 * CELL)}"
    if kind == "link":
        return [element("path", d=across, **link_style(theme, side)), circle(x, y, DOT, fill=theme.link)][
            : 2 - bool(side)
        ]
    if kind == "border":
        return [element("path", d=across, stroke_dasharray=dashes(), **link_style(theme, 0))]
    if kind == "dame":
        return [cross(theme, x, y)]
    if kind in ("dead", "territory"):
        return [*on, square(theme, x, y, -side if on else side)]
    return [*on, {"unclear": question, "seki": triangle, "last move": ring}[kind](theme, x, y, side)]


def link_style(theme: Theme, kind: int) -> Style:
    """Return the style of a kind of links: the first is plain, others are wider and differ in colour and dashes."""
    style: Style = {"fill": "none", "stroke": theme.link, "stroke_width": 0.08 * CELL}
    if kind > 0:
        style |= {"stroke": theme.special_links[(kind - 1) % len(theme.special_links)], "stroke_width": 0.13 * CELL}
        if kind > 1:
            style["stroke_dasharray"] = f"{number(0.05 * kind * CELL)} {number(0.09 * CELL)}"
    return style


def dashes() -> str:
    """Return the pattern of the borders of regions."""
    return f"{number(0.1 * CELL)} {number(0.1 * CELL)}"


def circle(x: float, y: float, radius: float, **style: str | float) -> str:
    """Draw a circle; the radius is in cells."""
    return element("circle", cx=x, cy=y, r=radius * CELL, **style)


def text(words: str, x: float, y: float, size: float, colour: str, **style: str | float) -> str:
    """Write a line of text, vertically centred at y."""
    return element("text", words, x=x, y=y, dy=".35em", font_size=size, fill=colour, **style)


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """Return an XML element with escaped text and attributes."""
    written = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{tag}{written}>{escape(content, quote=False)}</{tag}>" if content else f"<{tag}{written}/>"


def _value(value: str | float) -> str:
    return escape(plain(value)) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Write a number with at most two decimals."""
    return f"{round(value, 2):g}"


def plain(words: str) -> str:
    """Return a text on one line, without characters that XML does not allow."""
    return " ".join(_NOT_XML.sub("", str(words)).split())


def letters(words: str) -> int:
    """Return the length of a text in Latin letters; wide characters (Chinese, Korean) count as two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)


def text_width(words: str, size: float) -> float:
    """Return the estimated width of a text."""
    return _LETTER * size * letters(words)


def wrapped(words: str, width: float, size: float, most: int) -> list[str]:
    """Break a text into at most `most` lines that fit; a longer text ends with an ellipsis."""
    room = max(4, int(width / (_LETTER * size)))
    lines: list[str] = []
    for word in _pieces(words, room):
        if lines and letters(lines[-1]) + 1 + letters(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > most:
        last = lines[most - 1]
        while last and letters(last) >= room:
            last = last[:-1]
        lines = [*lines[: most - 1], f"{last.rstrip()}…"]
    return lines


def _pieces(words: str, room: int) -> Iterator[str]:
    """Split a text into words, and words longer than a line into parts."""
    for word in words.split():
        while letters(word) > room:
            end = next(n for n in range(1, len(word) + 1) if n == len(word) or letters(word[: n + 1]) > room)
            yield word[:end]
            word = word[end:]
        yield word


def stacked(lines: Iterable[str], x: float, y: float, size: float, step: float, colour: str, **style: str) -> list[str]:
    """Write lines of text below each other, the first one centred at y."""
    return [text(line, x, y + index * step, size, colour, **style) for index, line in enumerate(lines)]
