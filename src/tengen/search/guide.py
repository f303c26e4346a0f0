"""Evaluators as guides of the search: they are asked about positions of the tree before those are played out.

Start at `TreeGuide`, which the tree calls with positions as arrays, on the thread that expands a node. What an
evaluator gives decides how it is used: a policy gives the priors of a node's moves, in one question about its position;
without a policy they follow from the winrates after each of the moves, again in one call. A winrate (its own, or that
of its lead or ownership) may also be the value of the position itself.
"""

from __future__ import annotations

import threading
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.models.estimate import ModelLike, evaluator_of, winrates_of
from tengen.models.evaluator import Answer, Evaluator, ask
from tengen.models.protocol import FloatArray

GuideUse: TypeAlias = Literal["priors", "values"]
Guidance: TypeAlias = tuple[FloatArray | None, FloatArray | None, float | None]
"""The policy of a position, Black's winrates in all positions, Black's winrate in the position: each or None."""

_VALUES: tuple[Answer, ...] = ("winrate", "lead", "ownership")


def guide_of(model: ModelLike, use: GuideUse | None, keep: int | None) -> Evaluator:
    """Return an evaluator that can be used as a guide in this way, or raise an error that says why it cannot."""
    evaluator = evaluator_of(model)
    if use not in (None, *get_args(GuideUse)):
        raise TengenError(f"a guide is used as {' or '.join(get_args(GuideUse))}, not {use!r}")
    if use == "values" and keep:
        raise TengenError("keep chooses moves by the priors of a guide: it cannot be used for values alone")
    if not evaluator.gives.intersection(_VALUES) and (use == "values" or "policy" not in evaluator.gives):
        gives = ", ".join(sorted(evaluator.gives)) or "nothing"
        raise TengenError(f"{evaluator.name} cannot guide a search as {use or 'priors'}: it gives {gives}")
    return evaluator


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


class TreeGuide:
    """A guide as the tree that grows from one board asks it; `asked` knows meanwhile which threads do."""

    def __init__(self, evaluator: Evaluator, use: GuideUse | None, root: Board, asked: Asked) -> None:
        self._evaluator, self._asked = evaluator, asked
        self._policy = use != "values" and "policy" in evaluator.gives
        self.after_moves = use != "values" and not self._policy
        """Whether it is asked about the positions after the moves of a node instead of the node's own."""
        self._value = use != "priors" and bool(evaluator.gives.intersection(_VALUES))
        n = root.width * root.height + 1
        self._terms = np.full(n, root.komi), np.full(n, root.handicap, np.int16), (root.rules,) * n

    def __call__(self, *rows: Any) -> Guidance:
        """Evaluate positions, given as the first arrays of `Positions`."""
        n = len(rows[0])
        positions = Positions(*rows, *(constant[:n] for constant in self._terms))
        with self._asked:
            said = ask(self._evaluator, positions, *(("policy",) if self._policy else ()))
        if self.after_moves:
            return None, winrates_of(said, positions), None
        policy = said.policy[0] if self._policy and said.policy is not None else None
        return policy, None, float(winrates_of(said, positions)[0]) if self._value else None
