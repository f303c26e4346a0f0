"""Files as bytes: found in folders, unpacked within limits, written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from tengen.errors import RecordError, TengenError

RECORD_SUFFIXES = (".sgf", ".tsv", ".tsv.gz")
"""Endings of the files that are read as records when a folder is given."""

MAX_UNPACKED = 1 << 30
"""The most bytes that an archive may unpack to."""
FREE_UNPACKED = 32 << 20
UNPACKED_PER_BYTE = 50
"""An archive may unpack to FREE_UNPACKED plus this times its own size; records compress to about a fifth."""
_STEP = 1 << 14  # bytes that are unpacked at a time


def record_files(folder: Path) -> list[Path]:
    """Return all records below a folder, sorted by path."""
    return sorted(file for file in folder.rglob("*") if file.name.lower().endswith(RECORD_SUFFIXES) and file.is_file())


def unpacked(data: bytes, file: str | None = None) -> bytes:
    """Return the contents of gzip data, or the data itself if it is not gzip."""
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
                raise RecordError(f"damaged gzip file: {error}", file=file) from None
            break  # padding after the last member
        if out.tell() > most:
            raise RecordError(f"unpacks to more than {most >> 20} MiB, too much for its size", file=file)
        if end is None:
            raise RecordError("truncated gzip file", file=file)
        at = end
    return out.getvalue()


def _unpack_member(data: bytes, at: int, out: IO[bytes], most: int) -> int | None:
    """Unpack the gzip member at an offset into `out`, up to ``most`` bytes in all; return the offset of its end."""
    unpacker = zlib.decompressobj(wbits=31)
    while at < len(data) and out.tell() < most:
        piece = data[at : at + _STEP]
        out.write(unpacker.decompress(piece, most - out.tell()))
        at += len(piece) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
        if unpacker.eof:
            return at
    return None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old or the new contents, never a part."""
    with whole_file(path) as file:
        file.write(data)


def claim(file: Path, conditions: dict[str, Any], what: str) -> None:
    """Write the conditions of a resumable job to a file, with its folder; refuse a file of other conditions."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        write_atomically(file, json.dumps(conditions, indent=1).encode() + b"\n")
        return
    try:
        known = dict(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise TengenError(f"{file} is not the description of a {what}") from None
    for key in {**conditions, **known}:
        if known.get(key) != conditions.get(key):
            raise TengenError(f"{file.parent} holds another {what}: its {key} is {known.get(key)!r}")


def check_writable(path: Path) -> None:
    """Raise an OSError if a file cannot be written there; an existing file is not changed."""
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
    """Open a temporary file beside `path` and rename it to `path` at the end, keeping an existing file's permissions.

    Links are followed; devices and pipes are written to directly. After an interrupt, `part` returns the path under
    which the part written so far is kept, or None to discard it.
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
    """Create a temporary file in the folder of `place`; errors name the path that was asked for."""
    try:
        return tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:100]}.")
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, os.fspath(asked)) from None


def _mode(path: Path) -> int:
    """Return the permissions of a file, or those a new file would get."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
