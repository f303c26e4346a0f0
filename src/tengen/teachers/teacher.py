"""Teachers judge the owner of each point in a position and how sure that is.

Start at `Teacher`, the base class, and `make_teacher`, which builds one from a specification such as
`playouts:rule=unanimous,n=500`. Playouts and the marks of the record are here, other programs in
tengen.teachers.engines, Tengen's models in tengen.teachers.model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import __version__
from tengen.corpus.store import StoredGame
from tengen.errors import TengenError
from tengen.go.board import Board, Playouts
from tengen.go.counting import find_territory
from tengen.numbers import checked_number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judgement:
    """A teacher's labels of a position."""

    ownership: Floats
    """From −1 (White) to 1 (Black); NaN where there is no label."""
    sure: Floats | None = None
    """Confidence in each point, from 0 to 1; None to derive it from the ownership."""
    lead: float | None = None
    winrate: float | None = None
    policy: Floats | None = None
    """The probability of each move of the player to move [points + 1], pass last."""


class Teacher:
    """Base class of teachers; a subclass defines `judge` or `judge_many`."""

    name: str
    version: str
    settings: dict[str, Any]

    def judge(self, game: StoredGame, turn: int) -> Judgement | None:
        """Judge the position of a game after `turn` moves; None for no label."""
        return self.judge_many([(game, turn)])[0]

    def judge_many(self, asked: Sequence[tuple[StoredGame, int]]) -> list[Judgement | None]:
        """Judge many positions, each given by its game and the number of moves played."""
        return [self.judge(game, turn) for game, turn in asked]

    def close(self) -> None:
        """Release resources of the teacher, such as another program."""


class PlayoutTeacher(Teacher):
    """Random playouts, by the paper's unanimity rule or by a vote of chains.

    `unanimous` (Sanner et al. §2): a point is Black's if Black owns it at the end of every playout, likewise White's,
    and otherwise unlabelled. `vote`: chains that the enemy mostly captures are dead and removed, and the rest is filled
    in. A game whose area then differs from its recorded margin by more than `within` points gets no label (0: no
    check).
    """

    name = "playouts"
    version = __version__

    def __init__(
        self, rule: str = "vote", n: int = 0, eye: str = "diagonal", seed: int = 0, within: float = 0.0
    ) -> None:
        if rule not in ("vote", "unanimous"):
            raise TengenError(f"the rule of playouts is vote or unanimous, not {rule!r}")
        n = n or (200 if rule == "vote" else 500)
        self.settings: dict[str, Any] = {"rule": rule, "n": n, "eye": eye, "seed": seed}
        self.settings["within"] = checked_number(within, "within", 0)

    def judge(self, game: StoredGame, turn: int) -> Judgement | None:
        """Play the position out and apply the rule."""
        settings = self.settings
        board = game.board(turn)
        played = board.playouts(settings["n"], seed=settings["seed"], eye=settings["eye"])
        if settings["rule"] == "unanimous":
            return Judgement(unanimous(played))
        owner = voted_owner(board, played)
        off = (
            settings["within"]
            and game.lead is not None
            and abs(_area_lead(owner, board) - game.lead) > settings["within"]
        )
        return None if off else Judgement(owner.astype(float), abs(played.ownership))


class MarkedTeacher(Teacher):
    """The territory and dead stones that the players marked in the record."""

    name = "marked"
    version = __version__

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    def judge(self, game: StoredGame, turn: int) -> Judgement | None:
        """Read the marks; only final positions can have marks."""
        if game.black_territory is None or game.white_territory is None or turn < game.length:
            return None
        owner = game.board(turn).stones.astype(float)
        owner.flat[game.black_territory] = 1
        owner.flat[game.white_territory] = -1
        return Judgement(owner)


def unanimous(played: Playouts) -> Floats:
    """Return 1 or −1 where all playouts agree, NaN elsewhere."""
    owner = np.full(played.black.shape, np.nan)
    owner[played.black == played.n] = 1
    owner[played.white == played.n] = -1
    return owner


def voted_owner(board: Board, played: Playouts) -> npt.NDArray[np.int8]:
    """Remove the chains that the enemy mostly owns at the end, fill in, and return the owner of every point."""
    stones = board.stones.ravel()
    heads = board.chain_numbers().ravel()
    on = heads >= 0
    total = np.bincount(heads[on], played.ownership.ravel()[on] * stones[on], minlength=stones.size)
    living = np.where(on & (total[np.maximum(heads, 0)] >= 0), stones, 0).reshape(board.stones.shape).astype(np.int8)
    territory, _ = find_territory(living)
    owner: npt.NDArray[np.int8] = living + territory
    return owner


def _area_lead(owner: npt.NDArray[np.int8], board: Board) -> float:
    return float(owner.sum()) - board.komi - board.rules.bonus(board.handicap)


_TEACHERS: dict[str, tuple[str, str]] = {
    "playouts": ("tengen.teachers.teacher", "PlayoutTeacher"),
    "marked": ("tengen.teachers.teacher", "MarkedTeacher"),
    "gnugo": ("tengen.teachers.engines", "GnuGoTeacher"),
    "gtp": ("tengen.teachers.engines", "GtpTeacher"),
    "katago": ("tengen.teachers.engines", "KataGoTeacher"),
    "model": ("tengen.teachers.model", "ModelTeacher"),
}


def make_teacher(specification: str, command: str | None = None) -> Teacher:
    """Build a teacher from NAME or NAME:key=value,…; `command` starts the program of teachers that need one."""
    name, _, rest = specification.partition(":")
    if name not in _TEACHERS:
        raise TengenError(f"there is no teacher {name!r}: choose {', '.join(_TEACHERS)}")
    module, kind = _TEACHERS[name]
    settings: dict[str, Any] = dict(_setting(part) for part in rest.split(",") if part)
    if command is not None:
        settings["command"] = command
    build: Callable[..., Teacher] = getattr(import_module(module), kind)
    try:
        return build(**settings)
    except TypeError as error:
        raise TengenError(f"teacher {name}: {str(error).partition('() ')[2] or error}") from None


def _setting(part: str) -> tuple[str, Any]:
    key, equals, value = part.partition("=")
    if not equals or not key.isidentifier():
        raise TengenError(f"a teacher's setting is written key=value, not {part!r}")
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
