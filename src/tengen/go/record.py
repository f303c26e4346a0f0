"""Game records: ``read`` one, ``read_all`` of a collection, look at them, play on, and write them back.

Reading guide: a ``Game`` holds a lazily read SGF tree. Everything it says about the game is ``derived``: computed from
the native reader on first access and again after an edit. What the head of a record must have meant is decided in
header.py and results.py, what was mended is put into words in mending.py, how bytes become text in encoding.py, trees
and writing are in sgf.py. A ``Game`` that nobody has asked anything is small, because a few bytes of a hostile file
make one.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.errors import RecordError, TengenError
from tengen.go import header, mending
from tengen.go.board import Board, Move
from tengen.go.colour import Colour, as_colour
from tengen.go.encoding import Decoded, decode
from tengen.go.events import MOVE, SETUP, colour_of, kind_of, point_of, table_index
from tengen.go.files import record_files, unpacked, write_atomically
from tengen.go.points import PointLike
from tengen.go.results import read_result
from tengen.go.servers import rules_at, server_of
from tengen.go.sgf import MENDED_TEXT, Node, Tree, escape, move_names, sgf_point, unescape
from tengen.numbers import checked_count, checked_komi

if TYPE_CHECKING:
    from tengen.go.rules import Rules
    from tengen.search.review import Review

T = TypeVar("T")
Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str]
"""Where records come from: a path, "-" for standard input, bytes, or an open file."""


class PlayerInfo(NamedTuple):
    """A player's name and rank, empty where the record is silent."""

    name: str
    rank: str


class Players(NamedTuple):
    """Who played."""

    black: PlayerInfo
    white: PlayerInfo


class Territory(NamedTuple):
    """Points marked as territory at the end of a record (TB and TW)."""

    black: list[str]
    white: list[str]


class Edit(NamedTuple):
    """A stone put on the board or taken off it in the middle of a game."""

    after: int
    """Number of moves before it."""
    colour: Colour | Literal["empty"]
    point: str


