"""The claims of the paper's text, checked against our numbers.

A difference decides a claim if its 95 % interval, over test games and draws, is on one side of 0. A claim of no
difference holds if the interval contains 0 and stays within MARGIN, half the width of the paper's own intervals. Times
decide nothing if the training takes less than a few seconds. Playing strength is compared between matches with the same
number of playouts; its margin is half the width of the interval that the paper's numbers of games give, and rows are
found equal only if patterns make a difference in the same matches: rows that win no game are equal anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from tengen.measure.intervals import Interval, newcombe
from tengen.papers.report import Finding, Row
from tengen.papers.vanniekerk import experiments as e
from tengen.papers.vanniekerk.experiments import Results
from tengen.papers.vanniekerk.measures import gap, share
from tengen.papers.vanniekerk.published import UNIQUE
from tengen.papers.vanniekerk.study import Trained

MARGIN = 1.0
"""Percentage points."""
STRENGTH_MARGIN = 9.0
"""Percentage points: half the width of the interval of the difference between 49.0 % of 300 and 50.5 % of 200 games."""
WIDTH = 2.0
SECONDS = 5.0
"""Shorter times are not compared."""
NEAR_UNIQUE = 5


def findings(results: Results, few: int) -> Iterator[Finding]:
    """Check every claim."""
    for trees, names in results.figure_2.items():
        words = "one tree" if trees == 1 else f"{trees} trees"
        yield _better(results, names[-1], names[0], f"{words}: accuracy improves as the number of leaves increases")
        yield _levels_off(results, names, f"{words}: but only up to a certain point")
    yield _better(results, e.EIGHT, e.ONE, "eight trees are better than one with as many leaves in total")
    yield _not_better(
        results, e.SIXTEEN_HALF, e.EIGHT, "sixteen trees, trained on half the games, are not better than eight"
    )
    yield _better(results, e.TDT, e.T, "decision trees are a substantial improvement over tactical features alone")
    yield _better(
        results, e.TP, e.TDT, "tactical features and decision trees are not as good as tactical features and patterns"
    )
    claim = "decision trees make no significant difference to tactical features with patterns"
    yield _same(results, e.TPDT, e.TP, claim)
    unique = 100 * results.unique
    held = abs(unique - UNIQUE) <= NEAR_UNIQUE
    yield Finding("a single leaf is reached in about 85 % of descents", held, f"{unique:.1f} %")
    yield _same(
        results, e.TDT, e.ALL_LEAVES, "the left-most leaf makes negligible difference to accuracy against all leaves"
    )
    yield from _costs(results)
    yield _width(results, few)


def strength_findings(rows: Sequence[Row]) -> Iterator[Finding]:
    """Check the claims about playing strength on the rows of one match each, all with the same playouts."""
    played = {row.row: row.measured for row in rows if row.measured is not None}
    if any(name not in played for name in e.MAIN):
        return
    where = rows[0].table.partition(": ")[2].removesuffix(" (%)")

    def compared(first: str, second: str) -> tuple[Interval, str]:
        found = newcombe(played[first], played[second])
        return found, f"{where}: {_difference(played[first].value, played[second].value, found)}"

    found, words = compared(e.TDT, e.T)
    yield Finding("decision trees make tactical features a stronger player", found.is_above(), words)
    found, words = compared(e.TP, e.TDT)
    yield Finding("patterns make tactical features a stronger player than decision trees do", found.is_above(), words)
    found, words = compared(e.TPDT, e.TP)
    claim = "decision trees make no significant difference to the strength of tactical features with patterns"
    held = _within(found, STRENGTH_MARGIN)
    if held and not compared(e.TP, e.T)[0].is_above():
        held, words = None, f"{words}; but these matches do not tell {e.TP} from {e.T}"
    yield Finding(claim, held, words)


def _better(results: Results, better: str, worse: str, claim: str) -> Finding:
    found = _gap(results, better, worse)
    return Finding(claim, found.is_above(), _words(found, results, better, worse))


def _not_better(results: Results, first: str, second: str, claim: str) -> Finding:
    found = _gap(results, first, second)
    held = False if found.low > 0 else True if found.high < MARGIN else None
    return Finding(claim, held, _words(found, results, first, second))


def _same(results: Results, first: str, second: str, claim: str) -> Finding:
    found = _gap(results, first, second)
    return Finding(claim, _within(found, MARGIN), _words(found, results, first, second))


def _levels_off(results: Results, names: Sequence[str], claim: str) -> Finding:
    """Check that the last step to more leaves gains nothing, though the first did."""
    gains = [_gap(results, more, fewer) for fewer, more in pairwise(names)]
    last = gains[-1]
    held = False if last.low > 0 else True if last.high < MARGIN else None
    leaves = [sum(results.forests[name][0].leaf_counts) for name in names]
    steps = ", ".join(f"{_signed(gain)} at {count:,}" for gain, count in zip(gains, leaves[1:], strict=True))
    return Finding(claim, held, f"points gained over the size before: {steps} leaves")


def _costs(results: Results) -> Iterator[Finding]:
    one, every = results.found[e.TDT][0], results.found[e.ALL_LEAVES][0]
    said = f"{one.seconds:.1f} of {every.seconds:.1f} s"
    held = one.seconds < every.seconds / 2 if every.seconds >= SECONDS else None
    yield Finding("the left-most leaf needs much less training time than all leaves", held, said)
    said = f"{one.megabytes:.0f} of {every.megabytes:.0f} MB for the same positions"
    yield Finding("the left-most leaf allows a larger training set", one.megabytes < every.megabytes, said)
    eight, sixteen = results.found[e.EIGHT][0], results.found[e.SIXTEEN][0]
    said = f"{sixteen.seconds:.1f} against {eight.seconds:.1f} s of training"
    held = sixteen.seconds > eight.seconds if sixteen.seconds >= SECONDS else None
    yield Finding("sixteen trees need more processing time than eight", held, said)


def _width(results: Results, few: int) -> Finding:
    """Check the paper's interval of one data point, which treats the positions of a game as independent."""
    rows = results.test.first_games(few)
    found = [share(results.found[e.TPDT][:1], results.test.games, k, rows=rows) for k in (1, 5, 10, 20)]
    width = max(each.high - each.low for each in found)
    claim = f"the 95 % interval of a point of the curves is narrower than {WIDTH:g} points on {few} test games"
    tested = len(np.unique(results.test.games[rows]))
    said = f"{width:.2f} points on {tested}, resampling games"
    return Finding(claim, width < WIDTH if tested == few else None, said)


def _gap(results: Results, first: str, second: str) -> Interval:
    return gap(results.found[first], results.found[second], results.test.games)


def _words(found: Interval, results: Results, first: str, second: str) -> str:
    means = [_mean(results.found[name], len(results.found[second])) for name in (first, second)]
    return _difference(means[0], means[1], found)


def _mean(found: Sequence[Trained], draws: int) -> float:
    some = found[:draws]
    return sum(100 * float(each.scores.within(1).mean()) for each in some) / len(some)


def _within(found: Interval, margin: float) -> bool | None:
    if found.is_above() is not None:
        return False
    return True if max(-found.low, found.high) < margin else None


def _difference(first: float, second: float, found: Interval) -> str:
    return f"{first:.1f} against {second:.1f} %: {_signed(found)} points [{found.low:+.2f}, {found.high:+.2f}]"


def _signed(found: Interval) -> str:
    return f"{found.value:+.2f}"
