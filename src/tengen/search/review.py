"""Review a game: lead and winrate after every move, and the moves at which the lead changed.

Start at `review`. Every position is evaluated by one of two methods: by a network, which gives lead and winrate itself
(tengen.search.review_net), or by a model of ownership and playouts (tengen.search.review_classical). Both return the
course of the game with the error of every lead, and a swing with its noise for every move. A swing is listed if it
exceeds its noise and a search of the positions before and after it confirms it.

If the game was counted and the count is safe, it is the lead of the last position, and it corrects the positions
shortly before: the lead d moves earlier is corrected by exp(−d / `FADING`) of the last position's error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any, TypeVar

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.colour import Colour
from tengen.go.counting import lead_of
from tengen.go.record import Game
from tengen.go.rules import Rules
from tengen.judge.score import score
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.registry import DEFAULT, usable
from tengen.numbers import checked_count, checked_komi
from tengen.search import review_classical, review_net
from tengen.search.analysis import Analysis
from tengen.search.player import NET
from tengen.search.review_classical import ByPlayouts
from tengen.search.review_course import Count, Limits, Look, Method
from tengen.search.review_net import NEEDED, ByNetwork

T = TypeVar("T")
Progress = Callable[[int, int], None]

CONFIRMED = 0.5
"""A search of the positions before and after must confirm this share of a swing."""

MOST = 10
"""Maximum number of listed swings."""


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
    """Change of the lead at this move: the positions right after it minus those right before it."""


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
    """The move that a search prefers; None if it prefers the same move or there was no search."""

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
    legend: tuple[str, ...] = ()
    """What the swings of the moves are, in lines for the end of a table."""

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
class Reviewer:
    """Settings of a review; picklable for use in other processes."""

    playouts: int | None = None
    """Playouts of the search of a position, 0 for none: the model alone. None: as many as the seconds allow, or
    the default of the method, 32 by a network and 100 otherwise."""
    seconds: float | None = None
    model: ModelLike = "default"
    rules: Rules | None = None
    komi: float | None = None
    seed: int = 0
    workers: int = 1
    limits: Limits = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", Limits(self.playouts, self.seconds, self.seed))
        if checked_count(self.workers, "workers", most=256) < 1:
            raise TengenError("a review needs at least one worker")
        if self.komi is not None:
            checked_komi(self.komi)
        if self.model != "default":
            evaluator_of(self.model)  # report an unknown model now

    def review(self, game: Game, progress: Progress | None = None) -> Review:
        """Review a game; `progress` is called with the number of finished positions and the total."""
        boards = self.boards(game)
        method = self.method(boards[0])
        return self.conclude(game, boards, method, self.looks(boards, method, progress))

    def boards(self, game: Game) -> list[Board]:
        """Return the positions of a game, the one before the first move included."""
        return [game.board(number).with_rules(self.rules, self.komi) for number in range(len(game) + 1)]

    def method(self, board: Board) -> Method:
        """Return how positions are evaluated on boards of this size; which model is "default" may depend on it."""
        evaluator = evaluator_of(self.model, board)
        model, name = self.model, evaluator.name
        if isinstance(model, str | PathLike) and model != "default":
            name = fspath(model)
        if not evaluator.gives.issuperset(NEEDED):
            return ByPlayouts(name, evaluator, self.limits.with_default(review_classical.PLAYOUTS))
        guide: ModelLike = NET if model in ("default", DEFAULT) and usable(NET, DEFAULT) else evaluator
        return ByNetwork(name, evaluator, self.limits.with_default(review_net.PLAYOUTS), guide)

    def looks(self, boards: list[Board], method: Method, progress: Progress | None = None) -> list[Look]:
        """Evaluate every position; positions after the closing passes are evaluated as before them."""
        kept = [_open(boards, number) for number in range(len(boards))]
        known = self._each(lambda number, stopped: method.look(boards[number], stopped), kept, progress)
        return [known[number] for number in kept]

    def conclude(self, game: Game, boards: list[Board], method: Method, looks: list[Look]) -> Review:
        """Return the review of a game from the evaluations of its positions."""
        course = method.course(looks, komi_of(boards[0]), final_count(game, boards))
        leads, winrates = course.leads, course.winrates
        moves = tuple(
            ReviewedMove(number, *move, leads[number], winrates[number], course.errors[number], course.swings[number])
            for number, move in enumerate(game.moves, 1)
        )
        possible = [move for move in moves if method.gains or (move.swing < 0) == (move.colour == "black")]
        swings = largest(possible, course.noises, method.significant[not self.limits.search], method.apart)
        swings = swings[: method.checked]
        if self.limits.search:
            swings = self._confirmed(swings, boards, method)
        return Review(
            leads[0],
            winrates[0],
            moves,
            tuple(swings[:MOST]),
            _title(game),
            _about(game, boards[0]),
            method.title,
            tuple(game.warnings),
            method.legend,
        )

    def _each(
        self,
        job: Callable[[int, threading.Event], T],
        numbers: Iterable[int],
        progress: Progress | None = None,
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

    def _confirmed(self, swings: list[Swing], boards: list[Board], method: Method) -> list[Swing]:
        """Return the swings that a search confirms by at least half, with the better moves that it finds."""
        if not swings:
            return []
        settings = method.check
        around = {swing.move: _around(swing.move, boards, method.span) for swing in swings}
        numbers = [number for near in around.values() for number in near]
        found = self._each(lambda number, stopped: method.searched(boards[number], settings, stopped), numbers)
        confirmed = []
        for swing in swings:
            near = [each for number in around[swing.move] if (each := found[number]) is not None]
            if len(near) < 2 * method.span:
                continue
            before, after = near[: method.span], near[method.span :]
            change = (sum(each.lead for each in after) - sum(each.lead for each in before)) / method.span
            if (change if swing.loser == "white" else -change) >= CONFIRMED * swing.points:
                confirmed.append(_with_better_move(swing, before[-1]))
        return confirmed


def review(
    game: Game,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    model: ModelLike = "default",
    rules: Rules | str | None = None,
    komi: float | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Review:
    """Review a game: lead and winrate after every move, and the largest swings.

    `playouts` and `seconds` limit each search; 0 playouts: no search. A network needs searches only to check swings (32
    playouts by default); with a model that gives ownership alone, every position is searched (100). `workers` positions
    are evaluated at the same time; the result does not depend on it.
    """
    if not isinstance(game, Game):
        raise TengenError(f"only a Game can be reviewed, not {type(game).__name__}: tengen.read(path) reads a record")
    chosen = None if rules is None else Rules.parse(rules)
    return Reviewer(playouts, seconds, model, chosen, komi, seed, workers).review(game, progress)


def final_count(game: Game, boards: list[Board]) -> Count | None:
    """Return the count of a game; None if it is not safe.

    Only games that ended with passes, or whose record gives a margin, have one.
    """
    if not boards[-1].is_over and lead_of(game.result) is None:
        return None
    counted = score(boards[-1])
    return Count(_open(boards, len(boards) - 1), counted.lead) if counted.safe else None


def _open(boards: list[Board], number: int) -> int:
    """Return a position, or the one before the closing passes if the game is over there."""
    return max(0, number - 2) if boards[number].is_over else number


def _around(move: int, boards: list[Board], span: int) -> list[int]:
    """Return the numbers of the positions before and after a move, as many of each."""
    numbers = (min(max(number, 0), len(boards) - 1) for number in range(move - span, move + span))
    return [_open(boards, number) for number in numbers]


def _with_better_move(swing: Swing, before: Analysis) -> Swing:
    """Return the move that the search of the position before prefers, if the mover lost points and played another."""
    best = before.candidates[0].move
    asked = swing.loser == swing.colour == before.to_play
    return replace(swing, better=best) if asked and best != swing.point else swing


def komi_of(board: Board) -> float:
    """Return White's compensation: komi plus the handicap bonus of the rules."""
    return board.komi + board.rules.bonus(board.handicap)


def largest(moves: Sequence[ReviewedMove], noises: list[float], significant: float, apart: int) -> list[Swing]:
    """Return the significant swings, the largest first; of moves that are less than `apart` moves apart only one."""
    found: list[Swing] = []
    for move in sorted(moves, key=lambda move: (-abs(move.swing), move.move)):
        noise = noises[move.move]
        if abs(move.swing) <= significant * noise:
            continue
        if all(abs(move.move - other.move) >= apart for other in found):
            loser: Colour = "white" if move.swing > 0 else "black"
            found.append(Swing(move.move, move.colour, move.point, loser, abs(move.swing), noise))
    return found


def _title(game: Game) -> str:
    black, white = (" ".join(part for part in player if part) for player in game.players)
    return f"{game.where}: {black or 'Black'} – {white or 'White'}" if black or white else game.where


def _about(game: Game, board: Board) -> str:
    result = f", {game.result}" if game.result else ""
    return f"{game.width}×{game.height}, {board.rules}, komi {board.komi:g}, {len(game)} moves{result}"
