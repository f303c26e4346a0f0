"""The claims of the paper's text, checked against our numbers.

A difference decides a claim if its 95 % interval is on one side of 0. The hand-made positions are single boards, so a
claim about them holds if it holds on every draw of training games, and fails if it fails on every draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tengen.measure.intervals import Interval, newcombe
from tengen.papers.low import far_ahead as f
from tengen.papers.low import networks as n
from tengen.papers.low.answers import Answers
from tengen.papers.low.owners import BOOSTING, VECTORS, Verdicts
from tengen.papers.low.positions import POSITIONS
from tengen.papers.low.rare import RARE, Nodes
from tengen.papers.report import Finding, Row

GOOD = 5.0
"""An evaluator does well on a hand-made position if at most this percentage of points is wrong."""

ENOUGH = 10
"""Fewer positions decide nothing."""

ByDraw = Mapping[str, Mapping[str, Sequence[float]]]
"""Vertex errors in percent by model, position and draw."""


def evaluator_findings(answers: Answers, nodes: Nodes) -> Iterator[Finding]:
    """Check the claims about the evaluators."""
    yield _lower(answers, n.FOUR, n.NETWORK, "four layers are better than three")
    yield _lower(answers, n.RECURRENT, n.NETWORK, "three rounds improve the network (run with the same weights)")
    yield _lower(answers, n.THROUGH, n.NETWORK, "three rounds improve the network (learned through them, ours)")
    count, boards = answers.unconverged[n.FIELD], len(answers.test) * len(answers.ownership[n.FIELD])
    words = f"not on {count} of {boards} test positions"
    yield Finding("damped propagation in the random field always converges", count == 0, words)
    found = nodes.excess("network", "message network")
    more = f"loses {_signed(found)} points more to the message network"
    words = f"at nodes with a weight of fewer than {RARE} visits it {more} than elsewhere"
    yield Finding("the network errs because of rare weights", found.is_above(), words)
    found = answers.own_stones_gap(n.NETWORK)
    claim = "occupied points are taken for neutral, or the opponent's"
    yield Finding(claim, found.is_below(), f"ownership of own stones minus that of the labels: {_signed(found)}")


def hand_made_findings(errors: ByDraw, centre: Mapping[str, Sequence[float]]) -> Iterator[Finding]:
    """Check the claims about the hand-made positions, on ours; `centre` is the ownership of the dead centre group."""
    first, second, third = (position.name for position in POSITIONS)
    network = errors[n.NETWORK]
    yield _agreed("the network does well on the quiet position", [e <= GOOD for e in network[first]], network[first])
    claim = "the network takes the dead centre group for alive"
    yield _agreed(claim, [value < 0 for value in centre[n.NETWORK]], centre[n.NETWORK], "ownership of its points")
    gains = [after - before for after, before in zip(network[third], network[second], strict=True)]
    yield _agreed(
        "without the white centre the network does better",
        [gain < 0 for gain in gains],
        gains,
        "change in % of points wrong",
    )
    claim = "with three rounds it classifies the centre group correctly"
    yield _agreed(claim, [value > 0 for value in centre[n.RECURRENT]], centre[n.RECURRENT], "ownership of its points")
    claim = "the random field classifies the centre group correctly"
    yield _agreed(claim, [value > 0 for value in centre[n.FIELD]], centre[n.FIELD], "ownership of its points")
    poorly = [error > GOOD for error in errors[n.FIELD][first]]
    yield _agreed("the random field does poorly on the quiet position", poorly, errors[n.FIELD][first])


def chain_findings(verdicts: Verdicts) -> Iterator[Finding]:
    """Check whether subtrees are better features than paths, which the paper proposes."""
    for method in (BOOSTING, VECTORS):
        found = verdicts.against(f"{method}, subtrees", f"{method}, paths")
        shares = f"{found.first.value:.1f} against {found.second.value:.1f} % of chains"
        words = f"{shares}: {_signed(found.difference)} points"
        yield Finding(f"subtrees are better features than paths ({method})", found.difference.is_above(), words)


def ahead_findings(losses: f.Losses) -> Iterator[Finding]:
    """Check the claims about decided games."""
    words = {"ahead": "weak moves when it is winning", "behind": "unreasonable moves when it is losing"}
    few = len(losses.games) < ENOUGH
    for condition, claim in words.items():
        found = losses.against((f.PLAIN, condition), (f.PLAIN, "even"))
        lost = f"{found.first.value:.2f} points lost per move against {found.second.value:.2f} at an even komi"
        held = None if few else found.difference.is_above()
        yield Finding(f"UCT plays {claim}", held, f"{lost}: {_signed(found.difference)}")
    found = losses.against((f.DYNAMIC, "ahead"), (f.PLAIN, "ahead"))
    lost = f"{found.first.value:.2f} points lost per move against {found.second.value:.2f} without"
    yield Finding(
        "a komi that moves repairs this when it is winning (ours)",
        None if few else found.difference.is_below(),
        f"{lost}: {_signed(found.difference)}",
    )


def pruning_findings(rows: Sequence[Row]) -> Iterator[Finding]:
    """Check the claims about pruning on the rows of one table."""
    played = {row.row: row.measured for row in rows if row.measured is not None and row.published is not None}
    if len(played) < 4:
        return
    table = rows[0].table.partition(" (%")[0]
    notes = {row.row: row.note for row in rows}
    for name, won in played.items():
        evidence = f"{won.value:.1f} %, {notes[name]}; {table}"
        yield Finding(f"pruning makes UCT stronger: {name}", won.is_above(50), evidence)
    names = "{}Random Opening {} Ply Eval"
    for opening in ("", "No "):
        yield _more(played, names.format(opening, 0), names.format(opening, 1), "0 plies are better than 1", table)
    for plies in (0, 1):
        without, drawn = names.format("No ", plies), names.format("", plies)
        yield _more(played, without, drawn, "better without random openings", table)


def _more(played: Mapping[str, Interval], first: str, second: str, claim: str, table: str) -> Finding:
    found = newcombe(played[first], played[second])
    return Finding(f"{claim}: {first}, {second}", found.is_above(), f"{_signed(found)} points; {table}")


def _lower(answers: Answers, first: str, second: str, claim: str) -> Finding:
    found = answers.gap(first, second)
    means = f"vertex error {answers.error(first).value:.2f} against {answers.error(second).value:.2f} %"
    return Finding(claim, found.is_below(), f"{means}: {_signed(found)} points")


def _agreed(claim: str, held: Sequence[bool], numbers: Sequence[float], what: str = "% of points wrong") -> Finding:
    words = ", ".join(f"{number:.2f}".replace("-", "−") for number in numbers)
    return Finding(claim, True if all(held) else None if any(held) else False, f"{what}: {words}, by draw")


def _signed(found: Interval) -> str:
    numbers = [f"{value:+.2f}".replace("-", "−") for value in found]
    return f"{numbers[0]} [{numbers[1]}, {numbers[2]}]"
