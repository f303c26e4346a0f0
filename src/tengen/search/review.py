"""Review a game: lead and winrate after every move, and the moves at which the lead changed.

Start at `review`. Every position is evaluated twice, by a model of ownership and by a short search, because their
errors differ: the mean of both is nearer to KataGo's lead than either (docs/review.md has the numbers and the command
that measured them). Three steps turn these evaluations into a review:

1. Both leads are averaged over five positions, two before and two after, with weights 1 2 3 2 1. The average removes
   noise and the bias towards the side that moved last. Points on the board are then weighted by `SEARCH` and `MODEL`,
   which add up to more than 1, because an average over playouts understates a lead; komi is not weighted.
   If the game was counted and the count is safe, it is the lead of the last position, and it corrects the positions
   shortly before: the lead d moves earlier is corrected by exp(−d / `FADING`) of the last position's error.
2. The winrate is Φ(Φ⁻¹(the search's winrate) + `SURENESS` · lead / spread), where the spread is the model's.
3. The swing of a move is the mean of the four positions after it minus the mean of the four before it. Its noise has
   two parts: chance, estimated from the game itself (differences between positions two moves apart, in the
   neighbourhood), and the part of the lead's error that does not cancel in the difference, because a model often
   sees its mistake one move later. A swing is listed if it exceeds its noise and a deeper search confirms it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.go.counting import lead_of
from tengen.go.record import Game
from tengen.go.rules import Rules
from tengen.judge.score import score
from tengen.models.estimate import ModelLike, estimate
from tengen.models.leads import expected_lead, spread_of
from tengen.models.registry import CLASSICAL, find
from tengen.numbers import checked_count, checked_komi
from tengen.search.analysis import Analysis
from tengen.search.player import MANY, Player, Settings

T = TypeVar("T")
Floats = npt.NDArray[np.float64]

PLAYOUTS = 100
"""Playouts per position by default: 250 moves on 19×19 take about six seconds on one core."""

SEARCH, MODEL, ALONE, TURN = 0.55, 0.60, 1.05, 0.6
"""Weights of the search's lead, of the model's beside it and alone, and points for the side to move: a robust fit to
KataGo's lead in 500 positions of 9×9 and 19×19 games, with the classical model. The optima of the two sizes differ by
less than 0.1. The model's lead is the sum of its ownership, without the calibration that its file has."""

SURENESS, ALONE_SURENESS = 1.5, 1.0
"""Weight of the lead in the winrate, beside a search and without one, from the same fit."""

ERROR = 0.7
"""The standard deviation of the error of the lead, as a share of the model's spread."""

SWING_ERROR = 0.55
"""The part of that error which does not cancel in the difference of two leads, also as a share of the spread."""

FADING = 8.0
"""Moves over which the correction by the final count decays to 1/e, as does the correlation of the leads' errors."""

REACH = 2
"""Positions on each side over which leads are averaged."""

STEP = 4
"""Positions before and after a move that its swing compares: an even number, so that both sides moved last equally."""

SIGNIFICANT, ALONE_SIGNIFICANT = 1.0, 1.5
"""A swing is listed if it exceeds its noise by this factor, with a search and without."""

CONFIRMED = 0.5
"""A deeper search of the two positions before and after must confirm this share of a swing. On 13×13 games of KataGo's
policy and 9×9 games of beginners, KataGo gives confirmed swings of 8.5 points 5 points, the others 1.5."""

NEIGHBOURHOOD = 20
"""Moves on each side from which the noise of a move is estimated."""

MOST = 10
"""Maximum number of listed swings."""

DEEPER = 15
"""A swing is confirmed, and a better move looked for, with this many times the playouts."""

_NORMAL = NormalDist()
_SURE = 0.001  # winrates are clipped to this distance from 0 and 1


