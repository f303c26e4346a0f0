"""Players that value positions: learned from games, then by self-play; their matches, and the learner's own progress.

Start at `Players`. A `Way` says how values learn and play. Games are played in the core. GNU Go counts the finished
games of a match, as in the paper; without it they are counted by area as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan, nan
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from tengen.corpus.plays import WholeGames
from tengen.engines.gtp import gnugo
from tengen.engines.process import find_program
from tengen.extras import need
from tengen.go.board import Board
from tengen.measure.intervals import Interval, wilson
from tengen.papers.kept import Arrays, kept
from tengen.papers.largman import published as p
from tengen.papers.largman.data import SIZE, shuffled
from tengen.papers.largman.filters import Learned
from tengen.values.linear_td import CrbmValue, InvariantCrbmValue, PatchValue, PlayedGames, TemplateValue, boards_after

Tell: TypeAlias = Callable[[str], None]

TEMPLATES, CRBM, INVARIANT, REAL = "2×2 templates", "CRBM", "invariant CRBM", "real-valued CRBM"
FILTERS_OF = {CRBM: "multinomial", INVARIANT: "invariant", REAL: "real-valued"}
COUNTING = 1
"""GNU Go's level when it counts; level 10 found the same winners in eight games and took six times as long."""
CHUNK = 1000
"""Games of self-play after which the weights are kept."""


@dataclass(frozen=True)
class Way:
    """How values learn and play."""

    name: str
    loss: Literal["squared", "logistic"] = "squared"
    decay: float = 0.0
    rate: float = 0.1
    passes: int = 1
    """Over the recorded games."""
    own_eyes: bool = True
    """Whether a player may fill its eyes; then it passes when that seems best, otherwise when it has no other move."""

    @property
    def short(self) -> str:
        """A name for files."""
        return f"{self.loss}-{self.decay:g}-{self.rate:g}-{self.passes}-{'eyes' if self.own_eyes else 'no-eyes'}"

    @property
    def conditions(self) -> dict[str, Any]:
        """Arguments of `self_play` for a match."""
        same = {"epsilon": p.EPSILON, "last_epsilon": p.EPSILON, "opponent_epsilon": p.EPSILON, "komi": p.KOMI}
        return {**same, "max_moves": p.LONGEST if self.own_eyes else 0, "forbid_own_eye": not self.own_eyes}


PAPER = Way("as in the paper: squared loss, λ = 0")
STEPS = Way("the same, ten times the step and five passes", rate=1.0, passes=5)
OURS = Way("logistic loss, λ = 0.8, no eyes filled, no move limit", "logistic", 0.8, own_eyes=False)


@dataclass(frozen=True)
class Outcome:
    """The decided games of a match, by pair of independently trained players."""

    won: tuple[int, ...]
    decided: tuple[int, ...]
    undecided: int
    referee: str

    @property
    def share(self) -> Interval:
        """The share of decided games won by the first player, in percent, with an interval that includes the pair.

        If the pairs differ more than chance allows, the interval is wider: the variance is that between pairs, and the
        bounds are those of Student's t for their number.
        """
        won, decided = np.array(self.won), np.array(self.decided)
        games, share = decided.sum(), won.sum() / max(decided.sum(), 1)
        freedom, z = int((decided > 0).sum()) - 1, 1.96
        if 0 < share < 1 and freedom > 0:
            squares = (decided * (won / np.maximum(decided, 1) - share) ** 2).sum()
            dispersion = squares / (share * (1 - share) * freedom)
            if dispersion > 1:
                games, z = games / dispersion, float(need("scipy.stats").t.ppf(0.975, freedom))
        return Interval(*(100 * value for value in wilson(share * games, games, z)))

    @property
    def note(self) -> str:
        """The pairs, and the games without a winner."""
        each = ", ".join(f"{won} of {decided}" for won, decided in zip(self.won, self.decided, strict=True))
        return f"{each}; {self.undecided} without a winner; counted {self.referee}"


