"""`tengen review`: lead and winrate after every move of a game, and its largest swings.

Reviews go to standard output or one file, or each to its own file in a folder. `JOURNAL` in the folder stores how
each file was made, so that a second run skips finished games and repeats those that changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tengen.cli.app import verb
from tengen.cli.games import (
    Failures,
    KomiValue,
    Paths,
    RulesName,
    checked_format,
    cores,
    each_game,
    json_line,
    one_picture,
    place,
    progress_bar,
    write_each,
)
from tengen.errors import MissingExtra, RecordError, TengenError

if TYPE_CHECKING:
    from tengen.go.record import Game
    from tengen.search.review import Reviewer

T = TypeVar("T")

FORMATS = ("text", "json", "svg", "sgf")
SUFFIXES = {"text": ".txt", "json": ".json", "svg": ".svg", "sgf": ".sgf"}
JOURNAL = ".tengen-review.jsonl"


@verb("review")
def review_command(
    paths: Paths,
    playouts: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Playouts of each search (default: 32 by a network, otherwise 100); 0 uses the model alone.",
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Seconds of each search, instead of or in addition to playouts.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-M", help="The model that evaluates positions, by name or file.")
    ] = "default",
    rules: RulesName = None,
    komi: KomiValue = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the playouts.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=256, help="Positions evaluated at the same time (default: one per core).", show_default=False
        ),
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help=f"One of {', '.join(FORMATS)}.")] = "text",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A file, or a folder (one that exists, or a name without a suffix): one file per game, resumable.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Review games: lead and winrate after every move, and the largest swings."""
    from tengen.go.rules import Rules
    from tengen.search.review import Reviewer

    checked_format(format, FORMATS)
    reviewer = Reviewer(
        playouts,
        seconds,
        model,
        None if rules is None else Rules.parse(rules),
        komi,
        seed,
        workers or cores(),
    )
    failures = Failures("review", output)
    if output is not None and (output.is_dir() or not output.suffix):
        _into_folder(paths, Folder(output, format, reviewer), failures)
    else:
        _into_file(paths, output, format, reviewer, failures)
    failures.leave()


def _into_file(paths: list[str], output: Path | None, format: str, reviewer: Reviewer, failures: Failures) -> None:
    """Write all reviews to one file; a picture shows one game."""
    alone = len(paths) == 1 and not Path(paths[0]).is_dir()
    with progress_bar("reviewing") if alone else nullcontext() as show:
        pieces = _pieces(each_game(inputs(paths), failures), format, partial(written, reviewer, format, show), failures)
        write_each(output, one_picture(pieces, ", or a folder: -o FOLDER") if format == "svg" else pieces)


def _pieces(
    games: Iterator[Game | RecordError], format: str, write: Callable[[Game], str], failures: Failures
) -> Iterator[str]:
    """Yield the reviews, with a blank line between texts; in JSON, failures have a line too."""
    first = True
    for game in games:
        answer = game if isinstance(game, RecordError) else _attempt(write, game)
        if isinstance(answer, RecordError):
            failures.add(answer)
            if format == "json":
                yield json_line(answer)
            continue
        yield answer if first or format != "text" else f"\n{answer}"
        first = False


def _attempt(write: Callable[[Game], T], game: Game) -> T | RecordError:
    """Apply a function to a game; a TengenError becomes an error that names the game."""
    try:
        return write(game)
    except MissingExtra:
        raise
    except TengenError as problem:
        return RecordError(str(problem), file=game.file, game=game.index)


def written(reviewer: Reviewer, format: str, progress: Callable[[int, int], None] | None, game: Game) -> str:
    """Review a game and return the review in a format."""
    review = reviewer.review(game, progress)
    if format == "json":
        return json_line(
            {**place(game), "size": game.size, "width": game.width, "height": game.height, **review.json()}
        )
    if format == "svg":
        return review.svg()
    if format == "sgf":
        return review.annotated(game).sgf() + "\n"
    return review.text()


