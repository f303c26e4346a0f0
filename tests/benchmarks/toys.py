"""Models for tests of evaluations."""

import numpy as np

from tengen.models.base import MoveModel


class FirstPoint(MoveModel):
    """Plays on the first legal point and passes only if there is none."""

    name = "test/first"

    def probabilities(self, board):
        policy = np.zeros(board.stones.size + 1)
        policy[np.append(board.legal_mask().ravel(), True).argmax()] = 1
        return policy
