"""Plain UCT in pure Python (paper 001 §6): whole positions compared for superko, one dict of facts a node.

It draws from the same random streams as the core's plain search and must grow the same tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .board import BLACK, POSITIONAL, NaiveBoard, Point, opponent
from .playout import NaiveRandom, PlayoutBoard, playout


@dataclass
class NaiveNode:
    move: Point | None = None
    visits: int = 0
    wins: float = 0.0  # of the player who made the move
    lead: float = 0.0
    children: list[NaiveNode] = field(default_factory=list)

    def urgency(self, parent_visits: int) -> float:
        """V(s) = X(s) + √(2 ln T(c) / T(s)); a move that was never played comes first."""
        if self.visits == 0:
            return math.inf
        return self.wins / self.visits + math.sqrt(2 * math.log(parent_visits) / self.visits)


class NaiveUct:
    def __init__(self, start: NaiveBoard, seed: int, komi: float) -> None:
        self.start, self.seed, self.komi = start, seed, komi
        self.root = NaiveNode()

    def run(self, playouts: int) -> None:
        for number in range(playouts):
            self.simulate(NaiveRandom(self.seed, number))

    def simulate(self, random: NaiveRandom) -> None:
        board, colour = PlayoutBoard.of(self.start), self.start.to_play
        past = [(dict(stones), turn) for stones, turn in self.start.past]
        passed = bool(self.start.moves) and self.start.moves[-1][0] is None
        path, over, grown = [self.root], False, False
        while not over and not grown:
            node = path[-1]
            if not node.children:
                node.children = self.moves(board, colour, past, random)
                grown = True
            child = max(node.children, key=lambda c: c.urgency(node.visits))
            board.play(child.move, colour)
            colour = opponent(colour)
            past.append((dict(board.stones), colour))
            over, passed = passed and child.move is None, child.move is None
            path.append(child)
        if not over:
            playout(board, colour, random, diagonal=True)
        self.back_up(path, board)

    def moves(
        self, board: PlayoutBoard, colour: int, past: list[tuple[dict[Point, int], int]], random: NaiveRandom
    ) -> list[NaiveNode]:
        points: list[Point | None] = [
            point
            for point in board.points()
            if point not in board.stones
            and board.playable(point, colour, diagonal=True)
            and not self.repeats(board, point, colour, past)
        ]
        points.append(None)
        for left in range(len(points), 1, -1):
            drawn = random.below(left)
            points[drawn], points[left - 1] = points[left - 1], points[drawn]
        return [NaiveNode(point) for point in points]

    def repeats(self, board: PlayoutBoard, point: Point, colour: int, past: list[tuple[dict[Point, int], int]]) -> bool:
        after, _ = NaiveBoard(board.width, board.height, stones=dict(board.stones)).after(point, colour)
        any_turn = self.start.ko_rule <= POSITIONAL
        return any(after == stones and (any_turn or turn == opponent(colour)) for stones, turn in past)

    def back_up(self, path: list[NaiveNode], board: PlayoutBoard) -> None:
        owners = board.owners().values()
        lead = sum(1 if owner == BLACK else -1 for owner in owners) - self.komi
        black = 0.5 if lead == 0 else float(lead > 0)
        mover = opponent(self.start.to_play)
        for node in path:
            node.visits += 1
            node.wins += black if mover == BLACK else 1 - black
            node.lead += lead
            mover = opponent(mover)


def line_of(node: NaiveNode) -> tuple[list[Point | None], list[int]]:
    """What follows by most visits, and those visits."""
    line = [node]
    while line[-1].children:
        best = max(line[-1].children, key=lambda child: child.visits)
        if best.visits == 0:
            break
        line.append(best)
    return [node.move for node in line], [node.visits for node in line]
