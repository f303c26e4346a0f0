"""Files as bytes: unpacked within limits, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tengen.errors import RecordError

#: An archive that unpacks to more than this is refused.
MAX_UNPACKED = 1 << 30


def unpacked(data: bytes, file: str | None = None) -> bytes:
    """The contents of gzip data, or the data itself when it is not packed."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    out = bytearray()
    rest = data
    while rest:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            out += unpacker.decompress(rest, MAX_UNPACKED + 1 - len(out))
        except zlib.error as error:
            if not out:
                raise RecordError(f"not a gzip file after all: {error}", file=file) from None
            break  # padding after the last member
        if len(out) > MAX_UNPACKED:
            raise RecordError(f"unpacks to more than {MAX_UNPACKED >> 20} MiB", file=file)
        if not unpacker.eof:
            raise RecordError("a gzip file cut short", file=file)
        rest = unpacker.unused_data
    return bytes(out)


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
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file next to its place and move it there at the end, keeping an existing file's permissions.

    A link is followed, and what is no plain file (a device, a pipe) is written to as it is.
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
    except BaseException:
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
