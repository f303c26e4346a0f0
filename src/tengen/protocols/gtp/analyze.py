"""Live analysis: the analyze commands in the dialects of Sabaki, Leela Zero and KataGo.

Start at `_analyze` and `_genmove_analyze`. `Wishes` holds their parsed arguments and a `Speaker` writes the lines.
Winrates, leads and ownership are those of the player to move.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from tengen.errors import TengenError
from tengen.go.board import Board
from tengen.go.colour import Colour, winrate_for
from tengen.numbers import rounded
from tengen.protocols.gtp.table import colour_argument, command, flag, is_colour, is_number, number, whole
from tengen.protocols.said import OWNED, AnalysedPosition, deviation_of, mark_illegal, move_name
from tengen.search.analysis import Analysis, Candidate, Decision
from tengen.search.restrict import Restriction, allow, avoid

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session

_LAST_LINE = 0.03  # seconds for playouts before the last line of a move

N = TypeVar("N", int, float)


@dataclass
class Wishes:
    """The arguments of an analysis command."""

    colour: Colour
    every: float = 1.0
    most: int = 10_000
    restrictions: list[Restriction] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    """Additional output: ownership, rootInfo and so on."""


_SHOWN = (
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "noResultValue",
    "rootInfo",
)
_LISTS = {"avoid": avoid, "allow": allow}


def read_wishes(words: Sequence[str], board: Board) -> Wishes:
    """Parse `[colour] [interval]` and then pairs of keys and values."""
    rest = list(words)
    wishes = Wishes(board.to_play)
    if rest and is_colour(rest[0]):
        wishes.colour = colour_argument(rest.pop(0))
    if rest and is_number(rest[0]):
        wishes.every = _interval(rest.pop(0))
    while rest:
        _read_wish(wishes, rest.pop(0), rest, board)
    return wishes


def _read_wish(wishes: Wishes, key: str, rest: list[str], board: Board) -> None:
    if len(rest) < (3 if key in _LISTS else 1):
        raise TengenError(f"syntax error after {key[:40]!r}")
    if key == "interval":
        wishes.every = _interval(rest.pop(0))
    elif key == "minmoves":
        _at_least(0, key, whole(rest.pop(0)))  # every visited move is reported
    elif key == "maxmoves":
        wishes.most = _at_least(1, key, whole(rest.pop(0)))
    elif key in _LISTS:
        wishes.restrictions.append(_read_restriction(key, rest, board))
    elif key in _SHOWN:
        if flag(rest.pop(0)):
            wishes.shown.add(key)
    else:
        raise TengenError(f"unknown key {key[:40]!r}")


def _read_restriction(key: str, rest: list[str], board: Board) -> Restriction:
    """Parse a colour, points separated by commas, and the depth of the restriction."""
    colour, points, depth = colour_argument(rest.pop(0)), rest.pop(0), whole(rest.pop(0))
    return _LISTS[key]((move_name(name, board) for name in points.split(",")), colour, depth)


def _interval(word: str) -> float:
    return min(max(_at_least(0, "interval", number(word)) / 100, 0.01), 3600.0)  # in hundredths of a second


def _at_least(least: int, key: str, value: N) -> N:
    if value < least:
        raise TengenError(f"{key} must be at least {least}, not {value:g}")
    return value


Values = dict[str, float]


def _kata_values(move: Values) -> str:
    said = (
        f"utility {move['utility']:.6f} winrate {move['winrate']:.6f} scoreMean {move['lead']:.4f} "
        f"scoreStdev {move['sd']:.4f} scoreLead {move['lead']:.4f} scoreSelfplay {move['lead']:.4f}"
    )
    return f"{said} prior {move['prior']:.6f} lcb {move['lcb']:.6f} utilityLcb {2 * move['lcb'] - 1:.6f}"


def _plain_values(move: Values) -> str:
    return f"winrate {move['winrate']:.6f} scoreLead {move['lead']:.4f} prior {move['prior']:.6f} lcb {move['lcb']:.6f}"


def _leela_values(move: Values) -> str:
    return " ".join(f"{key} {round(10_000 * move[key])}" for key in ("winrate", "prior", "lcb"))


Dialect = Callable[[Values], str]
_DIALECTS: dict[str, Dialect] = {"kata-": _kata_values, "lz-": _leela_values, "": _plain_values}


@dataclass
class Speaker:
    """Formats the findings of a search as requested."""

    wishes: Wishes
    dialect: Dialect
    position: AnalysedPosition
    hurry: Callable[[], bool]
    """Whether there is no time left for additional playouts."""

    def finish(self, found: Analysis, stop: Callable[[], bool]) -> None:
        """Prepare the last line: a few playouts after the best moves, limited to `_LAST_LINE` seconds."""
        deadline = time.monotonic() + _LAST_LINE
        if self._owners:
            moves = [move.move for move in found.candidates[: min(self.wishes.most, OWNED)]]
            self.position.work_out(moves, lambda: time.monotonic() > deadline or stop())
        self.hurry = lambda: True

    @property
    def _owners(self) -> set[str]:
        return self.wishes.shown & {"movesOwnership", "movesOwnershipStdev"}

    def line(self, found: Analysis) -> str:
        """Format the current findings of a search."""
        sign, shown = 1 if found.to_play == "black" else -1, self.wishes.shown
        moves = found.candidates[: self.wishes.most]
        parts = [self._move(move, order, found, sign) for order, move in enumerate(moves)]
        if "rootInfo" in shown:
            root = Candidate("root", found.visits, found.winrate, found.lead, 1.0, found.winrate, ())
            parts.append(f"rootInfo visits {found.visits} {self.dialect(_seen(found, root, sign))}")
        if "ownership" in shown:
            parts.append(f"ownership {_floats(sign * found.ownership)}")
        if "ownershipStdev" in shown:
            parts.append(f"ownershipStdev {_floats(deviation_of(found.ownership))}")
        return " ".join(parts)

    def _move(self, move: Candidate, order: int, found: Analysis, sign: int) -> str:
        shown, values = self.wishes.shown, self.dialect(_seen(found, move, sign))
        if "noResultValue" in shown:
            values += f" noResultValue {0.0:.6f}"  # every playout has a winner
        parts = [f"info move {move.move} visits {move.visits} {values} order {order} pv {' '.join(move.line)}"]
        for key in ("pvVisits", "pvEdgeVisits"):  # equal, because the tree has no transpositions
            if key in shown:
                parts.append(f"{key} {' '.join(map(str, move.line_visits))}")
        return " ".join([*parts, *self._owned(move, order, sign)])

    def _owned(self, move: Candidate, order: int, sign: int) -> list[str]:
        """Return the ownership after one of the best moves and its standard deviation, if requested."""
        wanted = self._owners
        owned = self.position.ownership_after(move.move, self.hurry) if wanted and order < OWNED else None
        if owned is None:
            return []
        values = {"movesOwnership": sign * owned, "movesOwnershipStdev": deviation_of(owned)}
        return [f"{key} {_floats(array)}" for key, array in values.items() if key in wanted]


def _seen(found: Analysis, move: Candidate, sign: int) -> Values:
    """Return a candidate's numbers from the view of the player to move."""
    winrate, lcb = (winrate_for(sign, value) for value in (move.winrate, move.lcb))
    return {
        "utility": 2 * winrate - 1,
        "winrate": winrate,
        "lead": sign * move.lead,
        "sd": found.lead_sd,
        "prior": move.prior,
        "lcb": lcb,
    }