@dataclass
class Folder:
    """A folder with one file per game, and a journal of how they were made."""

    path: Path
    format: str
    reviewer: Reviewer
    _made: dict[str, str] = field(default_factory=dict)
    """The source of each file: a hash of the game and all settings."""
    _taken: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The game in each file of this run."""

    def __post_init__(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise TengenError(f"{self.path} is a file: name a folder, or a file with a suffix such as .txt")
        self._made = read_journal(self.path / JOURNAL)

    def file(self, game: Game, roots: list[str]) -> str:
        """Return the name of a game's file: its record's path below the given folder, with a number if needed."""
        source = Path(game.file or "game")
        inside = next((source.relative_to(root) for root in roots if source.is_relative_to(root)), Path(source.name))
        stem = str(inside.with_name(_stem(inside.name)))
        stem = "standard-input" if stem == "-" else stem
        name, copies = f"{stem}{'' if game.index == 1 else f'-{game.index}'}", 1
        while self._taken.setdefault(chosen := f"{name}{SUFFIXES[self.format]}", _key(game)) != _key(game):
            copies += 1
            name = f"{stem}-{game.index}-{copies}"
        return chosen

    def add(self, roots: list[str], game: Game) -> None:
        """Review a game into its file, unless the file is up to date."""
        name = self.file(game, roots)
        self.check(name, game)
        if not self.is_done(name, game):
            self.write(name, game, written(self.reviewer, self.format, None, game))

    def is_done(self, name: str, game: Game) -> bool:
        """Return whether a file exists and was made from this game with these settings."""
        return self._made.get(name) == self._fingerprint(game) and (self.path / name).exists()

    def check(self, name: str, game: Game) -> None:
        """Raise an error if a review would overwrite its record."""
        place = self.path / name
        if game.file and place.resolve() == Path(game.file).resolve():
            raise TengenError(f"the review would overwrite the record: name another folder than {self.path}")

    def write(self, name: str, game: Game, text: str) -> None:
        """Write a file completely or not at all; its journal entry comes first and does not count without the file."""
        from tengen.go.files import write_atomically

        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with (self.path / JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(json.dumps({"file": name, "made": self._fingerprint(game)}) + "\n")
        write_atomically(place, text.encode("utf-8", "backslashreplace"))

    def _fingerprint(self, game: Game) -> str:
        from tengen import __version__

        reviewer = self.reviewer
        settings = [__version__, self.format, reviewer.method(game.board(0)).identity]
        settings += [repr(reviewer.rules), repr(reviewer.komi), game.file or "", game.sgf()]
        return hashlib.sha256(json.dumps(settings).encode("utf-8", "backslashreplace")).hexdigest()[:20]


def read_journal(journal: Path) -> dict[str, str]:
    """Return the journal of a folder; an incomplete last line is ignored."""
    made: dict[str, str] = {}
    if journal.is_file():
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, KeyError, TypeError):
                row = json.loads(line)
                made[str(row["file"])] = str(row["made"])
    return made


def inputs(paths: list[str]) -> list[str]:
    """Return the files that the arguments name, without reviews found in folders."""
    files: list[str] = []
    for path in paths:
        folder = Path(path)
        if not folder.is_dir():
            files.append(path)
            continue
        journals = [*folder.rglob(JOURNAL)]
        own = {(journal.parent / name).resolve() for journal in journals for name in read_journal(journal)}
        files += [file for file in _records_in(path) if Path(file).resolve() not in own]
    if not files:
        raise TengenError(f"{', '.join(paths)}: only reviews, no game records")
    return files


def _records_in(folder: str) -> list[str]:
    """Return the records of a folder, or the folder itself, to be reported, if it has none."""
    from tengen.go.files import record_files

    return [str(file) for file in record_files(Path(folder))] or [folder]


def _stem(name: str) -> str:
    lower = name.lower()
    return next((name[: -len(end)] for end in (".tsv.gz", ".sgf.gz", ".tsv", ".sgf") if lower.endswith(end)), name)


def _key(game: Game) -> tuple[str, int]:
    return game.file or "", game.index


def _into_folder(paths: list[str], folder: Folder, failures: Failures) -> None:
    folder.path.mkdir(parents=True, exist_ok=True)
    roots = [path for path in paths if Path(path).is_dir()]
    for game in each_game(inputs(paths), failures):
        answer = game if isinstance(game, RecordError) else _attempt(partial(folder.add, roots), game)
        if isinstance(answer, RecordError):
            failures.add(answer)
