"""Calibration of leads and winrates: a small fitted table in a model's file.

Start at `Calibration.apply`. A model that judges points one by one errs by whole groups, so the sum of its ownership is
too large a lead; it does not see what the player to move will gain, nor what further stones such as those of a
handicap are worth; and its errors have a spread of their own. All of this depends on how open the board is, u =
mean(1 − ownership²), which is 0 on a settled board and 1 where nothing is known. With the board's part A of the lead,
the sum of the ownership, turn ±1 (0 after two passes), and D, Black's moves minus White's by stones and prisoners,

    lead = slope(u) · A + tempo(u) · turn + extra(u) · D + komi, prisoners and bonus
    spread² = κ(u) · Σ(1 − ownership²)
    winrate = Φ(lead / spread)

where slope, tempo, extra and ln κ are linear between knots. At u = 0 the slope is 1, tempo and extra are 0, so that
the lead of a settled board is still its count. Reversing the colours reverses the lead, because there is no constant.
The table has rows for some board sizes; between two sizes it is linear, beyond them the nearest is used.

`fit_calibration` fits slope, tempo and extra to the teacher's leads by least squares, then κ to the teacher's winrates
by maximum likelihood. It should see games that the model has not learned from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tengen.errors import ModelError
from tengen.go.positions import Positions
from tengen.measure.arrays import LEAST
from tengen.models.evaluator import Evaluations
from tengen.models.leads import CORRELATION, completed, expected_leads
from tengen.models.protocol import FloatArray

KNOTS = np.linspace(0, 1, 6)
STIFFNESS = 0.01
"""The weight of equal values at neighbouring knots, relative to that of the data; it fills knots without positions."""
STEPS, TOLERANCE = 50, 1e-6
MOST = 9
"""If one player seems to have made more extra moves than this, prisoners are not known, and D is taken as 0."""
COLUMNS = 5


@dataclass(frozen=True)
class LabelledLeads:
    """Positions of one size with what a model says and the teacher's leads and winrates, NaN where not known."""

    positions: Positions
    said: Evaluations
    leads: FloatArray
    winrates: FloatArray


@dataclass(frozen=True)
class Calibration:
    """Side, slope, tempo, extra and ln κ of every board size and knot [sizes, knots, 5], the sizes rising."""

    table: FloatArray

    def __post_init__(self) -> None:
        shape = self.table.shape
        right = len(shape) == 3 and shape[0] > 0 and shape[1:] == (len(KNOTS), COLUMNS)
        right = right and bool(np.isfinite(self.table).all())
        if not right or (np.diff(self.table[:, 0, 0]) <= 0).any():
            raise ModelError("a calibration is an array [sizes, knots, 5] of side, slope, tempo, extra and ln κ")

    @classmethod
    def of(cls, model: object) -> Calibration | None:
        """Return the calibration of a model; None if it has none."""
        table = getattr(model, "calibration_", None)
        return None if table is None else cls(table)

    def apply(self, said: Evaluations, positions: Positions) -> Evaluations:
        """Return evaluations with calibrated leads, and with a spread and winrate where none is given."""
        parts = _Parts.of(said, positions)
        *factors, log_kappa = self._at(math.sqrt(positions.points), parts.openness)
        lead = (np.stack(factors) * parts.facts).sum(0) + parts.besides
        spread = np.sqrt(np.exp(log_kappa) * parts.doubt) if said.lead_sd is None else said.lead_sd
        return completed(replace(said, lead=lead, lead_sd=spread), positions)

    def _at(self, side: float, openness: FloatArray) -> list[FloatArray]:
        """Return slope, tempo, extra and ln κ for a board size and each openness."""
        sides = self.table[:, 0, 0]
        rows = [[np.interp(side, sides, self.table[:, k, c]) for k in range(len(KNOTS))] for c in range(1, COLUMNS)]
        return [np.interp(openness, KNOTS, row) for row in rows]


@dataclass(frozen=True)
class _Parts:
    """What a lead consists of, one value per position."""

    facts: FloatArray
    """A, turn and D [3, n]."""
    besides: FloatArray
    doubt: FloatArray
    """Σ(1 − ownership²)."""
    openness: FloatArray

    @classmethod
    def of(cls, said: Evaluations, positions: Positions) -> _Parts:
        whole = completed(said, positions)
        ownership = np.zeros(positions.stones.shape) if said.ownership is None else said.ownership
        assert whole.lead is not None, "the evaluator gives a lead or an ownership"
        besides = expected_leads(positions, np.zeros(positions.stones.shape))
        turn = np.where(positions.passes >= 2, 0.0, positions.to_play)
        moves = positions.stones.sum((1, 2)) + positions.captures[:, 1] - positions.captures[:, 0]
        facts = np.stack([whole.lead - besides, turn, np.where(np.abs(moves) > MOST, 0, moves)])
        doubt = (1 - ownership**2).sum((1, 2))
        return cls(facts, besides, doubt, doubt / positions.points)


