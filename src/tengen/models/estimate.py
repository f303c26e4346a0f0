"""`tengen.estimate`: who will own what, how far Black is ahead and how sure that is, by a model of ownership.

Start at `estimate`. The lead follows from the ownership, so that on a settled board it is the count of
tengen.go.counting whatever the rules:

- area: the sum of the ownership, less komi and handicap bonus;
- territory: the same, less the stones on the board (Black's minus White's), plus the prisoners. A living stone adds
  1 − 1 = 0, a dead one −1 − 1: the point below it and the prisoner, both for the other side;
- group tax and button are those of the count with the stones taken off that are more likely dead than alive.

The spread is the model's own where it plays games to the end: the leads of those games, and the share that Black wins.
Otherwise the lead is taken as normal with the variance κ·Σ(1 − ownership²): points that are not settled count, and
κ is the model's `correlation`, or `CORRELATION`, because neighbours share their fate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.errors import ModelError
from tengen.go.arrays import read_only
from tengen.go.board import Board
from tengen.go.counting import count, find_territory
from tengen.go.points import PointLike, point, point_name
from tengen.go.record import Game, as_board
from tengen.go.rules import Rules
from tengen.models.protocol import FloatArray, OwnershipModel, Sampler
from tengen.models.registry import shared
from tengen.models.state import identity
from tengen.models.verdict import Reason

CORRELATION = 2.0
"""κ for models that have no `correlation` of their own: chosen by hand, until a command measures it for each model."""

NEUTRAL = 0.25
"""A point is neutral when its ownership is nearer to 0 than this."""

OPEN = 0.4
"""A board is not finished when more than this share of its points lies in empty regions that touch both colours or
none. Of 1,417 finished games with dead stones left on the board 2 % exceed it, of 19×19 games after 70 % of their moves
five in six do, and after half of them all."""

ModelLike: TypeAlias = str | PathLike[str] | OwnershipModel
"""A model by name, by file, or itself."""

_ON_THE_BOARD = ("stones", "territory", "captures", "dead stones")  # what the ownership itself accounts for


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a model makes of a position."""

    ownership: FloatArray
    """The expected owner of each point [row, column], from −1 (White) to 1 (Black); read-only."""
    lead: float
    """Points Black is expected to be ahead, komi included."""
    lead_sd: float
    """The standard deviation of the lead."""
    winrate: float
    """The probability that Black wins."""
    model: str
    """The model that says so: name@hash."""
    rules: Rules
    """The rules it is for."""
    komi: float
    """The komi it is for."""
    warnings: tuple[str, ...]
    """Why the estimate should not be relied on: one sentence each, none in the usual case."""
    _board: Board = field(repr=False)
    _model: OwnershipModel = field(repr=False)

    @property
    def neutral(self) -> tuple[str, ...]:
        """The points that are nobody's, dame and open ones alike: their ownership is nearer to 0 than ¼."""
        places = np.argwhere(np.abs(self.ownership) < NEUTRAL)
        return tuple(point_name(int(row), int(column), self._board.height) for row, column in places)

    def explain(self, point: PointLike) -> list[Reason]:
        """Say why a point is whose it is."""
        return self._model.explain(self._board, point)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled; numpy forgets that an array was read-only."""
        self.__dict__.update(state)
        read_only(self.ownership)

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
    """Estimate a position: the last one of a game, or a board. `rules` and `komi` replace its own."""
    board = as_board(game_or_board).with_rules(rules, komi)
    chosen = _resolve(model)
    if isinstance(chosen, Sampler):
        sample = chosen.sample(board)
        ownership = checked_ownership(sample.ownership, board, chosen)
        lead = expected_lead(board, ownership)
        spread = _sampled_spread(sample.leads + (lead - float(ownership.sum())))
    else:
        ownership = checked_ownership(chosen.ownership(board), board, chosen)
        lead = expected_lead(board, ownership)
        spread = _normal_spread(lead, ownership, getattr(chosen, "correlation", CORRELATION))
    warnings = tuple(_warnings(board, chosen))
    return Estimate(ownership, lead, *spread, identity(chosen), board.rules, board.komi, warnings, board, chosen)


def expected_lead(board: Board, ownership: FloatArray) -> float:
    """Return what Black is ahead under the board's rules and komi if points have these expected owners."""
    counted = count(board, _likely_dead(board, ownership))
    besides = sum(line.black - line.white for line in counted.lines if line.label not in _ON_THE_BOARD)
    area = float(ownership.sum())
    if board.rules.scoring == "AREA":
        return area + besides
    prisoners = board.captures.black - board.captures.white
    return area - int(board.stones.sum()) + prisoners + besides


def checked_ownership(ownership: npt.ArrayLike, board: Board, model: object) -> FloatArray:
    """Return what a model said as a read-only array, or refuse what is no ownership of this board."""
    array = np.array(ownership, np.float64)
    if array.shape != (board.height, board.width) or not (np.abs(array) <= 1 + 1e-6).all():
        raise ModelError(f"{identity(model)} gave no ownership of a {board.width}×{board.height} board")
    return read_only(np.clip(array, -1, 1))


def _warnings(board: Board, model: object) -> Iterator[str]:
    """Say why a model should not be asked about a board."""
    if getattr(model, "finished_only", False) and not board.is_over:
        stones = board.stones
        alone = not stones.min() < 0 < stones.max()  # a single stone encloses the whole board
        open_points = stones == 0 if alone else find_territory(stones)[1]
        if (share := float(open_points.mean())) > OPEN:
            yield (
                f"{getattr(model, 'name', model)} was made for finished boards and {share:.0%} of this one is open: "
                "do not rely on its lead; the default model is for any position"
            )


def _likely_dead(board: Board, ownership: FloatArray) -> Iterable[str]:
    """Name a stone of each chain whose points are rather the enemy's."""
    for chain in board.chains():
        places = [point(name, (board.width, board.height)) for name in chain.points]
        sign = 1 if chain.colour == "black" else -1
        if sign * sum(ownership[place] for place in places) < 0:
            yield chain.points[0]


def _sampled_spread(leads: npt.NDArray[Any]) -> tuple[float, float]:
    """The standard deviation of leads, and the share of them in which Black wins; a draw is half a win."""
    wins = (leads > 1e-9).mean() + 0.5 * (np.abs(leads) <= 1e-9).mean()
    return float(leads.std()), float(wins)


def _normal_spread(lead: float, ownership: FloatArray, correlation: float) -> tuple[float, float]:
    """The same for a normal distribution round the lead."""
    sd = math.sqrt(correlation * float((1 - ownership**2).sum()))
    if sd == 0:
        return 0.0, 0.5 + 0.5 * float(np.sign(lead))
    return sd, 0.5 * (1 + math.erf(lead / sd / math.sqrt(2)))


def _resolve(model: ModelLike) -> Any:
    if isinstance(model, str | PathLike):
        return shared(model)
    if not isinstance(model, Sampler) and not callable(getattr(model, "ownership", None)):
        raise ModelError(f"{model!r} is no model: give a name, a file, or an object with ownership(board)")
    return model
