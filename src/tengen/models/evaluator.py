"""The common interface of everything that evaluates positions: a batch of positions in, arrays of evaluations out.

Start at `Evaluator`. Callers use `ask`, which checks the answers. Models inherit `evaluate` from tengen.models.base.
"""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np

from tengen.errors import ModelError
from tengen.go.positions import Positions, PositionsLike, as_positions
from tengen.models.protocol import FloatArray

Answer: TypeAlias = Literal["ownership", "policy", "winrate", "lead"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)

_TOLERANCE = 1e-6
_POLICY_TOLERANCE = 1e-3
"""How far from 1 the probabilities of a position may sum, by rounding."""


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Evaluations of n positions; each array is present or None. Winrates and leads are Black's."""

    ownership: FloatArray | None = None
    """[n, row, column]: the expected owner of each point, from −1 (White) to 1 (Black)."""
    policy: FloatArray | None = None
    """[n, points + 1]: the probability of each legal move of the player to move, pass last; a row sums to 1."""
    winrate: FloatArray | None = None
    """[n]: the probability that Black wins."""
    lead: FloatArray | None = None
    """[n]: points Black is expected to be ahead, komi included."""
    lead_sd: FloatArray | None = None
    """[n]: the standard deviation of the lead."""


@runtime_checkable
class Evaluator(Protocol):
    """Evaluates batches of positions."""

    @property
    def name(self) -> str:
        """Its name in the registry, such as "territory/bma"."""

    @property
    def gives(self) -> frozenset[Any]:
        """Which of `ANSWERS` it gives."""

    def evaluate(self, positions: PositionsLike) -> Evaluations:
        """Return the evaluation of each position."""


def ask(evaluator: Evaluator, positions: PositionsLike, *needed: Answer) -> Evaluations:
    """Return an evaluator's checked answers; a missing answer that is needed raises ModelError."""
    require(evaluator, *needed)
    asked = as_positions(positions)
    said = evaluator.evaluate(asked)
    if not isinstance(said, Evaluations):
        raise ModelError(f"{evaluator.name} returned {type(said).__name__}: an evaluator returns Evaluations")
    n, found = len(asked), {}
    for name, shape, low, high in (
        ("ownership", (n, asked.height, asked.width), -1.0, 1.0),
        ("policy", (n, asked.points + 1), 0.0, 1.0),
        ("winrate", (n,), 0.0, 1.0),
        ("lead", (n,), -np.inf, np.inf),
        ("lead_sd", (n,), 0.0, np.inf),
    ):
        given = getattr(said, name)
        if given is None:
            if name in needed:
                raise ModelError(f"{evaluator.name} gave no {name}, which it lists in `gives`")
            continue
        found[name] = _checked(given, shape, low, high, f"{evaluator.name}: {name}")
    if "policy" in found:
        _check_policy(found["policy"], asked, evaluator.name)
    return Evaluations(**found)


def require(evaluator: Evaluator, *needed: Answer) -> None:
    """Raise ModelError for an object that is not an evaluator or does not give the needed answers."""
    if not isinstance(evaluator, Evaluator):
        raise ModelError(f"{evaluator!r} is not a model: use a name, file or object with name, gives and evaluate")
    if not isinstance(evaluator.gives, Set):
        raise ModelError(f"{evaluator.name}: gives is a set of some of {', '.join(ANSWERS)}, not {evaluator.gives!r}")
    missing = [answer for answer in needed if answer not in evaluator.gives]
    if missing:
        gives = ", ".join(sorted(evaluator.gives)) or "nothing"
        raise ModelError(f"{evaluator.name} does not give {missing[0]}: it gives {gives}")


def _checked(given: Any, shape: tuple[int, ...], low: float, high: float, what: str) -> FloatArray:
    try:
        array = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is not an array of numbers") from None
    if array.shape != shape:
        raise ModelError(f"{what} has shape {array.shape}, not {shape}")
    least, most = (float(array.min()), float(array.max())) if array.size else (0.0, 0.0)
    if not (math.isfinite(least) and math.isfinite(most)) or least < low - _TOLERANCE or most > high + _TOLERANCE:
        limits = f"from {low:g} to {high:g}" if np.isfinite(high) else "finite, and standard deviations not negative"
        raise ModelError(f"{what} has values that are not {limits}")
    return array if low <= least and most <= high else np.clip(array, low, high)


def _check_policy(policy: FloatArray, positions: Positions, name: str) -> None:
    """Refuse probabilities that do not sum to 1 or that allow illegal moves."""
    sums = policy.sum(axis=1)
    if (np.abs(sums - 1) > _POLICY_TOLERANCE).any():
        raise ModelError(f"{name}: the policy of a position sums to {sums[np.abs(sums - 1).argmax()]:.4g}, not 1")
    if (policy[~positions.legal] > _TOLERANCE).any():
        raise ModelError(f"{name}: policy gives an illegal move a probability")
