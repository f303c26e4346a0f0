"""van Niekerk & Kroon: Decision Trees for Computer Go Features (2013).

Start at `reproduce`. The games are chosen in data.py, configurations trained in study.py and listed in experiments.py;
the paper's claims are checked in findings.py, its figures drawn in pictures.py and its matches played in strength.py.
Figures 2 to 4 are plots without numbers, so only ours are given. Weights are trained together; the pass is a move like
others, without patterns and trees; moves are ranked among all legal ones, those of equal strength in random order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.corpus.store import Store
from tengen.measure.compare import mean
from tengen.measure.intervals import Interval
from tengen.papers import StageProgress
from tengen.papers.report import Finding, Row
from tengen.papers.vanniekerk import experiments as e
from tengen.papers.vanniekerk import published as p
from tengen.papers.vanniekerk.data import Games, chosen_games
from tengen.papers.vanniekerk.experiments import Results, run
from tengen.papers.vanniekerk.findings import findings, strength_findings
from tengen.papers.vanniekerk.measures import evidence, share, spread
from tengen.papers.vanniekerk.strength import play
from tengen.papers.vanniekerk.study import QUICK, Scale
from tengen.papers.vanniekerk.trainers import TRAINERS
from tengen.views.move_features import FEATURES, LEVELS, PHRASES

RANKS = {1: "ranked first", 10: "among the first ten"}
NULL = "every legal move equally likely"
UNMET = "did not occur in the training games"


def reproduce(
    corpus: Path,
    *,
    labels: str | None,
    games: int | None,
    quick: bool,
    work: Path | None,
    pictures: Path | None,
    progress: StageProgress,
) -> Iterator[Row | Finding]:
    """Train and compare the paper's configurations; yield figures, tables and findings."""
    scale = replace(QUICK, games=games or QUICK.games) if quick else Scale.of(games or p.GAMES)
    yield from report(Store(corpus), scale, work, pictures, progress)


def report(
    store: Store, scale: Scale, work: Path | None, pictures: Path | None, progress: StageProgress
) -> Iterator[Row | Finding]:
    """Yield everything at a given scale."""
    chosen = chosen_games(store)
    folder = _folder(store, chosen, scale, work)

    def tell(stage: str) -> None:
        progress(stage, None)

    results = run(chosen, scale, folder, tell)
    names = _labels(results, scale)
    yield from _games(results, chosen, scale)
    yield from _figures(results, names)
    yield from _table_1(results)
    yield from table_2(results, scale)
    yield from _trees(results)
    yield from _beyond(results)
    yield from _trainers(results)
    if pictures is not None:
        from tengen.papers.vanniekerk.pictures import draw_all

        progress("drawing", None)
        draw_all(pictures, results, names, chosen.test(20))
    yield from findings(results, scale.few)
    games = None if folder is None else folder / "games"
    rows = []
    for row in play(results.players, p.WINS, scale.matches, chosen.size, games, tell):
        rows.append(row)
        yield row
    yield from strength_findings(rows[: len(e.MAIN)])


def _folder(store: Store, chosen: Games, scale: Scale, work: Path | None) -> Path | None:
    """Return the folder of this scale and corpus."""
    if work is None:
        return None
    same_training = replace(scale, matches=None)
    same = blake2b(repr((store.path.resolve(), store.shard_games, same_training)).encode(), digest_size=4).hexdigest()
    return work / f"{store.path.name}-{chosen.size}-{scale.games}-{same}"


def _labels(results: Results, scale: Scale) -> dict[str, str]:
    """Return the names in the figures as the paper writes them: T + DT(leaves/trees) [games]."""
    names = {}
    for name in (*e.MAIN, *e.FOREST_SIZES, *(name for curves in results.figure_2.values() for name in curves)):
        half = name == e.SIXTEEN_HALF
        forest = results.forests.get(e.SIXTEEN if half else name, results.forests[e.EIGHT])[0]
        label = f"{name if name in e.MAIN else e.TDT} [{scale.games // 2 if half else results.games[0]}]"
        trees = f"DT({sum(forest.leaf_counts)}/{len(forest)})"
        names[name] = label.replace("DT", trees).replace("P", f"P({results.patterns})")
    return names


def _games(results: Results, chosen: Games, scale: Scale) -> Iterator[Row]:
    title, size = "Games", f"{chosen.size}×{chosen.size}"
    about = f"even games, {size}, {100 * scale.sample:g} % of their moves; {scale.draws} draws without a common game"
    yield Row(title, "learned from, each draw", p.GAMES, results.games[0], note=about)
    tested = len(np.unique(results.test.games))
    yield Row(title, "tested on", p.TEST_GAMES, tested, note=f"{len(results.test):,} positions of other games")
    yield Row(title, "patterns", p.PATTERNS, results.patterns, note="that occurred 20 times or more")
    leaves = [sum(forest.leaf_counts) for forest in results.forests[e.EIGHT]]
    yield Row(title, "leaves of eight trees", p.LEAVES, leaves[0], note="the first draw")


def _figures(results: Results, labels: dict[str, str]) -> Iterator[Row]:
    figures: list[tuple[str, Sequence[str]]] = [
        ("Figure 2, one tree, first draw", results.figure_2[1]),
        ("Figure 2, eight trees, first draw", results.figure_2[8]),
        ("Figure 3", e.FOREST_SIZES),
        ("Figure 4", e.MAIN),
    ]
    for figure, names in figures:
        for k, words in RANKS.items():
            for name in names:
                found = results.found[name][: 1 if "first draw" in figure else None]
                note = "ours: the paper's trainer ran out of memory" if name == e.SIXTEEN else ""
                yield _row(f"{figure}: move {words} (%)", labels[name], None, share(found, results.test.games, k), note)


