"""`tengen.suggest`: the moves a model of moves would play, likeliest first, with its reasons.

Start at `suggest`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

import numpy as np

from tengen.go.board import Board
from tengen.go.points import point_names
from tengen.go.record import Game, as_board
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import ask
from tengen.models.state import identity
from tengen.models.verdict import Reason, percent
from tengen.numbers import checked_count


@dataclass(frozen=True, repr=False)
class Suggestion:
    """A move, how likely a strong player is to choose it, and why."""

    move: str
    """A point such as "Q16", or "pass"."""
    probability: float
    reasons: tuple[Reason, ...]
    model: str
    """The model that suggests it: name@hash."""
    board: Board = field(compare=False)
    """The position."""

    def as_dict(self) -> dict[str, object]:
        """Return the suggestion as it is written in JSON."""
        reasons = [reason.as_dict() for reason in self.reasons]
        return {"move": self.move, "p": round(self.probability, 6), "reasons": reasons}

    def svg(self, **options: Any) -> str:
        """Draw the move on the board as SVG; `options` are those of tengen.go.svg.draw_svg."""
        return Suggestions([self]).svg(**options)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Suggestion {self.move} {percent(self.probability)}>"

    def __str__(self) -> str:
        words = "; ".join(reason.sentence for reason in self.reasons)
        return f"{self.move} {percent(self.probability)}" + (f": {words}" if words else "")


class Suggestions(tuple[Suggestion, ...]):
    """Moves for one position, the likeliest first; notebooks show them on the board."""

    __slots__ = ()

    def svg(self, **options: Any) -> str:
        """Draw the moves as letters on the board, with their reasons below.

        `options` are those of tengen.go.svg.draw_svg; further notes come after the moves.
        """
        named = list(zip(_letters(len(self)), self, strict=True))
        marks = {each.move: letter for letter, each in named if each.move != "pass"}
        moves = [f"{letter}  {each}" for letter, each in named]
        usual = {"marks": marks, "title": f"{self[0].board.to_play.capitalize()} to play"}
        return self[0].board.svg(**{**usual, **options, "notes": [*moves, *options.get("notes", ())]})

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def _letters(count: int) -> list[str]:
    """Return A to Z, then A1, B1 and so on."""
    return [ascii_uppercase[i % 26] + (str(i // 26) if i >= 26 else "") for i in range(count)]


def suggest(
    game_or_board: Game | Board, *, model: ModelLike = "default", top: int = 10, explain: bool = True
) -> Suggestions:
    """Return the likeliest moves of the player to move, at most `top`, in the last position of a game or on a board.

    The probabilities are shares of all legal moves, so those returned need not sum to 1. `explain=False` leaves out the
    reasons, which saves time.
    """
    board = as_board(game_or_board).copy()
    evaluator = evaluator_of(model, board, "policy")
    checked_count(top, "top", most=10_000, least=1)
    policy = ask(evaluator, [board], "policy").policy
    assert policy is not None
    moves = (*point_names(board.width, board.height), "pass")
    best = [i for i in np.argsort(-policy[0], kind="stable")[:top].tolist() if policy[0][i] > 0]
    reasons = _reasons(evaluator if explain else None, board, [moves[i] for i in best])
    name = identity(evaluator)
    return Suggestions(
        Suggestion(moves[i], float(policy[0][i]), tuple(why), name, board) for i, why in zip(best, reasons, strict=True)
    )


def _reasons(evaluator: Any, board: Board, moves: list[str]) -> list[list[Reason]]:
    """Return the reasons for moves from an evaluator that explains them, all at once or one by one."""
    if explain_moves := getattr(evaluator, "explain_moves", None):
        return list(explain_moves(board, moves))
    explain_move = getattr(evaluator, "explain_move", None)
    return [explain_move(board, move) if explain_move else [] for move in moves]
