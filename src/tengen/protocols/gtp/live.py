"""Live graphics for GoGui: the state of a running search as blocks of text on standard error."""

from __future__ import annotations

import time
from itertools import cycle

from tengen.plain import notice
from tengen.search.analysis import Analysis

EVERY = 1.0
"""Minimum seconds between two drawings."""


class Drawer:
    """Draws the state of a running search at intervals."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, found: Analysis) -> None:
        """Draw the current state, unless the last drawing is recent."""
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + EVERY
        notice(drawing(found))


def drawing(found: Analysis) -> str:
    """Return the principal variation, the shares of visits (positive for Black's moves) and the leader as a drawing.

    An empty line ends a drawing, so another line feed must follow.
    """
    black = found.to_play == "black"
    players = cycle("bw" if black else "wb")
    line = " ".join(f"{player} {move}" for player, move in zip(players, found.candidates[0].line, strict=False))
    share = (1 if black else -1) / max(found.visits, 1)
    shares = [f"{move.move} {share * move.visits:.3f}" for move in found.candidates if move.move != "pass"]
    leader = "Black" if found.lead >= 0 else "White"
    said = f"{found.visits} visits, {leader} leads by {abs(found.lead):.1f}, Black wins {found.winrate:.0%}"
    return "\n".join(["gogui-gfx:", f"VAR {line}", " ".join(["INFLUENCE", *shares]), f"TEXT {said}", ""])
