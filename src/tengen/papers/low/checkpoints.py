"""Strength while training: the weights of checkpoints in games against GNU Go, level 1 (Low, Figures 3 to 5).

Start at `checkpoint_rows`. A run of training is a folder with one model file for each checkpoint, named by the number
of games played so far: checkpoint-000400.safetensors. Each checkpoint plays 60 games, half of them with each colour,
with the plies of the paper: two for networks, one for the random field. Our player is deterministic but for the choice
between equal moves, and GNU Go has a small random factor, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tengen.engines.process import find_program
from tengen.measure.compare import Comparison, compare
from tengen.measure.intervals import Interval
from tengen.papers.low.pruning import KOMI, standing_row
from tengen.papers.low.published import CHECKPOINT_GAMES, DECLINE, ITERATIONS
from tengen.papers.report import Finding, Row
from tengen.search.match import Contestant, Match, Played, Standing

GNU_GO = "gnugo:level=1"
RUNS = dict(zip(("network", "field", "self-play"), ITERATIONS, strict=True))
"""Folders of training runs and their names in the tables."""
PLIES = {"field": 1}

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Curve:
    """The results of one run of training by number of training games."""

    run: str
    played: dict[int, list[Played]] = field(default_factory=dict)

    @property
    def shares(self) -> dict[int, Interval]:
        """The share of games won at each checkpoint."""
        return {games: Standing.of(played).score for games, played in self.played.items()}

    def against(self, first: int, second: int) -> Comparison:
        """Compare two checkpoints game by game: same colour and number."""
        scores = [{game.number: game.score for game in self.played[each]} for each in (first, second)]
        both = sorted(scores[0].keys() & scores[1].keys())
        one, other = (np.array([100 * each[number] for number in both]) for each in scores)
        return compare(one, other, np.array(both))


def checkpoints(folder: Path) -> dict[int, Path]:
    """Return the model files of a run by number of training games."""
    numbers = ((path.stem.partition("-")[2], path) for path in folder.glob("checkpoint-*.safetensors"))
    return dict(sorted((int(number), path) for number, path in numbers if number.isdecimal()))


def checkpoint_match(model: Path, plies: int, games: int = CHECKPOINT_GAMES) -> Match:
    """Return the match of a checkpoint against GNU Go."""
    first = Contestant(f"tengen:kind={plies}-ply,guide={model.resolve()}")
    return Match(first, Contestant(GNU_GO), games, komi=KOMI, opening_moves=0, referee=Contestant("gnugo"))


def checkpoint_rows(training: Path | None, folder: Path | None, games: int, tell: Tell) -> Iterator[Row | Curve]:
    """Yield a row for each checkpoint of each run of training, and then the run's curve."""
    for run, name in RUNS.items():
        title = f"Training, {name}: games won against GNU Go 3.8, level 1 (%)"
        files = {} if training is None else checkpoints(training / run)
        reason = (
            f"the paper: {ITERATIONS[name]:,} games of training; put checkpoints of ours into training/{run} of --work"
            if not files
            else "not played: GNU Go is not installed"
            if find_program("gnugo") is None
            else ""
        )
        if reason or folder is None:
            yield Row(title, "all checkpoints", "a plot", None, note=reason)
            continue
        curve = Curve(run)
        for iterations, path in files.items():
            tell(f"{name}: {iterations:,} games of training against GNU Go")
            match = checkpoint_match(path, PLIES.get(run, 2), games)
            standing = match.play(folder / run / path.stem)
            curve.played[iterations] = match.known(folder / run / path.stem)
            yield standing_row(title, f"{iterations:,} games", None, standing, "half of them with each colour")
        yield curve


def training_findings(curves: Mapping[str, Curve]) -> Iterator[Finding]:
    """Check what the paper says about training."""
    for run, curve in curves.items():
        known = list(curve.played)
        if len(known) < 2:
            continue
        best = max(known, key=lambda games: curve.shares[games].value)
        found = curve.against(best, known[0])
        claim = f"training makes the evaluator stronger ({RUNS[run]})"
        yield Finding(claim, _side(found), _words(found, best, known[0]))
        if run == "network" and best != known[-1]:
            found = curve.against(best, known[-1])
            claim = f"performance declines after about {DECLINE:,} iterations"
            yield Finding(claim, _side(found), _words(found, best, known[-1]))


def _side(found: Comparison) -> bool | None:
    return (found.difference.value > 0) if found.clear else None


def _words(found: Comparison, first: int, second: int) -> str:
    gap = found.difference
    means = f"{found.first.value:.0f} % after {first:,} games against {found.second.value:.0f} % after {second:,}"
    return f"{means}: {gap.value:+.0f} points [{gap.low:+.0f}, {gap.high:+.0f}]"
