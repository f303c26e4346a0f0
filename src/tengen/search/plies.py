"""Players without a tree: they evaluate the positions after their moves, or those after the opponent's replies too.

Start at `choose`, which draws a move by its value, as training by self-play does; `analyse` reports the same to
`Player`. Low tests his evaluators with players of one and two plies.

One ply is one call of the evaluator for all moves. Two plies are minimax: the value of a move is that after the reply
that is worst for it. `_read_replies` prunes as alpha–beta does, but best first, because evaluators are faster with many
positions in a call: the replies evaluated so far bound the value of a move from above, and the move with the largest
bound gets more of them, until none is left. Replies are tried in the order of the harm they did to other moves. Equal
moves are ranked by a random order drawn before, so the choice is the same as with all replies evaluated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import TengenError
from tengen.go.arrays import read_only
from tengen.go.board import Board
from tengen.go.positions import Positions
from tengen.models.estimate import ModelLike, evaluator_of
from tengen.models.evaluator import Answer, Evaluator, ask
from tengen.models.leads import completed, spread_of, winrates_of
from tengen.models.protocol import FloatArray
from tengen.numbers import checked_number
from tengen.search.analysis import Analysis, Candidate
from tengen.search.restrict import Depths, depths

VALUES: tuple[Answer, ...] = ("winrate", "lead", "ownership")
"""Answers of an evaluator from which the value of a position can be computed."""

TEMPERATURE = 0.35
"""Low draws moves with probabilities proportional to exp(value / 0.35). He does not say in what the value is measured:
we take points, because with values between −1 and 1 the games are almost random (docs/training.md)."""

FEW = 2
"""Number of replies to each move but the first evaluated in the beginning. Tuned on 24 positions of 9×9 games with
territory/influence and territory/bma: 1 evaluates a seventh less in the same time, 4 a third more."""

BATCH = 4096
"""Maximum number of positions in one call of the evaluator."""

LEAD_SHARE = 1e-6
"""The share of the lead in winrates by which moves are ordered."""

PAUSE = 0.01
"""Seconds between two checks of `stop` in an analysis without a limit."""

Seed: TypeAlias = int | Sequence[int] | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class Afterstates:
    """The positions after the moves of some boards: those of board i are the rows first[i] to first[i + 1] − 1."""

    first: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int32]
    """The move before each position: row·width + column, width·height for the pass."""
    positions: Positions


def afterstates(boards: Sequence[Board], barred: npt.NDArray[np.bool_] | None = None) -> Afterstates:
    """Return the positions after all moves that a tree would consider on boards of one game, except barred ones."""
    first, moves, rows = _core.rows_after([board.native for board in boards])
    n, one = len(moves), boards[0]
    positions = Positions(*rows, np.full(n, one.komi), np.full(n, one.handicap, np.int16), (one.rules,) * n)
    if barred is None or not barred.any():
        return Afterstates(first, moves, positions)
    left = ~barred[moves]
    return Afterstates(np.append(0, np.cumsum(left))[first], moves[left], positions.take(np.flatnonzero(left)))


@dataclass(frozen=True, eq=False)
class Reading:
    """The moves of a position and their values."""

    moves: tuple[str, ...]
    values: FloatArray
    """For the player to move, about −1 to 1: the lead divided by the points of the board or, if the evaluator gives
    only a winrate, 2·winrate − 1. NaN for a move that was given up before all replies were evaluated."""
    at_once: FloatArray
    """The same before any reply."""
    leads: FloatArray
    """Black's lead after each move and its reply; 0 if the evaluator gives only a winrate."""
    winrates: FloatArray
    """Black's winrate after each move and its reply."""
    replies: npt.NDArray[np.int64]
    """The worst reply to each move; −1 for none."""
    evaluated: npt.NDArray[np.int64]
    """Number of positions evaluated for each move."""
    rank: npt.NDArray[np.int64]
    """A random order of the moves; of two equal moves the one with the larger rank is better."""

    @property
    def order(self) -> list[int]:
        """The moves with known values, best first."""
        known = np.flatnonzero(~np.isnan(self.values)).tolist()
        return sorted(known, key=self.key, reverse=True)

    def key(self, i: int) -> tuple[float, int]:
        """Return the key by which moves are compared."""
        return float(self.values[i]), int(self.rank[i])


