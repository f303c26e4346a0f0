"""Everything that is trained, draw by draw.

Start at `run`. Figure 3, Figure 4 and the tables are trained on every draw; Figure 2 and what goes beyond the paper on
the first. The games of Table 2 are played in strength.py, by the weights of the first draw.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.go.positions import Positions
from tengen.moves.policy import FeatureMoves
from tengen.moves.trees import Forest, unique_shares
from tengen.papers.vanniekerk.data import Choices, Features, Games
from tengen.papers.vanniekerk.strength import player
from tengen.papers.vanniekerk.study import (
    ForestKind,
    Ranks,
    Scale,
    Study,
    Trained,
    of_all_leaves,
    of_forest,
    scored,
    tactical,
)
from tengen.papers.vanniekerk.trainers import TRAINERS

NEAR = "border and distances only"
T, TP, TDT, TPDT = "T", "T + P", "T + DT", "T + P + DT"
MAIN = (T, TP, TDT, TPDT)
"""The rows of Table 2."""
ONE, EIGHT, SIXTEEN_HALF, SIXTEEN = "1 tree", "8 trees", "16 trees, half of the games", "16 trees, all games"
FOREST_SIZES = (ONE, EIGHT, SIXTEEN_HALF, SIXTEEN)
"""The curves of Figure 3, the last one ours."""
SHARES = {1: (1 / 64, 1 / 16, 1 / 4, 1.0), 8: (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)}
"""Figure 2: leaves by number of trees, as shares of the leaves of the best forest."""
GAIN, GAIN_P = "T + DT, information gain", "T + P + DT, information gain"
FATE, ALL_LEAVES = "T + DT, common fate graph", "T + DT, all leaves"
MORE = {name: f"{name}, more games" for name in MAIN}
"""The rows of Table 2 trained with more games."""

DISTANCES = ("pass", "border", "last", "second-last", "fate last", "fate second-last")
UNIQUE_POSITIONS = 1000
TIMED_POSITIONS = 100

Tell = Callable[[str], None]


@dataclass
class Results:
    """What was trained, by name and draw, and what was measured besides."""

    test: Choices
    found: dict[str, list[Trained]] = field(default_factory=lambda: defaultdict(list))
    forests: dict[str, list[Forest]] = field(default_factory=lambda: defaultdict(list))
    patterns: int = 0
    games: list[int] = field(default_factory=list)
    """Training games of each draw."""
    figure_2: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The names of its configurations by number of trees, smallest first."""
    unique: float = float("nan")
    """The share of descents that reach a single leaf."""
    one_way: float = float("nan")
    """The share of descents without a choice between several nodes."""
    milliseconds: dict[str, float] = field(default_factory=dict)
    """For the leaves of all moves of a position: the left-most of each tree, or all."""
    handicap: dict[str, Ranks] = field(default_factory=dict)
    """The configurations of Table 2 on handicap games, by the weights of the first draw."""
    handicap_games: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    more_games: int = 0
    """Training games of the configurations of `MORE`."""
    players: dict[str, FeatureMoves] = field(default_factory=dict)
    """The configurations of Table 2 as models, by the weights of the first draw."""


def run(games: Games, scale: Scale, folder: Path | None, tell: Tell) -> Results:
    """Train and score every configuration."""
    tell("reading test games")
    results = Results(Choices(games.test(scale.test_games)))
    for draw in range(scale.draws):
        study = Study(games, scale, draw, results.test, folder)
        results.games.append(len(np.unique(study.train.games)))
        _draw(study, results, tell)
    return results


