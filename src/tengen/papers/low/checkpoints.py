"""Strength while training: the weights of checkpoints in games against GNU Go, level 1 (Low, Figures 3 to 5).

Start at `TrainedRuns`, which trains, plays and compares. A run of training is a folder from which a stopped one
continues, with one model file for each checkpoint, named by the number of games played so far:
checkpoint-000400.safetensors. Each checkpoint plays 60 games, half of them with each colour, with the plies of the
paper: two for networks, one for the random field.

Our player chooses at random only between equal moves, and GNU Go varies its moves little, as in the paper. So many of
the 60 games are the same game. Low suspects that the decline after 1,500 iterations comes from that. The two
checkpoints that decide about the decline therefore also play with moves drawn by value, and from random openings. All
other comparisons use random openings and drawn moves: these games differ from each other, and from those by which the
best checkpoint was chosen.

The paper counts wins. They are few, so the points by which games are won or lost are compared too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tengen.engines.process import find_program
from tengen.errors import TengenError
from tengen.go.counting import lead_of
from tengen.measure.compare import Comparison, compare
from tengen.measure.intervals import Interval
from tengen.models.registry import load
from tengen.papers.low.data import Games
from tengen.papers.low.networks import FIELD, FOUR, NETWORK, configuration_of, model_of
from tengen.papers.low.pruning import KOMI, NEEDS_WORK, standing_row
from tengen.papers.low.published import CHECKPOINT_GAMES, DECLINE, GAMES, ITERATIONS
from tengen.papers.report import Finding, Row
from tengen.search.match import Contestant, Match, Played, Standing
from tengen.search.plies import TEMPERATURE
from tengen.training.learner import learner_of
from tengen.training.lessons import AgainstEngine, Lessons, Play, SelfPlay
from tengen.training.loop import train

GNU_GO = "gnugo:level=1"
FLAT = 81 * TEMPERATURE
"""The temperature if Low's values are between −1 and 1 on 9×9, and not points."""
VARIED = "ours drawn by value, random openings"
WAYS = {"": 0, "ours drawn by value": 0, VARIED: 2}
"""Ways of playing a match and their random opening moves; the first is the paper's."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Run:
    """A run of training, and the plies with which it is tested."""

    name: str
    evaluator: str
    """The configuration of networks.py that learns."""
    games: int
    plies: int = 2
    self_play: bool = False
    """Learn from games against itself, from nothing. Otherwise from games against GNU Go, after the last positions of
    the paper's number of recorded games."""
    temperature: float = TEMPERATURE

    @property
    def lessons(self) -> Lessons:
        """Where its positions come from."""
        play = Play(komi=KOMI, temperature=self.temperature)
        return SelfPlay(play) if self.self_play else AgainstEngine(Contestant(GNU_GO), play)


_network, _field, _alone = ITERATIONS
RUNS = {
    "network": Run(_network, NETWORK, ITERATIONS[_network]),
    "four-layers": Run("network of four layers against GNU Go, 2-ply", FOUR, ITERATIONS[_network]),
    "field": Run(_field, FIELD, ITERATIONS[_field], plies=1),
    "self-play": Run(_alone, NETWORK, ITERATIONS[_alone], self_play=True),
    "flat": Run("network, moves drawn by values between −1 and 1, 2-ply", NETWORK, DECLINE, temperature=FLAT),
}
"""Folders of training runs, and what they train."""


@dataclass(frozen=True)
class Training:
    """The size of the experiment."""

    runs: tuple[str, ...] = tuple(RUNS)
    games: int | None = None
    """Games of each run; None for the paper's."""
    checkpoints: int = 10
    tested: int = CHECKPOINT_GAMES
    """Games of each checkpoint against GNU Go."""
    at_once: int = 2


@dataclass(frozen=True)
class Curve:
    """The results of one run of training by number of training games."""

    run: str
    played: dict[int, list[Played]] = field(default_factory=dict)

    @property
    def shares(self) -> dict[int, Interval]:
        """The share of games won at each checkpoint."""
        return {games: Standing.of(played).score for games, played in self.played.items()}

    @property
    def best(self) -> int:
        """The checkpoint after the first that won most games; of equal ones, that with most points."""
        later = sorted(self.played)[1:]
        return max(later, key=lambda games: (self.shares[games].value, _mean(self.played[games])))

    def nearest(self, games: int) -> int:
        """Return the checkpoint nearest to a number of training games."""
        return min(self.played, key=lambda known: abs(known - games))


