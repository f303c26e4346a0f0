"""The player: it holds a position and a search tree, thinks, and decides.

Start at `Player.choose`, which thinks and then asks whether to pass or to resign; `Player.think` only analyses. The
tree itself is native (core/include/tengen/search.hpp).
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import read_only
from tengen.go.board import Board, PlayoutPolicy
from tengen.go.colour import Colour, as_colour
from tengen.go.playout_weights import playout_weights
from tengen.go.positions import Positions
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import ask
from tengen.numbers import checked_count, checked_number
from tengen.search.clock import LONGEST_MOVE, Clock, moves_to_come
from tengen.search.ending import captures_of_dead, settled_game
from tengen.search.guide import Asked, GuideUse, TreeGuide, guide_of
from tengen.search.restrict import Depths, Restriction, allow, depths

Kind: TypeAlias = Literal["uct", "strong"]

USUAL_PLAYOUTS = 10_000
FIRST_PLAYOUTS = 16
"""So many are always played, so that there is something to say."""
SLICE = 0.01
"""Seconds of native work between two looks at `stop`."""
MANY = 2**40
LCB_WIDTH = 1.96
SHRINKAGE = 32
"""The weight, in visits, of the position's winrate and lead in those reported of a move. Tuned on five positions each
of a 9×9 and a 19×19 game, against searches of single moves: without it the leads of moves with 20 visits or fewer are
off by 24 and 41 points (root mean square), with it by 4.4 and 3.7; the minimum is at 16 on 9×9 and at 64 on 19×19."""
PASS_SHARE = 0.2
"""The share of a move's time that is kept for asking whether to pass."""
UNDECIDED, OPEN_SHARE = 0.6, 0.15
"""While more than this share of the board has an owner less sure than that, the game is not over."""
HOPELESS = 0.05
"""Chances below which a player whose opponent has passed gives up the fight."""
RESIGN_BELOW = 0.05
"""Default of `Settings.resign_below`."""
PATIENCE = 3
"""Decisions in a row below `resign_below` before a player resigns."""
KNOWLEDGE = _core.Knowledge(ladder=95)
"""What knowing playouts of a search know: they read ladders as well."""


@dataclass(frozen=True)
class Settings:
    """How a player searches. Without playouts and seconds it thinks for 10,000 playouts a move."""

    playouts: int | None = None
    """Playouts a move; None for no limit but the time."""
    seconds: float | None = None
    """Seconds a move at most, also under a clock; None for no limit but the playouts, and 30 under a clock."""
    threads: int = 1
    seed: int | None = 0
    """Seed of the playouts; None draws a new one for every tree."""
    kind: Kind = "strong"
    """Plain UCT as in Low, with uniform playouts, or the strong search with RAVE, priors and knowing playouts."""
    memory: int = 512
    """Megabytes the tree may take."""
    resign_below: float = RESIGN_BELOW
    """A player whose chances stay below this for several moves resigns; 0 never resigns."""
    policy: PlayoutPolicy | None = None
    """Who plays the playouts; None for knowing ones in the strong search and uniform ones in the plain one."""
    dynamic_komi: bool = False
    """Whether a lopsided game is searched against a komi that moves; what is said of it stays the truth."""
    widening: bool = False
    """Whether the moves of a position are opened one by one, the most promising first."""
    guide: ModelLike | None = None
    """The evaluator that is asked about positions of the tree: a registry name, a file or an object. It is looked up
    when the settings are made, and is an object from then on."""
    guided: int = 1
    """The guide is asked about positions fewer moves than this from the root; 1: about the root alone."""
    guide_as: GuideUse | None = None
    """How it is used: "priors" of the moves (its policy, or else Black's winrate after each move), "values" of the
    positions (its winrate, or what its lead or ownership stands for), or by default priors and, if it gives a policy
    as well as a value, values."""
    keep: int | None = None
    """The number of moves of a position that are kept, the best by the guide's priors; the pass is always kept. None
    keeps all."""

    def __post_init__(self) -> None:
        checked_count(0 if self.seed is None else self.seed, "seed", most=2**64 - 1)
        checked_count(self.playouts or 0, "playouts", most=MANY)
        checked_count(self.guided, "guided", most=1000)
        for name, value, known in (("kind", self.kind, Kind), ("policy", self.policy or "uniform", PlayoutPolicy)):
            if value not in get_args(known):
                raise TengenError(f"the {name} of a search is {' or '.join(get_args(known))}, not {value!r}")
        threads = checked_count(self.threads, "threads", most=256)
        if min(threads, checked_count(self.memory, "memory", most=65_536)) < 1:
            raise TengenError("a search needs a thread and a megabyte at least")
        checked_number(self.seconds or 0.0, "seconds", 0)
        if self.keep is not None and checked_count(self.keep, "keep", most=1000) < 1:
            raise TengenError("keep is a number of moves from 1")
        if self.guide is not None:
            object.__setattr__(self, "guide", guide_of(self.guide, self.guide_as, self.keep))
        elif self.guide_as is not None or self.keep is not None:
            raise TengenError("guide_as and keep need a guide")
        checked_number(self.resign_below, "resign_below", 0, 1)

    @property
    def knowledge(self) -> _core.Knowledge | _core.PlayoutWeights | None:
        """What the playouts know; None for uniform ones."""
        policy = self.policy or ("knowing" if self.kind == "strong" else "uniform")
        if policy == "uniform":
            return None
        return KNOWLEDGE if policy == "knowing" else playout_weights(policy)


