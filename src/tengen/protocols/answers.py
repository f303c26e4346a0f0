"""JSON objects for scores, estimates, moves and records, the same on the command line and over HTTP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tengen.go.text import rows_of
from tengen.numbers import rounded

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.record import Game
    from tengen.judge.score import Score
    from tengen.models.estimate import Estimate
    from tengen.models.suggestion import Suggestions

Answer = dict[str, Any]


def score_answer(score: Score, recorded: str, warnings: Iterable[str], differences: Iterable[str]) -> Answer:
    """Return a score; `recorded` is the result in the record, and `differences` explain why it is another one."""
    board = score.basis.board
    return {
        "size": board.size,
        "width": board.width,
        "height": board.height,
        "rules": str(score.rules),
        "komi": score.komi,
        "state": score.state,
        "headline": score.headline,
        "result": score.result,
        "lead": score.lead,
        "recorded": recorded,
        "safe": score.safe,
        "dead": list(score.dead),
        "seki": list(score.seki),
        "unclear": list(score.unclear),
        "owner": rows_of(score.owner),
        "lines": [{"label": line.label, "black": line.black, "white": line.white} for line in score.lines],
        "verdicts": [verdict.as_dict() for verdict in score.verdicts],
        "warnings": list(warnings),
        "dame": list(score.dame),
        "false_eyes": list(score.false_eyes),
        "unsealed": list(score.unsealed),
        "protections": list(score.protections),
        "differences": list(differences),
        "model": score.model,
    }


def estimate_answer(board: Board, found: Estimate, warnings: Iterable[str], explain: Iterable[str] = ()) -> Answer:
    """Return the estimate of a board, with reasons for the owners of some points."""
    reasons = {point: [reason.as_dict() for reason in found.explain(point)] for point in explain}
    return {
        **position_answer(board),
        "model": found.model,
        "ownership": rounded(found.ownership, 4),
        "lead": round(found.lead, 4),
        "lead_sd": round(found.lead_sd, 4),
        "winrate": round(found.winrate, 4),
        "warnings": [*warnings, *found.warnings],
        **({"reasons": reasons} if reasons else {}),
    }


def moves_answer(board: Board, found: Suggestions, warnings: Iterable[str]) -> Answer:
    """Return the suggested moves of a board."""
    return {
        **position_answer(board),
        "model": found[0].model,
        "moves": [each.as_dict() for each in found],
        "warnings": list(warnings),
    }


def record_answer(game: Game) -> Answer:
    """Return the head and the main line of a record, mended; the game is changed."""
    warnings, mended = list(game.warnings), game.mend()
    return {
        "width": game.width,
        "height": game.height,
        "rules": str(game.rules),
        "komi": game.komi,
        "handicap": game.handicap,
        "black": game.players.black.name,
        "white": game.players.white.name,
        "result": game.result,
        "setup": [[stone.colour, stone.point] for stone in game.setup],
        "moves": [[move.colour, move.point] for move in game],
        "later": [[edit.after, edit.colour, edit.point] for edit in game.later_setup],
        "warnings": warnings,
        "mended": mended,
    }


def position_answer(board: Board) -> Answer:
    """Return which position of a game a board is, and its size."""
    size = {"size": board.size, "width": board.width, "height": board.height}
    return {"move": board.move_number, **size, "to_play": board.to_play}
