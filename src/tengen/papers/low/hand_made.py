"""What the models of each draw say about the hand-made positions, beside what the paper says (Low §3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tengen.measure.arrays import FloatArray
from tengen.measure.ownership import wrong_signs
from tengen.papers.low import networks as n
from tengen.papers.low.positions import CENTRE, POSITIONS
from tengen.papers.report import Row

SAID = {
    n.NETWORK: ("works well", "poorly", "improved significantly"),
    n.RECURRENT: (None, "centre group right, with a very small weight", None),
    n.FIELD: ("poorly", "much better", None),
}
"""What the paper says about its hand-made positions."""
DRAWS = "(interval: smallest and largest of the draws; the positions are ours)"


class HandMadeAnswers:
    """What the models of each draw say about the hand-made positions."""

    def __init__(self, drawn: Sequence[dict[str, Any]]) -> None:
        boards = [position.board for position in POSITIONS]
        self.ownership: dict[str, list[FloatArray]] = {
            name: [models[name].ownership_many(boards) for models in drawn] for name in drawn[0]
        }
        self.errors = {
            name: {
                position.name: [100 * float(wrong_signs(each[i], position.owners).mean()) for each in said]
                for i, position in enumerate(POSITIONS)
            }
            for name, said in self.ownership.items()
        }

        place = POSITIONS.index(CENTRE)
        self.centre = {name: [_dead_stones(each[place]) for each in said] for name, said in self.ownership.items()}
        """Mean ownership of the dead stones of the second position by draw; positive is right."""

    def of(self, position: str) -> dict[str, FloatArray]:
        """Return the ownership of a position by the models of the first draw."""
        place = [each.name for each in POSITIONS].index(position)
        return {name: said[0][place] for name, said in self.ownership.items()}

    def rows(self, where: str = DRAWS) -> Iterator[Row]:
        """Yield the errors on each position, and the dead stones of the second."""
        for i, position in enumerate(POSITIONS):
            for name in self.ownership:
                published = SAID.get(name, (None, None, None))[i]
                title = f"{position.name}: vertex error (%) {where}"
                yield _of_draws(title, name, published, self.errors[name][position.name])
        title = f"{CENTRE.name}: mean ownership of the dead white stones, 1 if Black's {where}"
        for name, values in self.centre.items():
            yield _of_draws(title, name, None, values)


def _of_draws(title: str, name: str, published: str | None, values: Sequence[float]) -> Row:
    bounds = (min(values), max(values)) if len(values) > 1 else None
    return Row(title, name, published, float(np.mean(values)), bounds)


def _dead_stones(ownership: FloatArray) -> float:
    stones = CENTRE.board.stones
    return float(ownership[(stones != 0) & (stones != CENTRE.owners)].mean())
