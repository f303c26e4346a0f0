"""Files as bytes: unpacked within limits, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import zlib
from pathlib import Path

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
    """Write a file next to its place and move it there, keeping an existing file's permissions."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(path: Path) -> int:
    """The permissions a file has, or would have if it were created now."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
