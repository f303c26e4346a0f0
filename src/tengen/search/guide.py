"""Plug-ins of the search: a guide is asked about positions of the tree, and says what it thinks of them.

A guide is a function that takes a board and returns `Guidance`: a policy gives probabilities, a pruner the moves to
keep, an evaluator the chances, and one guide may do all three.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.numbers import checked_number


@dataclass(frozen=True)
class Guidance:
    """What a guide thinks of a position; None leaves it open."""

    probabilities: npt.NDArray[np.float64] | None = None
    """How likely each point is the next move, an array [row, column]: priors of the strong search."""
    keep: Collection[str] | None = None
    """The moves that are worth a look; all others are pruned. The pass is one of them: "pass"."""
    chances: float | None = None
    """Black's chances to win, which weigh like twenty playouts in the strong search."""


Guide: TypeAlias = Callable[[Board], Guidance]
Advised: TypeAlias = tuple[list[float] | None, list[bool] | None, float | None]


class Asked:
    """Whether the guide of a player is being asked, by this thread."""

    def __init__(self) -> None:
        self._threads: list[int] = []

    @property
    def here(self) -> bool:
        """Whether this thread is inside the guide."""
        return threading.get_ident() in self._threads

    def __enter__(self) -> None:
        self._threads.append(threading.get_ident())

    def __exit__(self, *raised: object) -> None:
        self._threads.remove(threading.get_ident())


def asked_by_line(guide: Guide, root: Board, asked: Asked) -> Callable[[list[int]], Advised]:
    """Return the guide as the tree asks it, about the position that some moves lead to; `asked` tells meanwhile."""

    def ask(line: list[int]) -> Advised:
        board = root.copy()
        for index in line:
            board.play(board._name(index))
        with asked:
            said = guide(board)
        if not isinstance(said, Guidance):
            raise TengenError(f"a guide returns Guidance, not {type(said).__name__}")
        return _probabilities(said, board), _kept(said, board), _chances(said)

    return ask


def _probabilities(said: Guidance, board: Board) -> list[float] | None:
    if said.probabilities is None:
        return None
    shape = (board.height, board.width)
    try:
        values = np.asarray(said.probabilities, np.float64)
    except (TypeError, ValueError):
        raise TengenError(f"a guide gives probabilities as an array {shape}, not {said.probabilities!r:.40}") from None
    if values.shape != shape or not ((values >= 0) & (values <= 1)).all():
        raise TengenError(f"a guide gives probabilities from 0 to 1 as an array {shape}, not {values.shape} of others")
    return [*values.ravel().tolist(), 0.0]


def _kept(said: Guidance, board: Board) -> list[bool] | None:
    if said.keep is None:
        return None
    if isinstance(said.keep, str) or not isinstance(said.keep, Collection):
        raise TengenError(f"a guide keeps a collection of moves, not {said.keep!r:.40}")
    keep = [False] * (board.width * board.height + 1)
    for move in said.keep:
        keep[board._index(move)] = True
    return keep


def _chances(said: Guidance) -> float | None:
    return None if said.chances is None else checked_number(said.chances, "a guide's chances", 0, 1)