def shares(leads: FloatArray, temperature: float = TEMPERATURE) -> FloatArray:
    """Return probabilities proportional to exp(lead / temperature); leads are in points, for the player to move."""
    weights = np.exp((leads - leads.max()) / temperature)
    return np.asarray(weights / weights.sum())


def choose(
    board: Board, model: ModelLike, *, plies: int = 1, temperature: float = 0.0, seed: Seed = 0
) -> tuple[str, Reading]:
    """Return a move for the player to move and the values of the moves.

    With temperature 0 this is the best move, and the seed decides between equal ones. Otherwise a move is drawn with a
    probability proportional to exp(lead / temperature); two plies then evaluate all replies.
    """
    if plies not in (1, 2):
        raise TengenError(f"plies: 1 or 2, not {plies!r}")
    checked_number(temperature, "temperature", 0)
    random = np.random.default_rng(seed)
    reading = read(board, evaluator_of(model), plies, exact=temperature > 0, seed=random)
    if temperature == 0:
        return reading.moves[reading.order[0]], reading
    chances = shares(board.width * board.height * reading.values, temperature)
    return reading.moves[random.choice(len(reading.moves), p=chances)], reading


def read(
    board: Board,
    evaluator: Evaluator,
    plies: int,
    *,
    exact: bool = False,
    seed: Seed = 0,
    barred: Depths | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Reading:
    """Evaluate the moves of a position; without `exact`, two plies give up moves that are not the best.

    `barred` leaves out moves as in a tree (search/restrict.py). The moves not read when `stop()` is true are given up.
    """
    sign = 1 if board.to_play == "black" else -1
    own, other = (depths((), board) if barred is None else barred)[::sign]
    after = afterstates([board], own > 0)
    if not len(after.moves):
        raise TengenError("the player considers none of the allowed moves here")
    values, leads, winrates = evaluate(evaluator, after.positions)
    n = len(values)
    replies, evaluated, rank = np.full(n, -1), np.ones(n, np.int64), np.random.default_rng(seed).permutation(n)
    names = tuple(map(board.move_name, after.moves.tolist()))
    reading = Reading(names, sign * values, sign * values, leads, winrates, replies, evaluated, rank)
    if plies == 2:
        _read_replies(board, evaluator, reading, sign, exact, other > 1, stop)
    return reading


def evaluate(evaluator: Evaluator, positions: Positions) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the values, leads and winrates of positions for Black, with at most `BATCH` positions in a call."""
    found = []
    for start in range(0, len(positions), BATCH):
        part = positions if len(positions) <= BATCH else positions.take(slice(start, start + BATCH))
        said = ask(evaluator, part, *_needed(evaluator))
        said = completed(said, part)
        winrates, leads = winrates_of(said, part), said.lead
        values = 2 * winrates - 1 if leads is None else leads / part.points
        # Rounded, because symmetric moves are equal but for the order of additions, which some models make in float32.
        found.append((np.round(values, 6), np.zeros(len(part)) if leads is None else leads, winrates))
    values, leads, winrates = (np.concatenate(each) for each in zip(*found, strict=True))
    return values, leads, winrates


def _needed(evaluator: Evaluator) -> list[Answer]:
    return [answer for answer in VALUES if answer in evaluator.gives]


def _read_replies(
    board: Board,
    evaluator: Evaluator,
    reading: Reading,
    sign: int,
    exact: bool,
    barred: npt.NDArray[np.bool_],
    stop: Callable[[], bool],
) -> None:
    """Replace the values of moves by those after the worst replies; forget values that are not known."""
    boards = [_played(board, move) for move in reading.moves]
    after, order = afterstates(boards, barred), reading.order
    left = [
        np.arange(start, start if each.is_over else end)
        for each, start, end in zip(boards, after.first[:-1], after.first[1:], strict=True)
    ]
    harm = np.zeros(board.width * board.height + 1)  # what each reply last did to the value of a move

    def answer(moves: Sequence[int], most: int | None = None) -> None:
        """Evaluate the next replies to some moves in one call."""
        parts = []
        for i in moves:
            rows = left[i][np.argsort(harm[after.moves[left[i]]], kind="stable")]
            parts.append(rows[:most])
            left[i] = rows[len(parts[-1]) :]
        values, leads, winrates = evaluate(evaluator, after.positions.take(np.concatenate(parts)))
        start = 0
        for i, rows in zip(moves, parts, strict=True):
            found = sign * values[start : start + len(rows)]
            harm[after.moves[rows]] = found - reading.at_once[i]
            worst = int(found.argmin())
            if reading.replies[i] < 0 or found[worst] < reading.values[i]:
                reading.values[i], reading.replies[i] = found[worst], after.moves[rows[worst]]
                reading.leads[i], reading.winrates[i] = leads[start + worst], winrates[start + worst]
            reading.evaluated[i] += len(rows)
            start += len(rows)

    open_moves = [i for i in order if len(left[i])]
    for i in open_moves if exact else open_moves[:1]:
        if i == open_moves[0] or not stop():
            answer([i])
    if not exact and len(open_moves) > 1 and not stop():
        answer(open_moves[1:], FEW)
        while len(left[best := max(order, key=reading.key)]) and not stop():
            answer([best], int(reading.evaluated[best]))
    for i in open_moves:
        if len(left[i]):
            reading.values[i], reading.replies[i] = np.nan, -1


def distinct_winrates(evaluator: Evaluator, positions: Positions) -> FloatArray:
    """Return Black's winrates; leads tell them apart where the game is decided and all of them round to 0 or 1."""
    _, leads, winrates = evaluate(evaluator, positions)
    return np.asarray((1 - LEAD_SHARE) * winrates + LEAD_SHARE * (0.5 + np.arctan(leads / positions.points) / np.pi))


def winrates_after_replies(evaluator: Evaluator, positions: Positions) -> FloatArray:
    """Return Black's distinct winrate in positions of one game after the best move of the player to move in each.

    In a finished game it is that of the position.
    """
    after = afterstates([*positions.boards()])
    winrates = distinct_winrates(evaluator, after.positions)
    low, high = (each.reduceat(winrates, after.first[:-1]) for each in (np.minimum, np.maximum))
    found = np.where(positions.to_play > 0, high, low)
    if (over := np.flatnonzero(positions.passes >= 2)).size:
        found[over] = distinct_winrates(evaluator, positions.take(over))
    return found


def _played(board: Board, move: str) -> Board:
    after = board.copy()
    after.play(move)
    return after


def analyse(board: Board, evaluator: Evaluator, plies: int, **options: Any) -> Analysis:
    """Return what `read` finds as an analysis: known values are the candidates, evaluations count as visits."""
    reading = read(board, evaluator, plies, **options)
    said = ask(evaluator, Positions.of([board]), *_needed(evaluator))
    ownership = np.zeros((board.height, board.width)) if said.ownership is None else said.ownership[0]
    spread = spread_of(ownership) if said.lead_sd is None else float(said.lead_sd[0])
    priors = shares(board.width * board.height * reading.at_once)
    candidates = tuple(_candidate(board, reading, i, float(priors[i])) for i in reading.order)
    best, visits = candidates[0], int(reading.evaluated.sum())
    return Analysis(board.to_play, visits, best.winrate, best.lead, spread, read_only(ownership), candidates)


def _candidate(board: Board, reading: Reading, i: int, prior: float) -> Candidate:
    move, reply, visits = reading.moves[i], int(reading.replies[i]), int(reading.evaluated[i])
    line = (move,) if reply < 0 else (move, board.move_name(reply))
    winrate, lead = float(reading.winrates[i]), float(reading.leads[i])
    return Candidate(move, visits, winrate, lead, prior, winrate, line, (visits, 1)[: len(line)], winrate, lead)


def drawn_move(
    board: Board, found: Analysis, evaluator: Evaluator, temperature: float, random: np.random.Generator
) -> str | None:
    """Return a move of an analysis, except the pass, drawn by its value as in `choose`; None if there is none."""
    moves = [candidate for candidate in found.candidates if candidate.move != "pass"]
    if not moves:
        return None
    by_lead, points = bool(evaluator.gives & {"lead", "ownership"}), board.width * board.height
    leads = np.array([each.lead if by_lead else points * (2 * each.winrate - 1) for each in moves])
    for_mover = leads if board.to_play == "black" else -leads
    return moves[random.choice(len(moves), p=shares(for_mover, temperature))].move


def repeat(found: Analysis, stop: Callable[[], bool], report: Callable[[Analysis], None] | None, every: float) -> None:
    """Report an analysis every `every` seconds until `stop()`, as programs expect of an analysis without a limit."""
    due = time.monotonic()
    while not stop():
        if report is not None and time.monotonic() >= due:
            report(found)
            due = time.monotonic() + every
        time.sleep(PAUSE)
