"""Kamenetsky, Schraudolph, Günter, Vishwanathan: Modelling Go Positions with Planar CRFs (2007).

Start at `reproduce`. The games are chosen in games.py, the models trained in models.py. Table 2 is repeated on finished
9×9 games, as in the paper, and on 19×19 if the corpus has finished games of that size. The paper does not say how it
tells Black from White without fields: here the state that keeps more stones alive is chosen; models with fields are
additional rows. Every model is trained on several draws of games without a common game, and intervals resample draws
and test games together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from tengen.corpus.store import Store
from tengen.errors import TengenError
from tengen.measure.arrays import FloatArray
from tengen.measure.finals import FinalErrors
from tengen.measure.intervals import Interval
from tengen.papers import StageProgress
from tengen.papers.draws import spread
from tengen.papers.kamenetsky import models as m
from tengen.papers.kamenetsky.games import Finals, Lesson, finished_games, has_finals, lesson_of
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


@dataclass(frozen=True)
class Scale:
    """The size of the experiment."""

    draws: int = 3
    games: Mapping[int, int | None] = field(default_factory=lambda: {9: None, 19: 100})
    """Games of a draw by board size, at most; None takes all."""
    tests: int | None = None
    """Test games of each size, at most."""
    levels: tuple[float, ...] = (1e-5, 1e-4, 1e-3)
    """Values of l2 to choose from, on the first board size; the others take what was chosen there."""


WHOLE = Scale()
QUICK = Scale(draws=2, games={9: 100, 19: 100}, tests=200, levels=(1e-5,))

ENOUGH = 100

PREFERRED = {9: "small", 19: "marked"}


@dataclass(frozen=True)
class Run:
    """The results of one board size."""

    size: int
    said: dict[str, Trained]
    errors: dict[str, list[FinalErrors]]
    """The errors of every draw."""

    def rate(self, name: str, error: str) -> Interval:
        """Return one of the paper's errors in per cent, the mean of all draws."""
        return _per_cent([_parts(errors, error) for errors in self.errors[name]])

    def difference(self, one: str, other: str, share: float = 1.0) -> Interval:
        """Return the block error of a model minus a share of another's, in per cent, draw by draw."""
        first, second = self.errors[one], self.errors[other]
        pairs = [(first[i % len(first)], second[i % len(second)]) for i in range(max(len(first), len(second)))]
        gaps = [(a.wrong_chains - share * b.wrong_chains, a.chains) for a, b in pairs]
        return _per_cent(gaps)


def _parts(errors: FinalErrors, error: str) -> tuple[FloatArray, FloatArray]:
    """Return what is wrong in each game, and out of how much."""
    known = np.isfinite(errors.winner)
    parts = {
        "block": (errors.wrong_chains, errors.chains),
        "vertex": (errors.wrong_points, errors.points),
        "game": (errors.game, np.ones(len(errors.game))),
        "winner": (np.where(known, errors.winner, 0.0), known.astype(float)),
    }
    return parts[error]


def _per_cent(draws: Sequence[tuple[FloatArray, FloatArray]]) -> Interval:
    totals = draws[0][1]
    shares = [100 * wrong / np.maximum(totals, 1) for wrong, _ in draws]
    return spread(shares, np.arange(len(totals)), totals)


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
    scale = QUICK if quick else WHOLE
    runs: list[Run] = []
    for size, most in scale.games.items():
        chosen = _labels(store, labels, size)
        if chosen is None:
            continue
        learn, test = finished_games(store, chosen, size)
        test = test.take(range(min(len(test), scale.tests or len(test))))
        lesson = lesson_of(learn, scale.draws, games or most)
        run = _run(lesson, test, partial(_levels, scale, runs), work, progress)
        yield from _games(lesson, test, chosen)
        yield from _table_2(run)
        if pictures is not None:
            _draw(pictures, run, test)
        runs.append(run)
    if not runs:
        raise TengenError(f"{corpus} has no labelled final positions: make some with tengen corpus label")
    for run in runs:
        if len(run.errors[m.NAIVE][0].chains) >= ENOUGH:
            yield from _findings(run)


def _labels(store: Store, labels: str | None, size: int) -> str | None:
    """Return the label set to use: the one given, the preferred one, or the first that has such games."""
    names = [labels] if labels is not None else sorted(store.labels, key=lambda name: name != PREFERRED[size])
    return next((name for name in names if has_finals(store, name, size)), None)


def _levels(scale: Scale, runs: Sequence[Run], name: str) -> Sequence[float]:
    """Return the values of l2 to choose from for a row, or the one chosen on another board size."""
    chosen = runs[0].said[name].l2 if runs else None
    return scale.levels if chosen is None else (chosen,)