def _floats(values: npt.NDArray[np.float64] | Iterable[float]) -> str:
    """Write numbers with four digits; a single format string, because a 19×19 report has thousands of them."""
    numbers = rounded(np.asarray(values, float).ravel(), 4)
    return " ".join(["%.4f"] * len(numbers)) % tuple(numbers)


def _analyze(session: Session, words: Sequence[str], dialect: Dialect) -> None:
    wishes = read_wishes(words, session.board)
    session.turn_to(wishes.colour)
    speaker = Speaker(wishes, dialect, session.position, session.stop)
    last = session.player.think(
        seconds=math.inf,
        stop=session.stop,
        report=session.watched(lambda found: session.say(speaker.line(found))),
        every=wishes.every,
        restrictions=wishes.restrictions,
    )
    if not session.begun:
        session.say(speaker.line(last))


def _genmove_analyze(
    session: Session,
    words: Sequence[str],
    dialect: Dialect,
    *,
    decide: Callable[..., Decision],
    interruption: Interruption | None = None,
) -> None:
    wishes = read_wishes(words, session.board)
    session.turn_to(wishes.colour)
    stop = interruption or (lambda: session.interrupted)
    speaker = Speaker(wishes, dialect, session.position, stop)
    decision = decide(
        wishes.colour,
        stop=stop,
        report=lambda found: session.say(speaker.line(found)),
        every=wishes.every,
        restrictions=wishes.restrictions,
    )
    speaker.finish(decision.analysis, stop)
    session.say(speaker.line(decision.analysis))
    session.say(f"play {decision.move if not interruption else interruption.outcome(decision)}")


