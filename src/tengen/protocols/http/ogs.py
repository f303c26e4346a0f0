"""The request and response of the score estimator that OGS and clients of its protocol use.

A board is a matrix of 0 (empty), 1 (Black) and 2 (White); ownership, score and win rate are Black's. With `autoscore`
the board is taken for finished: dead stones are removed, each with the reason, and gaps in borders are listed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.points import as_point
from tengen.go.rules import Rules
from tengen.judge.score import Score, score
from tengen.models.estimate import Estimate, estimate
from tengen.models.leads import chance_of
from tengen.numbers import rounded
from tengen.protocols.answers import Answer
from tengen.protocols.http.lanes import Stop
from tengen.protocols.http.messages import Count

_SIGNS = {0: 0, 1: 1, 2: -1}


class EstimatorRequest(BaseModel):
    """A position for the estimator; unknown fields, such as jwt, are ignored."""

    model_config = ConfigDict(
        extra="ignore",
        allow_inf_nan=False,
        json_schema_extra={
            "examples": [
                {
                    "player_to_move": "black",
                    "width": 5,
                    "height": 5,
                    "board_state": [
                        [0, 1, 0, 1, 2],
                        [1, 1, 1, 1, 2],
                        [0, 1, 2, 2, 2],
                        [1, 1, 2, 0, 2],
                        [0, 1, 2, 2, 0],
                    ],
                    "rules": "chinese",
                    "black_prisoners": 0,
                    "white_prisoners": 0,
                    "komi": 7.5,
                    "autoscore": True,
                }
            ]
        },
    )

    player_to_move: Literal["black", "white"] = "black"
    width: int = Field(ge=2, le=25)
    height: int = Field(ge=2, le=25)
    board_state: list[Annotated[list[Literal[0, 1, 2]], Field(max_length=25)]] = Field(max_length=25)
    rules: str = Field(default="chinese", max_length=100)
    black_prisoners: Count = 0
    white_prisoners: Count = 0
    komi: float = Field(ge=-1000, le=1000)
    autoscore: bool = False

    def board(self) -> Board:
        """Return the board."""
        if len(self.board_state) != self.height or any(len(row) != self.width for row in self.board_state):
            raise TengenError(f"board_state has {self.height} rows of {self.width} numbers")
        stones = [[_SIGNS[value] for value in row] for row in self.board_state]
        return Board.from_stones(stones, self.player_to_move, rules=Rules.parse(self.rules), komi=self.komi)


def estimator_work(request: EstimatorRequest, stop: Stop) -> Answer:
    """Answer a request of the estimator."""
    board, captures = request.board(), (request.black_prisoners, request.white_prisoners)
    found = estimate(board)
    if not request.autoscore:
        return _estimated(found, captures)
    counted = score(board, captures=captures)
    state, removed = [row.copy() for row in request.board_state], []
    for verdict in counted.verdicts:
        for name in verdict.points if verdict.alive < 0.5 else ():
            row, column = as_point(name, request.width, request.height)
            state[row][column] = 0
            removed.append({"x": column, "y": row, "removal_reason": str(verdict.reasons[0])})
    return {
        "ownership": counted.owner.tolist(),
        "score": counted.lead,
        "win_rate": found.winrate if counted.lead == 0 else float(counted.lead > 0),
        "autoscored_board_state": state,
        "autoscored_removed": removed,
        "autoscored_needs_sealing": _sealing(counted, request),
    }


def _estimated(found: Estimate, captures: tuple[int, int]) -> Answer:
    """Return an estimate; a board made from stones does not know the prisoners, which territory scoring counts."""
    prisoners = captures[0] - captures[1] if found.rules.scoring == "TERRITORY" else 0
    lead = found.lead + prisoners
    return {
        "ownership": rounded(found.ownership, 4),
        "score": round(lead, 4),
        "win_rate": round(chance_of(lead, found.lead_sd), 4),
    }


def _sealing(counted: Score, request: EstimatorRequest) -> list[dict[str, int]]:
    places = (as_point(name, request.width, request.height) for name in counted.unsealed)
    return [{"x": column, "y": row} for row, column in places]
