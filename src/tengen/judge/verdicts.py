"""Verdicts on the chains of a finished board: alive or dead, with a probability and reasons in Go words.

Start at `judge_chains`. Chains that Benson's algorithm decides get its verdict. The others are judged by a model: the
judge's own networks (tengen.nets.judging), or any evaluator that gives ownership. The mean ownership of a chain gives
its probability of living, and the reasons name the facts that agree with the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np

from tengen.go.board import Board
from tengen.go.colour import Colour, opposite
from tengen.go.counting import dead_mask
from tengen.go.points import PointLike
from tengen.go.positions import Positions
from tengen.judge.chains import Chains
from tengen.judge.marks import Mark
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import Evaluator, ask, require
from tengen.models.protocol import FloatArray
from tengen.models.verdict import Reason, Status, Verdict, percent
from tengen.nets.chains import ChainJudge
from tengen.nets.judging import NetJudge
from tengen.nets.sight import PLAYOUTS, Sight, look

UNCLEAR_BELOW = 0.9
"""A chain is unclear if its likelier fate has a smaller probability than this."""


def judge_of(model: ModelLike) -> Evaluator:
    """Return a model given by name, file or object, or by default the judge's own; it must give ownership."""
    judge = _own_judge() if model == "default" else evaluator_of(model)
    require(judge, "ownership")
    return judge


@cache
def _own_judge() -> NetJudge:
    return NetJudge()


def judge_chains(board: Board, chains: Chains, model: Evaluator) -> list[Verdict]:
    """Judge every chain of a finished position with a model that gives ownership."""
    if isinstance(model, ChainJudge | NetJudge):
        return _verdicts(chains, *model.seen(board))
    ownership = ask(model, Positions.of([board]), "ownership").ownership
    assert ownership is not None
    return _verdicts(chains, look(board, playouts=0), ownership[0], model.name)


def marked_chains(board: Board, chains: Chains, dead: Iterable[PointLike]) -> list[Verdict]:
    """Return verdicts by the user's marks: marked chains are dead, all others alive."""
    marks = chains.within(dead_mask(board, dead)).tolist()
    named = zip(chains.points(), chains.signs.tolist(), marks, strict=True)
    return [_marked(points, _colour(sign), dead) for points, sign, dead in named]


def _marked(points: tuple[str, ...], colour: Colour, dead: bool) -> Verdict:
    verdict = mark(Verdict(points, colour, "alive", 1.0, ()), "dead" if dead else "alive")
    return verdict if dead else replace(verdict, reasons=(Reason("marked", points, "It was not marked dead."),))


def mark(verdict: Verdict, status: Mark) -> Verdict:
    """Return a verdict overruled by the user."""
    reason = Reason("marked", verdict.points, f"It was marked {'as seki' if status == 'seki' else status}.")
    return replace(verdict, status=status, alive=float(status != "dead"), reasons=(reason,))


def _verdicts(chains: Chains, sight: Sight, ownership: FloatArray, model: str = "") -> list[Verdict]:
    """Return a verdict with reasons for each chain; `model` is empty for the judge's own networks."""
    lives = (1 + chains.signs * chains.means(ownership)) / 2
    seen = (sight.safe, sight.liberties, sight.attacked, sight.lost, sight.played)
    facts = np.stack([fact.ravel()[chains.firsts] for fact in seen], axis=1).tolist()
    verdicts = []
    for points, sign, alive, (safe, liberties, attacked, lost, played) in zip(
        chains.points(), chains.signs.tolist(), lives.tolist(), facts, strict=True
    ):
        colour = _colour(sign)
        if safe:
            verdicts.append(_settled(points, colour, safe == sign))
            continue
        reasons = [] if alive >= 0.5 else _tactics(points, liberties, attacked, lost)
        if sight.played.any():
            reasons += _continuations(points, colour, 0.5 + 0.005 * played * sign, alive)
        status: Status = "alive" if alive >= 0.5 else "dead"
        if max(alive, 1 - alive) < UNCLEAR_BELOW:
            status = "unclear"
        verdicts.append(Verdict(points, colour, status, alive, (*reasons, _judged(points, colour, alive, model))))
    return verdicts


def _settled(points: tuple[str, ...], colour: Colour, alive: bool) -> Verdict:
    if alive:
        reason = Reason("two eyes", points, "It has two eyes that can never be taken away (unconditional life).")
        return Verdict(points, colour, "alive", 1.0, (reason,))
    sentence = f"It stands inside unconditionally alive {_name(opposite(colour))} stones and cannot make two eyes."
    return Verdict(points, colour, "dead", 0.0, (Reason("enclosed", points, sentence),))


def _tactics(points: tuple[str, ...], liberties: int, attacked: int, lost: int) -> list[Reason]:
    if lost:
        return [Reason("ladder", points, "It is caught in a ladder even if it moves first.")]
    if attacked:
        return [Reason("ladder", points, "It is in atari." if liberties == 1 else "It can be caught in a ladder.")]
    return []


def _continuations(points: tuple[str, ...], colour: Colour, held: float, alive: float) -> list[Reason]:
    """Give the share of random playouts in which the owner keeps the chain, if it agrees with the verdict."""
    if (held >= 0.5) != (alive >= 0.5):
        return []
    owner = _name(colour if held >= 0.5 else opposite(colour))
    sentence = f"It ends up {owner}'s in {max(held, 1 - held):.0%} of {PLAYOUTS} random continuations."
    return [Reason("playouts", points, sentence)]


def _judged(points: tuple[str, ...], colour: Colour, alive: float, model: str) -> Reason:
    fate, sure = "lives" if alive >= 0.5 else "is dead", percent(max(alive, 1 - alive))
    sentence = f"Judging by its liberties, its eyes and the stones around it, it {fate} ({sure})."
    if model:
        owner = _name(colour if alive >= 0.5 else opposite(colour))
        sentence = f"{model} expects its points to be {owner}'s in the end: it {fate} ({sure})."
    return Reason("judged", points, sentence)


def _colour(sign: int) -> Colour:
    return "black" if sign > 0 else "white"


def _name(colour: Colour) -> str:
    return colour.capitalize()
