"""A learner with one weight for each point and one for stones."""

import sys
from pathlib import Path

import numpy as np

from tengen.models.base import OwnershipModel
from tengen.models.evaluator import Evaluations
from tengen.search.match import Contestant

PASSER = Path(__file__).parent / "gtp_passer.py"


def passer(folder, habit="pass", *starts):
    """An engine that passes; it counts its starts in a file, the first of which is a check."""
    return Contestant(f"gtp:{sys.executable} {PASSER} {folder / 'starts'} {habit} {' '.join(map(str, starts))}")


class Toy(OwnershipModel):
    name = "territory/toy"

    def ownership(self, board):
        return np.tanh(board.stones * self.gain_[0] + self.bias_)


class ToyLearner:
    name, gives, settings = "territory/toy", frozenset({"ownership"}), {"model": "toy"}

    def __init__(self, size=5):
        self.gain, self.bias = np.ones(1), np.zeros((size, size))
        self.learned = []

    def evaluate(self, positions):
        return Evaluations(ownership=np.tanh(positions.stones * self.gain[0] + self.bias))

    def learn(self, stones, targets, weights, turns):
        self.learned.append((stones, targets, weights))
        wrong = weights * (targets - np.tanh(stones * self.gain[0] + self.bias))
        self.gain = self.gain + 0.1 * (wrong * stones).mean()
        self.bias = self.bias + 0.1 * wrong.mean(0)
        return float((wrong**2).mean())

    def state(self):
        return {"gain": self.gain, "bias": self.bias}

    def restore(self, state):
        self.gain, self.bias = state["gain"], state["bias"]

    def model(self):
        model = Toy()
        model.gain_, model.bias_ = self.gain, self.bias
        return model
