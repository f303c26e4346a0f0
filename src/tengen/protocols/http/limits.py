"""The limits of the service."""

from __future__ import annotations

from dataclasses import dataclass

MOST_MOVES = 2_000
"""Maximum number of moves in a request."""
MOST_SECONDS = 20.0
"""Maximum number of seconds for a move of the engine."""
MOST_PLAYOUTS = 100_000
"""Maximum number of playouts for a move of the engine, and for all positions of a review."""


@dataclass(frozen=True)
class Limits:
    """Limits of one worker."""

    body: int = 1_000_000
    """Maximum size of a request in bytes."""
    read_seconds: float = 10.0
    """Maximum number of seconds in which the head of a request, and then its body, must have arrived."""
    quick_queue: int = 64
    """Number of waiting requests for a score, an estimate, moves or a record."""
    slow_queue: int = 8
    """Number of waiting requests for a review or a move of the engine."""
    quick_seconds: float = 15.0
    """Maximum number of seconds for the former, including the wait."""
    slow_seconds: float = 90.0
    """Maximum number of seconds for the latter, including the wait."""
    connections: int = 512
    """Maximum number of open connections."""
