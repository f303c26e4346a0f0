"""Commands for the game: identification, board, moves, handicap, positions and records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.errors import RecordError, TengenError
from tengen.go.board import Board, handicap_points
from tengen.go.colour import Colour
from tengen.go.counting import names_of
from tengen.go.points import Point, as_point, point_name, star_points
from tengen.go.record import read
from tengen.protocols.gtp.table import COMMANDS, colour_argument, command
from tengen.search.records import record_of

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import Session


# Identification.


@command("protocol_version")
def protocol_version(session: Session) -> str:
    """Return the GTP version."""
    return "2"


@command("name")
def name(session: Session) -> str:
    """Return the engine's name."""
    return session.name


@command("version")
def version(session: Session) -> str:
    """Return the engine's version."""
    return session.version


@command("known_command")
def known_command(session: Session, command: str) -> str:
    """Return whether a command is known."""
    return "true" if command in COMMANDS and COMMANDS[command].listed else "false"


@command("list_commands")
def list_commands(session: Session) -> str:
    """List the commands, one per line; `analyze` and `genmove_analyze` are accepted but not listed."""
    return "\n".join(sorted(name for name, command in COMMANDS.items() if command.listed))


@command("help")
def help_command(session: Session, *names: str) -> str:
    """Show the usage and description of commands."""
    wanted = names or sorted(COMMANDS)
    unknown = [name for name in wanted if name not in COMMANDS]
    if unknown:
        raise TengenError(f"unknown command {unknown[0][:40]!r}")
    return "\n".join(f"{COMMANDS[name].usage}: {COMMANDS[name].about}" for name in wanted)


@command("quit")
def quit_command(session: Session) -> None:
    """End the session."""
    session.over = True


@command("cputime", "gomill-cpu_time")
def cputime(session: Session) -> str:
    """Return the CPU time used, in seconds."""
    return f"{time.process_time():.3f}"


# The board.


def _new_board(session: Session, width: int, height: int, handicap: int = 0) -> None:
    old = session.board
    session.set_board(Board(width, height, rules=old.rules, komi=old.komi, handicap=handicap))


@command("boardsize", "rectangular_boardsize")
def boardsize(session: Session, width: int, height: int | None = None) -> None:
    """Set the board size, 2 to 25 points per side, and clear the board."""
    tall = width if height is None else height
    if not (2 <= width <= 25 and 2 <= tall <= 25):
        raise TengenError("unacceptable size")
    _new_board(session, width, tall)


@command("query_boardsize")
def query_boardsize(session: Session) -> str:
    """Return the board size."""
    board = session.board
    return f"{board.width}" if board.width == board.height else f"{board.width} {board.height}"


@command("clear_board")
def clear_board(session: Session) -> None:
    """Start a new game on the same board, with the same rules and komi."""
    _new_board(session, session.board.width, session.board.height)
    session.clocks.start()


@command("clear_cache")
def clear_cache(session: Session) -> None:
    """Discard the search tree of the position."""
    session.set_board(session.board)


@command("showboard")
def showboard(session: Session) -> str:
    """Show the board."""
    board = session.board
    taken = f"captures: Black {board.captures.black}, White {board.captures.white}"
    said = f"move {board.move_number}, {board.to_play} to play, {board.rules} rules, komi {board.komi:g}, {taken}"
    return f"\n{board.text()}\n{said}"


@command("list_stones")
def list_stones(session: Session, colour: Colour) -> str:
    """List the stones of a colour."""
    return " ".join(names_of(session.board.stones == (1 if colour == "black" else -1)))


@command("captures")
def captures(session: Session, colour: Colour) -> str:
    """Count the stones that a colour has captured."""
    taken = session.board.captures
    return str(taken.black if colour == "black" else taken.white)


@command("countlib")
def countlib(session: Session, point: str) -> str:
    """Count the liberties of the chain at a point."""
    board = session.board
    name = point_name(*as_point(point, board.width, board.height), board.height)
    chain = next((chain for chain in board.chains() if name in chain.points), None)
    if chain is None:
        raise TengenError("vertex must not be empty")
    return str(len(chain.liberties))


@command("play")
def play(session: Session, colour: Colour, point: str) -> None:
    """Play a move or a pass."""
    session.play(point, colour)


@command("gogui-play_sequence")
def play_sequence(session: Session, *moves: str) -> None:
    """Play several moves: colours and points alternate."""
    with _whole_or_not_at_all(session):
        for colour, point in _pairs(moves):
            session.play(point, colour)


@command("genmove")
def genmove(session: Session, colour: Colour) -> str:
    """Generate a move and play it."""
    return session.genmove(colour).move


@command("reg_genmove")
def reg_genmove(session: Session, colour: Colour) -> str:
    """Generate a move without playing it."""
    return session.choose(colour).move


@command("undo")
def undo(session: Session, *ignored: str) -> None:
    """Undo the last move; arguments are ignored, as in GNU Go and KataGo."""
    if not session.board.move_number:
        raise TengenError("cannot undo")
    session.undo()


