"""Configurations of features, trained on draws of games and scored on the test games; results are kept in a folder.

Start at `Study.trained`. A configuration is a sum of features; all weights are trained together. Results, forests and
patterns are read from the folder where they are there, so that a stopped run resumes after its last configuration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.go.files import write_atomically
from tengen.go.positions import Positions
from tengen.moves.bradley_terry import fit_mm
from tengen.moves.competitions import Competitions, FloatArray, Table
from tengen.moves.trees import Criterion, Forest, grow
from tengen.papers.vanniekerk.data import Choices, Draw, Features, Games, Levels
from tengen.papers.vanniekerk.published import GAMES, LEAVES
from tengen.papers.vanniekerk.strength import Matches
from tengen.views.move_features import FEATURES, LEVELS, move_levels
from tengen.views.move_patterns import harvest_moves
from tengen.views.stone_graph import Nodes

WIDEST = 2
"""Leaves of one tree that a move can have where all leaves count; a third is rare and left out."""

Trainer = Callable[[Competitions], list[FloatArray]]


@dataclass(frozen=True)
class Scale:
    """The size of the experiment. The numbers follow from the games that weights are trained with."""

    games: int = GAMES
    """For the weights, in each draw."""
    sample: float = 0.1
    """The share of the moves of these games."""
    draws: int = 3
    leaves: int = LEAVES
    """Of a forest, in total."""
    forest_sample: float = 0.1
    """The share of the moves of its games that a tree grows from."""
    split_after: int = 1000
    more: int = 5
    """The rows of Table 2 are also trained with this many times the games. The paper gives their number only with
    trees, where its trainer ran out of memory; patterns may have had more."""
    test_games: int = 500
    few: int = 100
    """Test games of the paper."""
    matches: Matches | None = field(default_factory=Matches)
    """Against GNU Go; None for none."""

    @classmethod
    def of(cls, games: int) -> Scale:
        """Return the paper's proportions for a number of games."""
        share = games / cls.games
        return cls(games, leaves=max(round(cls.leaves * share), 320), test_games=max(round(500 * share), cls.few))

    @property
    def forest_games(self) -> int:
        """Games that trees may grow from: one tree with all leaves needs most."""
        return 2 * self.games

    @property
    def harvest_games(self) -> int:
        """Games whose patterns are counted, with all moves: as many as give about the paper's number of patterns."""
        return 23 * self.games // 4


QUICK = Scale(games=90, sample=1.0, leaves=800, forest_sample=0.4, split_after=100, matches=None)


