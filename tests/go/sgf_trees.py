"""Trees as nested lists, to be compared: [properties, [child, ...]] without recursion."""

from __future__ import annotations

from typing import Any

from naive.sgf import Node as NaiveNode
from tengen import _core
from tengen.go.sgf import Node

Nested = list[Any]


def nested(root: NaiveNode) -> Nested:
    top: Nested = []
    waiting = [(root, top)]
    while waiting:
        node, siblings = waiting.pop()
        children: Nested = []
        siblings.append([node.properties, children])
        waiting += [(child, children) for child in reversed(node.children)]
    return top[0]  # type: ignore[no-any-return]


def native_trees(text: str) -> tuple[list[Nested], dict[int, tuple[int, str]]]:
    """The trees of all games, and number → (offset, problem) of those that could not be read."""
    records = _core.parse_sgf(text.encode())
    trees = []
    for game in range(len(records)):
        top: Nested = []
        waiting = [(records.head(game)[1], top)]
        while waiting:
            node, siblings = waiting.pop()
            children: Nested = []
            siblings.append([records.properties(node), children])
            waiting += [(child, children) for child in reversed(records.children(node))]
        trees.append(top[0])
    return trees, {number: (offset, problem) for number, offset, problem in records.faults()}


def node_tree(root: Node) -> Nested:
    """The tree below a Node, CA left out of its root."""
    top: Nested = []
    waiting = [(root, top)]
    while waiting:
        node, siblings = waiting.pop()
        children: Nested = []
        properties = [(name, node.values(name)) for name in node if not (name == "CA" and node.parent is None)]
        siblings.append([properties, children])
        waiting += [(child, children) for child in reversed(node.children)]
    return top[0]  # type: ignore[no-any-return]
