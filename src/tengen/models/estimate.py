"""`tengen.estimate`: expected ownership, lead and winrate of a position by a model.

Start at `estimate`. Lead, spread and winrate come from the evaluator where it gives them, and otherwise from the
ownership (tengen.models.leads).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from tengen.go.arrays import read_only
from tengen.go.board import Board
from tengen.go.counting import find_territory, names_of
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import Positions
from tengen.go.record import Game, as_board
from tengen.go.rules import Rules
from tengen.models.convergence import collected_reports
from tengen.models.evaluator import Answer, Evaluator, ask, require
from tengen.models.leads import completed
from tengen.models.protocol import FloatArray
from tengen.models.registry import default_name, shared
from tengen.models.state import identity
from tengen.models.verdict import Reason, ownership_reason

NEUTRAL = 0.25
"""A point is neutral if its absolute ownership is below this."""

OPEN = 0.4
"""A board is unfinished if more than this share of its points lies in empty regions that touch both colours or none.
It is exceeded by 2 % of 1,417 finished games with dead stones left on the board, by five in six 19×19 games after 70 %
of their moves, and by all after half of their moves."""

ModelLike: TypeAlias = str | PathLike[str] | Evaluator
"""A model, or its name or file."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """A model's estimate of a position."""

    ownership: FloatArray
    """The expected owner of each point [row, column], from −1 (White) to 1 (Black); read-only."""
    lead: float
    """Points Black is expected to be ahead, komi included."""
    lead_sd: float
    """The standard deviation of the lead."""
    winrate: float
    """The probability that Black wins."""
    policy: FloatArray | None
    """The probability of each move, pass last, if the model gives it; read-only."""
    model: str
    """The model, as name@hash."""
    rules: Rules
    komi: float
    warnings: tuple[str, ...]
    """Reasons not to rely on the estimate, one sentence each; usually none."""
    _board: Board = field(repr=False)
    _model: Evaluator = field(repr=False)

    @property
    def neutral(self) -> tuple[str, ...]:
        """The points with an absolute ownership below ¼: dame and open points."""
        return names_of(np.abs(self.ownership) < NEUTRAL)

    def explain(self, point: PointLike) -> list[Reason]:
        """Return reasons for the owner of a point."""
        explain = getattr(self._model, "explain", None)
        if explain is not None:
            reasons: list[Reason] = explain(self._board, point)
            return reasons
        row, column = as_point(point, self._board.width, self._board.height)
        return [ownership_reason(float(self.ownership[row, column]), point_name(row, column, self._board.height))]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle, and make arrays read-only again, which pickling loses."""
        self.__dict__.update(state)
        for array in (self.ownership, self.policy):
            if array is not None:
                read_only(array)

    def svg(self, **options: Any) -> str:
        """Draw the board with the expected owners as SVG; `options` are those of tengen.go.svg.draw_svg."""
        usual = {"title": str(self), "legend": True, "notes": (f"{self.rules}, komi {self.komi:g}", *self.warnings)}
        return self._board.svg(**{"ownership": self.ownership, **usual, **options})

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Estimate {self}, {self.model}>"

    def __str__(self) -> str:
        who = "Black" if self.lead >= 0 else "White"
        return f"{who} leads by {abs(self.lead):.1f} ± {self.lead_sd:.1f}, Black wins {self.winrate:.0%}"


def estimate(
    game_or_board: Game | Board,
    *,
    model: ModelLike = "default",
    rules: Rules | str | None = None,
    komi: float | None = None,
) -> Estimate:
    """Estimate a board, or the last position of a game. `rules` and `komi` replace its own."""
    board = as_board(game_or_board).with_rules(rules, komi)
    evaluator = evaluator_of(model, board)
    positions = Positions.of([board])
    with collected_reports() as reports:
        said = ask(evaluator, positions, "ownership")
    assert said.ownership is not None
    ownership, whole = read_only(said.ownership[0]), completed(said, positions)
    values = (whole.lead, whole.lead_sd, whole.winrate)
    lead, sd, winrate = (float(each[0]) for each in values if each is not None)
    warnings = tuple(_warnings(board, evaluator, reports))
    policy = None if said.policy is None else read_only(said.policy[0])
    name = identity(evaluator)
    return Estimate(ownership, lead, sd, winrate, policy, name, board.rules, board.komi, warnings, board, evaluator)


def _warnings(board: Board, model: object, reports: list[str]) -> Iterator[str]:
    name = getattr(model, "name", model)
    if getattr(model, "finished_only", False) and not board.is_over:
        stones = board.stones
        alone = not stones.min() < 0 < stones.max()  # a single stone encloses the whole board
        open_points = stones == 0 if alone else find_territory(stones)[1]
        if (share := float(open_points.mean())) > OPEN:
            yield (
                f"{name} was made for finished boards and {share:.0%} of this one is open: "
                "do not rely on its lead; the default model is for any position"
            )
    for report in dict.fromkeys(reports):
        yield f"{name}: {report}, so that its answer is not exact"


def evaluator_of(model: ModelLike, board: Board | None = None, needed: Answer = "ownership") -> Evaluator:
    """Return an evaluator given by name, file or object; which one is "default" may depend on the board."""
    if isinstance(model, str) and model == "default":
        model = default_name(needed, *(() if board is None else (board.width, board.height)))
    evaluator: Evaluator = shared(model) if isinstance(model, str | PathLike) else model
    require(evaluator)
    return evaluator