def _run(
    lesson: Lesson,
    test: Finals,
    levels: Callable[[str], Sequence[float]],
    work: Path | None,
    progress: StageProgress,
) -> Run:
    found = trained(lesson, test, levels, work, lambda stage: progress(stage, None))
    said = {each.name: each for each in found}
    errors = {name: [test.errors(owner) for owner in each.owners] for name, each in said.items()}
    return Run(test.boards.shape[1], said, errors)


def _games(lesson: Lesson, test: Finals, labels: str) -> Iterator[Row]:
    title = f"Games, {test.boards.shape[1]}×{test.boards.shape[1]}"
    collections = ", ".join(sorted({id_.partition(":")[0] for id_ in test.ids}))
    about = f"in each of {len(lesson.draws)} draws; {collections}; owners by labels {labels}"
    yield Row(title, "learned from", None, min(map(len, lesson.draws)), note=about)
    yield Row(title, "for choosing settings", None, len(lesson.valid), note="other games")
    yield Row(title, "tested on", None, len(test), note="other games; winners as recorded, ours by area")


def _table_2(run: Run) -> Iterator[Row]:
    for place, (error, title) in enumerate(ERRORS.items()):
        for name in run.errors:
            published = TABLE_2[name][place] if name in TABLE_2 and run.size == 9 else None
            value, low, high = run.rate(name, error)
            yield Row(f"Table 2, {run.size}×{run.size}: {title}", name, published, value, (low, high))
    for name, answer in run.said.items():
        if len(answer.tried) > 1:
            tried = ", ".join(f"{100 * wrong:.2f} % at {l2:g}" for l2, wrong in answer.tried)
            title = f"Regularisation (l2) chosen on validation games, {run.size}×{run.size}"
            yield Row(title, name, None, f"{answer.l2:g}", note=f"wrong chains: {tried}")
    title = f"Time, {run.size}×{run.size}: CPU milliseconds per answer"
    for name, answer in run.said.items():
        note = "" if answer.seconds is None else f"trained in {answer.seconds:.0f} s"
        yield Row(title, name, None, answer.milliseconds, note=note)


def _findings(run: Run) -> Iterator[Finding]:
    size = f"{run.size}×{run.size}"
    for worse, better in ((m.NAIVE, m.STERN), (m.STERN, m.BLOCK), (m.BLOCK, m.NEIGHBOURS)):
        yield lower(f"{size}: fewer chains are wrong by “{better}” than by “{worse}”", run, better, worse)
    for better in (m.BLOCK, m.NEIGHBOURS):
        times = TABLE_2[m.NAIVE][0] / TABLE_2[better][0]
        claim = f"{size}: “{better}” makes at most 1/{times:.1f} of the naive block error, as in Table 2"
        yield lower(claim, run, better, m.NAIVE, 1 / times)
    yield lower(f"{size}: additional features should help: “{m.RICH}” against “{m.FIELD}”", run, m.RICH, m.FIELD)
    for better in (m.LIBERTIES, m.POINTS):
        yield lower(f"{size}: dividing empty regions further should help: “{better}”", run, better, m.RICH)


def lower(claim: str, run: Run, better: str, worse: str, share: float = 1.0) -> Finding:
    """Check that one model's block error is lower than a share of another's, resampling games and training draws."""
    gap = run.difference(better, worse, share)
    held = True if gap.high < 0 else False if gap.low > 0 else None
    errors = [run.rate(name, "block").value for name in (better, worse)]
    limit = "" if share == 1 else f", of which {share * errors[1]:.2f} is the limit"
    values = [f"{value:+.2f}".replace("-", "−") for value in gap]
    evidence = f"{errors[0]:.2f} against {errors[1]:.2f} %{limit}: difference {values[0]} [{values[1]}, {values[2]}]"
    return Finding(claim, held, evidence)


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

    owner, wrong = run.said[m.RICH].owner, run.errors[m.RICH][0].wrong_chains > 0
    for game in np.flatnonzero(wrong)[:4].tolist():
        differs = np.argwhere((np.sign(owner[game]) != test.targets[game]) & (test.boards[game] != 0))
        marks = {(int(row), int(column)): "?" for row, column in differs}
        title = f"{test.ids[game]}: chains given to the wrong side"
        drawing = draw_svg(test.boards[game], owner=np.sign(owner[game]), marks=marks, title=title)
        (folder / f"mistake-{run.size}x{run.size}-{game}.svg").write_text(drawing, encoding="utf-8")
