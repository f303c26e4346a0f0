"""UCT with its root pruned by the evaluator, against plain UCT (Low §6.3 and §6.4).

Start at `pruning_rows`. The share of moves that is kept is not in the paper. It is chosen on other games, for each
evaluator and kind of playouts: by matches from random openings of two moves or, without such matches, as the smallest
share that keeps most of the best moves of positions of the split `valid` (`shares_needed`). The matches have as many
playouts as the rows, because a small share is enough only with few of them: 10 % of the moves by Low's network won 20
of 20 games with 2,000 playouts, and 7 of 20 with 20,000. A match is a folder with the records of its games, and a
stopped one is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.corpus.dataset import Batch
from tengen.go.board import Board
from tengen.measure.arrays import FloatArray
from tengen.measure.intervals import Interval, wilson
from tengen.models.evaluator import Evaluator
from tengen.papers.low.published import PLAYOUTS, PRUNING
from tengen.papers.report import Row
from tengen.search.match import Contestant, Match, Standing
from tengen.search.player import Player, Settings
from tengen.search.plies import afterstates, distinct_winrates, winrates_after_replies

SHARES = (0.1, 0.2, 0.3, 0.5, 0.7)
LEAST = 8
"""Moves that are always kept, as the search does."""
ENOUGH = 0.9
"""Without matches the smallest share is chosen that keeps the best move this often."""
KOMI = 7.5
NEEDS_WORK = "not played: the games take hours, name a folder for them with --work"
GUIDES = ("message network", "network")
POLICIES = ("uniform", "knowing")
NULL = "territory/naive"
"""Pruning by a model that has learned nothing."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Pruning:
    """The size of the experiment."""

    games: int = 200
    """Games of each row of the paper, with the first guide and uniform playouts."""
    other_games: int = 60
    """Games of every other row."""
    playouts: int = PLAYOUTS
    tuning_games: int = 20
    """Games for each kept share; 0 for the choice without matches."""
    seconds: float | None = 0.2
    """Seconds per move of the rows at equal time; None for none."""
    positions: int = 100
    """Positions whose best moves should be kept."""
    searched: int = 2000
    """Playouts that find the best move of these positions."""
    guides: tuple[str, ...] = GUIDES
    policies: tuple[str, ...] = POLICIES
    """Kinds of playouts with the first guide; the others play with the first kind only, and without null rows."""
    plies: tuple[int, ...] = (0, 1)
    levels: tuple[int, ...] = (2, 3)
    """Levels of the tree that are pruned in further rows, with the first kind of playouts; one is the paper's."""
    at_once: int = 2

    def policies_with(self, guide: str) -> tuple[str, ...]:
        """Return the kinds of playouts with a guide."""
        return self.policies if guide == self.guides[0] else self.policies[:1]


@dataclass(frozen=True)
class Variation:
    """A row of the table."""

    opening: bool
    """Whether the first move is drawn from the nine central points."""
    plies: int
    policy: str = "uniform"
    seconds: float | None = None
    guide: str | None = None
    """A model of the registry that prunes instead of the evaluator."""
    levels: int = 1
    """Pruned levels of the tree."""

    @property
    def name(self) -> str:
        """The name as the paper writes it."""
        words = f"{'' if self.opening else 'No '}Random Opening {self.plies} Ply Eval"
        deep = "" if self.levels == 1 else f", {self.levels} levels pruned"
        return words + (deep if self.guide is None else f", by {self.guide}{deep}")

    def match(self, guide: Path, keep: float, games: int, playouts: int) -> Match:
        """Return the match of pruned UCT against UCT."""
        limit = f"playouts={playouts}" if self.seconds is None else f"seconds={self.seconds:g}"
        plain = f"tengen:kind=uct,{limit},policy={self.policy}"
        pruned = f"{plain},guide={self.guide or guide},keep={keep:g}" + (
            f",guide-plies={self.plies}" if self.plies else ""
        )
        pruned += f",guided={self.levels}" if self.levels > 1 else ""
        return Match(
            Contestant(pruned),
            Contestant(plain),
            games,
            komi=KOMI,
            opening_moves=int(self.opening),
            central=self.opening,
        )

    def folder(self, keep: float, playouts: int) -> str:
        """Return the name of the folder of its games."""
        limit = str(playouts) if self.seconds is None else f"{self.seconds:g}s"
        words = ["opening" if self.opening else "no-opening", f"{self.plies}-ply", self.policy, f"keep-{keep:g}", limit]
        words += [] if self.guide is None else [self.guide.replace("/", "-")]
        return "-".join(words + ([] if self.levels == 1 else [f"{self.levels}-levels"]))