@dataclass(frozen=True)
class ReviewedMove:
    """A move and the position after it. Leads, winrates and swings are Black's."""

    move: int
    """Its number, from 1."""
    colour: Colour
    point: str
    """Its GTP name, or "pass"."""
    lead: float
    """Points Black is ahead after it, komi included."""
    winrate: float
    """The probability that Black wins."""
    lead_sd: float
    """The standard deviation of the error of the lead."""
    swing: float
    """Change of the lead at this move: the mean of the four positions after it minus that of the four before."""


@dataclass(frozen=True)
class Swing:
    """A move at which the lead changed by more than noise explains."""

    move: int
    colour: Colour
    point: str
    loser: Colour
    """The side that lost points: the one that moved, or the other, whose mistake this move made visible."""
    points: float
    """Number of points lost."""
    noise: float
    """The standard deviation of the error of this number."""
    better: str | None = None
    """The move that a deeper search prefers; None if it prefers the same move or there was no search."""

    def __str__(self) -> str:
        mover, loser = self.colour.capitalize(), self.loser.capitalize()
        what = "loses" if self.loser == self.colour else f"gains: {loser} loses"
        better = f"; better {self.better}" if self.better else ""
        return f"move {self.move}, {mover} {self.point}, {what} {self.points:.1f} ± {self.noise:.1f} points{better}"


@dataclass(frozen=True)
class Review:
    """The course of a game: lead and winrate after every move, and the largest swings."""

    start_lead: float
    start_winrate: float
    moves: tuple[ReviewedMove, ...]
    swings: tuple[Swing, ...]
    """The largest first."""
    title: str
    """File, game and players."""
    about: str
    """Board, rules, komi and the recorded result."""
    method: str
    """How positions were evaluated."""
    warnings: tuple[str, ...] = ()

    def text(self) -> str:
        """Return a graph of the lead, the swings and a table of all moves as text."""
        from tengen.search.review_text import text

        return text(self)

    def svg(self) -> str:
        """Return graphs of the lead and the winrate as an SVG picture."""
        from tengen.search.review_svg import draw

        return draw(self)

    def json(self) -> dict[str, Any]:
        """Return the review as values that JSON can hold."""
        from tengen.search.review_text import review_json

        return review_json(self)

    def annotated(self, game: Game) -> Game:
        """Return a copy of the game with a line of the review in the comment of every move."""
        from tengen.search.review_sgf import annotated

        return annotated(self, game)

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True)
class Look:
    """The evaluation of one position. Leads and winrates are Black's; leads are without komi."""

    model: float
    spread: float
    turn: int
    """1 if Black is to move, −1 if White is."""
    search: float | None = None
    chance: float | None = None


