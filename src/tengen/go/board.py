"""The board people hold: a position with its past, its rules and its komi.

Start at `Board.play`; the native position behind it (tengen._core.Position) keeps chains, ko, superko and undo.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tengen._core import Eye, First, Knowledge, Ko, Objection, Position
from tengen.errors import IllegalMove, TengenError
from tengen.go.arrays import as_stones, read_only
from tengen.go.colour import CODES, NAMES, Colour, as_colour
from tengen.go.events import colour_of, point_of
from tengen.go.playout_weights import playout_weights
from tengen.go.points import MAX_SIZE, PointLike, as_point, mask_of, point_name, point_names
from tengen.go.rules import Rules
from tengen.numbers import checked_count, checked_komi

PlayoutPolicy: TypeAlias = Literal["uniform", "knowing", "learned", "balanced"]
"""How the moves of a playout are chosen."""

_KO_RULES = {name.upper(): int(ko) for name, ko in Ko.__members__.items()}
_OBJECTIONS: dict[int, str] = {
    Objection.occupied: "there is a stone already",
    Objection.ko: "it would take back the ko at once",
    Objection.superko: "it would repeat an earlier position (superko)",
    Objection.suicide: "it would be suicide",
}
_EYES = {name: int(eye) for name, eye in Eye.__members__.items()}
_FIRST = {name: int(first) for name, first in First.__members__.items()}
_NO_OBJECTION = int(Objection.none)
_NO_LIMIT = np.iinfo(np.int64).max
_SIGNS = {"X": 1, "O": -1, "x": 1, "o": -1, ".": 0, "+": 0}


class Move(NamedTuple):
    """One move of a game: the colour, and a GTP name or "pass"."""

    colour: Colour
    point: str


class Captures(NamedTuple):
    """How many stones each player has taken."""

    black: int
    white: int


@dataclass(frozen=True)
class Chain:
    """Connected stones of one colour, with their liberties, as GTP names."""

    colour: Colour
    points: tuple[str, ...]
    liberties: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SafeArea:
    """Benson's unconditional life: 1 where Black's, −1 where White's, as arrays [row, column]."""

    alive: npt.NDArray[np.int8]
    """Stones that no sequence of enemy moves can capture."""
    territory: npt.NDArray[np.int8]
    """Points inside such chains where the enemy cannot live."""


@dataclass(frozen=True, eq=False)
class Playouts:
    """Who owned what at the end of n random games."""

    n: int
    black: npt.NDArray[np.int32]
    """How often Black owned each point."""
    white: npt.NDArray[np.int32]
    """How often White owned each point."""
    leads: npt.NDArray[np.int16]
    """Black's area minus White's at the end of each playout, without komi."""
    mean_length: float
    """Moves in a playout, passes included."""

    @property
    def ownership(self) -> npt.NDArray[np.float64]:
        """The mean owner of each point, from −1 (White) to 1 (Black)."""
        return (self.black - self.white) / max(self.n, 1)


