"""The first judge: unconditional life, then a vote of random playouts over each chain.

Start at `vote`. Chains that Benson's rule settles are settled; for the others 300 uniform playouts end the game, the
owners of a chain's points are averaged over playouts and points, and a chain that mostly ends up in enemy hands is dead
(Sanner et al. §2 ask for unanimity instead, which leaves most points open).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board, Chain
from tengen.go.colour import Colour, opposite
from tengen.go.points import point
from tengen.models.verdict import Reason, Status, Verdict

PLAYOUTS = 300
UNCLEAR_BELOW = 0.8
"""A chain is called unclear when its likelier fate has a smaller probability than this."""

# The probability that a chain lives, given the share of playouts in which its points end up its own: a logistic curve,
# between those that `tengen evaluate judge --fit` finds on marked 19×19 games (middle 0.49) and on 9×9 games (0.43).
_FLOOR, _CEILING, _SLOPE, _MIDDLE = 0.034, 0.998, 21.0, 0.473


@dataclass(frozen=True)
class Ballot:
    """What the vote of one chain rests on."""

    chain: Chain
    held: float
    """The share of playouts, averaged over its points, in which the chain's points end up its own."""
    settled: Status | None
    """Alive or dead beyond doubt, by Benson's rule."""


def vote(board: Board, *, playouts: int = PLAYOUTS, seed: int = 0, threads: int = 1) -> list[Verdict]:
    """Judge every chain of a finished position."""
    return [_verdict(ballot, playouts) for ballot in ballots(board, playouts=playouts, seed=seed, threads=threads)]


def survival(held: float) -> float:
    """Return the probability that a chain lives which holds its points in this share of the playouts."""
    return _FLOOR + (_CEILING - _FLOOR) / (1 + math.exp(-_SLOPE * (held - _MIDDLE)))


def ballots(board: Board, *, playouts: int = PLAYOUTS, seed: int = 0, threads: int = 1) -> list[Ballot]:
    """Hold the vote: what is known of every chain before the verdict."""
    safe = board.safe_area()
    ownership = board.playouts(playouts, seed=seed, threads=threads).ownership
    return [_ballot(board, chain, safe.alive + safe.territory, ownership) for chain in board.chains()]


def _ballot(board: Board, chain: Chain, safe: npt.NDArray[np.int8], ownership: npt.NDArray[np.float64]) -> Ballot:
    sign = 1 if chain.colour == "black" else -1
    rows, columns = zip(*(point(name, (board.width, board.height)) for name in chain.points), strict=True)
    owner = int(safe[rows[0], columns[0]]) * sign
    settled: Status | None = "alive" if owner > 0 else "dead" if owner < 0 else None
    return Ballot(chain, float(0.5 + 0.5 * sign * ownership[rows, columns].mean()), settled)


def _verdict(ballot: Ballot, playouts: int) -> Verdict:
    chain = ballot.chain
    if ballot.settled is not None:
        lives = float(ballot.settled == "alive")
        return Verdict(chain.points, chain.colour, ballot.settled, lives, (_settled_reason(chain, ballot.settled),))
    lives = survival(ballot.held)
    sure = max(lives, 1 - lives) >= UNCLEAR_BELOW
    status: Status = "unclear" if not sure else "alive" if lives >= 0.5 else "dead"
    return Verdict(chain.points, chain.colour, status, lives, (_vote_reason(ballot, playouts),))


def _settled_reason(chain: Chain, status: Status) -> Reason:
    if status == "alive":
        return Reason("two eyes", chain.points, "It has two eyes that can never be taken away (unconditional life).")
    enemy = _name(opposite(chain.colour))
    return Reason(
        "enclosed", chain.points, f"It stands inside unconditionally alive {enemy} stones and cannot make two eyes."
    )


def _vote_reason(ballot: Ballot, playouts: int) -> Reason:
    owner = ballot.chain.colour if ballot.held >= 0.5 else opposite(ballot.chain.colour)
    share = max(ballot.held, 1 - ballot.held)
    sentence = f"Its points end up {_name(owner)}'s in {share:.0%} of {playouts} random continuations."
    return Reason("playouts", ballot.chain.points, sentence)


def _name(colour: Colour) -> str:
    return colour.capitalize()