@dataclass(frozen=True)
class Reviewer:
    """Settings of a review; picklable for use in other processes."""

    playouts: int | None = None
    """Playouts per position, 0 for none: the model alone. None: as many as the seconds allow, or `PLAYOUTS`."""
    seconds: float | None = None
    model: ModelLike = CLASSICAL
    rules: Rules | None = None
    komi: float | None = None
    seed: int = 0
    workers: int = 1
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        checked_count(self.playouts or 0, "playouts", most=MANY)
        if checked_count(self.workers, "workers", most=256) < 1:
            raise TengenError("a review needs at least one worker")
        if self.komi is not None:
            checked_komi(self.komi)
        usual = PLAYOUTS if self.playouts is None and self.seconds is None else self.playouts
        settings = Settings(playouts=usual, seconds=self.seconds, seed=self.seed)
        object.__setattr__(self, "settings", settings)

    @property
    def searches(self) -> bool:
        """Whether positions are searched at all."""
        return self.settings.playouts != 0

    def review(self, game: Game, progress: Callable[[int, int], None] | None = None) -> Review:
        """Review a game; `progress` is called with the number of finished positions and the total."""
        boards = self.boards(game)
        return self.conclude(game, boards, self.looks(boards, progress))

    def conclude(self, game: Game, boards: list[Board], looks: list[Look]) -> Review:
        """Return the review of a game from the evaluations of its positions."""
        leads, winrates, errors = course(looks, komi_of(boards[0]), final_count(game, boards))
        steps, chance = swings_of(raw_leads(looks))
        noises = np.hypot(chance, SWING_ERROR * spreads(looks)).tolist()
        moves = tuple(
            ReviewedMove(number, *move, leads[number], winrates[number], errors[number], steps[number])
            for number, move in enumerate(game.moves, 1)
        )
        swings = largest(moves, noises, SIGNIFICANT if self.searches else ALONE_SIGNIFICANT)
        swings = self._confirmed(swings, boards) if self.searches else swings
        return Review(
            leads[0],
            winrates[0],
            moves,
            tuple(swings[:MOST]),
            _title(game),
            _about(game, boards[0]),
            self.method,
            tuple(game.warnings),
        )

    @property
    def method(self) -> str:
        """A short description of how positions are evaluated."""
        return f"{self._name()} and {self._limits()} per position" if self.searches else f"{self._name()} alone"

    def _name(self) -> str:
        if isinstance(self.model, str | PathLike):
            return find("default").name if self.model == "default" else fspath(self.model)
        return str(getattr(self.model, "name", type(self.model).__name__))

    def _limits(self) -> str:
        playouts, seconds = self.settings.playouts, self.settings.seconds
        limits = [f"{playouts:,} playouts"] if playouts is not None else []
        return " and ".join(limits + ([f"{seconds:g} seconds"] if seconds is not None else []))

    def boards(self, game: Game) -> list[Board]:
        """Return the positions of a game, the one before the first move included."""
        return [game.board(number).with_rules(self.rules, self.komi) for number in range(len(game) + 1)]

    def looks(self, boards: list[Board], progress: Callable[[int, int], None] | None = None) -> list[Look]:
        """Evaluate every position; positions after the closing passes are evaluated as before them."""
        kept = [_open(boards, number) for number in range(len(boards))]
        known = self._each(lambda number, stopped: self._look(boards[number], stopped), kept, progress)
        return [known[number] for number in kept]

    def _each(
        self,
        job: Callable[[int, threading.Event], T],
        numbers: Iterable[int],
        progress: Callable[[int, int], None] | None = None,
    ) -> dict[int, T]:
        pool, stopped = ThreadPoolExecutor(self.workers), threading.Event()
        try:
            waiting = {number: pool.submit(job, number, stopped) for number in dict.fromkeys(numbers)}
            known: dict[int, T] = {}
            for number, future in waiting.items():
                known[number] = future.result()
                if progress is not None:
                    progress(len(known), len(waiting))
            return known
        finally:  # after Ctrl-C the remaining positions are not waited for
            stopped.set()
            pool.shutdown(cancel_futures=True)

    def _look(self, board: Board, stopped: threading.Event) -> Look:
        komi = komi_of(board)
        found = estimate(board, model=self.model)
        lead, spread = expected_lead(board, found.ownership), spread_of(found.ownership)
        look = Look(lead + komi, spread, 1 if board.to_play == "black" else -1)
        if not self.searches:
            return look
        try:
            searched = Player(board, self.settings).think(stop=stopped.is_set)
        except TengenError:  # no move is worth considering: the board is full
            return replace(look, search=look.model, chance=found.winrate)
        return replace(look, search=searched.lead + komi, chance=searched.winrate)

    def _confirmed(self, swings: list[Swing], boards: list[Board]) -> list[Swing]:
        """Return the swings that a deeper search confirms by at least half, with the better moves that it finds."""
        around = {swing.move: _around(swing.move, boards) for swing in swings}
        numbers = [number for near in around.values() for number in near]
        deep = self._each(lambda number, stopped: self._search_deeper(boards[number], stopped), numbers)
        confirmed = []
        for swing in swings:
            before, last, after, second = (deep[number] for number in around[swing.move])
            if before is None or last is None or after is None or second is None:
                continue
            change = (after.lead + second.lead - before.lead - last.lead) / 2
            if (change if swing.loser == "white" else -change) >= CONFIRMED * swing.points:
                confirmed.append(_with_better_move(swing, last))
        return confirmed

    def _search_deeper(self, board: Board, stopped: threading.Event) -> Analysis | None:
        """Search a position longer; return None if no move is worth considering."""
        playouts, seconds = self.settings.playouts, self.settings.seconds
        settings = replace(self.settings, playouts=playouts and playouts * DEEPER, seconds=seconds and seconds * DEEPER)
        try:
            return Player(board, settings).think(stop=stopped.is_set)
        except TengenError:
            return None


