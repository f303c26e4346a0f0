"""A GTP session: the state of the game and the processing of input lines.

`Session.feed` takes a line and answers through `write`; `waiting` tells whether more input has arrived, which ends an
analysis. The session does not read standard input itself: `serve` connects it to two streams.
"""

from __future__ import annotations

import io
import math
import re
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import IO, Any, TypeAlias

from tengen import __version__
from tengen.errors import IllegalMove, TengenError, printable
from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.judge.score import Score, score
from tengen.models.estimate import Estimate, estimate
from tengen.plain import notice
from tengen.protocols.gtp.clocks import Clocks
from tengen.protocols.gtp.live import Drawer
from tengen.protocols.gtp.table import COMMANDS
from tengen.protocols.limits import smallest
from tengen.protocols.lines import LineReader, Output
from tengen.protocols.said import AnalysedPosition
from tengen.search.analysis import Analysis, Decision
from tengen.search.player import Player, Settings

Report: TypeAlias = Callable[[Analysis], None]

LONGEST = 1 << 16
"""Maximum length of a line in bytes."""

USUAL_SECONDS = 3.0
"""Seconds per move if neither a limit nor a clock is set."""

_LINE = re.compile(r"([0-9]{1,18}(?=\s|$))?\s*(\S*)\s*(.*)")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Session:
    """A game over GTP and its player."""

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        settings: Settings | None = None,
        visits: int | None = None,
        model: str = "default",
        ponder: bool = False,
        live_gfx: bool = False,
        name: str = "Tengen",
        version: str = __version__,
        waiting: Callable[[], bool] = lambda: True,
    ) -> None:
        self.settings = Settings() if settings is None else settings
        """Settings of the search; a move without any limit takes `USUAL_SECONDS`, or the time planned by its clock."""
        self.limits = {"maxVisits": visits, "maxPlayouts": self.settings.playouts}
        """The two limits of playouts as set; the smaller one applies."""
        self.settings = replace(self.settings, playouts=smallest(self.limits.values()))
        self.model = model
        self.ponder = ponder
        self.live_gfx = live_gfx
        """Whether to draw the search on GoGui's board."""
        self.name, self.version = name, version
        self.waiting = waiting
        """Whether more input has arrived."""
        self.clocks = Clocks()
        self._interrupts = self._passed = 0
        self._hung_up = False
        self.over = False
        self._write = write
        self._head = "="
        self.begun = False
        """Whether the answer to the current command has begun."""
        self._to_ponder = False
        self._draw = Drawer()
        self.set_board(Board(19))

    @property
    def board(self) -> Board:
        """The position. To change it use `play` and `undo`, which keep the player in step."""
        return self._board

    def set_board(self, board: Board) -> None:
        """Set another position."""
        self._board = board
        self._player: Player | None = None
        self._forget()

    def _forget(self) -> None:
        for name in ("score", "estimate", "position"):
            self.__dict__.pop(name, None)

    @property
    def player(self) -> Player:
        """The player, whose tree follows the game."""
        if self._player is None:
            self._player = Player(self._board, self.settings)
        return self._player

    def change_settings(self, **changes: Any) -> None:
        """Change some settings of the player."""
        self.change_settings_to(replace(self.settings, **changes))

    def change_limits(self, **limits: int | None) -> None:
        """Set `maxVisits`, `maxPlayouts` or both; None for no limit."""
        self.limits = {**self.limits, **limits}
        self.change_settings(playouts=smallest(self.limits.values()))

    def change_settings_to(self, settings: Settings) -> None:
        """Replace the settings of the player."""
        self.settings = settings
        self._player = None

    def play(self, point: str, colour: Colour) -> None:
        """Play a move or a pass."""
        self._board.play(point, colour)
        if self._player is not None:
            self._player.play(point, colour)
        self._forget()

    def genmove(self, colour: Colour, **wishes: Any) -> Decision:
        """Choose a move for a colour and play it, unless the decision is to resign."""
        decision = self.choose(colour, **wishes)
        if decision.move != "resign":
            self.play(decision.move, colour)
            self._to_ponder = self.ponder
        return decision

    def choose(self, colour: Colour, *, report: Report | None = None, **wishes: Any) -> Decision:
        """Choose a move within the clock and settings; an interrupt ends the search. `wishes` as in `Player.choose`."""
        self.turn_to(colour)
        begun, clock = time.monotonic(), self.clocks.now(colour)
        unlimited = clock is None and self.settings.unlimited
        self.player.settings = replace(self.settings, seconds=USUAL_SECONDS) if unlimited else self.settings
        wishes = {"stop": lambda: self.interrupted} | wishes
        decision = self.player.choose(clock=clock, report=self.watched(report), **wishes)
        self.clocks.spend(colour, time.monotonic() - begun)
        return decision

    def watched(self, report: Report | None) -> Report | None:
        """Return a report function that also draws on GoGui's board if enabled."""
        if not self.live_gfx:
            return report

        def both(found: Analysis) -> None:
            if report is not None:
                report(found)
            self._draw(found)

        return both

    def think_ahead(self) -> None:
        """Ponder after our own move until the next input, if enabled."""
        if self._to_ponder and not self._board.is_over:
            self.player.think(seconds=math.inf, stop=self.stop)
        self._to_ponder = False

    def look(self, playouts: int, colour: Colour | None = None) -> Analysis:
        """Search for a number of playouts, or until an interrupt, with a colour to move."""
        player = self.player
        if colour not in (None, self._board.to_play):
            board = self._board.copy()
            board.to_play = colour
            player = Player(board, self.settings)
        return player.think(playouts=playouts, stop=lambda: self.interrupted)

    def undo(self) -> None:
        """Undo the last move."""
        try:
            self._board.undo()
        except TengenError as error:
            raise TengenError(f"cannot undo: {error}") from None
        if self._player is not None:
            self._player.undo()
        self._forget()

    def turn_to(self, colour: Colour) -> None:
        """Make a colour the one to play."""
        if colour != self._board.to_play:
            board = self._board.copy()
            board.to_play = colour
            self.set_board(board)

    @cached_property
    def score(self) -> Score:
        """The score of the position, cached."""
        return score(self._board)

    @cached_property
    def estimate(self) -> Estimate:
        """The estimate of the position by the session's model; its warnings go to stderr."""
        found = estimate(self._board, model=self.model)
        for warning in found.warnings:
            notice(f"tengen gtp: {warning}")
        return found

    @cached_property
    def position(self) -> AnalysedPosition:
        """The position for analysis, with cached playouts, until a move is played."""
        return AnalysedPosition(self._board.copy())

    def feed(self, line: str) -> None:
        """Process a line and write the answer; comments and empty lines get none."""
        text = _CONTROL.sub("", line.replace("\t", " ").partition("#")[0]).strip()
        match = _LINE.fullmatch(text)
        if text and match is not None:
            self._head, self.begun = f"={match[1] or ''}", False
            self._answer(match[1] or "", match[2], match[3].split(), len(line.encode("utf-8", "replace")))
        self._passed += _is_interrupt(line)

    def _answer(self, number: str, name: str, words: list[str], length: int) -> None:
        try:
            if length > LONGEST:
                raise TengenError(f"the line is longer than {LONGEST} bytes")
            answer = self._do(name, words)
        except IllegalMove as error:
            self._fail(number, f"illegal move: {error}")
        except TengenError as error:
            self._fail(number, str(error))
        except Exception as error:  # a bug must not end the game
            notice(traceback.format_exc().rstrip())
            self._fail(number, f"internal error: {type(error).__name__}: {error}")
        else:
            self._end(answer or "")

    @property
    def interrupted(self) -> bool:
        """Whether the current command should end: the client has disconnected, or an interrupt has arrived since."""
        return self._hung_up or self._interrupts > self._passed

    def stop(self) -> bool:
        """Whether an analysis should end: an interrupt or any input has arrived."""
        return self.interrupted or self.waiting()

    def say(self, line: str) -> None:
        """Write a line of the answer before the current command has ended."""
        if not self.begun:
            self._write(f"{self._head}\n")
        self.begun = True
        self._write(f"{line}\n")

    def hear(self, line: str) -> None:
        """Check a line for an interrupt as soon as it arrives, even during a command."""
        self._interrupts += _is_interrupt(line)

    def hang_up(self) -> None:
        """End the current command because the client has disconnected."""
        self._hung_up = True

    def _do(self, name: str, words: list[str]) -> str | None:
        found = COMMANDS.get(name)
        if found is None:
            raise TengenError("unknown command" if name.isprintable() and len(name) < 100 else "syntax error")
        return found.function(self, *found.read(words))

    def _fail(self, number: str, reason: str) -> None:
        if self.begun:
            self._write("\n")
        else:
            self._write(f"?{number} {printable(reason)}\n\n")

    def _end(self, answer: str) -> None:
        """Finish an answer, without empty lines, which would end it early."""
        text = _EMPTY_LINES.sub("\n", answer.rstrip())
        if self.begun:
            self._write(f"{text}\n\n" if text else "\n")
        else:
            self._write(f"{self._head} {text}\n\n")


def _is_interrupt(line: str) -> bool:
    return line.startswith("# interrupt")


def serve(source: io.RawIOBase | io.BytesIO, sink: IO[str], **options: Any) -> None:
    """Answer a stream of commands until it ends or quits; raise BrokenPipeError if the reader has disconnected."""
    output = Output(sink)
    session = Session(output.write, **options)
    reader = LineReader(source, LONGEST, heard=session.hear)
    session.waiting = reader.waiting

    def lost() -> None:
        session.hang_up()
        reader.close()

    with output.watched(lost):
        for line in reader:
            session.feed(line)
            if session.over:
                return
            session.think_ahead()
    output.check()
