"""A client for Go programs that support GTP (the Go Text Protocol, version 2).

`GtpEngine.send` is the protocol: one command, one answer. The methods below it set a position and ask for a move, a
score or the dead stones. `gnugo` starts GNU Go.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from tengen.engines.position import Line, line_of
from tengen.engines.process import SOURCES, Child, find_program
from tengen.engines.program import Program
from tengen.errors import EngineError, TengenError
from tengen.go.board import Board
from tengen.go.colour import as_colour
from tengen.go.points import point
from tengen.go.record import Game, as_board
from tengen.go.rules import Rules

Status = Literal["alive", "dead", "seki", "black_territory", "white_territory", "dame"]
"""Status of a point at the end of a game; the last three are GNU Go's."""

_ANSWER = re.compile(r"([=?])(\d*)(?:\s+(.*))?")
_SCORE = re.compile(r"([BW])\+(\d+(?:\.\d*)?|\.\d+)(?!\S)", re.IGNORECASE)
_EVEN = re.compile(r"(?:0(?:\.0*)?|draw|jigo)(?!\S)", re.IGNORECASE)
_KGS_RULES = {
    "japanese": "japanese",
    "japanese-ogs": "japanese",
    "chinese": "chinese",
    "aga": "aga",
    "new-zealand": "new_zealand",
}


class GtpEngine(Program):
    """A Go program in a child process. It starts on first use and ends with `close` or the with-block."""

    _farewell = "quit\n"

    def __init__(self, command: str | Sequence[str], *, timeout: float | None = 60.0) -> None:
        super().__init__(command, timeout=timeout)
        self._number = 0
        self._size = (19, 19)
        self._commands: frozenset[str] | None = None

    def _greet(self) -> None:
        self._commands = None

    # The protocol.

    def send(self, command: str, *arguments: object, timeout: float | None = None) -> str:
        """Send a command and return the answer; raise EngineError if refused, EngineDied without an answer."""
        text = " ".join([command, *map(str, arguments)])
        if not text.isprintable():
            raise TengenError(f"a GTP command is one line of text, not {text!r}")
        return self._send(text, timeout, strict=False)

    def greet(self, *, timeout: float | None = None) -> None:
        """Start the program and ask for its commands; raise EngineError if its first line is not a GTP answer."""
        self._commands = frozenset(self._send("list_commands", timeout, strict=True).split())

    def _send(self, text: str, timeout: float | None, *, strict: bool) -> str:
        child = self._living()
        self._number += 1
        child.write(f"{self._number} {text}\n")
        good, answer = self._answer(child, text, self.timeout if timeout is None else timeout, strict)
        if not good:
            raise EngineError(f"{child.program} refused {text!r}: {answer or 'without a reason'}")
        return answer

    def _answer(self, child: Child, text: str, timeout: float | None, strict: bool) -> tuple[bool, str]:
        """Return whether the last command was accepted, and the answer.

        Other lines that the program prints are skipped, or an error if `strict`.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        doing = f"answering {text!r}"
        while True:
            line = child.read_line(deadline, doing)
            match = _ANSWER.fullmatch(line)
            if strict and match is None and line.strip():
                shown = line if len(line) <= 60 else f"{line[:60]}…"
                raise EngineError(f"{child.program} does not speak GTP: it answered {text!r} with {shown!r}")
            if match is not None and match[2] in ("", str(self._number)):
                break
        lines = [match[3] or ""]
        while line := child.read_line(deadline, doing):  # an empty line ends the answer, a blank one does not
            lines.append(line.rstrip())
        return match[1] == "=", "\n".join(lines).strip()

    @property
    def name(self) -> str:
        """The program's name."""
        return self.send("name")

    @property
    def version(self) -> str:
        """The program's version."""
        return self.send("version")

    @property
    def known_commands(self) -> frozenset[str]:
        """The commands the program knows."""
        self.start()
        if self._commands is None:
            self._commands = frozenset(self.send("list_commands").split())
        return self._commands

    # Positions, moves and scores.

    def set_position(self, position: Board | Game, moves: int | None = None) -> None:
        """Set up a board, or a game after a number of moves, with its komi and, if the engine supports it, its rules.

        The engine knows only the prisoners captured by moves it was sent: GTP has no command for others.
        """
        line = line_of(as_board(position, moves))
        self._forget_count()
        self._set_size(line.width, line.height)
        self.send("clear_board")
        self._set_rules(line.rules)
        self.send("komi", f"{line.komi:g}")
        self._set_stones(line)
        for move in line.moves:
            self.send("play", *move)

    def _forget_count(self) -> None:
        """Make GNU Go count again: for the same stones it repeats its last count, even if komi or prisoners changed."""
        if "gg_genmove" in self.known_commands:
            self.send("boardsize", 1)
            self.send("clear_board")
            self.send("final_score", 1)  # a random seed other than the default invalidates the old count

    def _set_size(self, width: int, height: int) -> None:
        if width == height:
            self.send("boardsize", width)
        elif "rectangular_boardsize" in self.known_commands:
            self.send("rectangular_boardsize", width, height)
        else:
            raise EngineError(f"{self.name} plays on square boards only, not on {width}×{height}")
        self._size = (width, height)

    def _set_rules(self, rules: Rules) -> None:
        """Send the rules; an engine without a command for them keeps those of its command line."""
        if "kata-set-rules" in self.known_commands:
            self.send("kata-set-rules", replace(rules, handicap_bonus="0").json())
        elif "kgs-rules" in self.known_commands and rules.name in _KGS_RULES:
            self.send("kgs-rules", _KGS_RULES[rules.name])

    def _set_stones(self, line: Line) -> None:
        """Set up stones by moves; they capture nothing in any order, because every chain has a liberty at the end."""
        only_black = all(stone.colour == "black" for stone in line.stones)
        if only_black and len(line.stones) == line.handicap >= 2 and "set_free_handicap" in self.known_commands:
            self.send("set_free_handicap", *(stone.point for stone in line.stones))
        elif line.stones and "set_position" in self.known_commands:
            self.send("set_position", *(word for stone in line.stones for word in stone))
        else:
            for stone in line.stones:
                self.send("play", *stone)

    def play(self, colour: str, point: str) -> None:
        """Play a move or "pass" for a colour."""
        self.send("play", as_colour(colour), point)

    def genmove(self, colour: str, *, timeout: float | None = None) -> str:
        """Let the engine play; return its move, "pass" or "resign"."""
        answer = self.send("genmove", as_colour(colour), timeout=timeout)
        if answer.lower() in ("pass", "resign"):
            return answer.lower()
        return self._points(answer, "genmove", count=1)[0]

    def final_score(self, *, timeout: float | None = None) -> float | None:
        """Return Black's lead in a finished game, komi included, or None if the engine cannot tell."""
        return _lead(self.send("final_score", timeout=timeout))

    def estimate_score(self, *, timeout: float | None = None) -> float | None:
        """Return the engine's estimate of Black's lead in any position; GNU Go supports it."""
        return _lead(self.send("estimate_score", timeout=timeout))

    def final_status(self, status: Status, *, timeout: float | None = None) -> list[str]:
        """Return the points with a status (dead, alive, seki, …) in a finished game."""
        return self._points(self.send("final_status_list", status, timeout=timeout), f"final_status_list {status}")

    def _points(self, answer: str, command: str, count: int | None = None) -> list[str]:
        names = answer.upper().split()
        try:
            for name in names:
                point(name, self._size)
        except TengenError as error:
            raise EngineError(f"{self.argv[0]} answered {command} with nonsense: {error}") from None
        if count is not None and len(names) != count:
            raise EngineError(f"{self.argv[0]} answered {command} with {answer!r}, which is not a move")
        return names


