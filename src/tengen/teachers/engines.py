"""Other programs as teachers: GTP engines for finished positions, KataGo's analysis engine for any position."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.corpus.store import StoredGame
from tengen.engines.gtp import GtpEngine, gnugo
from tengen.engines.katago import KataGoAnalysis
from tengen.engines.process import EngineDied
from tengen.engines.program import with_restarts
from tengen.errors import EngineError, TengenError
from tengen.go.board import Board
from tengen.go.counting import find_territory
from tengen.go.points import mask_of
from tengen.teachers.teacher import Judgement, Teacher


class GtpTeacher(Teacher):
    """A GTP engine's `final_status_list`: dead stones are removed, stones in seki stay, and the rest is filled in.

    Only finished positions are judged. A program that dies is restarted and asked once more.
    """

    name = "gtp"

    def __init__(self, command: str = "", timeout: float = 60.0) -> None:
        if not command:
            raise TengenError("the gtp teacher needs a program: --command 'PROGRAM ARGUMENTS'")
        self.settings: dict[str, Any] = {"command": command}
        self._begin(GtpEngine(command, timeout=timeout))

    def _begin(self, engine: GtpEngine) -> None:
        self._engine = engine
        self.version = f"{engine.name} {engine.version}"

    def judge(self, game: StoredGame, turn: int) -> Judgement | None:
        """Ask for dead stones, stones in seki and the score; None if the engine refuses the position."""
        board = game.board(turn)
        try:
            return with_restarts(self._engine, lambda engine: _ask(engine, board))
        except EngineDied:  # it died repeatedly, which is not the fault of this position
            raise
        except EngineError:
            return None

    def close(self) -> None:
        """End the program."""
        self._engine.close()


class GnuGoTeacher(GtpTeacher):
    """GNU Go's status of finished positions."""

    name = "gnugo"

    def __init__(self, level: int = 10, timeout: float = 60.0) -> None:
        self.settings = {"level": level}
        self._begin(gnugo(level=level, timeout=timeout))


class KataGoTeacher(Teacher):
    """KataGo's ownership, lead, winrate and policy of any position."""

    name = "katago"

    def __init__(self, command: str = "", visits: int = 1, timeout: float = 120.0) -> None:
        if not command:
            raise TengenError("the katago teacher needs a program: --command 'katago analysis -model … -config …'")
        self.settings: dict[str, Any] = {"command": command, "visits": visits}
        self._engine = KataGoAnalysis(command, timeout=timeout)
        self.version = self._engine.version

    def judge(self, game: StoredGame, turn: int) -> Judgement | None:
        """Ask for an analysis."""
        board = game.board(turn)
        visits = self.settings["visits"]
        said = with_restarts(self._engine, lambda engine: engine.query(board, visits=visits, policy=True))
        if said.ownership is None:
            return None
        return Judgement(said.ownership, lead=said.lead, winrate=said.winrate, policy=said.policy)

    def close(self) -> None:
        """End the program."""
        self._engine.close()


def _ask(engine: GtpEngine, board: Board) -> Judgement:
    engine.set_position(board)
    return final_judgement(engine, board)


def final_judgement(engine: GtpEngine, board: Board) -> Judgement:
    """Return an engine's owners and count of the finished position that it has now."""
    dead = mask_of(engine.final_status("dead"), board.width, board.height)
    seki = mask_of(engine.final_status("seki"), board.width, board.height)
    living = np.where(dead, 0, board.stones).astype(np.int8)
    territory, _ = find_territory(living)
    owner = np.where(seki, board.stones, living + territory).astype(float)
    return Judgement(owner, lead=engine.final_score())
