"""The player: holds a position and its search tree, searches, and decides on a move.

Start at `Player.choose`, which searches and then considers passing and resigning; `Player.think` only analyses. The
tree is native (core/include/tengen/search.hpp). Players of one and two plies have no tree (search/plies.py).
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import read_only
from tengen.go.board import Board, PlayoutPolicy
from tengen.go.colour import as_colour, winrate_for
from tengen.go.playout_weights import playout_weights
from tengen.go.positions import Positions
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import Evaluations, ask
from tengen.models.leads import completed
from tengen.models.registry import CLASSICAL_MOVES, listing, usable
from tengen.numbers import checked_count, checked_number
from tengen.search.analysis import Analysis, Candidate, Decision
from tengen.search.clock import LONGEST_MOVE, Clock, moves_to_come
from tengen.search.ending import captures_of_dead, settled_game
from tengen.search.guide import Asked, GuideUse, TreeGuide, guide_of, leaf_guide_of, native_policy
from tengen.search.plies import afterstates, analyse, drawn_move, repeat
from tengen.search.restrict import Depths, Restriction, allow, depths

Kind: TypeAlias = Literal["auto", "uct", "strong", "net", "1-ply", "2-ply"]
DynamicKomi: TypeAlias = Literal["off", "ahead", "both"]

USUAL_PLAYOUTS = 10_000
FIRST_PLAYOUTS = 16
"""Minimum number of playouts of a search."""
SLICE = 0.01
"""Seconds of native work between two checks of `stop`."""
CHECKS = 20
"""Number of times that the search for a move is asked whether its choice can still change."""
CAUTION = 1.5
"""How much faster than ever before the rest of a search may be, if its limit is a number of seconds."""
MANY = 2**40
LCB_WIDTH = 1.96
SHRINKAGE = 32
"""Weight, in visits, of the position's mean in the reported winrate and lead of a move. Tuned on five positions each of
a 9×9 and a 19×19 game, against searches of single moves: without it the leads of moves with 20 visits or fewer are off
by 24 and 41 points (root mean square), with it by 4.4 and 3.7; the minimum is at 16 on 9×9 and at 64 on 19×19."""
PASS_SHARE = 0.2
"""Share of a move's time reserved for deciding whether to pass."""
UNDECIDED, OPEN_SHARE = 0.6, 0.15
"""The game is not over while more than OPEN_SHARE of the points have an absolute ownership below UNDECIDED."""
HOPELESS = 0.05
"""Winrate below which a player passes in answer to a pass."""
RESIGN_BELOW = 0.05
PATIENCE = 3
"""Number of consecutive decisions below `resign_below` before a player resigns."""
GROWTH = 1.4
"""With widening each further move of a position takes this many times the visits of the one before (Coulom 2007)."""
OAKFOAM = _core.Widening(20, GROWTH, 0.67, by_wins=True)
"""Oakfoam's widening: by wins, and sooner after a move that wins."""
OAKFOAM_BIAS = 10.0
"""Its progressive bias: a move with probability p and n visits has this times p / (n + 1) added to its value."""
PRIOR_WEIGHT = 100.0
"""The usual weight of the priors on boards of up to `SMALL` points; see `Settings.weight_on`."""
SMALL = 81
TREE_SETTINGS = (
    "policy",
    "dynamic_komi",
    "widening",
    "compat",
    "prior_weight",
    "guided",
    "guide_as",
    "guide_plies",
    "keep",
)
"""Settings that a player without a tree refuses. It ignores playouts, memory and threads."""
STRONG_SETTINGS = ("widening", "compat", "prior_weight")
"""Settings that plain UCT refuses, because it has no order of moves."""
NET = "net/fast"
"""The usual evaluator of the search by a network."""
LEAD_WEIGHT, NET_LEAD_WEIGHT = 0.005, 0.05
"""The most that a lead adds to the winrate of a move, by playouts and by a network; large leads are preferred."""
NET_SHRINKAGE = 1
"""`SHRINKAGE` for the values of an evaluator, which have less noise than playouts."""
NET_VISITS_OF_PASS = 16
"""Visits of the pass, at least, before that search compares it with the best move."""
NET_REFUSES = ("dynamic_komi", "widening", "compat", "prior_weight", "guided", "guide_as", "guide_plies")
"""Settings that it refuses: its priors are the guide's, which it asks about every position."""
VIEW_PLAYOUTS = 200
"""Playouts for the ownership of a position if the guide does not give it."""
KNOWLEDGE = _core.Knowledge(ladder=95)
"""Knowledge of the playouts in the search; includes ladders."""