@command("gg-undo", "gogui-undo")
def undo_several(session: Session, moves: int = 1) -> None:
    """Undo a number of moves, by default one."""
    if not 0 <= moves <= session.board.move_number:
        raise TengenError("cannot undo")
    with _whole_or_not_at_all(session):
        for _ in range(moves):
            session.undo()


@contextmanager
def _whole_or_not_at_all(session: Session) -> Iterator[None]:
    """Restore the position if one of several moves cannot be played or undone."""
    before = session.board.copy()
    try:
        yield
    except TengenError:
        session.set_board(before)
        raise


# Handicap and positions.


def _handicap(session: Session, points: Sequence[Point]) -> str:
    old = session.board
    if old.stones.any() or old.move_number:
        raise TengenError("board not empty")
    board = Board(old.width, old.height, rules=old.rules, komi=old.komi, handicap=len(points))
    board.setup(black=points)
    board.to_play = "white"
    session.set_board(board)
    return " ".join(point_name(row, column, board.height) for row, column in points)


@command("fixed_handicap")
def fixed_handicap(session: Session, stones: int) -> str:
    """Place handicap stones on the fixed points."""
    return _handicap(session, handicap_points(session.board.width, session.board.height, stones))


@command("place_free_handicap")
def place_free_handicap(session: Session, stones: int) -> str:
    """Place handicap stones on points chosen by the engine."""
    return _handicap(session, free_handicap(session.board.width, session.board.height, stones))


@command("set_free_handicap")
def set_free_handicap(session: Session, *points: str) -> None:
    """Place handicap stones on the given points; each must keep a liberty."""
    board = session.board
    places = [as_point(point, board.width, board.height) for point in points]
    if not places or len(set(places)) < len(places):
        raise TengenError("bad vertex list: one or more points, each once")
    _handicap(session, places)


@command("get_handicap")
def get_handicap(session: Session) -> str:
    """Return the number of handicap stones."""
    return str(session.board.handicap)


def free_handicap(width: int, height: int, stones: int) -> list[Point]:
    """Return exactly this many handicap points: the fixed ones, then those farthest from the others."""
    if not 2 <= stones < width * height:
        raise TengenError(f"a {width}×{height} board takes 2 to {width * height - 1} handicap stones, not {stones}")
    try:
        return list(handicap_points(width, height, stones))
    except TengenError:
        pass
    chosen: list[Point] = list(star_points(width, height))[:stones]
    free = [(row, column) for row in range(height) for column in range(width) if (row, column) not in chosen]

    def room(place: Point) -> tuple[int, int]:
        line = min(place[0], place[1], height - 1 - place[0], width - 1 - place[1])
        near = min((max(abs(place[0] - r), abs(place[1] - c)) for r, c in chosen), default=0)
        return min(near, 3) + min(line, 2), near

    while len(chosen) < stones:
        best = max(free, key=room)
        free.remove(best)
        chosen.append(best)
    return chosen


@command("set_position", "gogui-setup")
def set_position(session: Session, *stones: str) -> None:
    """Set up a position: a colour and a point for every stone."""
    old = session.board
    board = Board(old.width, old.height, rules=old.rules, komi=old.komi)
    placed: dict[Colour, list[Point]] = {"black": [], "white": []}
    for colour, point in _pairs(stones):
        placed[colour].append(as_point(point, board.width, board.height))
    if len(set(placed["black"] + placed["white"])) < len(stones) // 2:
        raise TengenError("there is room for one stone on a point")
    board.setup(**placed)
    session.set_board(board)


@command("gogui-setup_player")
def setup_player(session: Session, colour: Colour) -> None:
    """Set the player to move."""
    session.turn_to(colour)


def _pairs(words: Sequence[str]) -> list[tuple[Colour, str]]:
    if len(words) % 2:
        raise TengenError("syntax error: write a colour and a point in turn")
    return [(colour_argument(word), point) for word, point in zip(words[::2], words[1::2], strict=True)]


# Records.


@command("loadsgf")
def loadsgf(session: Session, *path_and_move: str) -> None:
    """Load a record: its last position, or the one before the move with the given number."""
    *path, last = path_and_move or ("",)
    before = int(last) if path and last.isascii() and last.isdecimal() and len(last) < 7 else None
    file = " ".join(path_and_move if before is None else path)
    try:
        if not Path(file).is_file():
            raise TengenError("cannot load file: there is none of that name")
        game = read(file)
    except OSError as error:
        raise TengenError(f"cannot load file: {error.strerror or error}") from None
    except RecordError as error:
        raise TengenError(f"cannot load file: {error}") from None
    session.set_board(game.board(None if before is None else min(max(before - 1, 0), len(game))))


@command("printsgf")
def printsgf(session: Session, *path: str) -> str | None:
    """Print the game as SGF, or write it to a file; without a file name, or for `-`, it is printed."""
    game = record_of(session.board)
    if path in ((), ("-",)):
        return game.sgf()
    if path[0] == "-":
        raise TengenError("syntax error: write nothing after -, which is the output")
    try:
        game.write(" ".join(path))
    except OSError as error:
        raise TengenError(f"cannot write file: {error.strerror or error}") from None
    return None
