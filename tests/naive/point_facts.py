"""The facts of every point, spelled out on the naive board: the twin of point_facts.hpp."""

from __future__ import annotations

from . import tactics
from .benson import benson
from .board import NaiveBoard, Point, opponent
from .tactics import NaiveReader


def stone_facts(board: NaiveBoard, point: Point, player: int) -> set[str]:
    """The facts of a stone except those of safety and last moves."""
    side = "own" if board.stones[point] == player else "enemy"
    liberties = len(board.liberties(point))
    facts = {"board", side}
    if liberties <= 3:
        facts.add(f"{side}_{liberties}")
    if liberties <= 2 and NaiveReader().attacked(board, point):
        facts.add(f"{side}_attacked")
        if not NaiveReader().defended(board, point):
            facts.add(f"{side}_lost")
    return facts


def move_facts(board: NaiveBoard, point: Point, player: int) -> set[str]:
    """The facts of an empty point except those of safety and last moves."""
    words, *_ = tactics.facts(board, point, player)
    names = {"captures": "captures", "self-atari": "self_atari", "ladder": "ladder", "saves": "saves"}
    facts = {"board", *(name for word, name in names.items() if word in words)}
    if "legal" not in words:
        facts.add("forbidden")
    later = NaiveBoard(board.width, board.height, stones=dict(board.stones))
    later.place(point, opponent(player))
    if point not in later.stones or len(later.liberties(point)) <= 1:
        facts.add("enemy_self_atari")
    return facts


def safe_facts(board: NaiveBoard, player: int) -> dict[str, set[Point]]:
    """The points of unconditional life and its territory, for both sides."""
    sides = {"own_safe": player, "enemy_safe": opponent(player)}
    return {name: set.union(*map(set, benson(board, colour))) for name, colour in sides.items()}
