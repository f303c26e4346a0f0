"""Filters learned from boards: multinomial, real-valued and invariant; a few seeds of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.plays import WholeGames
from tengen.papers.kept import kept
from tengen.papers.largman import published as p
from tengen.papers.report import Row
from tengen.values.crbm import Crbm, Stones, shuffled_points
from tengen.values.linear_td import drawn_boards

KINDS: dict[str, dict[str, Any]] = {
    "multinomial": {},
    "real-valued": {"visible": "real"},
    "invariant": {"invariant": True},
}
CHECKED = 2000
"""Positions of other games on which filters are compared."""


@dataclass(frozen=True)
class Learned:
    """Filters of one kind and seed."""

    machine: Crbm
    minutes: float
    """CPU minutes of learning; 0 if they were read."""


def learned_filters(
    games: WholeGames, kind: str, seed: int, boards: int, epochs: int, folder: Path | None, tell: Callable[[str], None]
) -> Learned:
    """Learn filters from drawn positions with the stones of the player who just moved as own, or read them."""
    machine = Crbm(filters=p.FILTERS, side=p.SIDE, epochs=epochs, seed=seed, **KINDS[kind])

    def make() -> dict[str, Any]:
        tell(f"filters: {kind}, seed {seed}")
        before, work = time.process_time(), None if folder is None else folder / "epochs" / f"{kind}-{seed}"
        machine.fit([drawn_boards([games], boards, "mover", seed)], work=work)
        return {"parameters": machine.parameters_, "minutes": np.array((time.process_time() - before) / 60)}

    found = kept(folder, f"filters-{kind}-{seed}", make)
    machine.parameters_ = found["parameters"]
    return Learned(machine, float(found["minutes"]))


def filter_rows(found: dict[str, list[Learned]], checked: Stones) -> Iterator[Row]:
    """Yield what the filters of each kind reconstruct and react to, means over seeds."""
    correct = "Filters on other games: points reconstructed (%)"
    colours = np.where(checked < 0, 2, checked)
    often = max(float((colours == colour).mean()) for colour in range(3))
    yield Row(correct, "nothing learned: the most frequent colour", None, 100 * often)
    for kind, each in found.items():
        right = [float((one.machine.reconstruct(checked).argmax(3) == colours).mean()) for one in each]
        yield _row(correct, kind, [100 * share for share in right])
    gap = "Filters on other games: free energy of boards with shuffled points less that of the boards"
    for kind, each in found.items():
        both = [one.machine.free_energy(shuffled_points(checked)) - one.machine.free_energy(checked) for one in each]
        yield _row(gap, kind, [float(difference.mean()) for difference in both])
    empty = "Figures 2 and 3: cells whose largest weight is that of empty (%)"
    for kind, each in found.items():
        yield _row(empty, kind, [100 * one.machine.empty_share for one in each])
    for kind, each in found.items():
        yield _row(f"Filters that differ, of {p.FILTERS}", kind, [float(one.machine.used) for one in each])
    for kind, each in found.items():
        yield Row("Filters: CPU minutes of learning", kind, None, float(np.mean([one.minutes for one in each])))


def _row(table: str, name: str, values: list[float]) -> Row:
    bounds = (min(values), max(values)) if len(values) > 1 else None
    note = f"range of {len(values)} seeds in brackets" if bounds else ""
    return Row(table, name, None, float(np.mean(values)), bounds, note)