def _draw(study: Study, results: Results, tell: Tell) -> None:
    scale, first = study.scale, study.draw == 0

    def say(stage: str) -> None:
        tell(f"draw {study.draw + 1}: {stage}")

    def train(name: str, features: Sequence[Features], games: int | None = None) -> Trained:
        say(name)
        found = study.trained(name, features, games=games)
        results.found[name].append(found)
        return found

    def forest(name: str, kind: ForestKind) -> Features:
        say(f"growing {name}")
        grown = study.forest(kind)
        results.forests[name].append(grown)
        return of_forest(grown, f"{name}, draw {study.draw}")

    base, patterns = tactical(), study.largest_patterns()
    results.patterns = patterns.tables[0].levels
    near = tactical(DISTANCES)
    train(NEAR, [near])
    study.forget(near)
    train(T, [base])
    train(TP, [base, patterns])
    if first:
        for name, trainer in list(TRAINERS.items())[1:]:
            say(name)
            results.found[name].append(study.trained(name, [base, patterns], trainer=trainer))

    best = ForestKind(8, scale.leaves)
    eight = forest(EIGHT, best)
    train(TDT, [base, eight])
    results.found[EIGHT] = results.found[TDT]
    train(TPDT, [base, patterns, eight])
    if first:
        main = {T: [base], TP: [base, patterns], TDT: [base, eight], TPDT: [base, patterns, eight]}
        say("all leaves, handicap games")
        _besides(study, results, main)
        with_more_games(study, results, main, say)
        for name in MAIN:
            keys = study.pattern_keys if "P" in name else None
            grown = results.forests[EIGHT][0] if "DT" in name else None
            results.players[name] = player(results.found[name][0].weights, keys, grown)
    study.forget(eight)

    one = forest(ONE, replace(best, trees=1))
    train(ONE, [base, one])
    study.forget(one)
    sixteen = forest(SIXTEEN, replace(best, trees=16))
    train(SIXTEEN_HALF, [base, sixteen], scale.games // 2)
    train(SIXTEEN, [base, sixteen])
    study.forget(sixteen)
    if not first:
        return

    for trees, shares in SHARES.items():
        for share in shares:
            name = f"{trees} tree{'s' * (trees > 1)}, {share:g} of the leaves"
            if share == 1:
                name = ONE if trees == 1 else EIGHT
            else:
                leaves = forest(name, ForestKind(trees, max(round(share * scale.leaves), 2 * trees)))
                train(name, [base, leaves])
                study.forget(leaves)
            results.figure_2[trees].append(name)

    gain = forest(GAIN, replace(best, criterion="gain"))
    train(GAIN, [base, gain])
    train(GAIN_P, [base, patterns, gain])
    study.forget(gain)
    fate = forest(FATE, replace(best, nodes="chains"))
    train(FATE, [base, fate])
    study.forget(fate)


def _besides(study: Study, results: Results, main: Mapping[str, Sequence[Features]]) -> None:
    """Measure unique descents and times, compare all leaves with the left-most, and score handicap games."""
    forest = results.forests[EIGHT][0]
    some = next(iter(study.games.test(20))).positions
    spaced = np.linspace(0, len(some) - 1, min(len(some), UNIQUE_POSITIONS)).astype(np.intp)
    results.unique, results.one_way = unique_shares(forest, some.take(spaced))
    few = some.take(spaced[:: max(1, len(spaced) // TIMED_POSITIONS)])
    results.milliseconds["left-most leaf"] = _milliseconds(forest.leaves, few)
    results.milliseconds["all leaves"] = _milliseconds(forest.all_leaves, few)
    every = of_all_leaves(forest, ALL_LEAVES)
    results.found[ALL_LEAVES].append(study.trained(ALL_LEAVES, [*main[T], every]))
    study.forget(every)
    uneven = study.games.test(study.scale.few, even=False)
    if uneven:
        choices = Choices(uneven)
        results.handicap_games = choices.games
        for name, features in main.items():
            results.handicap[name] = scored(choices, features, results.found[name][0].weights)


def with_more_games(study: Study, results: Results, main: Mapping[str, Sequence[Features]], say: Tell) -> None:
    """Train the same features with the games of all draws and more."""
    scale = replace(study.scale, games=study.scale.more * study.scale.games, draws=1)
    wide = Study(study.games, scale, study.draw, study.test, study.folder)
    results.more_games = len(np.unique(wide.train.games))
    for name, features in main.items():
        say(MORE[name])
        results.found[MORE[name]].append(wide.trained(MORE[name], features))


def _milliseconds(answer: Callable[[Positions], object], positions: Positions) -> float:
    """Return the CPU milliseconds for a position, the best of three."""
    times = []
    for _ in range(3):
        before = time.process_time()
        answer(positions)
        times.append(time.process_time() - before)
    return 1000 * min(times) / len(positions)
