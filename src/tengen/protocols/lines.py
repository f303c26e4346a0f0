"""Lines of input, read ahead by a thread, so that whoever works can see that somebody has spoken."""

from __future__ import annotations

import contextlib
import io
import queue
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

_CHUNK = 1 << 16
_AHEAD = 10_000  # lines that may wait before the other program has to


def standard_input() -> io.RawIOBase:
    """Return standard input without Python's buffer, whose lock a reading thread would take along at the end."""
    return io.FileIO(sys.stdin.fileno(), closefd=False)


class LineReader:
    """The lines of a stream, in order. A line longer than `longest` bytes is cut just behind that many."""

    def __init__(
        self, stream: io.RawIOBase | io.BytesIO, longest: int, *, heard: Callable[[str], None] | None = None
    ) -> None:
        self._stream = stream
        self._longest = longest
        self._heard = None if heard is None else weakref.WeakMethod(heard)  # the thread keeps nobody alive
        self._lines: queue.Queue[str | None] = queue.Queue(_AHEAD)
        threading.Thread(target=self._read, daemon=True).start()

    def waiting(self) -> bool:
        """Whether there is a line, or the end of the input, that nobody has taken yet."""
        return not self._lines.empty()

    def __iter__(self) -> Iterator[str]:
        while (line := self._lines.get()) is not None:
            yield line

    def _read(self) -> None:
        unfinished = bytearray()
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._stream.read(_CHUNK):
                *whole, rest = chunk.split(b"\n")
                for end in whole:
                    self._put(unfinished + end)
                    unfinished.clear()
                unfinished += rest[: max(self._longest + 1 - len(unfinished), 0)]
        if unfinished:
            self._put(unfinished)
        self._lines.put(None)

    def _put(self, data: bytes | bytearray) -> None:
        line = data[: self._longest + 1].decode("utf-8", "replace")
        heard = self._heard() if self._heard is not None else None
        if heard is not None:
            heard(line)
        self._lines.put(line)
