"""What the verbs share: finding the games, reporting the bad ones, choosing the move and writing the answers."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tengen.errors import MissingExtra, RecordError, TengenError, printable
from tengen.plain import PLAIN

if TYPE_CHECKING:
    from tengen.go.record import Game

T = TypeVar("T")

Paths = Annotated[
    list[str], typer.Argument(help="Records: files, folders, or - for standard input.", show_default=False)
]
MoveNumber = Annotated[
    int | None, typer.Option("--move", "-m", min=0, help="After so many moves of the main line (default: the end).")
]
RulesName = Annotated[
    str | None, typer.Option("--rules", "-r", help="Rules instead of the record's: a name or KataGo's JSON.")
]
KomiValue = Annotated[float | None, typer.Option("--komi", "-k", help="Komi instead of the record's.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write here instead of to standard output.", show_default=False)
]


@dataclass
class Failures:
    """What could not be read: reported as it comes, and at the end the exit code is 1."""

    verb: str
    output: Path | None = None
    """Where the answers go; on a terminal they need no progress bar, which they would run into."""
    found: list[RecordError] = field(default_factory=list)

    def add(self, error: RecordError) -> None:
        """Report one."""
        self.found.append(error)
        print(f"tengen {self.verb}: {printable(str(error))}", file=sys.stderr)

    def leave(self) -> None:
        """End the program if there were any."""
        if self.found:
            raise typer.Exit(1)


def find_records(paths: Iterable[str]) -> list[str]:
    """Return the files that the arguments name, folders searched through; nothing found is an error."""
    from tengen.go.files import record_files

    files: list[str] = []
    for name in paths:
        path = Path(name)
        if not name or (name != "-" and not path.exists()):
            raise FileNotFoundError(errno.ENOENT, "no such file or folder", name)
        if name == "-" or not path.is_dir():
            files.append(name)
            continue
        inside = [str(file) for file in record_files(path)]
        if not inside:
            raise TengenError(f"{name}: no game records (*.sgf) in this folder")
        files += inside
    return files


def each_game(paths: Iterable[str], failures: Failures) -> Iterator[Game]:
    """Read every game; show progress when there is more than one file and somebody watches."""
    from tengen.go.record import read_all

    files = find_records(paths)
    with progress(files, failures.verb, hidden=answers_are_seen(failures.output)) as watched:
        for file in watched:
            try:
                games = read_all(file)
            except RecordError as error:
                failures.add(error)
                continue
            except OSError as problem:
                failures.add(RecordError(problem.strerror or str(problem), file=file))
                continue
            for bad in games.errors:
                failures.add(bad)
            yield from games


def each_answer(paths: Iterable[str], failures: Failures, answer: Callable[[Game], T]) -> Iterator[T | RecordError]:
    """Answer for every game; what cannot be read or answered is reported and comes out in its place."""
    seen = 0
    for game in each_game(paths, failures):
        yield from failures.found[seen:]
        seen = len(failures.found)
        try:
            item = answer(game)
        except MissingExtra:
            raise
        except TengenError as problem:
            failures.add(RecordError(str(problem), file=game.file, game=game.index))
            continue
        yield item
    yield from failures.found[seen:]


@contextmanager
def progress(items: list[str], title: str, *, hidden: bool = False) -> Iterator[Iterable[str]]:
    """Wrap a list in a progress bar with an estimate of the time left, on a terminal's standard error."""
    if len(items) < 2 or hidden or not sys.stderr.isatty():
        yield items
        return
    from rich.console import Console
    from rich.progress import track

    yield track(items, description=title, console=Console(stderr=True), transient=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that is told (done, total) and draws a bar with the time left; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def output_file(path: Path | None) -> Iterator[IO[str]]:
    """Open where the answers go; a file is complete or not there."""
    if path is None:
        if not isinstance(sys.stdout, io.TextIOWrapper):
            raise OSError(errno.EBADF, "is closed", "standard output")
        # A person's terminal gets what it can show; everything else is UTF-8, whatever the locale.
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, newline="\n", errors=PLAIN)
        yield sys.stdout
        sys.stdout.flush()
        return
    from tengen.go.files import whole_file

    if path.is_dir():
        raise TengenError(f"{path} is a folder: name a file to write")
    with whole_file(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n", errors=PLAIN) as file:
        yield file


def checked_format(format: str, known: Iterable[str]) -> str:
    """Return the format, or refuse it and name the ones there are."""
    if format not in known:
        raise TengenError(f"format {format!r} is not known here: choose {', '.join(known)}")
    return format


def wants_colour(output: Path | None) -> bool:
    """Whether the answer goes to a person's terminal, and the person does not mind colours."""
    return answers_are_seen(output) and not os.environ.get("NO_COLOR")


def answers_are_seen(output: Path | None) -> bool:
    """Whether the answer goes to a person's terminal."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def place(game: Game) -> dict[str, Any]:
    """Where a game came from, as every JSON answer says it."""
    return {"schema": 1, "file": game.file or "-", "game": game.index}


def json_line(known: dict[str, Any] | RecordError) -> str:
    """Write one object of a JSON answer; a game that failed has its own."""
    if isinstance(known, RecordError):
        known = {"schema": 1, "file": known.file or "-", "game": known.game, "error": str(known)}
    return json.dumps(known, ensure_ascii=False) + "\n"


def answers(items: Iterable[T | RecordError]) -> Iterator[T]:
    """Leave out what failed: it was said on standard error."""
    return (item for item in items if not isinstance(item, RecordError))


def one_picture(pictures: Iterable[str], instead: str = "") -> Iterator[str]:
    """Pass on the only picture; where there are more, none is written."""
    waiting: str | None = None
    for picture in pictures:
        if waiting is not None:
            raise TengenError(f"a picture shows one game: give one record with one game{instead}")
        waiting = picture
    if waiting is not None:
        yield waiting
