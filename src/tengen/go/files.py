"""Files as bytes: found in folders, unpacked within limits, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from tengen.errors import RecordError

RECORD_SUFFIXES = (".sgf", ".tsv", ".tsv.gz")
"""What is taken for a record when a folder is given."""

MAX_UNPACKED = 1 << 30
"""An archive that unpacks to more than this is refused."""
FREE_UNPACKED = 32 << 20
UNPACKED_PER_BYTE = 50
"""Nor may it unpack to more than this times its own size, over FREE_UNPACKED: records pack about five times."""
_STEP = 1 << 14  # bytes that are unpacked at a time


def record_files(folder: Path) -> list[Path]:
    """All records below a folder, sorted by path."""
    return sorted(file for file in folder.rglob("*") if file.name.lower().endswith(RECORD_SUFFIXES) and file.is_file())


def unpacked(data: bytes, file: str | None = None) -> bytes:
    """The contents of gzip data, or the data itself when it is not packed."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    most = min(MAX_UNPACKED, FREE_UNPACKED + UNPACKED_PER_BYTE * len(data))
    out = io.BytesIO()
    at = 0
    while at < len(data):
        before = out.tell()
        try:
            end = _unpack_member(data, at, out, most + 1)
        except zlib.error as error:
            if at == 0 or out.tell() > before:
                raise RecordError(f"not a good gzip file: {error}", file=file) from None
            break  # padding after the last member
        if out.tell() > most:
            raise RecordError(f"unpacks to more than {most >> 20} MiB, too much for its size", file=file)
        if end is None:
            raise RecordError("a gzip file cut short", file=file)
        at = end
    return out.getvalue()


def _unpack_member(data: bytes, at: int, out: IO[bytes], most: int) -> int | None:
    """Append what the gzip member at an offset holds, until there are ``most`` bytes in all; return where it ends."""
    unpacker = zlib.decompressobj(wbits=31)
    while at < len(data) and out.tell() < most:
        piece = data[at : at + _STEP]
        out.write(unpacker.decompress(piece, most - out.tell()))
        at += len(piece) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
        if unpacker.eof:
            return at
    return None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that is whole at any moment."""
    with whole_file(path) as file:
        file.write(data)


def check_writable(path: Path) -> None:
    """Raise an OSError if a file cannot be written there; an existing one is left as it is."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file to write", os.fspath(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    if path.is_file() or not path.exists():
        handle, temporary = _beside(path.resolve(), path)
        os.close(handle)
        os.unlink(temporary)


@contextlib.contextmanager
def whole_file(path: Path, part: Callable[[], Path | None] = lambda: None) -> Iterator[IO[bytes]]:
    """Open a file next to its place and move it there at the end, keeping an existing file's permissions.

    A link is followed, and what is no plain file (a device, a pipe) is written to as it is. After an
    interrupt `part` is asked for another place, where what was written so far is kept.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    place = path.resolve()
    handle, temporary = _beside(place, path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, _mode(place))
        os.replace(temporary, place)
    except BaseException as problem:
        kept = part() if isinstance(problem, KeyboardInterrupt) else None
        if kept is not None:
            os.chmod(temporary, _mode(kept))
            os.replace(temporary, kept)
            raise
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _beside(place: Path, asked: Path) -> tuple[int, str]:
    """A new file beside another; what goes wrong is said of the file that was asked for."""
    try:
        return tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:100]}.")
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, os.fspath(asked)) from None


def _mode(path: Path) -> int:
    """The permissions a file has, or would have if it were created now."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