def points(game: Played) -> float:
    """Return the points by which the first player won; negative if it lost, 0 if nobody counted."""
    lead = lead_of(game.result) or 0.0
    return lead if game.colour == "black" else -lead


def against(
    first: list[Played], second: list[Played], measure: Callable[[Played], float] = lambda game: 100 * game.score
) -> Comparison:
    """Compare two players game by game: same colour and number. Pairs are resampled, as both games share an opening."""
    scores = [{game.number: measure(game) for game in games} for games in (first, second)]
    both = sorted(scores[0].keys() & scores[1].keys())
    one, other = (np.array([each[number] for number in both]) for each in scores)
    return compare(one, other, np.array(both) // 2)


def checkpoints(folder: Path) -> dict[int, Path]:
    """Return the model files of a run by number of training games."""
    numbers = ((path.stem.partition("-")[2], path) for path in folder.glob("checkpoint-*.safetensors"))
    return dict(sorted((int(number), path) for number, path in numbers if number.isdecimal()))


def checkpoint_match(model: Path, plies: int, games: int = CHECKPOINT_GAMES, way: str = "") -> Match:
    """Return the match of a checkpoint against GNU Go."""
    drawn = f",temperature={TEMPERATURE:g}" if way else ""
    first = Contestant(f"tengen:kind={plies}-ply,guide={model.resolve()}{drawn}")
    opening, referee = WAYS[way], Contestant("gnugo")
    return Match(first, Contestant(GNU_GO), games, komi=KOMI, opening_moves=opening, referee=referee)


def trained(run: str, games: Games, scale: Training, folder: Path, tell: Tell) -> dict[int, Path]:
    """Train, or go on with a stopped run; return the checkpoints."""
    what = RUNS[run]
    configuration = configuration_of(what.evaluator)
    if what.self_play:
        learner = learner_of(configuration.new())
    else:
        learner = learner_of(model_of(configuration, games.last_ten(0, GAMES), folder / "begun"))
    total = scale.games or what.games

    def told(row: dict[str, Any]) -> None:
        if row["iteration"] % 10 == 0:
            tell(f"{what.name}: {row['iteration']:,} of {total:,} games of training")

    train(learner, what.lessons, folder / run, total, checkpoints=scale.checkpoints, report=told)
    due = {total * (i + 1) // scale.checkpoints for i in range(scale.checkpoints)}  # a shorter run may have left others
    return {games: path for games, path in checkpoints(folder / run).items() if games in due}


@dataclass
class TrainedRuns:
    """Runs of training and the games of their checkpoints, played and kept."""

    games: Games
    scale: Training
    folder: Path
    tell: Tell
    files: dict[str, dict[int, Path]] = field(default_factory=dict)
    """The checkpoints of each run."""
    curves: dict[str, Curve] = field(default_factory=dict)

    @property
    def models(self) -> dict[str, Any]:
        """The model after all games of each run, by name."""
        return {RUNS[run].name: load(files[max(files)]) for run, files in self.files.items()}

    def played(self, run: str, iterations: int, way: str = "") -> list[Played]:
        """Return the games of a checkpoint that have a result; raise TengenError if none has one."""
        path = self.files[run][iterations]
        match = checkpoint_match(path, RUNS[run].plies, self.scale.tested, way)
        folder = self.folder / "games" / run / "-".join([path.stem, *way.replace(",", "").split()])
        match.play(folder, at_once=self.scale.at_once)
        games = [game for game in match.known(folder) if not math.isnan(game.score)]
        if not games:
            why = f"the records in {folder} give the reason; delete them to play again"
            raise TengenError(f"no game of {path.stem} has a result: {why}")
        return games

    def rows(self, run: str) -> Iterator[Row]:
        """Train, and play with all checkpoints of a run; yield a row for each."""
        self.files[run] = trained(run, self.games, self.scale, self.folder / "training", self.tell)
        title, self.curves[run] = _title(run), Curve(run)
        for iterations in self.files[run]:
            self.tell(f"{RUNS[run].name}: {iterations:,} games of training against GNU Go")
            games = self.curves[run].played[iterations] = self.played(run, iterations)
            note = f"half of them with each colour; {_points(games)}"
            yield standing_row(title, f"{iterations:,} games", None, Standing.of(games), note)

    def findings(self) -> Iterator[Row | Finding]:
        """Check what the paper says about training."""
        for run, curve in self.curves.items():
            if len(curve.played) > 1:
                claim = f"training makes the evaluator stronger ({RUNS[run].name})"
                yield from self._compared(claim, (run, curve.best), (run, min(curve.played)))
        if "network" not in self.curves or len(self.curves["network"].played) < 2:
            return
        last, before = max(self.curves["network"].played), self.curves["network"].nearest(DECLINE)
        for way in WAYS if last != before else ():
            words = f"performance declines after about {DECLINE:,} iterations{', ' if way else ''}{way}"
            if way:
                for iterations in (before, last):
                    games = self.played("network", iterations, way)
                    name = f"{iterations:,} games, {way}"
                    yield standing_row(_title("network"), name, None, Standing.of(games), _points(games))
            yield from self._compared(words, ("network", before), ("network", last), way)
        if "four-layers" in self.curves:
            claim = "four layers are better than three, after training by playing"
            yield from self._compared(claim, ("four-layers", last), ("network", last))
        if "self-play" in self.curves:
            other = self.curves["self-play"].nearest(before)
            claim = "self-play improves more slowly than training against GNU Go"
            yield from self._compared(claim, ("network", before), ("self-play", other))
        if "flat" in self.curves:
            other = self.curves["flat"].nearest(before)
            claim = "the value in Low's choice of moves is in points, not between −1 and 1 (ours)"
            yield from self._compared(claim, ("network", before), ("flat", other))

    def _compared(
        self, claim: str, first: tuple[str, int], second: tuple[str, int], way: str = VARIED
    ) -> Iterator[Finding]:
        """Compare the wins of two checkpoints, then their points."""
        mine, theirs = (self.played(*each, way) for each in (first, second))
        names = [RUNS[run].name for run, _ in (first, second)]
        one, two = (f"after {games:,} games" for _, games in (first, second))
        if names[0] != names[1]:
            one, two = f"{one} ({names[0]})", f"{two} ({names[1]})"
        won, ahead = against(mine, theirs), against(mine, theirs, points)
        means = f"{won.first.value:.0f} % {one} against {won.second.value:.0f} % {two}"
        yield Finding(claim, _held(won), f"{means}: {_signed(won.difference)} percentage points")
        means = f"{_signed(ahead.first)} points a game {one} against {_signed(ahead.second)} {two}"
        yield Finding(f"{claim}, in points", _held(ahead), f"{means}: {_signed(ahead.difference)}")


def _held(found: Comparison) -> bool | None:
    return (found.difference.value > 0) if found.clear else None


def _signed(mean: Interval) -> str:
    return f"{mean.value:+.0f} [{mean.low:+.0f}, {mean.high:+.0f}]".replace("-", "−")


def _points(games: list[Played]) -> str:
    return f"{_signed(against(games, games, points).first)} points a game"


def _mean(played: list[Played]) -> float:
    return sum(map(points, played)) / len(played)


def why_not_trained(folder: Path | None) -> str:
    """Return why nothing can be trained here; empty if it can."""
    if folder is None:
        return NEEDS_WORK
    return "" if find_program("gnugo") else "not played: GNU Go is not installed"


def rows_not_trained(scale: Training, reason: str) -> Iterator[Row]:
    """Yield a row for each run that is not trained."""
    for run in scale.runs:
        note = f"{reason}; the paper: {RUNS[run].games:,} games of training"
        yield Row(_title(run), "all checkpoints", "a plot", None, note=note)


def _title(run: str) -> str:
    return f"Training, {RUNS[run].name}: games won against GNU Go 3.8, level 1 (%)"
