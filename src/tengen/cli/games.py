"""Shared by the commands: finding games, reporting unreadable ones, choosing the move and writing answers."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tengen.cli.app import stderr_is_terminal
from tengen.errors import MissingExtra, RecordError, TengenError, printable
from tengen.plain import PLAIN, notice

if TYPE_CHECKING:
    from tengen.go.record import Game

T = TypeVar("T")

CHUNK = 8
"""Number of games sent to another process at a time."""

POOL_POINTS = 64 * 19 * 19
"""Total board points above which several processes are used: starting one takes as long as scoring 20 19×19 games."""

Paths = Annotated[
    list[str], typer.Argument(help="Records: files, folders, or - for standard input.", show_default=False)
]
MoveNumber = Annotated[
    int | None,
    typer.Option(
        "--move", "-m", min=0, help="The position after N moves of the main line (default: the end).", metavar="N"
    ),
]
RulesName = Annotated[
    str | None, typer.Option("--rules", "-r", help="Rules instead of the record's: a name or KataGo's JSON.")
]
KomiValue = Annotated[float | None, typer.Option("--komi", "-k", help="Komi instead of the record's.")]
GameKomi = Annotated[
    float | None, typer.Option("--komi", "-k", help="Points White receives (default: the usual komi of the rules).")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes for many games (default: one per core).", show_default=False),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file, not to standard output.", show_default=False)
]


@dataclass
class Failures:
    """Reports errors as they occur, and sets the exit code 1 at the end."""

    verb: str
    output: Path | None = None
    """Where the answers go; on a terminal there is no progress bar, because the answers would overwrite it."""
    found: list[RecordError] = field(default_factory=list)

    def add(self, error: RecordError) -> RecordError:
        """Report an error and return it."""
        self.found.append(error)
        notice(f"tengen {self.verb}: {printable(str(error))}")
        return error

    def leave(self) -> None:
        """Exit with 1 if there were errors."""
        if self.found:
            raise typer.Exit(1)


def find_records(paths: Iterable[str]) -> list[str | RecordError]:
    """Return the files named by the arguments, or an error for a path without records; raise if there are none."""
    found = [_records_at(name) for name in paths]
    missing = [item for item in found if isinstance(item, RecordError)]
    if len(missing) == len(found):
        raise TengenError("; ".join(map(str, missing)))
    return [file for item in found for file in ([item] if isinstance(item, RecordError) else item)]


def _records_at(name: str) -> list[str] | RecordError:
    from tengen.go.files import record_files

    path = Path(name)
    if name == "-":
        return [name]
    if not name or not path.exists():
        return RecordError("no such file or folder", file=name)
    if not path.is_dir():
        return [name]
    inside = [str(file) for file in record_files(path)]
    return inside or RecordError("no game records (*.sgf) in this folder", file=name)


def each_game(paths: Iterable[str], failures: Failures) -> Iterator[Game | RecordError]:
    """Yield every game, or an error in its place; show progress over files on a terminal."""
    from tengen.go.record import read_all

    with progress(find_records(paths), failures.verb, hidden=answers_are_seen(failures.output)) as watched:
        for file in watched:
            if isinstance(file, RecordError):
                yield file
                continue
            try:
                games = read_all(file)
            except RecordError as error:
                yield error
                continue
            except OSError as problem:
                yield RecordError(problem.strerror or str(problem), file=file)
                continue
            yield from games.errors
            yield from games


def each_answer(
    paths: Iterable[str], failures: Failures, answer: Callable[[Game], T], workers: int | None = 1
) -> Iterator[T | RecordError]:
    """Yield the answer for every game in order; errors are reported and yielded in their place.

    With several workers (None: one per core) answers are computed in other processes if there are enough games to
    justify starting them; `answer` and its results must then be picklable.
    """
    games = each_game(paths, failures)
    workers = workers or cores()
    first = list(_first_games(games, POOL_POINTS)) if workers > 1 else []
    everything = chain(first, games)
    pooled = sum(map(_points, first)) >= POOL_POINTS
    found = _pooled(everything, answer, workers) if pooled else (_answer(answer, game) for game in everything)
    for item in found:
        if isinstance(item, MissingExtra):
            raise item
        yield failures.add(item) if isinstance(item, RecordError) else item


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _points(game: Game | RecordError) -> int:
    return 0 if isinstance(game, RecordError) else game.width * game.height


def _first_games(games: Iterator[Game | RecordError], points: int) -> Iterator[Game | RecordError]:
    """Take games until their boards have this many points."""
    for game in games:
        yield game
        points -= _points(game)
        if points <= 0:
            return


def _answer(answer: Callable[[Game], T], game: Game | RecordError) -> T | RecordError | MissingExtra:
    if isinstance(game, RecordError):
        return game
    try:
        return answer(game)
    except MissingExtra as missing:
        return missing
    except TengenError as problem:
        return RecordError(str(problem), file=game.file, game=game.index)


def _answer_all(answer: Callable[[Game], T], games: list[Game | RecordError]) -> list[T | RecordError | MissingExtra]:
    return [_answer(answer, game) for game in games]


def _pooled(
    games: Iterator[Game | RecordError], answer: Callable[[Game], T], workers: int, chunk: int = CHUNK
) -> Iterator[T | RecordError | MissingExtra]:
    """Answer in several processes, with a few chunks of games in memory at a time."""
    from tengen.corpus.workers import map_shards

    chunks = iter(lambda: list(islice(games, chunk)), [])
    for outcome in map_shards(partial(_answer_all, answer), chunks, workers=workers):
        if outcome.result is not None:
            yield from outcome.result
        elif chunk > 1:  # a process crashed: find the game that caused it
            yield from _pooled(iter(outcome.shard), answer, workers, 1)
        else:
            yield from (_lost(game, outcome.error or "") for game in outcome.shard)


def _lost(game: Game | RecordError, problem: str) -> RecordError:
    return game if isinstance(game, RecordError) else RecordError(problem, file=game.file, game=game.index)


@contextmanager
def progress(items: list[T], title: str, *, hidden: bool = False) -> Iterator[Iterable[T]]:
    """Wrap a list in a progress bar with an estimate of the time left, on a terminal's standard error."""
    if len(items) < 2 or hidden or not stderr_is_terminal():
        yield items
        return
    from rich.console import Console
    from rich.progress import track

    yield track(items, description=title, console=Console(stderr=True), transient=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """Return a callback (done, total) that draws a progress bar with the time left; None without a terminal."""
    if not stderr_is_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def output_file(path: Path | None, part: Callable[[], Path | None] = lambda: None) -> Iterator[IO[str]]:
    """Open the output; a file is written completely or not at all, an interrupted one kept at the path from `part`."""
    if path is None:
        if not isinstance(sys.stdout, io.TextIOWrapper):
            raise OSError(errno.EBADF, "is closed", "standard output")
        # A terminal keeps its own encoding; everything else is UTF-8, whatever the locale.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, newline="\n", errors=PLAIN)
        yield sys.stdout
        sys.stdout.flush()
        return
    from tengen.go.files import whole_file

    if path.is_dir():
        raise TengenError(f"{path} is a folder: name a file to write")
    with whole_file(path, part) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n", errors=PLAIN) as file:
        yield file


def write_each(output: Path | None, pieces: Iterable[str], head: str = "") -> None:
    """Write the answers for many games as they come; an interrupted run keeps the finished ones in FILE.part."""
    done = 0
    kept: Path | None = None

    def part() -> Path | None:
        nonlocal kept
        if output is not None and done:
            place = output.resolve() if output.is_symlink() else output
            kept = place.with_name(f"{place.name}.part")
        return kept

    try:
        with output_file(output, part) as file:
            file.write(head)
            for piece in pieces:
                file.write(piece)
                file.flush()
                done += 1
    except KeyboardInterrupt:
        if kept is None:
            raise
        raise KeyboardInterrupt(f"{'1 game is' if done == 1 else f'{done:,} games are'} in {kept}") from None


def checked_format(format: str, known: Iterable[str]) -> str:
    """Return the format, or raise an error that lists the known ones."""
    if format not in known:
        raise TengenError(f"format {format!r} is not known here: choose {', '.join(known)}")
    return format


def wants_colour(output: Path | None) -> bool:
    """Return whether the output is a terminal and colours are not disabled."""
    return answers_are_seen(output) and not os.environ.get("NO_COLOR")


def answers_are_seen(output: Path | None) -> bool:
    """Return whether the output is a terminal."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def place(game: Game) -> dict[str, Any]:
    """Return the fields of JSON answers that identify a game: its file and number."""
    return {"schema": 1, "file": game.file or "-", "game": game.index}


def game_name(game: Game) -> str:
    """Return the file of a game, with its number if it is not the first in the file."""
    return game.where


def json_line(known: dict[str, Any] | RecordError) -> str:
    """Return one object of a JSON answer, or the object for an error."""
    if isinstance(known, RecordError):
        known = {"schema": 1, "file": known.file or "-", "game": known.game, "error": str(known)}
    return json.dumps(known, ensure_ascii=False) + "\n"


def answers(items: Iterable[T | RecordError]) -> Iterator[T]:
    """Leave out errors: they were reported on standard error."""
    return (item for item in items if not isinstance(item, RecordError))


def one_picture(pictures: Iterable[str], instead: str = "") -> Iterator[str]:
    """Return the only picture; more than one is an error."""
    waiting: str | None = None
    for picture in pictures:
        if waiting is not None:
            raise TengenError(f"a picture shows one game: give one record with one game{instead}")
        waiting = picture
    if waiting is not None:
        yield waiting
