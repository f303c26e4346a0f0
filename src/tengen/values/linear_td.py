"""Linear values of positions, learned by temporal differences (Largman & Pham §2.2).

Start at `PatchValue`: V = sigmoid(θ · φ), where φ are the features of `tengen.values.features` after a move, and the
own komi. It learns from recorded games (`fit`, `learn_games`) or by playing (`self_play`); games are played and learned
in the core (core/include/tengen/linear_td.hpp). `TemplateValue` has templates; `CrbmValue` has the hidden units of a
convolutional restricted Boltzmann machine, learned from boards of the same games before the weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.corpus.plays import PlaySets, WholeGames
from tengen.errors import ModelError, TengenError, not_fitted, refused_by_core
from tengen.go.board import Board
from tengen.go.events import MOVE, packed
from tengen.go.positions import Positions
from tengen.go.symmetry import symmetries, transform
from tengen.models.base import ValueModel
from tengen.models.protocol import FloatArray, Progress
from tengen.numbers import checked_count, checked_number
from tengen.values.crbm import Crbm, Stones
from tengen.values.features import PatchFeatures

NORM_GAMES, NORM_TURNS = 20, 10
"""Games of random moves, and turns between their positions, from which the mean squared length of φ is computed."""

KIND_OF_FILTERS = ("side", "filters", "visible", "invariant", "reversal", "liberties", "edges", "perspective")
"""Settings of a machine in which filters must agree with those of a value."""


@dataclass(frozen=True)
class PlayedGames:
    """Games that a value has played."""

    moves: npt.NDArray[np.int16]
    """The moves of all games: row · width + column, width · height for a pass; Black begins."""
    offsets: npt.NDArray[np.int64]
    """Game g has the moves from offsets[g] to offsets[g + 1] − 1."""
    leads: FloatArray
    """Black's area minus White's and komi; NaN for a game without a winner."""
    black: npt.NDArray[np.bool_]
    """Whether the value played Black; against itself it plays both colours."""

    def __len__(self) -> int:
        return len(self.leads)

    @property
    def wins(self) -> int:
        """The number of games won by the value, in those against an opponent."""
        return int((np.where(self.black, self.leads, -self.leads) > 0).sum())

    @property
    def decided(self) -> int:
        """The number of games with a winner."""
        return int((np.nan_to_num(self.leads) != 0).sum())


class PatchValue(ValueModel):
    """A linear value with patch features for boards of `size` × `size` points.

    `perspective` is "mover", the view of the player who moved last, or "black". `loss` is "squared" or "logistic".
    `decay` is λ of the eligibility traces. The step size is `rate` divided by the length of φ: the number of windows
    for templates, the mean squared length on boards of random games for others.
    """

    learns_from = "plays"
    sizes = (9,)
    weights_: FloatArray = field(init=False)
    """A weight for every feature, then that of the own komi in units of ten points."""
    alpha_: FloatArray = field(init=False)
    """The step size."""
    games_: npt.NDArray[np.int64] = field(init=False)
    """The number of games played by `self_play`."""

    size: int = 9
    shared: bool = False
    perspective: Literal["mover", "black"] = "mover"
    loss: Literal["squared", "logistic"] = "logistic"
    decay: float = 0.8
    rate: float = 0.1
    epochs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.size, "size", 25, least=2)
        checked_count(self.epochs, "epochs", least=1)
        checked_count(self.seed, "seed", 2**63 - 1)
        checked_number(self.decay, "decay", 0, 1, error=ModelError)
        checked_number(self.rate, "rate", 0, 100, error=ModelError)
        for name, allowed in (("perspective", ("mover", "black")), ("loss", ("squared", "logistic"))):
            if getattr(self, name) not in allowed:
                raise ModelError(f"{name} is {' or '.join(allowed)}, not {getattr(self, name)!r}")

    def window_sizes(self) -> Sequence[int]:
        """Return the sides of the windows."""
        raise NotImplementedError

    def feature_table(self) -> npt.NDArray[np.float32] | None:
        """Return the table h[patch, feature], or None for templates."""
        return None

    @property
    def features(self) -> PatchFeatures:
        """The features of a position."""
        made: PatchFeatures | None = getattr(self, "_features", None)
        if made is None:
            self._features = made = PatchFeatures(self.window_sizes(), self.feature_table(), shared=self.shared)
        return made

    def learn_features(
        self, data: Iterable[WholeGames], *, work: Path | None = None, progress: Progress | None = None
    ) -> None:
        """Learn the features from recorded games; templates have nothing to learn."""

    def winrate(self, board: Board) -> float:
        """Return the probability that Black wins."""
        return float(self.winrate_many(Positions.of([board]))[0])

    def winrate_many(self, positions: Positions) -> FloatArray:
        """Return the same for positions with known turns: the mean logit over the symmetries of the board."""
        value = self._fitted()
        if not len(positions):
            return np.zeros(0)
        self._check_size(positions.width, positions.height)
        movers, komi = (-positions.to_play).astype(np.int8), positions.komi.astype(np.float64)
        views = [transform(positions.stones, k) for k in symmetries(self.size, self.size)]
        logits = sum(value.logits(np.ascontiguousarray(stones), movers, komi) for stones in views)
        return _sigmoid(np.asarray(logits) / len(views))

    def after_moves(self, board: Board, *, forbid_own_eye: bool = True) -> FloatArray:
        """Return the chance of the player to move after each move, pass last; NaN where it is not allowed.

        These are the values by which games are played: without the mean over symmetries, and with simple ko.
        """
        self._check_size(board.width, board.height)
        logits = self._fitted().after_moves(board.native, board.komi, forbid_own_eye)
        return _sigmoid(logits if board.to_play == "black" else -logits)

    def value(self) -> _core.LinearValue:
        """Return the value in the core, with all weights 0 if nothing is learned yet."""
        kept: tuple[Any, _core.LinearValue] | None = getattr(self, "_kept", None)
        weights = getattr(self, "weights_", None)
        if kept is None or kept[0] is not weights:
            features = self.features.on(self.size, self.size)
            start = np.zeros(len(features) + 1) if weights is None else weights
            with refused_by_core(self.name):
                kept = weights, _core.LinearValue(features, start, self.perspective == "black")
            self._kept = kept
        return kept[1]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model of this class from its file."""
        model = super().load(path)
        model.value()  # refuses weights of other features
        for key in ("alpha_", "games_"):
            value = getattr(model, key, np.zeros(1))
            if value.shape != (1,) or not np.isfinite(value).all() or value[0] < 0:
                raise ModelError(f"{path}: {key.strip('_')} is a number from 0, not {value!r}")
        return model

    def fit(self, data: Any, *, progress: Progress | None = None, work: Path | None = None) -> Self:
        """Learn the features, then the weights from recorded games (batches of WholeGames), `epochs` times."""
        self.reset()
        self.learn_features(data, work=work, progress=progress)
        for _ in range(self.epochs):
            for games in data:
                self.learn_games(games)
        if not hasattr(self, "weights_"):
            raise _no_games()
        if progress is not None:
            progress(1.0)
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
        """Learn from the even games of a corpus that have a result, in the order of the store, with one thread."""
        if scheduler is not None:
            raise ModelError(f"{self.name} learns on one machine: leave out the scheduler")
        stream = _CorpusGames(data)
        self.fit(stream, progress=progress, work=work)
        return {"weights": float(self.weights_.size), "games": float(stream.games)}

    def reset(self) -> None:
        """Forget the weights."""
        for name in ("weights_", "alpha_", "games_", "_kept"):
            if hasattr(self, name):
                delattr(self, name)

    def learn_games(self, games: WholeGames) -> None:
        """Learn from recorded games, one after the other."""
        self._check_size(games.size, games.size)
        if not len(games):
            return
        arrays = games.moves, games.offsets, games.results, games.komi
        try:
            self._take(self.value().learn(*arrays, self._alpha(), self.decay, self.loss == "logistic"))
        except ValueError as problem:
            raise TengenError(f"a game cannot be learned: {problem}") from None

    def learn_game(self, moves: Sequence[int], result: float, *, komi: float) -> None:
        """Learn from one game: moves row · width + column, Black first; result 1 if Black has won, 0 if White has."""
        arrays = np.asarray(moves, np.int16), np.array([0, len(moves)])
        self.learn_games(WholeGames(self.size, *arrays, np.array([float(result)]), np.array([float(komi)])))

    def self_play(
        self,
        games: int,
        *,
        opponent: PatchValue | None = None,
        learn: bool = True,
        epsilon: float = 0.3,
        last_epsilon: float = 0.02,
        opponent_epsilon: float = 0.1,
        komi: float = 5.5,
        max_moves: int = 0,
        forbid_own_eye: bool = True,
    ) -> PlayedGames:
        """Play games and learn from them, against itself or an opponent that does not learn; colours alternate.

        A random move is played with probability `epsilon`, which falls to `last_epsilon` in equal steps. Games are
        counted by area as they stand. Those longer than `max_moves` have no winner; 0 counts every game. With
        `forbid_own_eye` a player passes only when it has no other move, without it whenever that seems best.
        Later calls go on where this one ended: 10 and then 10 games are 20 games, but for epsilon.
        """
        if opponent is not None:
            if not isinstance(opponent, PatchValue):
                raise ModelError(f"{self.name}: an opponent is another value, not {opponent!r}")
            self._check_size(opponent.size, opponent.size)
        first = int(self.games_[0]) if hasattr(self, "games_") else 0
        learned, moves, offsets, leads = self.value().play(
            None if opponent is None else opponent.value(),
            checked_count(games, "games", 10_000_000),
            first,
            self.seed,
            checked_number(epsilon, "epsilon", 0, 1),
            checked_number(last_epsilon, "last_epsilon", 0, 1),
            checked_number(opponent_epsilon, "opponent_epsilon", 0, 1),
            checked_number(komi, "komi", -1000, 1000),
            checked_count(max_moves, "max_moves"),
            forbid_own_eye,
            self._alpha() if learn else 0.0,
            self.decay,
            self.loss == "logistic",
        )
        self.games_ = np.array([first + games])
        if learn:
            self._take(learned)
        return PlayedGames(moves, offsets, leads, (first + np.arange(games)) % 2 == 0)

    def _take(self, value: _core.LinearValue) -> None:
        self.weights_ = value.weights()
        self._kept = self.weights_, value

    def _alpha(self) -> float:
        """Return the step size, computed before the first step."""
        if not hasattr(self, "alpha_"):
            features = self.features.on(self.size, self.size)
            length = features.windows if self.features.is_binary else self._mean_square(features)
            self.alpha_ = np.array([self.rate / length])
        return float(self.alpha_[0])

    def _mean_square(self, features: _core.PatchFeatures) -> float:
        """Return the mean squared length of φ in positions of random games."""
        start = _core.LinearValue(features, np.zeros(len(features) + 1), False)
        _, moves, offsets, _ = start.play(None, NORM_GAMES, 0, self.seed, 1, 1, 1, 0.5, 0, True, 0, 0, False)
        stones, movers = boards_after(self.size, moves, offsets, _numbers(offsets) % NORM_TURNS == 0)
        return float((features.matrix(stones, movers).astype(np.float64) ** 2).sum(1).mean())

    def _fitted(self) -> _core.LinearValue:
        if not hasattr(self, "weights_"):
            raise not_fitted(self.name)
        return self.value()

    def _check_size(self, width: int, height: int) -> None:
        if (width, height) != (self.size, self.size):
            raise ModelError(f"{self.name} is for boards of {self.size}×{self.size}, not {width}×{height}")