def fit_calibration(parts: Iterable[LabelledLeads]) -> FloatArray | None:
    """Return the table for positions of one or several board sizes; None if no lead is known."""
    by_size: dict[int, list[LabelledLeads]] = {}
    for part in parts:
        if np.isfinite(part.leads).any():
            by_size.setdefault(part.positions.points, []).append(part)
    if not by_size:
        return None
    return np.stack([_fit_size(math.sqrt(points), by_size[points]) for points in sorted(by_size)])


def _fit_size(side: float, parts: Sequence[LabelledLeads]) -> FloatArray:
    every = [_Parts.of(part.said, part.positions) for part in parts]
    facts, besides, doubt, openness = (
        np.concatenate([getattr(each, name) for each in every], axis=-1)
        for name in ("facts", "besides", "doubt", "openness")
    )
    leads, winrates = (np.concatenate([getattr(part, name) for part in parts]) for name in ("leads", "winrates"))
    hats = _hats(openness)
    known = np.isfinite(leads)
    factors = _fit_leads(facts[:, known], (leads - besides)[known], hats[known])
    lead = (factors @ hats.T * facts).sum(0) + besides
    sure = np.isfinite(winrates) & (doubt > 0)
    log_kappa = _fit_log_kappa(lead[sure], doubt[sure], winrates[sure], hats[sure])
    return np.stack([np.full(len(KNOTS), side), *factors, log_kappa], axis=1)


def _hats(openness: FloatArray) -> FloatArray:
    """Return the weight of every knot at each openness [n, knots]."""
    return np.stack([np.interp(openness, KNOTS, row) for row in np.eye(len(KNOTS))], axis=1)


_BENDS = np.diff(np.eye(len(KNOTS)), axis=0)
"""The differences of neighbouring knots."""


_SETTLED = np.array([1.0, 0.0, 0.0])
"""Slope, tempo and extra of a settled board."""


def _fit_leads(facts: FloatArray, truth: FloatArray, hats: FloatArray) -> FloatArray:
    """Return slope, tempo and extra at the knots [3, knots] by least squares; those of the first are not free."""
    design = np.hstack([hats[:, 1:] * fact[:, None] for fact in facts])
    weights = np.sqrt(STIFFNESS * ((facts**2).sum(1) + 1e-9))
    penalty = np.kron(np.diag(weights), _BENDS[:, 1:])
    wanted = -np.kron(weights * _SETTLED, _BENDS[:, 0])
    rows, values = np.vstack([design, penalty]), np.concatenate([truth - hats[:, 0] * (_SETTLED @ facts), wanted])
    found = np.linalg.lstsq(rows, values, rcond=None)[0]
    return np.hstack([_SETTLED[:, None], found.reshape(len(facts), -1)])


def _fit_log_kappa(lead: FloatArray, doubt: FloatArray, winrate: FloatArray, hats: FloatArray) -> FloatArray:
    """Return ln κ at the knots, the likeliest for the winrates, by Fisher scoring."""
    log_kappa: FloatArray = np.full(len(KNOTS), math.log(CORRELATION))
    for _ in range(STEPS):
        x = lead / np.sqrt(np.exp(hats @ log_kappa) * doubt)
        chance = np.clip([0.5 + 0.5 * math.erf(each / math.sqrt(2)) for each in x.tolist()], LEAST, 1 - LEAST)
        slope = hats * (-x / 2 * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))[:, None]
        weighted = slope / (chance * (1 - chance))[:, None]
        information = weighted.T @ slope
        stiff = STIFFNESS * information.sum() * _BENDS.T @ _BENDS
        gradient = (chance - winrate) @ weighted + stiff @ log_kappa
        step = np.linalg.lstsq(information + stiff, -gradient, rcond=1e-9)[0]
        log_kappa = log_kappa + np.clip(step, -1, 1)
        if np.abs(step).max() < TOLERANCE:
            break
    return log_kappa
