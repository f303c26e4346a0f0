"""Games one per line: TAB-separated text, plain or gzip, the form in which large collections are kept.

The columns are id, size, komi, rules, result, setup, moves, source and, where known, ranks; games with marked territory
have TB points, TW points and whether the count agrees ("ok" or "mismatch") before the source. A line is converted to
SGF and read by the native reader, so that a game from a line is a Game like any other.
"""

from __future__ import annotations

import io
import string
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tengen import _core
from tengen.errors import RecordError, TengenError
from tengen.go.events import MOVE, SETUP, kind_of
from tengen.go.files import unpacked
from tengen.go.header import OUTSIDE

if TYPE_CHECKING:
    from tengen.go.record import Game, Games

_LETTERS = string.ascii_letters.encode()
_COLUMNS = (8, 9, 12)


def looks_like_lines(data: bytes) -> bool:
    """Return whether bytes hold games one per line, not SGF."""
    line = data.lstrip()[:100_000].split(b"\n", 1)[0]
    return not line.startswith(b"(") and line.count(b"\t") + 1 in _COLUMNS


def read_lines(data: bytes, *, file: str | None = None) -> Games:
    """Read every line; lines that cannot be read become errors."""
    from tengen.go.record import Games

    games = Games()
    games.extend(iter_lines(data, file=file, errors=games.errors))
    return games


def iter_lines(data: bytes, *, file: str | None = None, errors: list[RecordError] | None = None) -> Iterator[Game]:
    """Yield the game of each line; errors are added to ``errors``, or raised if it is None."""
    offset = 0
    for number, line in enumerate(io.BytesIO(unpacked(data, file)), start=1):
        start, offset = offset, offset + len(line)
        if not line.strip():
            continue
        try:
            yield parse_line(line.rstrip(b"\r\n"), file=file, number=number, offset=start)
        except RecordError as error:
            if errors is None:
                raise
            errors.append(error.alone())


def parse_line(line: bytes, *, file: str | None = None, number: int = 1, offset: int = 0) -> Game:
    """Read one line; ``number`` and ``offset`` are its position in the file."""
    from tengen.go.record import Game

    columns = line.split(b"\t")
    try:
        records, moves = _parse(columns)
    except ValueError as error:
        raise RecordError(str(error), file=file, game=number, offset=offset) from None
    game = Game(records, 0, file=file)
    if len(records.main_line(0)) != moves + 1 or len(game.events) < moves:
        raise RecordError("the moves are not all B or W", file=file, game=number, offset=offset)
    game.index = number
    game.id = columns[0].decode("utf-8", "replace")
    game.check = columns[9].decode("utf-8", "replace") if len(columns) == 12 else ""
    return game


def _parse(columns: list[bytes]) -> tuple[_core.Records, int]:
    """Return the columns as parsed SGF, and the number of moves it must have."""
    if len(columns) not in _COLUMNS:
        raise ValueError(f"a line has 8, 9 or 12 columns, not {len(columns)}")
    moves = columns[6]
    shape = moves.translate(None, _LETTERS)
    count = (len(shape) + 1) // 3
    if shape + b";" != b"[];" * count and moves:
        raise ValueError("the moves are not of the form B[pd];W[dd]")
    records = _core.parse_sgf(_sgf(columns))
    faults = records.faults()
    if faults or len(records) != 1 or any(note[0] not in OUTSIDE for note in records.notes(0)):
        raise ValueError(faults[0][2] if faults else "the columns are not those of a game")
    return records, count


def _sgf(columns: list[bytes]) -> bytes:
    _, size, komi, rules, result, setup, moves = columns[:7]
    if setup.translate(None, _LETTERS).replace(b"[]", b"").strip(b":"):
        raise ValueError("the setup is not of the form AB[dd][pp]AW[dp]")
    if not size.strip():
        raise ValueError("no board size")
    head = [b"(;SZ[", _escaped(size), b"]"]
    head += _property(b"KM", komi) + _property(b"RU", rules) + _property(b"RE", result)
    head += _property(b"SO", columns[10] if len(columns) == 12 else columns[7])
    if len(columns) > 8:
        black, _, white = columns[-1].partition(b"/")
        head += _property(b"BR", black) + _property(b"WR", white)
    play = [setup, b";" if moves else b"", moves]
    if len(columns) == 12:
        play += _points(b"TB", columns[7]) + _points(b"TW", columns[8])
    return b"".join([*head, *play, b")"])


def _escaped(text: bytes) -> bytes:
    return text.replace(b"\\", b"\\\\").replace(b"]", b"\\]")


def _property(name: bytes, text: bytes) -> list[bytes]:
    return [name, b"[", _escaped(text), b"]"] if text else []


def _points(name: bytes, column: bytes) -> list[bytes]:
    points = column.split()
    return [name, *(b"[" + _escaped(point) + b"]" for point in points)] if points else []


def game_line(game: Game, *, id: str | None = None, source: str | None = None) -> str:
    """Return a game as one line of nine columns, or of twelve if its territory is marked."""
    size = f"{game.width}" if game.width == game.height else f"{game.width}:{game.height}"
    columns = [id or game.id or f"{game.file or 'game'}:{game.index}", size]
    columns += [game._proper_values.get(name, game._root_text(name)) for name in ("KM", "RU", "RE")]
    columns += _play(game)
    if game.territory is not None:
        columns += [" ".join(_letters(game, points)) for points in game.territory] + [game.check]
    columns += [source or game.source, *([game.ranks] if game.ranks or game.territory is not None else [])]
    return "\t".join(" ".join(column.split()) for column in columns)


def _letters(game: Game, points: Iterable[str]) -> list[str]:
    from tengen.go.sgf import sgf_point

    return [sgf_point(point, game.width, game.height) for point in points]


def _play(game: Game) -> tuple[str, str]:
    """The columns for setup and moves."""
    kinds = kind_of(game.events)
    if len(game) and (kinds[(kinds == MOVE).argmax() :] == SETUP).any():
        raise TengenError("stones are set up after the first move; one line cannot hold that")
    setup = ""
    for name, colour in (("AB", "black"), ("AW", "white")):
        stones = _letters(game, (stone.point for stone in game.setup if stone.colour == colour))
        setup += name + "".join(f"[{stone}]" for stone in stones) if stones else ""
    points = _letters(game, (move.point for move in game.moves))
    moves = (
        f"{'B' if move.colour == 'black' else 'W'}[{point}]" for move, point in zip(game.moves, points, strict=True)
    )
    return setup, ";".join(moves)
