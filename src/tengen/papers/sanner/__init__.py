"""Sanner, Graepel, Herbrich, Minka: Learning CRFs with Hierarchical Features: An Application to Go (2007).

Start at `reproduce`. The games are chosen in data.py, the models trained in models.py and evaluated in answers.py; the
paper's claims are checked in findings.py, its figures drawn in pictures.py, and leads calibrated in margins.py. Figure
5 is a plot without numbers, so only ours are given; its order is checked among the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tengen.papers import StageProgress
from tengen.papers.kept import kept_json
from tengen.papers.report import Finding, Row
from tengen.papers.sanner import models as m
from tengen.papers.sanner.answers import MEASURES, Answers, Floats, Test, milliseconds
from tengen.papers.sanner.data import TrainingGames, chosen_games
from tengen.papers.sanner.findings import findings
from tengen.papers.sanner.joint import joint_likelihoods, with_joint_likelihoods
from tengen.papers.sanner.margins import margins
from tengen.papers.sanner.models import Lesson, TrainedModel, trained

TRAINING_GAMES, TEST_GAMES, PATTERNS = 4524, 462, 3.6
MEGABYTES = 432
TIMED = 19
"""The board size that times are measured on, if the corpus has it."""

TRAINING = {
    m.LARGEST: "< 45 min",
    m.EXPONENTIAL: "< 45 min",
    m.PATTERN_PW: "~ 2 h",
    m.LOGISTIC: "~ 5 h",
    m.PATTERN_PL: "~ 12 h",
    m.CRF_BP: "> 2 days",
}
"""Table 1, as printed."""

INFERENCE: dict[str, float | None] = {
    m.LARGEST: 1.7,
    m.EXPONENTIAL: 6.0,
    m.LOGISTIC: 6.0,
    m.CRF_BP: 101.0,
    m.PATTERN_SUPW: 214.6,
    m.MONTE_CARLO: 2967.5,
    m.CRF_SW: 10568.7,
    m.CRF_EXACT: None,
}
"""Table 2 in milliseconds; the paper calls exact inference impractical."""


@dataclass(frozen=True)
class Scale:
    """The size of the experiment."""

    games: int
    test_games: int
    stages: int
    """Training positions per game."""
    test_stages: int
    couplings: int
    """Training boards for the couplings, in each draw."""
    exact: int
    """Test boards wider than 13 points for exact inference."""
    sampled: int
    """Test boards wider than 13 points for Swendsen–Wang."""
    joint: int = 50
    """Such boards for the likelihood of whole boards, which every field takes a third of a second for."""
    draws: int = 5
    """Draws of training boards for the couplings."""
    many: int = 2000
    """Boards of one large draw, for the trainers that are fast enough; 0 for none."""
    valid: int = 300
    """Validation positions for choosing settings."""
    timed: int = 30
    """Boards for measuring times."""


WHOLE = Scale(TRAINING_GAMES, TEST_GAMES, stages=20, test_stages=5, couplings=300, exact=200, sampled=200)
QUICK = replace(WHOLE, test_stages=10, couplings=200, exact=50, sampled=50, joint=10, draws=2, many=0, timed=10)


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
    """Train and compare the paper's models; yield its tables, the numbers of Figure 5, and its findings."""
    scale = QUICK if quick else WHOLE
    scale = replace(scale, games=games or scale.games)
    yield from report(chosen_games(corpus, labels, scale.stages), scale, work, pictures, progress)


def report(
    chosen: TrainingGames, scale: Scale, work: Path | None, pictures: Path | None, progress: StageProgress
) -> Iterator[Row | Finding]:
    """Yield the same for chosen games and an experiment of any size."""
    candidates: dict[str, TrainedModel] = {}
    with ExitStack() as stack:
        folder = work or Path(stack.enter_context(TemporaryDirectory()))
        lesson = _lesson(chosen, scale, folder)
        for candidate in trained(lesson, progress):
            candidates[candidate.name] = candidate
        resumed = kept_json(lesson.folder, m.COUNTING, dict)["resumed"] > 0
    # All settings are chosen: now the test games are opened.
    test = Test(chosen.held_out(scale.test_games, scale.test_stages), None if work is None else work / "answers")
    yield from _games(chosen, lesson, test)
    yield from _settings(candidates)
    share = _positions(candidates, chosen) / len(lesson.boards)
    yield from _table_1(candidates, lesson, share, resumed)
    progress("timing", None)
    times = _times(candidates, chosen, scale)
    yield from _table_2(candidates, times)
    said = _asked(candidates, test, scale, progress)
    yield from _figure_5(said, test)
    few = scale.joint if test.sample.boards.shape[-1] > 13 else None
    said = with_joint_likelihoods(candidates, said, test, few, progress)
    yield from joint_likelihoods(said, test, few)
    yield from _larger_draw(candidates, said, test, lesson, progress)
    yield from _kinds(said, test)
    yield from margins(said, test)
    if pictures is not None:
        from tengen.papers.sanner.pictures import draw_all

        progress("drawing", None)
        draw_all(pictures, said, test.sample)
    progress("comparing", None)
    yield from _beyond(said)
    seconds = {name: candidate.seconds_for(share) for name, candidate in candidates.items()}
    yield from findings(said, times, seconds)