@dataclass(frozen=True)
class Candidate:
    """A move of the root as the search sees it. Chances and points are Black's."""

    move: str
    visits: int
    winrate: float
    """Black's winrate after it, shrunk towards that of the position: (sum of its playouts + K × the position's winrate)
    / (visits + K) with K = `SHRINKAGE`, because the mean of a few playouts says nothing."""
    lead: float
    """Points Black is ahead after it, komi included, shrunk in the same way."""
    prior: float
    """The share of belief it had before the search; all candidates sum to 1."""
    lcb: float
    """The winrate at the pessimistic end for the player to move, as Black's winrate."""
    line: tuple[str, ...]
    """The line that the search expects, this move first."""
    line_visits: tuple[int, ...] = ()
    """How often each move of the line was visited."""
    mean_winrate: float = math.nan
    """Mean of its playouts alone, without shrinkage."""
    mean_lead: float = math.nan
    """Mean of its playouts alone, without shrinkage."""


@dataclass(frozen=True)
class Analysis:
    """What a search found. Chances and points are Black's."""

    to_play: Colour
    visits: int
    winrate: float
    lead: float
    lead_sd: float
    """The standard deviation of the lead from playout to playout."""
    ownership: npt.NDArray[np.float64] = field(compare=False)
    """Who owned each point at the end of the playouts: an array [row, column], 1 Black, −1 White."""
    candidates: tuple[Candidate, ...]
    """The moves that were considered, best first."""


@dataclass(frozen=True)
class Decision:
    """What a player does: a move, "pass" or "resign", with the analysis behind it."""

    move: str
    analysis: Analysis


