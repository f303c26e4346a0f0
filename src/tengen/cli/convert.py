"""`tengen convert`: rewrite records as clean SGF, one game per line, or JSON; into one file, or folder to folder.

Start at `convert_command`. Repairs are listed in each JSON object, and on standard error in the other formats.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import (
    Failures,
    Paths,
    checked_format,
    each_answer,
    find_records,
    json_line,
    output_file,
    place,
    progress,
)
from tengen.errors import RecordError, TengenError, printable
from tengen.plain import notice

if TYPE_CHECKING:
    from tengen.go.record import Game

FORMATS = ("sgf", "tsv", "json")


@verb("convert")
def convert_command(
    paths: Paths,
    format: Annotated[str, typer.Option("--format", "-f", help="sgf, tsv (one game per line) or json.")] = "sgf",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write to this file, or to one file per record in this FOLDER/, instead of standard output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Rewrite records as SGF in UTF-8, as one game per line, or as JSON with one object per line.

    Broken syntax, komi, handicap, result and points outside the board are repaired, and the repairs are reported.
    """
    checked_format(format, FORMATS)
    target = None if output is None else Path(output)
    conversion = _Conversion(format, Failures("convert", target))
    if target is not None and _is_folder(output or "", paths):
        conversion.to_folder(_targets(paths, target, conversion))
    else:
        _check_targets([] if target is None else [target], _files(find_records(paths)))
        conversion.to_file(paths, target)
    conversion.leave()


@dataclass
class _Conversion:
    format: str
    failures: Failures
    mended: int = 0

    def to_file(self, paths: list[str], target: Path | None) -> None:
        with output_file(target) as file:
            for piece in self._pieces(paths):
                file.write(piece)

    def to_folder(self, targets: dict[Path, str]) -> None:
        """Write a file for every record that has a readable game."""
        with progress(list(targets.values()), "convert") as watched:
            for record, target in zip(watched, targets, strict=True):
                pieces = self._pieces([record])
                first = next(pieces, None)
                if first is None:
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with output_file(target) as file:
                    file.write(first)
                    file.writelines(pieces)

    def leave(self) -> None:
        """Report the number of repaired games, and exit with 1 if some could not be read."""
        if self.mended > 1:
            notice(f"tengen convert: {self.mended:,} games were mended")
        self.failures.leave()

    def _pieces(self, paths: Iterable[str]) -> Iterator[str]:
        for piece in each_answer(paths, self.failures, self._written):
            if not isinstance(piece, RecordError):
                yield piece
            elif self.format == "json":
                yield json_line(piece)

    def _written(self, game: Game) -> str:
        if self.format == "json":
            return _json(game)
        from tengen.go.mending import illegal_moves_in_words, not_understood

        illegal = illegal_moves_in_words(game)
        changes = game.mend()
        if self.format == "tsv":
            from tengen.go.lines import game_line

            text = game_line(game)
        else:
            text = game.sgf()
        self.mended += bool(changes)
        self._report(game, [f"mended: {'; '.join(changes)}"] * bool(changes) + not_understood(game) + illegal)
        return text + "\n"

    def _report(self, game: Game, words: list[str]) -> None:
        for line in words:
            where = f"{game.file or '-'}, game {game.index}"
            notice(f"tengen convert: {printable(f'{where}: {line}')}")


def _json(game: Game) -> str:
    from tengen.protocols.answers import record_answer

    return json_line({**place(game), **record_answer(game)})


def _is_folder(output: str, paths: Iterable[str]) -> bool:
    """Return whether the output is a folder: it is one, ends with a slash, or has no suffix and a folder is input."""
    if os.path.exists(output):
        return os.path.isdir(output)
    slash = output.endswith(tuple(filter(None, (os.sep, os.altsep))))
    return slash or (not Path(output).suffix and any(os.path.isdir(path) for path in paths))


def _files(found: Iterable[str | RecordError]) -> list[str]:
    return [file for file in found if isinstance(file, str)]


def _targets(paths: list[str], folder: Path, conversion: _Conversion) -> dict[Path, str]:
    """Return the output file of each record: relative paths are kept below folders, names otherwise."""
    targets: dict[Path, str] = {}
    for missing in find_records(paths):
        if isinstance(missing, RecordError):
            conversion.failures.add(missing)
            paths = [name for name in paths if name != missing.file]
    for name in paths:
        if name == "-":
            raise TengenError("standard input cannot be written to a folder: name a file")
        if os.path.isdir(name) and folder.exists() and folder.samefile(name):
            raise TengenError(f"{folder} is read from: choose another folder to write to")
        top = Path(name) if os.path.isdir(name) else Path(name).parent
        for record in _files(find_records([name])):
            if os.path.isdir(name) and folder.resolve() in Path(record).resolve().parents:
                continue  # written by an earlier run
            target = folder / _renamed(Path(record).relative_to(top), conversion.format)
            if targets.setdefault(target, record) != record:
                raise TengenError(f"{targets[target]} and {record} would both be written to {target}")
    _check_targets(targets, targets.values())
    return targets


def _renamed(record: Path, format: str) -> Path:
    from tengen.go.files import RECORD_SUFFIXES

    found = [suffix for suffix in RECORD_SUFFIXES if record.name.lower().endswith(suffix)]
    if f".{format}" in found:
        return record
    return record.with_name(record.name[: len(record.name) - max(map(len, found), default=0)] + f".{format}")


def _check_targets(targets: Iterable[Path], records: Iterable[str]) -> None:
    read = {os.path.realpath(record) for record in records}
    for target in targets:
        if os.path.realpath(target) in read:
            raise TengenError(f"{target} is read from: choose another file to write to")
