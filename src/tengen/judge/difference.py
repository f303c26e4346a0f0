"""Explaining why the result in a record differs from the count.

Start at `explanations`. Each explanation is one change to the count that gives exactly the recorded margin. Three
kinds are tried in turn: points that can be counted either way, a group with the opposite verdict, other rules or komi.
To save time, the effect of other verdicts is estimated by a plain count, and only close ones are counted in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tengen.go.counting import Mask, connected, find_territory, lead_of, next_to
from tengen.go.rules import PRESETS
from tengen.judge.chains import Chains
from tengen.judge.marks import Mark
from tengen.judge.score import Score, count_again
from tengen.models.verdict import Verdict

NEAR = 4.0
"""A change is counted in full when its plain count is within this many points of the recorded margin."""
MOST_COUNTED = 6
"""Maximum number of changes counted in full."""
MOST_RETURNED = 2
"""Maximum number of explanations returned."""

_SAME = 0.01
_USUAL_KOMI = (0.0, 0.5, 5.5, 6.5, 7.0, 7.5)


@dataclass(frozen=True)
class Explanation:
    """A change to the count that gives the recorded result."""

    sentence: str
    marks: Mapping[str, Mark] = field(default_factory=dict)
    """The other verdicts, for `Score.marked`; empty if the reason is not the fate of a group."""


def explain_difference(score: Score, recorded: str, *, server: str = "") -> tuple[str, ...]:
    """Return sentences that each explain the difference to the recorded result, the likeliest first."""
    return tuple(each.sentence for each in explanations(score, recorded, server=server))


def explanations(score: Score, recorded: str, *, server: str = "") -> tuple[Explanation, ...]:
    """Return what would explain the difference to the recorded result, the likeliest first.

    `recorded` is the result in the record, such as W+3.5; `server` is the Go server it was played on, if known.
    """
    lead = lead_of(recorded)
    if lead is None or abs(lead - score.lead) < _SAME:
        return ()
    by_points = (Explanation(sentence) for sentence in _by_points(score, lead, server or "The record"))
    by_rules = (Explanation(sentence) for sentence in _by_rules(score, lead))
    for kind in (by_points, _by_groups(score, lead), by_rules):
        if found := tuple(kind):
            return found[:MOST_RETURNED]
    return ()


# Points that can be counted either way.


def _by_points(score: Score, lead: float, who: str) -> Iterator[str]:
    rules, settled, missing = score.rules, score.settlement, lead - score.lead
    if rules.scoring == "TERRITORY" and score.false_eyes:
        counted = rules.false_eyes == "counted"
        other = replace(rules, false_eyes="uncounted" if counted else "counted")
        if _gives(count_again(score, rules=other), lead):
            yield f"{who} {'does not count' if counted else 'counts'} {_named('false eye', score.false_eyes)}."
    if settled.seki.any():
        other = replace(rules, tax="NONE" if rules.tax != "NONE" else "SEKI")
        if _gives(count_again(score, rules=other), lead):
            yield f"{who} {'counts' if rules.tax != 'NONE' else 'does not count'} eyes in seki."
    if settled.loose.any() and _sum(settled.loose) == missing:
        yield f"{who} counts the points behind the open border at {' '.join(score.unsealed)}."
    if rules.scoring == "TERRITORY" and settled.protections.any() and -_sum(settled.protections) == missing:
        yield f"The record is right if the owner fills {_named('protection', score.protections)}."
    if rules.scoring == "AREA":
        yield from _by_dame(score, missing)


def _by_dame(score: Score, missing: float) -> Iterator[str]:
    """Under area scoring dame count for the colour that fills them."""
    dame = len(score.dame)
    if dame and abs(missing) <= dame and (dame - abs(missing)) % 2 == 0:
        filled = (dame + abs(missing)) / 2
        yield f"The record is right if {'Black' if missing > 0 else 'White'} fills {filled:g} of the {dame} dame."


# A group with the opposite verdict.


@dataclass(frozen=True)
class _Change:
    chains: tuple[int, ...]
    error: float
    """Difference between the plain count and the recorded margin."""
    odds: float
    """Probability that all these verdicts are wrong, taken as that of the surest one."""


def _by_groups(score: Score, lead: float) -> Iterator[Explanation]:
    verdicts = score.basis.judged
    changes = sorted(_near_changes(score, lead), key=lambda change: (change.error, -change.odds))[:MOST_COUNTED]
    right = [change for change in changes if _gives(_turned(score, change.chains), lead)]
    for change in sorted(right, key=lambda change: (-change.odds, len(change.chains))):
        wrong = [verdicts[i] for i in change.chains]
        marks = {each.points[0]: _opposite(each) for each in wrong}
        yield Explanation(f"The record is right if {_fates(wrong)}.", marks)


def _near_changes(score: Score, lead: float) -> Iterator[_Change]:
    lives = np.array([verdict.alive >= 0.5 for verdict in score.basis.judged])
    plain = _plain_lead(score, lives)
    for chains in _groups(score):
        turned = lives.copy()
        turned[list(chains)] ^= True
        error = abs(_plain_lead(score, turned) - plain - (lead - score.lead))
        if error <= NEAR:
            yield _Change(chains, error, min(1 - score.basis.judged[i].p for i in chains))


def _groups(score: Score) -> set[tuple[int, ...]]:
    """Return sets of chains that may share a fate: each alone, those inside or around a region, and both."""
    found: set[tuple[int, ...]] = {(i,) for i in range(len(score.basis.judged))}
    settled, chains = score.settlement, score.basis.chains
    for colour in (1, -1):
        for region in connected(settled.territory == colour):
            inside = np.zeros(settled.living.shape, bool)
            inside[tuple(zip(*region, strict=True))] = True
            dead, walls = _within(chains, inside), _within(chains, next_to(inside) & (settled.living == colour))
            found |= {dead, walls, tuple(sorted({*dead, *walls}))}
    return found - {()}


def _within(chains: Chains, where: Mask) -> tuple[int, ...]:
    return tuple(np.flatnonzero(chains.within(where)).tolist())


def _plain_lead(score: Score, lives: npt.NDArray[np.bool_]) -> float:
    """Return the lead if these chains live, ignoring false eyes, seki and komi."""
    stones, gone = score.basis.board.stones, score.basis.chains.stones(~lives)
    living = np.where(gone, 0, stones).astype(np.int8)
    territory, _ = find_territory(living)
    return _sum(territory) + (_sum(living) if score.rules.scoring == "AREA" else -_sum(np.where(gone, stones, 0)))


def _turned(score: Score, chains: tuple[int, ...]) -> Score:
    verdicts = [
        replace(verdict, alive=float(verdict.alive < 0.5)) if i in chains else verdict
        for i, verdict in enumerate(score.basis.judged)
    ]
    return count_again(score, verdicts=verdicts)


def _opposite(verdict: Verdict) -> Mark:
    return "dead" if verdict.alive >= 0.5 else "alive"


def _fates(verdicts: list[Verdict]) -> str:
    """Return the opposite fates of chains in words, one clause for each colour."""
    clauses = []
    for colour in ("black", "white"):
        if mine := [verdict for verdict in verdicts if verdict.colour == colour]:
            largest = max(mine, key=lambda verdict: len(verdict.points))
            what = "stone" if [len(verdict.points) for verdict in mine] == [1] else "group"
            clauses.append(
                f"the {colour} {what} at {largest.points[0]} {'is dead' if mine[0].alive >= 0.5 else 'lives'}"
            )
    return " and ".join(clauses)


# Other rules, or another komi.


def _by_rules(score: Score, lead: float) -> Iterator[str]:
    rules, board = score.rules, score.basis.board
    for bonus in _other_bonuses(score):
        if abs(score.lead + rules.bonus(board.handicap) - bonus - lead) < _SAME:
            yield f"The record is right if White receives {bonus} points for handicap."
    for komi in _USUAL_KOMI:
        if komi != score.komi and abs(score.lead + score.komi - komi - lead) < _SAME:
            yield f"The record is right with komi {komi:g} instead of {score.komi:g}."
    other = PRESETS["japanese" if rules.scoring == "AREA" else "chinese"]
    if board.past_known and _gives(count_again(score, rules=other), lead):
        yield f"The record is right by {other.scoring.lower()} scoring."


def _other_bonuses(score: Score) -> set[int]:
    """Return the points White receives for handicap under other rules; some servers count a single stone as well."""
    moves = score.basis.board.moves
    stones = score.basis.board.handicap or int(bool(moves) and moves[0].colour == "white")
    return {0, stones, max(stones - 1, 0)} - {score.rules.bonus(score.basis.board.handicap)}


def _gives(counted: Score, lead: float) -> bool:
    return abs(counted.lead - lead) < _SAME


def _sum(owner: npt.NDArray[np.int8]) -> int:
    return int(owner.sum(dtype=int))


def _named(what: str, names: tuple[str, ...]) -> str:
    return f"the {what}{'s' if len(names) > 1 else ''} at {' '.join(names)}"
