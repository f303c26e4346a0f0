"""Kamenetsky, Schraudolph, Günter, Vishwanathan: Modelling Go Positions with Planar CRFs (2007).

Start at `reproduce`. The games are chosen in games.py, the models trained in models.py. Table 2 is repeated on finished
9×9 games, as in the paper, and on 19×19 if the corpus has finished games of that size. The paper does not say how it
tells Black from White without fields: here the state that keeps more stones alive is chosen; models with fields are
additional rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.measure.compare import compare
from tengen.measure.finals import FinalErrors
from tengen.papers import StageProgress
from tengen.papers.kamenetsky import models as m
from tengen.papers.kamenetsky.games import Finals, finished_games, has_finals
from tengen.papers.kamenetsky.models import Trained, trained
from tengen.papers.report import Finding, Row

TABLE_2 = {
    m.NAIVE: (17.57, 6.79, 75.70, 30.79),
    m.STERN: (7.36, 4.77, 38.30, 13.80),
    m.BLOCK: (3.56, 2.36, 13.02, 4.53),
    m.NEIGHBOURS: (2.76, 1.87, 9.60, 3.42),
}
"""Block, vertex, game and winner errors in per cent, as printed."""

ERRORS = {
    "block": "block error (% of chains)",
    "vertex": "vertex error (% of points that are not neutral)",
    "game": "game error (% of games with a wrong point)",
    "winner": "winner error (% of games)",
}

GAMES = {9: 1_000_000, 19: 600}

QUICK = 200
"""Maximum number of training games and of test games of each size in a quick run."""

ENOUGH = 100

PREFERRED = {9: "small", 19: "marked"}


@dataclass(frozen=True)
class Run:
    """The results of one board size."""

    size: int
    said: dict[str, Trained]
    errors: dict[str, FinalErrors]


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
    """Train and compare the models of Table 2 on finished 9×9 games, then on 19×19, and check the findings."""
    store = Store(corpus)
    runs: list[Run] = []
    for size, most in GAMES.items():
        chosen = _labels(store, labels, size)
        if chosen is None:
            continue
        learn, test = finished_games(store, chosen, size)
        if quick:
            learn, test = (each.take(range(min(len(each), QUICK))) for each in (learn, test))
        learn = learn.take(range(min(len(learn), games or most)))
        yield from _games(learn, test, chosen)
        run = _run(learn, test, work, progress)
        yield from _table_2(run)
        if pictures is not None:
            _draw(pictures, run, test)
        runs.append(run)
    if not runs:
        raise TengenError(f"{corpus} has no labelled final positions: make some with tengen corpus label")
    for run in runs:
        if len(run.errors[m.NAIVE].chains) >= ENOUGH:
            yield from _findings(run)


def _labels(store: Store, labels: str | None, size: int) -> str | None:
    """Return the label set to use: the one given, the preferred one, or the first that has such games."""
    names = [labels] if labels is not None else sorted(store.labels, key=lambda name: name != PREFERRED[size])
    return next((name for name in names if has_finals(store, name, size)), None)


def _run(learn: Finals, test: Finals, work: Path | None, progress: StageProgress) -> Run:
    said = {found.name: found for found in trained(learn, test, work, lambda stage: progress(stage, None))}
    return Run(test.boards.shape[1], said, {name: test.errors(found.owner) for name, found in said.items()})


def _games(learn: Finals, test: Finals, labels: str) -> Iterator[Row]:
    title = f"Games, {test.boards.shape[1]}×{test.boards.shape[1]}"
    collections = ", ".join(sorted({id_.partition(":")[0] for id_ in test.ids}))
    yield Row(title, "learned from", None, len(learn), note=f"{collections}; owners by labels {labels}")
    yield Row(title, "tested on", None, len(test), note="other games; winners as recorded, ours by area")


def _table_2(run: Run) -> Iterator[Row]:
    rates = {name: errors.rates() for name, errors in run.errors.items()}
    for place, (error, title) in enumerate(ERRORS.items()):
        for name, found in rates.items():
            published = TABLE_2[name][place] if name in TABLE_2 and run.size == 9 else None
            value, low, high = (100 * number for number in found[error])
            yield Row(f"Table 2, {run.size}×{run.size}: {title}", name, published, value, (low, high))
    title = f"Time, {run.size}×{run.size}: CPU milliseconds per answer"
    for name, answer in run.said.items():
        note = "" if answer.seconds is None else f"trained in {answer.seconds:.0f} s"
        yield Row(title, name, None, answer.milliseconds, note=note)


def _findings(run: Run) -> Iterator[Finding]:
    size = f"{run.size}×{run.size}"
    for worse, better in ((m.NAIVE, m.STERN), (m.STERN, m.BLOCK), (m.BLOCK, m.NEIGHBOURS)):
        yield _lower(f"{size}: fewer chains are wrong by “{better}” than by “{worse}”", run.errors, better, worse)
    for better in (m.BLOCK, m.NEIGHBOURS):
        shares = [_block_error(run.errors[name]) for name in (m.NAIVE, better)]
        ours = shares[0] / shares[1] if shares[1] else np.inf
        paper = TABLE_2[m.NAIVE][0] / TABLE_2[better][0]
        claim = f"{size}: “{better}” makes at most 1/{paper:.1f} of the naive block error"
        yield Finding(claim, bool(ours >= paper), f"{100 * shares[1]:.2f} of {100 * shares[0]:.2f} %, 1/{ours:.1f}")
    for better in (m.LIBERTIES, m.POINTS):
        claim = f"{size}: dividing empty regions further should help: “{better}”"
        yield _lower(claim, run.errors, better, m.RICH)


def _block_error(errors: FinalErrors) -> float:
    return float(errors.wrong_chains.sum() / errors.chains.sum())


def _lower(claim: str, errors: Mapping[str, FinalErrors], better: str, worse: str) -> Finding:
    """Compare the block errors of two models on the same games, resampling games."""
    one, other = errors[better], errors[worse]
    chains = one.chains
    first, second = (each.wrong_chains / np.maximum(chains, 1) for each in (one, other))
    found = compare(first, second, np.arange(len(chains)), chains)
    low, high = 100 * found.difference.low, 100 * found.difference.high
    held = True if high < 0 else False if low > 0 else None
    said = (
        f"{100 * found.first.value:.2f} against {100 * found.second.value:.2f} %, difference {low:+.2f} to {high:+.2f}"
    )
    return Finding(claim, held, said)


def _draw(folder: Path, run: Run, test: Finals) -> None:
    """Draw the graphs of a game with dead stones, and the first games that the best model gets wrong."""
    from tengen.views.graphs import graph_of

    folder.mkdir(parents=True, exist_ok=True)
    dead = (test.boards * test.targets < 0).any((1, 2))
    board = test.boards[int(dead.argmax())]
    for name in ("fate", "block", "group"):
        file = folder / f"{name}-graph-{run.size}x{run.size}.svg"
        file.write_text(graph_of(board, name).svg(board), encoding="utf-8")
    _draw_mistakes(folder, run, test)


def _draw_mistakes(folder: Path, run: Run, test: Finals) -> None:
    from tengen.go.svg import draw_svg

    owner, wrong = run.said[m.RICH].owner, run.errors[m.RICH].wrong_chains > 0
    for game in np.flatnonzero(wrong)[:4].tolist():
        differs = np.argwhere((np.sign(owner[game]) != test.targets[game]) & (test.boards[game] != 0))
        marks = {(int(row), int(column)): "?" for row, column in differs}
        title = f"{test.ids[game]}: chains given to the wrong side"
        drawing = draw_svg(test.boards[game], owner=np.sign(owner[game]), marks=marks, title=title)
        (folder / f"mistake-{run.size}x{run.size}-{game}.svg").write_text(drawing, encoding="utf-8")