def _table_1(results: Results) -> Iterator[Row]:
    offsets = np.cumsum([0, *(LEVELS[feature] for feature in FEATURES)])
    for column, (name, words) in enumerate(((e.TP, "with patterns"), (e.TDT, "with decision trees"))):
        title = f"Table 1: γ {words} (interval: smallest and largest of the draws)"
        for feature, levels in p.WEIGHTS.items():
            for level, published in levels.items():
                place = int(offsets[FEATURES.index(feature)]) + level
                words_of_level = f"{feature} {level}: {PHRASES[feature][level]}"
                drawn = [float(found.weights[place]) for found in results.found[name]]
                if not any(drawn):
                    yield Row(title, words_of_level, published[column], None, note=UNMET)
                    continue
                ours, low, high = (float(np.exp(value)) for value in (np.mean(drawn), min(drawn), max(drawn)))
                yield Row(title, words_of_level, published[column], ours, (low, high))


def table_2(results: Results, scale: Scale) -> Iterator[Row]:
    """Yield the accuracy of each row of Table 2, beside that of guessing and of distances alone."""
    games = results.test.games
    title = "Table 2: MP accuracy (%)"
    yield _row(title, NULL, None, mean(100 / results.test.counts, games))
    yield _row(title, e.NEAR, None, share(results.found[e.NEAR], games))
    for name, published in zip(e.MAIN, p.ACCURACY, strict=True):
        yield _row(title, name, published, share(results.found[name], games))
    few = results.test.first_games(scale.few)
    title = f"Table 2: MP accuracy on {len(np.unique(games[few]))} test games (%)"
    for name, published in zip(e.MAIN, p.ACCURACY, strict=True):
        yield _row(title, name, published, share(results.found[name], games, rows=few))
    yield from _handicap(results, few)


def _handicap(results: Results, few: npt.NDArray[np.bool_]) -> Iterator[Row]:
    """Yield the accuracy on handicap games, and on as many even and handicap games: the paper's collection has both."""
    titles = "handicap games", "even and handicap games, half each"
    count = len(np.unique(results.handicap_games))
    both = np.concatenate([results.test.games[few], -1 - results.handicap_games])
    for apart, title in zip((True, False), titles, strict=True):
        for name, published in zip(e.MAIN, p.ACCURACY, strict=True):
            table = f"Table 2: MP accuracy on {title}, first draw (%)"
            if not count:
                yield Row(table, name, published, None, note="the corpus has no handicap games to test on")
                continue
            hits, games = 100 * results.handicap[name].within(1), results.handicap_games
            if not apart:
                hits, games = np.concatenate([100 * results.found[name][0].scores.within(1)[few], hits]), both
            yield _row(table, name, published, spread([hits], games), f"{len(np.unique(games))} games")


def _trees(results: Results) -> Iterator[Row]:
    title = "Descents, eight trees"
    yield Row(title, "descents that reach one leaf (%)", f"~ {p.UNIQUE}", 100 * results.unique)
    yield Row(title, "descents that go one way (%)", None, 100 * results.one_way)
    for words, name in (("left-most leaf", e.TDT), ("all leaves", e.ALL_LEAVES)):
        found = results.found[name][:1]
        yield _row(title, f"{words}: move ranked first (%)", None, share(found, results.test.games), "first draw")
        yield Row(title, f"{words}: CPU seconds of training", None, found[0].seconds)
        yield Row(
            title, f"{words}: training data (MB)", None, found[0].megabytes, note=f"{found[0].positions:,} positions"
        )
        yield Row(title, f"{words}: CPU milliseconds per position", None, results.milliseconds[words])


def _beyond(results: Results) -> Iterator[Row]:
    title = "Beyond the paper, first draw: move ranked first (%)"
    for name in (e.TDT, e.GAIN, e.FATE, e.TPDT, e.GAIN_P):
        forest = results.forests.get(e.GAIN if name == e.GAIN_P else name, results.forests[e.EIGHT])[0]
        note = f"{sum(forest.leaf_counts):,} leaves"
        yield _row(title, name, None, share(results.found[name][:1], results.test.games), note)
    title = "Beyond the paper, weights trained with more games: move ranked first (%)"
    for name, published in zip(e.MAIN, p.ACCURACY, strict=True):
        found = share(results.found[e.MORE[name]], results.test.games)
        yield _row(title, name, published, found, f"{results.more_games:,} games; the trees of the first draw")


def _trainers(results: Results) -> Iterator[Row]:
    said = {name: results.found[e.TP if place == 0 else name][:1] for place, name in enumerate(TRAINERS)}
    title = "Trainers on T + P, first draw"
    for name, found in said.items():
        yield _row(f"{title}: move ranked first (%)", name, None, share(found, results.test.games))
    for name, found in said.items():
        yield _row(f"{title}: mean ln probability of the move", name, None, evidence(found, results.test.games))
    for name, found in said.items():
        yield Row(f"{title}: CPU seconds", name, None, found[0].seconds)


def _row(table: str, name: str, published: float | None, found: Interval, note: str = "") -> Row:
    return Row(table, name, published, found.value, (found.low, found.high), note)
