"""Benson's unconditional life, told with sets: the twin of benson.hpp."""

from __future__ import annotations

from dataclasses import dataclass

from .board import NaiveBoard, Point

Chain = frozenset[Point]


@dataclass(frozen=True)
class Region:
    """A maximal connected set of points without a stone of the colour, the chains round it and those it is vital to."""

    points: frozenset[Point]
    border: frozenset[Chain]
    vital: frozenset[Chain]


def find_region(board: NaiveBoard, start: Point, chains: set[Chain]) -> Region:
    own = set().union(*chains)
    points, todo = {start}, [start]
    while todo:
        for n in board.neighbours(todo.pop()):
            if n not in own and n not in points:
                points.add(n)
                todo.append(n)
    edge = {n for p in points for n in board.neighbours(p)} - points
    border = {chain for chain in chains if chain & edge}
    empty = {p for p in points if p not in board.stones}
    vital = {chain for chain in border if empty <= board.liberties(next(iter(chain)))}
    return Region(frozenset(points), frozenset(border), frozenset(vital))


def benson(board: NaiveBoard, colour: int) -> tuple[set[Point], set[Point]]:
    """The stones that cannot be captured, and the safe territory they make."""
    chains = {chain for chain in board.chains() if board.stones[next(iter(chain))] == colour}
    outside = [p for p in board.points() if board.stones.get(p) != colour]
    regions = {find_region(board, p, chains) for p in outside}
    while True:
        alive = {chain for chain in chains if sum(chain in region.vital for region in regions) >= 2}
        closed = {region for region in regions if region.border <= alive}
        if (alive, closed) == (chains, regions):
            break
        chains, regions = alive, closed
    stones = {p for chain in chains for p in chain}
    return stones, {p for region in regions if region.vital for p in region.points}
