"""Which chains of a finished board live, how sure that is, and why in Go words.

Start at `judge_chains`. What Benson's rule settles is settled. For the other chains the network weighs what is seen of
the board (tengen.judge.sight); the reasons name the facts that speak for its verdict.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tengen.go.board import Board, Chain
from tengen.go.colour import Colour, opposite
from tengen.go.points import point
from tengen.judge.network import ChainJudge
from tengen.judge.sight import PLAYOUTS, Sight, look
from tengen.models.registry import shared
from tengen.models.verdict import Reason, Status, Verdict, percent

UNCLEAR_BELOW = 0.9
"""A chain is called unclear when its likelier fate has a smaller probability than this."""


def judge_chains(board: Board, *, seed: int = 0, threads: int = 1) -> list[Verdict]:
    """Judge every chain of a finished position."""
    sight = look(board, seed=seed, threads=threads)
    network: ChainJudge = shared(ChainJudge.name)
    odds = network.logits(sight)
    return [_verdict(chain, _first(board, chain), sight, odds) for chain in board.chains()]


def _first(board: Board, chain: Chain) -> tuple[int, int]:
    return point(chain.points[0], (board.width, board.height))


def _verdict(chain: Chain, place: tuple[int, int], sight: Sight, odds: npt.NDArray[np.float32]) -> Verdict:
    sign = 1 if chain.colour == "black" else -1
    if settled := int(sight.safe[place]) * sign:
        status: Status = "alive" if settled > 0 else "dead"
        return Verdict(chain.points, chain.colour, status, float(settled > 0), (_settled_reason(chain, status),))
    lives = 1 / (1 + math.exp(-sign * float(odds[place])))
    sure = max(lives, 1 - lives) >= UNCLEAR_BELOW
    status = "unclear" if not sure else "alive" if lives >= 0.5 else "dead"
    return Verdict(chain.points, chain.colour, status, lives, tuple(_reasons(chain, place, sight, lives)))


def _settled_reason(chain: Chain, status: Status) -> Reason:
    if status == "alive":
        return Reason("two eyes", chain.points, "It has two eyes that can never be taken away (unconditional life).")
    enemy = _name(opposite(chain.colour))
    said = f"It stands inside unconditionally alive {enemy} stones and cannot make two eyes."
    return Reason("enclosed", chain.points, said)


def _reasons(chain: Chain, place: tuple[int, int], sight: Sight, lives: float) -> list[Reason]:
    """Name what speaks for the verdict, then what the whole came to."""
    held = 0.5 + 0.005 * int(sight.played[place]) * (1 if chain.colour == "black" else -1)
    reasons = _tactics(chain, place, sight) if lives < 0.5 else []
    if (held >= 0.5) == (lives >= 0.5):
        owner = chain.colour if held >= 0.5 else opposite(chain.colour)
        said = f"It ends up {_name(owner)}'s in {max(held, 1 - held):.0%} of {PLAYOUTS} random continuations."
        reasons.append(Reason("playouts", chain.points, said))
    fate = "lives" if lives >= 0.5 else "is dead"
    said = f"Its liberties, its eyes and the stones round it say that it {fate} ({percent(max(lives, 1 - lives))})."
    return [*reasons, Reason("judged", chain.points, said)]


def _tactics(chain: Chain, place: tuple[int, int], sight: Sight) -> list[Reason]:
    """Say whether it can be caught at once."""
    if sight.lost[place]:
        return [Reason("ladder", chain.points, "It is caught in a ladder even if it moves first.")]
    if sight.attacked[place]:
        how = "It is in atari." if len(chain.liberties) == 1 else "It can be caught in a ladder."
        return [Reason("ladder", chain.points, how)]
    return []


def _name(colour: Colour) -> str:
    return colour.capitalize()