def gnugo(
    *, level: int = 10, rules: Rules | str = "chinese", extra: Sequence[str] = (), timeout: float | None = 60.0
) -> GtpEngine:
    """Return GNU Go with the given rules, as far as it supports them; `extra` is added to its command line."""
    program = find_program("gnugo")
    if program is None:
        raise EngineError(f"GNU Go (gnugo) is not installed: {SOURCES['gnugo']}")
    argv = [program, "--mode", "gtp", "--quiet", "--level", str(level), *_gnugo_rules(Rules.parse(rules)), *extra]
    return GtpEngine(argv, timeout=timeout)


def _gnugo_rules(rules: Rules) -> list[str]:
    ko = {"SIMPLE": "--simple-ko", "POSITIONAL": "--positional-superko", "SITUATIONAL": "--situational-superko"}
    return [
        "--chinese-rules" if rules.scoring == "AREA" else "--japanese-rules",
        ko[rules.ko],
        "--allow-suicide" if rules.suicide else "--forbid-suicide",
    ]


def _lead(answer: str) -> float | None:
    """Read B+3.5, W+8.0 (upper bound: …), 0 and the like."""
    if match := _SCORE.match(answer):
        return float(match[2]) if match[1] in "Bb" else -float(match[2])
    return 0.0 if _EVEN.match(answer) else None
