"""The models of Table 2 and our additions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from tengen.go.board import Board
from tengen.models.base import OwnershipModel
from tengen.models.protocol import FloatArray
from tengen.models.state import settings
from tengen.papers.kamenetsky.games import Finals
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
    """A model with its training time, time per answer and answers."""

    name: str
    model: OwnershipModel
    seconds: float | None
    """CPU seconds of training; None if there was none."""
    milliseconds: float
    """Mean CPU milliseconds of one answer."""
    owner: FloatArray


def trained(learn: Finals, test: Finals, work: Path | None, progress: Callable[[str], None]) -> Iterator[Trained]:
    """Train and evaluate every model; models already in `work` with the same settings are loaded instead."""
    for name, model in candidates().items():
        progress(f"{name}, {test.boards.shape[1]}×{test.boards.shape[2]}")
        file = None if work is None else work / f"{learn.boards.shape[1]}-{len(learn)}-{_slug(name)}.safetensors"
        seconds = None
        kept = BlockCrf.load(file) if file is not None and file.exists() else None
        if kept is not None and settings(kept) == settings(model):
            model = kept
        elif isinstance(model, BlockCrf):
            before = process_time()
            model.fit([learn])
            seconds = process_time() - before
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                model.save(file, sources=[f"{len(learn)} finished games"])
        before = process_time()
        owner = model.ownership_many(test.boards)
        yield Trained(name, model, seconds, 1000 * (process_time() - before) / len(test), owner)


def _slug(name: str) -> str:
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name).split())
