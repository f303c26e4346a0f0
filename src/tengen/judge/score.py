"""`tengen.score`: the count of a finished game under the likeliest verdicts.

Start at `score`. Three steps: verdicts decide which chains are dead (tengen.judge.verdicts, or the user's marks),
`settle` decides the status of every point, and the rules decide which points count. `Score.marked` and `Score.toggle`
repeat only the last two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.counting import Count, CountLine, Mask, Owner, connected, lead_of, names_of, next_to, tally
from tengen.go.points import PointLike, as_point, point_name
from tengen.go.record import Game, as_board
from tengen.go.rules import FalseEyes, Rules
from tengen.judge.chains import Chains
from tengen.judge.marks import Mark, with_marks
from tengen.judge.room import is_sparse, open_regions
from tengen.judge.settle import Settlement, settle
from tengen.judge.verdicts import judge_chains, judge_of, mark, marked_chains
from tengen.models.estimate import ModelLike
from tengen.models.state import identity
from tengen.models.verdict import Reason, Status, Verdict

State: TypeAlias = Literal["safe", "not safe", "not finished", "resigned", "lost on time", "forfeited"]
"""How reliable a count is; in the last three the recorded result is R, T or F and not a count."""
STATES: tuple[State, ...] = get_args(State)
COUNTED: tuple[State, ...] = ("safe", "not safe")

_ENDED: dict[str, State] = {"R": "resigned", "T": "lost on time", "F": "forfeited"}
_MOST_NAMED = 6  # maximum number of chains named in a headline


@dataclass(frozen=True)
class Basis:
    """The input of a count."""

    board: Board
    chains: Chains
    judged: tuple[Verdict, ...]
    """A verdict on each chain, before chains in seki are marked as such."""
    captures: tuple[int, int] | None
    """Captures that replace those of the board."""
    marks: Mapping[int, Mark] = field(default_factory=dict)
    """The fate of single chains, by number, as given to `Score.marked`."""


@dataclass(frozen=True, repr=False)
class Score:
    """The count of a finished game. `result` is the likeliest result; `safe` tells whether it can be relied on."""

    count: Count
    verdicts: tuple[Verdict, ...]
    seki: tuple[str, ...]
    unclear: tuple[str, ...]
    """Stones of chains whose fate is uncertain."""
    safe: bool
    warnings: tuple[str, ...]
    settlement: Settlement = field(compare=False, repr=False)
    """The status of every point, as arrays [row, column]."""
    basis: Basis = field(compare=False, repr=False)
    """The board, verdicts and captures that were counted."""
    finished: bool = True
    """Whether the borders between the colours are closed."""
    recorded: str = ""
    """The result in the record, such as W+R; empty for a board or an earlier position."""
    model: str = ""
    """The model that judged the chains, as name@hash; empty if the dead stones were given."""

    @property
    def result(self) -> str:
        """The result as written in records, such as B+3.5."""
        return self.count.result

    @property
    def lead(self) -> float:
        """Points Black is ahead, komi included."""
        return self.count.lead

    @property
    def lines(self) -> tuple[CountLine, ...]:
        """The lines of the count; they sum to the lead."""
        return self.count.lines

    @property
    def owner(self) -> Owner:
        """Who owns each point: an array [row, column], 1 Black, −1 White, 0 nobody."""
        return self.count.owner

    @property
    def dead(self) -> tuple[str, ...]:
        """The dead stones."""
        return self.count.dead

    @property
    def dame(self) -> tuple[str, ...]:
        """Neutral points."""
        return self.count.dame

    @property
    def false_eyes(self) -> tuple[str, ...]:
        """Points their owner has to fill to connect; the rules decide whether territory scoring counts them."""
        return names_of(self.settlement.false_eyes != 0)

    @property
    def unsealed(self) -> tuple[str, ...]:
        """Gaps in a border; the points behind them are neutral."""
        return names_of(self.settlement.unsealed != 0)

    @property
    def protections(self) -> tuple[str, ...]:
        """Points where the owner still has to play to connect or to save a chain (teire); they are counted."""
        return names_of(self.settlement.protections != 0)

    @property
    def rules(self) -> Rules:
        """The rules of the count."""
        return self.count.rules

    @property
    def komi(self) -> float:
        """The komi of the count."""
        return self.count.komi

    @property
    def state(self) -> State:
        """Whether the result can be relied on, and if not, why; a recorded R, T or F takes precedence."""
        if (ended := _ENDED.get(self.recorded[2:])) is not None:
            return ended
        if not self.finished:
            return "not finished"
        return "safe" if self.safe else "not safe"

    @property
    def agrees(self) -> bool | None:
        """Whether the record gives the same result; None if it gives no margin or the game is not counted."""
        recorded = lead_of(self.recorded)
        return None if recorded is None or self.state not in COUNTED else recorded == self.lead

    @property
    def headline(self) -> str:
        """The score in one line, which starts with the state unless that is safe."""
        state = self.state
        counted = f"{self.result} ({self.rules}, komi {self.komi:g})"
        ended = state in _ENDED.values()
        if self.agrees:
            counted += ", as recorded"
        elif self.recorded not in ("", "?") and not ended:
            counted += f"; the record says {self.recorded}"
        if state == "safe":
            return counted
        if state == "not safe":
            return f"not safe: the likeliest count is {counted}{self._named_unclear()}"
        reason = f"{state} (the record says {self.recorded})" if ended else state
        return f"{reason}: the board as it stands would count {counted}; tengen estimate tells who is ahead"

    def _named_unclear(self) -> str:
        names = [verdict.points[0] for verdict in self.verdicts if verdict.status == "unclear"]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"; unclear: {' '.join(names[:_MOST_NAMED])}{more}" if names else ""

    def toggle(self, point: PointLike) -> Score:
        """Return the count with the status of one chain switched between dead and alive; other verdicts are kept."""
        alive = self.basis.judged[self._chain_at(point)].alive >= 0.5
        return self.marked({point: "dead" if alive else "alive"})

    def marked(self, marks: Mapping[str, Mark] | Mapping[PointLike, Mark]) -> Score:
        """Return the count with the fate of some chains given by the user; other verdicts are kept.

        `marks` has one stone of each of these chains. The territory next to a chain in seki belongs to the seki.
        """
        if unknown := [status for status in marks.values() if status not in get_args(Mark)]:
            raise TengenError(f"a chain is marked {', '.join(get_args(Mark))}, not {unknown[0]!r}")
        verdicts, numbered = list(self.basis.judged), dict(self.basis.marks)
        for point, status in marks.items():
            number = self._chain_at(point)
            verdicts[number], numbered[number] = mark(verdicts[number], status), status
        return replace(count_again(self, verdicts=verdicts, marks=numbered), recorded=self.recorded)

    def _chain_at(self, point: PointLike) -> int:
        board = self.basis.board
        place = as_point(point, board.width, board.height)
        number = int(self.basis.chains.numbers[place])
        if number < 0:
            raise TengenError(f"there is no stone at {point_name(*place, board.height)}")
        return number

    # How it looks.

    @property
    def drawing(self) -> dict[str, Any]:
        """Options of `Board.text` and `Board.svg` that draw the owners of points and the fates of stones."""
        neutral = self.settlement.dame & ~self.settlement.open
        return {
            "owner": self.owner,
            "dead": self.dead,
            "unclear": self.unclear,
            "seki": self.seki,
            "dame": neutral,
        }

    def svg(self, **options: Any) -> str:
        """Draw the scored board as SVG; `options` are those of tengen.go.svg.draw_svg."""
        usual = {"title": self.headline, "legend": True, "notes": self.warnings}
        return self.basis.board.svg(**{**self.drawing, **usual, **options})

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.headline

    def __repr__(self) -> str:
        state = "" if self.state == "safe" else f"{self.state}: "
        return f"<Score {state}{self.result}, {self.rules}, komi {self.komi:g}>"


def score(
    game_or_board: Game | Board,
    *,
    rules: Rules | str | None = None,
    komi: float | None = None,
    captures: tuple[int, int] | None = None,
    dead: Iterable[PointLike] | None = None,
    false_eyes: FalseEyes | None = None,
    model: ModelLike = "default",
) -> Score:
    """Score a finished game.

    `model` judges which chains live: the name, file or object of a model that gives ownership (default: the judge's own
    network). `dead` lists the dead stones and replaces its verdicts. Rules, komi and captures replace those of the
    record. `false_eyes`: whether territory scoring counts false eyes. The default is the practice of the record's
    server if it is known, even under other rules, and otherwise that of the rules.
    """
    board = _under(as_board(game_or_board), rules, komi, false_eyes)
    chains = Chains.of(board.stones)
    if dead is not None:
        counted = _score(board, chains, marked_chains(board, chains, dead), captures)
    else:
        judge = judge_of(model)
        counted = _score(board, chains, judge_chains(board, chains, judge), captures, identity(judge))
    return replace(counted, recorded=game_or_board.result) if isinstance(game_or_board, Game) else counted


def _under(board: Board, rules: Rules | str | None, komi: float | None, false_eyes: FalseEyes | None) -> Board:
    """Return a board under other rules; by default false eyes count if the old or the new rules count them."""
    other = board.with_rules(rules, komi)
    if false_eyes is None and "counted" in (board.rules.false_eyes, other.rules.false_eyes):
        false_eyes = "counted"
    counted = other.rules if false_eyes is None else replace(other.rules, false_eyes=false_eyes)
    return other if counted.scoring == "AREA" else other.with_rules(counted)


def _score(
    board: Board,
    chains: Chains,
    judged: Iterable[Verdict],
    captures: tuple[int, int] | None,
    model: str = "",
    marks: Mapping[int, Mark] | None = None,
) -> Score:
    judged, marks = tuple(judged), marks or {}
    gone = chains.stones(np.array([verdict.alive < 0.5 for verdict in judged], bool))
    settled = with_marks(settle(board.stones, gone), chains, marks)
    taxed = (settled.seki != 0) & (board.rules.tax != "NONE")
    if board.rules.false_eyes == "counted":
        taxed &= settled.false_eyes == 0
    uncounted = taxed | ((settled.false_eyes != 0) & _leaves_out_false_eyes(board.rules))
    territory = np.where(uncounted, 0, settled.territory).astype(np.int8)
    prisoners = np.where(gone & ~taxed, -board.stones, 0).astype(np.int8)
    counted = tally(board, gone, territory, prisoners, settled.dame, captures)
    sekis = (settled.seki.ravel()[chains.firsts] == chains.signs) & ~chains.within(next_to(settled.open))
    verdicts = tuple(
        _in_seki(verdict) if seki and verdict.status == "alive" and number not in marks else verdict
        for number, (verdict, seki) in enumerate(zip(judged, sekis.tolist(), strict=True))
    )
    unfinished = _unfinished(board, settled)
    warnings = [*unfinished, *_remarks(board, settled, taxed), *_missing_captures(board, counted, captures)]
    unclear = _stones(verdicts, "unclear")
    safe = not unclear and not unfinished
    return Score(
        count=counted,
        verdicts=verdicts,
        seki=_stones(verdicts, "seki"),
        unclear=unclear,
        safe=safe,
        warnings=tuple(warnings),
        settlement=settled,
        basis=Basis(board, chains, judged, captures, marks),
        finished=not unfinished,
        model=model,
    )


def _stones(verdicts: Iterable[Verdict], status: Status) -> tuple[str, ...]:
    return tuple(name for verdict in verdicts if verdict.status == status for name in verdict.points)


def _in_seki(verdict: Verdict) -> Verdict:
    sentence = "Its group has fewer than two eyes and cannot be captured: it lives in seki."
    return replace(verdict, status="seki", reasons=(*verdict.reasons, Reason("seki", verdict.points, sentence)))


def _unfinished(board: Board, settled: Settlement) -> list[str]:
    """Return warnings about open borders between the colours and about territory that is not surrounded."""
    if not board.stones.any():
        return ["there is no stone on the board: the game has not begun"]
    alone = board.stones.min() == 0 or board.stones.max() == 0
    if alone and not board.is_over and np.mean(board.stones != 0) < 0.5:
        return ["only one colour has stones on the board: the game has hardly begun"]
    open_points = [(region, "are neutral") for region in connected(settled.open)]
    for colour, region in open_regions(settled):
        open_points.append((region, f"are not surrounded by {'Black' if colour == 1 else 'White'}"))
    said = [
        f"{len(region)} points around {point_name(*region[0], board.height)} {why}: the game is open there"
        for region, why in open_points
    ]
    if is_sparse(settled):
        living = np.count_nonzero(settled.living)
        said.append(f"living stones cover {living} of {board.stones.size} points: the game has hardly begun")
    return said


def _remarks(board: Board, settled: Settlement, taxed: Mask) -> list[str]:
    """Return warnings about points that were not counted and moves that the owner still has to make."""
    said = []
    if names := names_of(settled.unsealed != 0):
        said.append(f"the border is open at {' '.join(names)}: the points behind it are neutral")
    if names := names_of(taxed & (settled.territory != 0)):
        said.append(f"eyes in seki do not count: {' '.join(names)}")
    if board.rules.scoring == "AREA":
        return said
    if _leaves_out_false_eyes(board.rules) and (names := names_of((settled.false_eyes != 0) & ~taxed)):
        said.append(f"false eyes do not count, they will be filled to connect: {' '.join(names)}")
    if names := names_of(settled.protections != 0):
        said.append(f"counted, but to be filled for protection when the dame are played: {' '.join(names)}")
    return said


def _leaves_out_false_eyes(rules: Rules) -> bool:
    return rules.scoring == "TERRITORY" and rules.false_eyes == "uncounted"


def _missing_captures(board: Board, counted: Count, captures: tuple[int, int] | None) -> list[str]:
    if board.past_known or captures is not None or counted.rules.scoring == "AREA":
        return []
    return ["captures are not known from the stones alone and were counted as none: give captures=(by Black, by White)"]


def count_again(
    counted: Score,
    *,
    verdicts: Iterable[Verdict] | None = None,
    rules: Rules | None = None,
    marks: Mapping[int, Mark] | None = None,
) -> Score:
    """Return the count of the same position under other verdicts, rules or marks, without judging again."""
    basis = counted.basis
    judged = basis.judged if verdicts is None else verdicts
    numbered = basis.marks if marks is None else marks
    return _score(basis.board.with_rules(rules), basis.chains, judged, basis.captures, counted.model, numbered)
