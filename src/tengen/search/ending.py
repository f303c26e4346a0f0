"""The end of a game: whether it is settled according to the judge, and which dead stones to capture first.

Start at `settled_game`. If the players agree on dead stones (territory scoring, friendly passes), the judge's count is
used. Otherwise the board is counted as it stands, and a position with dead stones is not settled.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.go.board import Board
from tengen.go.counting import count
from tengen.go.points import point
from tengen.judge.score import Score, score


@dataclass(frozen=True)
class Settled:
    """A finished position: Black's lead, and the points that are still worth a move."""

    lead: float
    open_points: frozenset[str]
    """Dame, under area scoring."""


def settled_game(board: Board) -> Settled | None:
    """Return the count of a finished position; None if it is not finished."""
    judged = score(board)
    if not judged.safe:
        return None
    by_area = board.rules.scoring == "AREA"
    open_points = frozenset(judged.dame) if by_area else frozenset[str]()
    if by_area and not board.rules.friendly_pass:
        return None if judged.dead else Settled(count(board).lead, open_points)
    return Settled(judged.lead, open_points)


def captures_of_dead(board: Board) -> tuple[str, ...]:
    """Return the legal moves on liberties of the enemy's dead stones."""
    judged = score(board)
    liberties = {
        liberty for chain in board.chains() if _is_prey(board, judged, chain.points[0]) for liberty in chain.liberties
    }
    return tuple(name for name in sorted(liberties) if board.is_legal(name))


def _is_prey(board: Board, judged: Score, name: str) -> bool:
    stone = board.stones[point(name, (board.width, board.height))]
    return name in judged.dead and (stone == 1) != (board.to_play == "black")