@dataclass(frozen=True)
class Settings:
    """Settings of a search. The default limit is 10,000 playouts per move."""

    playouts: int | None = None
    """Playouts per move; None for no limit."""
    seconds: float | None = None
    """Maximum seconds per move, also under a clock; None for no limit, but 30 under a clock."""
    threads: int = 1
    seed: int | None = 0
    """Seed of the playouts; None for a random seed for every tree."""
    kind: Kind = "strong"
    """"uct": plain UCT as in Low, with uniform playouts. "strong": RAVE, priors and knowing playouts. "net": the guide,
    by default `NET`, evaluates every position instead of playouts. "1-ply", "2-ply": the best move by the guide's
    values after it, or after the best reply to it, without a tree or playouts. "auto": "net" if `NET` can be used on
    the board and no setting is for playouts only, otherwise "strong"; engines have it by default."""
    memory: int = 512
    """Maximum size of the tree in megabytes."""
    resign_below: float = RESIGN_BELOW
    """Resign if the winrate stays below this for several moves; 0 to never resign."""
    policy: PlayoutPolicy | None = None
    """Kind of playouts; by default knowing in the strong search and uniform in plain UCT."""
    dynamic_komi: DynamicKomi | None = None
    """Count wins against an adjusted komi: "ahead", against a player that wins more than 60 % of its playouts; "both",
    also in favour of one that wins less than 40 %; "off". None: "ahead" on boards of more than `SMALL` points in the
    strong search, without a guide and `compat`; elsewhere "off". Reported winrates and leads are for the real komi."""
    widening: float | None = None
    """Consider the moves of a position one by one, the most promising first: the second after this many visits, each
    further one after `GROWTH` times as many more. Coulom (2007) has 40. None: all moves at once."""
    compat: Literal["oakfoam"] | None = None
    """"oakfoam": widen as that program does (`OAKFOAM`), in the order of the model of moves, which also gives a bias
    (`OAKFOAM_BIAS`) instead of virtual wins."""
    moves: ModelLike | None = CLASSICAL_MOVES
    """The model of moves for the priors of the strong search: a registry name, file or object; None for priors by rules
    of thumb."""
    prior_weight: float | None = None
    """Virtual wins of a move that the model of moves is sure of (√p times this for a probability p); 0: it only orders
    the moves. None: 100 up to 9×9, more on larger boards (`weight_on`)."""
    guide: ModelLike | None = None
    """The evaluator of positions in the tree: a registry name, file or object, loaded when the settings are made."""
    guided: int = 1
    """The guide evaluates positions fewer moves than this from the root; 1 for the root alone."""
    guide_as: GuideUse | None = None
    """Use of the guide: "priors" of moves (its policy, or else the winrate after each move) or "values" of positions
    (its winrate, or one computed from lead or ownership). None: priors, and values if it gives a policy and a value."""
    guide_plies: int = 0
    """1: the guide's priors are its values after the best replies to the moves, instead of right after the moves."""
    keep: float | None = None
    """Number of moves kept in a position, the best by the guide's priors, plus the pass; None for all. A number below 1
    is a share of the moves, at least 8 of them."""
    mix: float = 0.0
    """Weight of a playout in the value of a position in the search by a network; the guide's value has the rest."""
    epsilon: float = 0.0
    """Probability that a 1-ply or 2-ply player plays a random move instead of the best."""
    temperature: float = 0.0
    """A 1-ply or 2-ply player draws its moves with probabilities proportional to exp(lead / temperature), as in
    training; with 0 it plays the best."""

    def __post_init__(self) -> None:
        if self.moves is not None:
            native_policy(self.moves)  # report a model without one now
            if self.moves not in listing():
                object.__setattr__(self, "moves", evaluator_of(self.moves))
        checked_count(0 if self.seed is None else self.seed, "seed", most=2**64 - 1)
        checked_count(0 if self.playouts is None else self.playouts, "playouts", most=MANY)
        checked_count(self.guided, "guided", most=1000)
        for name, value, known in (
            ("kind", self.kind, Kind),
            ("policy", self.policy or "uniform", PlayoutPolicy),
            ("dynamic komi", "off" if self.dynamic_komi is None else self.dynamic_komi, DynamicKomi),
        ):
            if value not in get_args(known):
                raise TengenError(f"the {name} of a search is {' or '.join(get_args(known))}, not {value!r}")
        if self.compat not in (None, "oakfoam"):
            raise TengenError(f"a search is compatible with oakfoam, not with {self.compat!r}")
        if checked_number(1 if self.widening is None else self.widening, "widening", 0, 1e9) == 0:
            raise TengenError("widening is a number of visits above 0; None for no widening")
        checked_number(0.0 if self.prior_weight is None else self.prior_weight, "prior_weight", 0, 1e6)
        self._check_moves()
        threads = checked_count(self.threads, "threads", most=256)
        if min(threads, checked_count(self.memory, "memory", most=65_536)) < 1:
            raise TengenError("a search needs a thread and a megabyte at least")
        checked_number(0.0 if self.seconds is None else self.seconds, "seconds", 0)
        keep = checked_number(1 if self.keep is None else self.keep, "keep", 0, 1000)
        if keep == 0 or (keep > 1 and keep % 1):
            raise TengenError(f"keep is a number of moves from 1, or a share of them below 1, not {self.keep!r}")
        checked_count(self.guide_plies, "guide_plies", most=1)
        for name, most in {"epsilon": 1.0, "temperature": 1e9}.items():
            if checked_number(getattr(self, name), name, 0, most) and not self.plies:
                raise TengenError(f"{name} is for players without a tree: 1-ply and 2-ply")
        if checked_number(self.mix, "mix", 0, 1) and self.kind != "net":
            raise TengenError("mix is for the search by a network, kind net")
        if self.kind == "net":
            unused = NET_REFUSES if self.mix else (*NET_REFUSES, "policy")
            self._refuse(unused, "is for searches by playouts, not for kind net")
            object.__setattr__(self, "guide", leaf_guide_of(self.guide or NET))
        elif self.plies:
            self._check_plies()
        elif self.guide is None and (self.guide_as is not None or self.keep is not None or self.guide_plies):
            raise TengenError("guide_as, guide_plies and keep need a guide")
        elif self.guide is not None and self.kind == "uct" and self.keep is None:
            raise TengenError("plain UCT uses a guide only to prune: say how many moves it keeps with keep")
        if self.guide is not None and self.kind != "net":
            use = "values" if self.plies else self.guide_as
            object.__setattr__(self, "guide", guide_of(self.guide, use, self.keep, self.guide_plies))
        checked_number(self.resign_below, "resign_below", 0, 1)

    @property
    def schedule(self) -> _core.Widening | None:
        """When the moves of a position are considered; None: all at once."""
        if self.compat:
            return OAKFOAM
        return None if self.widening is None else _core.Widening(self.widening, GROWTH)

    def dynamic_komi_on(self, board: Board) -> _core.DynamicKomi:
        """Return whether the search adjusts the komi."""
        if self.dynamic_komi is not None:
            return _core.DynamicKomi[self.dynamic_komi]
        usual = self.kind == "strong" and self.compat is None and self.guide is None
        large = board.width * board.height > SMALL
        return _core.DynamicKomi.ahead if usual and large else _core.DynamicKomi.off

    def weight_on(self, board: Board) -> float:
        """Return the virtual wins of a move that the model of moves is sure of.

        The more points a board has, the fewer playouts each move gets and the more its prior should count: the usual
        weight grows with the power 3/4 of the points, to 174 on 13×13 and 307 on 19×19. With a guide it stays at 100.
        """
        if self.prior_weight is not None:
            return self.prior_weight
        if self.guide is not None:
            return PRIOR_WEIGHT
        return PRIOR_WEIGHT * math.pow(max(1.0, board.width * board.height / SMALL), 0.75)

    @property
    def plies(self) -> int:
        """The depth of a player without a tree; 0 for a search."""
        return {"1-ply": 1, "2-ply": 2}.get(self.kind, 0)

    @property
    def unlimited(self) -> bool:
        """Whether this is a search without a limit."""
        return not self.plies and self.playouts is None and self.seconds is None

    def _check_moves(self) -> None:
        """Refuse settings of the model of moves where it would have no effect."""
        if self.kind not in ("auto", "strong") and self.moves not in (None, CLASSICAL_MOVES):
            raise TengenError(f"moves is for the strong search, not for kind {self.kind}")
        if self.kind == "uct":
            self._refuse(STRONG_SETTINGS, "is for the strong search: plain UCT has no order of moves")
        if self.moves is None and self.prior_weight is not None:
            raise TengenError("prior_weight is the weight of a model of moves: it needs one")
        if self.compat and self.kind in ("auto", "strong"):
            self._check_compat()

    def _check_compat(self) -> None:
        """Refuse settings of what Oakfoam does in its own way, or does not have."""
        for name in ("widening", "prior_weight", "guide"):
            if getattr(self, name) is not None:
                raise TengenError(f"compat={self.compat} decides how the tree is searched: leave out {name}")
        if self.moves is None:
            raise TengenError(f"compat={self.compat} needs a model of moves")

    def _check_plies(self) -> None:
        if self.guide is None:
            raise TengenError(f"a {self.kind} player needs a guide, whose values it compares")
        self._refuse(TREE_SETTINGS, f"is for searches: a {self.kind} player has no tree")

    def _refuse(self, names: Collection[str], reason: str) -> None:
        for each in fields(self):
            if each.name in names and getattr(self, each.name) != each.default:
                raise TengenError(f"{each.name} {reason}")

    def for_board(self, board: Board) -> Settings:
        """Return the same settings with the kind that "auto" stands for on a board."""
        if self.kind != "auto":
            return self
        for_playouts = {*NET_REFUSES, "policy", "moves", "guide"}
        plain = all(getattr(self, each.name) == each.default for each in fields(self) if each.name in for_playouts)
        by_net = plain and usable(NET, "a search by playouts", board.width, board.height)
        return replace(self, kind="net" if by_net else "strong")

    @property
    def knowledge(self) -> _core.Knowledge | _core.PlayoutWeights | None:
        """The knowledge of the playouts; None if they are uniform."""
        policy = self.policy or ("uniform" if self.kind == "uct" else "knowing")
        if policy == "uniform":
            return None
        return KNOWLEDGE if policy == "knowing" else playout_weights(policy)


