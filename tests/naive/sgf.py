"""A slow, obvious reader of SGF that the native one must equal: regular expressions over the whole text, nested lists.

A game is (offset, root) and a node [parent, properties, children]; properties are (name, raw values) pairs. Faults are
(number, offset) pairs of games that cannot be read because a value never ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SPACE = r"[ \t\n\v\f\r]*"
NAME = r"[A-Za-z][A-Za-z0-9_]*"
START = re.compile(rf"\((?:[ \t\n\v\f\r(]*)(?:;|{NAME}{SPACE}\[)")
ROOT_NAMES = ("FF", "GM", "SZ", "CA", "AP")
HEAD_NAMES = (*ROOT_NAMES, "PB", "PW", "KM", "HA", "RU", "RE", "DT", "EV", "GN", "AB", "AW", "US", "GC", "PC", "RO",
              "SO", "BR", "WR", "TM", "ST")  # fmt: skip
HEAD = re.compile(rf"\({SPACE};{SPACE}({NAME}){SPACE}\[")
PROPERTY = re.compile(rf"({NAME}){SPACE}(?=\[)")
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
SWALLOWED = re.compile(rf"\){SPACE}(\({SPACE};{SPACE}([A-Z]+))\[(?:\\.|[^\[\\])*\Z", re.DOTALL)


@dataclass
class Node:
    parent: Node | None
    properties: list[tuple[str, list[str]]] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)


class NeverEnds(Exception):
    def __init__(self, offset: int, resume: int) -> None:
        self.offset, self.resume = offset, resume


def normal_name(written: str) -> str:
    kept = "".join(c for c in written if not c.islower())
    return kept if kept[:1].isupper() else written.upper()


def read_collection(text: str) -> tuple[list[tuple[int, Node]], list[tuple[int, int]]]:
    games: list[tuple[int, Node]] = []
    faults: list[tuple[int, int]] = []
    number, match = 0, START.search(text)
    while match:
        number += 1
        try:
            root, at = read_game(text, match.start())
            games.append((match.start(), root))
        except NeverEnds as problem:
            faults.append((number, problem.offset))
            at = next_head(text, problem.resume)
        match = START.search(text, at)
    return games, faults


def next_head(text: str, at: int) -> int:
    heads = (match.start() for match in HEAD.finditer(text, at) if normal_name(match[1]) in HEAD_NAMES)
    return next(heads, len(text))


def read_game(text: str, at: int) -> tuple[Node, int]:
    root: Node | None = None
    current: Node | None = None
    opened: list[Node | None] = []
    inside = False  # whether properties would belong to the current node
    while at < len(text):
        prop = PROPERTY.match(text, at)
        if text[at] == "(":
            head = HEAD.match(text, at)
            if root and head and normal_name(head[1]) in ROOT_NAMES:
                break
            opened.append(current)
            inside = False
        elif text[at] == ")":
            current = opened.pop()
            inside = False
            if not opened:
                at += 1
                break
        elif text[at] == ";" or (prop and not inside):
            current = new_node(current or root)
            root = root or current
            inside = True
            if text[at] != ";":
                continue
        elif prop:
            values, at = read_values(text, prop.end())
            assert current is not None
            current.properties.append((normal_name(prop[1]), values))
            continue
        elif re.match(NAME, text[at:]):
            at += len(re.match(NAME, text[at:])[0])  # type: ignore[index]
            continue
        at += 1
    assert root is not None
    return root, at


def new_node(parent: Node | None) -> Node:
    node = Node(parent)
    if parent is not None:
        parent.children.append(node)
    return node


def read_values(text: str, at: int) -> tuple[list[str], int]:
    values = []
    while text[at : at + 1] == "[":
        match = VALUE.match(text, at)
        if match is None:
            raise NeverEnds(at, at + 1)
        swallowed = SWALLOWED.search(match[1])
        if swallowed and swallowed[2] in ROOT_NAMES:
            raise NeverEnds(at, match.start(1) + swallowed.start(1))
        values.append(match[1])
        at = re.compile(SPACE).match(text, match.end()).end()  # type: ignore[union-attr]
    return values, at
