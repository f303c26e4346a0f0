"""Verdicts on chains, with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tengen.go.colour import Colour

Status: TypeAlias = Literal["alive", "dead", "seki", "unclear"]


@dataclass(frozen=True)
class Reason:
    """A reason: a kind for programs, the points concerned, and one sentence in Go words."""

    kind: str
    points: tuple[str, ...]
    sentence: str

    def as_dict(self) -> dict[str, object]:
        """Return the reason as a JSON object."""
        return {"kind": self.kind, "points": list(self.points), "sentence": self.sentence}

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Verdict:
    """The fate of a chain with its probability and reasons."""

    points: tuple[str, ...]
    colour: Colour
    status: Status
    alive: float
    """The probability that the chain lives; it is removed for the count if this is below ½."""
    reasons: tuple[Reason, ...]

    @property
    def p(self) -> float:
        """The probability of the likelier fate, between ½ and 1."""
        return max(self.alive, 1 - self.alive)

    def as_dict(self) -> dict[str, object]:
        """Return the verdict as a JSON object."""
        reasons = [reason.as_dict() for reason in self.reasons]
        return {"points": list(self.points), "status": self.status, "p": round(self.p, 6), "reasons": reasons}

    def __str__(self) -> str:
        name = f"{self.colour.capitalize()} {self.points[0]}"
        return f"{name} ({len(self.points)}): {self.status}, {percent(self.p)}"


def percent(p: float) -> str:
    """Format a probability; only certainty is written as 100% and only impossibility as 0%."""
    if 0 < p <= 0.005:
        return "<1%"
    return f"{p:.0%}" if p == 1 or p < 0.995 else f"{min(p, 0.999):.1%}"


def ownership_reason(share: float, name: str) -> Reason:
    """Return the ownership of a point as a reason."""
    if abs(share) < 0.005:
        return Reason("ownership", (name,), f"{name} is as likely to be Black's as White's.")
    owner = "Black" if share > 0 else "White"
    return Reason("ownership", (name,), f"{name} is {owner}'s with an ownership of {abs(share):.2f} out of 1.")


def settled_reason(owner: int, points: tuple[str, ...]) -> Reason:
    """Return the reason for points that are unconditionally Black's (1) or White's (−1)."""
    colour = "Black" if owner > 0 else "White"
    return Reason("settled", points, f"It is certainly {colour}'s: unconditionally alive, or inside such stones.")