class Interruption:
    """A stop condition for a search that any input cancels."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cancelled = False

    def __call__(self) -> bool:
        """Whether the search should end."""
        self._cancelled = self._cancelled or self._session.stop()
        return self._cancelled

    def outcome(self, decision: Decision) -> str:
        """Return the move, or "cancelled"."""
        return "cancelled" if self._cancelled else decision.move


def _enter(prefix: str, dialect: Dialect) -> None:

    @command(f"{prefix}analyze", listed=bool(prefix))  # Sabaki would prefer the plain one and show 0 %
    def analyze(session: Session, *wishes: str) -> None:
        """Analyse and report until the next input: [colour] [interval] [key value …]."""
        _analyze(session, wishes, dialect)

    @command(f"{prefix}genmove_analyze", listed=bool(prefix))
    def genmove_analyze(session: Session, *wishes: str) -> None:
        """Generate a move, report during the search, and play it."""
        _genmove_analyze(session, wishes, dialect, decide=session.genmove)


for _prefix, _dialect in _DIALECTS.items():
    _enter(_prefix, _dialect)


@command("kata-search_analyze")
def search_analyze(session: Session, *wishes: str) -> None:
    """Generate a move and report during the search, without playing it."""
    _genmove_analyze(session, wishes, _kata_values, decide=session.choose)


@command("kata-search_analyze_cancellable")
def search_analyze_cancellable(session: Session, *wishes: str) -> None:
    """Generate a move and report, without playing it; any input cancels the search: `play cancelled`."""
    _genmove_analyze(session, wishes, _kata_values, decide=session.choose, interruption=Interruption(session))


@command("kata-search")
def search(session: Session, colour: Colour) -> str:
    """Generate a move as genmove does, without playing it."""
    return session.choose(colour).move


@command("kata-search_cancellable")
def search_cancellable(session: Session, colour: Colour) -> str:
    """Generate a move without playing it; any input cancels the search, and the answer is then `cancelled`."""
    stop = Interruption(session)
    return stop.outcome(session.choose(colour, stop=stop))


_TOP, _TOP_PLAYOUTS = 10, 1000  # number of moves listed by top_moves, and playouts for them


def _top_moves(session: Session, colour: Colour) -> str:
    found = session.look(_TOP_PLAYOUTS, colour)
    moves = [move for move in found.candidates if move.move != "pass"][:_TOP]
    sign = 1 if colour == "black" else -1
    return " ".join(f"{move.move} {100 * winrate_for(sign, move.winrate):.2f}" for move in moves)


@command("top_moves")
def top_moves(session: Session) -> str:
    """List up to ten good moves of the player to move, each with its winrate in percent."""
    return _top_moves(session, session.board.to_play)


@command("top_moves_black")
def top_moves_black(session: Session) -> str:
    """List up to ten good moves for Black, each with its winrate in percent."""
    return _top_moves(session, "black")


@command("top_moves_white")
def top_moves_white(session: Session) -> str:
    """List up to ten good moves for White, each with its winrate in percent."""
    return _top_moves(session, "white")


@command("stop")
def stop(session: Session) -> None:
    """End an analysis, as any other command does."""


@command("kata-raw-nn")
def raw_nn(session: Session, symmetry: str = "0", *options: str) -> str:
    """Evaluate the position and its moves without a search, in the layout of KataGo's network output."""
    board, found = session.board, session.estimate
    guided = session.player.settings.guide is not None
    policy = mark_illegal(session.player.priors() if guided or found.policy is None else found.policy, board)
    lead = f"{rounded(-found.lead, 3):.3f}"
    lines = [
        "symmetry 0",
        f"whiteWin {1 - found.winrate:.6f}",
        f"whiteLoss {found.winrate:.6f}",
        "noResult 0.000000",
        f"whiteLead {lead}",
        f"whiteScoreSelfplay {lead}",
        f"whiteScoreSelfplaySq {found.lead**2 + found.lead_sd**2:.3f}",
        f"shorttermScoreError {found.lead_sd:.3f}",
        "policy",
        *_rows(policy[:-1].reshape(board.height, board.width)),
        f"policyPass {policy[-1]:.6f}",
        "whiteOwnership",
        *_rows(-found.ownership),
    ]
    return "\n".join(lines)


def _rows(values: npt.NDArray[np.float64]) -> list[str]:
    return [" ".join("NAN" if value != value else f"{value:9.6f}" for value in row) for row in rounded(values, 6)]
