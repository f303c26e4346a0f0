"""The models of Table 2 and our additions, each trained on every draw of games.

Start at `trained`. The regularisation of a row is chosen on validation games of 9×9, for the first draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

from tengen.go.board import Board
from tengen.models.base import OwnershipModel
from tengen.models.protocol import FloatArray
from tengen.models.state import settings
from tengen.papers.kamenetsky.games import Finals, Lesson
from tengen.territory.block import BlockCrf
from tengen.territory.coupling import Boltzmann5
from tengen.views.graphs import block_graph

NAIVE, STERN = "naive", "Stern et al. 2004"
BLOCK, NEIGHBOURS = "block graph", "block graph + nbr. edges"
LOGS = "… with logarithms of counts"
FACE, FIELD, RICH = "… with fields along the edge", "… with fields", "… with richer fields"
MARGIN = "… with richer fields, largest margin"
LIBERTIES = "… with richer fields, liberties apart"
POINTS = "… with richer fields, points apart"
"""The rows: the paper's four, then ours, all of them with neighbour edges and logarithms."""


class AllAlive(OwnershipModel):
    """The paper's naive model: stones live, and surrounds belong to their colour."""

    name = "papers/kamenetsky/naive"

    def ownership(self, board: Board) -> FloatArray:
        """Return the colour of each point's node in the block graph."""
        graph = block_graph(board)
        return graph.colours[graph.node_of].astype(float)


def candidates() -> dict[str, OwnershipModel]:
    """Return the models by row name; the paper's have its features and no fields, and all use the likeliest state."""
    planar: dict[str, dict[str, Any]] = {
        BLOCK: {"gauge": "majority", "neighbours": False, "strict": True},
        NEIGHBOURS: {"gauge": "majority", "strict": True},
        LOGS: {"gauge": "majority"},
        FACE: {"gauge": "face"},
        FIELD: {"rich": False},
        RICH: {},
        MARGIN: {"trainer": "margin"},
        LIBERTIES: {"division": "liberties"},
        POINTS: {"division": "points"},
    }
    made = {name: BlockCrf(says="map", positions=1_000_000, **options) for name, options in planar.items()}
    return {NAIVE: AllAlive(), STERN: Boltzmann5(), **made}


@dataclass(frozen=True)
class Trained:
    """A model with its answers for the test games, of every draw, and its times."""

    name: str
    seconds: float | None
    """CPU seconds of training for the first draw; None if it was trained earlier or needs no training."""
    milliseconds: float
    """Mean CPU milliseconds of one answer."""
    owners: tuple[FloatArray, ...]
    tried: tuple[tuple[float, float], ...] = ()
    """Values of l2 that were tried, each with the share of wrong chains on validation games."""

    @property
    def owner(self) -> FloatArray:
        """The answers of the first draw."""
        return self.owners[0]

    @property
    def l2(self) -> float | None:
        """The value that was chosen: the one with the fewest wrong chains, of equal ones the larger."""
        return min(self.tried, key=lambda pair: (pair[1], -pair[0]))[0] if self.tried else None


def trained(
    lesson: Lesson,
    test: Finals,
    levels: Callable[[str], Sequence[float]],
    work: Path | None,
    progress: Callable[[str], None],
) -> Iterator[Trained]:
    """Train and evaluate every model; models already in `work` with the same settings are loaded instead.

    `levels` gives the values of l2 to choose from for each row.
    """
    for name, model in candidates().items():
        progress(f"{name}, {test.boards.shape[1]}×{test.boards.shape[2]}")
        if isinstance(model, BlockCrf):
            yield _trained(name, model, lesson, test, levels(name), work)
        else:
            owner, milliseconds = _answers(model, test)
            yield Trained(name, None, milliseconds, (owner,))


def _trained(
    name: str, model: BlockCrf, lesson: Lesson, test: Finals, levels: Sequence[float], work: Path | None
) -> Trained:
    def fitted(l2: float, draw: int) -> tuple[BlockCrf, float | None]:
        return _fitted(replace(model, l2=l2), lesson.draws[draw], work, f"{_slug(name)}-{draw + 1}-{l2:g}")

    first = {l2: fitted(l2, 0) for l2 in levels}
    tried = tuple((l2, _wrong_chains(each, lesson.valid)) for l2, (each, _) in first.items())
    chosen = Trained(name, None, 0.0, (), tried).l2
    assert chosen is not None, "there is a level to choose"
    others = [fitted(chosen, draw)[0] for draw in range(1, len(lesson.draws))]
    answers = [_answers(each, test) for each in (first[chosen][0], *others)]
    return Trained(name, first[chosen][1], answers[0][1], tuple(owner for owner, _ in answers), tried)


def _fitted(model: BlockCrf, learn: Finals, work: Path | None, name: str) -> tuple[BlockCrf, float | None]:
    """Return the model fitted to games with its CPU seconds, or the one that is kept, without."""
    file = None if work is None else work / f"{learn.boards.shape[1]}-{len(learn)}-{name}.safetensors"
    kept = BlockCrf.load(file) if file is not None and file.exists() else None
    if kept is not None and settings(kept) == settings(model):
        return kept, None
    before = process_time()
    model.fit([learn])
    seconds = process_time() - before
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        model.save(file, sources=[f"{len(learn)} finished games"])
    return model, seconds


def _answers(model: OwnershipModel, test: Finals) -> tuple[FloatArray, float]:
    before = process_time()
    owner = model.ownership_many(test.boards)
    return owner, 1000 * (process_time() - before) / len(test)


def _wrong_chains(model: BlockCrf, games: Finals) -> float:
    errors = games.errors(model.ownership_many(games.boards))
    return float(errors.wrong_chains.sum() / errors.chains.sum())


def _slug(name: str) -> str:
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name).split())
