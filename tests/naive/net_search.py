"""The search by a network in pure Python: PUCT with the policy and the values of a guide."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .board import BLACK, NaiveBoard, opponent
from .playout import NaiveRandom, PlayoutBoard
from .search import NaiveNode, NaiveUct, win_by

Says = Callable[[npt.NDArray[np.int8], int], tuple[npt.NDArray[np.float64], float, float]]
"""From stones and turn: the probability of each point and the pass, Black's winrate and lead."""


class NaivePuct(NaiveUct):
    explore, reduction, lead_weight = 0.6, 0.1, 0.005

    def __init__(self, start: NaiveBoard, komi: float, says: Says) -> None:
        super().__init__(start, 0, komi)
        self.says = says

    def simulate(self, random: NaiveRandom) -> None:
        board, colour = PlayoutBoard.of(self.start), self.start.to_play
        past = [(dict(stones), turn) for stones, turn in self.start.past]
        passed, over = bool(self.start.moves) and self.start.moves[-1][0] is None, False
        path = [self.root]
        if not self.root.children:
            self.root.children, _, _ = self.expanded(board, colour, past, random)
        while path[-1].children and not over:
            node = path[-1]
            child = max(node.children, key=lambda child: self.urgency(child, node, colour))
            board.play(child.move, colour)
            colour = opponent(colour)
            past.append((dict(board.stones), colour))
            over, passed = passed and child.move is None, child.move is None
            path.append(child)
        if over:
            lead = sum(1 if owner == BLACK else -1 for owner in board.owners().values()) - self.komi
            winrate = win_by(lead)
        else:
            path[-1].children, winrate, lead = self.expanded(board, colour, past, random)
        for depth, node in enumerate(path):
            mover = opponent(self.start.to_play) if depth % 2 == 0 else self.start.to_play
            node.visits += 1
            node.wins += winrate if mover == BLACK else 1 - winrate
            node.lead += lead

    def expanded(
        self, board: PlayoutBoard, colour: int, past: list[tuple[dict[tuple[int, int], int], int]], random: NaiveRandom
    ) -> tuple[list[NaiveNode], float, float]:
        """Return the moves of a position, the likeliest first, and what the guide says about it."""
        stones = np.zeros((board.height, board.width), np.int8)
        for point, stone in board.stones.items():
            stones[point] = 1 if stone == BLACK else -1
        policy, winrate, lead = self.says(stones, 1 if colour == BLACK else -1)
        nodes = self.moves(board, colour, past, random, (None, None, False))
        shares = [policy[-1] if n.move is None else policy[n.move[0] * board.width + n.move[1]] for n in nodes]
        for node, share in zip(nodes, shares, strict=True):
            node.prior = (1.0, float(np.float32(share / sum(shares))))
        return sorted(nodes, key=lambda node: -node.prior[1]), winrate, lead

    def urgency(self, node: NaiveNode, parent: NaiveNode, colour: int) -> float:
        """The mean and explore·p·√N / (1 + n), where N counts the visit that is under way."""
        sign = 1 if colour == BLACK else -1
        if node.visits:
            mean = node.wins / node.visits + self.comfort(sign * node.lead / node.visits)
        elif parent.visits:
            mean = 1 - parent.wins / parent.visits + self.comfort(sign * parent.lead / parent.visits)
            mean -= self.reduction * math.sqrt(sum(child.prior[1] for child in parent.children if child.visits))
        else:
            mean = 0.5
        return mean + self.explore * node.prior[1] * math.sqrt(parent.visits + 1) / (1 + node.visits)

    def comfort(self, lead: float) -> float:
        return self.lead_weight * lead / (10 + abs(lead))