class _Checks:
    """When the search for a move is asked whether its choice can still change: `CHECKS` times within its limits.

    With a limit in playouts these are fixed numbers of them, so that the same seed gives the same search everywhere.
    With a limit in seconds the playouts to come are estimated from the fastest stretch between two checks so far.
    `done` and `elapsed` are playouts and seconds since the search began.
    """

    def __init__(self, playouts: float, seconds: float, done: int, elapsed: float) -> None:
        self._playouts, self._seconds = playouts, seconds
        self._step = MANY if math.isinf(playouts) else max(1, math.ceil(playouts / CHECKS))
        self.next = self._step
        """The number of playouts at the next check."""
        self._when = elapsed + seconds / CHECKS
        self._last, self._fastest = (done, elapsed), 0.0

    def to_come(self, done: int, elapsed: float) -> float:
        """Return the most playouts to expect before the limits if a check is due, otherwise infinity."""
        if done < self.next and elapsed < self._when:
            return math.inf
        before, since = self._last
        if done > before:
            self._fastest = max(self._fastest, (done - before) / max(elapsed - since, 1e-9))
        self._last = done, elapsed
        self.next, self._when = done + self._step, elapsed + self._seconds / CHECKS
        in_time = CAUTION * self._fastest * (self._seconds - elapsed) if self._fastest else math.inf
        return min(self._playouts - done, in_time)