class TemplateValue(PatchValue):
    """A weight for every pattern in every window of m×m points, for each m of `windows`."""

    name = "values/templates"

    windows: Sequence[int] = (2,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.windows, (list, tuple)):
            raise ModelError(f"windows is a list of sizes from 1 to 3, not {self.windows!r}")
        self.features.on(self.size, self.size)

    def window_sizes(self) -> Sequence[int]:
        """Return the sides of the windows."""
        return self.windows


class CrbmValue(PatchValue):
    """A weight for every hidden unit of a convolutional restricted Boltzmann machine, which sees one window."""

    name = "values/crbm"
    invariant = False
    filters_: npt.NDArray[np.float32] = field(init=False)
    """The parameters of the machine, from which the features follow."""

    filters: int = 105
    side: int = 3
    visible: Literal["multinomial", "real"] = "multinomial"
    boards: int = 100_000
    """Number of positions drawn from the games for the filters."""
    filter_epochs: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_count(self.side, "side", min(3, self.size), least=1)
        checked_count(self.filters, "filters", 10_000, least=1)
        checked_count(self.boards, "boards", 10_000_000, least=1)
        self.machine()

    def machine(self) -> Crbm:
        """Return the machine, not fitted."""
        return Crbm(
            side=self.side,
            filters=self.filters,
            visible=self.visible,
            invariant=self.invariant,
            perspective=self.perspective,
            epochs=self.filter_epochs,
            seed=self.seed % 2**31,
        )

    def window_sizes(self) -> Sequence[int]:
        """Return the side of the filters."""
        return (self.side,)

    def feature_table(self) -> npt.NDArray[np.float32]:
        """Return the features of every patch."""
        if not hasattr(self, "filters_"):
            raise not_fitted(self.name)
        machine = self.machine()
        machine.parameters_ = self.filters_
        return machine.table()

    def use_filters(self, machine: Crbm) -> None:
        """Take the filters of a fitted machine with the same settings; weights learned with others are forgotten."""
        if not hasattr(machine, "parameters_"):
            raise not_fitted(machine.name)
        wanted = self.machine()
        if any(getattr(machine, name) != getattr(wanted, name) for name in KIND_OF_FILTERS):
            raise ModelError(f"{self.name}: these are filters of another kind: {machine!r}")
        self.reset()
        self.filters_ = machine.parameters_
        self._features = PatchFeatures(self.side, machine.table(), shared=self.shared)

    def learn_features(
        self, data: Iterable[WholeGames], *, work: Path | None = None, progress: Progress | None = None
    ) -> None:
        """Learn the filters from positions drawn from the games; own stones are those of the perspective."""
        for games in data:
            self._check_size(games.size, games.size)
        stones = drawn_boards(data, self.boards, self.perspective, self.seed)
        self.use_filters(self.machine().fit([stones], work=work, progress=progress))


