"""The requests of the service, and the positions they contain."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.record import Game
from tengen.go.rules import Rules
from tengen.protocols.http.limits import MOST_MOVES, MOST_PLAYOUTS, MOST_SECONDS

Colour = Literal["black", "white"]
PointName = Annotated[str, Field(max_length=8)]
Count = Annotated[int, Field(ge=0, le=10_000)]
Seconds = Annotated[float, Field(ge=0, le=1e6)]

ROWS = [
    "..X.O....",
    "..XXO....",
    "..X.OO...",
    "..XX.O...",
    "...XOO...",
    "..X.XO...",
    "...XXO...",
    "..X.O.O..",
    "..XOO....",
]
SGF = "(;SZ[9]KM[6.5]RU[Japanese];B[ee];W[ge];B[gd];W[fe];B[fd];W[ed])"


def _examples(*examples: dict[str, Any]) -> ConfigDict:
    return ConfigDict(extra="forbid", allow_inf_nan=False, json_schema_extra={"examples": list(examples)})


class Position(BaseModel):
    """A position: a record and a number of moves, or rows of stones and the moves played from there."""

    model_config = _examples({"board": ROWS, "to_play": "black", "komi": 7}, {"sgf": SGF, "move": 4})

    sgf: str | None = Field(default=None, description="A record as text. Of several games the first is read.")
    sgf_base64: str | None = Field(default=None, description="A record as bytes in any encoding, in base64.")
    move: int | None = Field(default=None, ge=0, description="The position of the record after this many moves (all).")
    board: list[Annotated[str, Field(max_length=100)]] | None = Field(
        default=None, max_length=25, description="Rows from the top: X for Black, O for White, . for an empty point."
    )
    moves: list[tuple[Colour, PointName]] | None = Field(
        default=None,
        max_length=MOST_MOVES,
        description="Moves played on the board, such as D4 or pass. If they are given, even as an empty list, the "
        "board is the start of a game, and captures are known.",
    )
    to_play: Colour | None = Field(default=None, description="The player to move.")
    handicap: Count = Field(default=0, description="Number of handicap stones, for the rules' bonus; with `board`.")
    rules: str | None = Field(default=None, max_length=500, description="Rules by name, or KataGo's JSON for them.")
    komi: float | None = Field(default=None, ge=-1000, le=1000)

    def game(self) -> Game | None:
        """Return the record, or None if the position is given by rows."""
        given = [name for name in ("sgf", "sgf_base64", "board") if getattr(self, name) is not None]
        if len(given) != 1:
            raise TengenError("give either sgf, sgf_base64 or board")
        if self.board is not None:
            return None
        if self.moves is not None or self.handicap:
            raise TengenError("moves and handicap go with board; a record has its own")
        return Game.from_sgf(self.sgf if self.sgf is not None else _bytes_of(self.sgf_base64 or ""))

    def read(self) -> tuple[Game | None, Board]:
        """Return the record, if there is one, and the board, which has the rules and the komi of the request."""
        game = self.game()
        board = self._board() if game is None else game.board(self.move)
        if game is not None and self.to_play is not None:
            board.to_play = self.to_play
        return game, board.with_rules(self.rules, self.komi)

    def _board(self) -> Board:
        if self.move is not None:
            raise TengenError("move goes with a record: give the moves that lead to the position")
        settings: dict[str, Any] = {"rules": Rules.parse(self.rules or "chinese"), "komi": self.komi}
        settings["handicap"] = self.handicap
        board = Board.from_text(self.board or (), self.to_play or "black", **settings)
        if self.moves is None:
            return board
        start = Board(board.width, board.height, **settings)
        stones = board.stones
        start.setup(black=_places(stones == 1), white=_places(stones == -1))
        start.to_play = self.to_play or ("white" if self.handicap > 1 else "black")
        for colour, point in self.moves:
            start.play(point, colour)
        return start


class ScoreRequest(Position):
    """A finished position to count."""

    model_config = _examples(
        {"board": ROWS, "rules": "japanese", "captures": [3, 2], "marks": {"G2": "dead"}}, {"sgf": SGF}
    )

    captures: tuple[Count, Count] | None = Field(default=None, description="Stones captured by Black and by White.")
    marks: dict[PointName, Literal["alive", "dead", "seki"]] = Field(
        default_factory=dict,
        max_length=625,
        description="Chains whose fate the user gives, by any of their stones. All other chains are judged.",
    )


class EstimateRequest(Position):
    """A position to estimate."""

    model_config = _examples({"board": ROWS, "to_play": "black", "komi": 7, "explain": ["D4"]}, {"sgf": SGF, "move": 4})

    explain: list[PointName] = Field(
        default_factory=list, max_length=25, description="Points whose owners are explained, such as D4."
    )


class MovesRequest(Position):
    """A position in which moves are suggested."""

    top: int = Field(default=10, ge=1, le=50, description="Maximum number of moves.")


class GameRequest(Position):
    """A game to review."""

    model_config = _examples({"sgf": SGF, "playouts": 0})

    playouts: int = Field(
        default=32,
        ge=0,
        le=1000,
        description="Playouts of the searches that check the largest losses; 0: none, losses are hints. "
        "Where the network cannot be used: playouts for every position.",
    )


class ClockMessage(BaseModel):
    """The clock of the player to move: main time, then periods of some stones, and an increment after every move."""

    model_config = _examples({"main": 300, "period": 20, "periods": 5})

    main: Seconds
    period: Seconds = 0.0
    periods: Count = 0
    stones: int = Field(default=1, ge=1, le=1000)
    period_left: Seconds | None = Field(default=None, description="Seconds left in the period; null in main time.")
    stones_left: int | None = Field(default=None, ge=1, le=1000)
    increment: Seconds = 0.0


class PlayRequest(Position):
    """A position in which the engine moves."""

    model_config = _examples({"board": ["." * 9] * 9, "moves": [["black", "E5"]], "playouts": 200, "komi": 7})

    seconds: float | None = Field(default=None, gt=0, le=MOST_SECONDS, description="Maximum number of seconds (1).")
    playouts: int | None = Field(default=None, ge=1, le=MOST_PLAYOUTS)
    clock: ClockMessage | None = None
    hopeless: Count | None = Field(
        default=None,
        description="`hopeless` of the engine's last answer in this game, 0 at its start. The engine resigns after "
        "three hopeless moves in a row; without this field it never does.",
    )


class RecordRequest(BaseModel):
    """A record to read."""

    model_config = _examples({"sgf": SGF})

    sgf: str | None = None
    sgf_base64: str | None = None

    def game(self) -> Game:
        """Return the record."""
        game = Position(sgf=self.sgf, sgf_base64=self.sgf_base64).game()
        assert game is not None
        return game


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise TengenError("sgf_base64 is not base64") from None


def _places(mask: Any) -> list[tuple[int, int]]:
    return [(row, column) for row, column in zip(*mask.nonzero(), strict=True)]