def _lesson(chosen: TrainingGames, scale: Scale, work: Path) -> Lesson:
    data = chosen.data("patterns", scale.games)
    folder = work / f"{chosen.labels}-{chosen.size}-{data.limit}-{chosen.stages if chosen.outcomes else 'labelled'}"
    draws = chosen.draws("couplings", scale.draws, scale.couplings)
    many = chosen.sample("couplings", scale.many) if scale.many else None
    return Lesson(data, draws, chosen.sample("valid", scale.valid), folder, many)


def _games(chosen: TrainingGames, lesson: Lesson, test: Test) -> Iterator[Row]:
    title = "Games"
    target = "the end of the game, where the teacher is sure" if chosen.outcomes else "the position itself"
    about = f"labels {chosen.labels}, {chosen.size}×{chosen.size}, for {target}"
    learned = sum(count or 0 for count in lesson.data.shards.values())
    yield Row(title, "learned from", TRAINING_GAMES, learned, note=about)
    boards = lesson.boards
    draws = f" in each of {len(lesson.draws)} draws" if len(lesson.draws) > 1 else ""
    other = f"{len(boards)} positions{draws}; other games, so that couplings meet patterns as a test does"
    yield Row(title, "for the couplings", None, len(np.unique(boards.games)), note=other)
    choosing = f"{len(lesson.valid)} positions of validation games, for the regularisation of pseudolikelihood"
    if lesson.many is not None:
        games, about = len(np.unique(lesson.many.games)), f"{len(lesson.many)} positions"
        yield Row(title, "for the couplings, large draw", None, games, note=about)
    yield Row(title, "for choosing settings", None, len(np.unique(lesson.valid.games)), note=choosing)
    positions = f"{len(test.sample):,} positions, none of a game that was learned from"
    yield Row(title, "tested on", TEST_GAMES, len(np.unique(test.sample.games)), note=positions)


def _settings(candidates: Mapping[str, TrainedModel]) -> Iterator[Row]:
    """Yield the regularisation that was chosen for each model, with −log-likelihoods on validation games."""
    for name, candidate in candidates.items():
        if candidate.tried:
            tried = ", ".join(f"{value:.3f} at {l2:g}" for l2, value in candidate.tried)
            note = f"−log-likelihood per point: {tried}"
            yield Row(
                "Regularisation (l2) chosen on validation games", name, None, f"{candidate.model.l2:g}", note=note
            )


def _positions(candidates: Mapping[str, TrainedModel], chosen: TrainingGames) -> float:
    return float(candidates[m.EXPONENTIAL].model.total_[0]) / chosen.size**2


def _table_1(candidates: Mapping[str, TrainedModel], lesson: Lesson, share: float, resumed: bool) -> Iterator[Row]:
    for name, published in TRAINING.items():
        candidate = candidates[name]
        all_of_them = (
            f"couplings from {len(lesson.boards)} positions; from all about {candidate.seconds_for(share) / 60:.3g}"
        )
        notes = [all_of_them] * (candidate.couplings > 0)
        notes += ["part of the counts is from an earlier run"] * (resumed and name != m.CRF_BP)
        ours = (candidate.seconds or 0.0) / 60
        yield Row("Table 1: training time (minutes of one core)", name, published, ours, note="; ".join(notes))


def _times(candidates: Mapping[str, TrainedModel], chosen: TrainingGames, scale: Scale) -> dict[str, Floats]:
    """Return the milliseconds of each board."""
    boards = chosen.boards(TIMED, scale.timed)
    boards = boards if len(boards) else chosen.boards(chosen.size, scale.timed)
    few = {m.CRF_EXACT: 2}
    return {name: milliseconds(candidates[name].model, boards[: few.get(name)]) for name in INFERENCE}


