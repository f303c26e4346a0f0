"""`tengen evaluate review`: differences between reviews and KataGo's evaluation of the same positions.

Start at `evaluate_review`. Labels are a file of lines `id, turn, size, lead, winrate, …` (….meta.tsv.gz); games are a
file with one game per line. Whole games are reviewed, those with the most labels first. At the labelled positions the
review is compared with KataGo, and so are the model and the search alone. A listed swing is compared with the change
between the nearest labels before and after it, at most `NEAR` moves away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from tengen.errors import TengenError
from tengen.go.files import unpacked
from tengen.go.record import Game
from tengen.measure.compare import mean
from tengen.measure.tables import Column, Table
from tengen.search.review import Look, ReviewedMove, Reviewer, komi_of

NEAR = 8
"""Maximum number of moves between a swing and the labels it is compared with."""

Labels = dict[str, dict[int, tuple[float, float]]]
"""KataGo's lead and winrate by game and turn."""


@dataclass
class Found:
    """The results of one way to evaluate positions, beside the labels."""

    name: str
    leads: list[float] = field(default_factory=list)
    winrates: list[float] = field(default_factory=list)


def read_labels(path: Path, size: int) -> Labels:
    """Read labels of one board size."""
    labels: Labels = {}
    for number, line in enumerate(unpacked(path.read_bytes(), str(path)).decode().splitlines(), 1):
        try:
            id, turn, side, lead, winrate, *_ = line.split("\t")
            if int(side) == size:
                labels.setdefault(id, {})[int(turn)] = float(lead), float(winrate)
        except ValueError:
            raise TengenError(f"{path}: line {number} needs id, turn, size, lead and winrate") from None
    return labels


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
        raise TengenError("no game has labels of this board size")
    ways = [Found("review"), Found("model"), *([Found("search")] if reviewer.searches else [])]
    truth: list[tuple[float, float]] = []
    owners: list[int] = []
    swings: list[tuple[float, float]] = []
    listed, moves, begun = 0, 0, time.process_time()
    for number, game in enumerate(chosen):
        boards = reviewer.boards(game)
        looks = reviewer.looks(boards)
        review = reviewer.conclude(game, boards, looks)
        known = {turn: label for turn, label in labels[game.id].items() if turn <= len(game)}
        for turn, label in known.items():
            lead, winrate = (review.start_lead, review.start_winrate) if not turn else _after(review.moves[turn - 1])
            said = [(lead, winrate), *_alone(looks[turn], komi_of(boards[turn]))]
            for way, (lead, winrate) in zip(ways, said, strict=True):
                way.leads.append(lead)
                way.winrates.append(winrate)
            truth.append(label)
            owners.append(number)
        for swing in review.swings:
            before, after = _nearest(known, swing.move)
            if before is not None and after is not None:
                swings.append((swing.points, (before - after) * (1 if swing.loser == "black" else -1)))
        listed, moves = listed + len(review.swings), moves + len(game)
        if progress is not None:
            progress(number + 1, len(chosen))
    ms = (time.process_time() - begun) / max(moves, 1) * 1000
    return _evaluations(ways, truth, owners, ms), _swings(swings, listed, moves)


def _after(move: ReviewedMove) -> tuple[float, float]:
    return move.lead, move.winrate


def _alone(look: Look, komi: float) -> list[tuple[float, float]]:
    """Return lead and winrate of the model, and of the search if there was one."""
    lead = look.model - komi
    found = [(lead, NormalDist().cdf(lead / max(look.spread, 1e-9)))]
    if look.search is not None and look.chance is not None:
        found.append((look.search - komi, look.chance))
    return found


def _nearest(known: dict[int, tuple[float, float]], move: int) -> tuple[float | None, float | None]:
    """Return the leads of the labels nearest to a move, before and after it."""
    before = max((turn for turn in known if move - NEAR <= turn < move), default=None)
    after = min((turn for turn in known if move <= turn < move + NEAR), default=None)
    return (None if before is None else known[before][0]), (None if after is None else known[after][0])


def _evaluations(ways: list[Found], truth: list[tuple[float, float]], owners: list[int], ms: float) -> Table:
    leads, winrates = np.array(truth).T
    columns: list[Column | str] = [
        "evaluator",
        Column("positions", digits=0),
        Column("lead error", digits=2),
        Column("median", digits=2),
        Column("winrate error", digits=3),
        Column("Brier", digits=4),
        Column("ms a move", digits=0),
    ]
    rows: list[list[Any]] = []
    for way in ways:
        errors = np.abs(np.array(way.leads) - leads)
        off = np.abs(np.array(way.winrates) - winrates)
        means = [mean(values, np.array(owners)) for values in (errors, off, off**2)]
        rows.append([way.name, len(truth), means[0], float(np.median(errors)), *means[1:], ms if not rows else None])
    return Table(columns, rows)


def _swings(swings: list[tuple[float, float]], listed: int, moves: int) -> Table:
    columns: list[Column | str] = [
        Column("swings listed", digits=0),
        Column("a 100 moves", digits=2),
        Column("labelled", digits=0),
        Column("same side loses", percent=True),
        Column("our points", digits=1),
        Column("KataGo's", digits=1),
    ]
    ours, theirs = np.array(swings).T if swings else (np.zeros(0), np.zeros(0))
    shares: list[Any] = [None, None, None]
    if swings:
        shares = [float((theirs > 0).mean()), float(ours.mean()), float(theirs.mean())]
    return Table(columns, [[listed, listed / max(moves, 1) * 100, len(swings), *shares]])
