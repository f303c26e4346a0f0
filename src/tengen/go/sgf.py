"""SGF trees: nodes, properties and points, read lazily from the native parser and written back without loss.

Reading guide: a ``Tree`` is one game of a parsed collection plus an overlay of what was edited; ``Node`` is a handle
into it, made when asked for. ``Tree.sgf`` writes: an untouched node is copied byte for byte, an edited one is written
from its properties, and only the root changes by itself, to say CA[UTF-8].
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from tengen._core import Mend
from tengen.errors import TengenError
from tengen.go.points import LETTERS, PointLike, as_point

if TYPE_CHECKING:
    from tengen._core import Records

_ESCAPES = re.compile(r"\\(\r\n|\n\r|\r|\n)|\\(.)|(\r\n|\n\r|\r)|([\t\v\f])", re.DOTALL)
_LINE_ENDS = re.compile(r"\r\n|\n\r|\r|\n")
_IDENTIFIER = re.compile(r"[A-Z][A-Z0-9_]*")
#: Properties whose text may have several lines; in others a line break reads as a space.
_MULTILINE = frozenset({"C", "GC"})
_COORDINATES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Kinds of mending after which the text itself is no longer good SGF: all nodes are then written afresh.
MENDED_TEXT = {
    Mend.missing_semicolon, Mend.missing_close, Mend.lower_case, Mend.repeated_property,
    Mend.stray_text, Mend.empty_variation, Mend.extra_root,
}  # fmt: skip


def unescape(raw: str, *, multiline: bool = True) -> str:
    """The text a raw value stands for: escapes resolved, soft line breaks dropped, blanks made plain."""

    def plain(match: re.Match[str]) -> str:
        soft, escaped, line_end, _ = match.groups()
        if soft is not None:
            return ""
        if escaped is not None:
            return " " if escaped in "\t\v\f" else escaped
        return "\n" if line_end is not None else " "

    text = _ESCAPES.sub(plain, raw)
    return text if multiline else text.replace("\n", " ")


def escape(text: str, *, composed: bool = False) -> str:
    """A text as a raw value; ``composed`` also protects the colon."""
    raw = text.replace("\\", "\\\\").replace("]", "\\]")
    return raw.replace(":", "\\:") if composed else raw


@cache
def move_names(width: int, height: int) -> tuple[str, ...]:
    """GTP names of all points, row by row from the top, and "pass" at the end; beyond 25 columns AA, AB and so on."""
    columns = [LETTERS[i] if i < 25 else LETTERS[i // 25 - 1] + LETTERS[i % 25] for i in range(width)]
    return (*(f"{columns[column]}{height - row}" for row in range(height) for column in range(width)), "pass")


@cache
def _indices(width: int, height: int) -> dict[str, int]:
    return {name.upper(): index for index, name in enumerate(move_names(width, height))}


def point_index(point: PointLike, width: int, height: int) -> int:
    """The index row * width + column of a GTP name or a (row, column); a pass comes after the last point."""
    if not isinstance(point, str):
        row, column = as_point(point, width, height)
        return row * width + column
    index = _indices(width, height).get(point.strip().upper())
    if index is None:
        raise TengenError(f"{point!r} is no point of a {width}x{height} board; points look like D4, columns skip I")
    return index


def sgf_point(point: PointLike, width: int, height: int) -> str:
    """The two letters of a point, or nothing for a pass."""
    index = point_index(point, width, height)
    return "" if index == width * height else _COORDINATES[index % width] + _COORDINATES[index // width]


class Tree:
    """One game of a collection, with what was edited since."""

    __slots__ = (
        "_children", "_edits", "_next", "_parents",
        "begin", "end", "game", "height", "number", "records", "root", "version", "width",
    )  # fmt: skip

    def __init__(self, records: Records, game: int) -> None:
        self.records = records
        self.game = game
        self.number, self.root, self.width, self.height, self.begin, self.end = records.head(game)
        self.version = 0
        self._edits: dict[int, dict[str, list[str]]] = {}
        self._children: dict[int, list[int]] = {}
        self._parents: dict[int, int] = {}
        self._next = records.node_count

    def properties(self, node: int) -> dict[str, list[str]]:
        """Raw values by identifier, in order; a property that stands twice has its values joined."""
        if node in self._edits:
            return self._edits[node]
        merged: dict[str, list[str]] = {}
        for identifier, values in self.records.properties(node):
            merged.setdefault(identifier, []).extend(values)
        return merged

    def edit(self, node: int) -> dict[str, list[str]]:
        """The properties of a node, to be changed."""
        self.version += 1
        if node not in self._edits:
            self._edits[node] = self.properties(node)
        return self._edits[node]

    def children(self, node: int) -> list[int]:
        """The children of a node, main line first."""
        return self._children[node] if node in self._children else self.records.children(node)

    def parent(self, node: int) -> int:
        """The parent of a node, -1 above the root."""
        return self._parents[node] if node in self._parents else self.records.parent(node)

    def add_child(self, node: int) -> int:
        """A new last child of a node."""
        self.version += 1
        child = self._next
        self._next += 1
        self._edits[child] = {}
        self._parents[child] = node
        self._children[child] = []
        self._children[node] = [*self.children(node), child]
        return child

    def drop(self, node: int) -> None:
        """Cut a node and all below it off the tree."""
        parent = self.parent(node)
        if parent < 0:
            raise TengenError("the root of a game cannot be removed")
        self.version += 1
        self._children[parent] = [child for child in self.children(parent) if child != node]

    def main_line(self) -> Iterator[int]:
        """The nodes from the root along first children."""
        children = [self.root]
        while children:
            yield children[0]
            children = self.children(children[0])

    def sgf(self) -> str:
        """The game as text, in UTF-8 and saying so."""
        mended = any(note[0] in MENDED_TEXT for note in self.records.notes(self.game))
        if mended or self._children:
            return self._written(afresh=mended)
        pieces: list[str] = []
        at = self.begin
        for node in sorted({self.root, *self._edits}):
            begin, end = self.records.span(node)
            pieces += [self._raw(at, begin), self._node_text(node)]
            at = end
        return "".join([*pieces, self._raw(at, self.end)])

    def _written(self, *, afresh: bool) -> str:
        out: list[str] = ["("]
        waiting: list[int | str] = [")", self.root]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                out.append(item)
                continue
            out.append(self._fresh_text(item) if afresh else self._node_text(item))
            children = self.children(item)
            if len(children) == 1:
                waiting.append(children[0])
            else:
                for child in reversed(children):
                    waiting += [")", child, "("]
        return "".join(out)

    def _node_text(self, node: int) -> str:
        if node in self._edits:
            blanks = "" if node >= self.records.node_count else self._blanks_after(node)
            return self._fresh_text(node) + blanks
        begin, end = self.records.span(node)
        return self._root_text(begin, end) if node == self.root else self._raw(begin, end)

    def _blanks_after(self, node: int) -> str:
        raw = self._raw(*self.records.span(node))
        return raw[len(raw.rstrip()) :]

    def _fresh_text(self, node: int) -> str:
        properties = self.properties(node)
        if node == self.root:
            properties = _with_charset(properties)
        return ";" + "".join(name + "".join(f"[{raw}]" for raw in values) for name, values in properties.items())

    def _root_text(self, begin: int, end: int) -> str:
        """The root as it stands, but for CA[UTF-8] in place of another charset, after FF, or in front."""
        charset = self.records.property_span(self.root, "CA")
        if charset is not None:
            declared = self.properties(self.root)["CA"][0].strip().lower()
            start, stop = charset
            if declared in ("utf-8", "utf8"):
                return self._raw(begin, end)
        else:
            after = self.records.property_span(self.root, "FF")
            start = stop = after[1] if after is not None else begin + 1
        return self._raw(begin, start) + "CA[UTF-8]" + self._raw(stop, end)

    def _raw(self, begin: int, end: int) -> str:
        return self.records.text[begin:end].decode("utf-8", "replace")


def _with_charset(properties: dict[str, list[str]]) -> dict[str, list[str]]:
    if "CA" in properties:
        return {**properties, "CA": ["UTF-8"]}
    first = {name: properties[name] for name in ("FF",) if name in properties}
    return {**first, "CA": ["UTF-8"], **properties}


class Node:
    """One node of a game. Two handles of the same node are equal."""

    __slots__ = ("_id", "_tree")

    def __init__(self, tree: Tree, node: int) -> None:
        self._tree = tree
        self._id = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (self._tree, self._id) == (other._tree, other._id)

    def __hash__(self) -> int:
        return hash((id(self._tree), self._id))

    def __repr__(self) -> str:
        return f"Node({', '.join(name + repr(values) for name, values in self._properties.items())})"

    @property
    def _properties(self) -> dict[str, list[str]]:
        return self._tree.properties(self._id)

    def __iter__(self) -> Iterator[str]:
        """The identifiers of the node's properties, in order."""
        return iter(list(self._properties))

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._properties

    def __getitem__(self, identifier: str) -> str:
        """The text of a property's first value."""
        text = self.get(identifier)
        if text is None:
            raise KeyError(identifier)
        return text

    def get(self, identifier: str, default: str | None = None) -> str | None:
        """The text of a property's first value, or the default."""
        values = self._properties.get(identifier)
        return unescape(values[0], multiline=identifier in _MULTILINE) if values else default

    def values(self, identifier: str) -> list[str]:
        """All raw values of a property, escapes and all; empty when the node has none."""
        return list(self._properties.get(identifier, ()))

    def points(self, identifier: str) -> list[str]:
        """The points of a property by GTP name, rectangles spelt out; points off the board are left out."""
        width, height = self._tree.width, self._tree.height
        names = move_names(width, height)
        points: dict[int, None] = {}  # each listed once, however many rectangles hold it
        for raw in dict.fromkeys(self.values(identifier)):
            for indices in _raw_points(raw.strip(), identifier, width, height):
                points.update(dict.fromkeys(indices))
        return [names[index] for index in points]

    def set(self, identifier: str, *values: str) -> None:
        """Give a property these texts, in place of any it had; without a value it gets an empty one."""
        self._set_raw(identifier, [escape(str(value)) for value in values] or [""])

    def set_points(self, identifier: str, points: Iterable[PointLike]) -> None:
        """Give a property such as TB, MA or TR these points; none at all removes it."""
        raw = [sgf_point(point, self._tree.width, self._tree.height) for point in points]
        if raw:
            self._set_raw(identifier, raw)
        else:
            self.remove(identifier)

    def label(self, point: PointLike, text: str) -> None:
        """Write a label on a point (LB)."""
        where = sgf_point(point, self._tree.width, self._tree.height)
        others = [raw for raw in self.values("LB") if raw[:3] != f"{where}:"]
        self._set_raw("LB", [*others, f"{where}:{escape(text, composed=True)}"])

    def remove(self, identifier: str) -> None:
        """Take a property away, if the node has it."""
        if identifier in self:
            del self._tree.edit(self._id)[identifier]

    def _set_raw(self, identifier: str, raw: list[str]) -> None:
        if not _IDENTIFIER.fullmatch(identifier):
            raise TengenError(f"{identifier!r} is no SGF property; identifiers are capital letters")
        self._tree.edit(self._id)[identifier] = raw

    @property
    def parent(self) -> Node | None:
        """The node above, None for the root."""
        parent = self._tree.parent(self._id)
        return None if parent < 0 else Node(self._tree, parent)

    @property
    def children(self) -> list[Node]:
        """The nodes below, the main line first."""
        return [Node(self._tree, child) for child in self._tree.children(self._id)]

    def add_child(self) -> Node:
        """Append an empty variation below this node."""
        return Node(self._tree, self._tree.add_child(self._id))

    def delete(self) -> None:
        """Cut this node and all below it off the game."""
        self._tree.drop(self._id)


