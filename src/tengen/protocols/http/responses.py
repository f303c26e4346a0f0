"""The answers of the service as schemas, for OpenAPI.

Answers are built as plain objects (tengen.protocols.answers) and not checked against these models; the tests do that.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tengen.protocols.http.messages import Colour

Rows = list[str]
Status = Literal["alive", "dead", "seki", "unclear"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Versioned(_Answer):
    schema_: Literal[1] = Field(alias="schema")


class Problem(_Versioned):
    """What is wrong, in one sentence."""

    error: str


class Health(_Versioned):
    """The service runs."""

    version: str


class Captures(_Answer):
    """Stones captured by Black and by White."""

    black: int
    white: int


class ReasonAnswer(_Answer):
    """A reason, with the points it is about."""

    kind: str
    points: list[str]
    sentence: str


class VerdictAnswer(_Answer):
    """The fate of a chain."""

    points: list[str]
    status: Status
    p: float = Field(description="The probability of the likelier fate.")
    reasons: list[ReasonAnswer]


class LineAnswer(_Answer):
    """A line of the count."""

    label: str
    black: float
    white: float


class ExplanationAnswer(_Answer):
    """A change to the count that gives the recorded result."""

    sentence: str
    marks: dict[str, Literal["alive", "dead"]] = Field(description="The other verdicts; empty if no group explains it.")


class _Shown(_Versioned):
    board: Rows = Field(description="Rows from the top: X for Black, O for White, . for an empty point.")
    captures: Captures
    size: int
    width: int
    height: int


class ScoreAnswer(_Shown):
    """The count of a position; its lines sum to the lead."""

    rules: str
    komi: float
    state: Literal["safe", "not safe", "not finished", "resigned", "lost on time", "forfeited"]
    headline: str
    result: str
    lead: float
    recorded: str = Field(description="The result in the record, or an empty string.")
    safe: bool
    dead: list[str]
    seki: list[str]
    unclear: list[str]
    owner: Rows
    lines: list[LineAnswer]
    verdicts: list[VerdictAnswer]
    warnings: list[str]
    dame: list[str]
    false_eyes: list[str]
    unsealed: list[str]
    protections: list[str]
    differences: list[str] = Field(description="The sentences of the explanations.")
    explanations: list[ExplanationAnswer]
    model: str


class EstimateAnswer(_Shown):
    """The expected owners of all points, from −1 (White) to 1 (Black); lead and winrate are Black's."""

    move: int
    to_play: Colour
    model: str
    ownership: list[list[float]]
    lead: float
    lead_sd: float
    winrate: float
    warnings: list[str]
    reasons: dict[str, list[ReasonAnswer]] | None = Field(default=None, description="By point, if `explain` is given.")


class SuggestionAnswer(_Answer):
    """A move, its probability and reasons."""

    move: str
    p: float
    reasons: list[ReasonAnswer]


class MovesAnswer(_Shown):
    """Suggested moves, the likeliest first."""

    move: int
    to_play: Colour
    model: str
    moves: list[SuggestionAnswer]
    warnings: list[str]


class RecordAnswer(_Versioned):
    """The head and the main line of a record, and the last position."""

    width: int
    height: int
    rules: str
    komi: float
    handicap: int
    black: str
    white: str
    result: str
    setup: list[tuple[Colour, str]] = Field(description="Stones that stand on the board before the first move.")
    moves: list[tuple[Colour, str]]
    later: list[tuple[int, Literal["black", "white", "empty"], str]] = Field(
        description="Stones set up or taken off later: number of moves before, colour, point."
    )
    warnings: list[str]
    mended: list[str]
    board: Rows
    date: str
    event: str


class StartAnswer(_Answer):
    """Black's lead and winrate before the first move."""

    lead: float
    winrate: float


class ReviewedMoveAnswer(_Answer):
    """A move, and Black's lead and winrate after it."""

    move: int
    colour: Colour
    point: str
    lead: float
    winrate: float
    lead_sd: float
    swing: float


class SwingAnswer(_Answer):
    """A large change of the lead."""

    move: int
    colour: Colour
    point: str
    loser: Colour
    points: float
    noise: float
    better: str | None


class ReviewAnswer(_Versioned):
    """The course of a game, and its largest swings."""

    size: int
    width: int
    height: int
    method: str
    start: StartAnswer
    moves: list[ReviewedMoveAnswer]
    swings: list[SwingAnswer]
    warnings: list[str]


class PlayAnswer(_Versioned):
    """A move of the engine; winrate and lead are Black's."""

    board: Rows
    captures: Captures
    to_play: Colour
    move: str = Field(description="A point, pass or resign.")
    winrate: float
    lead: float
    lead_sd: float
    visits: int
    line: list[str] = Field(description="The expected continuation.")
    hopeless: int = Field(description="Give it back in the next request of the game.")
    warnings: list[str]


class OgsPoint(_Answer):
    """A point of a board, from the upper left corner."""

    x: int
    y: int


class OgsRemoval(OgsPoint):
    """A dead stone."""

    removal_reason: str


class EstimatorAnswer(_Answer):
    """The estimate of a position, or with `autoscore` its count; all from Black's side."""

    ownership: list[list[float]]
    score: float
    win_rate: float
    autoscored_board_state: list[list[Literal[0, 1, 2]]] | None = None
    autoscored_removed: list[OgsRemoval] | None = None
    autoscored_needs_sealing: list[OgsPoint] | None = None
