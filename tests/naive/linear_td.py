"""Patch features computed anew for every board, and TD(λ) with whole vectors; the twin of linear_td.hpp."""

from __future__ import annotations

import numpy as np

from tests.naive.board import BLACK, WHITE, NaiveBoard, opponent
from tests.naive.playout import PlayoutBoard


def codes(board, sizes, own):
    """The code of every window, size by size, row by row."""
    digits = {None: 0, own: 1, opponent(own): 2}
    found = []
    for m in sizes:
        for row in range(board.height - m + 1):
            for column in range(board.width - m + 1):
                points = [(row + k // m, column + k % m) for k in range(m * m)]
                found.append((m, sum(digits[board.stones.get(point)] * 3**k for k, point in enumerate(points))))
    return found


def features(board, own, *, sizes, shared=False, table=None):
    """All features of a board in the view of a colour."""
    blocks: dict[tuple[int, int], np.ndarray] = {}
    for window, (m, code) in enumerate(codes(board, sizes, own)):
        row = np.eye(1, 3 ** (m * m), code)[0] if table is None else table[code].astype(np.float64)
        key = (m, 0 if shared else window)
        blocks[key] = blocks.get(key, 0) + row
    return np.concatenate(list(blocks.values()))


class NaiveTd:
    """A linear value; the last weight is that of komi."""

    def __init__(self, weights, *, black_view, **kind):
        self.weights, self.black_view, self.kind = weights.copy(), black_view, kind

    def vector(self, board, mover, komi):
        """The features that make Black's logit, as seen after a move."""
        view = BLACK if self.black_view else mover
        own_komi = -komi if view == BLACK else komi
        return (1 if view == BLACK else -1) * np.append(features(board, view, **self.kind), own_komi / 10)

    def logit(self, board, mover, komi):
        return float(self.weights @ self.vector(board, mover, komi))

    def after_moves(self, board, mover, komi, forbid_own_eye):
        """Black's logit after every move that is allowed, by point; None passes."""
        found = {None: self.logit(board, mover, komi)}
        for point in board.legal(mover):
            if forbid_own_eye and PlayoutBoard.of(board).is_eye(point, mover, True):
                continue
            after = NaiveBoard(board.width, board.height, stones=board.after(point, mover)[0])
            found[point] = self.logit(after, mover, komi)
        return found

    def learn(self, shape, moves, result, komi, alpha, decay, logistic):
        """The equations of TD(λ): s, δ = U(s') − U(s), e ← λ e + ∇U(s), θ ← θ + α δ e."""
        board, trace = NaiveBoard(*shape), np.zeros(len(self.weights))
        before, mover = self.vector(board, WHITE, komi), BLACK
        for move in [*moves, "end"]:
            if move == "end":
                now, target = None, result
            else:
                board.play(None if move == shape[0] * shape[1] else divmod(move, shape[0]), mover)
                now = self.vector(board, mover, komi)
                target = _sigmoid(self.weights @ now)
            chance = _sigmoid(self.weights @ before)
            trace = decay * trace + (1 if logistic else chance * (1 - chance)) * before
            self.weights += alpha * (target - chance) * trace
            before, mover = now, opponent(mover)


def _sigmoid(logit):
    return 1 / (1 + np.exp(-logit))