def clipped(raw: str, identifier: str, width: int, height: int) -> str | None:
    """A value of a move or setup property without the points outside the board; None when nothing is left."""
    text = raw.strip()
    area = _area(text, width, height)
    if identifier in ("B", "W"):
        fine = _is_pass(text, width, height) or (len(text) == 2 and area is not None)
        return raw if fine else None
    if area is None:
        return None
    (top, *_, bottom), (left, *_, right) = ((*side, side[-1]) for side in area)
    corners = [_COORDINATES[left] + _COORDINATES[top], _COORDINATES[right] + _COORDINATES[bottom]]
    inside = all(_area(corner, width, height) is not None for corner in text.split(":"))
    return raw if inside else ":".join(dict.fromkeys(corners))


def _is_pass(text: str, width: int, height: int) -> bool:
    return text == "" or (text == "tt" and width <= 19 and height <= 19)


def _area(text: str, width: int, height: int) -> tuple[range, range] | None:
    """The rows and columns of a point or of a rectangle "aa:cc", as far as they are on the board; None without any."""
    corners = [text[:2], text[3:5]] if len(text) == 5 and text[2] == ":" else [text]
    if any(len(corner) != 2 or not (corner.isascii() and corner.isalpha()) for corner in corners):
        return None
    columns = sorted(_COORDINATES.index(corner[0]) for corner in corners)
    rows = sorted(_COORDINATES.index(corner[1]) for corner in corners)
    down, across = range(rows[0], min(rows[-1] + 1, height)), range(columns[0], min(columns[-1] + 1, width))
    return (down, across) if down and across else None


def _raw_points(raw: str, identifier: str, width: int, height: int) -> Iterator[Iterable[int]]:
    """The indices that one value of a point list stands for, row by row."""
    if _is_pass(raw, width, height):
        if identifier in ("B", "W"):
            yield (width * height,)
        return
    if identifier == "LB":
        raw = raw[:2]
    parts = [raw[:2], raw[3:5]] if identifier in ("AR", "LN") else [raw]  # from one point to another, no rectangle
    for area in (_area(part, width, height) for part in parts):
        if area is not None:
            rows, columns = area
            yield from (range(row * width + columns.start, row * width + columns.stop) for row in rows)
