"""Sources of games: files, folders and archives, split into pieces of about a thousand games.

Start at `pieces`. A piece holds the bytes of some records; workers parse them. Unpacking archives is limited in size,
so a small file cannot fill the memory.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from tengen.errors import TengenError

PIECE_LINES = 1000
PIECE_BYTES = 2 << 20
MEMBER_BYTES = 256 << 20
"""Maximum unpacked size of one compressed member."""
ARCHIVE_BYTES = 16 << 30
"""Maximum unpacked size of all members of an archive."""

_LABEL_MARKS = (".meta.tsv.gz", ".i8.xz", ".bin.xz")


@dataclass(frozen=True)
class Piece:
    """Some records: their names and bytes, in order."""

    number: int
    records: tuple[tuple[str, bytes], ...]

    @property
    def digest(self) -> str:
        """A hash of the content."""
        hash_ = blake2b(digest_size=12)
        for name, data in self.records:
            hash_.update(f"{name}\0{len(data)}\0".encode() + data)
        return hash_.hexdigest()


class Sources(NamedTuple):
    """The files named by the arguments of an import."""

    games: list[Path]
    labels: list[Path]
    """Label sets, as paths without .meta.tsv.gz."""
    missing: list[str]
    """A sentence for each path that does not exist or holds nothing to import."""


def find_sources(paths: Iterable[str]) -> Sources:
    """Return the game files and label sets named by the arguments; raise TengenError if there are none."""
    games: list[Path] = []
    labels: list[Path] = []
    missing: list[str] = []
    for name in paths:
        path = Path(name)
        if not name or not path.exists():
            missing.append(f"{name}: no such file or folder")
            continue
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        found = [file for file in files if _is_record(file)] if path.is_dir() else files
        sets = [Path(str(file).removesuffix(".meta.tsv.gz")) for file in files if file.name.endswith(".meta.tsv.gz")]
        records = [file for file in found if not file.name.endswith(_LABEL_MARKS)]
        if not sets and not records:
            missing.append(f"{name}: no games here: records are .sgf, .tsv, .tsv.gz or .zip")
        labels += sets
        games += records
    if not games and not labels:
        raise TengenError("; ".join(missing))
    return Sources(games, labels, missing)


def pieces(files: Iterable[Path], on_problem: Callable[[str], None] | None = None) -> Iterator[Piece]:
    """Split files into pieces, always the same for the same files.

    A file that cannot be read is passed to `on_problem` and skipped; without `on_problem` an error is raised.
    """
    number = 0
    batch: list[tuple[str, bytes]] = []
    size = 0
    for name, data in _records(files, on_problem):
        batch.append((name, data))
        size += len(data)
        if size >= PIECE_BYTES or len(batch) >= PIECE_LINES:
            yield Piece(number, tuple(batch))
            number, batch, size = number + 1, [], 0
    if batch:
        yield Piece(number, tuple(batch))


def _is_record(path: Path) -> bool:
    name = path.name.lower()
    return name.endswith((".sgf", ".tsv", ".tsv.gz", ".zip"))


def _records(files: Iterable[Path], on_problem: Callable[[str], None] | None) -> Iterator[tuple[str, bytes]]:
    for file in files:
        try:
            yield from _records_of(file)
        except (TengenError, OSError) as problem:
            if on_problem is None:
                raise
            on_problem(f"{file}: {problem.strerror or problem}" if isinstance(problem, OSError) else str(problem))


def _records_of(file: Path) -> Iterator[tuple[str, bytes]]:
    name = file.name.lower()
    if name.endswith(".zip"):
        yield from _zipped(file)
    elif name.endswith((".tsv", ".tsv.gz")):
        yield from _lines(file)
    else:
        yield str(file), file.read_bytes()


def _lines(file: Path) -> Iterator[tuple[str, bytes]]:
    opener = gzip.open if file.name.lower().endswith(".gz") else open
    try:
        with opener(file, "rb") as lines:
            first, batch = 1, list[bytes]()
            while line := lines.readline(MEMBER_BYTES):
                if len(line) == MEMBER_BYTES:
                    raise TengenError(f"{file} has a line of more than {MEMBER_BYTES >> 20} MiB")
                batch.append(line)
                if len(batch) == PIECE_LINES:
                    yield f"{file}:{first}", b"".join(batch)
                    first, batch = first + len(batch), []
            if batch:
                yield f"{file}:{first}", b"".join(batch)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TengenError(f"{file} is not a valid gzip file: {error}") from None


def _zipped(file: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = [
                member for member in archive.infolist() if PurePosixPath(member.filename).suffix.lower() == ".sgf"
            ]
            _check_sizes(file, members)
            for member in members:
                with archive.open(member) as packed:
                    yield f"{file}/{member.filename}", _limited(packed, f"{file}/{member.filename}")
    except (zipfile.BadZipFile, zlib.error, RuntimeError) as error:  # RuntimeError: encrypted
        raise TengenError(f"{file} cannot be unpacked: {error}") from None


def _check_sizes(file: Path, members: list[zipfile.ZipInfo]) -> None:
    if sum(member.file_size for member in members) > ARCHIVE_BYTES:
        raise TengenError(f"{file} would unpack to more than {ARCHIVE_BYTES >> 30} GiB")
    if not members:
        raise TengenError(f"{file} holds no .sgf file")


def _limited(packed: IO[bytes], name: str) -> bytes:
    data = packed.read(MEMBER_BYTES + 1)
    if len(data) > MEMBER_BYTES:
        raise TengenError(f"{name} would unpack to more than {MEMBER_BYTES >> 20} MiB")
    return data
