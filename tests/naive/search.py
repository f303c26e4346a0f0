"""The searches in pure Python: plain UCT (Low, §6) and the strong one; whole positions compared for superko.

They draw from the same random streams as the core's and must grow the same tree.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

import numpy as np

from tengen import _core

from .board import BLACK, POSITIONAL, WHITE, NaiveBoard, Point, opponent
from .knowing_playout import NaiveKnowledge, NaivePlayer
from .playout import NaiveRandom, PlayoutBoard, playout
from .prior import Prior, pass_prior, prior

Past = list[tuple[dict[Point, int], int]]
Recent = tuple[Point | None, Point | None, bool]  # the last move, the one before, whether the last was a pass


@dataclass
class NaiveNode:
    move: Point | None = None
    visits: int = 0
    wins: float = 0.0  # of the player who made the move
    gains: float = 0.0  # against the moving komi
    lead: float = 0.0
    rave_visits: int = 0
    rave_wins: float = 0.0
    prior: Prior = (0.0, 0.0)
    children: list[NaiveNode] = field(default_factory=list)


class NaiveUct:
    expand_visits = 1
    dynamic_komi = "off"  # or "ahead", "both"
    widening: tuple[float, float, float, bool] | None = None  # first, growth, ease, by wins
    policy: _core.MovePolicy | None = None

    def __init__(self, start: NaiveBoard, seed: int, komi: float) -> None:
        self.start, self.seed, self.komi = start, seed, komi
        self.root = NaiveNode()
        self.first, self.played = copy.deepcopy(start), list[tuple[Point | None, int]]()
        self.number = 0
        self.aims = {BLACK: 0.0, WHITE: 0.0}  # the lead that counts as even, from the player's side
        self.recent: dict[int, list[bool]] = {BLACK: [], WHITE: []}
        self.barred: dict[tuple[int, Point | None], int] = {}  # a colour's move: so deep it is left out

    def run(self, playouts: int) -> None:
        for _ in range(playouts):
            self.simulate(NaiveRandom(self.seed, self.number))
            self.number += 1

    def advance(self, move: Point | None) -> None:
        """Keep the subtree of a move; the caller plays it on the start board afterwards."""
        self.played.append((move, self.start.to_play))
        self.root = next(child for child in self.root.children if child.move == move)

    def simulate(self, random: NaiveRandom) -> None:
        board, colour = PlayoutBoard.of(self.first), self.start.to_play
        for move, mover in self.played:  # the order of the empty points depends on how they came about
            board.play(move, mover)
        past = [(dict(stones), turn) for stones, turn in self.start.past]
        passed = bool(self.start.moves) and self.start.moves[-1][0] is None
        before, last = [None, None, *(move for move, _ in self.start.moves)][-2:]
        path, over, grown = [self.root], False, False
        while not over and not grown:
            node = path[-1]
            if not node.children:
                if node is not self.root and node.visits + 1 < self.expand_visits:
                    break
                node.children = self.moves(board, colour, past, random, (last, before, passed))
                grown = True
            open_to = [c for c in node.children if len(path) > self.barred.get((colour, c.move), 0)]
            open_to = open_to[: self.open_moves(node)]
            if not open_to:
                break
            child = max(open_to, key=lambda c: self.urgency(c, node, colour))
            board.play(child.move, colour)
            colour = opponent(colour)
            past.append((dict(board.stones), colour))
            over, passed = passed and child.move is None, child.move is None
            before, last = last, child.move
            path.append(child)
        first = {} if over else self.play_out(board, colour, random, last, before)
        self.back_up(path, board, first)

    def open_moves(self, node: NaiveNode) -> int:
        """How many moves are considered: those that are due by the node's visits or wins before this playout."""
        if self.widening is None:
            return len(node.children)
        first, growth, ease, by_wins = self.widening
        share = node.wins / node.visits if node.visits else 0
        due = [first * (1 - ease * share) * sum(growth**i for i in range(n)) for n in range(len(node.children))]
        return sum(at <= (node.wins if by_wins else node.visits) for at in due)

    def urgency(self, node: NaiveNode, parent: NaiveNode, colour: int) -> float:
        """V(s) = X(s) + √(2 ln T(c) / T(s)); a move that was never played comes first."""
        if node.visits == 0:
            return math.inf
        return node.gains / node.visits + math.sqrt(2 * math.log(parent.visits) / node.visits)

    def play_out(
        self, board: PlayoutBoard, colour: int, random: NaiveRandom, last: Point | None, before: Point | None
    ) -> dict[Point, int]:
        """Plays to the end; returns who played first on each point."""
        playout(board, colour, random, diagonal=True)
        return {}

    def moves(
        self, board: PlayoutBoard, colour: int, past: Past, random: NaiveRandom, recent: Recent
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

    def back_up(self, path: list[NaiveNode], board: PlayoutBoard, first: dict[Point, int]) -> None:
        owners = board.owners().values()
        lead = sum(1 if owner == BLACK else -1 for owner in owners) - self.komi
        player, sign = self.start.to_play, 1 if self.start.to_play == BLACK else -1
        black, gain = win_by(lead), win_by(lead - sign * self.aims[player])
        for depth, node in reversed([*enumerate(path)]):
            mover = opponent(self.start.to_play) if depth % 2 == 0 else self.start.to_play
            node.visits += 1
            node.wins += black if mover == BLACK else 1 - black
            node.gains += gain if mover == BLACK else 1 - gain
            node.lead += lead
            for child in node.children:
                if child.move is not None and first.get(child.move) == opponent(mover):
                    child.rave_visits += 1
                    child.rave_wins += 1 - gain if mover == BLACK else gain
            if node.move is not None:
                first[node.move] = mover
        if self.dynamic_komi != "off":
            self.move_aim(player, sign * lead)

    def move_aim(self, player: int, lead: float) -> None:
        """Move a player's aim by a point after every hundred playouts of its own that agree by more than 60 to 40."""
        recent = self.recent[player]
        recent.append(lead > self.aims[player])
        if len(recent) == 100:
            moved = self.aims[player] + (1 if sum(recent) > 60 else -1 if sum(recent) < 40 else 0)
            self.aims[player] = max(-30.0 if self.dynamic_komi == "both" else 0.0, min(30.0, moved))
            recent.clear()


class NaiveStrong(NaiveUct):
    """RAVE, priors and knowing playouts."""

    expand_visits, rave, lead_weight = 8, 3500, 0.005
    bias = 0.0  # of the probabilities of a policy

    def __init__(self, start: NaiveBoard, seed: int, komi: float, knowledge: NaiveKnowledge, drawings: list[str]):
        super().__init__(start, seed, komi)
        self.knowledge, self.drawings = knowledge, drawings

    def moves(
        self, board: PlayoutBoard, colour: int, past: Past, random: NaiveRandom, recent: Recent
    ) -> list[NaiveNode]:
        nodes = super().moves(board, colour, past, random, recent)
        if self.policy is not None:
            self.ask_policy(nodes, board, colour, recent)
        else:
            for node in nodes:
                node.prior = (
                    pass_prior() if node.move is None else prior(board, node.move, colour, recent[0], self.drawings)
                )
        return sorted(nodes, key=lambda node: -node.prior[1] / node.prior[0])

    def ask_policy(self, nodes: list[NaiveNode], board: PlayoutBoard, colour: int, recent: Recent) -> None:
        """Half of ten visits are wins, and 100·√p more, with p the probability of the move among those of the node.

        With a bias the prior has p in the place of its wins.
        """
        last, before, passed = recent
        width, passing = board.width, board.width * board.height

        def index(point: Point | None, none: int) -> int:
            return none if point is None else point[0] * width + point[1]

        stones = np.zeros((1, board.height, width), np.int8)
        for point, stone in board.stones.items():
            stones[0][point] = 1 if stone == BLACK else -1
        last_moves = np.full((1, _core.LAST_MOVES), -1, np.int16)
        last_moves[0, :2] = index(last, passing if passed else -1), index(before, -1)
        turn, ko, passes = [1 if colour == BLACK else -1], [index(board.ko, -1)], [int(passed)]
        rows = (stones, np.int8(turn), np.int16(ko), last_moves, np.int8(passes))
        scores = self.policy.scores(*rows)[0].astype(float)
        strengths = [math.exp(scores[index(node.move, passing)]) for node in nodes]
        for node, strength in zip(nodes, strengths, strict=True):
            probability = strength / sum(strengths)
            weight = 100 * math.sqrt(probability)
            visits, wins = pass_prior() if node.move is None else (10, 5)
            node.prior = (visits, probability) if self.bias else (visits + weight, wins + weight)

    def urgency(self, node: NaiveNode, parent: NaiveNode, colour: int) -> float:
        if self.bias:
            return self.value(node, colour, 5.0) + self.bias * node.prior[1] / (node.visits + 1)
        return self.value(node, colour, node.prior[1])

    def value(self, node: NaiveNode, colour: int, prior_wins: float) -> float:
        n, r = node.visits + node.prior[0], node.rave_visits
        mean = (node.gains + prior_wins) / n
        if node.visits > 0:
            lead = (1 if colour == BLACK else -1) * node.lead / node.visits
            mean += self.lead_weight * lead / (10 + abs(lead))
        if r == 0:
            return mean
        beta = r / (r + n + r * n / self.rave)
        return beta * node.rave_wins / r + (1 - beta) * mean

    def play_out(
        self, board: PlayoutBoard, colour: int, random: NaiveRandom, last: Point | None, before: Point | None
    ) -> dict[Point, int]:
        player = NaivePlayer(self.knowledge, self.drawings, random)
        player.last, player.before = last, before
        first: dict[Point, int] = {}
        moves: list[Point | None] = []
        while len(moves) < 3 * board.width * board.height and moves[-2:] != [None, None]:
            moves.append(player.choose(board, colour))
            if moves[-1] is not None:
                first.setdefault(moves[-1], colour)
            board.play(moves[-1], colour)
            colour = opponent(colour)
        return first


def win_by(lead: float) -> float:
    return 0.5 if lead == 0 else float(lead > 0)


def line_of(node: NaiveNode) -> tuple[list[Point | None], list[int]]:
    """What follows by most visits, and those visits."""
    line = [node]
    while line[-1].children:
        best = max(line[-1].children, key=lambda child: child.visits)
        if best.visits == 0:
            break
        line.append(best)
    return [node.move for node in line], [node.visits for node in line]
