"""Tengen's models as teachers: labels hold those of ownership, lead, winrate and policy that the model gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from tengen.corpus.store import StoredGame
from tengen.errors import TengenError
from tengen.go.positions import Positions
from tengen.models.estimate import evaluator_of
from tengen.models.evaluator import ANSWERS, ask
from tengen.models.state import identity
from tengen.teachers.teacher import Judgement, Teacher


class ModelTeacher(Teacher):
    """A model by registry name or file; its version is name@hash. Positions of one size are evaluated in one call."""

    name = "model"

    def __init__(self, name: str = "") -> None:
        if not name:
            raise TengenError("the model teacher needs a model: --teacher model:name=territory/bma")
        self._evaluator = evaluator_of(name)
        if not self._evaluator.gives.intersection(ANSWERS):
            raise TengenError(f"{self._evaluator.name} gives none of the values of a label: {', '.join(ANSWERS)}")
        self.settings = {"name": name}
        self.version = identity(self._evaluator)

    def judge_many(self, asked: Sequence[tuple[StoredGame, int]]) -> list[Judgement | None]:
        """Evaluate the positions, size by size; points are unlabelled if the model gives no ownership."""
        by_size: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i, (game, _) in enumerate(asked):
            by_size[game.width, game.height].append(i)
        judged: list[Judgement | None] = [None] * len(asked)
        for places in by_size.values():
            positions = Positions.of([asked[i][0].board(asked[i][1]) for i in places])
            for i, judgement in zip(places, self._judgements(positions), strict=True):
                judged[i] = judgement
        return judged

    def _judgements(self, positions: Positions) -> Iterator[Judgement]:
        said = ask(self._evaluator, positions, *self._evaluator.gives)
        for i in range(len(positions)):
            yield Judgement(
                np.full(positions.stones.shape[1:], np.nan) if said.ownership is None else said.ownership[i],
                lead=None if said.lead is None else float(said.lead[i]),
                winrate=None if said.winrate is None else float(said.winrate[i]),
                policy=None if said.policy is None else said.policy[i],
            )
