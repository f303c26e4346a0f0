"""Models of the next move: weights for the tactical features, patterns and leaves of a move.

Start at `FeatureMoves`, which answers and learns; the models below it choose the features and how weights are learned.
The strength of a move is e^score, and its probability is its share of the strengths of all legal moves. The score is
the sum of ln γ over the levels of the move, for `FactorMoves` with a term for each pair of levels. Levels and scores
are found by the core (core/include/tengen/move_policy.hpp); what they mean in Go words is in effects.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.corpus.plays import Plays, PlaySets
from tengen.errors import ModelError, TengenError
from tengen.go.board import Board
from tengen.go.files import whole_file
from tengen.go.positions import Positions
from tengen.models.base import MoveModel
from tengen.models.protocol import FloatArray, Progress
from tengen.models.state import learned, settings
from tengen.models.verdict import Reason
from tengen.moves.bradley_terry import fit_mm, thread_count
from tengen.moves.competitions import Competitions, CompetitionWriter, Table
from tengen.moves.factors import ROW, FactorTraining
from tengen.moves.streaming import PlayData, StreamedTraining, claim_folder, competition_of, feature_arrays
from tengen.moves.trees import Criterion, Forest, grow
from tengen.numbers import checked_count, checked_number
from tengen.views.contact_features import CONTACT_LEVELS
from tengen.views.move_features import LEVELS, OAKFOAM_PHRASES, PHRASES
from tengen.views.move_patterns import SIZES, harvest_moves, response_keys
from tengen.views.stone_graph import Nodes

KEY_BITS = 32
"""Patterns are stored by the upper half of their keys. With 85,000, one unknown pattern in 50,000 looks known."""
FACTOR_STEPS = 127
"""Factors are stored as whole numbers from −127 to 127."""


class FeatureMoves(MoveModel):
    """A model of moves with a weight for each level of a feature; `TacticalMoves` is the plainest."""

    exactness = "rounding"
    learns_from = "plays"
    nested = False
    """Whether a move has the patterns of all sizes, or only the largest."""
    keys_: npt.NDArray[np.uint32] = field(init=False)
    queries_: npt.NDArray[np.int8] = field(init=False)
    response_keys_: npt.NDArray[np.uint32] = field(init=False)
    weights_: npt.NDArray[np.float16] = field(init=False)
    factors_: npt.NDArray[np.int8] = field(init=False)
    factor_scales_: npt.NDArray[np.float32] = field(init=False)

    oakfoam: bool = False

    def probabilities(self, board: Board) -> FloatArray:
        """Return the probability of each move of the player to move."""
        probabilities: FloatArray = self.probabilities_many(Positions.of([board]))[0]
        return probabilities

    def probabilities_many(self, positions: Positions) -> FloatArray:
        """Return the same for many positions: the softmax of the scores over the legal moves."""
        if not len(positions):
            return np.zeros((0, positions.points + 1))
        scores = np.where(positions.legal, self.policy.scores(*feature_arrays(positions)), -np.inf).astype(np.float64)
        strengths = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities: FloatArray = strengths / strengths.sum(axis=1, keepdims=True)
        return probabilities

    def explain_move(self, board: Board, move: str) -> list[Reason]:
        """Return the features that make a move likelier or less likely than others, the strongest first."""
        return self.explain_moves(board, [move])[0]

    def explain_moves(self, board: Board, moves: Sequence[str]) -> list[list[Reason]]:
        """Return the same for several moves of one position, whose features are found only once."""
        from tengen.moves.effects import column_effects, columns_of, strongest_effects  # words are not needed to play

        positions = Positions.of([board])
        legal, arrays = positions.legal[0], feature_arrays(positions)
        played = legal & np.isfinite(self.policy.scores(*arrays)[0])  # some rules allow suicide, models do not play it
        levels = self.policy.levels(*arrays)[0]
        effects = column_effects(levels, played, self.tables, self.rows)
        sizes, phrases = self._pattern_sizes(positions), OAKFOAM_PHRASES if self.oakfoam else PHRASES

        def reasons(index: int) -> list[Reason]:
            move = board.move_name(index)
            if not legal[index]:
                raise TengenError(f"{move} is not a legal move")
            if not played[index]:
                return [Reason("suicide", (move,), "suicide, which models of moves never play")]
            columns = columns_of(self.tables, levels[index].tolist(), effects[index].tolist())
            return strongest_effects(board, move, columns, phrases, pattern_size=sizes[index], forest=self.forest)

        return [reasons(board.index(move)) for move in moves]

    def _pattern_sizes(self, positions: Positions) -> list[int]:
        """Return the size of the largest known pattern around each move of a position; 0 if there is none."""
        if self.patterns is None:
            return [0] * (positions.points + 1)
        known = self.patterns.nested(positions.stones, positions.to_play)[0] > 0
        return [*(known * np.array(SIZES)).max(axis=1).tolist(), 0]

    @property
    def tables(self) -> list[Table]:
        """The tables of levels that a move has."""
        tables = [Table(feature, levels) for feature, levels in LEVELS.items()]
        if self._contact:
            tables += [Table(feature, levels) for feature, levels in CONTACT_LEVELS.items()]
        if self.patterns is not None:
            tables.append(Table("pattern", len(self.patterns), len(SIZES) if self.nested else 1))
        if self.responses is not None:
            tables.append(Table("response", len(self.responses), _core.RESPONSES))
        leaves = [] if self.forest is None else self.forest.leaf_counts
        return tables + [Table(f"tree {number}", count) for number, count in enumerate(leaves, 1)]

    @cached_property
    def rows(self) -> npt.NDArray[np.float32]:
        """Weight and factors of each level as the core reads them: [level, 8], all 0 before the model has learned."""
        rows = np.zeros((1 + sum(table.levels for table in self.tables), ROW), np.float32)
        if (weights := getattr(self, "weights_", None)) is not None:
            rows[:, 0] = weights
        if (factors := getattr(self, "factors_", None)) is not None:
            rows[:, 1 : 1 + factors.shape[1]] = factors * self.factor_scales_
        return rows

    @cached_property
    def patterns(self) -> _core.MovePatterns | None:
        """The known patterns, if there are any."""
        keys = getattr(self, "keys_", None)
        return None if keys is None else _core.MovePatterns(unpack_keys(keys), KEY_BITS)

    @cached_property
    def responses(self) -> _core.MovePatterns | None:
        """The known response patterns, if there are any."""
        keys = getattr(self, "response_keys_", None)
        return None if keys is None else _core.MovePatterns(unpack_keys(keys), KEY_BITS)

    @cached_property
    def forest(self) -> Forest | None:
        """The decision trees, if there are any."""
        queries = getattr(self, "queries_", None)
        return None if queries is None else Forest(queries, getattr(self, "nodes", "stones"))

    @cached_property
    def policy(self) -> _core.MovePolicy:
        """The model in the core."""
        if not hasattr(self, "weights_"):
            raise ModelError(f"{self.name} has not been fitted: tengen fit {self.name} makes a file to load")
        return self._native()

    def _native(self) -> _core.MovePolicy:
        forest = None if self.forest is None else self.forest.native
        return _core.MovePolicy(
            self.rows, self.patterns, self.nested, forest, self.oakfoam, self._contact, self.responses
        )

    @property
    def _contact(self) -> bool:
        """Whether moves have contact features."""
        return bool(getattr(self, "contact", False))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        try:
            _ = hasattr(model, "weights_") and model.policy
        except (TypeError, ValueError, AttributeError, ModelError) as problem:
            raise ModelError(f"{path}: the arrays are not those of {cls.name}: {problem}") from None
        return model

    def fit(self, data: Any, *, progress: Progress | None = None) -> Self:
        """Learn from played moves, `PlayData`, with work files in a temporary folder; see `fit_corpus`."""
        with TemporaryDirectory() as folder:
            self.fit_corpus(data, work=Path(folder) / "work", progress=progress)
        return self

    def fit_corpus(
        self,
        data: Any,
        *,
        work: Path,
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, float]:
        """Find features, write the levels of all moves to the folder `work`, and learn their weights.

        What is in the folder is not done again, and a folder of another model or other data is refused. `workers` is
        the number of threads.
        """
        if scheduler is not None:
            raise ModelError("models of moves learn on one machine: leave out the scheduler")
        tell = progress or (lambda share: None)
        data = PlaySets((data,)) if isinstance(data, Plays) else data
        if next(iter(data), None) is None:
            raise ModelError(
                f"{self.name} has nothing to learn from: there is no such game, or none of its moves is drawn"
            )
        claim_folder(work, self.name, settings(self), data)
        for name in learned(self):
            delattr(self, name)
        self._forget()
        threads = thread_count(workers or 0)
        facts = self._learn_features(data, work, threads)
        tell(0.2)
        self._forget()
        positions = self._learn_weights(data, work, threads, lambda share: tell(0.2 + 0.8 * share))
        self._forget()
        return {**facts, "learned_positions": float(positions)}

    def _learn_features(self, data: PlayData, work: Path, threads: int) -> dict[str, float]:
        """Learn which features there are, before their weights; return facts for the card."""
        return {}

    def _learn_weights(self, data: PlayData, work: Path, threads: int, tell: Progress) -> int:
        """Learn the weights of all levels; return the number of positions they were learned from."""
        competitions = self._competitions(data, work / "competitions")
        tell(0.4)
        gammas = fit_mm(competitions, threads=threads)
        self.weights_ = competitions.flat([np.log(gamma) for gamma in gammas]).astype(np.float16)
        return len(competitions)

    def _competitions(self, data: PlayData, folder: Path) -> Competitions:
        native = self._native()
        with CompetitionWriter(folder, self.tables) as writer:
            for number, batch in enumerate(data):
                if number >= writer.batches:
                    writer.append(*competition_of(native, batch))
        return Competitions.open(folder)

    def _forget(self) -> None:
        """Drop what was made from arrays that have changed."""
        for name in ("patterns", "responses", "forest", "policy", "rows"):
            self.__dict__.pop(name, None)


class TacticalMoves(FeatureMoves):
    """What a move captures, saves and threatens, and where it is."""

    name = "moves/tactical"


class PatternMoves(FeatureMoves):
    """Tactical features and the largest known pattern around the move."""

    name = "moves/patterns"

    min_count: int = 20
    """How often a pattern must have been played to be known."""

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_count(self.min_count, "min_count", most=10**9, least=1)

    def _learn_features(self, data: PlayData, work: Path, threads: int) -> dict[str, float]:
        self.keys_ = self._harvested(data, work / "patterns.npy")
        self._forget()
        return {"patterns": float(len(self.keys_)), **super()._learn_features(data, work, threads)}

    def _harvested(self, data: PlayData, path: Path, **how: Any) -> npt.NDArray[np.uint32]:
        """Return the keys of frequent patterns around all moves of the games, drawn or not."""
        every = data.whole() if isinstance(data, PlaySets) else data
        keys: npt.NDArray[np.uint32] = _kept(
            path, lambda: pack_keys(harvest_moves(every, min_count=self.min_count, **how).keys)
        )
        if not len(keys):
            raise ModelError(f"no pattern was played {self.min_count} times: take more games or a smaller min_count")
        return keys


class ForestMoves(FeatureMoves):
    """Tactical features and the leaves of decision trees over the stone graph."""

    name = "moves/forest"

    trees: int = 8
    nodes: Nodes = "stones"
    criterion: Criterion = "gain"
    split_after: int = 1000
    share: float = 0.1
    """The share of the positions of all games that each tree learns from."""
    max_leaves: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for value, known in ((self.nodes, Nodes), (self.criterion, Criterion)):
            if value not in get_args(known):
                raise ModelError(f"{self.name} knows {' and '.join(get_args(known))}, not {value!r}")
        for name, most in (("trees", 256), ("split_after", 10**9), ("max_leaves", 2**24)):
            checked_count(getattr(self, name), name, most=most, least=1)
        checked_number(self.share, "share", 1e-6, 1)
        checked_count(self.seed, "seed", most=2**64 - 1)

    def _learn_features(self, data: PlayData, work: Path, threads: int) -> dict[str, float]:
        self.queries_ = _kept(work / "forest.npy", lambda: self._grown(data, threads).queries)
        self._forget()
        leaves = float(sum(self.forest.leaf_counts)) if self.forest is not None else 0.0
        return {"leaves": leaves, **super()._learn_features(data, work, threads)}

    def _grown(self, data: PlayData, threads: int) -> Forest:
        every = data.whole() if isinstance(data, PlaySets) else data
        return grow(
            ((batch.positions, batch.moves) for batch in every),
            trees=self.trees,
            nodes=self.nodes,
            criterion=self.criterion,
            split_after=self.split_after,
            sample=self.share,
            max_leaves=self.max_leaves,
            seed=self.seed,
            threads=threads,
        )


class CombinedMoves(PatternMoves, ForestMoves):
    """Tactical features, the largest known pattern, and the leaves of decision trees."""

    name = "moves/combined"


class FactorMoves(PatternMoves):
    """Tactical and contact features and known patterns of all sizes, with factors for pairs of levels."""

    name = "moves/factors"
    nested = True

    contact: bool = True
    """Whether moves have contact features, see views/contact_features.py."""
    responses_known: bool = True
    """Whether moves have response patterns, which know the last move and liberties."""
    factors: int = 5
    epochs: int = 5
    rate: float = 0.05
    decay: float = 1e-5
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_count(self.factors, "factors", most=ROW - 1)
        checked_count(self.epochs, "epochs", most=1000, least=1)
        checked_count(self.seed, "seed", most=2**64 - 1)
        checked_number(self.rate, "rate", 1e-6, 1)
        checked_number(self.decay, "decay", 0, 1)

    def _learn_features(self, data: PlayData, work: Path, threads: int) -> dict[str, float]:
        facts = super()._learn_features(data, work, threads)
        if not self.responses_known:
            return facts
        how: Any = {"keys_of": response_keys, "columns": range(_core.RESPONSES)}
        self.response_keys_ = self._harvested(data, work / "responses.npy", **how)
        self._forget()
        return {"responses": float(len(self.response_keys_)), **facts}

    def _learn_weights(self, data: PlayData, work: Path, threads: int, tell: Progress) -> int:
        """Learn piece by piece; `PlaySets` draw other moves of their games in each epoch."""
        native, tables = self._native(), self.tables
        levels = 1 + sum(table.levels for table in tables)
        training = FactorTraining(levels, factors=self.factors, decay=self.decay, seed=self.seed)
        streamed = StreamedTraining(training, work / "training.npz")
        for epoch in range(streamed.epoch, self.epochs):
            sample = data.epoch(epoch) if isinstance(data, PlaySets) else data
            streamed.learn_epoch(sample, native, tables, self.rate / (1 + epoch))
            tell((epoch + 1) / self.epochs)
        self._pack(training.rows)
        return streamed.positions

    def _pack(self, rows: npt.NDArray[np.float32]) -> None:
        """Keep weights in two bytes and factors in one, with a scale for each factor."""
        factors = rows[:, 1 : 1 + self.factors]
        self.weights_ = rows[:, 0].astype(np.float16)
        self.factor_scales_ = np.maximum(np.abs(factors).max(axis=0), 1e-6) / np.float32(FACTOR_STEPS)
        self.factors_ = np.rint(factors / self.factor_scales_).astype(np.int8)


def pack_keys(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """Return the upper halves of keys, each once, rising."""
    return np.unique((keys >> np.uint64(64 - KEY_BITS)).astype(np.uint32))


def unpack_keys(halves: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """Return keys whose lower halves are 0."""
    return halves.astype(np.uint64) << np.uint64(64 - KEY_BITS)


def _kept(path: Path, make: Callable[[], npt.NDArray[Any]]) -> Any:
    """Return the array of a file; if there is none yet, make it and write it."""
    if not path.exists():
        made = make()
        with whole_file(path) as file:
            np.save(file, made)
    try:
        return np.load(path)
    except (ValueError, EOFError):
        raise ModelError(f"{path} is damaged: delete it, and it is made again") from None
