"""Playing strength: the rows of Table 2 in matches against GNU Go.

Start at `play`. All rows share search and playouts; they differ in the weights of moves, those of the first draw, by
which the tree is widened and biased as in Oakfoam, the program of the authors. A match is a folder with the records of
its games, and a stopped one is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.engines.process import find_program
from tengen.moves.policy import KEY_BITS, CombinedMoves, FeatureMoves, ForestMoves, PatternMoves, TacticalMoves
from tengen.moves.trees import Forest
from tengen.papers.report import Row
from tengen.search.match import Contestant, Match, Standing

GNU_GO = "gnugo:level=10"
KOMI = 7.5


@dataclass(frozen=True)
class Matches:
    """How many games each row plays, and with how many playouts per move."""

    games: int = 60
    playouts: int = 2000
    last_games: int = 100
    """Of the last row once more, with the paper's playouts."""
    last_playouts: int = 10_000


def player(
    weights: npt.NDArray[np.float64], keys: npt.NDArray[np.uint64] | None, forest: Forest | None
) -> FeatureMoves:
    """Return a model with trained weights in flat numbering: tactical features, patterns, trees."""
    model: FeatureMoves = (
        (TacticalMoves() if forest is None else ForestMoves(nodes=forest.nodes))
        if keys is None
        else (PatternMoves() if forest is None else CombinedMoves(nodes=forest.nodes))
    )
    kept = np.arange(len(weights))
    if keys is not None:
        # Two keys in a hundred thousand may have the same upper half: the first one stands for both.
        model.keys_, first = np.unique((keys >> np.uint64(64 - KEY_BITS)).astype(np.uint32), return_index=True)
        base = 1 + sum(table.levels for table in TacticalMoves().tables)
        kept = np.concatenate([kept[:base], base + first, kept[base + len(keys) :]])
    if forest is not None:
        model.queries_ = forest.queries
    model.weights_ = weights[kept].astype(np.float16)
    return model


def play(
    players: Mapping[str, FeatureMoves],
    published: Sequence[float],
    matches: Matches | None,
    size: int,
    folder: Path | None,
    tell: Callable[[str], None],
) -> Iterator[Row]:
    """Play the games that are missing in the folder; yield a row for each match."""
    usual = matches or Matches()
    reason = (
        "not played with --quick"
        if matches is None
        else "not played: the games take hours, name a folder for them with --work"
        if folder is None
        else "not played: GNU Go is not installed"
        if find_program("gnugo") is None
        else ""
    )
    last = list(players)[-1]
    every = [(name, usual.games, usual.playouts) for name in players] + [(last, usual.last_games, usual.last_playouts)]
    for (name, games, playouts), share in zip(every, (*published, published[-1]), strict=True):
        title = f"Table 2: games won against GNU Go 3.8, level 10, {playouts:,} playouts per move, {size}×{size} (%)"
        if reason or folder is None:
            yield Row(title, name, share, None, note=reason)
            continue
        tell(f"{name}, {games} games against GNU Go")
        standing = _match(players[name], games, playouts, size, folder)
        won, note = standing.score, f"{standing.tally}; the paper: 10,000 playouts"
        yield Row(title, name, share, 100 * won.value, (100 * won.low, 100 * won.high), note)


def _match(model: FeatureMoves, games: int, playouts: int, size: int, folder: Path) -> Standing:
    path = (folder / f"{model.name.replace('/', '-')}.safetensors").resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        model.save(path)
    first = Contestant(f"tengen:playouts={playouts},compat=oakfoam,moves={path}")
    match = Match(first, Contestant(GNU_GO), games, size, komi=KOMI, opening_moves=0, referee=Contestant("gnugo"))
    return match.play(folder / f"{path.stem}-{playouts}")