def _table_2(candidates: Mapping[str, TrainedModel], times: Mapping[str, Floats]) -> Iterator[Row]:
    for name, published in INFERENCE.items():
        note = "the paper calls it impractical" if published is None else ""
        yield Row(
            "Table 2: inference time (CPU milliseconds per board)",
            name,
            published,
            float(np.median(times[name])),
            note=note,
        )
    title = "Memory"
    model = candidates[m.EXPONENTIAL].model
    patterns = len(model.keys_) / 1e6
    megabytes = (model.table().bytes + 8 * len(model.keys_)) / 1e6  # including the counts for reasons
    yield Row(title, "patterns (millions)", PATTERNS, patterns)
    repeated = len(candidates[m.REPEATED].model.keys_) / 1e6
    yield Row(title, "patterns if every position counts (millions)", None, repeated)
    yield Row(title, "patterns and parameters (MB)", MEGABYTES, megabytes)
    yield Row(title, "the same per million patterns (MB)", MEGABYTES / PATTERNS, megabytes / patterns)
    size = candidates[m.CRF_BP].model.log_potentials_.nbytes / 1000
    yield Row(title, "coupling parameters (kB)", "≤ 1", size)


def _asked(
    candidates: Mapping[str, TrainedModel], test: Test, scale: Scale, progress: StageProgress
) -> dict[str, Answers]:
    large = test.sample.boards.shape[-1] > 13
    few = {**dict.fromkeys(m.EXACT, scale.exact), **dict.fromkeys(m.SAMPLED, scale.sampled)} if large else {}
    said = {}
    for done, (name, candidate) in enumerate(candidates.items()):
        progress(f"asking {name}", done / len(candidates))
        said[name] = test.ask_all(name, (candidate.model, *candidate.others), few.get(name))
    return said


def _beyond(said: Mapping[str, Answers]) -> Iterator[Row]:
    """Yield the gains of our way of counting and averaging, of couplings trained for BP, and of more classes."""
    title = "Beyond the paper: differences (99 % intervals)"
    gains = {
        "BMA-Tree exponential, unchanged patterns counted once, minus counted at every position": (
            m.EXPONENTIAL,
            m.REPEATED,
        ),
        "our BMA-Tree minus the paper's exponential one": (m.BETA, m.EXPONENTIAL),
        "risk-trained couplings minus their BMA unaries": (m.PATTERN_RISK, m.BETA),
        "the same by phase and liberties": (m.PATTERN_PHASES, m.BETA),
        "by phase and liberties minus by colours": (m.PATTERN_PHASES, m.PATTERN_RISK),
    }
    for (what, (ours, theirs)), (measure, name) in product(gains.items(), MEASURES.items()):
        gap = said[ours].against(said[theirs], measure).difference
        yield Row(title, f"{what}: {name}", None, gap.value, (gap.low, gap.high))


def _figure_5(said: Mapping[str, Answers], test: Test) -> Iterator[Row]:
    for measure, title in MEASURES.items():
        for name, answers in said.items():
            found = answers.mean(measure)
            note = "" if answers.positions == len(test.sample) else f"on {answers.positions} positions"
            yield Row(f"Figure 5: {title}", name, None, found.value, (found.low, found.high), note)


def _larger_draw(
    candidates: Mapping[str, TrainedModel],
    said: Mapping[str, Answers],
    test: Test,
    lesson: Lesson,
    progress: StageProgress,
) -> Iterator[Row]:
    """Yield the measures with couplings trained on the large draw, and the differences from the smaller ones."""
    count = 0 if lesson.many is None else len(lesson.many)
    answers = {}
    for name, candidate in candidates.items():
        if candidate.more is not None:
            progress(f"asking {name} trained on {count} positions", None)
            answers[name] = test.ask(name, candidate.more)
    for (measure, title), (name, found) in product(MEASURES.items(), answers.items()):
        mean, gap = found.mean(measure), found.against(said[name], measure).difference
        values = [f"{value:+.2g}".replace("-", "−") for value in gap]
        note = f"minus the mean of the smaller draws {values[0]} [{values[1]}, {values[2]}] at 99 %"
        yield Row(f"Couplings from {count:,} positions: {title}", name, None, mean.value, (mean.low, mean.high), note)


def _kinds(said: Mapping[str, Answers], test: Test) -> Iterator[Row]:
    """Yield the same for even games and handicap games apart: a corpus may have more of these than the paper's."""
    for (kind, among), (measure, title) in product(test.kinds.items(), MEASURES.items()):
        for name, answers in said.items():
            if answers.said(among):
                found = answers.mean(measure, among)
                yield Row(f"Figure 5, {kind}: {title}", name, None, found.value, (found.low, found.high))