class Player:
    """A position and its search tree."""

    def __init__(self, board: Board, settings: Settings | None = None) -> None:
        self._board = board.copy()
        self._tree: _core.Search | None = None
        self._settings = (settings or Settings()).for_board(board)
        self._deep: tuple[Restriction, ...] = ()  # restrictions below the root under which the tree grew
        self.hopeless = 0
        """Number of consecutive own decisions with a winrate below `resign_below`. Set it to continue the game of
        another player."""
        self._asked = Asked()
        self._seen: Evaluations | None = None  # of the position, by the network that searches

    @property
    def settings(self) -> Settings:
        """The settings, with the kind that "auto" stands for on this board."""
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        settings = settings.for_board(self._board)
        if settings.kind != self._settings.kind:
            self._tree = self._seen = None
        self._settings = settings

    @property
    def board(self) -> Board:
        """A copy of the position."""
        return self._board.copy()

    @property
    def nodes(self) -> int:
        """The number of nodes in the tree."""
        self._refuse_own_guide()
        return self._tree.nodes if self._tree else 0

    def play(self, move: str, colour: str | None = None) -> None:
        """Play a move or "pass" and keep its subtree."""
        self._refuse_own_guide()
        mover = self._board.to_play if colour is None else as_colour(colour)
        expected = mover == self._board.to_play
        index = self._board.index(move)
        self._board.play(move, mover)
        self._seen = None
        if self._tree is not None and not (expected and not self._deep and self._tree.advance(index)):
            self._tree = None

    def undo(self) -> None:
        """Undo the last move."""
        self._refuse_own_guide()
        self._board.undo()
        self._tree = self._seen = None

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
        until_decided: bool = False,
    ) -> Analysis:
        """Search until the limit of playouts or seconds (default: the settings') is reached or `stop()` returns true.

        `seconds=math.inf` searches until stopped. `report` receives the analysis after `first` seconds (default:
        `every`) and then every `every` seconds. Restrictions leave moves out of the tree (search/restrict.py). With
        `until_decided` the search ends when no other move can get as many visits as the best one before the limit.
        """
        self._refuse_own_guide()
        for name, pause in (("every", every), ("first", first)):
            if pause is not None and not pause >= 0:
                raise TengenError(f"{name}: seconds from 0, not {pause!r}")
        if self.settings.plies:
            found = self._read(restrictions, self._limits(playouts, seconds)[1], stop, exact=True)
            if playouts is None and seconds == math.inf and stop is not None:
                repeat(found, stop, report, every)
            return found
        tree, barred = self._grown(restrictions), depths(restrictions, self._board)
        run, by_net = self._runner(tree, barred), self.settings.kind == "net"
        guided = self.settings.guide is not None and not by_net
        limit, seconds = self._limits(playouts, seconds)
        start = time.monotonic()
        due = start + (every if first is None else first)
        if guided:  # before the first playouts, so the result does not depend on the guide's speed
            run(0, min(SLICE, seconds))
            while not tree.caught_up and (now := time.monotonic()) - start < seconds and not (stop and stop()):
                run(0, min(SLICE, seconds - (now - start)))
        least = int(min(limit, 1 if by_net else FIRST_PLAYOUTS))
        done = run(least, 0.0, least=least)
        checks = _Checks(limit, seconds, done, time.monotonic() - start)
        while done < limit and (now := time.monotonic()) - start < seconds and not (stop and stop()):
            if report and now >= due:
                due = now + every
                report(self._analysis(tree, barred))
            if until_decided and self._decided(tree, barred, checks.to_come(done, now - start)):
                break
            pause = min(SLICE, seconds - (now - start))
            done += run(int(min(limit, checks.next if until_decided else MANY)) - done, pause)
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
        """Search until the move is decided, at the latest at the limits of the settings; the move is not played.

        With `cleanup` the enemy's dead stones are captured before passing. Other arguments are as for `think`. With
        restrictions the best allowed move is played, without passing or resigning.
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
            until_decided=True,
        )
        if restrictions:
            return Decision(analysis.candidates[0].move, analysis)
        if self._should_pass(analysis, seconds * PASS_SHARE, stop):
            return Decision("pass", analysis)
        if self._should_resign(analysis) and may_resign:
            return Decision("resign", analysis)
        return Decision(self._random_move(analysis) or analysis.candidates[0].move, analysis)

    def priors(self) -> npt.NDArray[np.float64]:
        """Return the probability of each move before any playout: all points, then the pass.

        This is the policy of the guide or, without a guide, of the model of moves; if there is none, the priors of the
        tree.
        """
        self._refuse_own_guide()
        settings = self.settings
        model = settings.moves if settings.guide is None and settings.kind == "strong" else settings.guide
        if model is not None and "policy" in (evaluator := evaluator_of(model)).gives:
            with self._asked:
                found = ask(evaluator, Positions.of([self._board]), "policy").policy
            assert found is not None
            return np.asarray(found[0])
        priors = np.zeros(self._board.width * self._board.height + 1)
        if settings.plies:
            for candidate in self._read((), math.inf, None, plies=1).candidates:
                priors[self._board.index(candidate.move)] = candidate.prior
            return priors
        tree = self._planted()
        self._runner(tree, depths((), self._board))(1, 0.0, least=1)  # the first playout expands the root
        for move in tree.report().moves:
            priors[move.move] = move.prior
        return priors

    def planned_seconds(self, clock: Clock) -> float:
        """Return the number of seconds `choose` uses for the next move under a clock."""
        longest = LONGEST_MOVE if self.settings.seconds is None else self.settings.seconds
        return clock.thinking_time(moves_to_come(self._board), longest=longest)

    def _refuse_own_guide(self) -> None:
        if self._asked.here:
            raise TengenError("a guide cannot use the player that calls it: it runs while that player thinks")

    def _think_within(self, seconds: float, **watched: Any) -> Analysis:
        """Search with the limits of the settings, but no longer than a clock allows."""
        if self.settings.plies:
            limit, exact = min(seconds, self._limits(None, None)[1]), self.settings.temperature > 0
            return self._read(watched["restrictions"], limit, watched["stop"], exact=exact)
        if math.isinf(seconds):
            return self.think(**watched)
        return self.think(playouts=self.settings.playouts, seconds=seconds, **watched)

    def _read(
        self,
        restrictions: Sequence[Restriction],
        seconds: float,
        stop: Callable[[], bool] | None,
        *,
        plies: int | None = None,
        exact: bool = False,
    ) -> Analysis:
        """Evaluate the moves without a tree; with `exact` all of them, otherwise until the best is known."""
        self._refuse_own_guide()
        board, settings, end = self._board, self.settings, time.monotonic() + seconds
        assert settings.guide is not None
        with self._asked:
            return analyse(
                board,
                evaluator_of(settings.guide),
                plies or settings.plies,
                exact=exact,
                seed=None if settings.seed is None else (settings.seed, board.move_number),
                barred=depths(restrictions, board),
                stop=lambda: time.monotonic() >= end or (stop is not None and stop()),
            )

    def _considered(self, moves: Collection[str]) -> tuple[str, ...]:
        """Return those moves that the search considers: none that repeats a position, fills an eye or was pruned."""
        if self.settings.plies:
            found = afterstates([self._board]).moves.tolist()
        else:
            tree = self._grown()
            if not tree.report().moves:
                self.think(playouts=1)
            found = [move.move for move in tree.report().moves]
        known = set(map(self._board.move_name, found))
        return tuple(move for move in moves if move in known)

    def _random_move(self, analysis: Analysis) -> str | None:
        """Return a random move with probability `epsilon`, else one drawn by its value; None for the best.

        It is never the pass.
        """
        board, settings = self._board, self.settings
        random = np.random.default_rng(None if settings.seed is None else (settings.seed, board.move_number, 1))
        if random.random() < settings.epsilon:
            moves = afterstates([board]).moves
            found = [board.move_name(move) for move in moves.tolist() if move < board.width * board.height]
            return str(random.choice(found)) if found else None
        if not settings.temperature:
            return None
        assert settings.guide is not None
        return drawn_move(board, analysis, evaluator_of(settings.guide), settings.temperature, random)

    def _limits(self, playouts: int | None, seconds: float | None) -> tuple[float, float]:
        if playouts is None and seconds is None:
            playouts, seconds = self.settings.playouts, self.settings.seconds
        if playouts is None and seconds is None:
            playouts = USUAL_PLAYOUTS
        most = math.inf if playouts is None or playouts == math.inf else checked_count(playouts, "playouts", MANY)
        longest = math.inf if seconds is None or seconds == math.inf else checked_number(seconds, "seconds", 0)
        return max(1, most), longest

    def _runner(self, tree: _core.Search, barred: Depths) -> Callable[..., int]:
        """Return `tree.run` with the threads and guide of the settings; it takes playouts and seconds."""
        settings, flat = self.settings, barred.ravel().tolist()
        run = partial(tree.run, threads=settings.threads, barred=flat)
        if settings.guide is None:
            return run
        evaluator = evaluator_of(settings.guide)
        guide = TreeGuide(evaluator, settings.guide_as, self._board, self._asked, settings.guide_plies)
        keep = settings.keep or 0
        return partial(run, guide=guide, guided=settings.guided, after_moves=guide.after_moves, keep=keep)

    def _grown(self, restrictions: Sequence[Restriction] = ()) -> _core.Search:
        """Return the tree; start a new one if it grew under other restrictions below the root."""
        deep = tuple(restrictions) if any(each.depth > 1 for each in restrictions) else ()
        if self._tree is None or self._deep != deep:
            self._deep = deep
            self._tree = self._planted()
        return self._tree

    def _planted(self) -> _core.Search:
        board, settings = self._board, self.settings
        by_net = settings.kind == "net"
        return _core.Search(
            board.native,
            settings.kind != "uct",
            secrets.randbits(64) if settings.seed is None else settings.seed,
            # A kept subtree is copied; it takes at most half of a tree.
            settings.memory * 2**20 * 2 // (3 * _core.NODE_BYTES),
            board.komi + board.rules.bonus(board.handicap),
            board.rules.scoring == "TERRITORY",
            settings.knowledge,
            widening=settings.schedule,
            dynamic_komi=settings.dynamic_komi_on(board),
            policy=None if settings.moves is None or by_net else native_policy(settings.moves),
            policy_weight=settings.weight_on(board),
            lead_weight=NET_LEAD_WEIGHT if by_net else LEAD_WEIGHT,
            puct=_core.Puct(mix=settings.mix) if by_net else None,
            bias=OAKFOAM_BIAS if settings.compat else 0.0,
        )

    def _analysis(self, tree: _core.Search, barred: Depths) -> Analysis:
        left_out = barred[0 if self._sign > 0 else 1]
        report = tree.report()
        moves = [move for move in report.moves if not left_out[move.move]]
        if not moves:
            raise TengenError("the search considers none of the allowed moves here")
        moves.sort(key=lambda move: (-move.visits, -move.wins / max(move.visits, 1), -move.prior))
        visits, playouts = sum(move.visits for move in moves), max(report.playouts, 1)
        wins = sum(move.wins for move in moves) / max(visits, 1)
        ahead = sum(move.lead for move in moves) / max(visits, 1)
        mean = report.lead / playouts
        spread = math.sqrt(max(report.lead_squares / playouts - mean * mean, 0.0))
        ownership = (report.black - report.white) / playouts
        if self.settings.kind == "net":
            ownership, spread = self._view(spread)
        return Analysis(
            self._board.to_play,
            visits,
            winrate_for(self._sign, wins),
            ahead,
            spread,
            read_only(ownership),
            tuple(self._candidate(move, wins, ahead) for move in moves if move.visits > 0),
        )

    def _decided(self, tree: _core.Search, barred: Depths, to_come: float) -> bool:
        """Whether no move can overtake the one with the most visits in `to_come` playouts."""
        if math.isinf(to_come):
            return False
        left_out = barred[0 if self._sign > 0 else 1]
        most, second = sorted([0, 0, *(move.visits for move in tree.report().moves if not left_out[move.move])])[:-3:-1]
        return most - second > to_come

    def _view(self, spread: float) -> tuple[npt.NDArray[np.float64], float]:
        """Return the network's ownership of the position and the spread of its lead; playouts, where it has none."""
        if self._seen is None:
            here = Positions.of([self._board])
            assert self.settings.guide is not None
            with self._asked:
                said = completed(ask(evaluator_of(self.settings.guide), here), here)
            owners = self._board.playouts(VIEW_PLAYOUTS).ownership[None] if said.ownership is None else said.ownership
            self._seen = replace(said, ownership=owners)
        seen = self._seen
        assert seen.ownership is not None
        return seen.ownership[0], spread if seen.lead_sd is None else float(seen.lead_sd[0])

    def _candidate(self, move: _core.MoveReport, usual_wins: float, usual_lead: float) -> Candidate:
        """Return a root move with winrate and lead shrunk towards the means of all moves."""
        visits, wins = move.visits, move.wins
        shrinkage = NET_SHRINKAGE if self.settings.kind == "net" else SHRINKAGE
        mean, careful = wins / visits, (wins + 1) / (visits + 2)
        winrate = (wins + shrinkage * usual_wins) / (visits + shrinkage)
        lcb = min(winrate, max(0.0, careful - LCB_WIDTH * math.sqrt(careful * (1 - careful) / visits)))
        winrate, mean, lcb = (winrate_for(self._sign, value) for value in (winrate, mean, lcb))
        names = tuple(self._board.move_name(index) for index in move.line)
        return Candidate(
            names[0],
            visits,
            winrate,
            (move.lead + shrinkage * usual_lead) / (visits + shrinkage),
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
            return False  # too early to ask the judge
        settled = settled_game(self._board)
        if settled is None:
            return False
        if passed and (self._sign * settled.lead > 0 or self._chances(best.mean_winrate) < HOPELESS):
            return True
        return not settled.open_points and self._gains_nothing(best, seconds, stop)

    def _gains_nothing(self, best: Candidate, seconds: float, stop: Callable[[], bool] | None) -> bool:
        """Whether a pass is as good as the best move, according to a search of the pass alone.

        A player without a tree does not see that its stones in enemy territory die: it leaves this to the judge.
        """
        if self.settings.plies:
            return True
        playouts = max(best.visits // 4, NET_VISITS_OF_PASS if self.settings.kind == "net" else 200)
        after_pass = self.think(
            playouts=playouts, seconds=seconds, stop=stop, restrictions=[allow(["pass"])]
        ).candidates[0]
        cost = self._sign * (best.mean_lead - after_pass.mean_lead)
        chances = self._chances(after_pass.mean_winrate)
        return chances > self._chances(best.mean_winrate) - 0.03 and cost < 0.75

    def _should_resign(self, analysis: Analysis) -> bool:
        guide = self.settings.guide if self.settings.plies else None
        if guide is not None and "winrate" not in evaluator_of(guide).gives:
            return False  # a winrate computed from the lead after the worst reply is 0 in games that can be won
        early = self._board.move_number < self._board.width * self._board.height // 4
        hopeless = self._chances(analysis.candidates[0].mean_winrate) < self.settings.resign_below
        self.hopeless = self.hopeless + 1 if hopeless and not early else 0
        return self.hopeless >= PATIENCE

    def _chances(self, winrate: float) -> float:
        return winrate_for(self._sign, winrate)

    @property
    def _sign(self) -> int:
        return 1 if self._board.to_play == "black" else -1
