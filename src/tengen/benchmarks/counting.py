"""`tengen evaluate counting`: how often the count is right when the dead stones are known.

Start at `evaluate_counting`. The dead stones are given with the finals. The steps of tengen.judge.settle are added one
by one, so the table shows the effect of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from tengen.benchmarks.finals import Final
from tengen.go.counting import Mask, dead_mask, tally
from tengen.judge.settle import Settlement, settle
from tengen.measure.intervals import wilson
from tengen.measure.tables import Cell, Column, Table

STEPS = ("plain count", "+ false eyes", "+ seki", "+ protections")


def evaluate_counting(finals: Iterable[Final]) -> Table:
    """Count every final with its marked dead stones, step by step, and compare with the recorded results."""
    games: Counter[str] = Counter()
    exact: Counter[tuple[str, str]] = Counter()
    for final in finals:
        if final.recorded is not None:
            rules = str(final.board.rules)
            games[rules] += 1
            exact.update((rules, step) for step, lead in leads(final) if abs(lead - final.recorded) < 0.01)
    columns = [Column(step, digits=2, percent=True) for step in STEPS]
    rows: list[list[Cell]] = [
        [rules, n, *(wilson(exact[rules, step], n) for step in STEPS)] for rules, n in games.most_common()
    ]
    return Table(["rules", "games", *columns], rows)


def leads(final: Final) -> Iterator[tuple[str, float]]:
    """Yield the lead of a final after each step."""
    board = final.board
    dead = [chain.points[0] for chain in board.chains() if not final.holds(chain.points, chain.colour)]
    gone = dead_mask(board, dead)
    settled = settle(board.stones, gone)
    for step, (uncounted, kept) in zip(STEPS, _uncounted(settled, final), strict=True):
        territory = np.where(uncounted, 0, settled.territory).astype(np.int8)
        prisoners = np.where(gone & ~kept, -board.stones, 0).astype(np.int8)
        yield step, tally(board, gone, territory, prisoners, settled.dame, final.captures).lead


def _uncounted(settled: Settlement, final: Final) -> Iterator[tuple[Mask, Mask]]:
    """Yield, after each step, the territory that does not count, and where dead stones stay on the board."""
    rules = final.board.rules
    nothing = np.zeros(settled.living.shape, bool)
    filled = (settled.false_eyes != 0) & (rules.scoring == "TERRITORY") & (rules.false_eyes == "uncounted")
    taxed = (settled.seki != 0) & (rules.tax != "NONE")
    protected = (settled.protections != 0) & (rules.scoring == "TERRITORY")
    yield nothing, nothing
    yield filled, nothing
    yield filled | taxed, taxed
    yield filled | taxed | protected, taxed