class Player:
    """A position and the tree grown from it."""

    def __init__(self, board: Board, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._board = board.copy()
        self._tree: _core.Search | None = None
        self._deep: tuple[Restriction, ...] = ()  # what left moves out below the root while the tree grew
        self._hopeless = 0  # own decisions in a row without much hope
        self._asked = Asked()

    @property
    def board(self) -> Board:
        """A copy of the position."""
        return self._board.copy()

    @property
    def nodes(self) -> int:
        """How many moves the tree holds."""
        self._refuse_own_guide()
        return self._tree.nodes if self._tree else 0

    def play(self, move: str, colour: str | None = None) -> None:
        """Play a move or "pass"; what the tree knows about its continuation is kept."""
        self._refuse_own_guide()
        mover = self._board.to_play if colour is None else as_colour(colour)
        expected = mover == self._board.to_play
        index = self._board.index(move)
        self._board.play(move, mover)
        if self._tree is not None and not (expected and not self._deep and self._tree.advance(index)):
            self._tree = None

    def undo(self) -> None:
        """Take back the last move."""
        self._refuse_own_guide()
        self._board.undo()
        self._tree = None

    def think(
        self,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        report: Callable[[Analysis], None] | None = None,
        every: float = 0.1,
        first: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> Analysis:
        """Search until the playouts or the seconds are used up (default: the settings') or `stop()` says so.

        `seconds=math.inf` thinks until stopped. `report` receives the analysis after `first` seconds (default: `every`)
        and then every `every` seconds.
        Restrictions leave moves out of the tree (search/restrict.py).
        """
        self._refuse_own_guide()
        for name, pause in (("every", every), ("first", first)):
            if pause is not None and not pause >= 0:
                raise TengenError(f"{name}: seconds from 0, not {pause!r}")
        tree, barred = self._grown(restrictions), depths(restrictions, self._board)
        run, guided = self._runner(tree, barred), self.settings.guide is not None
        left, seconds = self._limits(playouts, seconds)
        start = time.monotonic()
        due = start + (every if first is None else first)
        if guided:  # before the first playouts, so that what they find does not depend on the time it takes
            run(0, min(SLICE, seconds))
            while not tree.caught_up and (now := time.monotonic()) - start < seconds and not (stop and stop()):
                run(0, min(SLICE, seconds - (now - start)))
        least = int(min(left, FIRST_PLAYOUTS))
        left -= run(least, 0.0, least=least)
        while left > 0 and (now := time.monotonic()) - start < seconds and not (stop and stop()):
            if report and now >= due:
                due = now + every
                report(self._analysis(tree, barred))
            pause = min(SLICE, seconds - (now - start))
            left -= run(int(min(left, MANY)), pause)
        return self._analysis(tree, barred)

    def choose(
        self,
        *,
        clock: Clock | None = None,
        cleanup: bool = False,
        may_resign: bool = True,
        stop: Callable[[], bool] | None = None,
        report: Callable[[Analysis], None] | None = None,
        every: float = 0.1,
        restrictions: Sequence[Restriction] = (),
    ) -> Decision:
        """Think and decide; the move is not played.

        With `cleanup` the dead stones of the enemy are captured before passing. The rest is as for `think`; with
        restrictions the best of the moves that are left is played, whatever it is worth.
        """
        seconds = math.inf if clock is None else self.planned_seconds(clock)
        if cleanup and (wanted := self._considered(captures_of_dead(self._board))):
            restrictions = (allow(wanted),)
        analysis = self._think_within(
            seconds * (1 - PASS_SHARE),
            stop=stop,
            report=report,
            every=every,
            restrictions=restrictions,
        )
        if restrictions:
            return Decision(analysis.candidates[0].move, analysis)
        if self._should_pass(analysis, seconds * PASS_SHARE, stop):
            return Decision("pass", analysis)
        if self._should_resign(analysis) and may_resign:
            return Decision("resign", analysis)
        return Decision(analysis.candidates[0].move, analysis)

    def priors(self) -> npt.NDArray[np.float64]:
        """Return the probability of each move before any playout, point by point, the pass last, without a search.

        That is the policy of the guide, if it gives one, or else the priors of the tree.
        """
        self._refuse_own_guide()
        guide = None if self.settings.guide is None else evaluator_of(self.settings.guide)
        if guide is not None and "policy" in guide.gives:
            with self._asked:
                found = ask(guide, Positions.of([self._board]), "policy").policy
            assert found is not None
            return np.asarray(found[0])
        tree = self._planted()
        self._runner(tree, depths((), self._board))(1, 0.0, least=1)  # the first playout gives the root its moves
        priors = np.zeros(self._board.width * self._board.height + 1)
        for move in tree.report().moves:
            priors[move.move] = move.prior
        return priors

    # Thinking.

    def planned_seconds(self, clock: Clock) -> float:
        """Return how many seconds `choose` takes for the next move under a clock."""
        longest = LONGEST_MOVE if self.settings.seconds is None else self.settings.seconds
        return clock.thinking_time(moves_to_come(self._board), longest=longest)

    def _refuse_own_guide(self) -> None:
        if self._asked.here:
            raise TengenError("a guide cannot use the player that asks it: it runs while that player thinks")

    def _think_within(self, seconds: float, **watched: Any) -> Analysis:
        """Think as the settings say, but no longer than a clock allows."""
        if math.isinf(seconds):
            return self.think(**watched)
        return self.think(playouts=self.settings.playouts, seconds=seconds, **watched)

    def _considered(self, moves: Collection[str]) -> tuple[str, ...]:
        """Those of the moves that the search considers: none that repeats a position, fills an eye or was pruned."""
        tree = self._grown()
        if not tree.report().moves:
            self.think(playouts=1)
        known = {self._board.move_name(move.move) for move in tree.report().moves}
        return tuple(move for move in moves if move in known)

    def _limits(self, playouts: int | None, seconds: float | None) -> tuple[float, float]:
        if playouts is None and seconds is None:
            playouts, seconds = self.settings.playouts, self.settings.seconds
        if playouts is None and seconds is None:
            playouts = USUAL_PLAYOUTS
        for what, limit in (("playouts", playouts), ("seconds", seconds)):
            if limit != math.inf:
                checked_number(limit or 0, what, 0)
        return max(1, math.inf if playouts is None else playouts), math.inf if seconds is None else seconds

    def _runner(self, tree: _core.Search, barred: Depths) -> Callable[..., int]:
        """Return `tree.run` with the settings' threads and guide; it takes playouts and seconds."""
        settings, flat = self.settings, barred.ravel().tolist()
        run = partial(tree.run, threads=settings.threads, barred=flat)
        if settings.guide is None:
            return run
        guide = TreeGuide(evaluator_of(settings.guide), settings.guide_as, self._board, self._asked)
        keep = settings.keep or 0
        return partial(run, guide=guide, guided=settings.guided, after_moves=guide.after_moves, keep=keep)

    def _grown(self, restrictions: Sequence[Restriction] = ()) -> _core.Search:
        """Return the tree; what grew while other moves were left out below the root is of no use."""
        deep = tuple(restrictions) if any(each.depth > 1 for each in restrictions) else ()
        if self._tree is None or self._deep != deep:
            self._deep = deep
            self._tree = self._planted()
        return self._tree

    def _planted(self) -> _core.Search:
        """Return a new tree of the position."""
        board, settings = self._board, self.settings
        return _core.Search(
            board.native,
            settings.kind == "strong",
            secrets.randbits(64) if settings.seed is None else settings.seed,
            # A subtree that is kept is copied, at most half a tree.
            settings.memory * 2**20 * 2 // (3 * _core.NODE_BYTES),
            board.komi + board.rules.bonus(board.handicap),
            board.rules.scoring == "TERRITORY",
            settings.knowledge,
            widening=settings.widening,
            moving_komi=settings.dynamic_komi,
        )

    def _analysis(self, tree: _core.Search, barred: Depths) -> Analysis:
        black = self._board.to_play == "black"
        left_out = barred[0 if black else 1]
        report = tree.report()
        moves = [move for move in report.moves if not left_out[move.move]]
        if not moves:
            raise TengenError("none of the moves that are allowed can be considered here")
        moves.sort(key=lambda move: (-move.visits, -move.wins / max(move.visits, 1), -move.prior))
        visits, playouts = sum(move.visits for move in moves), max(report.playouts, 1)
        wins = sum(move.wins for move in moves) / max(visits, 1)
        ahead = sum(move.lead for move in moves) / max(visits, 1)
        mean = report.lead / playouts
        return Analysis(
            self._board.to_play,
            visits,
            wins if black else 1 - wins,
            ahead,
            math.sqrt(max(report.lead_squares / playouts - mean * mean, 0.0)),
            read_only((report.black - report.white) / playouts),
            tuple(self._candidate(move, wins, ahead) for move in moves if move.visits > 0),
        )

    def _candidate(self, move: _core.MoveReport, usual_wins: float, usual_lead: float) -> Candidate:
        """Return a move of the root with its numbers shrunk towards the means of all moves."""
        visits, wins = move.visits, move.wins
        mean, careful = wins / visits, (wins + 1) / (visits + 2)
        winrate = (wins + SHRINKAGE * usual_wins) / (visits + SHRINKAGE)
        lcb = min(winrate, max(0.0, careful - LCB_WIDTH * math.sqrt(careful * (1 - careful) / visits)))
        if self._board.to_play == "white":
            winrate, mean, lcb = 1 - winrate, 1 - mean, 1 - lcb
        names = tuple(self._board.move_name(index) for index in move.line)
        return Candidate(
            names[0],
            visits,
            winrate,
            (move.lead + SHRINKAGE * usual_lead) / (visits + SHRINKAGE),
            move.prior,
            lcb,
            names,
            tuple(move.line_visits),
            mean,
            move.lead / visits,
        )

    # Passing and resigning.

    def _should_pass(self, analysis: Analysis, seconds: float, stop: Callable[[], bool] | None) -> bool:
        best = analysis.candidates[0]
        if best.move == "pass" or self._board.is_over:
            return True
        last = self._board.last_move
        passed = last is not None and last.point == "pass"
        if not passed and np.mean(np.abs(analysis.ownership) < UNDECIDED) > OPEN_SHARE:
            return False  # long before the end the judge need not be asked
        settled = settled_game(self._board)
        if settled is None:
            return False
        ahead = settled.lead if self._board.to_play == "black" else -settled.lead
        if passed and (ahead > 0 or self._chances(best.mean_winrate) < HOPELESS):
            return True
        return not settled.open_points and self._gains_nothing(best, seconds, stop)

    def _gains_nothing(self, best: Candidate, seconds: float, stop: Callable[[], bool] | None) -> bool:
        """Whether a pass is as good: the search is asked about it in particular."""
        playouts = max(best.visits // 4, 200)
        after_pass = self.think(
            playouts=playouts, seconds=seconds, stop=stop, restrictions=[allow(["pass"])]
        ).candidates[0]
        sign = 1 if self._board.to_play == "black" else -1
        cost = sign * (best.mean_lead - after_pass.mean_lead)
        chances = self._chances(after_pass.mean_winrate)
        return chances > self._chances(best.mean_winrate) - 0.03 and cost < 0.75

    def _should_resign(self, analysis: Analysis) -> bool:
        early = self._board.move_number < self._board.width * self._board.height // 4
        hopeless = self._chances(analysis.candidates[0].mean_winrate) < self.settings.resign_below
        self._hopeless = self._hopeless + 1 if hopeless and not early else 0
        return self._hopeless >= PATIENCE

    def _chances(self, winrate: float) -> float:
        """Black's winrate as that of the player to move."""
        return winrate if self._board.to_play == "black" else 1 - winrate