@dataclass
class Players:
    """Learned players, kept in a folder."""

    games: WholeGames
    most: int | None
    """Games that values learn from; None for all."""
    filters: dict[str, list[Learned]]
    folder: Path | None
    tell: Tell
    _made: dict[Any, PatchValue] = field(default_factory=dict)

    def player(self, features: str, way: Way, pair: int, self_play: int = 0) -> PatchValue:
        """Return a player that has learned from recorded games, and then from games of self-play."""
        key = features, way, pair, self_play
        if key not in self._made:
            model = self._new(features, way, pair)
            name = f"{features.replace(' ', '-').replace('×', 'x')}-{way.short}-{pair}"
            found = kept(self.folder, f"offline-{name}", lambda: self._offline(model, way, pair))
            model.weights_, model.alpha_ = found["weights"], found["alpha"]
            if self_play:
                self._self_play(model, way, self_play, name)
            self._made[key] = model
        return self._made[key]

    def _new(self, features: str, way: Way, pair: int) -> PatchValue:
        settings: Any = {"size": SIZE, "loss": way.loss, "decay": way.decay, "rate": way.rate, "seed": pair}
        if features == TEMPLATES:
            return TemplateValue(**settings)
        machine = self.filters[FILTERS_OF[features]][pair].machine
        kind = InvariantCrbmValue if features == INVARIANT else CrbmValue
        model = kind(filters=machine.filters, side=machine.side, visible=machine.visible, **settings)
        model.use_filters(machine)
        return model

    def _offline(self, model: PatchValue, way: Way, pair: int) -> Arrays:
        """Learn from the games, in another order for each pair."""
        self.tell(f"{model.name}: recorded games, {way.name}, pair {pair + 1}")
        for turn in range(way.passes):
            model.learn_games(shuffled(self.games, 100 * pair + turn, self.most))
        return {"weights": model.weights_, "alpha": model.alpha_}

    def _self_play(self, model: PatchValue, way: Way, games: int, name: str) -> None:
        done = 0
        path = None if self.folder is None else self.folder / f"self-play-{games}-{name}.safetensors"
        if path is not None and path.exists():
            again = type(model).load(path)
            model.weights_, model.games_ = again.weights_, again.games_
            done = int(model.games_[0])
        while done < games:
            self.tell(f"{model.name}: self-play {done:,} of {games:,}, {way.name}")
            more = min(CHUNK, games - done)
            model.self_play(more, **_falling(done / games, (done + more) / games), **_training(way))
            done += more
            if path is not None:
                model.save(path)

    def match(self, first: str, second: str, way: Way, pairs: int, games: int, self_play: int = 0) -> Outcome:
        """Play games between two kinds of features for each pair; against itself, pairs are shifted by one."""
        won, decided, undecided, referee = [], [], 0, ""
        for pair in range(pairs):
            other = (pair + 1) % pairs if first == second else pair
            one, two = self.player(first, way, pair, self_play), self.player(second, way, other, self_play)
            name = f"match-{games}-{first}-{second}-{way.short}-{pair}-{self_play}".replace(" ", "-").replace("×", "x")
            played = _fresh(one).self_play(games, opponent=two, learn=False, **way.conditions)
            finished = ~np.isnan(played.leads)
            counted = kept(self.folder, name, partial(self._counted, played, name))
            leads = np.where(played.black[finished], 1, -1) * counted["leads"]
            won.append(int((leads > 0).sum()))
            decided.append(int((~np.isnan(leads)).sum()))
            undecided += games - decided[-1]
            referee = "by GNU Go" if counted["gnugo"] else "by area as they stand: GNU Go is not installed"
        return Outcome(tuple(won), tuple(decided), undecided, referee)

    def _counted(self, played: PlayedGames, name: str) -> Arrays:
        """Return Black's leads in the finished games."""
        finished = ~np.isnan(played.leads)
        if find_program("gnugo") is None:
            return {"leads": played.leads[finished], "gnugo": np.array(False)}
        self.tell(f"GNU Go counts {name}")
        last = np.zeros(len(played.moves), bool)
        last[played.offsets[1:][finished] - 1] = True
        stones, _ = boards_after(SIZE, played.moves, played.offsets, last)
        with gnugo(level=COUNTING, rules="chinese") as engine:
            leads = [_count(engine, Board.from_stones(each, komi=p.KOMI, rules="chinese")) for each in stones]
        return {"leads": np.array(leads, np.float64), "gnugo": np.array(True)}

    def progress(self, features: str, way: Way, pair: int, checkpoints: Sequence[int], games: int) -> list[Outcome]:
        """Learn against a frozen copy; return the games against it at checkpoints, counted by area as they stand."""

        def make() -> Arrays:
            frozen = self.player(features, way, pair)
            learner, found = _fresh(frozen), []
            for before, now in zip((0, *checkpoints), checkpoints, strict=False):
                self.tell(f"{features}: {now:,} games against its frozen copy, {way.name}, pair {pair + 1}")
                share = _falling(before / checkpoints[-1], now / checkpoints[-1])
                learner.self_play(now - before, opponent=frozen, **share, **_training(way))
                played = _fresh(learner).self_play(games, opponent=frozen, learn=False, **way.conditions)
                found.append((played.wins, played.decided))
            return {"found": np.array(found)}

        text = "-".join(map(str, checkpoints))
        name = f"progress-{text}-{games}-{features}-{way.short}-{pair}".replace(" ", "-").replace("×", "x")
        rows = kept(self.folder, name, make)["found"].tolist()
        return [Outcome((won,), (decided,), games - decided, "by area as they stand") for won, decided in rows]


def against_random(player: PatchValue, way: Way, games: int) -> Outcome:
    """Play games against random moves, counted by area as they stand."""
    conditions = {**way.conditions, "opponent_epsilon": 1.0}
    played = _fresh(player).self_play(games, opponent=player, learn=False, **conditions)
    return Outcome((played.wins,), (played.decided,), games - played.decided, "by area as they stand")


def pooled(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the games of several pairs together."""
    won, decided = (tuple(value for each in outcomes for value in getattr(each, key)) for key in ("won", "decided"))
    return Outcome(won, decided, sum(each.undecided for each in outcomes), outcomes[0].referee)


def _fresh(model: PatchValue) -> PatchValue:
    """Return a copy that begins with game 0, so that a match does not depend on the games before."""
    copy = object.__new__(type(model))
    copy.__dict__.update({key: value for key, value in model.__dict__.items() if key != "games_"})
    return copy


def _training(way: Way) -> dict[str, Any]:
    return {"komi": p.KOMI, "forbid_own_eye": not way.own_eyes, "opponent_epsilon": p.EPSILON}


def _falling(first: float, last: float) -> dict[str, Any]:
    """Return the part of a fall of epsilon from 0.3 to 0.02 between two shares of the games."""
    return {"epsilon": 0.3 - 0.28 * first, "last_epsilon": 0.3 - 0.28 * last}


def _count(engine: Any, board: Board) -> float:
    engine.set_position(board)
    lead = engine.final_score()
    return nan if lead is None or isnan(lead) else float(lead)