class derived(Generic[T]):  # noqa: N801 - used like property
    """A property computed on first access, and again after an edit."""

    def __init__(self, compute: Callable[[Game], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, game: None, owner: type) -> derived[T]: ...
    @overload
    def __get__(self, game: Game, owner: type) -> T: ...
    def __get__(self, game: Game | None, owner: type) -> T | derived[T]:
        if game is None:
            return self
        game._follow_edits()
        known = game._known
        if known is None:
            known = game._known = {}
        if self._name not in known:
            known[self._name] = self._compute(game)
        return known[self._name]  # type: ignore[no-any-return]


def _text(identifier: str, meaning: str) -> property:
    """A property of a Game: the text of a root property, empty where there is none."""

    def read_text(game: Game) -> str:
        return game._root_text(identifier)

    return property(read_text, doc=meaning)


class Game:
    """One game record: its head, its main line, and its whole tree below ``root``."""

    __slots__ = (
        "_clean", "_decoded", "_edited", "_end", "_index", "_known", "_records", "_remarks", "_root", "_version",
        "check", "file", "id", "index",
    )  # fmt: skip

    def __init__(self, records: _core.Records, index: int, *, file: str | None = None, decoded: Decoded | None = None):
        self._records, self._index = records, index  # what facts are read from: the tree, or the edited tree read again
        self.index, self._root, *_ = records.head(index)
        self._edited: Tree | None = None
        self._version = 0
        self._known: dict[str, Any] | None = None
        self._decoded = decoded
        self._end: Node | None = None
        self._remarks: tuple[str, ...] = ()
        self._clean = False  # whether points outside the board were dropped
        self.file = file
        self.id = ""
        self.check = ""

    @property
    def _tree(self) -> Tree:
        if self._edited is None:
            self._edited = Tree(self._records, self._index)
        return self._edited

    @classmethod
    def from_sgf(cls, text: str | bytes) -> Game:
        """The first game in a text or in bytes of any encoding."""
        if not isinstance(text, str | bytes):
            raise TengenError(f"a record is text or bytes, not {text!r}")
        return _first(_read_sgf(text.encode("utf-8", "replace") if isinstance(text, str) else text, None))

    @classmethod
    def new(
        cls, width: int = 19, height: int | None = None, *, rules: Rules | str = "japanese", komi: float | None = None,
        handicap: int = 0, black: str = "", white: str = "",
    ) -> Game:  # fmt: skip
        """An empty record to play into; handicap stones are set up or played by the caller."""
        from tengen.go.rules import Rules

        rules = Rules.parse(rules)
        height = width if height is None else height
        if not all(isinstance(side, int | np.integer) and 1 <= side <= 52 for side in (width, height)):
            raise TengenError(f"a record's board has sides from 1 to 52, not {width!r}x{height!r}")
        handicap = checked_count(handicap, "handicap")
        komi = (0.5 if handicap >= 2 else rules.default_komi) if komi is None else checked_komi(komi)
        size = f"{width}" if width == height else f"{width}:{height}"
        head = f"(;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[{size}]RU[{escape(str(rules))}]KM[{komi:g}]"
        head += f"HA[{handicap}]" if handicap else ""
        head += f"PB[{escape(black)}]" if black else ""
        return cls.from_sgf(head + (f"PW[{escape(white)}])" if white else ")"))

    def _follow_edits(self) -> None:
        if self._edited is not None and self._version != self._edited.version:
            self._refresh()

    def _refresh(self) -> None:
        """Read the edited tree again, so that every fact follows the edit."""
        self._records = _core.parse_sgf(self._tree.sgf().encode("utf-8", "replace"))
        if len(self._records) != 1:
            _, _, problem = self._records.faults()[0]
            raise RecordError(problem, file=self.file, game=self.index)
        self._index = 0
        _, self._root, self._tree.width, self._tree.height, *_ = self._records.head(0)
        self._known = None
        self._version = self._tree.version

    def _first_values(self, *identifiers: str) -> tuple[str | None, ...]:
        return self._records.first_values(self._root, identifiers)

    def _root_text(self, identifier: str) -> str:
        self._follow_edits()
        (raw,) = self._first_values(identifier)
        return "" if raw is None else unescape(raw, multiline=identifier == "GC")

    # The board and the play

    @derived
    def width(self) -> int:
        """Columns of the board."""
        return self._tree.width

    @derived
    def height(self) -> int:
        """Rows of the board."""
        return self._tree.height

    @property
    def size(self) -> int:
        """The longer side of the board."""
        return max(self.width, self.height)

    @derived
    def events(self) -> npt.NDArray[np.int32]:
        """The main line for ``Board``, packed as ``tengen.go.events`` says."""
        return self._records.events(self._index)

    @derived
    def moves(self) -> list[Move]:
        """The moves of the main line."""
        return self._records.moves(self._index, _moves(self.width, self.height))

    @derived
    def _move_count(self) -> int:
        return self._records.move_count(self._index)

    def __len__(self) -> int:
        """How many moves the main line has."""
        return self._move_count

    def __iter__(self) -> Iterator[Move]:
        """The moves of the main line, one after the other."""
        return iter(self.moves)

    def __bool__(self) -> bool:
        return True

    @derived
    def setup(self) -> list[Move]:
        """Stones that stand on the board before the first move."""
        stones: dict[int, int] = {}
        for code in self.events.tolist():
            if kind_of(code) == MOVE:
                break
            if kind_of(code) == SETUP:
                stones.pop(point_of(code), None)
                if colour_of(code):
                    stones[point_of(code)] = table_index(code)
        table = _moves(self.width, self.height)
        return [table[stone] for stone in stones.values()]

    @derived
    def later_setup(self) -> list[Edit]:
        """Stones set up or taken off after the first move, in order."""
        table, moves, edits = _moves(self.width, self.height), 0, []
        for code in self.events.tolist():
            if kind_of(code) == MOVE:
                moves += 1
            elif kind_of(code) == SETUP and moves:
                stone = table[table_index(code)]
                edits.append(Edit(moves, stone.colour if colour_of(code) else "empty", stone.point))
        return edits

    def board(self, n: int | None = None) -> Board:
        """The board after n moves of the main line, by default after all of them."""
        board, illegal = self._replay(n)
        if n is None and self._known is not None:
            self._known["_illegal"] = illegal
        return board

    def illegal_moves(self) -> list[int]:
        """The numbers, from 1, of moves that break the rules in force; they are played all the same."""
        return list(self._illegal)

    @derived
    def _illegal(self) -> list[int]:
        return self._replay(None)[1]

    def _replay(self, n: int | None) -> tuple[Board, list[int]]:
        if n is not None and not (isinstance(n, int | np.integer) and 0 <= n <= len(self)):
            raise TengenError(f"the game has {len(self)} moves; there is no position after move {n!r}")
        return Board.replay(
            self.width, self.height, events=self.events, moves=n,
            rules=self.rules, komi=self.komi, handicap=self.handicap,
        )  # fmt: skip

    # The head

    @derived
    def _rules(self) -> tuple[Rules, list[str]]:
        raw, komi = self._first_values("RU", "KM")
        rules, warnings = header.read_rules(raw, komi)
        return rules_at(self.server, rules), warnings

    @derived
    def _handicap(self) -> tuple[int, list[str]]:
        return header.read_handicap(self._first_values("HA")[0], header.Opening(*self._records.opening(self._index)))

    @derived
    def _komi(self) -> header.Komi:
        raw, ko = self._first_values("KM", "KO")
        komi = header.plain_komi(raw)
        if komi is not None:
            return header.Komi(komi, [], True)
        fox = any("foxwq" in value.lower() for value in self.root.values("AP"))
        return header.read_komi(raw, ko=ko, handicap=self.handicap, fox=fox, rules=self.rules)

    @property
    def rules(self) -> Rules:
        """The rules in force; unknown or missing ones are guessed from the komi, with a warning."""
        return self._rules[0]

    @property
    def komi(self) -> float:
        """Points White receives."""
        return self._komi[0]

    @property
    def handicap(self) -> int:
        """Handicap stones, 0 in an even game."""
        return self._handicap[0]

    @derived
    def result(self) -> str:
        """B+3.5, W+R (resignation), W+T (time), B+F (forfeit), Draw, Void, ? or nothing."""
        return read_result(self._first_values("RE")[0])[0]

    @derived
    def players(self) -> Players:
        """Names and ranks."""
        black, white = ((self._root_text(f"P{side}"), self._root_text(f"{side}R")) for side in "BW")
        return Players(PlayerInfo(*black), PlayerInfo(*white))

    @property
    def where(self) -> str:
        """Its file, and its number there if it is not the first; "game" if it comes from no file."""
        return f"{self.file or 'game'}{f' game {self.index}' if self.index > 1 else ''}"

    @property
    def ranks(self) -> str:
        """Both ranks, such as 5d/3k; empty where neither is known."""
        black, white = self.players
        return f"{black.rank}/{white.rank}" if black.rank or white.rank else ""

    date = _text("DT", "When it was played.")
    event = _text("EV", "The event.")
    round = _text("RO", "The round of the event.")
    place = _text("PC", "Where it was played.")
    name = _text("GN", "The name of the game.")
    source = _text("SO", "Where the record comes from.")
    application = _text("AP", "The program that wrote the record.")
    comment = _text("GC", "What is said about the whole game.")

    @property
    def server(self) -> str:
        """The server it was played on ("OGS", "KGS", "Fox"…) as far as PC, AP, US, SO or the id tell, else ""."""
        if self._version != self._tree.version:
            self._refresh()
        return server_of([*filter(None, self._first_values("PC", "AP", "US", "SO")), self.id.partition(":")[0]])

    @derived
    def territory(self) -> Territory | None:
        """The territory marked in the last node of the main line that has any, None without marks."""
        for node in reversed(self.main_line()):
            if "TB" in node or "TW" in node:
                return Territory(node.points("TB"), node.points("TW"))
        return None

    @derived
    def warnings(self) -> list[str]:
        """Everything that was mended or assumed while reading, and moves that break the rules, in words."""
        result = read_result(self._first_values("RE")[0])[1]
        about = [*self._komi[1], *self._rules[1], *self._handicap[1], *([result] if result else [])]
        encoding = self._decoded.warnings if self._decoded else ()
        return [*self._remarks, *encoding, *mending.notes_in_words(self), *about, *mending.illegal_moves_in_words(self)]

    # Mending

    def mend(self) -> list[str]:
        """Write komi, handicap and result as they were read, drop points outside the board, and return what changed.

        Proper values, values that were not understood, and everything outside the main line stay as they are. The
        answer includes what writing changes by itself: the encoding and broken syntax. It stays in ``warnings``.
        """
        changes = [*mending.mend_values(self), *mending.drop_points_outside(self)]
        self._remarks = (*self._remarks, *changes)
        return [*self._rewritten(), *changes]

    @property
    def points_outside(self) -> int:
        """How many moves and setup values of the main line are left out, wholly or in part, as not on the board."""
        return len(mending.places_outside(self))

    @derived
    def _proper_values(self) -> dict[str, str]:
        """Values of the root as SGF asks for them, for those that were understood but are not proper SGF."""
        komi, rules, handicap, result = self._first_values("KM", "RU", "HA", "RE")
        points = header.proper_komi(komi, self._komi)
        proper = {
            "KM": points,
            "RU": header.implied_rules(rules, komi, points),
            "HA": header.proper_handicap(handicap),
            "RE": header.proper_result(result),
        }
        return {name: value for name, value in proper.items() if value is not None}

    def _rewritten(self) -> list[str]:
        """What writing changes by itself."""
        encoding = self._decoded.warnings if self._decoded else ()
        return [
            *encoding,
            *mending.notes_in_words(self, {_core.Mend.leading_junk, _core.Mend.trailing_junk, *MENDED_TEXT}),
        ]

    # The tree

    @property
    def root(self) -> Node:
        """The first node, which holds the head of the record."""
        return Node(self._tree, self._tree.root)

    def main_line(self) -> list[Node]:
        """The nodes of the main line, root first."""
        return [Node(self._tree, node) for node in self._tree.main_line()]

    def play(self, colour: str, point: PointLike) -> Node:
        """Append a move to the main line; whether it is legal is not asked."""
        raw = sgf_point(point, self.width, self.height)
        end = self._end if self._end is not None and not self._end.children else self.main_line()[-1]
        self._end = end.add_child()
        self._end.set("B" if as_colour(colour) == "black" else "W", raw)
        return self._end

    def mark_territory(self, black: Iterable[PointLike], white: Iterable[PointLike]) -> None:
        """Mark both sides' territory (TB, TW) in the last node of the main line."""
        end = self.main_line()[-1]
        end.set_points("TB", black)
        end.set_points("TW", white)

    def sgf(self) -> str:
        """The whole record as SGF text; what was not edited stays as it was."""
        return self._tree.sgf()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the record to a file in UTF-8; the file is whole at any moment."""
        write_all(path, [self])

    def review(self, **options: Any) -> Review:
        """Review the game: lead and winrate after every move, and the largest swings (see tengen.search.review).

        Options: playouts, seconds, model, rules, komi, seed, workers and progress.
        """
        # Searching lies above records in the layers: the import waits until somebody asks, as in the package's facade.
        found: Review = import_module("tengen.search.review").review(self, **options)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are independent records, written and read again; what writing mends stays a warning."""
        remarks = (*self._remarks, *self._rewritten())
        facts = {"file": self.file, "index": self.index, "id": self.id, "check": self.check, "_remarks": remarks}
        return Game.from_sgf, (self.sgf(),), (None, facts)

    def __repr__(self) -> str:
        players = " - ".join(player.name or "?" for player in self.players)
        return f"<Game {self.width}x{self.height} {players}, {len(self)} moves, {self.result or 'no result'}>"


@cache
def _moves(width: int, height: int) -> list[Move]:
    """Every move of a board, at its ``table_index``."""
    names = move_names(width, height)
    colours: tuple[Colour, ...] = ("black", "black", "white", "white")  # codes 0 and 3 do not occur
    return [Move(colour, name) for name in names for colour in colours]


class Games(list[Game]):
    """The games of a collection that could be read, and an error for each that could not."""

    def __init__(self, games: Iterable[Game] = (), errors: Iterable[RecordError] = ()) -> None:
        super().__init__(games)
        self.errors = list(errors)


def read(source: Source) -> Game:
    """Read the first game of a record."""
    return _first(_read_record(source))


def read_all(source: Source) -> Games:
    """Read all games of a record, or of all records below a folder; those that cannot be read are in ``errors``."""
    if isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        return _read_folder(Path(source))
    return _read_record(source)


def _read_folder(folder: Path) -> Games:
    games = Games()
    for file in record_files(folder):
        try:
            found = _read_record(file)
        except RecordError as error:
            games.errors.append(error.alone())
        except OSError as problem:
            games.errors.append(RecordError(problem.strerror or str(problem), file=os.fspath(file)))
        else:
            games += found
            games.errors += found.errors
    if not games:
        raise games.errors[0] if games.errors else RecordError("holds no game record", file=os.fspath(folder))
    return games


def _read_record(source: Source) -> Games:
    from tengen.go.lines import looks_like_lines, read_lines

    data, file = _bytes_of(source)
    data = unpacked(data, file)
    games = read_lines(data, file=file) if looks_like_lines(data) else _read_sgf(data, file)
    if not games:
        raise games.errors[0] if games.errors else RecordError("holds no game", file=file)
    return games


def as_board(game_or_board: Game | Board, moves: int | None = None) -> Board:
    """Return a board as it is, and of a game the position after that many moves, or the last one."""
    if isinstance(game_or_board, Game):
        return game_or_board.board(moves)
    if not isinstance(game_or_board, Board):
        given = repr(game_or_board) if isinstance(game_or_board, str) else type(game_or_board).__name__
        raise TengenError(f"a Game or a Board is needed, not {given}: tengen.read(path) reads a record")
    if moves is not None:
        raise TengenError("a number of moves goes with a Game; a Board is a position already")
    return game_or_board


def write_all(path: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Write games as one collection in UTF-8; the file is whole at any moment."""
    text = "".join(game.sgf() + "\n" for game in games)
    write_atomically(Path(path), text.encode("utf-8", "replace"))


def _read_sgf(data: bytes, file: str | None) -> Games:
    decoded = decode(data)
    records = _core.parse_sgf(decoded.text)
    games = Games([Game(records, index, file=file, decoded=decoded) for index in range(len(records))])
    if faults := records.faults():
        offsets = decoded.offsets(offset for _, offset, _ in faults)
        for (number, _, problem), offset in zip(faults, offsets, strict=True):
            games.errors.append(RecordError(problem, file=file, game=number, offset=offset))
    return games


def _first(games: Games) -> Game:
    if not games:
        raise games.errors[0] if games.errors else RecordError("holds no game")
    game = games[0]
    earlier = [error for error in games.errors if (error.game or 0) < game.index]
    game._remarks += tuple(f"{error.problem} (game {error.game})" for error in earlier)
    return game


def _bytes_of(source: Source) -> tuple[bytes, str | None]:
    """The bytes of a source and its name."""
    if isinstance(source, bytes):
        return source, None
    if isinstance(source, (str, os.PathLike)):
        if source == "-":
            if sys.stdin is None:
                raise OSError(errno.EBADF, "standard input is closed", "-")
            return sys.stdin.buffer.read(), "-"
        return Path(source).read_bytes(), os.fspath(source)
    if not hasattr(source, "read"):
        raise TengenError(f"records are read from a path, bytes or an open file, not {source!r}")
    data = source.read()
    name = getattr(source, "name", None)
    return data if isinstance(data, bytes) else data.encode("utf-8", "replace"), name if isinstance(name, str) else None
