"""`tengen evaluate review`: differences between reviews and KataGo's evaluation of the same positions.

Start at `evaluate_review`. Labels are a file of lines `id, turn, size, lead, winrate, …` (….meta.tsv.gz); games are a
file with one game per line. Whole games of one split are reviewed, those with the most labels first. At the labelled
positions the review is compared with KataGo, and so are the model and the search alone. A listed swing is compared with
the change between the nearest labels before and after it, at most `NEAR` moves away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.splits import SPLITS, split_of
from tengen.errors import TengenError
from tengen.go.files import unpacked
from tengen.go.record import Game
from tengen.measure.compare import mean
from tengen.measure.tables import Column, Table
from tengen.search.review import Review, Reviewer
from tengen.search.review_course import Look, Value

NEAR = 8
"""Maximum number of moves between a swing and the labels it is compared with."""

Labels = dict[str, dict[int, Value]]
"""KataGo's lead and winrate by game and turn."""


def read_labels(path: Path, size: int, split: str = "all") -> Labels:
    """Read labels of one board size, for the games of one split."""
    if split not in (*SPLITS, "all"):
        raise TengenError(f"split is one of {', '.join(SPLITS)} or all, not {split!r}")
    labels: Labels = {}
    for number, line in enumerate(unpacked(path.read_bytes(), str(path)).decode().splitlines(), 1):
        try:
            id, turn, side, lead, winrate, *_ = line.split("\t")
            if int(side) == size:
                labels.setdefault(id, {})[int(turn)] = Value(float(lead), float(winrate))
        except ValueError:
            raise TengenError(f"{path}: line {number} needs id, turn, size, lead and winrate") from None
    return labels if split == "all" else {id: known for id, known in labels.items() if split_of(id) == split}


@dataclass
class Measured:
    """What was found at the labelled positions and at the swings of some games."""

    ways: dict[str, list[Value]] = field(default_factory=dict)
    """The values by the review, by the model and, if there was one, by the search of every position."""
    spreads: list[float] = field(default_factory=list)
    """The standard deviations of the errors of the leads, according to the review."""
    truth: list[Value] = field(default_factory=list)
    games: list[int] = field(default_factory=list)
    """The number of the game of each position."""
    swings: list[tuple[float, float]] = field(default_factory=list)
    """Points lost by listed swings near labels: the review's and KataGo's."""
    listed: int = 0
    moves: int = 0

    def add(self, number: int, review: Review, looks: list[Look], known: dict[int, Value]) -> None:
        """Compare the review of a game with its labels."""
        course = [Value(review.start_lead, review.start_winrate), *(Value(m.lead, m.winrate) for m in review.moves)]
        errors = [move.lead_sd for move in review.moves]
        errors = errors[:1] + errors
        for turn, label in known.items():
            found = {"review": course[turn], "model": looks[turn].model, "search": looks[turn].search}
            for way, value in found.items():
                if value is not None:
                    self.ways.setdefault(way, []).append(value)
            self.spreads.append(errors[turn])
            self.truth.append(label)
            self.games.append(number)
        for swing in review.swings:
            before, after = _nearest(known, swing.move)
            if before is not None and after is not None:
                self.swings.append((swing.points, (before - after) * (1 if swing.loser == "black" else -1)))
        self.listed += len(review.swings)
        self.moves += len(review.moves)


def evaluate_review(
    games: Iterable[Game],
    labels: Labels,
    reviewer: Reviewer,
    *,
    sample: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Table, Table]:
    """Review the games with the most labels; return a table of evaluations and one of the listed swings."""
    chosen = sorted((game for game in games if game.id in labels), key=lambda game: (-len(labels[game.id]), game.id))
    if not (chosen := chosen[:sample]):
        raise TengenError("no game of this split has labels of this board size")
    found, begun = Measured(), time.process_time()
    for number, game in enumerate(chosen):
        boards = reviewer.boards(game)
        method = reviewer.method(boards[0])
        looks = reviewer.looks(boards, method)
        review = reviewer.conclude(game, boards, method, looks)
        known = {turn: label for turn, label in labels[game.id].items() if turn <= len(game)}
        found.add(number, review, looks, known)
        if progress is not None:
            progress(number + 1, len(chosen))
    ms = (time.process_time() - begun) / max(found.moves, 1) * 1000
    return _evaluations(found, ms), _swings(found)


def _nearest(known: dict[int, Value], move: int) -> tuple[float | None, float | None]:
    """Return the leads of the labels nearest to a move, before and after it."""
    before = max((turn for turn in known if move - NEAR <= turn < move), default=None)
    after = min((turn for turn in known if move <= turn < move + NEAR), default=None)
    return (None if before is None else known[before].lead), (None if after is None else known[after].lead)


def _evaluations(found: Measured, ms: float) -> Table:
    leads, winrates = np.array(found.truth).T
    games, spreads = np.array(found.games), np.array(found.spreads)  # the spread of a count is 0
    columns: list[Column | str] = [
        "evaluator",
        Column("positions", digits=0),
        Column("lead error", digits=2),
        Column("median", digits=2),
        Column("winrate error", digits=3),
        Column("Brier", digits=4),
        Column("within one sd", percent=True),
        Column("within two", percent=True),
        Column("ms a move", digits=0),
    ]
    rows: list[list[Any]] = []
    for way, values in found.ways.items():
        ours = np.array(values).T
        errors, off = np.abs(ours[0] - leads), np.abs(ours[1] - winrates)
        means = [mean(each, games) for each in (errors, off, off**2)]
        shares = [float((errors <= factor * spreads)[spreads > 0].mean()) for factor in (1, 2)]
        extra = [*shares, ms] if not rows else [None] * 3
        rows.append([way, len(leads), means[0], float(np.median(errors)), *means[1:], *extra])
    return Table(columns, rows)


def _swings(found: Measured) -> Table:
    columns: list[Column | str] = [
        Column("swings listed", digits=0),
        Column("a 100 moves", digits=2),
        Column("labelled", digits=0),
        Column("same side loses", percent=True),
        Column("our points", digits=1),
        Column("KataGo's", digits=1),
    ]
    shares: list[Any] = [None, None, None]
    if found.swings:
        ours, theirs = np.array(found.swings).T
        shares = [float((theirs > 0).mean()), float(ours.mean()), float(theirs.mean())]
    return Table(columns, [[found.listed, found.listed / max(found.moves, 1) * 100, len(found.swings), *shares]])
