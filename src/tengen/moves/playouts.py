"""Weights of learned playouts, by minorization–maximization from the moves of strong players (Coulom 2007).

Start at `fit_playouts`. The features are exactly those by which the playouts of core/include/tengen/learned_playout.hpp
draw their moves. Playouts never fill eyes and pass only if no move is left, so such moves are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike

import numpy as np
import numpy.typing as npt

from tengen._core import PLAYOUT_LEVELS, PLAYOUT_MOST, PLAYOUT_UNIT, PlayoutWeights
from tengen.corpus.plays import PlayBatch
from tengen.go.arrays import read_only
from tengen.go.playout_weights import LEARNED_POLICIES
from tengen.models.files import Card, write_model
from tengen.moves.bradley_terry import fit_mm
from tengen.moves.competitions import Competitions, FloatArray, Table

Whole = npt.NDArray[np.int32]

TABLES = tuple(
    Table(name, levels)
    for name, levels in zip(
        ("pattern", "last", "before", "answer", "attack", "defence", "self-atari"), PLAYOUT_LEVELS, strict=True
    )
)
"""The tables of weights in the order of the core."""

LEVELS = sum(PLAYOUT_LEVELS)
"""The number of weights of a playout."""

EQUAL = read_only(np.full(LEVELS, PLAYOUT_UNIT, np.int32))
"""Every move is as likely as any other."""


def fit_playouts(plays: Iterable[PlayBatch], *, threads: int = 1) -> FloatArray:
    """Return the weights γ by number of level that predict the played moves best."""
    return np.concatenate([gammas[1:] for gammas in fit_mm(playout_competitions(plays), threads=threads)])


def playout_competitions(plays: Iterable[PlayBatch]) -> Competitions:
    """Return the positions as competitions between the moves that a playout may draw."""
    counts, winners, rows = [], [], []
    for levels, winner in _played(plays):
        counts.append(len(levels))
        winners.append(winner)
        rows.append(levels)
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    columns = np.concatenate([np.zeros((0, len(TABLES)), np.uint16), *rows]).T
    typed = [column.astype(table.dtype) for column, table in zip(columns, TABLES, strict=True)]
    return Competitions(TABLES, starts, starts[:-1] + np.array(winners, np.int64), typed)


def _played(plays: Iterable[PlayBatch]) -> Iterator[tuple[npt.NDArray[np.uint16], int]]:
    """Yield the levels of the moves of each position, and which of them was played."""
    weights = PlayoutWeights(EQUAL)
    for batch in plays:
        rows = batch.positions
        for i, move in enumerate(batch.moves.tolist()):
            colour = 1 if rows.to_play[i] > 0 else 2
            last, before = rows.last_moves[i, :2].tolist()
            levels = rows.board(i).native.playout_levels(colour, last, before, weights)
            drawn = np.flatnonzero(levels[:, 0])
            place = int(np.searchsorted(drawn, move))
            if place < len(drawn) and drawn[place] == move:
                yield levels[drawn], place


def whole_weights(gammas: npt.ArrayLike) -> Whole:
    """Return γ as the whole numbers that playouts use, at least 1; a self-atari has γ = 1 at most.

    Only ratios of the weights of patterns matter: they are scaled so that the empty neighbourhood has 1.
    """
    scaled = np.array(gammas, np.float64)
    patterns = slice(0, PLAYOUT_LEVELS[0])
    scaled[patterns] /= scaled[0]
    whole = np.clip(np.rint(scaled * PLAYOUT_UNIT), 1, PLAYOUT_MOST)
    self_atari = slice(LEVELS - PLAYOUT_LEVELS[-1], None)
    whole[self_atari] = np.minimum(whole[self_atari], PLAYOUT_UNIT)
    return whole.astype(np.int32)


def write_playout_weights(path: str | PathLike[str], card: Card, weights: dict[str, Whole]) -> Card:
    """Write the weights of the learned policies to one file."""
    if weights.keys() != set(LEARNED_POLICIES):
        raise ValueError(f"one array for each of {', '.join(LEARNED_POLICIES)}")
    for array in weights.values():
        PlayoutWeights(array)  # raises an error if a number is out of range
    return write_model(path, card, {f"{policy}_": array for policy, array in weights.items()})