def review(
    game: Game,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    model: ModelLike = CLASSICAL,
    rules: Rules | str | None = None,
    komi: float | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Review a game: lead and winrate after every move, and the largest swings.

    `playouts` and `seconds` limit the search of each position (default: 100 playouts; 0 playouts: the model alone,
    quick and rough). `workers` positions are evaluated at the same time; the result does not depend on it.
    """
    if not isinstance(game, Game):
        raise TengenError(f"only a Game can be reviewed, not {type(game).__name__}: tengen.read(path) reads a record")
    chosen = None if rules is None else Rules.parse(rules)
    return Reviewer(playouts, seconds, model, chosen, komi, seed, workers).review(game, progress)


def final_count(game: Game, boards: list[Board]) -> tuple[int, float] | None:
    """Return the number of moves before the closing passes and Black's lead by the count; None if it is not safe.

    Only games that ended with passes, or whose record gives a margin, have one.
    """
    if not boards[-1].is_over and lead_of(game.result) is None:
        return None
    counted = score(boards[-1])
    return (_open(boards, len(boards) - 1), counted.lead) if counted.safe else None


def _open(boards: list[Board], number: int) -> int:
    """Return a position, or the one before the closing passes if the game is over there."""
    return max(0, number - 2) if boards[number].is_over else number


def _around(move: int, boards: list[Board]) -> list[int]:
    numbers = (max(move - 2, 0), move - 1, move, min(move + 1, len(boards) - 1))
    return [_open(boards, number) for number in numbers]


def _with_better_move(swing: Swing, before: Analysis) -> Swing:
    """Return the move that the search of the position before prefers, if the mover lost points and played another."""
    best = before.candidates[0].move
    asked = swing.loser == swing.colour == before.to_play
    return replace(swing, better=best) if asked and best != swing.point else swing


def komi_of(board: Board) -> float:
    """Return White's compensation: komi plus the handicap bonus of the rules."""
    return board.komi + board.rules.bonus(board.handicap)


# From evaluations to leads, winrates and swings.


def raw_leads(looks: list[Look]) -> Floats:
    """Return the lead of each position by itself, without komi."""
    return np.array([_weighted(look.model, look.search) for look in looks])


def _weighted(model: float, search: float | None) -> float:
    return ALONE * model if search is None else MODEL * model + SEARCH * search


def spreads(looks: list[Look]) -> Floats:
    """Return the model's spread of each position, averaged over its neighbours."""
    return smooth(np.array([look.spread for look in looks]))


def course(
    looks: list[Look], komi: float, count: tuple[int, float] | None = None
) -> tuple[list[float], list[float], list[float]]:
    """Return lead, winrate and the standard deviation of the lead's error of each position.

    `count` is the number of the position from which on the final count holds, and the lead by that count.
    """
    lead = smooth(raw_leads(looks)) + TURN * np.array([look.turn for look in looks]) - komi
    known = np.zeros(len(looks))  # the correlation of each error with the one that the count reveals
    if count is not None:
        last, counted = count
        known = np.exp(-np.maximum(last - np.arange(len(looks)), 0) / FADING)
        lead = np.where(known == 1, counted, lead + known * (counted - lead[last]))
    spread = spreads(looks)
    if looks[0].chance is None:
        sureness = ALONE_SURENESS * lead / np.maximum(spread, 1e-9)
    else:
        chances = smooth(np.array([look.chance for look in looks], float))
        searched = [_NORMAL.inv_cdf(chance) for chance in np.clip(chances, _SURE, 1 - _SURE).tolist()]
        sureness = SURENESS * lead / np.maximum(spread, 1e-9) + np.array(searched)
    sureness = np.where(known == 1, np.sign(lead) * 8, sureness)
    winrates = [_NORMAL.cdf(value) for value in np.clip(sureness, -8, 8).tolist()]
    return lead.tolist(), winrates, (ERROR * spread * np.sqrt(1 - known**2)).tolist()


def smooth(values: Floats) -> Floats:
    """Return averages over each value and `REACH` neighbours on each side, with linearly decreasing weights."""
    weights = np.concatenate([np.arange(1, REACH + 2), np.arange(REACH, 0, -1)]).astype(float)
    sums = np.convolve(values, weights)[REACH : REACH + len(values)]
    return np.asarray(sums / np.convolve(np.ones(len(values)), weights)[REACH : REACH + len(values)])


def swings_of(raw: Floats) -> tuple[list[float], list[float]]:
    """Return the change of the lead at each move, 0 at the start, and the standard deviation that comes from chance.

    Within `STEP` moves of the ends the windows are shorter; a window of one position cannot tell a move from the bias
    towards the side that moved last, so the first and the last move have no swing.
    """
    noise = position_noise(raw)
    steps, noises = [0.0], [math.inf]
    for move in range(1, len(raw)):
        width = min(STEP, move, len(raw) - move) // 2 * 2
        steps.append(float(raw[move : move + width].mean() - raw[move - width : move].mean()) if width else 0.0)
        noises.append(float(noise[move]) * math.sqrt(2 / width) if width else math.inf)
    return steps, noises


def position_noise(raw: Floats) -> Floats:
    """Return the standard deviation of the noise of each position, from its neighbourhood.

    The value of a position minus the mean of those two moves before and after it contains the noise of all three, 1.5
    times the variance of one. The median of its absolute value ignores the few moves at which something happened.
    """
    if len(raw) < 5:
        return np.full(len(raw), math.inf)
    inner = np.abs(raw[2:-2] - (raw[:-4] + raw[4:]) / 2)
    scale = 1 / (_NORMAL.inv_cdf(0.75) * math.sqrt(1.5))
    spans = ((max(0, i - 2 - NEIGHBOURHOOD), i - 1 + NEIGHBOURHOOD) for i in range(len(raw)))
    near = [inner[begin : max(end, begin + 1)] for begin, end in spans]
    return np.array([scale * float(np.median(part if len(part) else inner)) for part in near])


def largest(moves: tuple[ReviewedMove, ...], noises: list[float], significant: float) -> list[Swing]:
    """Return the significant swings, the largest first; of moves that share most of their positions only one."""
    found: list[Swing] = []
    for move in sorted(moves, key=lambda move: (-abs(move.swing), move.move)):
        noise = noises[move.move]
        if abs(move.swing) <= significant * noise or len(found) == 2 * MOST:
            continue
        if all(abs(move.move - other.move) >= STEP for other in found):
            loser: Colour = "white" if move.swing > 0 else "black"
            found.append(Swing(move.move, move.colour, move.point, loser, abs(move.swing), noise))
    return found


def _title(game: Game) -> str:
    black, white = (" ".join(part for part in player if part) for player in game.players)
    return f"{game.where}: {black or 'Black'} – {white or 'White'}" if black or white else game.where


def _about(game: Game, board: Board) -> str:
    result = f", {game.result}" if game.result else ""
    return f"{game.width}×{game.height}, {board.rules}, komi {board.komi:g}, {len(game)} moves{result}"