class InvariantCrbmValue(CrbmValue):
    """The same with filters that stand for their eight rotations and reflections."""

    name = "values/crbm-invariant"
    invariant = True


def drawn_boards(data: Iterable[WholeGames], count: int, perspective: str, seed: int) -> Stones:
    """Return about `count` positions after moves of the games [n, row, column], 1 for own stones, in random order."""
    total = sum(int(games.offsets[-1]) for games in data)
    if not total:
        raise _no_games()
    random, found = np.random.default_rng(seed), []
    for games in data:
        chosen = random.random(len(games.moves)) < count / total
        stones, movers = boards_after(games.size, games.moves, games.offsets, chosen)
        found.append(stones if perspective == "black" else stones * movers[:, None, None])
    return random.permutation(np.concatenate(found))


def boards_after(
    size: int, moves: npt.NDArray[np.int16], offsets: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]
) -> tuple[Stones, Stones]:
    """Return the stones after the chosen moves of games, and the players of these moves (1 Black, −1 White)."""
    number = _numbers(offsets)
    events = packed(MOVE, 0, moves.astype(np.int64)) | (1 + number % 2) << 2
    ends = np.concatenate([[0], np.cumsum(chosen)])[offsets].astype(np.int64)
    turns = (number[chosen] + 1).astype(np.int32)
    stones = _core.replay_positions(size, size, events.astype(np.uint16), offsets, turns, ends)[0]
    return stones, np.where(turns % 2, 1, -1).astype(np.int8)


def _no_games() -> TengenError:
    return TengenError("there are no whole games with a result to learn from")


def _numbers(offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of each move in its game, from 0."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


class _CorpusGames:
    """The whole games of played moves, shard by shard; `games` is their number after a pass."""

    def __init__(self, data: PlaySets) -> None:
        self.data, self.games = data, 0

    def __iter__(self) -> Iterator[WholeGames]:
        self.games = 0
        for part in self.data.parts:
            for shard in part.shards:
                games = part.whole_games(shard)
                self.games += len(games)
                yield games


def _sigmoid(logits: FloatArray) -> FloatArray:
    chances: FloatArray = (1 + np.tanh(logits / 2)) / 2
    return chances
