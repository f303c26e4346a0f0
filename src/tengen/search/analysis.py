"""What a player finds in a position: `Analysis`, whose candidates are the moves it considered, and `Decision`.

A player without a tree counts the positions it evaluated as visits. Its winrates and leads are those of its evaluator;
nothing is shrunk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tengen.go.colour import Colour


@dataclass(frozen=True)
class Candidate:
    """A move at the root of the search. Winrates and leads are Black's."""

    move: str
    visits: int
    winrate: float
    """Black's winrate after it, shrunk towards that of the position: (sum of its playouts + K × the position's winrate)
    / (visits + K) with K = `SHRINKAGE`, because the mean of a few playouts is too noisy."""
    lead: float
    """Black's lead after it, komi included, shrunk in the same way."""
    prior: float
    """Prior probability; the priors of all candidates sum to 1."""
    lcb: float
    """Lower confidence bound of the winrate for the player to move, given as Black's winrate."""
    line: tuple[str, ...]
    """The expected continuation, starting with this move."""
    line_visits: tuple[int, ...] = ()
    """Number of visits of each move of the line."""
    mean_winrate: float = math.nan
    """Mean of its playouts, without shrinkage."""
    mean_lead: float = math.nan
    """Mean of its playouts, without shrinkage."""


@dataclass(frozen=True)
class Analysis:
    """The result of a search. Winrates and leads are Black's."""

    to_play: Colour
    visits: int
    winrate: float
    lead: float
    lead_sd: float
    """Standard deviation of the lead over the playouts."""
    ownership: npt.NDArray[np.float64] = field(compare=False)
    """Mean owner of each point at the end of the playouts [row, column]: 1 Black, −1 White."""
    candidates: tuple[Candidate, ...]
    """The moves with visits, best first."""


@dataclass(frozen=True)
class Decision:
    """A player's decision: a move, "pass" or "resign", with the analysis."""

    move: str
    analysis: Analysis