def best_moves(batch: Batch, playouts: int) -> list[tuple[Board, str]]:
    """Return positions of other games with the best move of the strong search, without those in which it passes."""
    boards = list(batch.positions.boards())
    moves = [Player(board, Settings(playouts=playouts)).think().candidates[0].move for board in boards]
    return [(board, move) for board, move in zip(boards, moves, strict=True) if move != "pass"]


def shares_needed(best: Sequence[tuple[Board, str]], evaluator: Evaluator, plies: int) -> FloatArray:
    """Return for each position the share of the moves that the guide ranks before the best; 0 if it is always kept.

    A larger share keeps the best move, because the search rounds the number of moves up.
    """
    return np.array([_share_needed(board, evaluator, plies, move) for board, move in best])


def kept(needed: FloatArray, share: float) -> Interval:
    """Return the percentage of best moves that a share keeps."""
    interval = wilson(float((needed < share).sum()), len(needed))
    return Interval(*(100 * value for value in interval))


def _share_needed(board: Board, evaluator: Evaluator, plies: int, best: str) -> float:
    after, black = afterstates([board]), board.to_play == "black"
    winrates = (winrates_after_replies if plies else distinct_winrates)(evaluator, after.positions)
    order = np.argsort(-winrates if black else winrates, kind="stable")
    moves = [name for name in map(board.move_name, after.moves[order].tolist()) if name != "pass"]
    if best not in moves:
        return 1.0
    before = moves.index(best)
    return 0.0 if before < LEAST else before / len(moves)


def chosen_share(standings: Mapping[float, Standing], needed: FloatArray) -> float:
    """Return the share that won most games or, without games, the smallest that keeps enough of the best moves."""
    if played := [share for share, standing in standings.items() if standing.games]:
        return max(played, key=lambda share: standings[share].score.value)
    keeps = (share for share in SHARES if (needed < share).sum() >= max(1, ENOUGH * len(needed)))
    return next(keeps, SHARES[-1])


def tuned(guide: Path, policy: str, scale: Pruning, folder: Path, tell: Tell) -> dict[float, Standing]:
    """Play the matches that choose the share for a kind of playouts: 0 plies, random openings of two moves."""
    found = {}
    for share in SHARES if scale.tuning_games else ():
        tell(f"pruning: choosing the share of moves, {policy} playouts, {share:g}")
        variation = Variation(False, 0, policy)
        match = variation.match(guide, share, scale.tuning_games, scale.playouts)
        other = Match(match.first, match.second, match.games, komi=KOMI, opening_moves=2)
        home = folder / f"choosing-{variation.folder(share, scale.playouts)}"
        found[share] = other.play(home, at_once=scale.at_once)
    return found


def pruning_rows(
    guide: Path, name: str, keeps: Mapping[str, float], scale: Pruning, folder: Path | None, tell: Tell
) -> Iterator[Row]:
    """Play the games that are missing in the folder; yield a row for each variation.

    `keeps` has the share of moves to keep for each kind of playouts.
    """
    first, policies = name == scale.guides[0], scale.policies_with(name)
    timed = [] if scale.seconds is None else [Variation(False, 0, policy, scale.seconds) for policy in policies]
    same = [Variation(*each, policy) for policy in policies for each in PRUNING]
    null = [Variation(False, 0, policy, guide=NULL) for policy in policies if first]
    deep = [Variation(False, 0, scale.policies[0], levels=levels) for levels in scale.levels]
    every = (*same, *null, *deep, *timed)
    for variation in sorted(every, key=lambda each: (each.seconds or 0, POLICIES.index(each.policy))):
        limit = f"{scale.playouts:,} playouts" if variation.seconds is None else f"{variation.seconds:g} seconds"
        title = f"Pruned UCT against UCT, {variation.policy} playouts, {limit} per move, {name} (% of games won)"
        in_paper = variation.seconds is None and variation.guide is None and variation.levels == 1
        published = PRUNING[variation.opening, variation.plies] if in_paper else None
        reason = NEEDS_WORK if folder is None else "" if variation.plies in scale.plies else "not played with --quick"
        if reason or folder is None:
            yield Row(title, variation.name, published, None, note=reason)
            continue
        games = scale.games if first and in_paper and variation.policy == "uniform" else scale.other_games
        tell(f"pruning: {variation.name}, {variation.policy} playouts, {games} games")
        keep = keeps[variation.policy]
        match = variation.match(guide, keep, games, scale.playouts)
        standing = match.play(folder / variation.folder(keep, scale.playouts), at_once=scale.at_once)
        yield standing_row(title, variation.name, published, standing, f"keeps {100 * keep:g} % of the moves")


def standing_row(title: str, name: str, published: Any, standing: Standing, note: str) -> Row:
    """Return the row of a match."""
    won, words = standing.score, f"{standing.tally}; {note}"
    return Row(title, name, published, 100 * won.value, (100 * won.low, 100 * won.high), words)