class Board:
    """A Go board from 2×2 to 25×25 that remembers how it came about. Mutable; `copy()` gives an independent one."""

    def __init__(
        self,
        width: int = 19,
        height: int | None = None,
        *,
        rules: Rules | str = "chinese",
        komi: float | None = None,
        handicap: int = 0,
    ) -> None:
        height = width if height is None else height
        _check_sides(width, height)
        rules = Rules.parse(rules)
        komi = checked_komi(rules.default_komi if komi is None else komi)
        self._begin(int(width), int(height), rules, komi, checked_count(handicap, "handicap"))

    def _begin(self, width: int, height: int, rules: Rules, komi: float, handicap: int) -> None:
        self._rules = rules
        self._komi = komi
        self._handicap = handicap
        self._past_known = True
        self._position = Position(width, height, _KO_RULES[rules.ko], rules.suicide)

    @classmethod
    def from_text(cls, rows: str | Iterable[str], to_play: str = "black", **settings: Any) -> Board:
        """Make a board from rows of X O . (spaces are ignored); `settings` are those of `Board`."""
        lines = rows.split("\n") if isinstance(rows, str) else list(rows) if isinstance(rows, Iterable) else [rows]
        if not all(isinstance(line, str) for line in lines):
            raise TengenError("a board's rows are strings of X, O and .")
        cells = [compact for line in lines if (compact := "".join(line.split()))]
        unknown = {sign for row in cells for sign in row} - _SIGNS.keys()
        if unknown:
            raise TengenError(f"{min(unknown)!r} cannot stand on a board: write X for Black, O for White, . for empty")
        if not cells or len({len(row) for row in cells}) != 1:
            raise TengenError("the rows of a board must have the same length" if cells else "a board needs rows")
        return cls.from_stones([[_SIGNS[sign] for sign in row] for row in cells], to_play, **settings)

    @classmethod
    def from_stones(cls, stones: npt.ArrayLike, to_play: str = "black", **settings: Any) -> Board:
        """Make a board from an array [row, column] of 1 (Black), −1 (White) and 0."""
        array = _checked_stones(stones)
        board = cls(array.shape[1], array.shape[0], **settings)
        board._past_known = False
        board._set_stones(array, CODES[as_colour(to_play)])
        return board

    @classmethod
    def _restored(
        cls,
        stones: npt.NDArray[np.int8],
        to_play: int,
        *,
        ko: int,
        last_moves: list[int],
        captures: tuple[int, ...],
        rules: Rules,
        komi: float,
        handicap: int,
    ) -> Board:
        """Make a board from a row of `Positions`; to_play is 1 for Black, −1 for White, 0 for unknown.

        Of its moves it has the last few, given newest first, without knowing whether others came before.
        """
        board = cls.__new__(cls)
        board._begin(stones.shape[1], stones.shape[0], rules, komi, handicap)
        board._set_stones(stones, CODES["white" if to_play < 0 else "black"])
        for colour, taken in zip(CODES.values(), captures, strict=True):
            board._position.set_captures(colour, taken)
        if ko >= 0:
            board._position.set_ko(ko)
        board._position.set_earlier([move for move in reversed(last_moves) if move >= 0])
        return board

    @classmethod
    def replay(
        cls,
        width: int,
        height: int,
        *,
        events: npt.NDArray[np.int32],
        moves: int | None = None,
        rules: Rules,
        komi: float,
        handicap: int,
    ) -> tuple[Board, list[int]]:
        """Execute a record's events up to a number of moves; also return the moves (from 1) that broke the rules."""
        _check_sides(width, height)
        board = cls.__new__(cls)
        board._begin(width, height, rules, komi, handicap)
        irregular = board._position.replay(events, _NO_LIMIT if moves is None else moves)
        return board, irregular

    # What it is.

    @property
    def width(self) -> int:
        """Points from left to right."""
        return self._position.width

    @property
    def height(self) -> int:
        """Points from top to bottom."""
        return self._position.height

    @property
    def size(self) -> int:
        """The longer side."""
        return max(self.width, self.height)

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self._rules

    @property
    def komi(self) -> float:
        """What White is given for moving second."""
        return self._komi

    @property
    def handicap(self) -> int:
        """The number of handicap stones, as far as the count is concerned."""
        return self._handicap

    @property
    def past_known(self) -> bool:
        """Whether captures are known: not so for a board made from stones alone."""
        return self._past_known

    @property
    def stones(self) -> npt.NDArray[np.int8]:
        """An array [row, column], row 0 at the top: 1 Black, −1 White, 0 empty; a read-only snapshot."""
        return read_only(self._position.stones())

    @property
    def to_play(self) -> Colour:
        """Whose turn it is; may be set."""
        return NAMES[self._position.to_play]

    @to_play.setter
    def to_play(self, colour: str) -> None:
        self._position.to_play = CODES[as_colour(colour)]

    @property
    def captures(self) -> Captures:
        """The stones each player has taken."""
        return Captures(self._position.captures(1), self._position.captures(2))

    @property
    def ko(self) -> str | None:
        """The point that the simple ko rule forbids now, if any."""
        index = self._position.ko
        return None if index == self.width * self.height else self.move_name(index)

    @property
    def moves(self) -> list[Move]:
        """The moves that were played, oldest first."""
        codes = self._position.moves()
        pairs = zip(colour_of(codes).tolist(), point_of(codes).tolist(), strict=True)
        return [Move(NAMES[colour], self.move_name(point)) for colour, point in pairs]

    @property
    def move_number(self) -> int:
        """How many moves were played, passes included."""
        return self._position.move_count

    @property
    def last_move(self) -> Move | None:
        """The last move, if there was one."""
        return self._move(int(self._position.moves()[-1])) if self.move_number else None

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return self._position.passes >= 2

    @property
    def hash(self) -> int:
        """The Zobrist hash of the stones: the same on every machine."""
        return self._position.hash

    @property
    def native(self) -> Position:
        """The position in the core, for other parts of this package; it must not be changed."""
        return self._position

    def index(self, move: PointLike) -> int:
        """Return the number of a point, row·width + column, or of "pass", width·height."""
        if isinstance(move, str) and move.strip().lower() == "pass":
            return self.width * self.height
        row, column = as_point(move, self.width, self.height)
        return row * self.width + column

    def move_name(self, index: int) -> str:
        """Return the GTP name of a point's number, or "pass"."""
        names = point_names(self.width, self.height)
        return "pass" if index == len(names) else names[index]

    # What one can do with it.

    def play(self, point: PointLike, colour: str | None = None) -> int:
        """Play at a point or "pass", for the player to move or the colour given; return how many stones it took."""
        mover = self._position.to_play if colour is None else CODES[as_colour(colour)]
        index = self.index(point)
        objection = self._position.objection(index, mover)
        if objection != _NO_OBJECTION:
            name = NAMES[mover].capitalize()
            raise IllegalMove(f"{name} may not play {self.move_name(index)}: {_OBJECTIONS[objection]}")
        before = self._position.captures(mover)
        self._position.play(index, mover)
        return self._position.captures(mover) - before

    def undo(self) -> Move:
        """Take back the last move and return it."""
        if not self._position.undoable:
            raise TengenError("there is no move to take back")
        move = self._move(int(self._position.moves()[-1]))
        self._position.undo()
        return move

    def copy(self) -> Board:
        """Return an independent board in the same state."""
        other = Board.__new__(Board)
        other.__dict__.update(self.__dict__)
        other._position = self._position.copy()
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Board:
        return self.copy()

    def with_rules(self, rules: Rules | str | None = None, komi: float | None = None) -> Board:
        """Return a copy under other rules or another komi."""
        other = self.copy()
        if rules is not None:
            other._rules = Rules.parse(rules)
            other._position.set_rules(_KO_RULES[other._rules.ko], other._rules.suicide)
        if komi is not None:
            other._komi = checked_komi(komi)
        return other

    def setup(
        self, *, black: Iterable[PointLike] = (), white: Iterable[PointLike] = (), empty: Iterable[PointLike] = ()
    ) -> None:
        """Put down or take off stones by hand, without captures; earlier moves can then no longer be taken back."""
        stones = self._position.stones()
        for sign, points in ((1, black), (-1, white), (0, empty)):
            stones[mask_of(points, self.width, self.height)] = sign
        self._set_stones(stones, self._position.to_play)

    def place_handicap(self, stones: int) -> list[str]:
        """Put 2–9 handicap stones on the star points of an empty board; White plays next. Return their names."""
        points = handicap_points(self.width, self.height, stones)
        if self._position.stones().any() or self.move_number:
            raise TengenError("handicap stones are placed on an empty board")
        self.setup(black=points)
        self.to_play = "white"
        self._handicap = stones
        return [point_name(row, column, self.height) for row, column in points]

    def is_legal(self, point: PointLike, colour: str | None = None) -> bool:
        """Whether the player to move, or the colour given, may play there."""
        mover = self._position.to_play if colour is None else CODES[as_colour(colour)]
        return self._position.objection(self.index(point), mover) == _NO_OBJECTION

    def legal_mask(self, colour: str | None = None) -> npt.NDArray[np.bool_]:
        """Return where the player to move may play, as an array [row, column]."""
        mover = self._position.to_play if colour is None else CODES[as_colour(colour)]
        mask: npt.NDArray[np.bool_] = self._position.legal_mask(mover)
        return mask

    def legal_moves(self, colour: str | None = None) -> list[str]:
        """Return the names of the points where the player to move may play; to pass is always allowed as well."""
        return [self.move_name(index) for index in np.flatnonzero(self.legal_mask(colour)).tolist()]

    def chain_numbers(self) -> npt.NDArray[np.int32]:
        """Return a number for each stone that is the same for all stones of its chain [row, column]; −1 if empty.

        It is the index of one of the chain's stones, row·width + column.
        """
        return self._position.chain_heads()

    def chain(self, point: PointLike) -> Chain | None:
        """Return the chain at a point, or None if the point is empty."""
        index = self.index(point)
        points = self._position.chain_points(index) if index < self.width * self.height else []
        if not points:
            return None
        return Chain(
            "black" if self._position.stones().flat[index] == 1 else "white",
            tuple(self.move_name(stone) for stone in points),
            tuple(self.move_name(liberty) for liberty in self._position.chain_liberties(index)),
        )

    def chains(self) -> list[Chain]:
        """Return every chain, in the order of its first stone from the top left."""
        heads = self._position.chain_heads().ravel()
        _, first = np.unique(heads[heads >= 0], return_index=True)
        stones = np.flatnonzero(heads >= 0)[np.sort(first)]
        return [chain for index in stones.tolist() if (chain := self.chain(divmod(index, self.width))) is not None]

    def safe_area(self) -> SafeArea:
        """Return what is unconditionally alive (Benson 1976), for both colours."""
        return SafeArea(*map(read_only, self._position.benson()))

    def playouts(
        self,
        n: int = 500,
        *,
        seed: int = 0,
        threads: int = 1,
        policy: PlayoutPolicy = "uniform",
        eye: Literal["simple", "diagonal"] = "diagonal",
        first: Literal["to_play", "black", "white", "both"] = "both",
    ) -> Playouts:
        """Play n random games to the end; the same seed gives the same counts whatever the number of threads.

        The policy is uniform, or knowing: it answers ataris, plays patterns near the last moves and shuns self-atari;
        or learned: moves are drawn by weights of small patterns and tactics; or balanced: such weights for which the
        mean result agrees best with winrates.
        """
        if eye not in _EYES:
            raise TengenError(f"eye is 'simple' or 'diagonal', not {eye!r}")
        if policy not in get_args(PlayoutPolicy):
            raise TengenError(f"policy is {' or '.join(map(repr, get_args(PlayoutPolicy)))}, not {policy!r}")
        if policy != "uniform" and eye != "diagonal":
            raise TengenError(f"{policy} playouts have diagonal eyes")
        threads = min(checked_count(threads, "threads") or os.cpu_count() or 1, 256)
        starts = _FIRST[self.to_play if first == "to_play" else first if first == "both" else as_colour(first)]
        n = checked_count(n, "playouts", most=100_000_000)
        black, white, moves, leads = self._position.owner_counts(
            n,
            checked_count(seed, "seed", most=2**64 - 1),
            threads,
            _EYES[eye],
            starts,
            Knowledge() if policy == "knowing" else playout_weights(policy) if policy != "uniform" else None,
        )
        return Playouts(n, read_only(black), read_only(white), read_only(leads), moves / max(n, 1))

    # How it looks.

    def text(self, **options: Any) -> str:
        """Draw the board with letters; `options` are those of tengen.go.text.draw_text."""
        from tengen.go.text import draw_text

        return draw_text(self.stones, last_move=self._last_point(), **options)

    def svg(self, **options: Any) -> str:
        """Draw the board as SVG, which notebooks show; `options` are those of tengen.go.svg.draw_svg."""
        from tengen.go.svg import draw_svg

        return draw_svg(self.stones, last_move=self._last_point(), **options)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        played = f"move {self.move_number}, {self.to_play} to play"
        return f"<Board {self.width}×{self.height}, {played}, {self.rules}, komi {self.komi:g}>"

    def __eq__(self, other: object) -> bool:
        """Two boards are equal if their stones, ko and player to move are."""
        if not isinstance(other, Board):
            return NotImplemented
        return (
            (self.width, self.height, self.to_play, self.ko) == (other.width, other.height, other.to_play, other.ko)
            and self.hash == other.hash
            and bool((self._position.stones() == other._position.stones()).all())
        )

    def __reduce__(self) -> tuple[Any, ...]:
        start = self._position.copy()
        codes = self._position.moves()[self.move_number - start.undoable :]
        while start.undoable:
            start.undo()
        settings = {"rules": self._rules, "komi": self._komi, "handicap": self._handicap}
        captures = (start.captures(1), start.captures(2))
        return _rebuild, (
            settings,
            self._past_known,
            start.stones(),
            start.to_play,
            captures,
            codes,
            self._position.to_play,
        )

    # Helpers.

    def _set_stones(self, stones: npt.NDArray[np.int8], to_play: int) -> None:
        lifeless = self._position.set_up(as_stones(stones), to_play)
        if lifeless >= 0:
            raise TengenError(f"the chain at {self.move_name(lifeless)} has no liberty")

    def _move(self, code: int) -> Move:
        return Move(NAMES[colour_of(code)], self.move_name(point_of(code)))

    def _last_point(self) -> tuple[int, int] | None:
        index = point_of(int(self._position.moves()[-1])) if self.move_number else self.width * self.height
        return None if index == self.width * self.height else divmod(index, self.width)


