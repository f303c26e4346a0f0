"""A review in the comments of a record: one line per move, and the lead as V, SGF's property for it.

Our lines begin with `MARK`; a second review replaces those of the first. Everything else is unchanged, including a V
that another program wrote.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from tengen.errors import printable
from tengen.search.review_text import signed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.go.record import Game
    from tengen.go.sgf import Node
    from tengen.search.review import Review, ReviewedMove, Swing

MARK = "Tengen: "


def annotated(review: Review, game: Game) -> Game:
    """Return a copy of the game with the review in its comments."""
    game = copy(game)
    swings = {swing.move: swing for swing in review.swings}
    notes = [f"{MARK}note: {printable(warning)}" for warning in review.warnings]
    _comment(game.root, [f"{MARK}reviewed with {review.method}", *notes])
    for node, move in _nodes(game, review.moves):
        _write(node, move, swings.get(move.move))
    return game


def _nodes(game: Game, moves: tuple[ReviewedMove, ...]) -> Iterator[tuple[Node, ReviewedMove]]:
    """Pair the nodes of the main line with their moves; a node with two moves is paired with the last."""
    number = 0
    for node in game.main_line():
        before = number
        for identifier, colour in (("B", "black"), ("W", "white")):
            for point in node.points(identifier):
                if number < len(moves) and (moves[number].colour, moves[number].point) == (colour, point):
                    number += 1
        if number > before:
            yield node, moves[number - 1]


def _write(node: Node, move: ReviewedMove, swing: Swing | None) -> None:
    comment = (node.get("C") or "").split("\n")
    ours = "V" not in node or any(line.startswith(_lead_line(node["V"])) for line in comment)
    value = signed(move.lead).removeprefix("+")
    lines = [f"{_lead_line(value)}{move.lead_sd:.1f}, Black wins {move.winrate:.0%}"]
    if swing is not None:
        lines.append(f"{MARK}{swing}")
    _comment(node, lines)
    if ours:
        node.set("V", value)


def _lead_line(value: str) -> str:
    """Return the start of the line of a lead; a V is ours if the comment has this line with the same value."""
    return f"{MARK}{'White' if value.startswith('-') else 'Black'} leads by {value.lstrip('-')} ± "


def _comment(node: Node, lines: list[str]) -> None:
    """Append lines to a comment, replacing those of an earlier review."""
    kept = [line for line in (node.get("C") or "").split("\n") if not line.startswith(MARK)]
    theirs = "\n".join(kept).rstrip("\n")
    node.set("C", "\n".join([theirs, *lines] if theirs else lines))
