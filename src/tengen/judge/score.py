"""`tengen.score`: the count of a finished game under the likeliest verdicts, with what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tengen.go.board import Board
from tengen.go.counting import Count, Line, Owner, connected, count, dead_mask
from tengen.go.points import PointLike, point, point_name
from tengen.go.record import Game, as_board
from tengen.go.rules import Rules
from tengen.judge.vote import vote
from tengen.models.verdict import Reason, Verdict

OPEN_REGION = 6
"""So many empty points in one region between both colours mean that the game is not finished there."""


@dataclass(frozen=True)
class Score:
    """The count of a finished game. `result` is always the likeliest; `safe` says whether to rely on it."""

    count: Count
    verdicts: tuple[Verdict, ...]
    seki: tuple[str, ...]
    unclear: tuple[str, ...]
    """Stones of chains whose fate is not sure."""
    safe: bool
    warnings: tuple[str, ...]

    @property
    def result(self) -> str:
        """The result as it is written in records, such as B+3.5."""
        return self.count.result

    @property
    def lead(self) -> float:
        """Points Black is ahead, komi included."""
        return self.count.lead

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the count; they sum to the lead."""
        return self.count.lines

    @property
    def owner(self) -> Owner:
        """Who owns each point: an array [row, column], 1 Black, −1 White, 0 nobody."""
        return self.count.owner

    @property
    def dead(self) -> tuple[str, ...]:
        """The stones that were taken off."""
        return self.count.dead

    @property
    def dame(self) -> tuple[str, ...]:
        """Empty points that are nobody's."""
        return self.count.dame

    @property
    def rules(self) -> Rules:
        """The rules it was counted under."""
        return self.count.rules

    @property
    def komi(self) -> float:
        """The komi that was counted."""
        return self.count.komi

    def __str__(self) -> str:
        return self.result if self.safe else f"{self.result} (not safe)"


def score(
    game_or_board: Game | Board,
    *,
    rules: Rules | str | None = None,
    komi: float | None = None,
    captures: tuple[int, int] | None = None,
    dead: Iterable[PointLike] | None = None,
) -> Score:
    """Score a finished game. `dead` takes a person's marks instead of ours; the rest overrides what the record says."""
    board = as_board(game_or_board)
    verdicts = vote(board) if dead is None else marked(board, dead)
    gone = [verdict.points[0] for verdict in verdicts if verdict.alive < 0.5]
    counted = count(board, gone, rules=rules, komi=komi, captures=captures)
    unclear = tuple(name for verdict in verdicts if verdict.status == "unclear" for name in verdict.points)
    unfinished = _unfinished(board, counted)
    warnings = [*unfinished, *_missing_captures(board, counted, captures)]
    return Score(counted, tuple(verdicts), (), unclear, not unclear and not unfinished, tuple(warnings))


def _unfinished(board: Board, counted: Count) -> list[str]:
    """Say where the border between the colours is still open."""
    neutral = np.zeros((board.height, board.width), bool)
    for name in counted.dame:
        neutral[point(name, (board.width, board.height))] = True
    regions = [region for region in connected(neutral) if len(region) >= OPEN_REGION]
    return [
        f"{len(region)} points from {point_name(*region[0], board.height)} on are nobody's: the game is open there"
        for region in regions
    ]


def _missing_captures(board: Board, counted: Count, captures: tuple[int, int] | None) -> list[str]:
    if board.past_known or captures is not None or counted.rules.scoring == "AREA":
        return []
    return ["captures are not known from the stones alone and were counted as none: give captures=(by Black, by White)"]


def marked(board: Board, dead: Iterable[PointLike]) -> list[Verdict]:
    """Turn a person's marks into verdicts: the chains marked are dead, all others alive."""
    mask = dead_mask(board, dead)
    names = {point_name(int(row), int(column), board.height) for row, column in np.argwhere(mask)}
    reason = {True: "It was marked dead.", False: "It was not marked dead."}
    return [
        Verdict(
            chain.points,
            chain.colour,
            "dead" if gone else "alive",
            float(not gone),
            (Reason("marked", chain.points, reason[gone]),),
        )
        for chain in board.chains()
        for gone in [chain.points[0] in names]
    ]
