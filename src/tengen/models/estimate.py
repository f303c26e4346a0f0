"""`tengen.estimate`: expected ownership, lead and winrate of a position by a model.

Start at `estimate`. The lead is computed from the ownership. On a settled board it equals the count of
tengen.go.counting under all rules:

- area: the sum of the ownership, minus komi and handicap bonus;
- territory: the same, minus the stones on the board (Black's minus White's), plus the prisoners. A living black stone
  adds 1 − 1 = 0; a dead one adds −1 − 1, for the point below it and the prisoner, which both go to White;
- group tax and button are counted without the stones that are more likely dead than alive.

Lead, spread and winrate come from the evaluator where it gives them. Otherwise the lead is assumed to be normal with
variance κ·Σ(1 − ownership²). κ is `CORRELATION`, above 1 because neighbours share their fate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from tengen.go.arrays import read_only
from tengen.go.board import Board
from tengen.go.counting import Mask, find_territory, names_of, points_besides
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.positions import Positions
from tengen.go.record import Game, as_board
from tengen.go.rules import Rules
from tengen.models.convergence import collected_reports
from tengen.models.evaluator import Evaluations, Evaluator, ask, require
from tengen.models.protocol import FloatArray
from tengen.models.registry import shared
from tengen.models.state import identity
from tengen.models.verdict import Reason, ownership_reason

CORRELATION = 2.0
"""κ, chosen by hand."""

NEUTRAL = 0.25
"""A point is neutral if its absolute ownership is below this."""

OPEN = 0.4
"""A board is unfinished if more than this share of its points lies in empty regions that touch both colours or none.
It is exceeded by 2 % of 1,417 finished games with dead stones left on the board, by five in six 19×19 games after 70 %
of their moves, and by all after half of their moves."""

ModelLike: TypeAlias = str | PathLike[str] | Evaluator
"""A model, or its name or file."""


@dataclass(frozen=True, eq=False)
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
    evaluator = evaluator_of(model)
    with collected_reports() as reports:
        said = ask(evaluator, Positions.of([board]), "ownership")
    assert said.ownership is not None
    ownership = read_only(said.ownership[0])
    lead = expected_lead(board, ownership) if said.lead is None else float(said.lead[0])
    sd = spread_of(ownership) if said.lead_sd is None else float(said.lead_sd[0])
    winrate = chance_of(lead, sd) if said.winrate is None else float(said.winrate[0])
    warnings = tuple(_warnings(board, evaluator, reports))
    policy = None if said.policy is None else read_only(said.policy[0])
    name = identity(evaluator)
    return Estimate(ownership, lead, sd, winrate, policy, name, board.rules, board.komi, warnings, board, evaluator)


def expected_lead(board: Board, ownership: FloatArray) -> float:
    """Return Black's expected lead for an ownership, under the board's rules and komi."""
    area = float(ownership.sum())
    if board.rules.scoring != "AREA":
        prisoners = board.captures.black - board.captures.white
        area += prisoners - int(board.stones.sum())
    return area + points_besides(board, lambda: likely_dead(board, ownership))


def expected_leads(positions: Positions, ownership: FloatArray) -> FloatArray:
    """Return Black's expected lead in each of n positions with ownership [n, row, column]."""
    leads: FloatArray = ownership.sum(axis=(1, 2)) - positions.komi - positions.bonus
    prisoners = positions.captures[:, 0] - positions.captures[:, 1] - positions.stones.sum(axis=(1, 2))
    leads += prisoners * [rules.scoring != "AREA" for rules in positions.rules]
    for i, rules in enumerate(positions.rules):
        if rules.tax == "ALL" or rules.button:
            leads[i] = expected_lead(positions.board(i), ownership[i])
    return leads


def winrates_of(said: Evaluations, positions: Positions) -> FloatArray:
    """Return Black's winrate in each position: the evaluator's own, or one computed from its lead or ownership.

    A lead with neither a spread nor an ownership gets the spread of a board with ownership 0 everywhere.
    """
    if said.winrate is not None:
        return said.winrate
    ownership = np.zeros(positions.stones.shape) if said.ownership is None else said.ownership
    leads = expected_leads(positions, ownership) if said.lead is None else said.lead
    spreads = np.sqrt(CORRELATION * (1 - ownership**2).sum(axis=(1, 2))) if said.lead_sd is None else said.lead_sd
    return np.array([chance_of(lead, sd) for lead, sd in zip(leads.tolist(), spreads.tolist(), strict=True)])


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


def likely_dead(board: Board, ownership: FloatArray) -> Mask:
    """Return a mask of the chains whose points the ownership gives to the enemy."""
    signed, heads = ownership * board.stones, board.chain_numbers()
    stones = heads >= 0
    sums = np.bincount(heads[stones], signed[stones], minlength=heads.size)
    return stones & (sums[heads] < 0)


def spread_of(ownership: FloatArray) -> float:
    """Return the standard deviation of the lead for an ownership."""
    return math.sqrt(CORRELATION * float((1 - ownership**2).sum()))


def chance_of(lead: float, sd: float) -> float:
    """Return the probability that Black wins if the lead is normal with this mean and standard deviation."""
    if sd == 0:
        return 0.5 + 0.5 * float(np.sign(lead))
    return 0.5 * (1 + math.erf(lead / sd / math.sqrt(2)))


def evaluator_of(model: ModelLike) -> Evaluator:
    """Return an evaluator given by name, file or object."""
    evaluator: Evaluator = shared(model) if isinstance(model, str | PathLike) else model
    require(evaluator)
    return evaluator
