"""Convolutional restricted Boltzmann machine: features of boards, learned without labels (Largman & Pham).

Start at `Crbm.fit`, which takes steps of contrastive divergence; the energy and the arithmetic are in
core/include/tengen/crbm.hpp. Every hidden unit sees one window of the board, so `Crbm.table` lists the features of all
windows there are. Stones are 1 for own ones, −1 for the other's; whose are own is for the caller to say, or
`perspective` if boards come with the player to move.

The paper prints the softmax over hidden units; here it is over the colours of a point, each colour has a bias of its
own, and a unit of the invariant machine may also be off.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import ModelError, TengenError, not_fitted, refused_by_core
from tengen.go.arrays import as_stones
from tengen.go.positions import Positions
from tengen.go.symmetry import transform
from tengen.models.base import StoredModel
from tengen.models.protocol import FloatArray, LabelledBoards, Progress
from tengen.models.state import content_hash, settings
from tengen.numbers import checked_count, checked_number
from tengen.views.liberties import liberty_counts

Floats: TypeAlias = npt.NDArray[np.float32]
Stones: TypeAlias = npt.NDArray[np.int8]

COLOURS = 3
"""Channels of a point: empty, own, other."""

LIBERTIES, LINES = 3, 4
"""Further channels: chains with 1, 2 and at least 3 liberties; first to third line, and all inside."""

RATES = {"multinomial": 2.0, "real": 0.05}
"""Learning rates for means over locations, of which few have a filter on."""

EARLY_EPOCHS, EARLY_MOMENTUM, MOMENTUM = 5, 0.5, 0.9

BUFFER = 200_000
"""Boards in memory, which are shuffled before they are learned."""

SAMPLE = 1000
"""Boards of which the free energy is compared after every epoch."""

_AT_ONCE = 1000  # boards whose hidden units are in memory


class WithPositions(Protocol):
    """Boards with the players to move, such as the batches of `tengen.corpus.plays`."""

    @property
    def positions(self) -> Positions:
        """The positions."""


BoardBatch: TypeAlias = Stones | LabelledBoards | WithPositions


@dataclass(frozen=True)
class EpochReport:
    """How learning went in an epoch."""

    epoch: int
    cost: float
    """−ln P(colour | hidden units) of a point, or the squared error of real-valued units."""
    correct: float
    """Share of points whose colour is the most likely one of the reconstruction."""
    activity: float
    """Mean probability that a hidden unit is on."""
    gap: float
    """Free energy of boards with their points shuffled, less that of the boards themselves."""


class Crbm(StoredModel):
    """Filters of a convolutional restricted Boltzmann machine; 105 of 3×3 are the paper's."""

    name = "values/crbm-filters"

    side: int = 3
    filters: int = 105
    visible: Literal["multinomial", "real"] = "multinomial"
    invariant: bool = False
    """A filter stands for its eight rotations and reflections; a unit is off or on in one of them."""
    reversal: bool = False
    """A filter stands also for itself with the colours reversed, in which it counts as −1."""
    liberties: bool = False
    edges: bool = False
    """Hidden units also see the liberties of chains, the distance from the edge."""
    perspective: Literal["mover", "black"] = "mover"
    """Whose stones are own: of the player who just moved, or Black's."""
    epochs: int = 20
    batch: int = 50
    rate: float | None = None
    """By default that of RATES."""
    decay: float = 1e-5
    sparsity: float = 0.1
    target: float = 0.05
    persistent: bool = False
    """Reconstructions go on from those of the last step instead of from the data."""
    seed: int = 0

    def __post_init__(self) -> None:
        for key, least in {"side": 1, "filters": 1, "epochs": 1, "batch": 1, "seed": 0}.items():
            checked_count(getattr(self, key), f"{self.name}: {key}", 2**31, least=least)
        if self.visible not in ("multinomial", "real") or self.perspective not in ("mover", "black"):
            raise ModelError(f"{self.name}: visible is multinomial or real, perspective is mover or black")
        if self.persistent and (self.visible == "real" or self.liberties or self.edges):
            raise ModelError(f"{self.name}: persistent is for multinomial units without further planes")
        if checked_number(self._rate(), f"{self.name}: rate", 0, 100, error=ModelError) == 0:
            raise ModelError(f"{self.name}: with a rate of 0 nothing is learned")
        for key, most in {"decay": 1.0, "sparsity": 100.0, "target": 0.999}.items():
            checked_number(getattr(self, key), f"{self.name}: {key}", 0, most, error=ModelError)
        self.machine()

    def fit(
        self,
        data: Iterable[BoardBatch],
        *,
        progress: Progress | None = None,
        work: Path | None = None,
        threads: int | None = None,
        report: Callable[[EpochReport], None] | None = None,
    ) -> Self:
        """Learn from boards; a stopped job resumes from its last epoch in `work` with the same result.

        The data are read once for every epoch. The result does not depend on the number of threads.
        """
        learner, path = _Learner(self._first_parameters()), None
        if work is not None:
            work.mkdir(parents=True, exist_ok=True)
            first = next(self._shuffled(data, 0), np.zeros(0, np.int8))  # other boards are another job
            path = work / f"{content_hash(self.name, self.version, settings(self), {'boards': first})}.npz"
            learner = _Learner.read(path) if path.exists() else learner
        for epoch in range(learner.epochs, self.epochs):
            said = self._epoch(data, epoch, learner, threads or os.cpu_count() or 1)
            if path is not None:
                learner.write(path)
            if report is not None:
                report(said)
            if progress is not None:
                progress((epoch + 1) / self.epochs)
        self.parameters_ = learner.parameters
        return self

    def _epoch(self, data: Iterable[BoardBatch], epoch: int, learner: _Learner, threads: int) -> EpochReport:
        means, points = np.zeros(3), 0
        momentum = EARLY_MOMENTUM if epoch < EARLY_EPOCHS else MOMENTUM
        for stones in self._shuffled(data, epoch):
            means += stones.size * np.array(
                self.machine().learn(
                    learner.parameters,
                    learner.velocities,
                    stones,
                    self.planes(stones),
                    batch=self.batch,
                    rate=self._rate(),
                    momentum=momentum,
                    decay=self.decay,
                    sparsity=self.sparsity,
                    target=self.target,
                    seed=self.seed,
                    first=learner.boards,
                    threads=min(threads, 256),
                    chains=learner.chains_for(stones, self.batch) if self.persistent else None,
                )
            )
            points, learner.boards = points + stones.size, learner.boards + len(stones)
        if not points:
            raise TengenError(f"{self.name}: there is no board to learn from, in epoch {epoch + 1}")
        if not np.isfinite(learner.parameters).all():
            raise TengenError(f"{self.name}: the weights grew beyond all bounds; choose a smaller rate")
        learner.epochs = epoch + 1
        some = stones[:SAMPLE]
        energies = self._energies(learner.parameters, np.concatenate([shuffled_points(some, epoch), some]))
        gap = float(energies[: len(some)].mean() - energies[len(some) :].mean())
        cost, correct, activity = (means / points).tolist()
        return EpochReport(epoch + 1, cost, correct, activity, gap)

    def _shuffled(self, data: Iterable[BoardBatch], epoch: int) -> Iterator[Stones]:
        """Yield boards of one size, many at once, in random order."""
        random = np.random.default_rng([self.seed, epoch])
        again = getattr(data, "epoch", None)
        held: dict[tuple[int, ...], list[Stones]] = {}
        for batch in data if again is None else again(epoch):
            stones = own_stones(batch, self.perspective)
            if not len(stones) or min(stones.shape[1:]) < self.side:
                continue
            parts = held.setdefault(stones.shape[1:], [])
            parts.append(stones)
            if sum(map(len, parts)) >= BUFFER:
                yield random.permutation(np.concatenate(held.pop(stones.shape[1:])))
        for parts in held.values():
            yield random.permutation(np.concatenate(parts))

    @property
    def weights(self) -> Floats:
        """The filters [channel, row, column, filter]: empty, own, other, then further planes."""
        return self._parameters()[: -self.filters - COLOURS].reshape(-1, self.side, self.side, self.filters)

    @property
    def biases(self) -> Floats:
        """The biases of hidden units [filter]."""
        return self._parameters()[-self.filters - COLOURS : -COLOURS]

    @property
    def colour_biases(self) -> Floats:
        """The biases of empty, own and other."""
        return self._parameters()[-COLOURS:]

    @property
    def empty_share(self) -> float:
        """The share of cells of filters whose largest weight is that of empty."""
        return float((self.weights[:COLOURS].argmax(0) == 0).mean())

    @property
    def used(self) -> int:
        """The number of filters that differ: by more than 30 % of their weights from all that are stronger."""
        colours = self.weights[:COLOURS]
        vectors = (colours - colours.mean(0)).reshape(-1, self.filters).T
        lengths = np.linalg.norm(vectors, axis=1)
        found: list[int] = []
        for i in np.argsort(-lengths).tolist():
            if all(np.linalg.norm(vectors[i] - vectors[j]) > 0.3 * lengths[j] for j in found):
                found.append(i)
        return len(found)

    def hidden(self, stones: Stones) -> Floats:
        """Return P(h | v) of boards [n, row, column] as [n, row, column, orientation, filter]."""
        stones = as_stones(stones)
        with refused_by_core(self.name):
            return self.machine().hidden(self._parameters(), stones, self.planes(stones))

    def features(self, stones: Stones) -> Floats:
        """Return the features of boards [n, row, column] as [n, row, column, filter].

        A feature is the probability that the unit is on, in any orientation; with `reversal` those with reversed
        colours count negative.
        """
        signs = np.array([1 - 2 * reverse for _, reverse in self._orbit()], np.float32)
        rows = (stones[first : first + _AT_ONCE] for first in range(0, max(len(stones), 1), _AT_ONCE))
        return np.concatenate([np.einsum("nrcok,o->nrck", self.hidden(some), signs) for some in rows])

    def table(self) -> Floats:
        """Return the features of every window [3^(side·side), filter], in the order of `all_patches`."""
        if self.liberties or self.edges:
            raise ModelError(f"{self.name}: with liberties or edges the features of a window depend on the board")
        return self.features(all_patches(self.side))[:, 0, 0]

    def reconstruct(self, stones: Stones, *, seed: int = 0) -> Floats:
        """Return P(v | h) for a sample of the hidden units as [n, row, column, colour]; values of real-valued units."""
        stones = as_stones(stones)
        with refused_by_core(self.name):
            return self.machine().reconstruct(self._parameters(), stones, self.planes(stones), seed)

    def free_energy(self, stones: Stones) -> FloatArray:
        """Return the free energy of each board: −ln of its probability, up to a constant."""
        return self._energies(self._parameters(), as_stones(stones))

    def _energies(self, parameters: Floats, stones: Stones) -> FloatArray:
        with refused_by_core(self.name):
            return self.machine().free_energy(parameters, stones, self.planes(stones))

    def planes(self, stones: Stones) -> Stones:
        """Return the channels of further planes at each point [n, plane, row, column]; −1 for none."""
        found: list[npt.NDArray[np.int64]] = []
        if self.liberties:
            counts = liberty_counts(stones)
            found.append(np.where(counts > 0, COLOURS - 1 + np.minimum(counts, LIBERTIES), -1))
        if self.edges:
            lines = [np.minimum(np.arange(side), np.arange(side)[::-1]) for side in stones.shape[1:]]
            line = np.minimum(np.minimum.outer(*lines), LINES - 1)
            found.append(np.broadcast_to(COLOURS + LIBERTIES * self.liberties + line, stones.shape))
        if not found:
            return np.zeros((len(stones), 0, *stones.shape[1:]), np.int8)
        return np.stack(found, 1).astype(np.int8)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read filters from their file."""
        model = super().load(path)
        model.hidden(np.zeros((1, model.side, model.side), np.int8))  # refuses other parameters
        return model

    def _parameters(self) -> Floats:
        parameters: Floats | None = getattr(self, "parameters_", None)
        if parameters is None:
            raise not_fitted(self.name)
        return parameters

    def _rate(self) -> float:
        return RATES[self.visible] if self.rate is None else self.rate

    def _orbit(self) -> list[tuple[int, int]]:
        """Return the orientations of a filter: a symmetry, and 1 if colours are reversed."""
        return [(k, reverse) for reverse in range(1 + self.reversal) for k in range(8 if self.invariant else 1)]

    def machine(self) -> _core.Crbm:
        """Return the native machine."""
        channels = COLOURS + LIBERTIES * self.liberties + LINES * self.edges
        rows = np.arange(channels * self.side**2, dtype=np.uint16).reshape(channels, self.side, self.side)
        swapped = rows[[0, 2, 1, *range(COLOURS, channels)]]
        turned = [transform(swapped if reverse else rows, k).ravel() for k, reverse in self._orbit()]
        with refused_by_core(self.name):
            return _core.Crbm(self.side, self.filters, np.stack(turned), self.visible == "real")

    def _first_parameters(self) -> Floats:
        """Return small weights, and biases with which a unit is on with probability 0.12."""
        random = np.random.default_rng(self.seed)
        parameters = 0.01 * random.standard_normal(self.machine().parameters)
        parameters[-self.filters - COLOURS :] = 0
        parameters[-self.filters - COLOURS : -COLOURS] = -2 - np.log(len(self._orbit()))
        return parameters.astype(np.float32)


@dataclass
class _Learner:
    """The state of learning."""

    parameters: Floats
    velocities: Floats = field(init=False)
    epochs: int = 0
    boards: int = 0
    chains: dict[str, Stones] = field(default_factory=dict)
    """Reconstructions that go on, by board size."""

    def __post_init__(self) -> None:
        self.velocities = np.zeros_like(self.parameters)

    def chains_for(self, stones: Stones, batch: int) -> Stones:
        size = f"chains {stones.shape[1]}x{stones.shape[2]}"
        return self.chains.setdefault(size, np.resize(stones, (batch, *stones.shape[1:])))

    def write(self, path: Path) -> None:
        part = path.with_name("part-" + path.name)
        counts = {"epochs": np.array(self.epochs), "boards": np.array(self.boards)}
        arrays: dict[str, Any] = {"parameters": self.parameters, "velocities": self.velocities, **counts, **self.chains}
        np.savez(part, **arrays)
        part.replace(path)

    @classmethod
    def read(cls, path: Path) -> Self:
        with np.load(path) as state:
            chains = {key: state[key] for key in state if key.startswith("chains")}
            learner = cls(state["parameters"], int(state["epochs"]), int(state["boards"]), chains)
            learner.velocities = state["velocities"]
        return learner


def own_stones(batch: BoardBatch, perspective: str = "black") -> Stones:
    """Return boards with 1 for own stones: Black's, or those of the player who just moved if that is known."""
    given: Any = batch
    if isinstance(given, np.ndarray):
        return as_stones(given)
    if not hasattr(given, "positions"):
        return as_stones(given.boards)
    stones: Stones = given.positions.stones
    if perspective == "black":
        return as_stones(stones)
    return stones * np.where(given.positions.to_play == 1, np.int8(-1), np.int8(1))[:, None, None]


def all_patches(side: int) -> Stones:
    """Return every window [3^(side·side), row, column]: number Σ colour·3^k, with k row by row from the top left.

    The colours are 0 empty, 1 own and 2 other, as stones 0, 1 and −1.
    """
    if not 1 <= side <= 3:
        raise TengenError(f"windows of 1 to 3 points on a side can be listed, not of {side}")
    colours = np.arange(3**side**2)[:, None] // 3 ** np.arange(side**2) % 3
    return np.array([0, 1, -1], np.int8)[colours].reshape(-1, side, side)


def shuffled_points(stones: Stones, seed: int = 0) -> Stones:
    """Return boards with as many stones of each colour in random places."""
    flat = stones.reshape(len(stones), -1)
    return np.random.default_rng(seed).permuted(flat, axis=1).reshape(stones.shape)
