"""The owner of each chain from paths and subtrees: boosting and a linear support vector machine (Low §7).

Start at `verdicts`. An example is a chain of a training position, seen from its colour; it belongs to its colour if
the mean label of its points does. Features are those of subtrees.py that several training chains have, present or not.
Boosting is AdaBoost with one feature as weak classifier, as Kudo and Matsumoto boost subtrees; the support vector
machine has the squared hinge loss, and its C is chosen on games of the split `valid`. Both are scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.corpus.dataset import Batch
from tengen.errors import TengenError
from tengen.extras import need
from tengen.measure.arrays import FloatArray
from tengen.measure.compare import Comparison, compare
from tengen.papers.draws import GameNumbers
from tengen.papers.low.subtrees import Features, Neighbourhood, neighbours, paths, subtrees
from tengen.views.augmented_graph import augmented_graphs

FAMILIES: dict[str, Features] = {"paths": paths, "subtrees": subtrees}
LEAST = 5
"""Training chains that must have a feature."""
ROUNDS = 300
NULL = "every chain belongs to its colour"
BOOSTING, VECTORS = "boosting", "linear SVM"
COSTS = (0.001, 0.01, 0.1, 1.0)

Matrix = Any
"""A sparse matrix of scipy [chain, feature], 1 where a chain has a feature."""
Classifier = Any
"""A fitted classifier of scikit-learn."""


@dataclass(frozen=True)
class Chains:
    """Chains of positions, one entry each."""

    games: GameNumbers
    owned: FloatArray
    """1 if a chain belongs to its colour, −1 if to the other."""
    places: list[tuple[int, npt.NDArray[np.bool_]]]
    """The position of each chain, and where its stones are [row, column]."""
    features: dict[str, list[npt.NDArray[np.int64]]]

    def __len__(self) -> int:
        return len(self.games)


def chains_of(batch: Batch) -> Chains:
    """Return all chains whose owner is labelled, with their features."""
    graphs = augmented_graphs(batch.boards)
    games, owned, places = [], [], list[tuple[int, npt.NDArray[np.bool_]]]()
    features: dict[str, list[npt.NDArray[np.int64]]] = {name: [] for name in FAMILIES}
    for k in range(len(graphs)):
        graph, targets = graphs[k], batch.targets[k]
        around = neighbours(graph)
        for node in np.flatnonzero(graph.types).tolist():
            here = graph.node_of == node
            mean = float(targets[here].mean()) * int(graph.types[node])
            if not mean or np.isnan(mean):
                continue
            view = Neighbourhood(graph, node, around)
            for name, family in FAMILIES.items():
                features[name].append(np.fromiter(sorted(family(view)), np.int64))
            games.append(int(batch.games[k]))
            owned.append(np.sign(mean))
            places.append((k, here))
    return Chains(np.array(games), np.array(owned), places, features)


def known(chains: Chains, family: str, least: int = LEAST) -> npt.NDArray[np.int64]:
    """Return the features that several chains have."""
    found, counts = np.unique(np.concatenate(chains.features[family]), return_counts=True)
    return np.asarray(found[counts >= least])


def matrix(chains: Chains, family: str, features: npt.NDArray[np.int64]) -> Matrix:
    """Return which chain has which of the known features."""
    lengths = [len(each) for each in chains.features[family]]
    flat = np.concatenate(chains.features[family])
    rows, columns = np.repeat(np.arange(len(chains)), lengths), np.searchsorted(features, flat)
    there = columns < len(features)
    there[there] = features[columns[there]] == flat[there]
    ones = np.ones(int(there.sum()))
    return need("scipy.sparse").csr_matrix((ones, (rows[there], columns[there])), (len(chains), len(features)))


def boosted(examples: Matrix, owned: FloatArray, rounds: int = ROUNDS) -> Classifier:
    """Return a classifier learned by AdaBoost; a weak classifier looks at one feature."""
    stump = need("sklearn.tree").DecisionTreeClassifier(max_depth=1)
    return need("sklearn.ensemble").AdaBoostClassifier(stump, n_estimators=rounds, random_state=0).fit(examples, owned)


def support_vectors(examples: Matrix, owned: FloatArray, cost: float) -> Classifier:
    """Return a linear support vector machine."""
    return need("sklearn.svm").LinearSVC(C=cost, dual=False).fit(examples, owned)


@dataclass(frozen=True)
class Verdicts:
    """Which test chains each method is right about, 1 or 0 each."""

    games: GameNumbers
    right: dict[str, FloatArray]
    notes: dict[str, str]

    def against(self, first: str, second: str) -> Comparison:
        """Compare the accuracy of two methods in percent."""
        return compare(100 * self.right[first], 100 * self.right[second], self.games)


def verdicts(
    train: Batch, valid: Batch, test: Batch, said: dict[str, FloatArray], tell: Callable[[str], None]
) -> Verdicts:
    """Learn the owners of chains; `said` is the ownership of the test positions by other models."""
    tell("chains: features")
    parts = [chains_of(batch) for batch in (train, valid, test)]
    learn, choose, check = parts
    if len(np.unique(learn.owned)) < 2:
        raise TengenError("all chains of the training games belong to their colour: learn from more games")
    right = {NULL: (check.owned > 0).astype(float)}
    notes = {NULL: f"{len(check):,} chains; {len(learn):,} learned"}
    for name, ownership in said.items():
        owner = np.array([(ownership[k] * test.boards[k])[here].mean() for k, here in check.places])
        right[name] = (np.sign(owner) == check.owned).astype(float)
    for family in FAMILIES:
        features = known(learn, family)
        examples = [matrix(each, family, features) for each in parts]
        tell(f"chains: boosting {family}")
        for method, classifier, note in _methods(examples, learn.owned, choose.owned):
            name = f"{method}, {family}"
            right[name] = (classifier.predict(examples[2]) == check.owned).astype(float)
            notes[name] = f"{len(features):,} features{note}"
    return Verdicts(check.games, right, notes)


def _methods(examples: list[Matrix], owned: FloatArray, chosen: FloatArray) -> Iterator[tuple[str, Classifier, str]]:
    yield BOOSTING, boosted(examples[0], owned), f", {ROUNDS} rounds"
    tried = {cost: support_vectors(examples[0], owned, cost) for cost in COSTS}
    best = max(COSTS, key=lambda cost: (tried[cost].score(examples[1], chosen), -cost))
    yield VECTORS, tried[best], f", C = {best:g}"