def handicap_points(width: int, height: int, stones: int) -> list[tuple[int, int]]:
    """Return the fixed places of 2–9 handicap stones, in the order of GTP's fixed_handicap.

    The edge distance is that of the GTP specification, KataGo and gomill: the third line up to 12, the fourth from 13.
    """
    most = _most_handicap(width, height)
    if not 2 <= checked_count(stones, "handicap") <= most:
        allowed = f"2 to {most}" if most else "no"
        raise TengenError(f"a {width}×{height} board has {allowed} fixed handicap stones, not {stones}")
    edge = [3 if side > 12 else 2 for side in (height, width)]
    top, left = edge
    bottom, right = height - 1 - top, width - 1 - left
    middle = (height // 2, width // 2)
    corners = [(bottom, left), (top, right), (top, left), (bottom, right)]
    sides = [(middle[0], left), (middle[0], right), (bottom, middle[1]), (top, middle[1])]
    places = corners + sides[:2] if stones < 8 else corners + sides
    if stones in (5, 7, 9):
        return [*places[: stones - 1], middle]
    return places[:stones]


def _most_handicap(width: int, height: int) -> int:
    short, odd = min(width, height), width % 2 == 1 and height % 2 == 1
    if short < 7:
        return 0
    return 9 if odd and short > 7 else 4


def _rebuild(
    settings: dict[str, Any],
    past_known: bool,
    stones: npt.NDArray[np.int8],
    to_play: int,
    captures: Sequence[int],
    codes: npt.NDArray[np.int32],
    now_to_play: int,
) -> Board:
    board = Board(stones.shape[1], stones.shape[0], **settings)
    board._past_known = past_known
    board._set_stones(stones, to_play)
    for colour, taken in zip(CODES.values(), captures, strict=True):
        board._position.set_captures(colour, taken)
    board._position.replay(codes, _NO_LIMIT)
    board._position.to_play = now_to_play
    return board


def _check_sides(width: int, height: int) -> None:
    for side in (width, height):
        if not isinstance(side, (int, np.integer)) or isinstance(side, bool) or not 2 <= side <= MAX_SIZE:
            raise TengenError(f"a board has 2 to {MAX_SIZE} points a side, not {side!r}")


def _checked_stones(stones: npt.ArrayLike) -> npt.NDArray[np.int8]:
    try:
        array = np.asarray(stones)
    except ValueError:
        raise TengenError("the rows of a board must have the same length") from None
    if array.ndim != 2:
        raise TengenError(f"stones are a two-dimensional array of numbers, not {array.dtype} of shape {array.shape}")
    checked = as_stones(array)
    _check_sides(int(array.shape[1]), int(array.shape[0]))
    return checked
