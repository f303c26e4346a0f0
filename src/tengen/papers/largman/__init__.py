"""Largman & Pham: Convolutional Restricted Boltzmann Machine Features for TD Learning in Go.

Start at `reproduce`, and at `report` for another `Scale`. The games are chosen in data.py, filters learned in
filters.py, players in players.py; winners.py classifies boards; the claims are checked in findings.py.

What differs from the paper: its update δ = r + γV(s) − V(s) is read as r + γV(s') − V(s), its softmax as one over the
colours of a point; a value sees the board as the player who just moved, and the komi; a unit of the invariant machine
can be off; a pass is valued like other moves, because games would not end otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from tengen.corpus.plays import WonGames
from tengen.corpus.store import Store
from tengen.extras import need
from tengen.measure.intervals import Interval, wilson
from tengen.models.estimate import evaluator_of
from tengen.models.registry import CLASSICAL
from tengen.papers import StageProgress
from tengen.papers.kept import Arrays, kept
from tengen.papers.largman import findings as check
from tengen.papers.largman import players as pl
from tengen.papers.largman import published as p
from tengen.papers.largman.data import SIZE, Games, chosen_games
from tengen.papers.largman.filters import CHECKED, KINDS, Learned, filter_rows, learned_filters
from tengen.papers.largman.players import CRBM, INVARIANT, OURS, PAPER, REAL, STEPS, TEMPLATES, Outcome, Players
from tengen.papers.largman.winners import Accuracy, classified
from tengen.papers.report import Finding, Row
from tengen.search.plies import evaluate
from tengen.values.features import PatchFeatures
from tengen.values.linear_td import drawn_boards

SHARED = "2×2 templates, summed over the board"
RIVALS = {f"lead of {name}": name for name in (CLASSICAL, "net/small")}
"""One feature that is not of the paper: the lead by a model that knows the rules."""
SEVERAL = "five boards of a game, which training and test may share"
STAGES = {"middle boards": (0.5,), "end boards": (1.0,), SEVERAL: (0.6, 0.7, 0.8, 0.9, 1.0)}
"""The shares of the moves after which boards are classified."""
VERSION = 2
"""Of the experiments: a change of it discards what is kept in work folders."""


@dataclass(frozen=True)
class Scale:
    """The size of the experiments."""

    games: int | None = None
    """Recorded games that values learn from; None for all."""
    pairs: int = 6
    """Independently trained pairs of players; each has filters of its own."""
    others: int = 3
    """The same for real-valued and invariant filters, which take longer, and filters in the classification."""
    boards: int = 100_000
    """Positions that filters learn from."""
    epochs: int = 20
    match_games: int = 100
    """Of each pair."""
    self_play: tuple[int, ...] = (10_000, 40_000)
    """Games of self-play after which the players meet again."""
    checkpoints: tuple[int, ...] = (p.ITERATIONS, 500, 1000, 2000, 5000)
    checkpoint_games: int = 400
    sizes: tuple[int, ...] = p.BOARDS
    """Training boards of the classification."""
    tested: int = 500
    """Boards of each collection that test the classification; fewer of a small one."""
    repetitions: int = 50


QUICK = Scale(
    pairs=2,
    others=2,
    boards=5000,
    epochs=5,
    match_games=8,
    self_play=(150,),
    checkpoints=(p.ITERATIONS,),
    checkpoint_games=100,
    sizes=(20, 40, 60),
    tested=80,
    repetitions=4,
)


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
    """Learn filters and values, play their matches, classify winners; yield tables and findings."""
    yield from report(Store(corpus), replace(QUICK if quick else Scale(), games=games), work, pictures, progress)


def report(
    store: Store, scale: Scale, work: Path | None, pictures: Path | None, progress: StageProgress
) -> Iterator[Row | Finding]:
    """Yield everything at a given scale."""

    def tell(stage: str) -> None:
        progress(stage, None)

    need("sklearn.svm")  # report a missing library before hours of games
    games = chosen_games(store, tested=scale.tested + max(scale.sizes))
    folder = None if work is None else work / f"{store.path.name}-{scale.boards}-{_key(games, scale)}"
    yield from _games(games, scale)
    filters = {kind: _filters(games, kind, scale, folder, tell) for kind in KINDS}
    others = {name for pool in games.pools.values() for name in pool}
    checked = drawn_boards([games.whole(others)], CHECKED, "mover", 0) if others else None
    if checked is not None:
        yield from filter_rows(filters, checked)
    yield check.filter_finding(filters)
    if pictures is not None:
        from tengen.papers.largman.pictures import draw_kinds

        draw_kinds(pictures, filters)
    players = Players(games.for_values, scale.games, filters, folder, tell)
    yield from _matches(players, scale)
    yield from _progress(players, scale, pictures)
    yield from _winners(games, filters, scale, folder, pictures, tell)


def _key(games: Games, scale: Scale) -> str:
    """Return the key of all on which filters, players and classified boards depend."""
    ids = [*games.collections.items(), *((name, sorted(pool)) for name, pool in games.pools.items())]
    same = repr((VERSION, ids, sorted(games.gnugo), scale.games, scale.boards, scale.epochs))
    return blake2b(same.encode(), digest_size=4).hexdigest()


def _filters(games: Games, kind: str, scale: Scale, folder: Path | None, tell: pl.Tell) -> list[Learned]:
    """Learn filters of a kind, one for each pair of players."""
    return [
        learned_filters(games.for_filters, kind, seed, scale.boards, scale.epochs, folder, tell)
        for seed in range(scale.pairs if kind == "multinomial" else scale.others)
    ]


def _games(games: Games, scale: Scale) -> Iterator[Row]:
    title = "Games, 9×9"
    count = len(games.for_values)
    yield Row(title, "values learn from", p.GAMES, min(count, scale.games or count), note="GNU Go's, if there are any")
    positions = min(scale.boards, int(games.for_filters.offsets[-1]))
    yield Row(title, "filters learn from", None, len(games.for_filters), note=f"{positions:,} positions")
    for name, pool in games.pools.items():
        note = f"{max(len(pool) - max(scale.sizes), 0)} of them in each test; no filter has seen them"
        yield Row(title, f"classified: {name}", None, len(pool), note=note)
    title = "Features of a board"
    for name, published in p.FEATURES.items():
        side = 2 if name == TEMPLATES else p.SIDE
        kinds = 3 ** (side * side) if name == TEMPLATES else p.FILTERS
        yield Row(title, name, published, kinds * (SIZE - side + 1) ** 2)


def _matches(players: Players, scale: Scale) -> Iterator[Row | Finding]:
    def played(first: str, second: str, way: pl.Way, self_play: int = 0, pairs: int = scale.pairs) -> Outcome:
        return players.match(first, second, way, pairs, scale.match_games, self_play)

    title = "CRBM against 2×2 templates, learned from recorded games: games won by the CRBM (%)"
    published = 100 * p.WON / p.PLAYED
    main = played(CRBM, TEMPLATES, PAPER)
    theirs = wilson(p.WON, p.PLAYED)
    words = f"the paper's interval: [{100 * theirs.low:.0f}, {100 * theirs.high:.0f}]"
    yield Row(title, "published games", round(published, 2), None, note=words)
    yield _match_row(title, PAPER.name, main, round(published, 2))
    yield _match_row(title, STEPS.name, played(CRBM, TEMPLATES, STEPS))
    ours = played(CRBM, TEMPLATES, OURS)
    yield _match_row(title, OURS.name, ours)
    yield _match_row(
        title, "no difference: templates against those of another pair", played(TEMPLATES, TEMPLATES, PAPER)
    )
    later = {}
    for count in scale.self_play:
        title = f"CRBM against 2×2 templates after {count:,} games of self-play each: games won by the CRBM (%)"
        for way in (PAPER, OURS):
            later[count, way] = played(CRBM, TEMPLATES, way, count)
            yield _match_row(title, way.name, later[count, way])
    title = "Games won against random moves (%)"
    for self_play in (0, *scale.self_play):
        for name in (CRBM, TEMPLATES):
            for way in (PAPER, OURS):
                each = [
                    pl.against_random(players.player(name, way, pair, self_play), way, scale.match_games)
                    for pair in range(scale.pairs)
                ]
                words = f"{name}, {f'{self_play:,} games of self-play' if self_play else 'recorded games'}, {way.name}"
                yield _match_row(title, words, pl.pooled(each))
    title = "Kinds of filters: games won against the multinomial CRBM (%)"
    invariant = played(INVARIANT, CRBM, PAPER, pairs=scale.others)
    yield _match_row(title, INVARIANT, invariant)
    yield _match_row(title, REAL, played(REAL, CRBM, PAPER, pairs=scale.others))
    yield check.match_finding("CRBM features beat as many 2×2 templates in play", main)
    yield check.match_finding("the same with logistic loss, λ = 0.8 and no eyes filled", ours)
    for (count, way), found in later.items():
        yield check.match_finding(f"the same after {count:,} games of self-play ({way.name})", found)
    claim = "invariant features play worse than plain ones (the plain CRBM wins)"
    lost = tuple(decided - won for won, decided in zip(invariant.won, invariant.decided, strict=True))
    yield check.match_finding(claim, replace(invariant, won=lost))


def _progress(players: Players, scale: Scale, pictures: Path | None) -> Iterator[Row | Finding]:
    curves: dict[str, dict[int, Outcome]] = {}
    for way in (PAPER, OURS):
        runs = [
            players.progress(CRBM, way, pair, scale.checkpoints, scale.checkpoint_games) for pair in range(scale.pairs)
        ]
        curve = {games: pl.pooled([run[i] for run in runs]) for i, games in enumerate(scale.checkpoints)}
        title = f"CRBM learning against its frozen copy, {way.name}: games won (%)"
        for games, found in curve.items():
            published = "consistently" if games == p.ITERATIONS else None
            yield _match_row(title, f"after {games:,} games", found, published)
        curves[way.name] = curve
    if pictures is not None:
        from tengen.papers.largman.pictures import draw_progress

        draw_progress(pictures, curves)
    for words, curve in curves.items():
        yield check.progress_finding(curve, words)


def _winners(
    games: Games,
    filters: dict[str, list[Learned]],
    scale: Scale,
    folder: Path | None,
    pictures: Path | None,
    tell: pl.Tell,
) -> Iterator[Row | Finding]:
    tables: dict[str, dict[str, Accuracy]] = {}
    for collection in games.pools:
        if (count := len(games.boards(collection, 1))) < max(scale.sizes) + 20:
            yield Row("Winners", collection, None, None, note=f"{count} games are too few")
            continue
        for stage, shares in STAGES.items():
            words, boards = f"{collection}, {stage}", games.boards(collection, *shares)
            names = (TEMPLATES, SHARED, CRBM, INVARIANT, *(RIVALS if len(shares) == 1 else ()))
            tables[words] = _table(words, boards, names, filters, scale, folder, tell)
            yield from _winner_rows(words, tables[words], boards)
            if pictures is not None:
                from tengen.papers.largman.pictures import draw_winners

                draw_winners(pictures, words, tables[words])
    yield from check.winner_findings(tables)


def _table(
    words: str,
    boards: WonGames,
    names: Collection[str],
    filters: dict[str, list[Learned]],
    scale: Scale,
    folder: Path | None,
    tell: pl.Tell,
) -> dict[str, Accuracy]:
    """Classify the boards with some features."""
    positions = boards.positions
    stones, own = positions.stones, np.ones(len(boards), np.int8)
    tables = {CRBM: "multinomial", INVARIANT: "invariant"}
    found = {}
    for name in names:

        def make(name: str = name) -> Arrays:
            tell(f"winners: {words}, {name}")
            if name in RIVALS:
                leads = evaluate(evaluator_of(RIVALS[name]), positions)[1]
                return classified([leads[:, None]], boards.won, scale.sizes, scale.repetitions)
            if name in tables:
                learned = filters[tables[name]][: scale.others]
                windows = [PatchFeatures(p.SIDE, one.machine.table()) for one in learned]
            else:
                windows = [PatchFeatures(2, None, shared=name == SHARED)]
            features = [each.matrix(stones, own) for each in windows]
            return classified(features, boards.won, scale.sizes, scale.repetitions)

        numbers = "-".join(map(str, (*scale.sizes, scale.others, scale.repetitions)))
        text = f"winners-{words}-{name}-{numbers}".replace(" ", "-").replace("×", "x")
        arrays = kept(folder, text.replace(",", "").replace("/", "-"), make)
        found[name] = Accuracy.of(scale.sizes, arrays, boards.games)
    return found


def _winner_rows(words: str, table: dict[str, Accuracy], boards: WonGames) -> Iterator[Row]:
    title = f"Winner found by a support vector machine, {words}: share"
    often = max(float(boards.won.mean()), 1 - float(boards.won.mean()))
    yield Row(title, "nothing learned: the colour that wins more often", None, often)
    for name, found in table.items():
        for place, size in enumerate(found.sizes):
            published = p.WINNERS[name][p.BOARDS.index(size)] if name in p.WINNERS else None
            share, note = found.share(place), found.note(place)
            if name in RIVALS:
                note += "; the model may have learned from other labels of these games"
            yield Row(title, f"{name}, {size}", published, share.value, (share.low, share.high), note)


def _match_row(table: str, name: str, found: Outcome, published: float | str | None = None) -> Row:
    share: Interval = found.share
    return Row(table, name, published, share.value, (share.low, share.high), found.note)
