"""Evaluators as guides of the search: they evaluate positions of the tree.

Start at `TreeGuide`, which the tree calls with positions as arrays, on the thread that expands a node. A policy gives
the priors of a node's moves, from one evaluation of its position. Without a policy, the winrates after each move give
the priors, again in one call, or those after the best reply to each move. A winrate (given, or computed from lead or
ownership) can also be the position's value.
"""

from __future__ import annotations

import threading
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from tengen import _core
from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import Answer, Evaluator, ask
from tengen.models.leads import completed
from tengen.models.protocol import FloatArray
from tengen.nets.network import Network
from tengen.search.plies import VALUES, distinct_winrates, winrates_after_replies

GuideUse: TypeAlias = Literal["priors", "values"]
Guidance: TypeAlias = tuple[FloatArray | None, FloatArray | None, float | None, float | None]
"""The policy of a position, Black's winrates in all positions, Black's winrate and lead in the position; or None."""


def guide_of(model: ModelLike, use: GuideUse | None, keep: float | None, plies: int = 0) -> Evaluator:
    """Return an evaluator that supports this use as a guide; raise TengenError otherwise."""
    evaluator = evaluator_of(model)
    if use not in (None, *get_args(GuideUse)):
        raise TengenError(f"a guide is used as {' or '.join(get_args(GuideUse))}, not {use!r}")
    if use == "values" and keep:
        raise TengenError("keep selects moves by the guide's priors: it cannot be used with values alone")
    if use == "values" and plies:
        raise TengenError("guide_plies is about the guide's priors: it cannot be used with values alone")
    if not evaluator.gives.intersection(VALUES) and (use == "values" or plies or "policy" not in evaluator.gives):
        gives = ", ".join(sorted(evaluator.gives)) or "nothing"
        raise TengenError(f"{evaluator.name} cannot guide a search as {use or 'priors'}: it gives {gives}")
    return evaluator


def leaf_guide_of(model: ModelLike) -> Evaluator:
    """Return an evaluator for every leaf of a tree; raise TengenError unless it gives a policy and a value.

    A network is started here, so that the first search has all its time.
    """
    evaluator = guide_of(model, None, None)
    if "policy" not in evaluator.gives or not evaluator.gives.intersection(VALUES):
        gives = ", ".join(sorted(evaluator.gives))
        raise TengenError(f"a search by {evaluator.name} needs a policy and a value from it: it gives {gives}")
    return evaluator.start() if isinstance(evaluator, Network) else evaluator


def native_policy(model: ModelLike) -> _core.MovePolicy:
    """Return the policy in the core of a model of moves; raise TengenError if it has none."""
    evaluator = evaluator_of(model)
    policy = getattr(evaluator, "policy", None)
    if not isinstance(policy, _core.MovePolicy):
        raise TengenError(
            f"{evaluator.name} is not a model of moves such as moves/tactical, whose policy is in the core; "
            "other models with a policy can be the guide"
        )
    return policy


class Asked:
    """Tracks whether the current thread is inside the guide of a player."""

    def __init__(self) -> None:
        self._threads: list[int] = []

    @property
    def here(self) -> bool:
        """Whether the current thread is inside the guide."""
        return threading.get_ident() in self._threads

    def __enter__(self) -> None:
        self._threads.append(threading.get_ident())

    def __exit__(self, *raised: object) -> None:
        self._threads.remove(threading.get_ident())


class TreeGuide:
    """A guide for the tree of one board; `asked` tracks the threads inside it."""

    def __init__(self, evaluator: Evaluator, use: GuideUse | None, root: Board, asked: Asked, plies: int = 0) -> None:
        self._evaluator, self._asked, self._plies = evaluator, asked, plies
        self._policy = use != "values" and not plies and "policy" in evaluator.gives
        self.after_moves = use != "values" and not self._policy
        """Whether it evaluates the positions after the moves of a node instead of the node's own position."""
        self._value = use != "priors" and bool(evaluator.gives.intersection(VALUES))
        values = [answer for answer in VALUES if answer in evaluator.gives and self._value]
        self._needed: list[Answer] = ["policy", *values] if self._policy else values
        n = root.width * root.height + 1
        self._terms = np.full(n, root.komi), np.full(n, root.handicap, np.int16), (root.rules,) * n

    def __call__(self, *rows: Any) -> Guidance:
        """Evaluate positions, given as the leading arrays of `Positions`."""
        n = len(rows[0])
        positions = Positions(*rows, *(constant[:n] for constant in self._terms))
        with self._asked:
            if self._plies:
                return None, winrates_after_replies(self._evaluator, positions), None, None
            if self.after_moves:
                return None, distinct_winrates(self._evaluator, positions), None, None
            said = ask(self._evaluator, positions, *self._needed)
        policy = said.policy[0] if said.policy is not None and self._policy else None
        if not self._value:
            return policy, None, None, None
        said = completed(said, positions)
        winrate, lead = (None if value is None else float(value[0]) for value in (said.winrate, said.lead))
        return policy, None, winrate, lead