@dataclass(frozen=True, eq=False)
class Ranks:
    """The place of the played move in the order of all legal moves, one value per position.

    Moves of equal strength are in random order, as in a list sorted by strength: shares are the expected ones.
    """

    better: npt.NDArray[np.int64]
    """Stronger moves."""
    equal: npt.NDArray[np.int64]
    """Moves as strong as the one played, which is one of them."""
    log_evidence: FloatArray

    def within(self, k: int) -> FloatArray:
        """Return the probability that the played move is among the first k."""
        return np.clip((k - self.better) / self.equal, 0.0, 1.0)

    def curve(self, most: int) -> FloatArray:
        """Return the share of positions with the move among the first k, for k from 1 to `most`."""
        return np.array([self.within(k).mean() for k in range(1, most + 1)])


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained configuration."""

    name: str
    scores: Ranks
    """On the test positions."""
    weights: FloatArray
    """ln γ in the flat numbering of `Competitions`: level 0, then the tables one after the other."""
    seconds: float
    """CPU seconds of training the weights."""
    megabytes: float
    """Of the training data."""
    positions: int
    """Training positions."""


@dataclass(frozen=True)
class ForestKind:
    """How a forest is grown."""

    trees: int
    leaves: int
    """In total."""
    criterion: Criterion = "even"
    nodes: Nodes = "stones"


def tactical(names: Sequence[str] = FEATURES) -> Features:
    """Return the tactical features, all or some of them."""
    chosen = [place for place, name in enumerate(FEATURES) if name in names]
    tables = tuple(Table(FEATURES[place], LEVELS[FEATURES[place]]) for place in chosen)
    return Features("T" if len(chosen) == len(FEATURES) else "some", tables, lambda p: move_levels(p)[..., chosen])


def of_forest(forest: Forest, name: str) -> Features:
    """Return the left-most leaf of each tree."""
    tables = tuple(Table(f"tree {i + 1}", leaves) for i, leaves in enumerate(forest.leaf_counts))
    return Features(name, tables, forest.leaves)


def of_all_leaves(forest: Forest, name: str) -> Features:
    """Return all leaves of each tree that a move reaches."""
    tables = tuple(Table(f"tree {i + 1}", leaves, WIDEST) for i, leaves in enumerate(forest.leaf_counts))

    def levels(positions: Positions) -> Levels:
        offsets, leaves = forest.all_leaves(positions)
        counts = np.diff(offsets)
        place = np.arange(len(leaves)) - np.repeat(offsets[:-1], counts)
        found = np.zeros((len(counts), WIDEST), np.int32)
        kept = place < WIDEST
        found[np.repeat(np.arange(len(counts)), counts)[kept], place[kept]] = leaves[kept]
        return found.reshape(len(positions), positions.points, -1)

    return Features(name, tables, levels)


def scored(choices: Choices, features: Sequence[Features], weights: FloatArray) -> Ranks:
    """Rank the moves of test positions by weights in flat numbering."""
    scores = np.zeros(choices.starts[-1], np.float32)
    first = 1
    for each in features:
        columns = iter(choices.columns(each))
        for table in each.tables:
            of_level = np.concatenate([[0], weights[first : first + table.levels]]).astype(np.float32)
            first += table.levels
            for _ in range(table.columns):
                scores += of_level[next(columns)]
    starts, counts = choices.starts[:-1], choices.counts
    best = np.maximum.reduceat(scores, starts)
    total = np.add.reduceat(np.exp(scores - np.repeat(best, counts)), starts)
    own = scores[choices.winners]
    better = np.add.reduceat(scores > np.repeat(own, counts), starts, dtype=np.int64)
    equal = np.add.reduceat(scores == np.repeat(own, counts), starts, dtype=np.int64)
    return Ranks(better, equal, own - best - np.log(total))


@dataclass(eq=False)
class Study:
    """One draw of training games with the test games that all draws share."""

    games: Games
    scale: Scale
    draw: int
    test: Choices
    folder: Path | None

    @cached_property
    def train(self) -> Choices:
        """The sampled moves of the training games."""
        return Choices(self._plays(self.scale.games, self.scale.sample))

    def forest(self, kind: ForestKind) -> Forest:
        """Return a forest of this draw, grown or read."""
        name = f"draw-{self.draw}-forest-{kind.trees}-{kind.leaves}-{kind.criterion}-{kind.nodes}.npy"

        def make() -> npt.NDArray[Any]:
            plays = self._plays(self.scale.forest_games, 1.0)
            return grow(
                ((batch.positions, batch.moves) for batch in plays),
                trees=kind.trees,
                nodes=kind.nodes,
                criterion=kind.criterion,
                split_after=self.scale.split_after,
                sample=self.scale.forest_sample,
                max_leaves=-(-kind.leaves // kind.trees),
                seed=self.draw,
            ).queries

        return Forest(_kept(self.folder, name, make), kind.nodes)

    @cached_property
    def pattern_keys(self) -> npt.NDArray[np.uint64]:
        """Return the keys of the frequent patterns of the training games, the same for all draws."""
        plays = self.games.training(self.scale.harvest_games, sample=1.0)
        return _kept(self.folder, "patterns.npy", lambda: harvest_moves(plays).keys)

    def largest_patterns(self) -> Features:
        """Return the largest known pattern around each move as features."""
        table = _core.MovePatterns(self.pattern_keys)
        return Features(
            "P", (Table("patterns", len(table)),), lambda p: table.largest(p.stones, p.to_play)[..., np.newaxis]
        )

    def trained(
        self, name: str, features: Sequence[Features], *, games: int | None = None, trainer: Trainer | None = None
    ) -> Trained:
        """Return a configuration, trained on the first `games` games of this draw or on all, or read."""
        path = None if self.folder is None else self.folder / f"draw-{self.draw}-{_slug(name)}.npz"
        if path is not None and path.exists():
            return _read(path, name)
        data = self.train.competitions(features, games)
        before = time.process_time()
        weights = trainer(data) if trainer else [np.log(part) for part in fit_mm(data, threads=0)]
        seconds = time.process_time() - before
        scores = scored(self.test, features, data.flat(weights))
        size = sum(column.nbytes for column in data.columns) / 1e6
        found = Trained(name, scores, data.flat(weights), seconds, size, len(data))
        if path is not None:
            _write(path, found)
        return found

    def forget(self, features: Features) -> None:
        """Give the memory of some columns back."""
        self.train.forget(features)
        self.test.forget(features)

    def _plays(self, games: int, sample: float) -> Draw:
        return self.games.training(games, sample=sample, draw=self.draw, of=self.scale.draws)


def _kept(folder: Path | None, name: str, make: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return an array of the folder, or make it and keep it there."""
    path = None if folder is None else folder / name
    if path is not None and path.exists():
        found: npt.NDArray[Any] = np.load(path)
        return found
    made = make()
    if path is not None:
        _save(path, lambda file: np.save(file, made))
    return made


def _write(path: Path, found: Trained) -> None:
    numbers, scores = np.array([found.seconds, found.megabytes, found.positions]), found.scores
    arrays: dict[str, Any] = {"better": scores.better, "equal": scores.equal, "evidence": scores.log_evidence}
    _save(path, lambda file: np.savez(file, numbers=numbers, weights=found.weights, **arrays))


def _read(path: Path, name: str) -> Trained:
    with np.load(path) as file:
        seconds, megabytes, positions = file["numbers"].tolist()
        scores = Ranks(file["better"], file["equal"], file["evidence"])
        return Trained(name, scores, file["weights"], seconds, megabytes, int(positions))


def _save(path: Path, save: Callable[[BytesIO], None]) -> None:
    file = BytesIO()
    save(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, file.getvalue())


def _slug(name: str) -> str:
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name.replace("+", "and")).split())
